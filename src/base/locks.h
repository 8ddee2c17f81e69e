/* SPDX-License-Identifier: Apache-2.0 */
/* The locks that belong to the process and not to a handle.
 *
 * A fork copies a lock as it is, but not the thread that has it: a child would wait for ever. So a fork waits for
 * these locks, and both sides give them back. A thread that has one of them takes no other and calls no function
 * of a user. */
#ifndef FCPS_BASE_LOCKS_H
#define FCPS_BASE_LOCKS_H

typedef enum fcps_lock { FCPS_LOCK_BLAS, FCPS_LOCK_OPEN_FILES, FCPS_LOCK_MODELS, FCPS_LOCK_COUNT } fcps_lock;

void fcps_lock_take(fcps_lock lock);
void fcps_lock_give(fcps_lock lock);

#endif
