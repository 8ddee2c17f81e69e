/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of the Bayesian-optimization learners.
 *
 * The setting tables fill an fcps_bo_settings. Most of its fields are those that the model, the acquisition and the
 * search read. `choices` has settings from which others follow; fcps_bo_settings_read computes these from `choices` and
 * the problem. learner->settings keeps the values as given, because a saved learner must contain them.
 */
#ifndef FCPS_LEARNER_BO_BO_SETTINGS_H
#define FCPS_LEARNER_BO_BO_SETTINGS_H

#include "acquisition/acquisition.h"
#include "base/settings.h"
#include "learner/learner_impl.h"
#include "problem/rollouts.h"

/* -- Design: the first parameters, before the model knows enough -- */

typedef enum fcps_design { FCPS_DESIGN_RANDOM, FCPS_DESIGN_MAXIMIN, FCPS_DESIGN_LATIN, FCPS_DESIGN_HALTON } fcps_design;

/* Returns the name of a design, NULL past the last one. */
const char *fcps_design_name(int index);

/* Computes a point (unit cube) of a design of `size` points for the ask `id`. All rollouts and pending asks of the
 * learner count as points of the design, so that new points stay apart even from rollouts that were told without an
 * ask. */
fcps_status fcps_design_point(const fcps_learner *learner, fcps_design design, int size, int64_t id, double *x,
                              fcps_error *error);

/* Moves the parameters of a design's point so that they keep constraints and limits in its context. If they break a
 * constraint, they move to a random place that keeps all constraints; unless the design is random, this place is far
 * from earlier points. If there are limits, they become a trial that is declared safe, or a point within reach of
 * trials that kept the limits (problem/reach.h). */
fcps_status fcps_design_keep_away(const fcps_learner *learner, fcps_design design, int64_t id, const double *target,
                                  const double *environment, double *parameters, fcps_error *error);

/* *at := the next safe trial after *at, for this context, that was never done, or nearly; -1: there is no other. */
fcps_status fcps_design_next_safe(const fcps_learner *learner, const double *target, const double *environment, int *at,
                                  fcps_error *error);

/* Returns the number of points so far: rollouts and pending asks. */
int fcps_design_made(const fcps_learner *learner);

/* -- Trust region -- */

/* Whether asks stay in a trust region: never, always, or every other ask. */
typedef enum fcps_region_use { FCPS_REGION_OFF, FCPS_REGION_ON, FCPS_REGION_AUTO } fcps_region_use;

/* The side of the box of every other ask (FCPS_REGION_AUTO). */
#define FCPS_REGION_SIDE 0.2

/* A trust region [eriksson2019]. In many dimensions a model is only right near the parameters tried. So the search
 * stays in a box around the best of them, which grows while trials succeed and shrinks while they fail.
 *
 * A trial succeeds if it earned more for its target than every earlier rollout would have earned. The region follows
 * from the rollouts, so it is not saved. */

typedef struct fcps_trust_region {
  double side; /* side of the box, in ranges of the parameters */
  int successes, failures;
} fcps_trust_region;

fcps_trust_region fcps_trust_region_start(void);

/* Returns the region after a trial with `reward`, if the best earlier rollout would have earned `best`. */
fcps_trust_region fcps_trust_region_after(fcps_trust_region trust_region, double reward, double best);

/* Updates the region after a rollout, which is compared with the `earlier` ones. A rollout that is not ok is a
 * failure. */
fcps_status fcps_trust_region_observe(fcps_trust_region *trust_region, const fcps_problem *problem,
                                      const fcps_rollouts *earlier, const fcps_rollout *rollout, fcps_error *error);

/* -- Settings -- */

/* How periodic dimensions enter the GP: as points on a circle, or as plain numbers. */
typedef enum fcps_bo_angles { FCPS_BO_ANGLES_CIRCLE, FCPS_BO_ANGLES_RAW } fcps_bo_angles;

/* Which hyper-parameters the GP uses: the optimum with priors, the optimum of the likelihood alone, or samples of the
 * posterior. */
typedef enum fcps_bo_hyper { FCPS_BO_HYPER_MAP, FCPS_BO_HYPER_ML, FCPS_BO_HYPER_BAYES } fcps_bo_hyper;

/* The prior of length-scales above their median: normal of the logarithm, or falling more slowly. */
typedef enum fcps_bo_tail { FCPS_BO_TAIL_NORMAL, FCPS_BO_TAIL_LONG } fcps_bo_tail;

/* What a chosen trial of outcome-active should reduce. */
typedef enum fcps_choice_criterion { FCPS_CHOICE_IVR, FCPS_CHOICE_ES } fcps_choice_criterion;

/* The index of an entry of a registry, or `auto`: the entry that suits the problem. */
enum { FCPS_BO_AUTO, FCPS_BO_FIRST /* the first entry of the registry; the others follow */ };

typedef struct fcps_bo_choices {
  int model, kernel; /* FCPS_BO_AUTO, or FCPS_BO_FIRST + index in the registry */
  int acquisition;   /* index in the registry */
  fcps_bo_angles angles;
  fcps_bo_hyper hyper;
  int hyper_samples;
  fcps_bo_tail length_tail;
  char frame[FCPS_SETTING_WORDS_SIZE]; /* auto, off, or a frame in words */
  bool is_standardized;
  bool has_length_growth;
} fcps_bo_choices;

typedef struct fcps_bo_settings {
  fcps_bo_choices choices;
  const fcps_model_ops *model;
  fcps_model_settings model_settings;
  const fcps_acquisition *acquisition;
  fcps_acquisition_settings acquisition_settings;
  fcps_design design;
  int initial;                         /* number of points of the design */
  int refit;                           /* number of rollouts between fits */
  fcps_region_use region;              /* whether the search stays near the best parameters tried */
  bool has_hindsight;                  /* a second row for the achieved target */
  int fit_targets;                     /* number of targets whose rewards an ask fits together */
  int policy_targets;                  /* number of targets whose rewards the policy's fit uses */
  double caution;                      /* how far the policy keeps away from likely failures */
  double doubt;                        /* model deviations that the policy subtracts from a predicted reward */
  fcps_contextual_settings contextual; /* only for faces and aces */
  fcps_choice_criterion criterion;     /* only for outcome-active */
} fcps_bo_settings;

/* The setting tables: for learners with given contexts, for outcome-active, and for faces and aces. */
extern const fcps_setting_table fcps_learner_bo_settings;
extern const fcps_setting_table fcps_learner_outcome_active_settings;
extern const fcps_setting_table fcps_learner_active_settings;

/* Computes the settings from learner->settings and the problem. */
void fcps_bo_settings_read(const fcps_learner *learner, fcps_bo_settings *settings);

#endif
