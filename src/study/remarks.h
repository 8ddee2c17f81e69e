/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks: what looks wrong in a study, by whoever looks. Each file that looks for something has a code of its own.
 *
 * Invariants: looking changes nothing that is stored, and nothing that a learner does later. A remark about the same
 * subject is written to the log once, however often it is made. What goes wrong while somebody looks is no failure of
 * the call in which they do. */
#ifndef FCPS_STUDY_REMARKS_IMPL_H
#define FCPS_STUDY_REMARKS_IMPL_H

#include <fcps/policy.h>
#include <fcps/study_remarks.h>

/* Who looks begins with this: their earlier remarks no longer stand, unless they are made again. */
void fcps_study_withdraw_remarks(fcps_study *study, const char *code);

/* Makes a remark. `subject` tells remarks with one code apart: the name of an outcome, or "". Returns whether it is new, and
 * was written to the log. */
__attribute__((format(printf, 5, 6))) bool fcps_study_make_remark(fcps_study *study, const char *code,
                                                                  const char *subject, bool holds_back,
                                                                  const char *format, ...);

/* Writes a remark to the log once more. */
void fcps_study_repeat_remark(const fcps_study *study, const char *code, const char *subject);

/* How many of the remarks that stand hold "enough" back. */
int fcps_study_count_remarks(const fcps_study *study);

void fcps_study_free_remarks(fcps_study *study);

/* -- Who looks -- */

/* An outcome that never changed (same_outcome.c). Cheap. */
void fcps_study_look_for_same_outcomes(fcps_study *study);

/* Outcomes that often lie outside their range (outside_range.c). */
void fcps_study_look_at_ranges(fcps_study *study);

/* Contexts and parameters that often lie outside their bounds (outside_bounds.c). */
void fcps_study_look_at_bounds(fcps_study *study);

/* Outcomes that take two values alone, of which a model predicts a curve between them (two_values.c). */
void fcps_study_look_for_two_values(fcps_study *study, const fcps_policy *policy);

/* Rewards that are all the same (same_reward.c). */
void fcps_study_look_for_same_rewards(fcps_study *study);

/* Results that the model neither explains nor doubts (model_doubt.c). `is_wanted`: also where many results make it
 * slow. */
void fcps_study_look_at_model(fcps_study *study, const fcps_policy *policy, bool is_wanted);

/* A formula that uses no outcome, is constant, or grows with the distance from what is wanted (reward_remarks.c). */
void fcps_study_look_at_reward(fcps_study *study);

/* A formula that takes a target and an outcome in different units for numbers in one (reward_remarks.c). */
void fcps_study_look_for_mixed_units(fcps_study *study);

/* -- What they share -- */

/* Whether a result counts, ended well, and has an outcome that can be used. */
bool fcps_study_has_outcome(const fcps_study *study, const fcps_stored_result *stored);

#endif
