/* SPDX-License-Identifier: Apache-2.0 */
/* A study as JSON (see wire.h for the rules of all writers): its state, its problem, and the events of its journal
 * other than results. */
#ifndef FCPS_WIRE_STATUS_H
#define FCPS_WIRE_STATUS_H

#include "format/json.h"

#include <fcps/study.h>
#include <fcps/study_lease.h>
#include <fcps/study_remarks.h>

/* Counts over the stored results. */
typedef struct fcps_wire_tally {
  fcps_study_counts counts;
  int flagged, pending, suspects;
  int aimless;     /* results that count and were reported without a target */
  bool leaves_out; /* whether their rewards are left out, because other results have a target */
  fcps_study_costs costs;
  int reward_count;
  double *rewards; /* of the results that count, in order, without flagged ones and suspects */
  double best;     /* -infinity without rewards */
  double recent;   /* the mean of the last FCPS_WIRE_RECENT */
} fcps_wire_tally;

enum { FCPS_WIRE_RECENT = 10 };

/* Counts the results of a study. Suspects are those of the last fcps_study_find_suspects. */
fcps_status fcps_wire_tally_create(fcps_wire_tally *tally, const fcps_study *study, fcps_error *error);
void fcps_wire_tally_destroy(fcps_wire_tally *tally);

/* Writes for instance "best -0.3, mean of the last 10 -0.8", and which rewards are left out. Returns `text`. */
enum { FCPS_WIRE_EARNED_SIZE = 160 };
char *fcps_wire_earned_text(const fcps_wire_tally *tally, char text[FCPS_WIRE_EARNED_SIZE]);

/* fcps_wire_has_aims: whether some result that counts has a target of its own. fcps_wire_is_aimless: whether a result
 * was reported without a target. Such a result has the middle of every range as its target, which nobody chose. So its
 * reward is left out of a learning curve if other results have targets. */
bool fcps_wire_has_aims(const fcps_study *study);
bool fcps_wire_is_aimless(const fcps_study *study, const fcps_stored_result *stored);

/* Writes the state: {"learner": ..., "settings": ..., "rollouts": 12, ..., "pending_asks": [...]}. If there are
 * rewards, the object also has the best, the latest and all of them, what the policy is expected to earn, and the
 * health of its model. `policy` may be NULL if there is no reward yet. `target` and `environment` are the context of
 * the worst reward. */
fcps_json *fcps_wire_status_write(const fcps_study *study, const fcps_wire_tally *tally, const fcps_policy *policy,
                                  const fcps_outlook *outlook, const double *target, const double *environment);

/* Writes the settings that differ from the learner's defaults: {"kappa": "0.4"}. */
fcps_json *fcps_wire_settings_write(const fcps_study *study);

/* Writes the problem: {"name": "throw", "target": [{"name": "x", "lower": -8, "upper": 8, "unit": "m"}], ..., "reward":
 * "-hypot(...)"}. The reward is null if the trials report it. A dimension has "period", "scale" and "step" only if they
 * differ from the defaults. */
fcps_json *fcps_wire_problem_write(const fcps_study *study, const char *name);

/* Writes an event: {"sequence": 12, "time_ms": ..., "code": "reward", "text": "-abs(x)"}. */
fcps_json *fcps_wire_event_write(const fcps_study_event *event);

/* Writes in words whether more trials are worth it: "gains at most 0.1 a context; ...: worth it". Returns `text`. */
enum { FCPS_WIRE_GOING_ON_SIZE = 512 };
char *fcps_wire_going_on_text(const fcps_study *study, const fcps_outlook *outlook, char text[FCPS_WIRE_GOING_ON_SIZE]);

/* Writes the name of a result for people: ASK.N, or its number if it has no ask. Returns `name`. */
enum { FCPS_WIRE_RESULT_NAME_SIZE = 48 };
char *fcps_wire_result_name(const fcps_stored_result *stored, char name[FCPS_WIRE_RESULT_NAME_SIZE]);
void fcps_wire_result_name_put(fcps_json **object, const fcps_stored_result *stored);

/* A finding of the last outlook about a result: fcps_wire_is_excused, it is part of an outage; fcps_wire_is_doubted, it
 * counts less. */
typedef bool fcps_wire_finding(const fcps_stored_result *stored);
bool fcps_wire_is_excused(const fcps_stored_result *stored);
bool fcps_wire_is_doubted(const fcps_stored_result *stored);

/* Writes the names of the results with a finding as ranges, in the form that `amend` reads: "9.1-12.1". Returns `text`. */
char *fcps_wire_names_text(const fcps_study *study, fcps_wire_finding *finding, size_t size, char *text);

/* Returns what a policy lacks if its model has no rollout to predict rewards from: "nothing is known yet: no trial
 * ...". NULL if it has a rollout, or does not predict rewards. */
const char *fcps_wire_policy_lacks(const fcps_policy *policy);

/* Whether an existing study is the same as the setup would make, so that making it again is harmless: it was made from
 * the same text and seed, and has the same learner and settings. */
bool fcps_wire_is_made_from(const fcps_study *study, const fcps_study_setup *setup);

/* -- The workers of a study (workers.c) -- */

/* The workers of a study (fcps/run_work.h): what each one has done, and which asks it works on. */

/* A worker process. Its programs ask and tell as NAME/1, NAME/2, ... */
typedef struct fcps_wire_worker {
  char name[FCPS_WORKER_NAME];
  int results, failed;       /* all that it reported, whether they count or not */
  int64_t first_ms, last_ms; /* times of its first and last report, by the clock that stored them */
  int leases, ended_leases;  /* unfinished asks; those whose lease has ended wait for another worker */
} fcps_wire_worker;

/* Lists the workers that reported results, in the order of their first report, then those that only have leases. The
 * caller frees the list with fcps_free; NULL without memory. */
fcps_wire_worker *fcps_wire_workers_list(const fcps_study *study, int *count);

/* Writes a rate for people: "12 an hour" or, from one per second on, "3.8 a second". */
enum { FCPS_WIRE_RATE_SIZE = 40 };
const char *fcps_wire_rate_text(double per_hour, char text[FCPS_WIRE_RATE_SIZE]);

/* Returns the results per hour between the first and the last one; 0 if there are fewer than two. */
double fcps_wire_worker_rate(const fcps_wire_worker *worker);

/* Writes the workers: [{"worker": "lab-4711", "results": 12, "failed": 1, "per_hour": 340, "leases": 2, "ended_leases":
 * 0}, ...]. */
fcps_json *fcps_wire_workers_write(const fcps_study *study);

/* -- What looks wrong in a study (remarks.c) -- */

/* What looks wrong in a study: a short text with the codes of the remarks that prevent "enough", all remarks as JSON,
 * and warnings that have the same words in every interface. */

/* Writes `before`, then for instance "W_UNIT and W_OUTSIDE_RANGE stand: see the warnings". Returns `text`. */
char *fcps_wire_remarks_text(const char *before, const fcps_study *study, size_t size, char *text);

/* Writes all remarks: [{"code": "W_UNIT", "text": "..."}, ...]; NULL if there is no remark. */
fcps_json *fcps_wire_remarks_write(const fcps_study *study);

/* Warns that a result without an outcome has no reward, and says how to give it one. */
void fcps_wire_warn_no_reward(const fcps_log *log);

/* Warns that a result has numbers that cannot be used; `name` is its name in the warning ("this result"). */
void fcps_wire_warn_unusable(const fcps_log *log, const char *name, const fcps_study *study,
                             const fcps_stored_result *stored);

/* Warns if no stored result can be learnt from, or if the policy (may be NULL) has no such result: an answer from such
 * a study is a guess. */
void fcps_wire_warn_if_empty(const fcps_log *log, const fcps_study *study, const fcps_policy *policy);

#endif
