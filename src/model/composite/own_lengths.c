/* SPDX-License-Identifier: Apache-2.0 */
/* Shared or own hyper-parameters, by a penalized evidence. With theta the hyper-parameters that were fitted, of all GPs,
 *
 *     evidence = log p(y | theta) + log p(theta) - count(theta)/2 log(rows)        [schwarz1978]
 *
 * of the outcomes in their own units: the likelihood of normalized outputs is divided by their scales. Shared ones are
 * the cheaper choice in every respect (one factorization, closed forms of distances), so the others must be better by
 * more than chance: a choice is left only where the other one is better by `margin` nats, odds of twenty to one.
 *
 * The other choice is made as a twin, a model of the same rollouts. Where it wins, the two change their contents. */
#include "model/composite/own_lengths.h"

#include "base/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

static const double margin = 3.0;

/* A review costs as much as a fit or two. So there is one each time that the number of rows passes a multiple of these,
 * the first while rows are few. Of many rows a share is compared, evenly spread over their order: it says as much about
 * lengths and costs far less. */
enum { FEW_ROWS = 50, EARLY = 10, LATER = 25, MOST_ROWS = 100 };

/* -- The twin -- */

/* Every `step`th training rollout, and no other. */
static fcps_status add_share(const fcps_model *model, int step, fcps_model *twin)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < model->training.count && status == FCPS_OK; i += step) {
    const fcps_rollout rollout = fcps_rollouts_at(&model->training, i);
    status = fcps_model_add(twin, &rollout);
  }
  return status;
}

/* All rollouts of `model`, in the order in which they were told. */
static fcps_status add_all(const fcps_model *model, fcps_model *twin)
{
  fcps_status status = FCPS_OK;
  int other = 0;
  for (int i = 0; i <= model->training.count && status == FCPS_OK; i++) {
    while (other < model->others.count && (model->told_before[other] <= i) && status == FCPS_OK) {
      const fcps_rollout rollout = fcps_rollouts_at(&model->others, other++);
      status = fcps_model_add(twin, &rollout);
    }
    if (i == model->training.count || status != FCPS_OK) break;
    const fcps_rollout rollout = fcps_rollouts_at(&model->training, i);
    status = fcps_model_add(twin, &rollout);
  }
  return status;
}

/* Each GP those of its like; where there is only one, those of that. */
static void take_hyper(const fcps_model *from, fcps_model *to)
{
  const int last = fcps_model_gp_count(from) - 1;
  for (int i = 0; i < fcps_model_gp_count(to); i++)
    fcps_gp_set_hyper(fcps_model_gp(to, i), fcps_model_gp(from, i < last ? i : last)->hyper);
}

/* A model of all rollouts (a step of 1) or of a share of them that has made this choice; its fits begin where those of
 * `model` ended. */
static fcps_status create_twin(const fcps_model *model, bool is_separate, int step, fcps_model **twin)
{
  fcps_model_settings settings = model->settings;
  settings.is_separate = is_separate;
  if (settings.norm.scaling != FCPS_SCALING_NONE)
    settings.norm.scaling = settings.is_separate ? FCPS_SCALING_EACH : FCPS_SCALING_METRIC;
  fcps_status status = fcps_model_create(twin, model->ops, model->problem, &settings);
  if (status == FCPS_OK) status = step == 1 ? add_all(model, *twin) : add_share(model, step, *twin);
  if (status != FCPS_OK) {
    fcps_model_destroy(*twin);
    *twin = NULL;
    return status;
  }
  (*twin)->fitted = model->fitted;
  take_hyper(model, *twin);
  const fcps_status turned = fcps_frame_choice_copy(model, *twin); /* which frame it is was decided before */
  return turned == FCPS_OK ? fcps_contact_copy(model, *twin) : turned;
}

/* Classifiers are functions of the rollouts alone, and stay where they were learnt. */
static void change_contents(fcps_model *a, fcps_model *b)
{
  const fcps_feasibility learnt = a->feasibility;
  const fcps_model kept = *a;
  *a = *b;
  *b = kept;
  b->feasibility = a->feasibility;
  a->feasibility = learnt;
}

/* -- Evidence -- */

/* How well a GP explains its outputs (rows x count), in their own units. */
static fcps_status add_evidence(const fcps_model *model, int gp, int count, const double *y, double *evidence)
{
  const int rows = model->training.count, parameters = FCPS_HYPER_COUNT(model->gp->dim);
  const fcps_gp_data data = {rows, count, y, model->settings.norm, &model->settings.prior};
  fcps_likelihood *likelihood = NULL;
  double *scale = fcps_allocate(2 * (size_t)count, sizeof(double));
  const fcps_status status =
      scale != NULL ? fcps_likelihood_create(&likelihood, fcps_model_gp(model, gp), &data) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_gp_normalize(data.norm, rows, count, y, scale + count, scale);
    *evidence += fcps_likelihood_value(likelihood, fcps_model_gp(model, gp)->hyper, NULL);
    *evidence -= 0.5 * parameters * log(rows);
    for (int o = 0; o < count; o++)
      *evidence -= rows * log(scale[o]);
  }
  fcps_likelihood_destroy(likelihood);
  free(scale);
  return status;
}

static fcps_status find_evidence(const fcps_model *model, double *evidence, fcps_error *error)
{
  const int rows = model->training.count, gps = fcps_model_gp_count(model), width = model->ops->width(model->problem);
  double *y = fcps_allocate((size_t)rows * (size_t)width, sizeof(double));
  fcps_status status = y != NULL ? model->ops->outputs(model, NULL, y, error) : FCPS_ERR_MEMORY;
  *evidence = 0.0;
  for (int i = 0; i < gps && status == FCPS_OK; i++)
    status = add_evidence(model, i, width / gps, y + (size_t)i * (size_t)(width / gps) * (size_t)rows, evidence);
  free(y);
  return status;
}

/* -- The choice -- */

/* Models that split or have inexact inputs, and samples of hyper-parameters, are made for all outcomes together. The
 * outcomes of a distance have one unit, and a closed form as long as they share their variance. */
static bool may_choose(const fcps_model *model)
{
  const fcps_model_settings *s = &model->settings;
  return s->chooses_separate && !model->problem->is_distance && model->frame.angle == FCPS_FRAME_NONE &&
         model->ops->predicts_outcomes && model->ops->width(model->problem) > 1 && !s->may_split &&
         model->parent == NULL && s->fit.samples <= 1 && model->input_noise.deviations == NULL;
}

static bool is_due(const fcps_model *model)
{
  const int rows = model->training.count, every = rows < FEW_ROWS ? EARLY : LATER;
  return rows / every != model->fitted / every;
}

/* Fits the twin, which must not make a twin of its own, and compares. */
static fcps_status compare(const fcps_model *model, fcps_model *twin, fcps_rng rng, fcps_fit_result *result,
                           double *gain, fcps_error *error)
{
  double ours = 0.0, other = 0.0;
  twin->settings.chooses_separate = false;
  fcps_status status = fcps_model_fit(twin, 0, NULL, rng, result, error);
  twin->settings.chooses_separate = true;
  twin->fitted = model->fitted;
  if (status == FCPS_OK) status = find_evidence(model, &ours, error);
  if (status == FCPS_OK) status = find_evidence(twin, &other, error);
  *gain = other - ours;
  return status;
}

/* Compares on all rows; the twin is ready to take over. */
static fcps_status review_all(fcps_model *model, fcps_rng rng, fcps_fit_result *result, fcps_error *error)
{
  fcps_model *twin = NULL;
  fcps_fit_result ending = FCPS_FIT_OK;
  double gain = 0.0;
  fcps_status status = create_twin(model, !model->settings.is_separate, 1, &twin);
  if (status == FCPS_OK) status = compare(model, twin, rng, &ending, &gain, error);
  if (status == FCPS_OK && gain > margin) { /* false for NaN */
    change_contents(model, twin);
    *result = ending;
  }
  fcps_model_destroy(twin);
  return status;
}

/* Compares on a share of the rows; where the other choice wins, all rows get its hyper-parameters, until the next fit. */
static fcps_status review_share(fcps_model *model, int step, fcps_rng rng, fcps_error *error)
{
  const bool other = !model->settings.is_separate;
  fcps_model *same = NULL, *twin = NULL, *whole = NULL;
  fcps_fit_result ending;
  double gain = 0.0;
  fcps_status status = create_twin(model, !other, step, &same);
  if (status == FCPS_OK) status = create_twin(model, other, step, &twin);
  if (status == FCPS_OK) status = compare(same, twin, rng, &ending, &gain, error);
  if (status == FCPS_OK && gain > margin) status = create_twin(model, other, 1, &whole);
  if (status == FCPS_OK && whole != NULL) {
    take_hyper(twin, whole);
    change_contents(model, whole);
  }
  fcps_model_destroy(same);
  fcps_model_destroy(twin);
  fcps_model_destroy(whole);
  return status;
}

fcps_status fcps_own_lengths_review(fcps_model *model, fcps_rng rng, fcps_fit_result *result, fcps_error *error)
{
  if (!may_choose(model) || !is_due(model)) return FCPS_OK;
  const int step = (model->training.count + MOST_ROWS - 1) / MOST_ROWS;
  return step == 1 ? review_all(model, rng, result, error) : review_share(model, step, rng, error);
}

fcps_status fcps_own_lengths_restore(fcps_model *model, int gp_count)
{
  if (!may_choose(model) || gp_count == fcps_model_gp_count(model)) return FCPS_OK;
  fcps_model *twin = NULL;
  const fcps_status status = create_twin(model, !model->settings.is_separate, 1, &twin);
  if (status == FCPS_OK) change_contents(model, twin);
  fcps_model_destroy(twin);
  return status;
}
