/* SPDX-License-Identifier: Apache-2.0 */
/* A checked model as JSON (see wire.h for what all writers have in common). */
#ifndef FCPS_WIRE_CHECK_H
#define FCPS_WIRE_CHECK_H

#include "format/json.h"

#include <fcps/study_check.h>

/* {"model": "outcome", "outputs": [...], "results": [...]}: for each output its coverage, for each result what was told
 * and expected, by the names of the outputs; null if there is no expectation. */
fcps_json *fcps_wire_check_write(const fcps_study_check *check);

#endif
