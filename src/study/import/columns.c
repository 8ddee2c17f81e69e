/* SPDX-License-Identifier: Apache-2.0 */
/* Warns of columns that an import does not read. A mistyped name of an optional column would go unnoticed otherwise,
 * and its numbers would be missing without a word. */
#include "study/import/import.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/columns.h"
#include "problem/deviation.h"
#include "study/study_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns beside those of the dimensions and their deviations; exports have them. */
static const char *const others[] = {"ask", "status", "reward", "hindsight_reward", "used", "suspect", "message"};
enum { OTHERS = sizeof others / sizeof *others };

/* Every name that a column may have. */
typedef struct column_names {
  const char **list;
  char (*deviations)[FCPS_DEVIATION_COLUMN_SIZE];
  int count, with_unit; /* the names of dimensions stand first; a column may have the unit behind such a name */
} column_names;

static bool list_names(const fcps_study *s, column_names *names)
{
  const fcps_problem *p = &s->problem;
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  names->list = fcps_allocate((size_t)(fcps_study_width(s) + p->outcome.count + OTHERS), sizeof *names->list);
  names->deviations = fcps_allocate((size_t)p->outcome.count, sizeof *names->deviations);
  if (names->list == NULL || names->deviations == NULL) return false;
  for (int space = 0; space < 4; space++)
    for (int i = 0; i < spaces[space]->count; i++)
      names->list[names->count++] = spaces[space]->dims[i].name;
  for (int i = 0; i < p->outcome.count; i++) {
    fcps_rollout_deviation_column(p, i, names->deviations[i]);
    names->list[names->count++] = names->deviations[i];
  }
  names->with_unit = names->count;
  for (int i = 0; i < OTHERS; i++)
    names->list[names->count++] = others[i];
  return true;
}

static bool has_name(const column_names *names, const char *column)
{
  for (int i = 0; i < names->count; i++)
    if (strcmp(names->list[i], column) == 0 || (i < names->with_unit && fcps_columns_is_of(column, names->list[i])))
      return true;
  return false;
}

/* Whether two names differ by one slip: one letter too many, missing or wrong, or two letters swapped. Other columns
 * of the user may have similar names: "remark" is not a slip of "reward". */
static bool is_slip(const char *a, const char *b)
{
  size_t left = strlen(a), right = strlen(b);
  while (*a != '\0' && *a == *b)
    a++, b++, left--, right--;
  while (left > 0 && right > 0 && a[left - 1] == b[right - 1])
    left--, right--;
  return (left <= 1 && right <= 1) || (left == 2 && right == 2 && a[0] == b[1] && a[1] == b[0]);
}

/* Finds the name that a column may have been meant to have: the nearest of the names that no column has. NULL: no
 * name is near. */
static const char *find_meant(const column_names *names, const fcps_csv *csv, const char *column)
{
  const char *nearest = fcps_nearest_name(column, names->count, names->list);
  return nearest != NULL && is_slip(column, nearest) && fcps_csv_column(csv, nearest) < 0 ? nearest : NULL;
}

/* Writes the names of unread columns, as far as there is room; returns their number. */
static int write_unread(const column_names *names, const fcps_csv *csv, size_t size, char *text)
{
  int unread = 0;
  size_t length = 0;
  text[0] = '\0';
  for (int i = 0; i < csv->columns; i++) {
    if (has_name(names, csv->header[i])) continue;
    const char *meant = find_meant(names, csv, csv->header[i]);
    unread++;
    if (length >= size) continue;
    length +=
        (size_t)snprintf(text + length, size - length, "%s\"%.60s\"%s%s%s", length > 0 ? ", " : "", csv->header[i],
                         meant != NULL ? " (did you mean " : "", meant != NULL ? meant : "", meant != NULL ? "?)" : "");
  }
  return unread;
}

void fcps_import_warn_of_columns(const fcps_study *s, const fcps_csv *csv)
{
  column_names names = {0};
  char text[600];
  const int unread = list_names(s, &names) ? write_unread(&names, csv, sizeof text, text) : 0;
  if (unread > 0)
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_COLUMN", "%.200s: %d column%s not read: %s", csv->file, unread,
                 unread == 1 ? " is" : "s are", text);
  free(names.list);
  free(names.deviations);
}
