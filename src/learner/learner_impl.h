/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of a learner. A new learner is one file with an fcps_learner_ops, and one entry in registry.c.
 *
 * learner.c does what all learners share (checks, ids, pending asks, told rollouts) and calls the algorithm with
 * checked values. All random draws of an ask come from streams of (seed, purpose, ask id), so no random state is saved.
 */
#ifndef FCPS_LEARNER_LEARNER_IMPL_H
#define FCPS_LEARNER_LEARNER_IMPL_H

#include "base/settings.h"
#include "format/json.h"
#include "learner/learner.h"
#include "problem/problem.h"
#include "problem/rollouts.h"

#include <fcps/learner.h>

/* Every id of an ask is below this number. A saved text with a larger id is refused, so that the next id never
 * overflows. */
#define FCPS_LEARNER_MOST_ASKS ((int64_t)1 << 53)

typedef struct fcps_pending {
  int64_t id;
  double *target, *environment, *parameters; /* one allocation, at `target` */
} fcps_pending;

typedef struct fcps_learner_ops {
  /* Makes learner->state from learner->settings. If the algorithm cannot serve the problem, fails and says why. */
  fcps_status (*create)(fcps_learner *learner, fcps_error *error);
  void (*destroy)(void *state); /* `state` may be NULL or half-built */

  /* Chooses parameters for a context. `id` is that of the new ask, which is not among the pending ones yet. */
  fcps_status (*ask)(fcps_learner *learner, int64_t id, const double *target, const double *environment,
                     double *parameters, fcps_error *error);

  /* Chooses the parameters and the free dimensions of the context. NULL unless info.is_active. */
  fcps_status (*choose)(fcps_learner *learner, int64_t id, const fcps_free_dimensions *free_dimensions, double *target,
                        double *environment, double *parameters, fcps_error *error);

  /* Takes in the newest of learner->rollouts. After a failure the state is unchanged. */
  fcps_status (*absorb)(fcps_learner *learner, const fcps_rollout *rollout, fcps_error *error);

  /* Makes the policy. It must not change the learner, so that the call never changes later asks. */
  fcps_status (*policy)(const fcps_learner *learner, fcps_policy **policy, fcps_error *error);

  /* OPTIONAL: the result that the learner expects of a trial, its model, the results that it does not believe, and its
   * habits (learner.h). Later asks must not depend on whether these functions were called. */
  fcps_status (*expect)(fcps_learner *learner, const double *target, const double *environment,
                        const double *parameters, fcps_prediction *prediction, fcps_error *error);
  const fcps_model *(*model)(const fcps_learner *learner);
  fcps_status (*surprises)(fcps_learner *learner, fcps_surprises *found, fcps_error *error);
  void (*habits)(const fcps_learner *learner, fcps_learner_habits *habits);

  /* OPTIONAL: save and load the state that cannot be rebuilt from the rollouts. `read` is called after all rollouts
   * were absorbed again. */
  fcps_json *(*write)(const fcps_learner *learner);
  fcps_status (*read)(fcps_learner *learner, const fcps_json *json, fcps_error *error);
} fcps_learner_ops;

typedef struct fcps_learner_entry {
  fcps_learner_info info;
  const fcps_learner_ops *ops;
} fcps_learner_entry;

struct fcps_learner {
  const fcps_learner_entry *entry;
  fcps_problem problem; /* a copy; its functions are called through `callbacks` */
  fcps_callbacks callbacks;
  void *settings; /* the settings struct that entry->info.settings describes, with the user's values */
  uint64_t seed;
  fcps_rollouts rollouts; /* all told rollouts */
  int pending_count;
  size_t pending_capacity;
  fcps_pending *pending; /* in the order of their ids */
  int64_t next_id;
  bool is_strict; /* asks must not be blind (learner.h) */
  fcps_log log;   /* called through `callbacks` */
  fcps_error error;
  void *state; /* the state of the algorithm */
};

/* The registry (registry.c): the learner at an index, NULL past the end, and the learner with a name. */
const fcps_learner_entry *fcps_learner_entry_at(int index);
const fcps_learner_entry *fcps_learner_entry_find(const char *name, fcps_error *error);

/* Returns the index of a pending ask, -1 if no ask with this id is pending. */
int fcps_learner_find_pending(const fcps_learner *learner, int64_t id);

/* Adds a rollout that is already checked, and lets the algorithm absorb it. */
fcps_status fcps_learner_store_rollout(fcps_learner *learner, const fcps_rollout *rollout, fcps_error *error);

#endif
