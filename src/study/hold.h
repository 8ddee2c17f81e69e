/* SPDX-License-Identifier: Apache-2.0 */
/* The hold of a study, for whoever starts a program under it, or beside it. */
#ifndef FCPS_STUDY_HOLD_H
#define FCPS_STUDY_HOLD_H

#include <fcps/study.h>

/* The descriptor that has the hold; -1 while the study is not held, or where its hold has none. It is closed on exec
 * unless that is taken off. A program that inherits it keeps the hold until the program, too, has ended: so a run that
 * was killed cannot be followed by another while its program still moves. */
int fcps_study_hold_file(const fcps_study *study);

/* The descriptor of the study's own file, for the guardian of a program alone: the file is locked under whatever name it
 * gets. -1 where there is none. */
int fcps_study_claimed_file(const fcps_study *study);

/* Adds words to those that a second holder is told, such as "program 4711"; one line, under 200 characters. False where
 * they could not be added: they are only words. */
bool fcps_study_hold_add(const fcps_study *study, const char *words);

/* Whether another handle is known to hold the study now; then `who` has words about it. */
bool fcps_study_is_held(fcps_study *study, fcps_error *who);

#endif
