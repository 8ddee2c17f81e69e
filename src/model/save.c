/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads the state of a model and its settings as JSON. All structures have the same form:
 *
 *   structures   [{name, nats, state, noise}, ...]   noise: the noise that the structure gives rows, if any
 *   contests     [{name, active, looked, candidates}, ...]
 *   gps          [{hyper, base}, ...]
 *
 * Reading adds the rows again, then restores the description, and makes the GPs that the description specifies. Last,
 * these GPs get their noise, hyper-parameters and factors. Both models then have the same bits. */

#include "problem/save.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/model.h"
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Structures -- */

static fcps_json *write_structures(const fcps_model *model)
{
  const fcps_structure_kind *kind;
  fcps_json *json = fcps_json_array();
  for (int i = 0; (kind = fcps_structure_kind_at(i)) != NULL; i++) {
    const fcps_structure *s = model->description.structures + i;
    fcps_json *one, *noise = fcps_gps_write_noise(&model->gps, i);
    if (s->size == 0 && noise == NULL) continue;
    one = fcps_json_object();
    fcps_json_put(&one, "name", fcps_json_from_text(kind->name));
    fcps_json_put(&one, "nats", fcps_json_from_number(fmin(s->nats, 1e100)));
    if (s->size > 0) fcps_json_put(&one, "state", fcps_structure_write(kind, &model->layout, s));
    if (noise != NULL) fcps_json_put(&one, "noise", noise);
    fcps_json_add(&json, one);
  }
  return json;
}

static fcps_status read_structure(fcps_model *model, fcps_look *look, const fcps_json *json)
{
  const int index = fcps_structure_find(fcps_json_text(fcps_json_get(json, "name")));
  const fcps_json *state = fcps_json_get(json, "state");
  if (index < 0) return FCPS_ERR_FORMAT;
  fcps_structure *s = model->description.structures + index;
  look->index = index;
  const fcps_status status =
      state != NULL ? fcps_structure_read(fcps_structure_kind_at(index), look, state, s) : FCPS_OK;
  const bool is_ok = fcps_json_number(fcps_json_get(json, "nats"), &s->nats) && isfinite(s->nats);
  return status != FCPS_OK || is_ok ? status : FCPS_ERR_FORMAT;
}

/* Reads the structures, and makes the GPs that the description specifies. */
static fcps_status read_structures(fcps_model *model, const fcps_json *json)
{
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  fcps_status status = fcps_json_is_array(json) ? FCPS_OK : FCPS_ERR_FORMAT;
  for (int i = 0; i < FCPS_STRUCTURES && status == FCPS_OK; i++)
    fcps_structure_clear(model->description.structures + i);
  for (int i = 0; i < fcps_json_count(json) && status == FCPS_OK; i++)
    status = read_structure(model, &look, fcps_json_at(json, i));
  if (status == FCPS_OK) status = fcps_description_edit(&model->description, &model->layout);
  return status == FCPS_OK ? fcps_model_remake(model, NULL) : status;
}

/* Reads the saved noise of rows, which may have been computed with hyper-parameters that are gone. */
static fcps_status read_noise(fcps_model *model, const fcps_json *json)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < fcps_json_count(json) && status == FCPS_OK; i++) {
    const fcps_json *one = fcps_json_at(json, i), *noise = fcps_json_get(one, "noise");
    const int index = fcps_structure_find(fcps_json_text(fcps_json_get(one, "name")));
    if (noise != NULL) status = fcps_gps_read_noise(&model->gps, index, model->training.count, noise);
  }
  return status;
}

static fcps_json *write_contests(const fcps_model *model)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; fcps_structure_kind_at(i) != NULL; i++) {
    fcps_json *contest = fcps_contest_write(model->contests.of + i, i, &model->layout);
    if (contest == NULL) continue;
    fcps_json_put(&contest, "name", fcps_json_from_text(fcps_structure_kind_at(i)->name));
    fcps_json_add(&json, contest);
  }
  return json;
}

static fcps_status read_contests(fcps_model *model, const fcps_json *json)
{
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  fcps_status status = fcps_json_is_array(json) ? FCPS_OK : FCPS_ERR_FORMAT;
  for (int i = 0; i < fcps_json_count(json) && status == FCPS_OK; i++) {
    const fcps_json *one = fcps_json_at(json, i);
    const int index = fcps_structure_find(fcps_json_text(fcps_json_get(one, "name")));
    if (index < 0) return FCPS_ERR_FORMAT;
    look.index = index;
    status = fcps_contest_read(model->contests.of + index, index, &look, one);
  }
  return status;
}

/* -- GPs -- */

static fcps_json *write_gps(const fcps_model *model)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < model->gps.count; i++) {
    const fcps_gp *gp = model->gps.gp[i];
    fcps_json *one = fcps_json_object();
    fcps_json_put(&one, "hyper", fcps_json_from_numbers(FCPS_HYPER_COUNT(gp->dim), gp->hyper));
    fcps_json_put(&one, "base", fcps_json_from_integer(gp->factored > 0 ? gp->base : 0));
    fcps_json_add(&json, one);
  }
  return json;
}

static fcps_status read_gp(fcps_model *model, int index, const fcps_json *json)
{
  const int count = FCPS_HYPER_COUNT(model->description.inputs);
  double *hyper = fcps_allocate((size_t)count, sizeof(double));
  if (hyper == NULL) return FCPS_ERR_MEMORY;
  int64_t base = -1;
  fcps_status status = FCPS_ERR_FORMAT;
  if (fcps_json_numbers(fcps_json_get(json, "hyper"), count, hyper) && fcps_gp_hyper_usable(count, hyper) &&
      fcps_json_integer(fcps_json_get(json, "base"), &base) && base >= 0 && base <= model->training.count)
    status = fcps_model_restore(model, index, hyper, (int)base);
  free(hyper);
  return status;
}

static fcps_status read_gps(fcps_model *model, const fcps_json *json)
{
  if (!fcps_json_is_array(json) || fcps_json_count(json) != model->gps.count) return FCPS_ERR_FORMAT;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < model->gps.count && status == FCPS_OK; i++)
    status = read_gp(model, i, fcps_json_at(json, i));
  return status;
}

/* -- Children -- */

static fcps_json *write_split(const fcps_model *model)
{
  const fcps_split_model *s = &model->split_model;
  const double numbers[] = {s->split.input, s->split.threshold, s->searched};
  return fcps_json_from_numbers(3, numbers);
}

static fcps_json *write_children(const fcps_model *model)
{
  fcps_json *json = fcps_json_array();
  for (int side = 0; side < 2 && model->split_model.split.input >= 0; side++)
    fcps_json_add(&json, fcps_model_write_state(model->split_model.child[side]));
  return json;
}

/* Makes the children of a saved split from the training rollouts. */
static fcps_status read_split(fcps_model *model, const fcps_json *json)
{
  double n[3];
  if (!fcps_json_numbers(json, 3, n) || !(n[0] >= -1 && n[0] < model->layout.context.width) || n[0] != (int)n[0] ||
      !isfinite(n[1]) || !(n[2] >= 0 && n[2] <= model->training.count))
    return FCPS_ERR_FORMAT;
  model->split_model.searched = (int)n[2];
  return fcps_split_model_set(model, (fcps_split){.input = (int)n[0], .threshold = n[1]});
}

static fcps_status read_children(fcps_model *model, const fcps_json *json)
{
  fcps_status status = FCPS_OK;
  for (int side = 0; side < 2 && status == FCPS_OK && model->split_model.split.input >= 0; side++)
    status = fcps_model_read_state(model->split_model.child[side], fcps_json_at(json, side), NULL);
  return status;
}

/* -- State -- */

fcps_json *fcps_model_write_state(const fcps_model *model)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "fitted", fcps_json_from_integer(model->fitted));
  fcps_json_put(&json, "ending", fcps_json_from_text(fcps_fit_result_name((int)model->ending)));
  fcps_json_put(&json, "structures", write_structures(model));
  fcps_json_put(&json, "contests", write_contests(model));
  fcps_json_put(&json, "gps", write_gps(model));
  fcps_json_put(&json, "split", write_split(model));
  fcps_json_put(&json, "children", write_children(model));
  fcps_json_put(&json, "samples", fcps_members_write(model));
  return json;
}

static fcps_status read_fit(fcps_model *model, const fcps_json *json, const char **field)
{
  int64_t fitted = -1;
  int ending = FCPS_FIT_OK;
  *field = "fitted";
  if (!fcps_json_integer(fcps_json_get(json, "fitted"), &fitted) || fitted < 0 || fitted > model->training.count)
    return FCPS_ERR_FORMAT;
  *field = "ending";
  if (!fcps_json_choice(fcps_json_get(json, "ending"), fcps_fit_result_name, &ending)) return FCPS_ERR_FORMAT;
  model->fitted = (int)fitted;
  model->ending = (fcps_fit_result)ending;
  return FCPS_OK;
}

fcps_status fcps_model_read_state(fcps_model *model, const fcps_json *json, fcps_error *error)
{
  static const struct {
    const char *field;
    fcps_status (*read)(fcps_model *model, const fcps_json *json);
  } parts[] = {
      {"structures", read_structures}, {"structures", read_noise},  {"contests", read_contests},   {"gps", read_gps},
      {"split", read_split},           {"children", read_children}, {"samples", fcps_members_read}};
  const char *field;
  fcps_status status = read_fit(model, json, &field);
  for (size_t i = 0; i < sizeof parts / sizeof *parts && status == FCPS_OK; i++) {
    field = parts[i].field;
    status = parts[i].read(model, fcps_json_get(json, field));
  }
  if (status == FCPS_ERR_MEMORY) return fcps_error_memory(error);
  if (status != FCPS_OK)
    return fcps_error_set(error, status, field,
                          "the saved model does not fit its rollouts: the file is damaged, load another copy");
  return FCPS_OK;
}

/* -- A whole model -- */

static fcps_json *write_prior(const fcps_hyper_prior *prior)
{
  const double numbers[] = {prior->is_flat ? 1.0 : 0.0,
                            prior->length,
                            prior->length_sd,
                            prior->signal,
                            prior->signal_sd,
                            prior->noise,
                            prior->noise_sd,
                            prior->noise_floor,
                            prior->has_long_tail ? 1.0 : 0.0};
  return fcps_json_from_numbers((int)(sizeof numbers / sizeof *numbers), numbers);
}

/* Reads a prior. Returns false unless its centres are positive and, if it is not flat, its deviations are positive. */
static bool read_prior(const fcps_json *json, fcps_hyper_prior *prior)
{
  double n[9];
  if (!fcps_json_numbers(json, 9, n) || !fcps_rollout_values_usable(9, n)) return false;
  const bool is_flat = n[0] != 0.0;
  if (!(n[1] > 0 && n[3] > 0 && n[5] > 0 && n[7] >= 0)) return false;
  if (!is_flat && !(n[2] > 0 && n[4] > 0 && n[6] > 0)) return false;
  *prior = (fcps_hyper_prior){.is_flat = n[0] != 0.0,
                              .length = n[1],
                              .length_sd = n[2],
                              .signal = n[3],
                              .signal_sd = n[4],
                              .noise = n[5],
                              .noise_sd = n[6],
                              .noise_floor = n[7],
                              .has_long_tail = n[8] != 0.0};
  return true;
}

static fcps_json *write_order(const fcps_model *model)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < model->others.count; i++)
    fcps_json_add(&json, fcps_json_from_integer(model->told_before[i]));
  return json;
}

static fcps_status read_order(fcps_model *model, const fcps_json *json, fcps_error *error)
{
  int64_t before = 0;
  for (int i = 0; i < model->others.count; i++) {
    int64_t told = -1;
    if (!fcps_json_integer(fcps_json_at(json, i), &told) || told < before || told > model->training.count)
      return fcps_error_set(error, FCPS_ERR_FORMAT, "told_before",
                            "the saved model does not fit its rollouts: the file is damaged, load another copy");
    model->told_before[i] = (int)(before = told);
  }
  return FCPS_OK;
}

fcps_json *fcps_model_write(const fcps_model *model)
{
  const fcps_model_settings *s = &model->settings;
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "model", fcps_json_from_text(model->ops->name));
  fcps_json_put(&json, "kernel", fcps_json_from_text(s->kernel->name));
  fcps_json_put(&json, "circular", fcps_json_from_bool(s->circular));
  fcps_json_put(&json, "mean", fcps_json_from_text(fcps_gp_mean_name((int)s->norm.mean)));
  fcps_json_put(&json, "scaling", fcps_json_from_text(fcps_gp_scaling_name((int)s->norm.scaling)));
  fcps_json_put(&json, "prior", write_prior(&s->prior));
  fcps_json_put(&json, "environment_stretch", fcps_json_from_number(s->environment_stretch));
  fcps_json_put(&json, "state", fcps_model_write_state(model));
  fcps_json_put(&json, "training", fcps_rollouts_write(&model->training));
  fcps_json_put(&json, "others", fcps_rollouts_write(&model->others));
  fcps_json_put(&json, "told_before", write_order(model));
  return json;
}

/* Reads the settings. Returns the name of the first wrong member, NULL if all are right. The fit settings only get
 * valid numbers: a saved model is not fitted again, so their values do not matter. */
static const char *read_settings(const fcps_json *json, fcps_model_settings *settings)
{
  int mean, scaling;
  double *stretch = &settings->environment_stretch;
  *settings = (fcps_model_settings){.kernel = fcps_kernel_find(fcps_json_text(fcps_json_get(json, "kernel"))),
                                    .fit = {.starts = 1, .budget = 1}};
  if (settings->kernel == NULL) return "kernel";
  if (!fcps_json_bool(fcps_json_get(json, "circular"), &settings->circular)) return "circular";
  if (!fcps_json_number(fcps_json_get(json, "environment_stretch"), stretch) || !(*stretch >= 0 && isfinite(*stretch)))
    return "environment_stretch";
  if (!fcps_json_choice(fcps_json_get(json, "mean"), fcps_gp_mean_name, &mean)) return "mean";
  if (!fcps_json_choice(fcps_json_get(json, "scaling"), fcps_gp_scaling_name, &scaling)) return "scaling";
  settings->norm = (fcps_gp_norm){.mean = (fcps_gp_mean)mean, .scaling = (fcps_gp_scaling)scaling};
  return read_prior(fcps_json_get(json, "prior"), &settings->prior) ? NULL : "prior";
}

/* Adds the saved rollouts to the model one by one. This also makes the rows of the GPs. */
static fcps_status read_rollouts(fcps_model *model, const fcps_json *json, fcps_error *error)
{
  fcps_rollouts rollouts;
  fcps_rollouts_init(&rollouts, model->problem);
  fcps_status status = fcps_rollouts_read(&rollouts, json, error);
  for (int i = 0; i < rollouts.count && status == FCPS_OK; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(&rollouts, i);
    status = fcps_model_add(model, &rollout);
    if (status != FCPS_OK) fcps_error_memory(error);
  }
  fcps_rollouts_free(&rollouts);
  return status;
}

fcps_status fcps_model_read(fcps_model **model, const fcps_problem *problem, const fcps_json *json, fcps_error *error)
{
  *model = NULL;
  fcps_model_settings settings;
  const fcps_model_ops *ops = fcps_model_kind_find(fcps_json_text(fcps_json_get(json, "model")));
  const char *wrong = ops != NULL ? read_settings(json, &settings) : "model";
  if (wrong != NULL)
    return fcps_error_set(error, FCPS_ERR_FORMAT, wrong,
                          "this part of the saved model is missing or not usable: the file is damaged or from a newer "
                          "version of fcps; load another copy, or update fcps");
  if (!ops->has_target_inputs && problem->reward == NULL)
    return fcps_error_set(
        error, FCPS_ERR_UNSUPPORTED, "reward",
        "this model computes rewards from outcomes: give the problem's reward function when loading it");
  fcps_status status = fcps_model_create(model, ops, problem, &settings);
  if (status != FCPS_OK) return fcps_error_memory(error);
  status = read_rollouts(*model, fcps_json_get(json, "training"), error);
  if (status == FCPS_OK) status = read_rollouts(*model, fcps_json_get(json, "others"), error);
  if (status == FCPS_OK) status = read_order(*model, fcps_json_get(json, "told_before"), error);
  if (status == FCPS_OK) status = fcps_model_read_state(*model, fcps_json_get(json, "state"), error);
  if (status != FCPS_OK) {
    fcps_model_destroy(*model);
    *model = NULL;
  }
  return status;
}
