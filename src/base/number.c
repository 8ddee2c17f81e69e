/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text. C's conversions follow the locale of the program ("1,5" in German). So each conversion here switches
 * the calling thread to the "C" locale and back. */
#include "base/number.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

typedef struct plain_locale {
  locale_t plain, before;
} plain_locale;

static plain_locale enter_plain_locale(void)
{
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return (plain_locale){plain, uselocale(plain)};
}

static void leave_plain_locale(plain_locale locale)
{
  uselocale(locale.before);
  if (locale.plain != NULL) freelocale(locale.plain);
}

bool fcps_number_read(const char *text, double *value)
{
  /* strtod alone would also accept leading blanks, hexadecimal numbers and "nan(...)" */
  if (text == NULL || text[0] == 0 || text[strspn(text, "+-.0123456789eEinfatyINFATY")] != 0) return false;

  char *end;
  const plain_locale locale = enter_plain_locale();
  const double number = strtod(text, &end);
  leave_plain_locale(locale);
  if (end == text || *end != 0) return false;

  /* digits that overflow to infinity are not the number that was written */
  if (isinf(number) && strpbrk(text, "0123456789")) return false;
  *value = number;
  return true;
}

bool fcps_integer_read(const char *text, int64_t *value)
{
  if (text == NULL) return false;
  const char *digits = text + (text[0] == '+' || text[0] == '-');
  if (digits[0] == 0 || digits[strspn(digits, "0123456789")] != 0) return false;

  const int before = errno;
  errno = 0;
  const long long number = strtoll(text, NULL, 10);
  const bool fits = errno == 0 && number >= INT64_MIN && number <= INT64_MAX;
  errno = before;
  if (fits) *value = number;
  return fits;
}

char *fcps_number_write(double value, char text[FCPS_NUMBER_SIZE])
{
  if (isnan(value)) return strcpy(text, "nan"); /* "nan" without the sign that printf may write */

  /* A normal double keeps every text of up to 15 digits, so %.15g is the shortest text whenever it reads back.
   * Subnormal numbers keep fewer digits. (At 46 powers of two, whose neighbours lie at unequal distances, a text
   * rounded to the other side would be one digit shorter. That is not worth a second algorithm.) */
  const plain_locale locale = enter_plain_locale();
  for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
    snprintf(text, FCPS_NUMBER_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  leave_plain_locale(locale);
  return text;
}

char *fcps_number_show(double value, char text[FCPS_NUMBER_SIZE])
{
  const double size = fabs(value);
  if (size == 0) return strcpy(text, "0");
  if (!(size >= 1e-4 && size < 1e9)) {
    const plain_locale locale = enter_plain_locale();
    snprintf(text, FCPS_NUMBER_SIZE, "%.4g", value);
    leave_plain_locale(locale);
    return isnan(value) ? strcpy(text, "nan") : text;
  }
  const int decimals = (int)fmax(3 - floor(log10(size)), 0);
  const plain_locale locale = enter_plain_locale();
  snprintf(text, FCPS_NUMBER_SIZE, "%.*f", decimals, value);
  leave_plain_locale(locale);
  char *end = text + strlen(text);
  while (decimals > 0 && end[-1] == '0')
    *--end = '\0';
  if (decimals > 0 && end[-1] == '.') *--end = '\0';
  return text;
}

int fcps_number_compare(const void *a, const void *b)
{
  const double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

/* -- Bytes as text -- */

static const char hex_digits[] = "0123456789abcdef0123456789ABCDEF";

void fcps_hex_write(size_t count, const void *bytes, char *text)
{
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++) {
    text[2 * i] = hex_digits[byte[i] >> 4];
    text[2 * i + 1] = hex_digits[byte[i] & 15];
  }
  text[2 * count] = '\0';
}

bool fcps_hex_draw(size_t count, char *text)
{
  unsigned char bytes[64];
  if (count > sizeof bytes || getrandom(bytes, count, 0) != (ssize_t)count) return false;
  fcps_hex_write(count, bytes, text);
  return true;
}

bool fcps_hex_is(const char *text, size_t digits)
{
  return strlen(text) == digits && strspn(text, "0123456789abcdef") == digits;
}

static int hex_value(char digit)
{
  const char *found = digit != '\0' ? strchr(hex_digits, digit) : NULL;
  return found != NULL ? (int)((found - hex_digits) % 16) : -1;
}

int fcps_percent_read(const char *text)
{
  const int high = *text == '%' ? hex_value(text[1]) : -1, low = high >= 0 ? hex_value(text[2]) : -1;
  return low >= 0 ? 16 * high + low : -1;
}
