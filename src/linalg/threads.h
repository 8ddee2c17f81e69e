/* SPDX-License-Identifier: Apache-2.0 */
/* One BLAS thread for the library, whatever the process has set.
 *
 * Sums over several threads have another order and other last bits, so results would depend on a setting that belongs to
 * the process. Every function of this room that computes with BLAS or LAPACK stands between the two calls below. Between
 * them the process has one BLAS thread; after the last of them it has as many as before. Callbacks of a user are never
 * called in between, so they compute with the process's own number.
 *
 * The calls stand around BLAS and not around public functions, so that nothing new can be forgotten. It costs
 * nothing that could be measured. */
#ifndef FCPS_LINALG_THREADS_H
#define FCPS_LINALG_THREADS_H

#include <fcps/base.h>

/* Before a handle computes for the first time. If the process has a limit of memory (ulimit -v, ulimit -d) this gets what
 * OpenBLAS needs, once, or says that there is too little: OpenBLAS itself would look for it for ever. From then on one
 * thread computes at a time, because each further one would need as much again. */
fcps_status fcps_blas_reserve(fcps_error *error);

void fcps_blas_begin(void);
void fcps_blas_end(void);

#endif
