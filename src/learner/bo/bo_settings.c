/* SPDX-License-Identifier: Apache-2.0 */
/* The setting tables of the Bayesian-optimization learners, and the settings that are computed from others.
 *
 * Defaults follow the calibration against the paper's Table I (docs/lab/maths.md): standardized rewards, MAP
 * hyper-parameters, a small constant kappa, five random rollouts first. */
#include "learner/bo/bo_settings.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* Up to this many inputs, the length prior is as set. With more inputs it grows with their number
 * (docs/lab/future-work.md). */
enum { FEW_INPUTS = 8 };

/* The most evaluations of a local refinement. In a few dimensions it ends well before. */
enum { LOCAL_BUDGET = 25 };

/* -- Choices -- */

static const char *model_choice(int index)
{
  const fcps_model_ops *model = fcps_model_kind_at(index - FCPS_BO_FIRST);
  return index == FCPS_BO_AUTO ? "auto" : model != NULL ? model->name : NULL;
}

static const char *kernel_choice(int index)
{
  const fcps_kernel *kernel = fcps_kernel_at(index - FCPS_BO_FIRST);
  return index == FCPS_BO_AUTO ? "auto" : kernel != NULL ? kernel->name : NULL;
}

/* The acquisitions that select parameters in a given context; they are the first ones of the registry. */
static const char *acquisition_choice(int index)
{
  const fcps_acquisition *acquisition = fcps_acquisition_at(index);
  return acquisition != NULL && acquisition->select != NULL ? acquisition->name : NULL;
}

static const char *angles_choice(int index)
{
  static const char *const names[] = {[FCPS_BO_ANGLES_CIRCLE] = "circle", [FCPS_BO_ANGLES_RAW] = "raw"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static const char *hyper_choice(int index)
{
  static const char *const names[] = {
      [FCPS_BO_HYPER_MAP] = "map", [FCPS_BO_HYPER_ML] = "ml", [FCPS_BO_HYPER_BAYES] = "bayes"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static const char *tail_choice(int index)
{
  static const char *const names[] = {[FCPS_BO_TAIL_NORMAL] = "normal", [FCPS_BO_TAIL_LONG] = "long"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static const char *region_choice(int index)
{
  static const char *const names[] = {[FCPS_REGION_OFF] = "off", [FCPS_REGION_ON] = "on", [FCPS_REGION_AUTO] = "auto"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static const char *criterion_choice(int index)
{
  static const char *const names[] = {[FCPS_CHOICE_IVR] = "ivr", [FCPS_CHOICE_ES] = "es"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

/* -- Tables -- */

/* The settings of both passive and active learners. */
static const fcps_setting_row bo_rows[] = {
    FCPS_CHOICE_ROW("model", fcps_bo_settings, choices.model, "auto", model_choice,
                    "what the GP learns; auto: rescored if the reward is a function, else joint"),
    FCPS_CHOICE_ROW("acquisition", fcps_bo_settings, choices.acquisition, "ucb", acquisition_choice,
                    "how the worth of a trial is valued"),
    FCPS_CHOICE_ROW("kernel", fcps_bo_settings, choices.kernel, "auto", kernel_choice,
                    "covariance function of the GP; auto: se, but matern32 for rewards of more than 8 inputs"),
    FCPS_CHOICE_ROW("angles", fcps_bo_settings, choices.angles, "circle", angles_choice,
                    "periodic dimensions as points on a circle, or as plain numbers"),
    FCPS_CHOICE_ROW("mean", fcps_bo_settings, model_settings.norm.mean, "centred", fcps_gp_mean_name,
                    "prior mean of rewards: their average, generalized least squares, or zero"),
    FCPS_SWITCH_ROW("standardize", fcps_bo_settings, choices.is_standardized, "on",
                    "divide rewards by their standard deviation"),
    FCPS_CHOICE_ROW(
        "hyperparameters", fcps_bo_settings, choices.hyper, "map", hyper_choice,
        "map (the optimum with priors), ml (maximum likelihood), or bayes (several samples of the posterior)"),
    FCPS_CHOICE_ROW("input_noise", fcps_bo_settings, model_settings.structures.inexact, "off", fcps_input_noise_name,
                    "inexact execution of parameters: given (all by input_noise_share), or each as the data show"),
    FCPS_NUMBER_ROW("input_noise_share", fcps_bo_settings, model_settings.structures.input_noise_share, "0.01", 0, 0.5,
                    "deviation of an executed parameter, as a share of its range (input_noise=given)"),
    FCPS_INTEGER_ROW("hyper_samples", fcps_bo_settings, choices.hyper_samples, "6", 2, 100,
                     "number of posterior samples of the hyper-parameters (hyperparameters=bayes)"),
    FCPS_NUMBER_ROW("length_prior", fcps_bo_settings, model_settings.prior.length, "0.4", 0.01, 10,
                    "median length-scale, inputs in [0,1]"),
    FCPS_SWITCH_ROW("length_growth", fcps_bo_settings, choices.has_length_growth, "on",
                    "beyond 8 inputs the median grows with the root of their number"),
    FCPS_NUMBER_ROW("length_prior_sd", fcps_bo_settings, model_settings.prior.length_sd, "0.8", 0.01, 10,
                    "standard deviation of log(length_prior)"),
    FCPS_NUMBER_ROW("environment_stretch", fcps_bo_settings, model_settings.environment_stretch, "1", 0.1, 100,
                    "factor of length_prior for the environment: above 1 it matters less than parameters"),
    FCPS_CHOICE_ROW("length_tail", fcps_bo_settings, choices.length_tail, "normal", tail_choice,
                    "prior of long length-scales: with `long` an input may turn out not to matter"),
    FCPS_NUMBER_ROW("signal_prior", fcps_bo_settings, model_settings.prior.signal, "1", 0.01, 100,
                    "median signal deviation, outputs standardized"),
    FCPS_NUMBER_ROW("signal_prior_sd", fcps_bo_settings, model_settings.prior.signal_sd, "1", 0.01, 10,
                    "standard deviation of log(signal_prior)"),
    FCPS_NUMBER_ROW("noise_prior", fcps_bo_settings, model_settings.prior.noise, "0.05", 1e-6, 1,
                    "median noise deviation, outputs standardized"),
    FCPS_NUMBER_ROW("noise_prior_sd", fcps_bo_settings, model_settings.prior.noise_sd, "1", 0.01, 10,
                    "standard deviation of log(noise_prior)"),
    FCPS_NUMBER_ROW("noise_floor", fcps_bo_settings, model_settings.prior.noise_floor, "1e-3", 1e-6, 0.5,
                    "least noise deviation"),
    FCPS_WORDS_ROW(
        "frame", fcps_bo_settings, choices.frame, "auto", fcps_structure_look_name,
        "what outcomes turn with: auto (as the data show), off, or WORDS such as \"x, y turn with angle\" (outcome)"),
#define LOOKED_FOR(name, usual, names, help)                                                                           \
  FCPS_CHOICE_ROW(#name, fcps_bo_settings, model_settings.structures.name, usual, names, help),
#define HAS_OWN_ROWS(name)
    FCPS_STRUCTURE_LIST(LOOKED_FOR, HAS_OWN_ROWS)
        FCPS_SWITCH_ROW("split", fcps_bo_settings, model_settings.may_split, "off",
                        "two GPs, split along one context dimension, if the likelihood favours it"),
    FCPS_NUMBER_ROW("kappa", fcps_bo_settings, acquisition_settings.kappa, "0.5", 0, 100,
                    "exploration of ucb: mean + kappa deviation"),
    FCPS_CHOICE_ROW("kappa_schedule", fcps_bo_settings, acquisition_settings.schedule, "constant",
                    fcps_kappa_schedule_name, "constant kappa, or growing with the number of rollouts"),
    FCPS_INTEGER_ROW("initial", fcps_bo_settings, initial, "5", 0, 10000, "rollouts before the model is used"),
    FCPS_CHOICE_ROW("design", fcps_bo_settings, design, "random", fcps_design_name,
                    "how the parameters of the initial rollouts are placed"),
    FCPS_SWITCH_ROW("hindsight", fcps_bo_settings, has_hindsight, "off",
                    "a second row for the achieved target (joint)"),
    FCPS_INTEGER_ROW("refit", fcps_bo_settings, refit, "0", 0, 10000,
                     "rollouts between fits of the hyper-parameters; 0: a twenty-fifth of those known"),
    FCPS_INTEGER_ROW("fit_starts", fcps_bo_settings, model_settings.fit.starts, "3", 1, 50,
                     "number of starts of a fit: the last optimum, the prior's centre, a point where nearly everything "
                     "is noise (later only sometimes), "
                     "draws from the prior"),
    FCPS_INTEGER_ROW("fit_budget", fcps_bo_settings, model_settings.fit.budget, "25", 1, 1000,
                     "likelihood evaluations per start"),
    FCPS_INTEGER_ROW(
        "fit_targets", fcps_bo_settings, fit_targets, "4", 1, 64,
        "number of targets whose rewards are fitted together: that of the ask and the latest others (model=rescored)"),
    FCPS_INTEGER_ROW("policy_targets", fcps_bo_settings, policy_targets, "4", 0, 64,
                     "latest targets the policy is fitted to; 0 keeps the last ask's fit"),
    FCPS_NUMBER_ROW("caution", fcps_bo_settings, caution, "2", 0, 10,
                    "how far the policy keeps away from likely failures and absent outcomes; 0: not at all"),
    FCPS_NUMBER_ROW("doubt", fcps_bo_settings, doubt, "0", 0, 10,
                    "model deviations that the policy subtracts from a predicted reward; 0: it trusts the mean"),
    FCPS_CHOICE_ROW("search", fcps_bo_settings, acquisition_settings.search.kind, "multistart", fcps_search_kind_name,
                    "candidates and L-BFGS-B, or the paper's DIRECT and L-BFGS-B"),
    FCPS_INTEGER_ROW("candidates", fcps_bo_settings, acquisition_settings.search.candidates, "800", 1, 1000000,
                     "candidates (evaluations of DIRECT) per search"),
    FCPS_CHOICE_ROW(
        "trust_region", fcps_bo_settings, region, "off", region_choice,
        "ucb and ei search near the best parameters tried: off, on, or auto: in every other ask if there is "
        "no target"),
    FCPS_INTEGER_ROW("starts", fcps_bo_settings, acquisition_settings.search.starts, "3", 1, 1000,
                     "candidates refined by L-BFGS-B"),
    {.spec.name = NULL},
};

static const fcps_setting_row criterion_rows[] = {
    FCPS_CHOICE_ROW("criterion", fcps_bo_settings, criterion, "ivr", criterion_choice,
                    "what a chosen trial should reduce: the deviation where the policy acts, or the entropy of the "
                    "best parameters"),
    {.spec.name = NULL},
};

static const fcps_setting_row contextual_rows[] = {
    FCPS_INTEGER_ROW("contexts", fcps_bo_settings, contextual.contexts, "200", 1, 10000,
                     "contexts in which the best parameters are sought"),
    FCPS_INTEGER_ROW("targets", fcps_bo_settings, contextual.targets, "10", 1, 1000,
                     "number of targets among them, each with every environment (rescored)"),
    FCPS_INTEGER_ROW("neighbours", fcps_bo_settings, contextual.neighbours, "8", 1, 10000,
                     "nearest environments (joint: contexts) on which the information of a trial is counted"),
    {.spec.name = NULL},
};

const fcps_setting_table fcps_learner_bo_settings = {.size = sizeof(fcps_bo_settings), .parts = {{bo_rows, 0}}};
const fcps_setting_table fcps_learner_outcome_active_settings = {.size = sizeof(fcps_bo_settings),
                                                                 .parts = {{bo_rows, 0}, {criterion_rows, 0}}};
const fcps_setting_table fcps_learner_active_settings = {.size = sizeof(fcps_bo_settings),
                                                         .parts = {{bo_rows, 0}, {contextual_rows, 0}}};

/* -- Settings that follow from others -- */

static const fcps_model_ops *model_of(const fcps_bo_choices *choices, const fcps_problem *problem)
{
  if (choices->model != FCPS_BO_AUTO) return fcps_model_kind_at(choices->model - FCPS_BO_FIRST);
  return problem->reward != NULL ? &fcps_model_rescored : &fcps_model_joint;
}

/* Unless each outcome has its own GP, the outcomes that the reward measures by a distance share one scale. Their
 * uncertainty is then the same in every direction. */
static fcps_gp_scaling scaling_of(const fcps_bo_settings *s)
{
  if (!s->choices.is_standardized) return FCPS_SCALING_NONE;
  const bool is_shared = s->model->predicts_outcomes && s->model_settings.structures.separate != FCPS_STRUCTURE_ON;
  return is_shared ? FCPS_SCALING_METRIC : FCPS_SCALING_EACH;
}

static int count_inputs(const fcps_model_ops *model, const fcps_problem *p)
{
  return p->environment.count + p->parameters.count + (model->has_target_inputs ? p->target.count : 0);
}

/* Returns the factor of the length prior. Distances in the unit cube grow with the root of the number of inputs.
 * Lengths must grow with them; else the GP takes all points as unrelated [hvarfner2024]. */
static double length_growth(const fcps_bo_settings *s, int inputs)
{
  const double ratio = fmax(1.0, (double)inputs / FEW_INPUTS);
  return s->choices.has_length_growth ? sqrt(ratio) : 1.0;
}

/* Returns the kernel, also for `auto`. With many inputs every candidate is far from the rollouts, and an infinitely
 * smooth kernel is too certain there. This harms predictions of rewards, which have edges; outcomes are smoother. */
static const fcps_kernel *kernel_of(const fcps_bo_settings *s, int inputs)
{
  if (s->choices.kernel != FCPS_BO_AUTO) return fcps_kernel_at(s->choices.kernel - FCPS_BO_FIRST);
  const bool is_rough = !s->model->predicts_outcomes && inputs > FEW_INPUTS;
  return is_rough ? &fcps_kernel_matern32 : &fcps_kernel_se;
}

/* Returns the setting of the structure `frame`: off, auto, or on if the words declare a frame. */
static fcps_structure_setting frame_of(const fcps_bo_choices *choices)
{
  const int named = fcps_choice_find(fcps_structure_look_name, choices->frame);
  return named >= 0 ? (fcps_structure_setting)named : FCPS_STRUCTURE_ON;
}

void fcps_bo_settings_read(const fcps_learner *learner, fcps_bo_settings *settings)
{
  fcps_bo_settings *s = settings;
  *s = *(const fcps_bo_settings *)learner->settings;
  s->model = model_of(&s->choices, &learner->problem);
  s->acquisition = fcps_acquisition_at(s->choices.acquisition);
  s->acquisition_settings.search.local_budget = LOCAL_BUDGET;

  const int inputs = count_inputs(s->model, &learner->problem);
  fcps_model_settings *m = &s->model_settings;
  m->kernel = kernel_of(s, inputs);
  m->circular = s->choices.angles == FCPS_BO_ANGLES_CIRCLE;
  m->structures.frame = frame_of(&s->choices);
  snprintf(m->structures.frame_words, sizeof m->structures.frame_words, "%s", s->choices.frame);
  m->norm.scaling = scaling_of(s);
  m->prior.is_flat = s->choices.hyper == FCPS_BO_HYPER_ML;
  m->prior.length = length_growth(s, inputs) * m->prior.length;
  m->prior.has_long_tail = s->choices.length_tail == FCPS_BO_TAIL_LONG;
  m->fit.samples = s->choices.hyper == FCPS_BO_HYPER_BAYES ? s->choices.hyper_samples : 0;
}
