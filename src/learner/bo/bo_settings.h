/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of the Bayesian-optimization learners, as values. */
#ifndef FCPS_LEARNER_BO_BO_SETTINGS_H
#define FCPS_LEARNER_BO_BO_SETTINGS_H

#include "acquisition/acquisition.h"
#include "acquisition/contextual/contextual_gain.h"
#include "learner/bo/design.h"

typedef struct fcps_bo_settings {
  const fcps_model_ops *model;
  fcps_model_settings model_settings;
  const fcps_acquisition *acquisition;
  fcps_acquisition_settings acquisition_settings;
  fcps_design design;
  int initial;                         /* points of the design */
  int refit;                           /* rollouts between fits */
  bool has_trust_region;               /* the search stays near the best parameters tried */
  bool has_hindsight;                  /* a second row for the achieved target */
  int fit_targets;                     /* targets whose rewards an ask fits together */
  int policy_targets;                  /* the same for the policy */
  fcps_contextual_settings contextual; /* of learners that choose contexts */
} fcps_bo_settings;

/* Reads them from learner->settings, whose table is fcps_learner_bo_settings or fcps_learner_active_settings. */
void fcps_bo_settings_read(const fcps_learner *learner, fcps_bo_settings *settings);

#endif
