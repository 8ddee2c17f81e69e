/* SPDX-License-Identifier: Apache-2.0 */
/* Training contexts from parts of the context space only, as boxes. */
#ifndef FCPS_EXPERIMENT_CONTEXTS_H
#define FCPS_EXPERIMENT_CONTEXTS_H

#include "experiment/experiment_impl.h"
#include "experiment/reader.h"

/* Reads `contexts: {boxes: [{x: [-11, 0], y: [0, 11]}, ...]}`; dimensions that a box does not name keep their bounds.
 * Nothing where `node` is NULL. */
void fcps_experiment_read_contexts(fcps_reader *reader, fcps_experiment *experiment, const fcps_yaml_node *node);

/* The context of an episode, from the boxes. Same stream as the task's own contexts. */
void fcps_experiment_draw_context(const fcps_experiment *experiment, uint64_t seed, int64_t episode, double *target,
                                  double *environment);

/* Whether a context (rows of the target and of the environment space) lies in one of the boxes, borders included; true
 * where there are none. */
bool fcps_experiment_has_context(const fcps_experiment *experiment, const double *target, const double *environment);

#endif
