/* SPDX-License-Identifier: Apache-2.0 */
/* A look compares two models of the same outcomes, all divided by the same scale, so that their evidence needs no
 * correction; both know nothing finer than the resolution. */
#include "model/composite/contact.h"

#include "base/memory.h"
#include "base/settings.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that evidence looks at, evenly spread where there are more. While rows are few every fit looks, later one each
 * time that their number passes a multiple of LOOK_EVERY. */
enum { EVIDENCE_ROWS = 200, FEW_ROWS = 30, LOOK_EVERY = 25 };

/* Of outputs of spread 1. */
static const double resolution = 0.05;

/* By how much the other explanation must be better, in nats: odds of twenty to one. */
static const double margin = 3.0;

/* The noise of a row that says nothing, in units of the kernel's variance. */
static const double nothing_told = 1e6;

const char *fcps_contact_setting_name(int index)
{
  static const char *const names[] = {[FCPS_CONTACT_OFF] = "off", [FCPS_CONTACT_AUTO] = "auto"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

/* -- Rows -- */

static bool matches(const fcps_model *model, int row)
{
  return fcps_rest_includes(&model->contact.rest, fcps_rollouts_environment(&model->training, row),
                            fcps_rollouts_outcome(&model->training, row));
}

bool fcps_contact_rests(const fcps_model *model, int row)
{
  return model->contact.is_believed && matches(model, row);
}

int fcps_contact_count(const fcps_model *model)
{
  int count = 0;
  for (int i = 0; i < model->training.count; i++)
    count += fcps_contact_rests(model, i);
  return count;
}

fcps_status fcps_contact_set_aside(fcps_model *model)
{
  fcps_contact *c = &model->contact;
  fcps_gp_norm *norm = &model->settings.norm;
  norm->aside = model->suspects.rows;
  norm->aside_count = model->suspects.count;
  if (!c->is_believed) return FCPS_OK;
  const size_t count = (size_t)(fcps_contact_count(model) + model->suspects.count);
  if (!fcps_reserve((void **)&c->aside, &c->room, count + 1, sizeof(int))) return FCPS_ERR_MEMORY;
  norm->aside = c->aside;
  norm->aside_count = 0;
  for (int i = 0; i < model->training.count; i++)
    if (fcps_contact_rests(model, i) || fcps_suspects_include(model, i)) c->aside[norm->aside_count++] = i;
  return FCPS_OK;
}

/* Gives all rows the noise that follows from the belief. */
static fcps_status apply_noise(fcps_model *model)
{
  const int rows = model->contact.is_believed ? model->training.count : 0;
  double *noise = fcps_allocate((size_t)rows, sizeof(double));
  fcps_status status = noise != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < rows && status == FCPS_OK; i++)
    noise[i] = matches(model, i) ? nothing_told : 0.0;
  for (int g = 0; g < fcps_model_gp_count(model) && status == FCPS_OK; g++)
    status = fcps_row_noise_set(model, FCPS_NOISE_REST, g, rows, noise, 0.0);
  free(noise);
  return status == FCPS_OK ? fcps_contact_set_aside(model) : status;
}

bool fcps_contact_is_complete(const fcps_model *model)
{
  return !model->contact.is_believed || fcps_row_noise_known(model, FCPS_NOISE_REST, 0) == model->training.count;
}

fcps_status fcps_contact_grow(fcps_model *model)
{
  return fcps_contact_is_complete(model) ? FCPS_OK : apply_noise(model);
}

/* -- Life -- */

void fcps_contact_destroy(fcps_model *model)
{
  free(model->contact.aside);
  model->contact = (fcps_contact){0};
}

fcps_status fcps_contact_copy(const fcps_model *model, fcps_model *copy)
{
  const fcps_contact *from = &model->contact;
  fcps_contact *to = &copy->contact;
  to->looked = from->looked;
  to->log_odds = from->log_odds;
  to->rest = from->rest;
  if (from->is_believed == to->is_believed && !to->is_believed) return FCPS_OK;
  to->is_believed = from->is_believed;
  return apply_noise(copy);
}

void fcps_contact_truncate(fcps_model *model)
{
  if (model->contact.looked > model->training.count) model->contact.looked = 0;
  fcps_contact_set_aside(model); /* there are not more than before */
}

/* -- Evidence -- */

/* What a look works on. */
typedef struct look {
  fcps_model *model;
  int rows, outputs; /* rows that are looked at */
  double *inputs;    /* rows x dim, as the GPs see them */
  double *y;         /* columns of rows, in their frame, offset and scale taken out */
  double *moved;     /* the same of the rows that moved */
} look;

static int source_of(const look *l, int i)
{
  return (int)((int64_t)i * l->model->training.count / l->rows);
}

static void close_look(look *l)
{
  free(l->inputs);
}

/* y := the outputs of the chosen rows; `all` has those of all training rollouts. */
static void choose_outputs(look *l, double *all)
{
  const fcps_model *model = l->model;
  const int count = model->training.count, q = l->outputs;
  double offset[FCPS_SPACE_MAX], scale[FCPS_SPACE_MAX];
  fcps_gp_norm norm = model->settings.norm;
  norm.aside = model->suspects.rows; /* rows at rest are among what is explained */
  norm.aside_count = model->suspects.count;
  fcps_gp_normalize(norm, count, q, all, offset, scale);
  for (int o = 0; o < q; o++)
    for (int i = 0; i < l->rows; i++)
      l->y[(size_t)o * (size_t)l->rows + (size_t)i] =
          (all[(size_t)o * (size_t)count + (size_t)source_of(l, i)] - offset[o]) / scale[o];
}

static fcps_status open_look(look *l, fcps_model *model, fcps_error *error)
{
  const size_t dim = (size_t)model->gp->dim, q = (size_t)model->problem->outcome.count;
  *l = (look){.model = model, .outputs = (int)q};
  l->rows = model->training.count < EVIDENCE_ROWS ? model->training.count : EVIDENCE_ROWS;
  const size_t n = (size_t)l->rows;
  l->inputs = fcps_allocate(n * (dim + 2 * q), sizeof(double));
  double *all = fcps_allocate((size_t)model->training.count * q, sizeof(double));
  fcps_status status = l->inputs != NULL && all != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    l->y = l->inputs + n * dim;
    l->moved = l->y + n * q;
    status = model->ops->outputs(model, NULL, all, error);
  }
  for (int i = 0; i < l->rows && status == FCPS_OK; i++) {
    double *row = l->inputs + (size_t)i * dim;
    status = fcps_model_row(model, &model->training, source_of(l, i), row);
    if (status == FCPS_OK) fcps_frame_turn_row(&model->frame, (int)dim, row, row);
  }
  if (status == FCPS_OK) choose_outputs(l, all);
  free(all);
  return status;
}

/* Adds the rows that are looked at, or only those that moved, to a GP, with the resolution and what else is known of
 * their noise. */
static fcps_status add_rows(const look *l, bool has_rest, fcps_gp *gp)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < l->rows && status == FCPS_OK; i++) {
    const int source = source_of(l, i);
    if (!has_rest && matches(l->model, source)) continue;
    status = fcps_gp_add(gp, l->inputs + (size_t)i * (size_t)gp->dim);
    if (status != FCPS_OK) break;
    double *noise = gp->noise + gp->count - 1;
    *noise = resolution * resolution + fcps_row_noise_at(l->model, FCPS_NOISE_TOLD, 0, source) +
             fcps_row_noise_at(l->model, FCPS_NOISE_SUSPECT, 0, source);
  }
  return status;
}

/* The outputs of the rows in a GP. */
static const double *outputs_of(look *l, bool has_rest, int count)
{
  if (has_rest) return l->y;
  for (int o = 0; o < l->outputs; o++)
    for (int i = 0, to = 0; i < l->rows; i++)
      if (!matches(l->model, source_of(l, i)))
        l->moved[(size_t)o * (size_t)count + (size_t)to++] = l->y[(size_t)o * (size_t)l->rows + (size_t)i];
  return l->moved;
}

/* The evidence of one GP for all rows, or for those that moved. */
static fcps_status explain(look *l, bool has_rest, double *evidence)
{
  const fcps_model *model = l->model;
  const fcps_fit_settings fit = {.starts = 2, .budget = model->settings.fit.budget};
  fcps_gp *gp = NULL;
  fcps_likelihood *likelihood = NULL;
  fcps_fit_result result;
  *evidence = -INFINITY;
  fcps_status status = fcps_gp_create(&gp, model->gp->dim, model->gp->kernel);
  if (status == FCPS_OK) status = add_rows(l, has_rest, gp);
  if (status == FCPS_OK) {
    const fcps_gp_data data = {.rows = gp->count,
                               .outputs = l->outputs,
                               .y = outputs_of(l, has_rest, gp->count),
                               .norm = {.mean = model->settings.norm.mean, .scaling = FCPS_SCALING_NONE},
                               .prior = &model->settings.prior};
    fcps_gp_set_hyper(gp, model->gp->hyper);
    status = fcps_gp_fit(gp, &data, fit, (fcps_rng){0}, &result);
    if (status == FCPS_OK) status = fcps_likelihood_create(&likelihood, gp, &data);
    if (status == FCPS_OK) *evidence = fcps_likelihood_value(likelihood, gp->hyper, NULL);
  }
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(gp);
  return status == FCPS_ERR_MEMORY ? status : FCPS_OK;
}

/* log p(y | contact) - log p(y | one GP) */
static fcps_status compare(look *l, double *log_odds)
{
  static const double half_log_two_pi = 0.9189385332046727;
  double one = 0.0, moved = 0.0, which = 0.0;
  int resting = 0;
  for (int i = 0; i < l->rows; i++)
    resting += matches(l->model, source_of(l, i));
  fcps_status status = explain(l, true, &one);
  if (status == FCPS_OK) status = explain(l, false, &moved);
  if (status == FCPS_OK) status = fcps_model_explain_movement(l->model, l->rows, &which);
  *log_odds = moved + which - resting * l->outputs * (half_log_two_pi + log(resolution)) - one;
  return status;
}

/* -- Belief -- */

/* Children of a split and samples of hyper-parameters have no evidence of this kind. */
static bool may_look(const fcps_model *model)
{
  const fcps_model_settings *s = &model->settings;
  return s->contact == FCPS_CONTACT_AUTO && model->ops->predicts_outcomes && model->parent == NULL && !s->may_split &&
         s->fit.samples <= 1;
}

static bool is_due(const fcps_model *model)
{
  const int rows = model->training.count, looked = model->contact.looked;
  return rows > looked && (looked == 0 || rows < FEW_ROWS || rows / LOOK_EVERY != looked / LOOK_EVERY);
}

/* Changes the belief: classifiers are learnt again, and members are those of other rows. */
static fcps_status believe(fcps_model *model, bool is_believed)
{
  model->contact.is_believed = is_believed;
  fcps_model_forget_feasibility(model);
  fcps_hyper_samples_drop_members(model);
  return apply_noise(model);
}

/* A rest that is found by all rows may be another than the one that is believed. */
fcps_status fcps_contact_update(fcps_model *model, fcps_error *error)
{
  fcps_contact *c = &model->contact;
  if (!may_look(model)) return FCPS_OK;
  if (!is_due(model)) return fcps_contact_grow(model);
  fcps_rest rest;
  look l;
  fcps_status status = fcps_rest_find(model, &rest);
  if (status != FCPS_OK) return status;
  if (rest.outcomes == 0) return c->is_believed ? believe(model, false) : FCPS_OK;
  c->rest = rest;
  status = open_look(&l, model, error);
  if (status == FCPS_OK) status = compare(&l, &c->log_odds);
  close_look(&l);
  if (status != FCPS_OK) return status;
  c->looked = model->training.count;
  if (!c->is_believed && c->log_odds > margin) return believe(model, true); /* false for NaN */
  if (c->is_believed) return believe(model, !(c->log_odds < -margin));
  return FCPS_OK;
}

/* -- State -- */

/* [dimension of the environment or -1, number, tolerance] of each outcome */
static fcps_json *write_rest(const fcps_rest *rest)
{
  fcps_json *json = fcps_json_array();
  for (int j = 0; j < rest->outcomes; j++) {
    const fcps_rest_value *value = rest->values + j;
    const double numbers[] = {value->environment, value->number, value->tolerance};
    fcps_json_add(&json, fcps_json_from_numbers(3, numbers));
  }
  return json;
}

static bool read_rest(const fcps_model *model, const fcps_json *json, fcps_rest *rest)
{
  const int q = model->problem->outcome.count;
  if (fcps_json_count(json) != q) return false;
  for (int j = 0; j < q; j++) {
    double n[3];
    if (!fcps_json_numbers(fcps_json_at(json, j), 3, n) || n[0] != floor(n[0]) ||
        !(n[0] >= -1 && n[0] < model->problem->environment.count) || !isfinite(n[1]) || !(n[2] >= 0 && isfinite(n[2])))
      return false;
    rest->values[j] = (fcps_rest_value){.environment = (int)n[0], .number = n[1], .tolerance = n[2]};
  }
  rest->outcomes = q;
  return true;
}

fcps_json *fcps_contact_write(const fcps_model *model)
{
  const fcps_contact *c = &model->contact;
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "believed", fcps_json_from_bool(c->is_believed));
  fcps_json_put(&json, "looked", fcps_json_from_integer(c->looked));
  fcps_json_put(&json, "log_odds", fcps_json_from_number(c->log_odds));
  fcps_json_put(&json, "rest", write_rest(&c->rest));
  return json;
}

fcps_status fcps_contact_read(fcps_model *model, const fcps_json *json)
{
  fcps_contact *c = &model->contact;
  int64_t looked = -1;
  if (json == NULL) return FCPS_OK;
  const bool is_ok = may_look(model) && fcps_json_bool(fcps_json_get(json, "believed"), &c->is_believed) &&
                     fcps_json_integer(fcps_json_get(json, "looked"), &looked) && looked >= 0 &&
                     looked <= model->training.count &&
                     fcps_json_number(fcps_json_get(json, "log_odds"), &c->log_odds) &&
                     read_rest(model, fcps_json_get(json, "rest"), &c->rest);
  if (!is_ok) return FCPS_ERR_FORMAT;
  c->looked = (int)looked;
  return fcps_contact_set_aside(model);
}
