/* SPDX-License-Identifier: Apache-2.0 */
/* What goes over a wire as JSON: asks, results, receipts, rollouts and what a policy says. Each has one form, which
 * is written and read here alone; commands, external programs and clients on other machines share it.
 *
 * Writers return a new value, or NULL when there is no memory; a caller may add keys at the end. Keys stand in a fixed
 * order. Numbers of a space are an object by name, {"x": 3, "y": 4}; a number that JSON does not have is the text
 * "nan", "inf" or "-inf". A reward that a trial does not have is null.
 *
 * Readers are strict: what is missing or of another kind is refused with FCPS_ERR_FORMAT, error->field names the key
 * and the words say what was expected. They copy what they read, except texts that are documented to point into the
 * JSON.
 */
#ifndef FCPS_WIRE_WIRE_H
#define FCPS_WIRE_WIRE_H

#include "format/json.h"

#include <fcps/study.h>
#include <fcps/study_check.h>

/* A value of a dimension: a number, or the text of its word. */
fcps_json *fcps_wire_value_write(const fcps_dimension *dim, double value);
bool fcps_wire_value_read(const fcps_dimension *dim, const fcps_json *json, double *value);

/* The values of a space by name; null if `values` is NULL. NaN of a parameter with a condition is left out. */
fcps_json *fcps_wire_numbers_write(const fcps_space *space, const double *values);

/* Parameters by name, without those that do not apply in their context. */
fcps_json *fcps_wire_parameters_write(const fcps_problem *problem, const double *target, const double *environment,
                                      const double *parameters);

/* The same for those who write them otherwise: parameters that do not apply are NaN in `shown`, which it returns. */
const double *fcps_wire_shown(const fcps_problem *problem, const double *target, const double *environment,
                              const double *parameters, double *shown);

/* Reads a value as people type it: a word of its dimension, or a number, perhaps with the unit behind it: "55", "2.5
 * kW". Another word and another unit are refused, under `field`. */
fcps_status fcps_wire_number_read(const fcps_dimension *dim, const char *text, const char *field, double *value,
                                  fcps_error *error);

/* Reads them from the value under `key` of an answer. Names that the space does not have are passed over. A parameter
 * with a condition that is missing is NaN (fcps_problem_take_parameters). On failure
 * `values` may be partly written. */
fcps_status fcps_wire_numbers_read(const fcps_space *space, const char *key, const fcps_json *json, double *values,
                                   fcps_error *error);

/* Writes a hint for an object that lacks `name`: "; it has "depht": misspelt?", if one of its keys that are not
 * `known` is near. Returns `text`, which may be empty. */
char *fcps_wire_misspelt_hint(const fcps_json *json, const char *name, int count, const char *const *known, size_t size,
                              char *text);

/* What showing numbers to people needs beside them: "units" of the dimensions that have one, and "steps" of those that are
 * exact (1 of a whole number); neither if there is none. */
void fcps_wire_units_put(fcps_json **object, const fcps_problem *problem);

/* {"ask": 7, "target": {...}, "environment": {...}, "parameters": {...}}: what has to be done */
fcps_json *fcps_wire_trial_write(const fcps_problem *problem, const fcps_ask *ask);

/* Puts the "cost" of a trial, if the problem has one. */
void fcps_wire_cost_put(fcps_json **object, const fcps_problem *problem, const double *target,
                        const double *environment, const double *parameters);

/* Puts what was expected of a trial, if anything was: "expected": {"outcome": {...}, "outcome_sd": {...}, "reward":
 * -0.2, "reward_sd": 0.1, "chance_of_success": 1, "chance_of_outcome": 1}. Unknown numbers are missing. */
void fcps_wire_expectation_put(fcps_json **object, const fcps_problem *problem, const double *target,
                               const double *environment, const double *parameters,
                               const fcps_expectation *expectation);

/* Puts "limits": {"apex": 0.97} and "chance_of_limits": how surely a trial that is expected to go so keeps the limits of the
 * problem; nothing without limits or an outcome (NULL). (limits.c) */
void fcps_wire_chances_put(fcps_json **object, const fcps_problem *problem, const double *target,
                           const double *environment, const double *parameters, const double *outcome,
                           const double *deviation);

/* Puts how often limits were broken, beside how often that was expected; the limits themselves, as a problem file has them. */
void fcps_wire_limits_put(fcps_json **object, const fcps_study *study);
fcps_json *fcps_wire_limits_write(const fcps_problem *problem);

/* [{"speed": 2, "tilt": 0.5}]: the safe trials, with the part of a context that they are for */
fcps_json *fcps_wire_safe_write(const fcps_problem *problem);
fcps_json *fcps_wire_ask_write(const fcps_problem *problem, const fcps_ask *ask);

/* Reads it back, with "repeated", from a server's answer. `numbers` has room for fcps_wire_ask_width numbers, to which the
 * ask points. */
fcps_status fcps_wire_ask_read(const fcps_problem *problem, const fcps_json *json, double *numbers, fcps_ask *ask,
                               fcps_error *error);
int fcps_wire_ask_width(const fcps_problem *problem);

/* {"target": {...}, "environment": {...}}: the context that somebody else observes. The object of an empty space may be
 * missing. */
fcps_status fcps_wire_context_read(const fcps_problem *problem, const fcps_json *json, double *target,
                                   double *environment, fcps_error *error);

/* What is told of a trial:
 *
 *   {"outcome": {...}}   or   {"outcome": null}, nothing came of it   or   {"failed": "gripper slipped"}
 *
 * (if "failed" is null or false, or empty beside an outcome or a reward, nothing failed)
 *
 * with "outcome_sd" where it is known how exact the outcome is, "reward" (and "hindsight_reward") where rewards are
 * told, "environment" where another one was measured, and "executed" where other parameters were executed. Target, and
 * what is not said, are NULL in `result`: as asked. `numbers` has room for fcps_wire_result_width numbers; `result`
 * points into it, and its message into `json`.
 *
 * If the answer is refused, `result` is that of a failed trial with the environment and the parameters that could
 * be read. Parameters that are not finite are refused with FCPS_ERR_NOT_FINITE: they belong to no rollout. */
fcps_status fcps_wire_result_read(const fcps_problem *problem, const fcps_json *json, double *numbers,
                                  fcps_result *result, fcps_error *error);
int fcps_wire_result_width(const fcps_problem *problem);

/* Checks more of a request than of the answer of a program, because its sender can be asked to correct it: if the
 * trial failed, the environment and the parameters are whole all the same, "failed" is a text or true, and there is
 * neither an outcome nor a reward beside it. */
fcps_status fcps_wire_result_check(const fcps_problem *problem, const fcps_json *json, fcps_error *error);

/* Completes "executed" or "environment" (`key`), of which an answer may name a part: the others are as `asked`. One that names
 * anything else stays as it is, and is refused. `json` becomes NULL if there is no memory. */
void fcps_wire_part_complete(const fcps_space *space, const char *key, const double *asked, fcps_json **json);

/* Warns (W_ANSWER_KEY) of each key of a result that is not used, and says why: also of an outcome beside a failure. False
 * if there is none. */
bool fcps_wire_result_warn(const fcps_problem *problem, const fcps_json *json, const fcps_log *log);

/* A result that waits to be stored: {"ask": 7, "target": ..., "environment": ..., "parameters": ..., "told": {"status":
 * "ok", "outcome": ..., "client": "run", ...}}. The first four are those of the ask; without one (`ask` is NULL) they
 * are missing. What a result leaves open is missing in "told".
 *
 * When it is read, `ask` has the id (or FCPS_NOT_ASKED) and the numbers of the ask. `numbers` has room for
 * fcps_wire_kept_width numbers; `ask` and `result` point into it, and the texts of `result` into `json`. */
fcps_json *fcps_wire_kept_write(const fcps_problem *problem, const fcps_ask *ask, const fcps_result *result);
fcps_status fcps_wire_kept_read(const fcps_problem *problem, const fcps_json *json, double *numbers, fcps_ask *ask,
                                fcps_result *result, fcps_error *error);
int fcps_wire_kept_width(const fcps_problem *problem);

/* What is told, as the body of a request: the keys of a result, "ask" (or "target", of FCPS_NOT_ASKED), "status", "client" and
 * "key". */
fcps_json *fcps_wire_told_write(const fcps_problem *problem, int64_t ask, const fcps_result *result);

/* {"ask": 7, "stored": true, "repeated": false, "late": false, "flagged": false, "reward": -0.25} */
fcps_json *fcps_wire_receipt_write(const fcps_receipt *receipt);

/* Reads it back, for ask `id`; what is missing is false, or no reward. `json` may be NULL. */
void fcps_wire_receipt_read(const fcps_json *json, int64_t id, fcps_receipt *receipt);

/* A stored result, as the log shows it ("status" is that of fcps_rollout_ending_text): {"result": 12, "ask": 7,
 * "status": "ok", "target": ..., "used": true, ...}. "outcome_sd", "expected" (as of an ask), "suspect", "confirmed",
 * "hindsight_reward" and "key" are there if the result has them. */
fcps_json *fcps_wire_stored_result_write(const fcps_problem *problem, const fcps_stored_result *stored);

/* The same while a run shows its episodes, counted from 1: {"episode": 3, "ask": 7, "target": ..., "status": "ok"}. */
fcps_json *fcps_wire_episode_write(const fcps_problem *problem, int64_t episode, const fcps_stored_result *stored);

/* Writes what a policy answers for a context: the context, "parameters", and what it predicts of them: of any trial,
 * and as "success_reward" of one that ends well. "lacking_results": so many more are needed before it means anything.
 * If the context lies outside its bounds: "outside": [{"space": "environment", "name": "age", "value": 400, "lower":
 * 2, "upper": 40}]. */
fcps_json *fcps_wire_prediction_write(const fcps_problem *problem, const double *target, const double *environment,
                                      const double *parameters, const fcps_prediction *prediction);

/* Writes the same for people: with fcps_wire_units_put, and with "lacks", which says in words what the policy
 * lacks. */
fcps_json *fcps_wire_answer_write(const fcps_problem *problem, const fcps_policy *policy, const double *target,
                                  const double *environment, const double *parameters,
                                  const fcps_prediction *prediction);

/* Puts an outlook into an object: "predicted_reward" and the like; null if the policy does not predict it. `target`
 * and `environment` are the context of the worst reward, NULL if the policy predicts none. */
void fcps_wire_outlook_put(fcps_json **object, const fcps_problem *problem, const fcps_outlook *outlook,
                           const double *target, const double *environment);

/* The health of the models behind a policy: an array with an object for each Gaussian process. */
fcps_json *fcps_wire_health_write(const fcps_problem *problem, const fcps_policy *policy);

/* Returns the folder in which results wait if their study was away when they were told. Freed with fcps_free; NULL
 * without memory. */
char *fcps_wire_told_folder(void);

/* -- Checked models -- */

/* A checked model as JSON (see wire.h for what all writers have in common). */

/* {"model": "outcome", "outputs": [...], "results": [...]}: for each output its coverage, for each result what was told
 * and expected, by the names of the outputs; null if there is no expectation. */
fcps_json *fcps_wire_check_write(const fcps_study_check *check);

/* -- Errors and warnings (failure.c) -- */

/* Errors and warnings over a wire: the same codes, fields and words as those of the program. */

/* The stable code of a status, for people to search and for programs to compare: "E_BOUNDS". Returns `code`. */
enum { FCPS_WIRE_CODE_SIZE = 40 };
char *fcps_wire_failure_code(fcps_status status, char code[FCPS_WIRE_CODE_SIZE]);

/* {"error": {"code": "E_BOUNDS", "field": "target.x", "message": ...}}; "file", "line" and "column" if they are
 * known. */
fcps_json *fcps_wire_failure_write(const fcps_error *error);

/* Adds {"code": ..., "message": ...} to a list of warnings, which is made if it is NULL. */
void fcps_wire_warning_add(fcps_json **list, const char *code, const char *message);

/* Puts a list of warnings (NULL: there is none) into an answer and takes it over, unless the answer has its own. */
void fcps_wire_warnings_put(fcps_json **answer, fcps_json **list);

/* Reads what fcps_wire_failure_write wrote; a code that is not a status of ours, such as that of
 * a refused request, counts as FCPS_ERR_IO. False if it is not an error. */
bool fcps_wire_failure_read(const fcps_json *json, fcps_error *error);

#endif
