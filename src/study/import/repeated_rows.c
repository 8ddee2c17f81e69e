/* SPDX-License-Identifier: Apache-2.0 */
/* Finds rows that a table contains twice. A trial that counts things, or ends with yes or no, can be repeated with
 * the very same numbers, so one repeated row is kept. Three or more different rows that come again in the same order
 * were pasted twice. All cells are compared, also in columns that are not read: a date or a running number tells
 * trials apart. */
#include "study/import/import.h"

#include "base/error.h"
#include "base/memory.h"
#include "study/study_impl.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The least number of different rows in a block; and the search for a block ends after PLAIN_ROWS rows with fewer
 * different ones. */
enum { LEAST_BLOCK = 3, PLAIN_ROWS = 1000 };

typedef struct hashed_row {
  uint64_t hash;
  int row;
} hashed_row;

/* FNV-1a over the cells of a row, and over the ends of cells. */
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

/* For each row, finds the first row that is equal to it (perhaps itself), and the last such row before it (-1: there
 * is none). */
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

/* Counts the rows from `row` on that repeat the rows from `model` on, which end before `row`. 0 if they are too few,
 * or only one or two trials that were repeated many times. */
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
