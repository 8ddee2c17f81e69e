/* SPDX-License-Identifier: Apache-2.0 */
/* What the program has from its laboratory (lab/), beside the commands. A program that was built without one has lab_absent.c
 * in its place, which says so. */
#ifndef FCPS_CLI_SUPPORT_LAB_H
#define FCPS_CLI_SUPPORT_LAB_H

#include <fcps/study.h>

/* Opens studies that were made from a built-in task; NULL without a laboratory. */
const fcps_study_maker *cli_lab_maker(void);

#endif
