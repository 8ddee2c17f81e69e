/* SPDX-License-Identifier: Apache-2.0 */
/* Models as JSON.
 *
 * What is read back has the bits of what was written: numbers have all their digits, and a factor is made as it grew.
 * What is chosen from a list (model, kernel, mean, scaling, how the last fit ended) is written by its name. A member that
 * is missing is an error, unless models without it do not write it. Nothing in a damaged text is taken on trust:
 * numbers that say how much there is are checked against the rollouts. What a model learns from its rollouts alone
 * (classifiers, members) is not saved.
 *
 * "peers" are the GPs of further outputs, "leaves" the children of a split, "chain" earlier samples of the
 * hyper-parameters, "evidence" the training rollouts. */
#include "model/save.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "problem/save.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* [input, threshold, rows at the last search]; the gain is not needed any more */
static fcps_json *write_split(const fcps_model *model)
{
  const double numbers[] = {model->split_model.split.input, model->split_model.split.threshold,
                            model->split_model.searched};
  return fcps_json_from_numbers(3, numbers);
}

static fcps_json *write_children(const fcps_model *model)
{
  fcps_json *json = fcps_json_array();
  for (int side = 0; side < 2 && model->split_model.split.input >= 0; side++)
    fcps_json_add(&json, fcps_model_write_state(model->split_model.child[side]));
  return json;
}

/* Hyper-parameters and base of a GP, as members of `json`. */
static void write_gp(const fcps_gp *gp, fcps_json **json)
{
  const int base = gp->factored > 0 ? gp->base : 0;
  fcps_json_put(json, "hyper", fcps_json_from_numbers(FCPS_HYPER_COUNT(gp->dim), gp->hyper));
  fcps_json_put(json, "base", fcps_json_from_integer(base));
}

/* The GPs of further outputs, with separate hyper-parameters. */
static fcps_json *write_other_gps(const fcps_model *model)
{
  fcps_json *json = fcps_json_array();
  for (int i = 1; i < fcps_model_gp_count(model); i++) {
    fcps_json *one = fcps_json_object();
    write_gp(fcps_model_gp(model, i), &one);
    fcps_json_add(&json, one);
  }
  return json;
}

fcps_json *fcps_model_write_state(const fcps_model *model)
{
  fcps_json *json = fcps_json_object();
  write_gp(model->gp, &json);
  fcps_json_put(&json, "peers", write_other_gps(model));
  fcps_json_put(&json, "input_noise", fcps_input_noise_write(model));
  if (fcps_row_noise_is_saved(model)) fcps_json_put(&json, "row_noise", fcps_row_noise_write(model));
  fcps_json_put(&json, "fitted", fcps_json_from_integer(model->fitted));
  fcps_json_put(&json, "ending", fcps_json_from_text(fcps_fit_result_name((int)model->ending)));
  fcps_json_put(&json, "split", write_split(model));
  fcps_json_put(&json, "leaves", write_children(model));
  fcps_json_put(&json, "chain", fcps_hyper_samples_write(model));
  if (model->frame_choice.count > 0) fcps_json_put(&json, "frame", fcps_frame_choice_write(model));
  if (model->contact.rest.outcomes > 0) fcps_json_put(&json, "contact", fcps_contact_write(model));
  if (model->uneven_noise.is_believed) fcps_json_put(&json, "uneven_noise", fcps_uneven_noise_write(model));
  return json;
}

/* Makes the saved children from the training rollouts and restores each. */
static fcps_status read_children(fcps_model *model, const fcps_json *json, fcps_error *error)
{
  double n[3];
  const int rows = model->training.count;
  if (!fcps_json_numbers(fcps_json_get(json, "split"), 3, n) || !(n[0] >= -1 && n[0] < model->context.width) ||
      n[0] != (int)n[0] || !isfinite(n[1]) || !(n[2] >= 0 && n[2] <= rows))
    return FCPS_ERR_FORMAT;
  model->split_model.searched = (int)n[2];
  fcps_status status = fcps_split_model_set(model, (fcps_split){.input = (int)n[0], .threshold = n[1]});
  const fcps_json *children = fcps_json_get(json, "leaves");
  for (int side = 0; side < 2 && status == FCPS_OK && model->split_model.split.input >= 0; side++)
    status = fcps_model_read_state(model->split_model.child[side], fcps_json_at(children, side), error);
  return status;
}

/* Restores a GP from the object that has its hyper-parameters and base. `*field` is what was looked at last. */
static fcps_status read_gp(fcps_model *model, int index, const fcps_json *json, const char **field)
{
  const int count = FCPS_HYPER_COUNT(model->gp->dim);
  double *hyper = fcps_allocate((size_t)count, sizeof(double));
  if (hyper == NULL) return FCPS_ERR_MEMORY;
  int64_t base = -1;
  fcps_status status = FCPS_ERR_FORMAT;
  *field = "hyper";
  if (fcps_json_numbers(fcps_json_get(json, "hyper"), count, hyper) && fcps_gp_hyper_usable(count, hyper)) {
    *field = "base";
    if (fcps_json_integer(fcps_json_get(json, "base"), &base) && base >= 0 && base <= model->training.count)
      status = fcps_model_restore(model, index, hyper, (int)base);
  }
  free(hyper);
  return status;
}

/* Restores how many GPs there are. `*field` is what was looked at last. */
static fcps_status read_shape(fcps_model *model, const fcps_json *json, const char **field)
{
  const fcps_json *others = fcps_json_get(json, "peers");
  const int gps = 1 + fcps_json_count(others);
  *field = "peers";
  const fcps_status status = fcps_own_lengths_restore(model, gps);
  if (status != FCPS_OK) return status;
  const bool is_right = gps == fcps_model_gp_count(model) && fcps_json_is_array(others);
  return is_right ? FCPS_OK : FCPS_ERR_FORMAT;
}

fcps_status fcps_model_read_state(fcps_model *model, const fcps_json *json, fcps_error *error)
{
  const fcps_json *other_gps = fcps_json_get(json, "peers");
  const fcps_json *saved_ending = fcps_json_get(json, "ending");
  int64_t fitted = -1;
  int ending = FCPS_FIT_OK;
  const char *field = NULL;
  fcps_status status = read_shape(model, json, &field);
  if (status == FCPS_OK) {
    field = "fitted";
    status = FCPS_ERR_FORMAT;
    if (fcps_json_integer(fcps_json_get(json, "fitted"), &fitted) && fitted >= 0 && fitted <= model->training.count) {
      field = "frame";
      status = fcps_frame_choice_read(model, fcps_json_get(json, "frame"));
    }
  }
  if (status == FCPS_OK) {
    status = FCPS_ERR_FORMAT;
    field = "ending";
    if (fcps_json_choice(saved_ending, fcps_fit_result_name, &ending)) {
      field = "input_noise";
      status = fcps_input_noise_read(model, fcps_json_get(json, "input_noise"));
      if (status == FCPS_OK) {
        field = "uneven_noise";
        status = fcps_uneven_noise_read(model, fcps_json_get(json, "uneven_noise"));
      }
      if (status == FCPS_OK) {
        field = "row_noise"; /* of a model without it there is none */
        status = fcps_row_noise_read(model, fcps_json_get(json, "row_noise"));
        if (status == FCPS_OK && !fcps_uneven_noise_is_consistent(model)) status = FCPS_ERR_FORMAT;
      }
      if (status == FCPS_OK) {
        field = "contact";
        status = fcps_contact_read(model, fcps_json_get(json, "contact"));
      }
    }
  }
  if (status == FCPS_OK) status = fcps_suspects_restore(model);
  for (int i = 0; i < fcps_model_gp_count(model) && status == FCPS_OK; i++)
    status = read_gp(model, i, i == 0 ? json : fcps_json_at(other_gps, i - 1), &field);
  if (status == FCPS_OK) {
    model->fitted = (int)fitted;
    model->ending = (fcps_fit_result)ending;
    field = "split";
    status = read_children(model, json, error);
  }
  if (status == FCPS_OK) {
    field = "chain";
    status = fcps_hyper_samples_read(model, fcps_json_get(json, "chain"));
  }
  if (status == FCPS_ERR_MEMORY) return fcps_error_memory(error);
  if (status != FCPS_OK) return fcps_error_set(error, status, field, "the saved model does not fit its rollouts");
  return FCPS_OK;
}

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

/* What is no prior is refused: its centres are positive, and so are its deviations where it is not flat. */
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
      return fcps_error_set(error, FCPS_ERR_FORMAT, "told_before", "the saved model does not fit its rollouts");
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
  fcps_json_put(&json, "separate", fcps_json_from_bool(s->is_separate));
  fcps_json_put(&json, "inexact", fcps_json_from_bool(model->input_noise.deviations != NULL));
  fcps_json_put(&json, "environment_stretch", fcps_json_from_number(s->environment_stretch));
  if (model->frame_choice.count > 0)
    fcps_json_put(&json, "frame", fcps_json_from_text(fcps_frame_setting_words(&s->frame)));
  if (model->contact.rest.outcomes > 0)
    fcps_json_put(&json, "contact", fcps_json_from_text(fcps_contact_setting_name((int)s->contact)));
  fcps_json_put(&json, "state", fcps_model_write_state(model));
  fcps_json_put(&json, "evidence", fcps_rollouts_write(&model->training));
  fcps_json_put(&json, "others", fcps_rollouts_write(&model->others));
  fcps_json_put(&json, "told_before", write_order(model));
  return json;
}

/* The name of the first member that is wrong; NULL: none is. */
static const char *read_settings(const fcps_json *json, fcps_model_settings *settings)
{
  int mean, scaling;
  bool is_inexact = false;
  double *stretch = &settings->environment_stretch;
  *settings = (fcps_model_settings){.kernel = fcps_kernel_find(fcps_json_text(fcps_json_get(json, "kernel"))),
                                    .fit = {.starts = 1, .budget = 1}};
  if (settings->kernel == NULL) return "kernel";
  if (!fcps_json_bool(fcps_json_get(json, "circular"), &settings->circular)) return "circular";
  if (!fcps_json_number(fcps_json_get(json, "environment_stretch"), stretch) || !(*stretch >= 0 && isfinite(*stretch)))
    return "environment_stretch";
  if (!fcps_json_choice(fcps_json_get(json, "mean"), fcps_gp_mean_name, &mean)) return "mean";
  if (!fcps_json_choice(fcps_json_get(json, "scaling"), fcps_gp_scaling_name, &scaling)) return "scaling";
  if (!fcps_json_bool(fcps_json_get(json, "separate"), &settings->is_separate)) return "separate";
  if (!fcps_json_bool(fcps_json_get(json, "inexact"), &is_inexact)) return "inexact";
  const fcps_json *turning = fcps_json_get(json, "frame");
  if (turning != NULL && fcps_json_text(turning) == NULL) return "frame";
  fcps_frame_setting_read(turning != NULL ? fcps_json_text(turning) : "off", &settings->frame);
  const fcps_json *contact = fcps_json_get(json, "contact");
  int looks = FCPS_CONTACT_OFF;
  if (contact != NULL && !fcps_json_choice(contact, fcps_contact_setting_name, &looks)) return "contact";
  settings->contact = (fcps_contact_setting)looks;
  settings->norm = (fcps_gp_norm){.mean = (fcps_gp_mean)mean, .scaling = (fcps_gp_scaling)scaling};
  if (is_inexact) settings->input_noise = FCPS_INPUT_NOISE_GIVEN; /* what was learnt is given now */
  return read_prior(fcps_json_get(json, "prior"), &settings->prior) ? NULL : "prior";
}

/* Adds the saved rollouts one by one: they make the GP's rows. */
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
    return fcps_error_set(error, FCPS_ERR_FORMAT, wrong, "the saved model has nothing here that can be used");
  if (fcps_model_kind_needs_reward(ops) && problem->reward == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "reward",
                          "this model scores rollouts again: give the problem's reward function when loading it");
  fcps_status status = fcps_model_create(model, ops, problem, &settings);
  if (status != FCPS_OK) return fcps_error_memory(error);
  status = read_rollouts(*model, fcps_json_get(json, "evidence"), error);
  if (status == FCPS_OK) status = read_rollouts(*model, fcps_json_get(json, "others"), error);
  if (status == FCPS_OK) status = read_order(*model, fcps_json_get(json, "told_before"), error);
  if (status == FCPS_OK) status = fcps_model_read_state(*model, fcps_json_get(json, "state"), error);
  if (status != FCPS_OK) {
    fcps_model_destroy(*model);
    *model = NULL;
  }
  return status;
}
