/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the rows' noise, and their sum. The order of summation is that of the sources, so that the same parts
 * give the same bits. */
#include "model/row_noise.h"

#include "base/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static fcps_noise_part *part_of(const fcps_model *model, fcps_noise_source source, int gp)
{
  return model->row_noise.parts + (size_t)source * (size_t)fcps_model_gp_count(model) + (size_t)gp;
}

static double variance_of(const fcps_noise_part *part, int row)
{
  return row < part->rows ? part->variance[row] : part->usual;
}

/* -- Life -- */

static fcps_status make_parts(fcps_model *model)
{
  if (model->row_noise.parts != NULL) return FCPS_OK;
  const size_t count = (size_t)FCPS_NOISE_SOURCES * (size_t)fcps_model_gp_count(model);
  model->row_noise.parts = fcps_allocate(count, sizeof(fcps_noise_part));
  return model->row_noise.parts != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
}

void fcps_row_noise_destroy(fcps_model *model)
{
  const int count = model->row_noise.parts != NULL ? FCPS_NOISE_SOURCES * fcps_model_gp_count(model) : 0;
  for (int i = 0; i < count; i++)
    free(model->row_noise.parts[i].variance);
  free(model->row_noise.parts);
  model->row_noise.parts = NULL;
}

/* Replaces a part; on failure it has not changed. */
static fcps_status put_part(fcps_noise_part *part, int rows, const double *variance, double usual)
{
  double *kept = fcps_allocate((size_t)rows, sizeof(double));
  if (kept == NULL) return FCPS_ERR_MEMORY;
  if (rows > 0) memcpy(kept, variance, (size_t)rows * sizeof(double));
  free(part->variance);
  *part = (fcps_noise_part){.rows = rows, .variance = kept, .usual = usual};
  return FCPS_OK;
}

fcps_status fcps_row_noise_copy(const fcps_model *model, fcps_model *copy)
{
  if (model->row_noise.parts == NULL) return FCPS_OK;
  fcps_status status = make_parts(copy);
  const int count = FCPS_NOISE_SOURCES * fcps_model_gp_count(model);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    const fcps_noise_part *part = model->row_noise.parts + i;
    status = put_part(copy->row_noise.parts + i, part->rows, part->variance, part->usual);
  }
  return status;
}

void fcps_row_noise_truncate(fcps_model *model, int count)
{
  const int parts = model->row_noise.parts != NULL ? FCPS_NOISE_SOURCES * fcps_model_gp_count(model) : 0;
  for (int i = 0; i < parts; i++)
    if (model->row_noise.parts[i].rows > count) model->row_noise.parts[i].rows = count;
}

/* -- The sum -- */

static double sum_of(const fcps_model *model, int gp, int row)
{
  double sum = 0.0;
  for (int source = 0; source < FCPS_NOISE_SOURCES; source++)
    sum += variance_of(part_of(model, (fcps_noise_source)source, gp), row);
  return sum;
}

static double usual_of(const fcps_model *model, int gp)
{
  double sum = 0.0;
  for (int source = 0; source < FCPS_NOISE_SOURCES; source++)
    sum += part_of(model, (fcps_noise_source)source, gp)->usual;
  return sum;
}

/* Gives the sum to a GP. Rows that are in its factor keep it there where their noise has not changed. */
static void apply(fcps_model *model, int gp)
{
  fcps_gp *to = fcps_model_gp(model, gp);
  int unchanged = 0;
  while (unchanged < to->count && to->noise[unchanged] == sum_of(model, gp, unchanged))
    unchanged++;
  for (int i = unchanged; i < to->count; i++)
    to->noise[i] = sum_of(model, gp, i);
  to->usual_noise = usual_of(model, gp);
  if (unchanged < to->factored) to->factored = 0;
}

fcps_status fcps_row_noise_set(fcps_model *model, fcps_noise_source source, int gp, int rows, const double *variance,
                               double usual)
{
  fcps_status status = make_parts(model);
  if (status == FCPS_OK) status = put_part(part_of(model, source, gp), rows, variance, usual);
  if (status == FCPS_OK) apply(model, gp);
  return status;
}

double fcps_row_noise_at(const fcps_model *model, fcps_noise_source source, int gp, int row)
{
  return model->row_noise.parts != NULL ? variance_of(part_of(model, source, gp), row) : 0.0;
}

double fcps_row_noise_usual(const fcps_model *model, fcps_noise_source source, int gp)
{
  return model->row_noise.parts != NULL ? part_of(model, source, gp)->usual : 0.0;
}

int fcps_row_noise_known(const fcps_model *model, fcps_noise_source source, int gp)
{
  return model->row_noise.parts != NULL ? part_of(model, source, gp)->rows : 0;
}

void fcps_row_noise_add_others(const fcps_model *model, fcps_noise_source source, int gp, int rows, double *variance)
{
  for (int other = 0; other < FCPS_NOISE_SOURCES; other++)
    for (int i = 0; i < rows && other != (int)source; i++)
      variance[i] += fcps_row_noise_at(model, (fcps_noise_source)other, gp, i);
}

/* -- State -- */

/* The names of the sources in a saved model; inexact inputs have a member of their own (composite/input_noise.c). */
static const char *const saved_names[FCPS_NOISE_SOURCES] = {[FCPS_NOISE_TOLD] = "told",
                                                            [FCPS_NOISE_SUSPECT] = "suspect",
                                                            [FCPS_NOISE_REST] = "resting",
                                                            [FCPS_NOISE_PLACE] = "place"};

static bool says_something(const fcps_model *model, int source)
{
  for (int gp = 0; gp < fcps_model_gp_count(model) && model->row_noise.parts != NULL; gp++) {
    const fcps_noise_part *part = part_of(model, (fcps_noise_source)source, gp);
    if (part->rows > 0 || part->usual > 0) return true;
  }
  return false;
}

bool fcps_row_noise_is_saved(const fcps_model *model)
{
  for (int source = 0; source < FCPS_NOISE_SOURCES; source++)
    if (saved_names[source] != NULL && says_something(model, source)) return true;
  return false;
}

/* [usual, variance of each known row], for each GP */
static fcps_json *write_source(const fcps_model *model, fcps_noise_source source)
{
  fcps_json *json = fcps_json_array();
  for (int gp = 0; gp < fcps_model_gp_count(model); gp++) {
    const fcps_noise_part *part = part_of(model, source, gp);
    fcps_json *one = fcps_json_array();
    fcps_json_add(&one, fcps_json_from_number(part->usual));
    fcps_json_add(&one, fcps_json_from_numbers(part->rows, part->variance));
    fcps_json_add(&json, one);
  }
  return json;
}

fcps_json *fcps_row_noise_write(const fcps_model *model)
{
  fcps_json *json = fcps_json_object();
  for (int source = 0; source < FCPS_NOISE_SOURCES; source++)
    if (saved_names[source] != NULL && says_something(model, source))
      fcps_json_put(&json, saved_names[source], write_source(model, (fcps_noise_source)source));
  return json;
}

static bool is_noise(int count, const double *values)
{
  for (int i = 0; i < count; i++)
    if (!(values[i] >= 0.0 && values[i] < INFINITY)) return false;
  return true;
}

static bool is_list_of(const fcps_json *json, int count)
{
  return fcps_json_is_array(json) && fcps_json_count(json) == count;
}

static fcps_status read_source(fcps_model *model, fcps_noise_source source, const fcps_json *json)
{
  double usual, *noise = fcps_allocate((size_t)model->training.count, sizeof(double));
  fcps_status status = noise != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK && !is_list_of(json, fcps_model_gp_count(model))) status = FCPS_ERR_FORMAT;
  for (int gp = 0; gp < fcps_model_gp_count(model) && status == FCPS_OK; gp++) {
    const fcps_json *one = fcps_json_at(json, gp), *rows = fcps_json_at(one, 1);
    const int count = fcps_json_count(rows);
    const bool is_ok = is_list_of(one, 2) && count <= model->training.count &&
                       fcps_json_number(fcps_json_at(one, 0), &usual) && is_noise(1, &usual) &&
                       fcps_json_numbers(rows, count, noise) && is_noise(count, noise);
    status = is_ok ? fcps_row_noise_set(model, source, gp, count, noise, usual) : FCPS_ERR_FORMAT;
  }
  free(noise);
  return status;
}

fcps_status fcps_row_noise_read(fcps_model *model, const fcps_json *json)
{
  fcps_status status = json == NULL || fcps_json_is_object(json) ? FCPS_OK : FCPS_ERR_FORMAT;
  for (int source = 0; source < FCPS_NOISE_SOURCES && status == FCPS_OK; source++) {
    const fcps_json *saved = saved_names[source] != NULL ? fcps_json_get(json, saved_names[source]) : NULL;
    if (saved != NULL) status = read_source(model, (fcps_noise_source)source, saved);
  }
  return status;
}
