/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults follow the calibration against the paper's Table I (docs/maths.md): standardized rewards, MAP
 * hyper-parameters, a small constant kappa, five random rollouts first. */
#include "learner/bo/bo_settings.h"
#include "learner/bo/context_choice.h"

#include <math.h>
#include <stddef.h>

enum { MODEL_AUTO, MODEL_JOINT, MODEL_RESCORED, MODEL_OUTCOME };
enum { KERNEL_AUTO, FIRST_KERNEL };

/* Up to so many inputs priors are as they are set; beyond, they allow for the number (docs/future-work.md). */
enum { FEW_INPUTS = 8 };

/* What passive and active learners have in common. */
// clang-format off
#define BO_SETTINGS                                                                                                   \
    {"model", FCPS_SETTING_CHOICE, "auto", 0, 0, "auto|joint|rescored|outcome",                                       \
     "what the GP learns; auto: rescored where the reward is a function, else joint"},                                \
    {"acquisition", FCPS_SETTING_CHOICE, "ucb", 0, 0, FCPS_ACQUISITION_CHOICES, "what makes a trial worth doing"},    \
    {"kernel", FCPS_SETTING_CHOICE, "auto", 0, 0, "auto|" FCPS_KERNEL_CHOICES,                                        \
     "covariance function of the GP; auto: se, but matern32 for rewards of more than 8 inputs"},                      \
    {"angles", FCPS_SETTING_CHOICE, "circle", 0, 0, "circle|raw",                                                     \
     "periodic dimensions as points on a circle, or as plain numbers"},                                               \
    {"mean", FCPS_SETTING_CHOICE, "centred", 0, 0, FCPS_MEAN_CHOICES,                                                 \
     "prior mean of rewards: their average, generalized least squares, or zero"},                                     \
    {"standardize", FCPS_SETTING_SWITCH, "on", 0, 0, NULL, "divide rewards by their standard deviation"},             \
    {"hyperparameters", FCPS_SETTING_CHOICE, "map", 0, 0, "map|ml|bayes",                                             \
     "with priors, maximum likelihood, or several samples of their posterior"},                                       \
    {"separate", FCPS_SETTING_SWITCH, "off", 0, 0, NULL,                                                              \
     "each dimension of the outcome has hyper-parameters and a factorization of its own (outcome)"},                  \
    {"input_noise", FCPS_SETTING_CHOICE, "off", 0, 0, FCPS_INPUT_NOISE_CHOICES,                                       \
     "parameters are executed inexactly: all by input_noise_share, or each as the data say"},                         \
    {"input_noise_share", FCPS_SETTING_NUMBER, "0.01", 0, 0.5, NULL,                                                  \
     "deviation of what is executed, as a share of a parameter's range (input_noise=given)"},                         \
    {"hyper_samples", FCPS_SETTING_INTEGER, "6", 2, 100, NULL, "samples that answers are averaged over (bayes)"},     \
    {"length_prior", FCPS_SETTING_NUMBER, "0.4", 0.01, 10, NULL, "median length-scale, inputs in [0,1]"},             \
    {"length_growth", FCPS_SETTING_SWITCH, "on", 0, 0, NULL,                                                          \
     "beyond 8 inputs the median grows with the root of their number"},                                               \
    {"length_prior_sd", FCPS_SETTING_NUMBER, "0.8", 0.01, 10, NULL, "deviation of its logarithm"},                    \
    {"environment_stretch", FCPS_SETTING_NUMBER, "1", 0.1, 100, NULL,                                                 \
     "factor of length_prior for the environment: how much less it matters than parameters"},                         \
    {"length_tail", FCPS_SETTING_CHOICE, "normal", 0, 0, "normal|long",                                               \
     "prior of long length-scales: long lets an input turn out not to matter"},                                       \
    {"signal_prior", FCPS_SETTING_NUMBER, "1", 0.01, 100, NULL, "median signal deviation, outputs standardized"},     \
    {"signal_prior_sd", FCPS_SETTING_NUMBER, "1", 0.01, 10, NULL, "deviation of its logarithm"},                      \
    {"noise_prior", FCPS_SETTING_NUMBER, "0.05", 1e-6, 1, NULL, "median noise deviation, outputs standardized"},      \
    {"noise_prior_sd", FCPS_SETTING_NUMBER, "1", 0.01, 10, NULL, "deviation of its logarithm"},                       \
    {"noise_floor", FCPS_SETTING_NUMBER, "1e-3", 1e-6, 0.5, NULL, "least noise deviation"},                           \
    {"split", FCPS_SETTING_SWITCH, "off", 0, 0, NULL,                                                                 \
     "two GPs, along one context dimension, where the evidence says so"},                                             \
    {"kappa", FCPS_SETTING_NUMBER, "0.5", 0, 100, NULL, "exploration of ucb: mean + kappa deviation"},                \
    {"kappa_schedule", FCPS_SETTING_CHOICE, "constant", 0, 0, FCPS_KAPPA_CHOICES,                                     \
     "constant kappa, or growing with the number of rollouts"},                                                       \
    {"initial", FCPS_SETTING_INTEGER, "5", 0, 10000, NULL, "rollouts before the model is used"},                      \
    {"design", FCPS_SETTING_CHOICE, "random", 0, 0, FCPS_DESIGN_CHOICES, "how their parameters are placed"},          \
    {"hindsight", FCPS_SETTING_SWITCH, "off", 0, 0, NULL, "a second row for the achieved target (joint)"},            \
    {"refit", FCPS_SETTING_INTEGER, "0", 0, 10000, NULL,                                                              \
     "rollouts between fits of the hyper-parameters; 0: a twenty-fifth of those known"},                              \
    {"fit_starts", FCPS_SETTING_INTEGER, "2", 1, 50, NULL,                                                            \
     "starts of a fit: last optimum, prior (then one time in a few), draws from the prior"},                          \
    {"fit_budget", FCPS_SETTING_INTEGER, "25", 1, 1000, NULL, "likelihood evaluations a start"},                      \
    {"fit_targets", FCPS_SETTING_INTEGER, "4", 1, 64, NULL,                                                           \
     "targets an ask fits together: its own and the latest others (rescored)"},                                       \
    {"policy_targets", FCPS_SETTING_INTEGER, "4", 0, 64, NULL,                                                        \
     "latest targets the policy is fitted to; 0 keeps the last ask's fit"},                                           \
    {"search", FCPS_SETTING_CHOICE, "multistart", 0, 0, FCPS_SEARCH_CHOICES,                                          \
     "candidates and L-BFGS-B, or the paper's DIRECT and L-BFGS-B"},                                                  \
    {"candidates", FCPS_SETTING_INTEGER, "800", 1, 1000000, NULL, "candidates (evaluations of DIRECT) a search"},     \
    {"trust_region", FCPS_SETTING_SWITCH, "off", 0, 0, NULL,                                                          \
     "ucb and ei search near the best parameters tried: for many parameters"},                                        \
    {"starts", FCPS_SETTING_INTEGER, "3", 1, 1000, NULL, "candidates refined by L-BFGS-B"}
// clang-format on

const fcps_setting_spec fcps_learner_bo_settings[] = {BO_SETTINGS, {0}};

const fcps_setting_spec fcps_learner_outcome_active_settings[] = {
    BO_SETTINGS,
    {"criterion", FCPS_SETTING_CHOICE, "ivr", 0, 0, FCPS_CHOICE_CRITERIA,
     "what a chosen trial should cut: deviation where the policy acts, or entropy of which parameters are best"},
    {0},
};

const fcps_setting_spec fcps_learner_active_settings[] = {
    BO_SETTINGS,
    {"contexts", FCPS_SETTING_INTEGER, "200", 1, 10000, NULL, "contexts in which the best parameters are sought"},
    {"targets", FCPS_SETTING_INTEGER, "10", 1, 1000, NULL,
     "of which so many targets, each with all environments (rescored)"},
    {"neighbours", FCPS_SETTING_INTEGER, "8", 1, 10000, NULL,
     "nearest environments (joint: contexts) that a trial is taken to tell about"},
    {0},
};

/* Evaluations a local refinement may use: quasi-Newton in a few dimensions is done well before. */
enum { LOCAL_BUDGET = 25 };

static const fcps_model_ops *model_of(const fcps_learner *learner)
{
  switch (fcps_settings_choice(&learner->settings, "model")) {
  case MODEL_JOINT:
    return &fcps_model_joint;
  case MODEL_RESCORED:
    return &fcps_model_rescored;
  case MODEL_OUTCOME:
    return &fcps_model_outcome;
  default:
    return learner->problem.reward != NULL ? &fcps_model_rescored : &fcps_model_joint;
  }
}

/* Outcomes keep one scale, so that their uncertainty is the same in every direction, unless each has a GP of its
 * own. */
static fcps_gp_scaling scaling_of(const fcps_settings *s, const fcps_model_ops *model)
{
  if (!fcps_settings_switch(s, "standardize")) return FCPS_SCALING_NONE;
  return fcps_model_kind_predicts_outcomes(model) && !fcps_settings_switch(s, "separate") ? FCPS_SCALING_SHARED
                                                                                          : FCPS_SCALING_EACH;
}

static int count_inputs(const fcps_learner *learner, const fcps_model_ops *model)
{
  const fcps_problem *p = &learner->problem;
  return p->environment.count + p->parameters.count + (fcps_model_kind_knows_target(model) ? p->target.count : 0);
}

/* Distances in the unit cube grow with the root of the number of inputs, and lengths must grow with them, or the GP
 * takes all points for strangers [hvarfner2024]. */
static double length_prior(const fcps_learner *learner, const fcps_model_ops *model)
{
  const double ratio = fmax(1.0, (double)count_inputs(learner, model) / FEW_INPUTS);
  const double growth = fcps_settings_switch(&learner->settings, "length_growth") ? sqrt(ratio) : 1.0;
  return growth * fcps_settings_number(&learner->settings, "length_prior");
}

/* Among many inputs every candidate is far from the rollouts, where an infinitely smooth belief is sure of what it
 * extrapolates. Rewards have edges that contradict it; outcomes are smoother. */
static const fcps_kernel *kernel_of(const fcps_learner *learner, const fcps_model_ops *model)
{
  const int choice = fcps_settings_choice(&learner->settings, "kernel");
  if (choice != KERNEL_AUTO) return fcps_kernel_at(choice - FIRST_KERNEL);
  const bool is_rough = !fcps_model_kind_predicts_outcomes(model) && count_inputs(learner, model) > FEW_INPUTS;
  return is_rough ? &fcps_kernel_matern32 : &fcps_kernel_se;
}

static fcps_model_settings read_model(const fcps_learner *learner, const fcps_model_ops *model)
{
  const fcps_settings *s = &learner->settings;
  return (fcps_model_settings){
      .kernel = kernel_of(learner, model),
      .circular = fcps_settings_choice(s, "angles") == 0,
      .norm = {.mean = (fcps_gp_mean)fcps_settings_choice(s, "mean"), .scaling = scaling_of(s, model)},
      .prior = {.is_flat = fcps_settings_choice(s, "hyperparameters") == 1,
                .length = length_prior(learner, model),
                .length_sd = fcps_settings_number(s, "length_prior_sd"),
                .has_long_tail = fcps_settings_choice(s, "length_tail") == 1,
                .signal = fcps_settings_number(s, "signal_prior"),
                .signal_sd = fcps_settings_number(s, "signal_prior_sd"),
                .noise = fcps_settings_number(s, "noise_prior"),
                .noise_sd = fcps_settings_number(s, "noise_prior_sd"),
                .noise_floor = fcps_settings_number(s, "noise_floor")},
      .environment_stretch = fcps_settings_number(s, "environment_stretch"),
      .is_separate = fcps_settings_switch(s, "separate"),
      .input_noise = (fcps_input_noise)fcps_settings_choice(s, "input_noise"),
      .input_noise_share = fcps_settings_number(s, "input_noise_share"),
      .may_split = fcps_settings_switch(s, "split"),
      .fit = {.starts = fcps_settings_integer(s, "fit_starts"),
              .budget = fcps_settings_integer(s, "fit_budget"),
              .samples =
                  fcps_settings_choice(s, "hyperparameters") == 2 ? fcps_settings_integer(s, "hyper_samples") : 0}};
}

void fcps_bo_settings_read(const fcps_learner *learner, fcps_bo_settings *settings)
{
  const fcps_settings *s = &learner->settings;
  const fcps_model_ops *model = model_of(learner);
  *settings = (fcps_bo_settings){
      .model = model,
      .model_settings = read_model(learner, model),
      .acquisition = fcps_acquisition_at(fcps_settings_choice(s, "acquisition")),
      .acquisition_settings = {.kappa = fcps_settings_number(s, "kappa"),
                               .schedule = (fcps_kappa_schedule)fcps_settings_choice(s, "kappa_schedule"),
                               .search = {.kind = (fcps_search_kind)fcps_settings_choice(s, "search"),
                                          .candidates = fcps_settings_integer(s, "candidates"),
                                          .starts = fcps_settings_integer(s, "starts"),
                                          .local_budget = LOCAL_BUDGET}},
      .design = (fcps_design)fcps_settings_choice(s, "design"),
      .initial = fcps_settings_integer(s, "initial"),
      .has_hindsight = fcps_settings_switch(s, "hindsight"),
      .refit = fcps_settings_integer(s, "refit"),
      .has_trust_region = fcps_settings_switch(s, "trust_region"),
      .fit_targets = fcps_settings_integer(s, "fit_targets"),
      .policy_targets = fcps_settings_integer(s, "policy_targets")};
  if (s->specs == fcps_learner_active_settings)
    settings->contextual = (fcps_contextual_settings){.contexts = fcps_settings_integer(s, "contexts"),
                                                      .targets = fcps_settings_integer(s, "targets"),
                                                      .neighbours = fcps_settings_integer(s, "neighbours")};
}
