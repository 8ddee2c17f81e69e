/* SPDX-License-Identifier: Apache-2.0 */
/* Reads units. A unit is a name, a quotient of two names, or a power of a name: mm, mm/s, N/mm2. Products are not read.
 * A name is in the table, or has a prefix before a name of the table; the table is searched first, so that "min" is a
 * minute and not a milli-inch. */
#include "problem/quantity.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TURN 6.283185307179586

typedef struct named_unit {
  const char *names[4]; /* symbols first; names also count with a plural s */
  bool may_have_prefix;
  fcps_quantity quantity;
} named_unit;

/* powers of metre, kilogram, second, kelvin, radian and ampere */
static const named_unit table[] = {
    {{"m", "metre", "meter"}, true, {1.0, 0.0, {1}}},
    {{"in", "inch", "inches", "\""}, false, {0.0254, 0.0, {1}}},
    {{"ft", "foot", "feet"}, false, {0.3048, 0.0, {1}}},
    {{"g", "gram", "gramme"}, true, {1e-3, 0.0, {0, 1}}},
    {{"lb", "pound"}, false, {0.45359237, 0.0, {0, 1}}},
    {{"oz", "ounce"}, false, {0.028349523125, 0.0, {0, 1}}},
    {{"s", "second", "sec"}, true, {1.0, 0.0, {0, 0, 1}}},
    {{"min", "minute"}, false, {60.0, 0.0, {0, 0, 1}}},
    {{"h", "hour", "hr"}, false, {3600.0, 0.0, {0, 0, 1}}},
    {{"day"}, false, {86400.0, 0.0, {0, 0, 1}}},
    {{"K", "kelvin"}, true, {1.0, 0.0, {0, 0, 0, 1}}},
    {{"degC", "celsius", "Celsius", "C"}, false, {1.0, 273.15, {0, 0, 0, 1}}},
    {{"degF", "fahrenheit", "Fahrenheit", "F"}, false, {5.0 / 9.0, 273.15 - 32.0 * 5.0 / 9.0, {0, 0, 0, 1}}},
    {{"rad", "radian"}, true, {1.0, 0.0, {0, 0, 0, 0, 1}}},
    {{"deg", "degree"}, false, {TURN / 360.0, 0.0, {0, 0, 0, 0, 1}}},
    {{"turn", "rev"}, false, {TURN, 0.0, {0, 0, 0, 0, 1}}},
    {{"rpm"}, false, {TURN / 60.0, 0.0, {0, 0, -1, 0, 1}}},
    {{"Hz", "hertz"}, true, {1.0, 0.0, {0, 0, -1}}},
    {{"A", "ampere", "amp"}, true, {1.0, 0.0, {0, 0, 0, 0, 0, 1}}},
    {{"V", "volt"}, true, {1.0, 0.0, {2, 1, -3, 0, 0, -1}}},
    {{"W", "watt"}, true, {1.0, 0.0, {2, 1, -3}}},
    {{"J", "joule"}, true, {1.0, 0.0, {2, 1, -2}}},
    {{"Wh"}, true, {3600.0, 0.0, {2, 1, -2}}},
    {{"N", "newton"}, true, {1.0, 0.0, {1, 1, -2}}},
    {{"lbf"}, false, {4.4482216152605, 0.0, {1, 1, -2}}},
    {{"kgf", "kp"}, false, {9.80665, 0.0, {1, 1, -2}}},
    {{"Pa", "pascal"}, true, {1.0, 0.0, {-1, 1, -2}}},
    {{"bar"}, true, {1e5, 0.0, {-1, 1, -2}}},
    {{"psi"}, false, {6894.757293168361, 0.0, {-1, 1, -2}}},
    {{"atm"}, false, {101325.0, 0.0, {-1, 1, -2}}},
    {{"mmHg", "Torr", "torr"}, false, {133.322387415, 0.0, {-1, 1, -2}}},
    {{"L", "l", "litre", "liter"}, true, {1e-3, 0.0, {3}}},
    {{"kph", "kmh"}, false, {1.0 / 3.6, 0.0, {1, 0, -1}}},
    {{"mph"}, false, {0.44704, 0.0, {1, 0, -1}}}};

static const struct prefix {
  const char *name;
  double factor;
} prefixes[] = {{"micro", 1e-6}, {"milli", 1e-3}, {"centi", 1e-2}, {"deci", 0.1}, {"kilo", 1e3}, {"mega", 1e6},
                {"nano", 1e-9},  {"giga", 1e9},   {"n", 1e-9},     {"u", 1e-6},   {"m", 1e-3},   {"c", 1e-2},
                {"d", 0.1},      {"h", 1e2},      {"k", 1e3},      {"M", 1e6},    {"G", 1e9}};
enum { PREFIXES = sizeof prefixes / sizeof *prefixes, FIRST_SYMBOL = 8 };

/* -- Names -- */

/* Whether a text is this name. A word may be in the plural, a symbol may not. */
static bool is_name(const char *name, const char *text)
{
  const size_t length = strlen(name);
  if (strncmp(name, text, length) != 0) return false;
  return text[length] == '\0' || (length > 2 && strcmp(text + length, "s") == 0);
}

static const named_unit *find_name(const char *text)
{
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int n = 0; n < 4 && table[i].names[n] != NULL; n++)
      if (is_name(table[i].names[n], text)) return &table[i];
  return NULL;
}

/* Reads a name with or without a prefix, and returns its unit; NULL if the name is not known. */
static const named_unit *read_name(fcps_quantity *quantity, const char *text)
{
  const named_unit *unit = find_name(text);
  if (unit != NULL) *quantity = unit->quantity;
  for (int i = 0; i < PREFIXES && unit == NULL; i++) {
    const size_t length = strlen(prefixes[i].name);
    if (strncmp(text, prefixes[i].name, length) != 0 || text[length] == '\0') continue;
    unit = find_name(text + length);
    if (unit != NULL && !unit->may_have_prefix) unit = NULL;
    if (unit == NULL) continue;
    *quantity = unit->quantity;
    quantity->factor *= prefixes[i].factor;
  }
  return unit;
}

/* -- Units -- */

/* Reads a name with a power, as in mm2 or mm^2. */
static bool read_power(fcps_quantity *quantity, char *text)
{
  size_t length = strlen(text);
  int power = 1;
  if (length > 1 && (text[length - 1] == '2' || text[length - 1] == '3')) {
    power = text[--length] - '0';
    if (text[length - 1] == '^') length--;
    text[length] = '\0';
  }
  if (read_name(quantity, text) == NULL) return false;
  if (power == 1) return true;
  quantity->factor = pow(quantity->factor, power);
  for (int i = 0; i < FCPS_QUANTITY_BASES; i++)
    quantity->exponents[i] *= power;
  return quantity->shift == 0.0;
}

/* Copies a text without its spaces, and spells signs such as the degree sign in ASCII. Returns false if the text is too
 * long. */
static bool spell(const char *text, size_t size, char *room)
{
  static const char *const signs[][2] = {
      {"\xc2\xb5", "u"}, {"\xce\xbc", "u"}, {"\xc2\xb0", "deg"},   {"\xe2\x84\x83", "degC"}, {"\xc2\xb2", "2"},
      {"\xc2\xb3", "3"}, {"deg C", "degC"}, {"degrees C", "degC"}, {"deg F", "degF"},        {" per ", "/"},
      {" ", ""}};
  size_t used = 0;
  while (*text != '\0') {
    size_t sign = 0;
    const size_t count = sizeof signs / sizeof *signs;
    while (sign < count && strncmp(text, signs[sign][0], strlen(signs[sign][0])) != 0)
      sign++;
    const char *written = sign < count ? signs[sign][1] : NULL;
    if (used + (written != NULL ? strlen(written) : 1) >= size) return false;
    if (written != NULL) {
      used += (size_t)snprintf(room + used, size - used, "%s", written);
      text += strlen(signs[sign][0]);
    } else {
      room[used++] = *text++;
    }
  }
  room[used] = '\0';
  return used > 0;
}

bool fcps_quantity_read(fcps_quantity *quantity, const char *text)
{
  char room[64];
  fcps_quantity below;
  if (text == NULL || !spell(text, sizeof room, room)) return false;
  char *slash = strchr(room, '/');
  if (slash == NULL) return read_power(quantity, room);
  *slash = '\0';
  if (!read_power(quantity, room) || !read_power(&below, slash + 1)) return false;
  quantity->factor /= below.factor;
  for (int i = 0; i < FCPS_QUANTITY_BASES; i++)
    quantity->exponents[i] -= below.exponents[i];
  return quantity->shift == 0.0 && below.shift == 0.0;
}

bool fcps_quantity_is_of_kind(const fcps_quantity *a, const fcps_quantity *b)
{
  return memcmp(a->exponents, b->exponents, sizeof a->exponents) == 0;
}

bool fcps_quantity_differs(const fcps_quantity *a, const fcps_quantity *b)
{
  if (!fcps_quantity_is_of_kind(a, b)) return false;
  return fabs(a->factor / b->factor - 1.0) > 1e-6 || fabs(a->shift - b->shift) > 1e-6;
}

/* Whether two words mean the same. Words of more than three letters may differ in capitals and plural; shorter words
 * are symbols, which must be equal. */
static bool is_same_word(const char *a, const char *b)
{
  size_t length = strlen(a), other = strlen(b);
  if (length < 4 || other < 4) return strcmp(a, b) == 0;
  length -= a[length - 1] == 's';
  other -= b[other - 1] == 's';
  return length == other && strncasecmp(a, b, length) == 0;
}

bool fcps_quantity_is_same(const char *a, const char *b)
{
  fcps_quantity x, y;
  char words[2][64];
  if (fcps_quantity_read(&x, a) && fcps_quantity_read(&y, b))
    return fcps_quantity_is_of_kind(&x, &y) && !fcps_quantity_differs(&x, &y);
  if (!spell(a, sizeof words[0], words[0]) || !spell(b, sizeof words[1], words[1])) return strcmp(a, b) == 0;
  return is_same_word(words[0], words[1]);
}

/* -- Ratios -- */

/* The best explanation of a factor that was found so far. */
typedef struct guess {
  double error, factor;
  const char *prefix, *name, *rest; /* the parts of its text: "k", "g", "/m3" */
} guess;

/* Finds the unit of a kind whose factor is nearest. Centimetres are usual, centibars are not. If two units are
 * equally near, the one that only changes the prefix wins. */
static void try_units(const fcps_quantity *right, const named_unit *own, const char *rest, double factor, guess *best)
{
  static const double same = 1e-9;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const named_unit *unit = &table[i];
    if (!fcps_quantity_is_of_kind(right, &unit->quantity) || unit->quantity.shift != right->shift) continue;
    for (int p = FIRST_SYMBOL - 1; p < PREFIXES && (p < FIRST_SYMBOL || unit->may_have_prefix); p++) {
      const bool is_plain = p < FIRST_SYMBOL;
      if (!is_plain && strchr("cdh", prefixes[p].name[0]) != NULL && strcmp(unit->names[0], "m") != 0) continue;
      const double ratio = right->factor / unit->quantity.factor / (is_plain ? 1.0 : prefixes[p].factor);
      const double error = fabs(log(ratio / factor)) + (unit == own ? 0.0 : same);
      if (error < best->error) *best = (guess){error, ratio, is_plain ? "" : prefixes[p].name, unit->names[0], rest};
    }
  }
}

bool fcps_quantity_name_ratio(const char *right, double *factor, size_t size, char *name)
{
  guess best = {.error = 0.05};
  fcps_quantity quantity;
  char room[64], rest[64] = "";
  if (!fcps_quantity_read(&quantity, right) || !spell(right, sizeof room, room)) return false;
  try_units(&quantity, NULL, "", *factor, &best);
  char *slash = strchr(room, '/');
  if (slash != NULL) {
    snprintf(rest, sizeof rest, "%s", slash);
    *slash = '\0';
  }
  const named_unit *own = read_name(&quantity, room);
  if (own != NULL) try_units(&quantity, own, rest, *factor, &best);
  if (best.name == NULL || fabs(log(best.factor)) < best.error) return false;
  snprintf(name, size, "%s%s%s", best.prefix, best.name, best.rest);
  *factor = best.factor;
  return true;
}
