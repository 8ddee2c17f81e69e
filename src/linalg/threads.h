/* SPDX-License-Identifier: Apache-2.0 */
/* One BLAS thread for the library, whatever number of threads the process has set.
 *
 * Sums over several threads have another order and other last bits, so results would depend on a setting that belongs
 * to the process. Therefore every function of this room that computes with BLAS or LAPACK does so between
 * fcps_blas_begin and fcps_blas_end. Between the two the process has one BLAS thread; after the last end it has as many
 * as before. No function of the user is called in between, so such functions always compute with the process's own
 * number of threads.
 *
 * The two calls stand inside the functions of this room and not in the public functions of the library, so that no new
 * public function can forget them. They cost too little time to measure. */
#ifndef FCPS_LINALG_THREADS_H
#define FCPS_LINALG_THREADS_H

#include <fcps/base.h>

/* Makes sure that OpenBLAS has the memory that it needs. Call this before a handle computes for the first time. It
 * matters only if the process has a limit of memory (ulimit -v, ulimit -d): without memory OpenBLAS would try again for
 * ever, while this function returns an error. From then on only one thread computes at a time, because each further
 * thread would need as much memory again. */
fcps_status fcps_blas_reserve(fcps_error *error);

void fcps_blas_begin(void);
void fcps_blas_end(void);

#endif
