/* SPDX-License-Identifier: Apache-2.0 */
/* Averaging over frames (frame_choice.h) as long as the evidence has not decided: a frame that is believed after few
 * rows may be wrong, and its rivals then still have a say, in proportion to their odds.
 *
 * Rivals are members of the model, as samples of hyper-parameters are (hyper_samples.h): models of the same rollouts in
 * another frame. A model in which nothing turns has none, so that it has the bits of one without frames; nor has one
 * with samples, which average over enough.
 *
 * Invariant: rivals follow from the rows and from the last look at the frames alone; so a resumed learner has the
 * same. */
#ifndef FCPS_MODEL_COMPOSITE_FRAME_RIVALS_H
#define FCPS_MODEL_COMPOSITE_FRAME_RIVALS_H

#include <fcps/base.h>

typedef struct fcps_model fcps_model;

/* The most rivals of a frame. */
enum { FCPS_FRAME_RIVALS = 2 };

/* Makes the rivals into `members` (FCPS_FRAME_RIVALS), the most probable first; those whose matrix cannot be factorized
 * are left out. */
fcps_status fcps_frame_rivals_make(const fcps_model *model, fcps_model **members, int *count);

/* How many there should be. */
int fcps_frame_rivals_count(const fcps_model *model);

/* The share of one of several models of the same rollouts in their average, up to a common factor: 1 for one in the
 * frame of `model`. */
double fcps_frame_rivals_weight(const fcps_model *model, const fcps_model *member);

#endif
