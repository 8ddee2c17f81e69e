/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks: sentences about what looks wrong in a study. A new remark needs a row of the table (remarks.c) and a
 * function that looks for it.
 *
 * Invariants: the functions that look for remarks change nothing that is stored, and nothing that a learner does later.
 * A remark about the same subject is logged once, however often it is made. If such a function fails, its caller does
 * not.
 *
 * A remark can be the reason why a study is not called converged. Remarks are not stored but found anew from the
 * results each time, so an amendment can withdraw them. */
#ifndef FCPS_STUDY_REMARKS_REMARKS_H
#define FCPS_STUDY_REMARKS_REMARKS_H

#include <fcps/policy.h>
#include <fcps/study_remarks.h>

/* A function that examines a study, and makes remarks about what it finds. */
typedef void fcps_study_look(fcps_study *study);

/* Calls a look again: its earlier remarks are withdrawn unless the look makes them again. Some looks need a policy, and
 * make no remark without it (`policy` is then NULL). The second function calls all looks that are cheap. */
void fcps_study_look_again(fcps_study *study, fcps_study_look *look, const fcps_policy *policy);
void fcps_study_look_at_all(fcps_study *study, const fcps_policy *policy);

/* Makes a remark. `subject` tells remarks with the same code apart: the name of an outcome, or "". Returns whether
 * the remark is new; then it was logged. */
__attribute__((format(printf, 4, 5))) bool fcps_study_make_remark(fcps_study *study, const char *code,
                                                                  const char *subject, const char *format, ...);

/* Withdraws the remarks with this code. */
void fcps_study_withdraw_remarks(fcps_study *study, const char *code);

/* Logs a remark once more. */
void fcps_study_repeat_remark(const fcps_study *study, const char *code, const char *subject);

/* Counts the remarks that keep the study from being called good enough and are not withdrawn. */
int fcps_study_count_remarks(const fcps_study *study);

void fcps_study_free_remarks(fcps_study *study);

/* -- The looks -- */

/* Rewards (reward.c). The first looks for a formula that uses no outcome, is constant, grows with the distance from
 * the target, or mixes a target and an outcome in different units; the second for rewards that are all the same. */
fcps_study_look fcps_study_look_at_reward, fcps_study_look_for_same_rewards;

/* Outcomes (outcomes.c): an outcome that never changed, takes only two values, often lies outside its range, or must
 * have an exact value. */
fcps_study_look fcps_study_look_for_same_outcomes, fcps_study_look_for_two_values, fcps_study_look_at_ranges,
    fcps_study_look_for_exactness;

/* Contexts and parameters that often lie outside their bounds (outside.c). */
fcps_study_look fcps_study_look_at_bounds;

/* Results whose outcome seems to be in another unit than that of the other results, as their marks say (suspects.c). */
fcps_study_look fcps_study_look_for_unit;

/* Results that the model neither explains nor doubts (check_model.c). With many results this is slow, and is done only
 * if `is_wanted`. */
void fcps_study_look_at_model(fcps_study *study, const fcps_policy *policy, bool is_wanted);

/* -- Functions that the looks share -- */

/* Whether a result counts, ended well, and has an outcome that can be used. */
bool fcps_study_has_outcome(const fcps_study *study, const fcps_stored_result *stored);

/* -- Lists of results, as `amend --drop` reads them: "30.1-34.1,36.1" -- */

enum { FCPS_STUDY_NAME_PART = 100 }; /* the most characters of the text of one range */

/* A function that says whether a list has to name a result. */
typedef bool fcps_study_is_named(const void *user, const fcps_stored_result *stored);

/* Lists the results for which `is_named` is true. At most `most` ranges are listed; the next call lists the others. A
 * range never names another result. Returns the number of results named. */
int fcps_study_list_names(const fcps_study *study, fcps_study_is_named *is_named, const void *user, int most,
                          size_t size, char *text);

#endif
