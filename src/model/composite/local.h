/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a short kernel stands on top of the wide one, by evidence: what a wide kernel explains nearly everywhere, such as
 * a world that turns, may have hills, which are local. For models that look for it (`local` of the settings).
 *
 * The kernel of a model is that of its settings, and a saved model says whether it is the short one.
 *
 * Invariants: a choice follows from the rows, their fit and the choice before it, and is looked at only when the number of
 * rows passes certain multiples. So a model that was saved chooses as one that never was. A model that does not look has
 * the bits that it had before there was a choice. */
#ifndef FCPS_MODEL_COMPOSITE_LOCAL_H
#define FCPS_MODEL_COMPOSITE_LOCAL_H

#include <fcps/base.h>

#include <stdbool.h>

typedef struct fcps_model fcps_model;

/* After a fit to y (training rollouts x outputs): takes the other kernel where it explains the outputs better, and then
 * *has_changed is true: a fit with it is due. */
fcps_status fcps_local_review(fcps_model *model, int outputs, const double *y, bool *has_changed);

/* Whether the short kernel is in use by choice; and makes that choice for a saved model before anything is restored. */
bool fcps_local_is_chosen(const fcps_model *model);
void fcps_local_restore(fcps_model *model, bool is_chosen);

#endif
