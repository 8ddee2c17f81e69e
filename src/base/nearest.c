/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": the nearest of some names by edit distance, and the hint of an error about a wrong name. */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Longer names are not compared; names of settings, tasks and dimensions are far shorter. */
#define LONGEST_NAME 63

static char lower_case(char letter)
{
  return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static int least(int a, int b)
{
  return a < b ? a : b;
}

/* Returns the restricted Damerau-Levenshtein distance (optimal string alignment): the least number of insertions,
 * deletions, changes and exchanges of neighbours. Upper and lower case count as equal. */
static int distance(const char *a, const char *b)
{
  const int length_a = (int)strlen(a), length_b = (int)strlen(b);
  int table[LONGEST_NAME + 1][LONGEST_NAME + 1]; /* [i][j]: from the first i letters of a to the first j of b */

  for (int i = 0; i <= length_a; i++) {
    for (int j = 0; j <= length_b; j++) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const bool same = lower_case(a[i - 1]) == lower_case(b[j - 1]);
      table[i][j] = least(table[i - 1][j - 1] + !same, least(table[i - 1][j], table[i][j - 1]) + 1);
      if (i > 1 && j > 1 && lower_case(a[i - 1]) == lower_case(b[j - 2]) &&
          lower_case(a[i - 2]) == lower_case(b[j - 1]))
        table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[length_a][length_b];
}

const char *fcps_nearest_name(const char *name, int count, const char *const *names)
{
  const size_t length = strlen(name);
  if (length == 0 || length > LONGEST_NAME) return NULL;

  /* one letter in three may be wrong; the beginning of a name is also near it */
  const int allowed = length >= 6 ? (int)length / 3 : 1;
  const char *nearest = NULL;
  int shortest = 0;
  for (int i = 0; i < count; i++) {
    if (strlen(names[i]) > LONGEST_NAME) continue;
    const int away = distance(name, names[i]);
    const bool near = away <= allowed || strncmp(name, names[i], length) == 0;
    if (near && (nearest == NULL || away < shortest)) {
      nearest = names[i];
      shortest = away;
    }
  }
  return nearest;
}

const char *fcps_nearly_equal_name(const char *name, int count, const char *const *names)
{
  const size_t length = strlen(name);
  const bool may_differ = strpbrk(name, "0123456789") == NULL;
  const char *near = NULL;
  for (int i = 0; i < count && length <= LONGEST_NAME; i++) {
    if (strcmp(name, names[i]) == 0) return NULL;
    const size_t other = strlen(names[i]);
    const int allowed = may_differ && (length >= 4 || other >= 4) ? 1 : 0;
    if (near == NULL && other <= LONGEST_NAME && distance(name, names[i]) <= allowed) near = names[i];
  }
  return near;
}

char *fcps_name_hint(const char *name, int count, const char *const *names, size_t size, char *text)
{
  static const char more[] = ", ...";
  if (size == 0) return text;
  text[0] = 0;
  if (count == 0) return text;

  const char *nearest = fcps_nearest_name(name, count, names);
  int used = nearest != NULL ? snprintf(text, size, "did you mean %s? Choose from: ", nearest)
                             : snprintf(text, size, "choose from: ");
  for (int i = 0; i < count && used >= 0 && (size_t)used < size; i++) {
    /* every name but the last must leave room for ", ..." */
    const size_t needed = strlen(names[i]) + (i > 0 ? 2 : 0) + (i < count - 1 ? sizeof more : 1);
    if ((size_t)used + needed > size) {
      snprintf(text + used, size - (size_t)used, "%s", i > 0 ? more : "...");
      break;
    }
    used += snprintf(text + used, size - (size_t)used, "%s%s", i > 0 ? ", " : "", names[i]);
  }
  return text;
}
