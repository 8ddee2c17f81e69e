/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of squared distances between words. */
#include "gp/tables.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void fcps_tables_free(fcps_tables *tables)
{
  for (int i = 0; i < tables->inputs; i++)
    free(tables->of[i].square);
  free(tables->of);
  *tables = (fcps_tables){0};
}

fcps_status fcps_tables_add(fcps_tables *tables, int input, int count)
{
  fcps_table *table = tables->of + input;
  if (table->count == count) return FCPS_OK;
  double *square = fcps_allocate((size_t)count * (size_t)count, sizeof *square);
  if (square == NULL) return FCPS_ERR_MEMORY;
  free(table->square);
  *table = (fcps_table){.count = count, .square = square};
  return FCPS_OK;
}

fcps_status fcps_tables_copy(const fcps_tables *tables, fcps_tables *copy)
{
  fcps_tables made = {.inputs = tables->inputs, .of = NULL};
  if (tables->inputs > 0) made.of = fcps_allocate((size_t)tables->inputs, sizeof *made.of);
  fcps_status status = tables->inputs == 0 || made.of != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status != FCPS_OK) return status;
  for (int i = 0; i < tables->inputs && status == FCPS_OK; i++) {
    const fcps_table *from = tables->of + i;
    const size_t count = (size_t)from->count;
    if (count == 0) continue;
    status = fcps_tables_add(&made, i, from->count);
    if (status == FCPS_OK) memcpy(made.of[i].square, from->square, count * count * sizeof(double));
  }
  if (status != FCPS_OK) {
    fcps_tables_free(&made);
    return status;
  }
  fcps_tables_free(copy);
  *copy = made;
  return FCPS_OK;
}

bool fcps_tables_has_words(const fcps_tables *tables, int input)
{
  return input < tables->inputs && tables->of[input].count > 0;
}

int fcps_tables_word(const fcps_table *table, double x)
{
  const double place = x * table->count;
  if (!(place > 0.0)) return 0;
  return place < table->count ? (int)place : table->count - 1;
}

double fcps_tables_square(const fcps_tables *tables, int input, double a, double b)
{
  if (!fcps_tables_has_words(tables, input)) return (a - b) * (a - b);
  const fcps_table *table = tables->of + input;
  return table->square[fcps_tables_word(table, a) * table->count + fcps_tables_word(table, b)];
}
