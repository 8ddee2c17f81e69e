/* SPDX-License-Identifier: Apache-2.0 */
/* How long the texts of a result may be, whatever the door that it comes through: a reason that nobody can read must not
 * make pages and reports unreadable. */
#ifndef FCPS_STUDY_MESSAGE_H
#define FCPS_STUDY_MESSAGE_H

#include <fcps/study.h>

/* The name of a client that asks is repeated in every ask, and is a word of messages. */
enum { FCPS_STUDY_MESSAGE_SIZE = 4096, FCPS_STUDY_LABEL_MAX = 1000, FCPS_STUDY_CLIENT_MAX = 143 };

/* Refuses the name of a client that asks and that is too long (ask.c); NULL is allowed. */
fcps_status fcps_study_check_client(const char *client, fcps_error *error);

#endif
