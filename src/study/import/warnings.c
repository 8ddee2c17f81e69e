/* SPDX-License-Identifier: Apache-2.0 */
/* Warns of rows that a table contains twice, and of columns that an import does not read.
 *
 * A trial whose outcome is a count, or yes or no, can be repeated with exactly the same numbers, so a single repeated
 * row is kept. If three or more different rows come again in the same order, they were pasted twice. All cells are
 * compared, even those of columns that are not read, because a date or a running number tells trials apart. */
#include "base/error.h"
#include "base/memory.h"
#include "problem/columns.h"
#include "problem/rollouts.h"
#include "study/import/import.h"
#include "study/study_impl.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block has at least LEAST_BLOCK different rows. If the first PLAIN_ROWS rows of a possible block have fewer, its
 * search ends. */
enum { LEAST_BLOCK = 3, PLAIN_ROWS = 1000 };

typedef struct hashed_row {
  uint64_t hash;
  int row;
} hashed_row;

/* The FNV-1a hash of a row's cells and of where each cell ends. */
static uint64_t hash_row(const fcps_csv *csv, int row)
{
  uint64_t hash = 14695981039346656037u;
  for (int c = 0; c < csv->columns; c++)
    for (const char *at = fcps_csv_cell(csv, row, c);; at++) {
      hash = (hash ^ (unsigned char)*at) * 1099511628211u;
      if (*at == '\0') break;
    }
  return hash;
}

static int compare_rows(const void *left, const void *right)
{
  const hashed_row *a = left, *b = right;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return (a->row > b->row) - (a->row < b->row);
}

static bool same_cells(const fcps_csv *csv, int a, int b)
{
  for (int c = 0; c < csv->columns; c++)
    if (strcmp(fcps_csv_cell(csv, a, c), fcps_csv_cell(csv, b, c)) != 0) return false;
  return true;
}

/* For each row, finds the first row that is equal to it (which may be the row itself), and the last equal row before it
 * (-1 if there is none). */
static void group_rows(const fcps_csv *csv, hashed_row *sorted, int *first, int *latest)
{
  for (int row = 0; row < csv->rows; row++)
    sorted[row] = (hashed_row){hash_row(csv, row), row};
  qsort(sorted, (size_t)csv->rows, sizeof *sorted, compare_rows);
  for (int i = 0; i < csv->rows; i++) {
    const int row = sorted[i].row, before = i > 0 ? sorted[i - 1].row : row;
    const bool is_repeated = i > 0 && sorted[i - 1].hash == sorted[i].hash && same_cells(csv, row, before);
    first[row] = is_repeated ? first[before] : row;
    latest[row] = is_repeated ? before : -1;
  }
}

/* Counts the rows from `row` on that repeat the rows from `model` on; the repeated rows end before `row`. Returns 0 if
 * there are too few rows, or only one or two trials that were repeated many times. */
static int measure_block(int rows, const int *first, int model, int row)
{
  int length = 0, different = 0, seen[LEAST_BLOCK] = {-1, -1, -1};
  while (model + length < row && row + length < rows && first[model + length] == first[row + length]) {
    const int id = first[row + length++];
    if (different < LEAST_BLOCK && id != seen[0] && id != seen[1]) seen[different++] = id;
    if (different < LEAST_BLOCK && length == PLAIN_ROWS) return 0;
  }
  return different >= LEAST_BLOCK ? length : 0;
}

static void mark_block(fcps_import_repeats *repeats, int row, int length, int model)
{
  if (repeats->pasted == 0) {
    repeats->first = row;
    repeats->last = row + length - 1;
    repeats->model = model;
  }
  for (int i = 0; i < length; i++)
    repeats->is_pasted[row + i] = true;
  repeats->pasted += length;
}

static void find_blocks(int rows, const int *first, fcps_import_repeats *repeats)
{
  for (int row = 0; row < rows;) {
    const int latest = repeats->earlier[row];
    const int from_first = latest >= 0 ? measure_block(rows, first, first[row], row) : 0;
    const int from_latest = latest >= 0 ? measure_block(rows, first, latest, row) : 0;
    const int length = from_first >= from_latest ? from_first : from_latest;
    if (length > 0) mark_block(repeats, row, length, from_first >= from_latest ? first[row] : latest);
    row += length > 0 ? length : 1;
  }
}

fcps_status fcps_import_repeats_find(const fcps_csv *csv, fcps_import_repeats *repeats, fcps_error *error)
{
  const size_t rows = (size_t)csv->rows + 1;
  hashed_row *sorted = fcps_allocate(rows, sizeof *sorted);
  int *first = fcps_allocate(rows, sizeof *first);
  repeats->earlier = fcps_allocate(rows, sizeof *repeats->earlier);
  repeats->is_pasted = fcps_allocate(rows, sizeof *repeats->is_pasted);
  const bool ok = sorted != NULL && first != NULL && repeats->earlier != NULL && repeats->is_pasted != NULL;
  if (ok) group_rows(csv, sorted, first, repeats->earlier);
  if (ok) find_blocks(csv->rows, first, repeats);
  free(sorted);
  free(first);
  return ok ? FCPS_OK : fcps_error_memory(error);
}

void fcps_import_repeats_destroy(fcps_import_repeats *repeats)
{
  free(repeats->earlier);
  free(repeats->is_pasted);
}

void fcps_import_repeats_warn(const fcps_study *s, const fcps_csv *csv, const fcps_import_repeats *repeats)
{
  char pasted[300] = "", kept[300] = "";
  if (repeats->pasted > 0)
    snprintf(
        pasted, sizeof pasted,
        "%d rows come a second time, in the same order, and are skipped: first lines %d to %d, which repeat those from "
        "line %d on. If these trials were really done again, with the very same numbers, import a file with these "
        "rows alone with --again",
        repeats->pasted, csv->lines[repeats->first], csv->lines[repeats->last], csv->lines[repeats->model]);
  if (repeats->kept > 0)
    snprintf(kept, sizeof kept,
             "%d row%s an earlier one and %s stored as a repeated trial (%sline %d as line %d). Was it one "
             "trial?",
             repeats->kept, repeats->kept == 1 ? " equals" : "s equal", repeats->kept == 1 ? "is" : "are",
             repeats->kept == 1 ? "" : "the first: ", csv->lines[repeats->first_kept],
             csv->lines[repeats->earlier[repeats->first_kept]]);
  if (pasted[0] != '\0' || kept[0] != '\0')
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_ROWS_REPEATED", "%.200s: %s%s%s", csv->file, pasted,
                 pasted[0] != '\0' && kept[0] != '\0' ? ". " : "", kept);
}

/* -- Columns that are not read --
 *
 * If the name of an optional column is mistyped, the column is not read. Without a warning nobody would notice that its
 * numbers are missing. */

/* The names of other columns that exports have, besides those of dimensions and their deviations. */
static const char *const others[] = {"ask", "status", "reward", "hindsight_reward", "used", "suspect", "message"};
enum { OTHERS = sizeof others / sizeof *others };

/* Every name that a column may have. */
typedef struct column_names {
  const char **list;
  char (*deviations)[FCPS_DEVIATION_COLUMN_SIZE];
  /* The names of the first `with_unit` columns, those of dimensions, may be followed by a unit. */
  int count, with_unit;
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

/* Whether two names differ by one typing mistake: one letter too many, missing or wrong, or two letters swapped. A
 * larger difference does not count, because the user's own columns may have similar names: "remark" is not a mistyped
 * "reward". */
static bool is_slip(const char *a, const char *b)
{
  size_t left = strlen(a), right = strlen(b);
  while (*a != '\0' && *a == *b)
    a++, b++, left--, right--;
  while (left > 0 && right > 0 && a[left - 1] == b[right - 1])
    left--, right--;
  return (left <= 1 && right <= 1) || (left == 2 && right == 2 && a[0] == b[1] && a[1] == b[0]);
}

/* Finds the name that the user may have meant by a column: the most similar of the names that no other column has. NULL
 * if no name is similar. */
static const char *find_meant(const column_names *names, const fcps_csv *csv, const char *column)
{
  const char *nearest = fcps_nearest_name(column, names->count, names->list);
  return nearest != NULL && is_slip(column, nearest) && fcps_csv_column(csv, nearest) < 0 ? nearest : NULL;
}

/* Writes the names of columns that are not read, as many as there is room for. Returns how many such columns there
 * are. */
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
