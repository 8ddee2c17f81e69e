/* SPDX-License-Identifier: Apache-2.0 */
/* Leases within a transaction, for asks that are stored with one.
 *
 * The context of a leased ask is drawn by its place among all asks, anew for each try, so that workers that ask at
 * once get different ones. */
#ifndef FCPS_STUDY_LEASE_IMPL_H
#define FCPS_STUDY_LEASE_IMPL_H

#include "study/study_impl.h"

#include <fcps/study_lease.h>

/* Stores a lease of the ask that was just written, in the transaction that writes it. */
fcps_status fcps_study_write_lease(fcps_study *study, int64_t ask, const fcps_lease_request *request,
                                   fcps_error *error);

/* A new ask with its lease; FCPS_ERR_STOPPED: the study has as many asks as are wanted (ask.c). */
fcps_status fcps_study_new_leased(fcps_study *study, const fcps_lease_request *request, fcps_ask *ask,
                                  fcps_error *error);

/* Fails with FCPS_ERR_LOCKED, and names it, while a worker lives. Its own transaction, which stores nothing. */
fcps_status fcps_study_refuse_workers(fcps_study *study, fcps_error *error);

/* An ask that is given once more (ask.c). */
void fcps_study_show_again(const fcps_study *study, int64_t id, fcps_ask *ask);

#endif
