/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks: what looks wrong in a study. A new one is a row of the table (remarks.c) and a function that looks.
 *
 * Invariants: looking changes nothing that is stored, and nothing that a learner does later. A remark about the same
 * subject is written to the log once, however often it is made. What goes wrong while somebody looks is no failure of
 * the call in which they do.
 *
 * Each remark can say why a study is not called converged, and an amendment withdraws it, because remarks follow
 * from the results each time; nothing is stored. */
#ifndef FCPS_STUDY_REMARKS_REMARKS_H
#define FCPS_STUDY_REMARKS_REMARKS_H

#include <fcps/policy.h>
#include <fcps/study_remarks.h>

/* Looks at a study, and remarks on what it finds. */
typedef void fcps_study_look(fcps_study *study);

/* Looks once more: earlier remarks of this look no longer stand, unless they are made again. Some looks need a policy, and find
 * nothing without it (NULL); then all those look that are cheap. */
void fcps_study_look_again(fcps_study *study, fcps_study_look *look, const fcps_policy *policy);
void fcps_study_look_at_all(fcps_study *study, const fcps_policy *policy);

/* Makes a remark. `subject` tells remarks with one code apart: the name of an outcome, or "". Returns whether it is new, and
 * was written to the log. */
__attribute__((format(printf, 4, 5))) bool fcps_study_make_remark(fcps_study *study, const char *code,
                                                                  const char *subject, const char *format, ...);

/* Remarks with this code no longer stand. */
void fcps_study_withdraw_remarks(fcps_study *study, const char *code);

/* Writes a remark to the log once more. */
void fcps_study_repeat_remark(const fcps_study *study, const char *code, const char *subject);

/* How many of the remarks that stand hold "enough" back. */
int fcps_study_count_remarks(const fcps_study *study);

void fcps_study_free_remarks(fcps_study *study);

/* -- Who looks -- */

/* A formula that uses no outcome, is constant, grows with the distance from what is wanted, or takes a target and an outcome in
 * different units for numbers in one; and rewards that are all the same (reward.c). */
fcps_study_look fcps_study_look_at_reward, fcps_study_look_for_same_rewards;

/* An outcome that never changed, takes two values alone, often lies outside its range, or is asked for exactly (outcomes.c). */
fcps_study_look fcps_study_look_for_same_outcomes, fcps_study_look_for_two_values, fcps_study_look_at_ranges,
    fcps_study_look_for_exactness;

/* Contexts and parameters that often lie outside their bounds (bounds.c). */
fcps_study_look fcps_study_look_at_bounds;

/* Results of an outcome that seem to be in another unit than the others, as their marks say (unit_change.c). */
fcps_study_look fcps_study_look_for_unit;

/* Results that the model neither explains nor doubts (model_doubt.c). `is_wanted`: also if many results make it
 * slow. */
void fcps_study_look_at_model(fcps_study *study, const fcps_policy *policy, bool is_wanted);

/* -- What they share -- */

/* Whether a result counts, ended well, and has an outcome that can be used. */
bool fcps_study_has_outcome(const fcps_study *study, const fcps_stored_result *stored);

/* -- Names of results in a row, as `amend --drop` understands them: "30.1-34.1,36.1" -- */

enum { FCPS_STUDY_NAME_PART = 100 }; /* characters of a range, at most */

/* Whether a result is to be named. */
typedef bool fcps_study_is_named(const void *user, const fcps_stored_result *stored);

/* Writes the names of those that are; a list of more than `most` ranges ends there, so that the rest is named by the next
 * look. A range names no other result. Returns how many results are named. */
int fcps_study_list_names(const fcps_study *study, fcps_study_is_named *is_named, const void *user, int most,
                          size_t size, char *text);

#endif
