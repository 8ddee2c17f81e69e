/* SPDX-License-Identifier: Apache-2.0 */
/* Rollouts that were simulated before, by content: the same robot, context and parameters give the same outcome, so an
 * experiment that is run again costs only its learners.
 *
 * Off unless $FCPS_CACHE_DIR names a folder, which is made where it is missing. A cache never changes a result and
 * never makes a rollout fail: what cannot be read or written is simulated.
 */
#ifndef FCPS_TASK_ROBOT_ROLLOUT_CACHE_H
#define FCPS_TASK_ROBOT_ROLLOUT_CACHE_H

#include <fcps/base.h>

typedef struct fcps_cache fcps_cache;

/* The folder of caches, or NULL when they are off. */
const char *fcps_cache_folder(void);

/* The cache of one robot, or NULL when it is off. `version` names what produced the outcomes: another one, another
 * file. */
fcps_cache *fcps_cache_open(const char *version, int inputs, int outcomes);
void fcps_cache_close(fcps_cache *cache);

/* Looks up and keeps an outcome for exactly these inputs. Both do nothing for NULL. */
bool fcps_cache_find(const fcps_cache *cache, const double *inputs, double *outcome);
void fcps_cache_keep(fcps_cache *cache, const double *inputs, const double *outcome);

#endif
