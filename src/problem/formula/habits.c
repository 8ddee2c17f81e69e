/* SPDX-License-Identifier: Apache-2.0 */
/* Powers, conditions and names of Python, C and MATLAB, each with what is written here instead. A word counts only as a
 * whole: a dimension may be called "order". */
#include "problem/formula/habits.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

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

const char *fcps_formula_habit_at(const char *text, size_t position)
{
  const char *here = text + position;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    const size_t length = strlen(words[i].text);
    const bool begins = position == 0 || !is_letter(text[position - 1]);
    if (begins && strncmp(here, words[i].text, length) == 0 && !is_letter(here[length])) return words[i].advice;
  }
  if (strncmp(here, "||", 2) == 0 || strncmp(here, "&&", 2) == 0 || strncmp(here, "!=", 2) == 0) return NULL;
  if (position > 0 && (*here == '|' || *here == '&') && text[position - 1] == *here)
    return NULL; /* the second of two */
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (strncmp(here, signs[i].text, strlen(signs[i].text)) == 0) return signs[i].advice;
  return NULL;
}
