/* SPDX-License-Identifier: Apache-2.0 */
/* The frames that a problem may have, from its spaces alone.
 *
 * An angle is a periodic parameter or environment, or the direction of a planar vector among the parameters. Two
 * dimensions are a planar vector where they have the same unit and names that differ in x and y (land_x and land_y);
 * two outcomes also where there are only two. With each angle all planar pairs of outcomes turn, in both senses, and
 * with them no inputs, those of the parameters, or also those of the environment. Where the environment has a vector of
 * the outcomes' unit, outcomes may also be measured from it.
 *
 * Invariant: the same problem gives the same frames in the same order; the first is none. */
#ifndef FCPS_MODEL_FRAME_CANDIDATES_H
#define FCPS_MODEL_FRAME_CANDIDATES_H

#include "model/frame.h"

enum { FCPS_FRAME_CANDIDATES = 32 };

/* Writes the frames of a model with outcomes and returns how many there are; 1, none, where nothing can turn. Reads
 * the model's problem, embeddings and weights. */
int fcps_frame_candidates_find(const fcps_model *model, fcps_frame frames[FCPS_FRAME_CANDIDATES]);

#endif
