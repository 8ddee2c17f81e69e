/* SPDX-License-Identifier: Apache-2.0 */
/* The learners by name: the declaration of each algorithm and of its settings, and one entry per name. Several names
 * may be one algorithm with other defaults.
 *
 * Invariant: the ops of a learner have `choose` if and only if info.is_active, that is, if it chooses contexts. */
#include "learner/learner_impl.h"

#include "base/error.h"

#include <string.h>

extern const fcps_learner_ops fcps_learner_bo, fcps_learner_outcome_active, fcps_learner_active, fcps_learner_c_reps,
    fcps_learner_c_cma_es, fcps_learner_crkr;
extern const fcps_setting_table fcps_learner_bo_settings, fcps_learner_outcome_active_settings,
    fcps_learner_active_settings, fcps_learner_c_reps_settings, fcps_learner_c_cma_es_settings,
    fcps_learner_crkr_settings;

/* The defaults of a learner that differ from those of its settings table. */
#define DEFAULTS(...) ((const fcps_setting[]){__VA_ARGS__, {NULL, NULL}})

/* Calibrated on seeds other than those of the claims (docs/lab/outcome.md). */
#define OUTCOME_DEFAULTS(first_rollouts)                                                                               \
  DEFAULTS({"initial", first_rollouts}, {"model", "outcome"}, {"kappa", "1"}, {"design", "maximin"},                   \
           {"length_prior_sd", "0.4"}, {"length_tail", "long"}, {"environment_stretch", "3"}, {"separate", "auto"},    \
           {"doubt", "1"}, {"trust_region", "auto"})

/* Problems for active learning often have a break somewhere in the contexts, which these learners look for (split=on).
 * Ten first trials, a tenth of a usual run, are enough. */
#define ACTIVE_DEFAULTS(model_name)                                                                                    \
  DEFAULTS({"model", model_name}, {"acquisition", "es"}, {"split", "on"}, {"initial", "10"}, {"fit_targets", "4"})

static const fcps_learner_entry learners[] = {
    {
        .info.name = "outcome",
        .info.summary = "models outcomes and computes the reward exactly: every rollout serves every target",
        .info.needs_reward = true,
        .info.settings = &fcps_learner_bo_settings,
        .info.defaults = OUTCOME_DEFAULTS("3"),
        .ops = &fcps_learner_bo,
    },
    {
        .info.name = "outcome-active",
        .info.summary =
            "the outcome learner that also chooses contexts, so that each trial sharpens the whole policy most",
        .info.is_active = true,
        .info.needs_reward = true,
        .info.settings = &fcps_learner_outcome_active_settings,
        .info.defaults = OUTCOME_DEFAULTS("6"),
        .ops = &fcps_learner_outcome_active,
    },
    {
        .info.name = "bo-fcps",
        .info.summary =
            "factored Bayesian optimization: rewards of all rollouts scored again for the target [pinsler2019]",
        .info.needs_reward = true,
        .info.settings = &fcps_learner_bo_settings,
        .info.defaults = DEFAULTS({"model", "rescored"}),
        .ops = &fcps_learner_bo,
    },
    {
        .info.name = "bo-cps",
        .info.summary = "Bayesian optimization over target, environment and parameters at once [metzen2015]",
        .info.settings = &fcps_learner_bo_settings,
        .info.defaults = DEFAULTS({"model", "joint"}),
        .ops = &fcps_learner_bo,
    },
    {
        .info.name = "bo-fcps-her",
        .info.summary =
            "bo-cps that also learns from the target that was achieved: no reward function needed [pinsler2019]",
        .info.settings = &fcps_learner_bo_settings,
        .info.defaults = DEFAULTS({"model", "joint"}, {"hindsight", "on"}, {"refit", "5"}),
        .ops = &fcps_learner_bo,
    },
    {
        .info.name = "faces",
        .info.summary = "chooses contexts by entropy search, with rewards scored again for many targets [pinsler2019]",
        .info.is_active = true,
        .info.needs_reward = true,
        .info.settings = &fcps_learner_active_settings,
        .info.defaults = ACTIVE_DEFAULTS("rescored"),
        .ops = &fcps_learner_active,
    },
    {
        .info.name = "aces",
        .info.summary =
            "chooses contexts by entropy search, over target, environment and parameters at once [metzen2015b]",
        .info.is_active = true,
        .info.settings = &fcps_learner_active_settings,
        .info.defaults = ACTIVE_DEFAULTS("joint"),
        .ops = &fcps_learner_active,
    },
    {
        .info.name = "c-reps",
        .info.summary =
            "contextual relative entropy policy search: local updates of a linear-Gaussian policy [kupcsik2013]",
        .info.settings = &fcps_learner_c_reps_settings,
        .ops = &fcps_learner_c_reps,
    },
    {
        .info.name = "c-cma-es",
        .info.summary =
            "contextual covariance matrix adaptation: a linear-Gaussian policy moved by ranks [abdolmaleki2017]",
        .info.settings = &fcps_learner_c_cma_es_settings,
        .ops = &fcps_learner_c_cma_es,
    },
    {
        .info.name = "crkr",
        .info.summary =
            "cost-regularized kernel regression: parameters of cheap rollouts smoothed over contexts [kober2012]",
        .info.settings = &fcps_learner_crkr_settings,
        .ops = &fcps_learner_crkr,
    },
    {
        .info.name = "random",
        .info.summary = "uniformly random parameters; the policy still comes from a model",
        .info.settings = &fcps_learner_bo_settings,
        .info.defaults = DEFAULTS({"acquisition", "random"}),
        .ops = &fcps_learner_bo,
    },
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

const char *fcps_learner_default(const char *learner, const char *setting)
{
  const fcps_learner_entry *entry = learner != NULL ? fcps_learner_entry_find(learner, NULL) : NULL;
  if (entry == NULL || setting == NULL) return NULL;
  const char *own = fcps_setting_value(entry->info.defaults, setting);
  const fcps_setting_spec *spec;
  for (int i = 0; own == NULL && (spec = fcps_setting_at(entry->info.settings, i)) != NULL; i++)
    if (strcmp(spec->name, setting) == 0) own = spec->initial;
  return own;
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
