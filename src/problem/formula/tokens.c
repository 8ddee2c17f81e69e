/* SPDX-License-Identifier: Apache-2.0 */
/* Splits texts of formulas into tokens. Users know the formulas of other languages: powers, conditions and names of
 * Python, C and MATLAB are refused with the spelling that is right here. */
#include "problem/formula/tokens.h"

#include "base/error.h"
#include "base/number.h"
#include "space/space.h"

#include <ctype.h>
#include <string.h>

/* Names that have a meaning but are not functions. */
static const char *const special_names[] = {"pi", "present", "distance", "told", "nan", "inf", NULL};

bool fcps_formula_is_reserved(const char *name)
{
  for (const char *const *special = special_names; *special; special++)
    if (strcmp(*special, name) == 0) return true;
  return fcps_formula_function_find(name) != NULL;
}

fcps_status fcps_formula_text_refuse(const fcps_formula_text *t, int place, const char *format, const char *detail)
{
  const fcps_status status = fcps_error_set(t->error, FCPS_ERR_FORMAT, "", format, detail);
  if (t->error != NULL) t->error->column = place + 1;
  return status;
}

/* -- Habits of other languages -- */

typedef struct habit {
  const char *text, *advice;
} habit;

static const habit signs[] = {{"**", "write a power with ^, as in x^2."},
                              {".^", "write a power with ^, as in x^2."},
                              {".*", "write a product with *, as in x*y."},
                              {"//", "write floor(a/b) for a whole quotient."},
                              {"%", "write mod(a, b) for a remainder."},
                              {"~=", "write != for different."},
                              {"|", "write abs(x) for an absolute value, and || for or."},
                              {"&", "write && for and."},
                              {"!", "write x == 0 for not x, and != for different."},
                              {"{", "use parentheses (...)."},
                              {"[", "use parentheses (...)."}};

static const habit words[] = {{"if", "write a condition as `CONDITION ? A : B`, as in `present ? -distance : -10`."},
                              {"else", "write a condition as `CONDITION ? A : B`, as in `present ? -distance : -10`."},
                              {"and", "write && for and."},
                              {"or", "write || for or."},
                              {"not", "write x == 0 for not x, and != for different."},
                              {"True", "write 1 for true."},
                              {"False", "write 0 for false."},
                              {"true", "write 1 for true."},
                              {"false", "write 0 for false."},
                              {"math", "write functions without `math.`, as in sqrt(x)."},
                              {"np", "write functions without `np.`, as in sqrt(x)."},
                              {"numpy", "write functions without `numpy.`, as in sqrt(x)."},
                              {"torch", "write functions without `torch.`, as in sqrt(x)."},
                              {"pow", "write a power with ^, as in x^2."},
                              {"power", "write a power with ^, as in x^2."},
                              {"fabs", "write abs(x)."},
                              {"fmin", "write min(a, b)."},
                              {"fmax", "write max(a, b)."},
                              {"fmod", "write mod(a, b)."},
                              {"arctan2", "write atan2(y, x)."},
                              {"where", "write a condition as `CONDITION ? A : B`."}};

static bool is_letter(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* If text[place] has a spelling of another language, returns the right spelling; otherwise NULL. A word counts only as
 * a whole: a dimension may be called "order". */
static const char *habit_at(const char *text, int place)
{
  const char *here = text + place;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const size_t length = strlen(words[i].text);
    if (strncmp(here, words[i].text, length) == 0 && !is_letter(here[length])) return words[i].advice;
  }
  if (strncmp(here, "||", 2) == 0 || strncmp(here, "&&", 2) == 0 || strncmp(here, "!=", 2) == 0) return NULL;
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (strncmp(here, signs[i].text, strlen(signs[i].text)) == 0) return signs[i].advice;
  return NULL;
}

/* -- Words -- */

const fcps_choices *fcps_formula_text_choices(const fcps_formula_text *t, int name)
{
  return t->choices != NULL ? t->choices[name] : NULL;
}

/* Returns the longest word that stands at a place and is not the beginning of a longer word in the text; -1 if there is
 * none. */
static int longest_word(const fcps_choices *choices, const char *here)
{
  int found = -1;
  size_t longest = 0;
  for (int i = 0; i < choices->count; i++) {
    const size_t length = strlen(choices->words[i]);
    if (length <= longest || strncmp(here, choices->words[i], length) != 0) continue;
    if (is_letter(here[length - 1]) && is_letter(here[length])) continue;
    longest = length;
    found = i;
  }
  return found;
}

static fcps_status refuse_word(const fcps_formula_text *t, int place, int name, const char *word)
{
  char hint[300];
  const fcps_choices *choices = t->choices[name];
  const fcps_status status =
      fcps_error_set(t->error, FCPS_ERR_FORMAT, "", "'%.60s' is not a word of '%s'; %s.", word, t->names[name],
                     fcps_name_hint(word, choices->count, choices->words, sizeof hint, hint));
  if (t->error != NULL) t->error->column = place + 1;
  return status;
}

/* Reads a word in quotes: 'two words' or "two words". */
static fcps_status read_quoted(fcps_formula_text *t, int name, char *word, fcps_formula_token *token)
{
  const char quote = t->text[t->at], *begin = t->text + t->at + 1, *end = strchr(begin, quote);
  if (end == NULL) return fcps_formula_text_refuse(t, t->at, "the quote is not closed.%s", "");
  memcpy(word, begin, (size_t)(end - begin));
  t->at = (int)(end + 1 - t->text);
  token->end = t->at;
  token->number = fcps_choices_find(t->choices[name], word);
  return token->number >= 0 ? FCPS_OK : refuse_word(t, token->begin, name, word);
}

fcps_status fcps_formula_text_word(fcps_formula_text *t, int name, fcps_formula_token *token)
{
  char word[FCPS_FORMULA_LONGEST + 1] = "";
  const fcps_choices *choices = t->choices[name];
  t->at += (int)strspn(t->text + t->at, " \t\r\n");
  const char *here = t->text + t->at;
  *token = (fcps_formula_token){.kind = FCPS_TOKEN_NUMBER, .begin = t->at};
  if (*here == '\'' || *here == '"') return read_quoted(t, name, word, token);
  const int found = longest_word(choices, here);
  size_t length = found >= 0 ? strlen(choices->words[found]) : 0;
  while (found < 0 && is_letter(here[length]))
    length++;
  memcpy(word, here, length);
  t->at += (int)length;
  token->end = t->at;
  token->number = found;
  for (int i = 0; i < t->count && found < 0; i++) {
    if (strcmp(t->names[i], word) != 0 || !fcps_choices_same_words(choices, t->choices[i])) continue;
    token->kind = FCPS_TOKEN_NAME;
    token->name = i;
    return FCPS_OK;
  }
  return found >= 0 ? FCPS_OK : refuse_word(t, token->begin, name, length > 0 ? word : here);
}

/* -- Names -- */

static fcps_status unknown_function(const fcps_formula_text *t, int place, const char *name)
{
  char list[400] = "";
  for (const fcps_formula_function *f = fcps_formula_functions; f->name != NULL; f++) {
    strcat(list, " ");
    strcat(list, f->name);
  }
  const fcps_status status =
      fcps_error_set(t->error, FCPS_ERR_FORMAT, "", "no function '%s'; there are%s.", name, list);
  if (t->error != NULL) t->error->column = place + 1;
  return status;
}

/* Whether a name follows a number directly, as the unit in `18 A` does. */
static bool follows_number(const fcps_formula_text *t, int place)
{
  while (place > 0 && t->text[place - 1] == ' ')
    place--;
  return place > 0 && t->text[place - 1] >= '0' && t->text[place - 1] <= '9';
}

static fcps_status unknown_name(const fcps_formula_text *t, int place, const char *name)
{
  for (int i = 0; i < t->count; i++)
    if (fcps_choices_find(fcps_formula_text_choices(t, i), name) >= 0) {
      const fcps_status status = fcps_error_set(t->error, FCPS_ERR_FORMAT, "",
                                                "'%s' is a word of '%s' and stands behind a comparison: %s == %s.",
                                                name, t->names[i], t->names[i], name);
      if (t->error != NULL) t->error->column = place + 1;
      return status;
    }
  const char *nearest = fcps_nearest_name(name, t->count, t->names);
  const bool is_unit = follows_number(t, place), is_named = !is_unit && nearest != NULL;
  const char *hint = is_unit    ? ". If it is a unit, leave it out: a number has the unit of what it is compared with."
                     : is_named ? "; did you mean '"
                                : ".";
  const fcps_status status = fcps_error_set(t->error, FCPS_ERR_FORMAT, "", "no dimension is called '%s'%s%s%s", name,
                                            hint, is_named ? nearest : "", is_named ? "'?" : "");
  if (t->error != NULL) t->error->column = place + 1;
  return status;
}

/* Makes the token of a name that is not a dimension. */
static fcps_status name_token(const fcps_formula_text *t, const char *name, bool is_called, fcps_formula_token *token)
{
  if (strcmp(name, "pi") == 0) {
    token->kind = FCPS_TOKEN_NUMBER;
    token->number = 3.14159265358979323846;
    return FCPS_OK;
  }
  token->kind = FCPS_TOKEN_FUNCTION;
  token->function = fcps_formula_function_find(name);
  if (token->function != NULL)
    return is_called ? FCPS_OK
                     : fcps_formula_text_refuse(t, token->begin,
                                                "the function '%s' needs its arguments in parentheses.", name);
  if (strcmp(name, "distance") == 0)
    return fcps_formula_text_refuse(t, token->begin, "'%s' needs `achieved`: say which outcome achieves which target.",
                                    name);
  const char *advice = habit_at(t->text, token->begin);
  if (advice != NULL) return fcps_formula_text_refuse(t, token->begin, "not understood; %s", advice);
  return is_called ? unknown_function(t, token->begin, name) : unknown_name(t, token->begin, name);
}

static fcps_status read_name(fcps_formula_text *t, fcps_formula_token *token)
{
  /* The name is never cut, because the beginning of a name may be another name. */
  char name[FCPS_FORMULA_LONGEST + 1] = "";
  while (is_letter(t->text[t->at]))
    t->at++;
  token->end = t->at;
  memcpy(name, t->text + token->begin, (size_t)(token->end - token->begin));
  const bool is_called = t->text[t->at + (int)strspn(t->text + t->at, " \t\r\n\v\f")] == '(';
  for (int i = 0; i < t->count; i++) {
    if (strcmp(t->names[i], name) != 0) continue;
    token->kind = FCPS_TOKEN_NAME;
    token->name = i;
    return !is_called ? FCPS_OK
                      : fcps_formula_text_refuse(t, token->begin,
                                                 "'%s' is a dimension, not a function; write * to multiply.", name);
  }
  return name_token(t, name, is_called, token);
}

/* -- Numbers -- */

/* Reads digits with a point and an exponent, so that the e of 1e5 is not taken for a name. */
static fcps_status read_number(fcps_formula_text *t, fcps_formula_token *token)
{
  char digits[FCPS_FORMULA_LONGEST + 1] = "";
  int next = t->at + (int)strspn(t->text + t->at, "0123456789.");
  t->at = next;
  if (t->text[next] == 'e' || t->text[next] == 'E') {
    next++;
    if (t->text[next] == '+' || t->text[next] == '-') next++;
    if (isdigit((unsigned char)t->text[next])) t->at = next + (int)strspn(t->text + next, "0123456789");
  }
  token->kind = FCPS_TOKEN_NUMBER;
  token->end = t->at;
  memcpy(digits, t->text + token->begin, (size_t)(token->end - token->begin));
  if (!fcps_number_read(digits, &token->number))
    return fcps_formula_text_refuse(t, token->begin, "'%s' is not a number, or too large.", digits);
  return FCPS_OK;
}

/* -- Signs -- */

/* A sign stands before the signs with which it begins, as "<=" before "<". */
static const struct sign {
  const char *text;
  fcps_formula_token_kind kind;
  fcps_formula_op op;
  int level;
} operators[] = {{"||", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_OR, FCPS_TOKEN_OR},
                 {"&&", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_AND, FCPS_TOKEN_AND},
                 {"<=", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_LESS_EQUAL, FCPS_TOKEN_COMPARISON},
                 {">=", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_GREATER_EQUAL, FCPS_TOKEN_COMPARISON},
                 {"==", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_EQUAL, FCPS_TOKEN_COMPARISON},
                 {"!=", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_UNEQUAL, FCPS_TOKEN_COMPARISON},
                 {"<", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_LESS, FCPS_TOKEN_COMPARISON},
                 {">", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_GREATER, FCPS_TOKEN_COMPARISON},
                 {"+", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_ADD, FCPS_TOKEN_SUM},
                 {"-", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_SUBTRACT, FCPS_TOKEN_SUM},
                 {"*", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_MULTIPLY, FCPS_TOKEN_PRODUCT},
                 {"/", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_DIVIDE, FCPS_TOKEN_PRODUCT},
                 {"^", FCPS_TOKEN_OPERATOR, FCPS_FORMULA_POWER, FCPS_TOKEN_POWER},
                 {"(", FCPS_TOKEN_OPEN, 0, 0},
                 {")", FCPS_TOKEN_CLOSE, 0, 0},
                 {",", FCPS_TOKEN_COMMA, 0, 0},
                 {"?", FCPS_TOKEN_QUESTION, 0, 0},
                 {":", FCPS_TOKEN_COLON, 0, 0}};

static fcps_status read_sign(fcps_formula_text *t, fcps_formula_token *token)
{
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    const struct sign *sign = &operators[i];
    const size_t length = strlen(sign->text);
    if (strncmp(t->text + t->at, sign->text, length) != 0) continue;
    t->at += (int)length;
    token->kind = sign->kind;
    token->op = sign->op;
    token->level = sign->level;
    token->end = t->at;
    return FCPS_OK;
  }
  if (t->text[t->at] == '=')
    return fcps_formula_text_refuse(t, t->at, "a lone '=' is not allowed; compare with '=='.%s", "");
  if (t->text[t->at] == '\'' || t->text[t->at] == '"')
    return fcps_formula_text_refuse(t, t->at, "a quoted word stands behind a comparison, as in gate == 'two words'.%s",
                                    "");
  return fcps_formula_text_refuse(t, t->at, "unexpected character.%s", "");
}

fcps_status fcps_formula_text_next(fcps_formula_text *t, fcps_formula_token *token)
{
  t->at += (int)strspn(t->text + t->at, " \t\r\n");
  const unsigned char c = (unsigned char)t->text[t->at];
  *token = (fcps_formula_token){.kind = FCPS_TOKEN_END, .begin = t->at, .end = t->at};
  if (c == '\0') return FCPS_OK;
  if (isalpha(c) || c == '_') return read_name(t, token);
  const char *advice = habit_at(t->text, t->at);
  if (advice != NULL) return fcps_formula_text_refuse(t, t->at, "not understood; %s", advice);
  return isdigit(c) || c == '.' ? read_number(t, token) : read_sign(t, token);
}
