/* SPDX-License-Identifier: Apache-2.0 */
/* What looks wrong in a study: the codes of what holds "enough" back in a few words, all remarks as JSON, and warnings that
 * every door gives in the same words. */
#ifndef FCPS_WIRE_REMARKS_H
#define FCPS_WIRE_REMARKS_H

#include "format/json.h"

#include <fcps/study_remarks.h>

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
