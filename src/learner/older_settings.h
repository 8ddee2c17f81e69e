/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that came after files had been written, with what learners did before there was a choice: so that a learner
 * or a study of an older version goes on as it began, whatever the default is for new ones. */
#ifndef FCPS_LEARNER_OLDER_SETTINGS_H
#define FCPS_LEARNER_OLDER_SETTINGS_H

#include <fcps/learner.h>

/* The numbers of defaults: those before there was any setting of this file, and those of today. */
enum { FCPS_DEFAULTS_FIRST = 1, FCPS_DEFAULTS_LATEST = 4 };

/* As fcps_learner_create; of settings that are not given, those that came after these defaults are as before them. */
fcps_status fcps_learner_create_older(fcps_learner **learner, const fcps_problem *problem, const char *name,
                                      const fcps_setting *settings, uint64_t seed, int defaults, fcps_error *error);

#endif
