/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of simulated rollouts. The same robot, context and parameters give the same outcome. So if an experiment is
 * run again, only its learners take time.
 *
 * The cache is off unless $FCPS_CACHE_DIR names a folder, which is created if it does not exist. A cache never changes
 * a result and never makes a rollout fail: a rollout that cannot be read is simulated, and one that cannot be written
 * is not kept. */
#ifndef FCPS_LAB_TASK_ROBOT_ROLLOUT_CACHE_H
#define FCPS_LAB_TASK_ROBOT_ROLLOUT_CACHE_H

#include <fcps/base.h>

typedef struct fcps_cache fcps_cache;

/* The folder of caches; NULL means that caches are off. */
const char *fcps_cache_folder(void);

/* Opens the cache of one robot task; NULL if caches are off or the file cannot be used. `version` identifies the source
 * of the outcomes; each version has its own file. */
fcps_cache *fcps_cache_open(const char *version, int inputs, int outcomes);
void fcps_cache_close(fcps_cache *cache);

/* Find the outcome for exactly these inputs (false: it is not in the cache), and store one. Both do nothing if `cache`
 * is NULL. */
bool fcps_cache_find(const fcps_cache *cache, const double *inputs, double *outcome);
void fcps_cache_keep(fcps_cache *cache, const double *inputs, const double *outcome);

#endif
