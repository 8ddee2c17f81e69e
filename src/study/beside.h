/* SPDX-License-Identifier: Apache-2.0 */
/* Files that belong to a study and lie beside it. */
#ifndef FCPS_STUDY_BESIDE_H
#define FCPS_STUDY_BESIDE_H

#include <fcps/study.h>

/* The path of the study's file with this end, freed with free; NULL where nothing can be kept beside the study. */
fcps_status fcps_study_beside(const fcps_study *study, const char *end, char **path, fcps_error *error);

#endif
