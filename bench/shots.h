/* SPDX-License-Identifier: Apache-2.0 */
/* Learners that know shots of the cannon with random parameters: the data of most benchmarks. */
#ifndef FCPS_BENCH_SHOTS_H
#define FCPS_BENCH_SHOTS_H

#include <fcps/fcps.h>
#include <fcps/lab/lab.h>

/* Draws uniformly random parameters for episode `episode`. */
void shots_parameters(const fcps_space *space, int64_t episode, double *parameters);

/* Shoots with the parameters of ask `id` (or FCPS_NOT_ASKED), in the context and with the noise of `episode`, and tells
 * the learner. */
void shots_tell(fcps_task *task, fcps_learner *learner, int64_t episode, int64_t id, const double *parameters);

/* Creates a learner that was told `count` random shots. */
fcps_learner *shots_learner(fcps_task *task, const char *name, const fcps_setting *settings, int count);

/* The seconds of an ask in the context of `episode`. Then tells the shot. */
double shots_ask(fcps_task *task, fcps_learner *learner, int64_t episode);

#endif
