/* SPDX-License-Identifier: Apache-2.0 */
/* A study as a whole, as JSON (see wire.h for what all writers have in common): how far it is, what its problem is, and
 * what stands in its journal beside the results. */
#ifndef FCPS_WIRE_STATUS_H
#define FCPS_WIRE_STATUS_H

#include "format/json.h"

#include <fcps/study.h>

/* What is counted over the stored results. */
typedef struct fcps_wire_tally {
  fcps_study_counts counts;
  int flagged, pending, suspects;
  int aimless;     /* results that count and came without a target */
  bool leaves_out; /* their rewards, because others have a target */
  fcps_study_costs costs;
  int reward_count;
  double *rewards; /* of the results that count, in order; flagged ones and suspects are left out */
  double best;     /* -infinity without rewards */
  double recent;   /* the mean of the last FCPS_WIRE_RECENT */
} fcps_wire_tally;

enum { FCPS_WIRE_RECENT = 10 };

/* Suspects are those that the last fcps_study_find_suspects found. */
fcps_status fcps_wire_tally_create(fcps_wire_tally *tally, const fcps_study *study, fcps_error *error);
void fcps_wire_tally_destroy(fcps_wire_tally *tally);

/* "best -0.3, mean of the last 10 -0.8", and which rewards are left out. Returns `text`. */
enum { FCPS_WIRE_EARNED_SIZE = 160 };
char *fcps_wire_earned_text(const fcps_wire_tally *tally, char text[FCPS_WIRE_EARNED_SIZE]);

/* Whether some result that counts has a target of its own, and whether this one came without: then it has the middle of every
 * range, which nobody wanted, and is no part of a learning curve beside the others. */
bool fcps_wire_has_aims(const fcps_study *study);
bool fcps_wire_is_aimless(const fcps_study *study, const fcps_stored_result *stored);

/* {"learner": ..., "settings": ..., "rollouts": 12, ..., "pending_asks": [...]}, and once there are rewards also the
 * best, the latest, all of them, what the policy is expected to earn and how its model is. `policy` may be NULL if
 * there is no reward yet. `target` and `environment` are the context of the worst reward. */
fcps_json *fcps_wire_status_write(const fcps_study *study, const fcps_wire_tally *tally, const fcps_policy *policy,
                                  const fcps_outlook *outlook, const double *target, const double *environment);

/* The settings that are not the learner's defaults, {"kappa": "0.4"}. */
fcps_json *fcps_wire_settings_write(const fcps_study *study);

/* {"name": "throw", "target": [{"name": "x", "lower": -8, "upper": 8, "unit": "m"}], ..., "reward": "-hypot(...)"}. The
 * reward is null if it is told. A dimension has "period", "scale" and "step" where they are not the usual ones. */
fcps_json *fcps_wire_problem_write(const fcps_study *study, const char *name);

/* {"sequence": 12, "time_ms": ..., "code": "reward", "text": "-abs(x)"} */
fcps_json *fcps_wire_event_write(const fcps_study_event *event);

/* Whether to go on, in words: "gains at most 0.1 a context; ...: worth it". Returns `text`. */
enum { FCPS_WIRE_GOING_ON_SIZE = 512 };
char *fcps_wire_going_on_text(const fcps_study *study, const fcps_outlook *outlook, char text[FCPS_WIRE_GOING_ON_SIZE]);

/* The name of a result for people: ASK.N, or its number if nobody asked for it. Returns `name`. */
enum { FCPS_WIRE_RESULT_NAME_SIZE = 48 };
char *fcps_wire_result_name(const fcps_stored_result *stored, char name[FCPS_WIRE_RESULT_NAME_SIZE]);
void fcps_wire_result_name_put(fcps_json **object, const fcps_stored_result *stored);

/* Whether the last outlook found that a result is of an outage, or that it counts less. */
typedef bool fcps_wire_finding(const fcps_stored_result *stored);
bool fcps_wire_is_excused(const fcps_stored_result *stored);
bool fcps_wire_is_doubted(const fcps_stored_result *stored);

/* The names of such results, as ranges that `amend` understands: "9.1-12.1". Returns `text`. */
char *fcps_wire_names_text(const fcps_study *study, fcps_wire_finding *finding, size_t size, char *text);

/* What a policy lacks that has a model but no rollout to predict rewards from: "nothing is known yet: no trial ...". NULL
 * if it has one, or predicts no reward. */
const char *fcps_wire_policy_lacks(const fcps_policy *policy);

/* Whether a study that is there is the one that somebody wants to make: then the wish was repeated, and is harmless. So:
 * whether the study was made from this text and seed, and has the learner and the settings that it would have now. */
bool fcps_wire_is_made_from(const fcps_study *study, const fcps_study_setup *setup);

#endif
