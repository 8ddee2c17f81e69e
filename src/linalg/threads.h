/* SPDX-License-Identifier: Apache-2.0 */
/* One BLAS thread for the library, whatever the process has set.
 *
 * Sums over several threads have another order and other last bits, so results would depend on a setting that belongs
 * to the process. Every function of this room that computes with BLAS or LAPACK therefore does so between
 * fcps_blas_begin and fcps_blas_end. Between them the process has one BLAS thread; after the last end it has as many as
 * before. Functions of the user are never called in between, so they compute with the process's own number of threads.
 *
 * The two calls stand inside the functions of this room and not in the public functions of the library, so that no new
 * public function can forget them. Their cost is too small to measure. */
#ifndef FCPS_LINALG_THREADS_H
#define FCPS_LINALG_THREADS_H

#include <fcps/base.h>

/* Makes sure that OpenBLAS has the memory that it needs. Call this before a handle computes for the first time. It
 * matters only if the process has a limit of memory (ulimit -v, ulimit -d): OpenBLAS would then look for memory for
 * ever, and this function returns an error instead. From then on one thread computes at a time, because each further
 * one would need as much memory again. */
fcps_status fcps_blas_reserve(fcps_error *error);

void fcps_blas_begin(void);
void fcps_blas_end(void);

#endif
