/* SPDX-License-Identifier: Apache-2.0 */
/* The learners by name: one line each. Several names may be one algorithm with other defaults. */
#include "learner/learner_impl.h"

#include "base/error.h"

#include <string.h>

#define DEFAULTS(...) ((const fcps_setting[]){__VA_ARGS__, {NULL, NULL}})

/* Calibrated on other seeds than any claim is made on (docs/outcome.md). */
#define OUTCOME_DEFAULTS                                                                                               \
  {"model", "outcome"}, {"kappa", "1"}, {"design", "maximin"}, {"length_prior_sd", "0.4"}, {"length_tail", "long"},    \
  {                                                                                                                    \
    "environment_stretch", "3"                                                                                         \
  }

/* One break in a context is what active learning is often about; one trial in ten of a hundred is a start. */
#define ACTIVE_DEFAULTS                                                                                                \
  {"acquisition", "es"}, {"split", "on"}, {"initial", "10"},                                                           \
  {                                                                                                                    \
    "fit_targets", "4"                                                                                                 \
  }

static const fcps_learner_entry learners[] = {
    {{"outcome", "learns what happens and keeps the reward exact: the outcome of all rollouts serves every target",
      false, true, &fcps_learner_bo_settings, DEFAULTS({"initial", "3"}, OUTCOME_DEFAULTS)},
     &fcps_learner_bo},
    {{"outcome-active", "the outcome learner choosing contexts, too: trials that sharpen the whole policy most", true,
      true, &fcps_learner_outcome_active_settings, DEFAULTS({"initial", "6"}, OUTCOME_DEFAULTS)},
     &fcps_learner_outcome_active},
    {{"bo-fcps", "factored Bayesian optimization: rewards of all rollouts scored again for the target [pinsler2019]",
      false, true, &fcps_learner_bo_settings, DEFAULTS({"model", "rescored"})},
     &fcps_learner_bo},
    {{"bo-cps", "Bayesian optimization over target, environment and parameters at once [metzen2015]", false, false,
      &fcps_learner_bo_settings, DEFAULTS({"model", "joint"})},
     &fcps_learner_bo},
    {{"bo-fcps-her",
      "bo-cps that also learns from the target that was achieved: no reward function needed [pinsler2019]", false,
      false, &fcps_learner_bo_settings, DEFAULTS({"model", "joint"}, {"hindsight", "on"}, {"refit", "5"})},
     &fcps_learner_bo},
    {{"faces", "chooses contexts by entropy search, with rewards scored again for many targets [pinsler2019]", true,
      true, &fcps_learner_active_settings, DEFAULTS({"model", "rescored"}, ACTIVE_DEFAULTS)},
     &fcps_learner_active},
    {{"aces", "chooses contexts by entropy search, over target, environment and parameters at once [metzen2015b]", true,
      false, &fcps_learner_active_settings, DEFAULTS({"model", "joint"}, ACTIVE_DEFAULTS)},
     &fcps_learner_active},
    {{"c-reps", "contextual relative entropy policy search: local updates of a linear-Gaussian policy [kupcsik2013]",
      false, false, &fcps_learner_c_reps_settings, NULL},
     &fcps_learner_c_reps},
    {{"c-cma-es", "contextual covariance matrix adaptation: a linear-Gaussian policy moved by ranks [abdolmaleki2017]",
      false, false, &fcps_learner_c_cma_es_settings, NULL},
     &fcps_learner_c_cma_es},
    {{"crkr", "cost-regularized kernel regression: parameters of cheap rollouts smoothed over contexts [kober2012]",
      false, false, &fcps_learner_crkr_settings, NULL},
     &fcps_learner_crkr},
    {{"random", "uniformly random parameters; the policy still comes from a model", false, false,
      &fcps_learner_bo_settings, DEFAULTS({"acquisition", "random"})},
     &fcps_learner_bo},
};

enum { LEARNERS = (int)(sizeof learners / sizeof *learners) };

const fcps_learner_entry *fcps_learner_entry_at(int index)
{
  return index >= 0 && index < LEARNERS ? learners + index : NULL;
}

const fcps_learner_info *fcps_learner_info_at(int index)
{
  const fcps_learner_entry *entry = fcps_learner_entry_at(index);
  return entry != NULL ? &entry->info : NULL;
}

const fcps_learner_entry *fcps_learner_entry_find(const char *name, fcps_error *error)
{
  const char *names[LEARNERS];
  char hint[256];
  for (int i = 0; i < LEARNERS; i++) {
    names[i] = learners[i].info.name;
    if (name != NULL && strcmp(names[i], name) == 0) return learners + i;
  }
  const char *wrong = name != NULL ? name : "";
  fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "learner", "there is no learner \"%s\"; %s", wrong,
                 fcps_name_hint(wrong, LEARNERS, names, sizeof hint, hint));
  return NULL;
}
