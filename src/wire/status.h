/* SPDX-License-Identifier: Apache-2.0 */
/* A study as a whole, as JSON (see wire.h for what all writers have in common): how far it is, what its problem is, and
 * what stands in its journal beside the results. */
#ifndef FCPS_WIRE_STATUS_H
#define FCPS_WIRE_STATUS_H

#include "format/json.h"

#include <fcps/study.h>
#include <fcps/study_lease.h>
#include <fcps/study_remarks.h>

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

/* Tells whether some result that counts has a target of its own; and whether this one came without: then it has the
 * middle of every range, which nobody wanted, and is no part of a learning curve beside the others. */
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

/* Tells whether a study that is there is the one that somebody wants to make: then to make it again is harmless. It
 * was made from this text and seed, and has the learner and the settings that it would get now. */
bool fcps_wire_is_made_from(const fcps_study *study, const fcps_study_setup *setup);

/* -- The workers of a study (workers.c) -- */

/* The workers of a study (fcps/run_work.h): what each has done, and what it has under way. */

/* One process; its programs ask and tell as NAME/1, NAME/2, ... */
typedef struct fcps_wire_worker {
  char name[FCPS_WORKER_NAME];
  int results, failed;       /* all that it told, whether they count or not */
  int64_t first_ms, last_ms; /* when, by the clock of the worker that told */
  int leases, ended_leases;  /* of unfinished asks; those whose time has ended wait for another worker */
} fcps_wire_worker;

/* Lists the workers in the order in which they first told, then those that have only leases, as they were read last.
 * Freed with fcps_free; NULL without memory. */
fcps_wire_worker *fcps_wire_workers_list(const fcps_study *study, int *count);

/* A rate for people, "12 an hour" or, from one a second on, "3.8 a second". */
enum { FCPS_WIRE_RATE_SIZE = 40 };
const char *fcps_wire_rate_text(double per_hour, char text[FCPS_WIRE_RATE_SIZE]);

/* Results an hour, from the first to the last; 0 if there are fewer than two. */
double fcps_wire_worker_rate(const fcps_wire_worker *worker);

/* [{"worker": "lab-4711", "results": 12, "failed": 1, "per_hour": 340, "leases": 2, "ended_leases": 0}, ...] */
fcps_json *fcps_wire_workers_write(const fcps_study *study);

/* -- What looks wrong in a study (remarks.c) -- */

/* What looks wrong in a study: the codes of what holds "enough" back in a few words, all remarks as JSON, and warnings that
 * every door gives in the same words. */

/* "W_UNIT and W_OUTSIDE_RANGE stand: see the warnings", after the words `before`. Returns `text`. */
char *fcps_wire_remarks_text(const char *before, const fcps_study *study, size_t size, char *text);

/* [{"code": "W_UNIT", "text": "..."}, ...] of every remark that stands; NULL if there is none. */
fcps_json *fcps_wire_remarks_write(const fcps_study *study);

/* A result without an outcome has no reward; says what would give it one. */
void fcps_wire_warn_no_reward(const fcps_log *log);

/* A result was told numbers that cannot be used; `name` is how it is called ("this result"). */
void fcps_wire_warn_unusable(const fcps_log *log, const char *name, const fcps_study *study,
                             const fcps_stored_result *stored);

/* Warns if no stored result can be learnt from, or if the policy lacks one (may be NULL): an answer from such a
 * study is a guess. */
void fcps_wire_warn_if_empty(const fcps_log *log, const fcps_study *study, const fcps_policy *policy);

#endif
