/* SPDX-License-Identifier: Apache-2.0 */
/* One study, from its first row to its claims, with the learner `outcome` and its defaults. Rows that were not asked
 * for are imported as one table, as by `fcps study import`. Then everything is read that `fcps study status` shows. */
#ifndef FCPS_BENCH_CALIBRATION_RUN_H
#define FCPS_BENCH_CALIBRATION_RUN_H

#include "calibration/claims.h"

/* Makes the study and adds its claims to `claims`, which must be zeroed. A process can make only one at a time. */
fcps_status calibration_run(const calibration_kind *kind, calibration_inputs inputs, int rows, int outcomes,
                            uint64_t seed, calibration_claims *claims, fcps_error *error);

#endif
