/* SPDX-License-Identifier: Apache-2.0 */
/* What the rooms above a study use of it beyond its public face. */
#ifndef FCPS_STUDY_INSIDE_H
#define FCPS_STUDY_INSIDE_H

#include "store/store.h"

#include <fcps/study.h>

/* -- Its name -- */

/* What the commands that messages suggest name it by: the name under which it was opened, as a shell takes it; "STUDY" of one
 * in memory. */
const char *fcps_study_word(const fcps_study *study);

/* Another name, such as an address behind which a user has it; as it is given, or as a shell takes it. It is copied. */
fcps_status fcps_study_set_word(fcps_study *study, const char *word, fcps_error *error);
fcps_status fcps_study_set_address(fcps_study *study, const char *address, fcps_error *error);

/* Lets a study in memory stand in for the one at `url`, which this process does not reach: it has its problem, its name and its
 * identity, and what is kept beside it is kept for the other. Both texts are copied. */
fcps_status fcps_study_stand_in(fcps_study *study, const char *url, const char *identity, fcps_error *error);

/* The path of the study's file with this end, freed with free; NULL if nothing can be kept beside the study. */
fcps_status fcps_study_beside(const fcps_study *study, const char *end, char **path, fcps_error *error);

/* -- How far its journal goes -- */

/* The number of the last record that this handle has seen; 0: there is none. Records are only ever added, so that a
 * larger number means news, and the same number none. */
int64_t fcps_study_sequence(const fcps_study *study);

/* What is known of the journal's end, between calls of several handles; see fcps_store_share_seen. */
void fcps_study_share_seen(fcps_study *study, fcps_store_seen *latest);

/* -- Asks -- */

/* From now on asks are refused that may break a limit, because no parameters are known that keep it with its chance. */
void fcps_study_set_strict(fcps_study *study, bool is_strict);

/* From now on asks are refused with which all trials, those under way included, would cost more than `budget`; 0: none. Refused with
 * FCPS_ERR_UNSUPPORTED if trials have no cost. */
fcps_status fcps_study_set_budget(fcps_study *study, double budget, fcps_error *error);

/* Whether the last ask was refused because of the budget. */
bool fcps_study_is_spent(const fcps_study *study);

/* -- What it knew -- */

/* The policy as it was before the record with this sequence: from the results stored earlier that count today. */
fcps_status fcps_study_policy_before(fcps_study *study, int64_t sequence, fcps_policy **policy, fcps_error *error);

/* Which record made an ask; 0: there is no such ask. */
int64_t fcps_study_ask_sequence(const fcps_study *study, int64_t ask);

/* The result that a training rollout of a model is, where results from *next on are looked at and *next then stands behind it;
 * NULL: none, as of a rollout that hindsight made. Rollouts of a model stand in the order of their results. */
const fcps_stored_result *fcps_study_result_of_row(const fcps_study *study, const fcps_rollout *row, size_t *next);

/* -- Rehearsal (rehearse.c) -- */

typedef struct fcps_study_rehearsal {
  int worlds, trials, looks, parallel;               /* as in insight/rehearsal.h */
  bool (*progress)(void *user, int done, int total); /* may be NULL */
  void *user;

  const char
      *learner; /* to be filled: whose trials were rehearsed: if the study's own has no model that can be, another's */
} fcps_study_rehearsal;

/* rewards[look*worlds + world] := what the policy earns, mean over contexts, after each look's trials. Changes nothing. */
fcps_status fcps_study_rehearse(fcps_study *study, fcps_study_rehearsal *rehearsal, double *rewards, fcps_error *error);

/* -- Limits of its texts, whatever the door that they come through -- */

/* The name of a client that asks is repeated in every ask, and is a word of messages. */
enum { FCPS_STUDY_MESSAGE_SIZE = 4096, FCPS_STUDY_LABEL_MAX = 1000, FCPS_STUDY_CLIENT_MAX = 143 };

/* Refuses the name of a client that asks and that is too long (ask.c); NULL is allowed. */
fcps_status fcps_study_check_client(const char *client, fcps_error *error);

/* -- Its hold, for who starts a program under it or beside it -- */

/* The descriptor that has the hold; -1 while the study is not held, or where its hold has none. It is closed on exec
 * unless that is taken off. A program that inherits it keeps the hold until the program, too, has ended: so a run that
 * was killed cannot be followed by another while its program still moves. */
int fcps_study_hold_file(const fcps_study *study);

/* The descriptor of the study's own file, for the guardian of a program alone: the file is locked under whatever name it
 * gets. -1 if there is none. */
int fcps_study_claimed_file(const fcps_study *study);

/* Whether another handle is known to hold the study now; then `who` has words about it. */
bool fcps_study_is_held(fcps_study *study, fcps_error *who);

/* While it is held, the study can only be read: other functions refuse with FCPS_ERR_BUSY, and it is not closed.
 * Returns whether it was held before. */
bool fcps_study_set_held(fcps_study *study, bool is_held);

#endif
