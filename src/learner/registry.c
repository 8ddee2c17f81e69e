/* SPDX-License-Identifier: Apache-2.0 */
/* The learners by name: one line each. Several names may be one algorithm with other defaults. */
#include "learner/learner_impl.h"

#include "base/error.h"

#include <string.h>

#define DEFAULTS(...) ((const fcps_setting[]){__VA_ARGS__, {NULL, NULL}})

static const fcps_learner_entry learners[] = {
    {{"outcome", "learns what happens and keeps the reward exact: the outcome of all rollouts serves every target",
      false, true, fcps_learner_bo_settings,
      DEFAULTS({"model", "outcome"}, {"kappa", "1"}, {"design", "maximin"}, {"initial", "3"},
               {"length_prior_sd", "0.4"})},
     &fcps_learner_bo},
    {{"bo-fcps", "factored Bayesian optimization: rewards of all rollouts scored again for the target [pinsler2019]",
      false, true, fcps_learner_bo_settings, DEFAULTS({"model", "rescored"})},
     &fcps_learner_bo},
    {{"bo-cps", "Bayesian optimization over target, environment and parameters at once [metzen2015]", false, false,
      fcps_learner_bo_settings, DEFAULTS({"model", "joint"})},
     &fcps_learner_bo},
    {{"bo-fcps-her",
      "bo-cps that also learns from the target that was achieved: no reward function needed [pinsler2019]", false,
      false, fcps_learner_bo_settings, DEFAULTS({"model", "joint"}, {"hindsight", "on"}, {"refit", "5"})},
     &fcps_learner_bo},
    {{"c-reps", "contextual relative entropy policy search: local updates of a linear-Gaussian policy [kupcsik2013]",
      false, false, fcps_learner_c_reps_settings, NULL},
     &fcps_learner_c_reps},
    {{"random", "uniformly random parameters; the policy still comes from a model", false, false,
      fcps_learner_bo_settings, DEFAULTS({"acquisition", "random"})},
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
