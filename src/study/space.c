/* SPDX-License-Identifier: Apache-2.0 */
/* Space on the disk for the results that are awaited.
 *
 * While an ask is pending, the store keeps space for the commit of its result. Invariants: no ask is given without it;
 * it is given back only within a writing transaction that sees no pending ask. So it cannot be taken from an ask that
 * another process gives meanwhile: that ask is committed before, and seen, or after, and then looks for its space once
 * more (ask.c). When a full disk has used it up, as much as there is room for is kept for the asks that are left.
 */
#include "study/study_impl.h"

/* its record, the pages it touches, and their copies in the journal */
enum { RESERVED_BYTES = 128 * 1024, LEAST_BYTES = 16 * 1024 };

fcps_status fcps_study_keep_space(fcps_study *s, fcps_error *error)
{
  return fcps_store_reserve(s->store, RESERVED_BYTES, error);
}

static bool has_pending(const fcps_study *s)
{
  for (size_t i = 0; i < s->ask_count; i++)
    if (s->asks[i].state == FCPS_ASK_PENDING) return true;
  return false;
}

void fcps_study_give_space_back(fcps_study *s)
{
  if (!has_pending(s)) fcps_store_reserve(s->store, 0, NULL);
}

void fcps_study_keep_what_is_left(fcps_study *s)
{
  if (!has_pending(s)) return;
  for (size_t bytes = RESERVED_BYTES; bytes >= LEAST_BYTES; bytes /= 2)
    if (fcps_store_reserve(s->store, bytes, NULL) == FCPS_OK) return;
}
