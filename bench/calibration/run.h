/* SPDX-License-Identifier: Apache-2.0 */
/* One study, from its first row to what it claims, with the learner `outcome` as it is. Rows that nobody asked for are
 * imported as one table, as with `fcps study import`; then everything is looked at that `fcps study status` shows. */
#ifndef FCPS_BENCH_CALIBRATION_RUN_H
#define FCPS_BENCH_CALIBRATION_RUN_H

#include "calibration/claims.h"

/* `claims` begins as zeros. One at a time in a process. */
fcps_status calibration_run(const calibration_kind *kind, calibration_inputs inputs, int rows, int outcomes,
                            uint64_t seed, calibration_claims *claims, fcps_error *error);

#endif
