/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands that messages suggest name a study by. */
#ifndef FCPS_STUDY_WORD_H
#define FCPS_STUDY_WORD_H

#include <fcps/study.h>

/* The name under which it was opened, as a shell takes it; "STUDY" of one in memory. */
const char *fcps_study_word(const fcps_study *study);

/* Another name, such as an address behind which a user has it; as it is given, or as a shell takes it. It is copied. */
fcps_status fcps_study_set_word(fcps_study *study, const char *word, fcps_error *error);
fcps_status fcps_study_set_address(fcps_study *study, const char *address, fcps_error *error);

#endif
