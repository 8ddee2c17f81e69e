/* SPDX-License-Identifier: Apache-2.0 */
/* The part of `fcps study amend` that changes who learns. */
#ifndef FCPS_CLI_STUDY_AMEND_LEARNER_H
#define FCPS_CLI_STUDY_AMEND_LEARNER_H

#include <fcps/study.h>

/* Amends the learner (NULL: it stays) and its settings, and says what the study has now and what no longer counts. */
fcps_status cli_amend_learner(fcps_study *study, const char *learner, const fcps_setting *settings, fcps_error *error);

/* Whether a setting differs from the learner's default. */
bool cli_settings_differ(const fcps_study *study);

/* Prints the settings that differ from the learner's defaults, "kappa=3 initial=10", or "the defaults". */
void cli_settings_print(const fcps_study *study);

#endif
