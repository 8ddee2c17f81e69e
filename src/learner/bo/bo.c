/* SPDX-License-Identifier: Apache-2.0 */
/* Bayesian optimization for contextual policy search: BO-CPS with the joint model, BO-FCPS with the rescored one
 * [pinsler2019, Algorithms 1 and 2], and the learner `outcome` with the outcome model, which studies use by default
 * if their problem allows it.
 *
 * An ask fits the model if a fit is due, adds the pending trials, makes the posterior in the context, and lets the
 * acquisition choose. No old data can stop an ask: if the model cannot be used, the ask becomes a point of the design.
 */
#include "learner/bo/bo.h"

#include "base/error.h"
#include "base/memory.h"
#include "gp/fit.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "model/structures/frame.h"
#include "model/surprises.h"
#include "policy/policy_impl.h"
#include "problem/rollouts.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Warnings -- */

/* Warns of a fit that failed or needed help. */
static void warn_of_fit(const fcps_learner *learner, fcps_fit_result result)
{
  const fcps_bo *b = learner->state;
  const fcps_model *model = b->model;
  const double jitter = fcps_model_jitter(model);
  if (result == FCPS_FIT_KEPT)
    fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_GP_FIT_KEPT",
                 "no start of the fit gave a finite likelihood; the last hyper-parameters stay");
  if (result == FCPS_FIT_DEFAULT)
    fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_GP_DEFAULTS",
                 "the fitted hyper-parameters could not be used; the prior's are");
  if (model->training.count > FCPS_FIT_ROWS)
    fcps_log_say(&learner->log, FCPS_LOG_INFO, "I_GP_SUBSET",
                 "hyper-parameters were fitted to %d of %d rows; predictions use them all", FCPS_FIT_ROWS,
                 model->training.count);
  if (jitter > 0)
    fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_GP_JITTER",
                 "kernel matrix not positive definite; added %.2g to its diagonal", jitter);
}

void fcps_bo_warn_of_decision(const fcps_learner *learner, const fcps_decision_report *report)
{
  if (report->left_out > 0)
    fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_PES_LEFT_OUT",
                 "expectation propagation did not converge for %d of %d draws of the maximum; %s", report->left_out,
                 report->draws,
                 report->left_out < report->draws
                     ? "they are left out"
                     : "none is left, so this trial is chosen by the other conditions alone");
}

/* -- The learner -- */

void fcps_bo_destroy(void *state)
{
  fcps_bo *b = state;
  if (b == NULL) return;
  fcps_model_destroy(b->model);
  free(b);
}

/* Refuses the declared frame, and lists the frames that this problem may have. */
static fcps_status refuse_frame(const fcps_model *model, fcps_error *error)
{
  char list[256];
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "frame",
                        "\"%.80s\" is not a frame that this problem may have; use auto, off%s",
                        model->settings.structures.frame_words, fcps_frame_list(&model->layout, sizeof list, list));
}

fcps_status fcps_bo_create(fcps_learner *learner, fcps_error *error)
{
  fcps_bo *b = fcps_allocate(1, sizeof *b);
  if (b == NULL) return fcps_error_memory(error);
  learner->state = b;
  fcps_bo_settings_read(learner, &b->settings);
  if (!b->settings.model->has_target_inputs && learner->problem.reward == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "model",
                          "the %s model needs the reward as a function, and the rewards of this problem are only told; "
                          "use model=joint",
                          b->settings.model->name);
  if (b->settings.model->predicts_outcomes && learner->problem.outcome.count == 0)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "outcome",
                          "this problem has no outcome to learn; name its dimensions, or use model=joint");
  if (!fcps_acquisition_fits(b->settings.acquisition, b->settings.model))
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "acquisition",
                          "%s works on models of the reward, not of the outcome; use ucb, ei or thompson",
                          b->settings.acquisition->name);
  if (b->settings.model_settings.structures.separate == FCPS_STRUCTURE_ON && b->settings.model_settings.fit.samples > 1)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "separate",
                          "samples of hyper-parameters are drawn for all outcomes together; use hyperparameters=map "
                          "or ml, or separate=off");
  if (b->settings.has_hindsight && !b->settings.model->has_target_inputs)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "hindsight",
                          "the %s model already scores every rollout for every target; use model=joint with "
                          "hindsight",
                          b->settings.model->name);
  if (b->settings.has_hindsight && fcps_hindsight_check(&learner->problem, error) != FCPS_OK)
    return FCPS_ERR_UNSUPPORTED;
  if (b->settings.region == FCPS_REGION_ON && learner->problem.reward == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "trust_region",
                          "a trust region compares trials with old rollouts scored for the same target: it needs the "
                          "reward as a function; use trust_region=off");
  if (learner->problem.limit_count > 0 &&
      (!b->settings.model->predicts_outcomes || !b->settings.acquisition->needs_model))
    return fcps_error_set(
        error, FCPS_ERR_UNSUPPORTED, "limits",
        "only a model of outcomes can keep limits, and %s with model=%s and acquisition=%s does not use one; "
        "use the learner outcome",
        learner->entry->info.name, b->settings.model->name, b->settings.acquisition->name);
  const char *usual = fcps_learner_default(learner->entry->info.name, "initial");
  b->has_usual_design = usual != NULL && strtol(usual, NULL, 10) == b->settings.initial;
  b->trust_region = fcps_trust_region_start();
  const fcps_status status =
      fcps_model_create(&b->model, b->settings.model, &learner->problem, &b->settings.model_settings);
  if (status != FCPS_OK) return fcps_error_memory(error);
  const bool is_declared =
      b->settings.model->predicts_outcomes && b->settings.model_settings.structures.frame == FCPS_STRUCTURE_ON;
  return is_declared && fcps_model_structure(b->model, "frame") == NULL ? refuse_frame(b->model, error) : FCPS_OK;
}

/* Refuses more rows than a model can have: a factor of the covariances of N rows has N^2 numbers, and takes N^3
 * operations. */
static fcps_status check_room(const fcps_bo *b, fcps_error *error)
{
  if (b->model->training.count < FCPS_BO_MOST_ROWS) return FCPS_OK;
  return fcps_error_set(
      error, FCPS_ERR_UNSUPPORTED, "",
      "the model of this learner has at most %d rows, one for each result (with hindsight two). Take old results "
      "out, or choose a learner without a Gaussian process (c-reps, c-cma-es).",
      FCPS_BO_MOST_ROWS);
}

/* Adds the rows of a rollout to the model. */
static fcps_status add_rows(fcps_learner *learner, const fcps_rollout *rollout, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  if (!b->settings.has_hindsight)
    return fcps_model_add(b->model, rollout) == FCPS_OK ? FCPS_OK : fcps_error_memory(error);

  /* adds both rows, or neither of them */
  const fcps_model_size before = fcps_model_size_of(b->model);
  double *achieved = fcps_allocate((size_t)learner->problem.target.count, sizeof(double));
  bool exists = false;
  fcps_rollout second;
  fcps_status status = achieved != NULL ? fcps_model_add(b->model, rollout) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_hindsight_rollout(&learner->problem, rollout, achieved, &second, &exists, error);
  if (status == FCPS_OK && exists) status = fcps_model_add(b->model, &second);
  if (status != FCPS_OK) fcps_model_truncate(b->model, before);
  free(achieved);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

fcps_status fcps_bo_absorb(fcps_learner *learner, const fcps_rollout *rollout, fcps_error *error)
{
  fcps_bo *b = learner->state;
  fcps_trust_region trust_region = b->trust_region;
  fcps_status status = check_room(b, error);
  if (status == FCPS_OK && b->settings.region == FCPS_REGION_ON && learner->rollouts.count > b->settings.initial)
    status = fcps_trust_region_observe(&trust_region, &learner->problem, &b->model->training, rollout, error);
  if (status == FCPS_OK) status = add_rows(learner, rollout, error);
  if (status == FCPS_OK) b->trust_region = trust_region;
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

/* Appends a target unless it is among the `found` targets already, because the same rewards must not count twice.
 * Returns the new number of targets. */
static int append_target(size_t width, const double *target, int found, double *targets)
{
  for (int i = 0; i < found; i++)
    if (memcmp(targets + (size_t)i * width, target, width * sizeof(double)) == 0) return found;
  memcpy(targets + (size_t)found * width, target, width * sizeof(double));
  return found + 1;
}

/* Writes `first` (unless NULL), and then the latest different targets of the training data, newest first, at most
 * `count` in all. Returns their number, which is at most 1 if the problem has no target dimensions. */
static int latest_targets(const fcps_model *model, const double *first, int count, double *targets)
{
  const size_t width = (size_t)model->problem->target.count;
  int found = 0;
  if (width == 0) return count > 0 ? 1 : 0;
  if (first != NULL && count > 0) found = append_target(width, first, found, targets);
  for (int i = model->training.count - 1; i >= 0 && found < count; i--)
    found = append_target(width, fcps_rollouts_target(&model->training, i), found, targets);
  return found;
}

static fcps_status fit(fcps_learner *learner, int64_t id, const double *target, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  const size_t width = (size_t)learner->problem.target.count;
  double *targets = fcps_allocate((size_t)b->settings.fit_targets * width, sizeof(double));
  if (targets == NULL) return fcps_error_memory(error);
  const int count = latest_targets(b->model, target, b->settings.fit_targets, targets);
  fcps_fit_result result;
  const fcps_status status =
      fcps_model_fit(b->model, count > 0 ? count : 1, targets,
                     fcps_rng_stream(learner->seed, FCPS_PURPOSE_FIT, (uint64_t)id), &result, error);
  free(targets);
  if (status == FCPS_OK) warn_of_fit(learner, result);
  return status;
}

/* Whether enough rows came since the last fit. By default a fit is due after one rollout per twenty-five known ones:
 * hyper-parameters settle as data grows, and all fits up to N rollouts then cost as much as a few fits of N rows. */
static bool is_fit_due(const fcps_bo *b)
{
  const int rows = b->model->training.count, fitted = b->model->fitted;
  const int set = b->settings.refit * (b->settings.has_hindsight ? 2 : 1), enough = set > 0 ? set : fitted / 25;
  return rows > 0 && (fitted == 0 || (rows > fitted && rows - fitted >= enough));
}

fcps_status fcps_bo_update_model(fcps_learner *learner, int64_t id, const double *target, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  bool is_due = is_fit_due(b);
  fcps_status status = is_due ? FCPS_OK : fcps_model_is_surprised(b->model, &is_due, error);
  if (status == FCPS_OK && is_due) status = fit(learner, id, target, error);
  if (status == FCPS_OK) status = fcps_model_refresh(b->model);
  for (int i = 0; i < learner->pending_count && status == FCPS_OK; i++) {
    const fcps_pending *p = learner->pending + i;
    fcps_model_add_pending(b->model, p->target, p->environment, p->parameters);
  }
  return status;
}

bool fcps_bo_must_fall_back(const fcps_learner *learner, fcps_status status)
{
  if (status != FCPS_ERR_NOT_POSITIVE && status != FCPS_ERR_NOT_FINITE) return false;
  fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_GP_FALLBACK",
               "the model cannot be used (%s); this trial is space-filling", fcps_status_text(status));
  return true;
}

fcps_status fcps_bo_select_context(const fcps_learner *learner, const fcps_acquisition *acquisition, int64_t id,
                                   fcps_bo_context_choice *choice, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  fcps_decision_report report = {0};
  fcps_context_decision decision = {.acquisition = acquisition,
                                    .settings = &b->settings.contextual,
                                    .search_settings = &b->settings.acquisition_settings,
                                    .model = b->model,
                                    .is_free = choice->is_free,
                                    .rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_SEARCH, (uint64_t)id),
                                    .report = &report};
  fcps_status status = fcps_cost_create(&decision.cost, &learner->problem, error);
  if (status == FCPS_OK) status = acquisition->select_context(&decision, choice->context, choice->x, error);
  fcps_cost_destroy(decision.cost);
  if (status == FCPS_OK) fcps_bo_warn_of_decision(learner, &report);
  return status;
}

/* Whether an ask stays near the best parameters tried. A model promises most where it knows least, and may be wrong
 * there for long; a search nearby may miss better parameters elsewhere. So asks alternate between the two. If the
 * problem has targets, asks never stay near, because every outcome may be the one that another target needs. */
static bool stays_near(const fcps_learner *learner, int64_t id)
{
  const fcps_bo *b = learner->state;
  const bool takes_turns = b->settings.region == FCPS_REGION_AUTO && learner->problem.target.count == 0;
  return b->settings.region == FCPS_REGION_ON || (takes_turns && id % 2 == 0);
}

/* Lets the acquisition choose in the trust region: a box around the best parameters tried. */
static fcps_status select_near(const fcps_bo *b, fcps_decision *decision, double *x)
{
  const fcps_acquisition_settings *const usual = decision->settings;
  fcps_acquisition_settings settings = b->settings.acquisition_settings;
  double *centre = fcps_allocate((size_t)decision->n, sizeof(double));
  if (centre == NULL) return FCPS_ERR_MEMORY;
  if (fcps_posterior_best_tried(decision->posterior, centre)) {
    settings.search.centre = centre;
    settings.search.side = b->settings.region == FCPS_REGION_AUTO ? FCPS_REGION_SIDE : b->trust_region.side;
    decision->settings = &settings;
  }
  const fcps_status status = b->settings.acquisition->select(decision, x);
  decision->settings = usual;
  free(centre);
  return status;
}

/* How often an ask may choose parameters that are proven to keep the limits. A second trial makes the model surer of
 * them; then asks must go elsewhere. */
enum { PROVEN_TRIALS = 2 };

/* Lets the acquisition choose in this context. */
static fcps_status decide(fcps_learner *learner, int64_t id, const double *target, const double *environment, double *x,
                          fcps_error *error)
{
  const fcps_bo *b = learner->state;
  fcps_decision_report report = {0};
  fcps_decision decision = {.acquisition = b->settings.acquisition,
                            .settings = &b->settings.acquisition_settings,
                            .n = learner->problem.parameters.count,
                            .rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_SEARCH, (uint64_t)id),
                            .report = &report};
  if (!b->settings.acquisition->needs_model) return b->settings.acquisition->select(&decision, x);

  fcps_status status = fcps_bo_update_model(learner, id, target, error);
  bool is_safe = false;
  if (status == FCPS_OK) status = fcps_bo_take_safe(learner, id, target, environment, x, &is_safe, error);
  if (is_safe) {
    fcps_model_clear_pending(b->model);
    return status;
  }
  if (status == FCPS_OK) status = fcps_cost_create(&decision.cost, &learner->problem, error);
  if (decision.cost != NULL) fcps_cost_set_context(decision.cost, target, environment);
  if (status == FCPS_OK) status = fcps_posterior_create(&decision.posterior, b->model, target, environment, error);
  if (status == FCPS_OK)
    status = stays_near(learner, id) ? select_near(b, &decision, x) : b->settings.acquisition->select(&decision, x);
  if (status == FCPS_OK && b->settings.region != FCPS_REGION_ON && b->settings.acquisition == &fcps_acquisition_ucb)
    status = fcps_bo_choose_words(learner, &decision, id, x);
  bool is_proven = false;
  if (status == FCPS_OK && learner->problem.limit_count > 0)
    status = fcps_policy_choose_kept(decision.posterior, &b->settings.acquisition_settings.search, PROVEN_TRIALS, x,
                                     &is_proven);
  if (status == FCPS_OK && !is_proven && b->settings.region != FCPS_REGION_ON &&
      b->settings.acquisition->repeats_itself)
    status = fcps_bo_keep_apart(learner, &decision, target, environment, x);
  if (status == FCPS_OK) status = fcps_bo_try_words(learner, &decision, id, x);
  if (status == FCPS_OK) fcps_bo_warn_of_decision(learner, &report);
  fcps_posterior_destroy(decision.posterior);
  fcps_cost_destroy(decision.cost);
  fcps_model_clear_pending(b->model);
  return status;
}

static bool is_usable(const fcps_learner *learner, int index)
{
  const fcps_bo *b = learner->state;
  const fcps_rollout rollout = fcps_rollouts_at(&learner->rollouts, index);
  return b->model->ops->is_usable(&learner->problem, &rollout);
}

/* Whether an earlier usable rollout has the same environment and parameters (place). A place that was tried several
 * times counts once in the design. */
static bool repeats_usable(const fcps_learner *learner, int index)
{
  for (int i = 0; i < index; i++)
    if (fcps_rollouts_same_place(&learner->rollouts, i, index) && is_usable(learner, i)) return true;
  return false;
}

/* Returns how many places the design needs; a structure that the model believes may lower the number. */
static int design_size(const fcps_learner *learner)
{
  const fcps_bo *b = learner->state;
  return b->has_usual_design ? fcps_model_design_places(b->model, b->settings.initial) : b->settings.initial;
}

bool fcps_bo_needs_design(const fcps_learner *learner)
{
  const fcps_bo *b = learner->state;
  if (!b->settings.acquisition->needs_model) return fcps_design_made(learner) < b->settings.initial;
  const int least = design_size(learner);
  int places = 0;
  for (int i = 0; i < learner->rollouts.count && places < least; i++)
    places += is_usable(learner, i) && !repeats_usable(learner, i);
  return places < least;
}

/* Lets the model review its structures, because the design may end early if the model believes certain ones. */
static fcps_status review(const fcps_learner *learner, fcps_error *error)
{
  enum { FEWEST_PLACES = 2 };
  const fcps_bo *b = learner->state;
  const bool may_end =
      b->settings.acquisition->needs_model && b->has_usual_design && b->model->training.count >= FEWEST_PLACES;
  const fcps_status status = may_end ? fcps_model_review(b->model, error) : FCPS_OK;
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

fcps_status fcps_bo_ask(fcps_learner *learner, int64_t id, const double *target, const double *environment,
                        double *parameters, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  double *x = fcps_allocate((size_t)learner->problem.parameters.count, sizeof(double));
  if (x == NULL) return fcps_error_memory(error);
  fcps_status status = fcps_bo_needs_design(learner) ? review(learner, error) : FCPS_OK;
  if (status != FCPS_OK) {
    free(x);
    return status;
  }
  fcps_design design = b->settings.acquisition->needs_model ? b->settings.design : FCPS_DESIGN_RANDOM;
  bool is_design = fcps_bo_needs_design(learner);
  if (is_design) {
    status = fcps_design_point(learner, b->settings.design, b->settings.initial, id, x, error);
  } else {
    status = decide(learner, id, target, environment, x, error);
    is_design = fcps_bo_must_fall_back(learner, status);
    if (is_design) status = fcps_design_point(learner, design = FCPS_DESIGN_MAXIMIN, 1, id, x, error);
  }
  if (status == FCPS_OK) fcps_space_from_unit(&learner->problem.parameters, x, parameters);
  if (status == FCPS_OK && (is_design || !b->settings.acquisition->needs_model))
    status = fcps_design_keep_away(learner, design, id, target, environment, parameters, error);
  if (status == FCPS_ERR_MEMORY) fcps_error_memory(error);
  free(x);
  return status;
}

void fcps_bo_habits(const fcps_learner *learner, fcps_learner_habits *habits)
{
  const fcps_bo *b = learner->state;
  *habits = (fcps_learner_habits){.acquisition = b->settings.acquisition,
                                  .settings = &b->settings.acquisition_settings,
                                  .policy = {.search = b->settings.acquisition_settings.search,
                                             .seed = learner->seed,
                                             .caution = b->settings.caution,
                                             .doubt = b->settings.doubt}};
  if (b->settings.region == FCPS_REGION_ON) habits->policy.search.side = b->trust_region.side;
}

fcps_status fcps_bo_policy(const fcps_learner *learner, fcps_policy **policy, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  fcps_learner_habits habits;
  fcps_bo_habits(learner, &habits);
  const size_t width = (size_t)learner->problem.target.count;
  /* The policy's copy of the model is fitted again if the setting policy_targets asks for targets, or if the learner
   * has not fitted its own model yet. */
  const bool needs_fit = b->settings.policy_targets == 0 && b->model->fitted == 0;
  const int wanted = needs_fit ? 1 : b->settings.policy_targets;
  double *targets = fcps_allocate((size_t)wanted * width, sizeof(double));
  if (targets == NULL) return fcps_error_memory(error);
  int count = latest_targets(b->model, NULL, wanted, targets);
  const fcps_status status =
      fcps_policy_create_greedy(policy, &learner->problem, b->model, &habits.policy, count, targets, error);
  free(targets);
  return status;
}

fcps_json *fcps_bo_write(const fcps_learner *learner)
{
  const fcps_bo *b = learner->state;
  return fcps_model_write_state(b->model);
}

fcps_status fcps_bo_read(fcps_learner *learner, const fcps_json *json, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  return fcps_model_read_state(b->model, json, error);
}

const fcps_learner_ops fcps_learner_bo = {.create = fcps_bo_create,
                                          .destroy = fcps_bo_destroy,
                                          .ask = fcps_bo_ask,
                                          .absorb = fcps_bo_absorb,
                                          .policy = fcps_bo_policy,
                                          .expect = fcps_bo_expect,
                                          .model = fcps_bo_model,
                                          .surprises = fcps_bo_surprises,
                                          .habits = fcps_bo_habits,
                                          .write = fcps_bo_write,
                                          .read = fcps_bo_read};

/* -- Beliefs -- */

/* Makes a model of the outcomes of all rollouts, for a learner whose own model predicts rewards. */
static fcps_status make_outcome_model(const fcps_learner *learner, fcps_model **model)
{
  const fcps_bo *b = learner->state;
  fcps_model_settings settings = b->settings.model_settings;
  settings.norm.scaling = FCPS_SCALING_METRIC;
  settings.structures.inexact = FCPS_INPUT_NOISE_OFF;
  settings.may_split = false;
  settings.fit.samples = 1;
  fcps_status status = fcps_model_create(model, &fcps_model_outcome, &learner->problem, &settings);
  for (int i = 0; i < learner->rollouts.count && status == FCPS_OK; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(&learner->rollouts, i);
    status = fcps_model_add(*model, &rollout);
  }
  return status;
}

fcps_status fcps_bo_surprises(fcps_learner *learner, fcps_surprises *found, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  fcps_model *made = NULL;
  if (learner->problem.outcome.count == 0) return FCPS_OK;
  const bool is_of_outcomes = b->model->ops->predicts_outcomes;
  fcps_status status = is_of_outcomes ? FCPS_OK : make_outcome_model(learner, &made);
  if (status == FCPS_OK) status = fcps_model_find_surprises(is_of_outcomes ? b->model : made, found, error);
  fcps_model_destroy(made);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

const fcps_model *fcps_bo_model(const fcps_learner *learner)
{
  const fcps_bo *b = learner->state;
  return b->model;
}

/* Adds the noise of a trial to the deviation of a reward that a model of rewards predicts. A model of outcomes includes
 * the noise already. */
static fcps_status add_noise(const fcps_model *model, const double *target, const double *environment,
                             double *deviation, fcps_error *error)
{
  fcps_posterior *posterior = NULL;
  const fcps_status status = fcps_posterior_create(&posterior, model, target, environment, error);
  if (status == FCPS_OK)
    *deviation = hypot(*deviation, fcps_posterior_outputs(posterior)->scale[0] *
                                       sqrt(fcps_gp_noise(fcps_model_gp(fcps_posterior_model(posterior), 0))));
  fcps_posterior_destroy(posterior);
  return status;
}

/* Predicts as the policy of the present model would. */
fcps_status fcps_bo_expect(fcps_learner *learner, const double *target, const double *environment,
                           const double *parameters, fcps_prediction *prediction, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  fcps_policy *policy = NULL;
  if (b->model->fitted == 0) return FCPS_OK;
  const fcps_greedy_settings settings = {.search = b->settings.acquisition_settings.search, .seed = learner->seed};
  fcps_status status = fcps_policy_create_greedy(&policy, &learner->problem, b->model, &settings, 0, NULL, error);
  if (status == FCPS_OK) {
    status = fcps_policy_predict_at(policy, target, environment, parameters, prediction);
    if (status != FCPS_OK && error != NULL) *error = *fcps_policy_error(policy);
  }
  if (status == FCPS_OK && prediction->has_reward && !prediction->has_outcome)
    status = add_noise(policy->ops->model(policy), target, environment, &prediction->reward_deviation, error);
  fcps_policy_destroy(policy);
  return status;
}
