/* SPDX-License-Identifier: Apache-2.0 */
/* Whether something moves, and how, learnt separately (a hurdle), where the evidence asks for it.
 *
 * A hand that misses moves nothing, and the outcome is a rest (rest.h). One Gaussian process for pushes and misses must
 * bend at the edge between them, and believes short lengths everywhere. With contact the GPs know only what moved: rows
 * at rest have so much noise that they say nothing, and offset and scale do not look at them. Whether something moves is
 * a chance p that a classifier learns (feasibility/), and a reward is that of a mixture (failure_penalty.h):
 *
 *   mean := otherwise + p (mean - otherwise),     otherwise = the exact reward of the rest
 *
 * Which of the two explains the results better is compared at a resolution of e, a twentieth of the outcomes' spread:
 * what is known better than that is of no use to either, and a rest that is always the same to the last digit counts no
 * more than one that nearly is. With y all outcomes, y1 those that moved, r results at rest and q outcomes,
 *
 *   log p(y | one GP)  = max over hyper-parameters of (log p(y | hyper, e) + log p(hyper))
 *   log p(y | contact) = the same of y1 + log p(which rest) + r q log N(0; 0, e^2)
 *
 * Invariants: a model in whose results nothing ever rests has none of this, and the bits of one without this file. The
 * belief follows from the rows at the last look; it is saved, because the next bits depend on it. */
#ifndef FCPS_MODEL_COMPOSITE_CONTACT_H
#define FCPS_MODEL_COMPOSITE_CONTACT_H

#include "format/json.h"
#include "model/composite/rest.h"

/* Whether contact is looked for; the names are those of the setting, NULL past the end. */
typedef enum fcps_contact_setting { FCPS_CONTACT_OFF, FCPS_CONTACT_AUTO } fcps_contact_setting;
const char *fcps_contact_setting_name(int index);

typedef struct fcps_contact {
  bool is_believed;
  int looked;      /* rows at the last look; 0: never */
  double log_odds; /* of contact against one GP for all, at the last look */
  fcps_rest rest;  /* at the last look; none where nothing ever rested */
  int *aside;      /* rows that rest, and suspects */
  size_t room;
} fcps_contact;

void fcps_contact_destroy(fcps_model *model);
fcps_status fcps_contact_copy(const fcps_model *model, fcps_model *copy);

/* Forgets looks at rows that are none any more: the next fit looks again. */
void fcps_contact_truncate(fcps_model *model);

/* Whether a training rollout is at rest, and no row that the GPs learn from. */
bool fcps_contact_rests(const fcps_model *model, int row);
int fcps_contact_count(const fcps_model *model);

/* Looks for contact where that is due before a fit. */
fcps_status fcps_contact_update(fcps_model *model, fcps_error *error);

/* Gives new rows that rest their noise; whether all have it. */
fcps_status fcps_contact_grow(fcps_model *model);
bool fcps_contact_is_complete(const fcps_model *model);

/* The norm looks neither at suspects nor at rows that rest. Cannot fail where there is no contact, or where their number
 * has not grown. */
fcps_status fcps_contact_set_aside(fcps_model *model);

/* What is needed to go on, and reading it back; a model that never looked has none (NULL). */
fcps_json *fcps_contact_write(const fcps_model *model);
fcps_status fcps_contact_read(fcps_model *model, const fcps_json *json);

#endif
