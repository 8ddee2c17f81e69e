/* SPDX-License-Identifier: Apache-2.0 */
/* Leases of asks, for the files that store asks within a transaction.
 *
 * The context of a leased ask follows from its place among all asks, and is drawn again for each try, so that
 * workers that ask at once get different contexts. */
#ifndef FCPS_STUDY_LEASE_IMPL_H
#define FCPS_STUDY_LEASE_IMPL_H

#include "study/study_impl.h"

#include <fcps/study_lease.h>

/* Stores a lease of the ask that was just written, in the transaction that writes it. */
fcps_status fcps_study_write_lease(fcps_study *study, int64_t ask, const fcps_lease_request *request,
                                   fcps_error *error);

/* Makes a new ask with its lease; FCPS_ERR_STOPPED if the study has as many asks as the request allows (ask.c). */
fcps_status fcps_study_new_leased(fcps_study *study, const fcps_lease_request *request, fcps_ask *ask,
                                  fcps_error *error);

/* Fails with FCPS_ERR_LOCKED while a worker lives, and names that worker. Its transaction stores nothing. */
fcps_status fcps_study_refuse_workers(fcps_study *study, fcps_error *error);

/* Returns an earlier ask once more (ask.c). */
void fcps_study_show_again(const fcps_study *study, int64_t id, fcps_ask *ask);

#endif
