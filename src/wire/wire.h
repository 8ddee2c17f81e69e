/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON forms of asks, results, receipts, rollouts and answers of a policy. Commands, external programs and clients
 * on other machines all use these forms, and only this room writes and reads them.
 *
 * Writers return a new value, or NULL without memory; a caller may add keys at the end. Keys have a fixed order. The
 * numbers of a space are an object by name, {"x": 3, "y": 4}; a number that JSON does not have is the text "nan", "inf"
 * or "-inf". A missing reward is null.
 *
 * Readers are strict: a missing value, or one of a wrong kind, is refused with FCPS_ERR_FORMAT. Then error->field names
 * the key and the message says what was expected. Readers copy what they read, except texts that are documented to
 * point into the JSON. */
#ifndef FCPS_WIRE_WIRE_H
#define FCPS_WIRE_WIRE_H

#include "format/csv.h"
#include "format/json.h"

#include <fcps/policy.h>
#include <fcps/problem.h>
#include <fcps/study.h>
#include <fcps/study_check.h>
#include <fcps/study_lease.h>
#include <fcps/study_remarks.h>

#include <stdio.h>

/* Writes a value of a dimension: a number, or the text of a word. */
fcps_json *fcps_wire_value_write(const fcps_dimension *dim, double value);
bool fcps_wire_value_read(const fcps_dimension *dim, const fcps_json *json, double *value);

/* Writes the values of a space by name; null if `values` is NULL. A conditional parameter that is NaN is left out. */
fcps_json *fcps_wire_numbers_write(const fcps_space *space, const double *values);

/* Writes parameters by name, without those that do not apply in their context. */
fcps_json *fcps_wire_parameters_write(const fcps_problem *problem, const double *target, const double *environment,
                                      const double *parameters);

/* Copies parameters to `shown` with NaN for those that do not apply, for other forms of output. Returns `shown`. */
const double *fcps_wire_shown(const fcps_problem *problem, const double *target, const double *environment,
                              const double *parameters, double *shown);

/* Reads a value as people type it: a word of its dimension, or a number, optionally followed by the unit: "55", "2.5
 * kW". Other words and units are refused, under `field`. */
fcps_status fcps_wire_number_read(const fcps_dimension *dim, const char *text, const char *field, double *value,
                                  fcps_error *error);

/* Reads the values of a space from the value under `key` of an answer. Names that the space does not have are ignored.
 * A missing conditional parameter is NaN (fcps_problem_take_parameters). After an error `values` may be partly written. */
fcps_status fcps_wire_numbers_read(const fcps_space *space, const char *key, const fcps_json *json, double *values,
                                   fcps_error *error);

/* Writes a hint for an object without the key `name`: "; it has "depht": misspelt?", if a similar key is not one of the
 * `known` keys. Returns `text`, which may be empty. */
char *fcps_wire_misspelt_hint(const fcps_json *json, const char *name, int count, const char *const *known, size_t size,
                              char *text);

/* Puts what is needed to show numbers to people: "units" of the dimensions that have one, and "steps" of those with
 * exact values (1 for integers). An empty part is left out. */
void fcps_wire_units_put(fcps_json **object, const fcps_problem *problem);

/* Writes a trial to be done: {"ask": 7, "target": {...}, "environment": {...}, "parameters": {...}}. */
fcps_json *fcps_wire_trial_write(const fcps_problem *problem, const fcps_ask *ask);

/* Puts the "cost" of a trial if the problem has a cost. */
void fcps_wire_cost_put(fcps_json **object, const fcps_problem *problem, const double *target,
                        const double *environment, const double *parameters);

/* Puts the prediction that was made for a trial, if there is one: "expected": {"outcome": {...}, "outcome_sd": {...},
 * "reward": -0.2, "reward_sd": 0.1, "chance_of_success": 1, "chance_of_outcome": 1}. Unknown numbers are left out. */
void fcps_wire_expectation_put(fcps_json **object, const fcps_problem *problem, const double *target,
                               const double *environment, const double *parameters,
                               const fcps_expectation *expectation);

/* Puts "limits": {"apex": 0.97} and "chance_of_limits": the chances that a trial with this predicted outcome keeps each
 * limit, and all of them. Puts nothing if the problem has no limits or `outcome` is NULL. (ask.c) */
void fcps_wire_chances_put(fcps_json **object, const fcps_problem *problem, const double *target,
                           const double *environment, const double *parameters, const double *outcome,
                           const double *deviation);

/* fcps_wire_limits_put puts how often each limit was broken and how often that was predicted. fcps_wire_limits_write
 * writes the limits in the form of a problem file. */
void fcps_wire_limits_put(fcps_json **object, const fcps_study *study);
fcps_json *fcps_wire_limits_write(const fcps_problem *problem);

/* Writes the safe trials with the part of the context that each is for: [{"speed": 2, "tilt": 0.5}]. */
fcps_json *fcps_wire_safe_write(const fcps_problem *problem);
fcps_json *fcps_wire_ask_write(const fcps_problem *problem, const fcps_ask *ask);

/* Reads an ask, with "repeated", from a server's answer. `numbers` has room for fcps_wire_ask_width numbers; the ask
 * points into it. */
fcps_status fcps_wire_ask_read(const fcps_problem *problem, const fcps_json *json, double *numbers, fcps_ask *ask,
                               fcps_error *error);
int fcps_wire_ask_width(const fcps_problem *problem);

/* Reads a context that the client has observed: {"target": {...}, "environment": {...}}. The object of an empty space
 * may be missing. */
fcps_status fcps_wire_context_read(const fcps_problem *problem, const fcps_json *json, double *target,
                                   double *environment, fcps_error *error);

/* Reads the result of a trial:
 *
 *   {"outcome": {...}}   or   {"outcome": null}, if there is no outcome   or   {"failed": "gripper slipped"}
 *
 * (if "failed" is null or false, or empty beside an outcome or a reward, nothing failed)
 *
 * Optional keys are "outcome_sd" with the deviation of the outcome, "reward" and "hindsight_reward" if the trials report
 * rewards, "environment" if it differs from the ask, and "executed" if other parameters were executed. The target, and
 * every part that is missing, is NULL in `result`: it is that of the ask. `numbers` has room for fcps_wire_result_width
 * numbers; `result` points into it, and its message into `json`.
 *
 * If the answer is refused, `result` is that of a failed trial with the environment and the parameters that could be
 * read. Parameters that are not finite are refused with FCPS_ERR_NOT_FINITE, because no rollout can have them. */
fcps_status fcps_wire_result_read(const fcps_problem *problem, const fcps_json *json, double *numbers,
                                  fcps_result *result, fcps_error *error);
int fcps_wire_result_width(const fcps_problem *problem);

/* Checks a request more strictly than the answer of a program, because its sender can correct it. If the trial failed,
 * environment and parameters must be complete, "failed" must be a text or true, and there must be neither an outcome
 * nor a reward. */
fcps_status fcps_wire_result_check(const fcps_problem *problem, const fcps_json *json, fcps_error *error);

/* Completes "executed" or "environment" (`key`) if an answer gives only a part of it: the other values are those of
 * `asked`. An object with a name that is not in `space` stays as it is, and will be refused. `json` becomes NULL
 * without memory. */
void fcps_wire_part_complete(const fcps_space *space, const char *key, const double *asked, fcps_json **json);

/* Warns (W_ANSWER_KEY) of each key of a result that is not used, with the reason; also of an outcome beside a failure.
 * Returns whether there was a warning. */
bool fcps_wire_result_warn(const fcps_problem *problem, const fcps_json *json, const fcps_log *log);

/* Writes and reads a result that waits to be stored: {"ask": 7, "target": ..., "environment": ..., "parameters": ...,
 * "told": {"status": "ok", "outcome": ..., "client": "run", ...}}. The first four keys are those of the ask and are
 * missing if `ask` is NULL. Unknown parts of the result are missing in "told".
 *
 * The reader sets the id of `ask` (or FCPS_NOT_ASKED) and its numbers. `numbers` has room for fcps_wire_kept_width
 * numbers; `ask` and `result` point into it, and the texts of `result` into `json`. */
fcps_json *fcps_wire_kept_write(const fcps_problem *problem, const fcps_ask *ask, const fcps_result *result);
fcps_status fcps_wire_kept_read(const fcps_problem *problem, const fcps_json *json, double *numbers, fcps_ask *ask,
                                fcps_result *result, fcps_error *error);
int fcps_wire_kept_width(const fcps_problem *problem);

/* Writes a result as the body of a request: its keys, "ask" (or "target" if `ask` is FCPS_NOT_ASKED), "status",
 * "client" and "key". */
fcps_json *fcps_wire_told_write(const fcps_problem *problem, int64_t ask, const fcps_result *result);

/* Writes a receipt: {"ask": 7, "stored": true, "repeated": false, "late": false, "flagged": false, "reward": -0.25}. */
fcps_json *fcps_wire_receipt_write(const fcps_receipt *receipt);

/* Reads a receipt for ask `id`. A missing value is false; a missing reward is NaN. `json` may be NULL. */
void fcps_wire_receipt_read(const fcps_json *json, int64_t id, fcps_receipt *receipt);

/* Writes a stored result for the log ("status" is that of fcps_rollout_ending_text): {"result": 12, "ask": 7, "status":
 * "ok", "target": ..., "used": true, ...}. "outcome_sd", "expected" (as in an ask), "suspect", "confirmed",
 * "hindsight_reward" and "key" are there if the result has them. */
fcps_json *fcps_wire_stored_result_write(const fcps_problem *problem, const fcps_stored_result *stored);

/* Writes a stored result as an episode of a run, counted from 1: {"episode": 3, "ask": 7, "target": ..., "status":
 * "ok"}. */
fcps_json *fcps_wire_episode_write(const fcps_problem *problem, int64_t episode, const fcps_stored_result *stored);

/* Writes the answer of a policy for a context: the context, "parameters", and the predictions for them.
 * "predicted_reward" includes failures; "success_reward" is that of a trial that ends well. "lacking_results": the
 * number of results that are missing until the answer means anything. A context out of bounds has "outside": [{"space":
 * "environment", "name": "age", "value": 400, "lower": 2, "upper": 40}]. */
fcps_json *fcps_wire_prediction_write(const fcps_problem *problem, const double *target, const double *environment,
                                      const double *parameters, const fcps_prediction *prediction);

/* Writes the same for people: also what fcps_wire_units_put puts, and "lacks", a text that says what the policy lacks. */
fcps_json *fcps_wire_answer_write(const fcps_problem *problem, const fcps_policy *policy, const double *target,
                                  const double *environment, const double *parameters,
                                  const fcps_prediction *prediction);

/* Puts an outlook: "predicted_reward" and the like; null if the policy does not predict it. `target` and `environment`
 * are the context of the worst reward, NULL if the policy predicts no rewards. */
void fcps_wire_outlook_put(fcps_json **object, const fcps_problem *problem, const fcps_outlook *outlook,
                           const double *target, const double *environment);

/* Writes the health of a policy's models: an array with one object for each Gaussian process. */
fcps_json *fcps_wire_health_write(const fcps_problem *problem, const fcps_policy *policy);

/* Returns the folder for results that could not be stored because their study was not available. The caller frees it
 * with fcps_free; NULL without memory. */
char *fcps_wire_told_folder(void);

/* -- Checked models -- */

/* A checked model as JSON (see the head of this file for the rules of all writers). */

/* Writes the check of a model: {"model": "outcome", "outputs": [...], "results": [...]}. Each output has its coverage;
 * each result has the reported and the expected values by the names of the outputs. A missing expectation is null. */
fcps_json *fcps_wire_check_write(const fcps_study_check *check);

/* -- Errors and warnings (failure.c) -- */

/* Errors and warnings as JSON, with the same codes, fields and messages as those of the program. */

/* Writes the stable code of a status, which people can search for and programs can compare: "E_BOUNDS". Returns `code`. */
enum { FCPS_WIRE_CODE_SIZE = 40 };
char *fcps_wire_failure_code(fcps_status status, char code[FCPS_WIRE_CODE_SIZE]);

/* Writes an error: {"error": {"code": "E_BOUNDS", "field": "target.x", "message": ...}}, with "file", "line" and
 * "column" if they are known. */
fcps_json *fcps_wire_failure_write(const fcps_error *error);

/* Adds {"code": ..., "message": ...} to a list of warnings; creates the list if it is NULL. */
void fcps_wire_warning_add(fcps_json **list, const char *code, const char *message);

/* Puts a list of warnings (may be NULL) into an answer and takes ownership of it. If the answer has a list already,
 * nothing changes. */
void fcps_wire_warnings_put(fcps_json **answer, fcps_json **list);

/* Reads what fcps_wire_failure_write wrote. A code that is not a status of the library, such as that of a refused
 * request, becomes FCPS_ERR_IO. Returns false if `json` is not an error. */
bool fcps_wire_failure_read(const fcps_json *json, fcps_error *error);

/* -- All results of a study as a CSV table, which an export writes and an import reads (table.c) -- */

/* Writes the table. Suspects are those of the last fcps_study_find_suspects. The caller checks ferror(stream) for write
 * errors. */
void fcps_wire_table_write(FILE *stream, const fcps_study *study);

/* Writes one value: a number, or a word. */
void fcps_wire_cell_write(fcps_csv_writer *writer, const fcps_dimension *dim, double value);

/* -- Contexts -- */

/* Contexts in a CSV file: one column per target and environment dimension, in any order; other columns are ignored. */

/* Reads all rows. Refuses a value that cannot be read, with its line and column. */
fcps_status fcps_wire_contexts_read(const fcps_csv *csv, const fcps_problem *problem, double *targets,
                                    double *environments, fcps_error *error);

/* Refuses the first row whose context is not allowed, with its line and column. */
fcps_status fcps_wire_contexts_check(const fcps_csv *csv, const fcps_problem *problem, const double *targets,
                                     const double *environments, fcps_error *error);

/* -- Answers for many contexts -- */

/* The predictions of a policy for some contexts: a block of numbers for each name. In a table the names are columns behind
 * the parameters; in JSON they are keys. */

/* Returns the name of a predicted number, such as "predicted_reward"; NULL past the last one of this problem. */
const char *fcps_wire_predicted_name(const fcps_problem *problem, int index);

/* The largest number of names. fcps_wire_predicted_place returns the places in `numbers` where a policy writes the
 * numbers of the contexts from `first` on. */
enum { FCPS_WIRE_PREDICTED = 7 };
fcps_predictions fcps_wire_predicted_place(double *numbers, int contexts, int first);

/* Writes the column heads of answers, and the cells of context `index`, whose values are given. */
void fcps_wire_answer_head_write(fcps_csv_writer *writer, const fcps_problem *problem);
void fcps_wire_answer_row_write(fcps_csv_writer *writer, const fcps_problem *problem, const double *target,
                                const double *environment, const double *parameters, const double *numbers,
                                int contexts, int index);

/* -- The state of a study, its problem, and the events of its journal other than results (status.c, failure.c, workers.c) -- */

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

/* Puts the words of parameters without a result, once there are results: "untried": "tyre=rubber", and "untried_unsafe":
 * those that asks may never try, because there are limits and no safe trial has them. */
void fcps_wire_untried_put(fcps_json **object, const fcps_study *study);

/* Writes in words whether more trials are worth it: "enough: more trials gain at most 0.1 per context, ...". Returns `text`. */
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

/* -- What looks wrong in a study (failure.c) -- */

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
