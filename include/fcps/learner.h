/* SPDX-License-Identifier: Apache-2.0 */
/* A learner: ask(context) -> parameters, tell(rollout), policy.
 *
 *   fcps_learner_create(&learner, &problem, "outcome", settings, seed, &error);
 *   for (int i = 0; i < 40; i++) {
 *     fcps_learner_ask(learner, target, environment, parameters, &id);
 *     // do the trial, and write what happened into `rollout`
 *     fcps_learner_tell(learner, id, &rollout);
 *   }
 *   fcps_learner_policy(learner, &policy);
 *
 * Use a learner in one thread at a time; different learners are independent. If a call fails, nothing has changed, and
 * fcps_learner_error says why.
 */
#ifndef FCPS_LEARNER_H
#define FCPS_LEARNER_H

#include <fcps/policy.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_learner fcps_learner;

/* The id of a rollout without an ask. */
#define FCPS_NOT_ASKED ((int64_t)0)

/* Creates a learner by name. `settings` may be NULL. If a name is unknown or a value out of range, the error lists
 * the possible ones. The learner copies the problem (see fcps_problem). Sets *learner to NULL on failure. */
FCPS_API fcps_status fcps_learner_create(fcps_learner **learner, const fcps_problem *problem, const char *name,
                                         const fcps_setting *settings, uint64_t seed, fcps_error *error);
FCPS_API void fcps_learner_destroy(fcps_learner *learner);

/* Sets the log for warnings of this learner (jitter added, fit fell back). Default: no log. */
FCPS_API void fcps_learner_set_log(fcps_learner *learner, fcps_log log);

/* Proposes parameters for a context; *id is the number of the ask. Several asks may be pending, and later asks take
 * them into account. Refuses a context that is not finite or outside its bounds. */
FCPS_API fcps_status fcps_learner_ask(fcps_learner *learner, const double *target, const double *environment,
                                      double *parameters, int64_t *id);

/* For active learners: chooses context and parameters together. A true element marks a free dimension, whose value
 * the learner fills in; you set the others in `target` and `environment`. With NULL, all dimensions of that space
 * are free. */
typedef struct fcps_free_dimensions {
  const bool *target, *environment;
} fcps_free_dimensions;
FCPS_API fcps_status fcps_learner_choose(fcps_learner *learner, const fcps_free_dimensions *free_dimensions,
                                         double *target, double *environment, double *parameters, int64_t *id);

/* Whether the learner can choose contexts. */
FCPS_API bool fcps_learner_is_active(const fcps_learner *learner);

/* Tells the learner a finished rollout. `id` is that of its ask, or FCPS_NOT_ASKED. Contexts and parameters must be
 * finite. If an outcome or reward is not finite, the rollout is stored, but the model leaves it out. Models of
 * outcomes need no reward. Models that re-score rollouts (bo-fcps, faces) give a rollout without a finite reward the
 * worst finite reward of the others.
 *
 * If the rollout has outcome deviations, models weigh each outcome by its deviation. A negative deviation is refused
 * with FCPS_ERR_BOUNDS, one that is not finite with FCPS_ERR_NOT_FINITE, and one for an absent outcome with
 * FCPS_ERR_ARGUMENT. */
FCPS_API fcps_status fcps_learner_tell(fcps_learner *learner, int64_t id, const fcps_rollout *rollout);

/* Drops a pending ask whose result will never be told. */
FCPS_API fcps_status fcps_learner_forget(fcps_learner *learner, int64_t id);

/* Makes the policy learnt so far, as a value of its own; the caller destroys it. */
FCPS_API fcps_status fcps_learner_policy(fcps_learner *learner, fcps_policy **policy);

/* The first function saves the whole state as a text, which you free with fcps_free. The second makes a learner from
 * such a text. It continues with exactly the same asks. */
FCPS_API fcps_status fcps_learner_save(const fcps_learner *learner, char **text, fcps_error *error);
FCPS_API fcps_status fcps_learner_load(fcps_learner **learner, const fcps_problem *problem, const char *text,
                                       fcps_error *error);

/* The error of the last call on this learner that failed. */
FCPS_API const fcps_error *fcps_learner_error(const fcps_learner *learner);

/* The number of rollouts that the learner was told, and the number of pending asks. */
FCPS_API int fcps_learner_rollout_count(const fcps_learner *learner);
FCPS_API int fcps_learner_pending_count(const fcps_learner *learner);

/* Describes built-in learner number `index`, counted from 0; NULL past the end. */
typedef struct fcps_learner_info {
  const char *name;
  const char *summary;                /* one line */
  bool is_active;                     /* chooses contexts */
  bool needs_reward;                  /* re-scores rollouts: needs the reward as a function */
  const fcps_setting_table *settings; /* see fcps_setting_at */
  /* its own defaults that differ from those in `settings`, ends with {NULL, NULL}; may be NULL */
  const fcps_setting *defaults;
} fcps_learner_info;
FCPS_API const fcps_learner_info *fcps_learner_info_at(int index);

/* A learner's default for a setting; NULL if there is no such learner or setting. */
FCPS_API const char *fcps_learner_default(const char *learner, const char *setting);

#ifdef __cplusplus
}
#endif
#endif
