/* SPDX-License-Identifier: Apache-2.0 */
/* What looks wrong in a study: the codes of what holds "enough" back in a few words, and all remarks as JSON. */
#ifndef FCPS_WIRE_REMARKS_H
#define FCPS_WIRE_REMARKS_H

#include "format/json.h"

#include <fcps/study_remarks.h>

/* "W_UNIT and W_OUTSIDE_RANGE stand: see the warnings", after the words `before`. Returns `text`. */
char *fcps_wire_remarks_text(const char *before, const fcps_study *study, size_t size, char *text);

/* [{"code": "W_UNIT", "text": "..."}, ...] of every remark that stands; NULL where there is none. */
fcps_json *fcps_wire_remarks_write(const fcps_study *study);

#endif
