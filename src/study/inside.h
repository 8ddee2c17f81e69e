/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a study for the rooms above it, in addition to the public ones. */
#ifndef FCPS_STUDY_INSIDE_H
#define FCPS_STUDY_INSIDE_H

#include "store/store.h"

#include <fcps/study.h>

/* -- Its name -- */

/* The name of the study in commands that messages suggest: the name under which it was opened, quoted for a shell,
 * or "STUDY" for a study in memory. */
const char *fcps_study_word(const fcps_study *study);

/* Sets another name, which is copied. The first function uses it as it is, as for the address of a server; the second
 * quotes it for a shell. */
fcps_status fcps_study_set_word(fcps_study *study, const char *word, fcps_error *error);
fcps_status fcps_study_set_address(fcps_study *study, const char *address, fcps_error *error);

/* Lets a study in memory stand in for the study at `url`, which this process cannot reach. The study in memory has the
 * same problem, gets the name and identity of the other, and files are kept beside it for the other. Both texts are
 * copied. */
fcps_status fcps_study_stand_in(fcps_study *study, const char *url, const char *identity, fcps_error *error);

/* The path of a file beside the study: the study's own path with `end` appended. The caller frees it; it is NULL if
 * no file can be kept beside the study. */
fcps_status fcps_study_beside(const fcps_study *study, const char *end, char **path, fcps_error *error);

/* -- Its rules -- */

/* Writes a rule of a problem file in the form that `fcps study amend` reads. `what` is its key in the file: the reward,
 * the constraints, the limits, the safe trials or the cost. The caller frees the text; NULL if memory ran out. */
char *fcps_study_rule_text(const fcps_problem_file *file, const char *what);

/* -- How far its journal goes -- */

/* The number of the last record that this handle has seen; 0 if there is none. Records are only ever added, so a
 * larger number means new records. */
int64_t fcps_study_sequence(const fcps_study *study);

/* Lets several handles of a study share what they know about the end of its journal; see fcps_store_share_seen. */
void fcps_study_share_seen(fcps_study *study, fcps_store_seen *latest);

/* -- Asks -- */

/* If `is_strict`, an ask is refused from now on if it may break a limit, because no parameters are known that keep the
 * limit with the required chance. */
void fcps_study_set_strict(fcps_study *study, bool is_strict);

/* Sets a budget. From now on an ask is refused if all trials, including those under way, would cost more than `budget`.
 * 0 means no budget. Returns FCPS_ERR_UNSUPPORTED if the problem has no cost. */
fcps_status fcps_study_set_budget(fcps_study *study, double budget, fcps_error *error);

/* Whether the last ask was refused because of the budget. */
bool fcps_study_is_spent(const fcps_study *study);

/* -- Earlier policies -- */

/* Makes a policy from the results that are earlier than the record with this sequence and that count today. */
fcps_status fcps_study_policy_before(fcps_study *study, int64_t sequence, fcps_policy **policy, fcps_error *error);

/* The sequence of the record of an ask; 0 if there is no such ask. */
int64_t fcps_study_ask_sequence(const fcps_study *study, int64_t ask);

/* Finds the result that belongs to a training row of a model. The search begins at result *next, and *next is then the
 * result after it. NULL: the row has no result, because hindsight made the row. Rows of a model stand in the order of
 * their results. */
const fcps_stored_result *fcps_study_result_of_row(const fcps_study *study, const fcps_rollout *row, size_t *next);

/* -- Words without a result (stopping_rule.c) -- */

/* Lists them: "tyre=rubber, tyre=heated"; empty if there is none. `are_unsafe`: those that asks may never try, because there
 * are limits and no safe trial has them; otherwise the others. A text that is too long is cut. */
void fcps_study_list_untried(const fcps_study *study, bool are_unsafe, size_t size, char *text);

/* -- Rehearsal (learner.c) -- */

typedef struct fcps_study_rehearsal {
  int worlds, trials, looks, parallel;               /* the settings of insight/rehearsal.h */
  bool (*progress)(void *user, int done, int total); /* may be NULL */
  void *user;

  /* output: the learner that was rehearsed, which is another one if the study's own learner cannot be rehearsed */
  const char *learner;
} fcps_study_rehearsal;

/* rewards[look * worlds + world] := the reward that the policy earns in each imagined world after the trials of each
 * look, averaged over contexts. The study does not change. */
fcps_status fcps_study_rehearse(fcps_study *study, fcps_study_rehearsal *rehearsal, double *rewards, fcps_error *error);

/* Returns a large gain of FCPS_GAIN_TRIALS more trials, in the mean over contexts: hardly one of a few imagined worlds
 * gains more. Returns 0 if the policy's model cannot be rehearsed. */
enum { FCPS_GAIN_WORLDS = 16, FCPS_GAIN_TRIALS = 20 };
fcps_status fcps_study_rehearse_gain(fcps_study *study, const fcps_policy *policy, double *gain, fcps_error *error);

/* -- Limits of texts, through every door -- */

/* The largest sizes of messages, labels and names of clients. A client's name is repeated in every ask and quoted in
 * messages, so it must be shorter than other labels. */
enum { FCPS_STUDY_MESSAGE_SIZE = 4096, FCPS_STUDY_LABEL_MAX = 1000, FCPS_STUDY_CLIENT_MAX = 143 };

/* Refuses a client's name that is too long (ask.c); NULL is allowed. */
fcps_status fcps_study_check_client(const char *client, fcps_error *error);

/* -- The hold of a study, for callers that start a program under it or beside it -- */

/* The descriptor of the hold; -1 if the study is not held, or if its hold has no descriptor. A program that is started
 * closes it, unless the caller clears its close-on-exec flag. A program that inherits it keeps the study held until the
 * program ends. So no other run can begin while the program of a killed run still moves a robot. */
int fcps_study_hold_file(const fcps_study *study);

/* The descriptor of the study's own file; -1 if there is none. Only the guardian of a program gets it. The file stays
 * locked even if it gets another name. */
int fcps_study_claimed_file(const fcps_study *study);

/* Whether this handle knows that another handle holds the study now. If so, `who` describes that handle. */
bool fcps_study_is_held(fcps_study *study, fcps_error *who);

/* Sets whether the study is busy in a callback. As long as it is, it can only be read: other functions fail with
 * FCPS_ERR_BUSY, and it is not closed. Returns what was set before. */
bool fcps_study_set_held(fcps_study *study, bool is_held);

#endif
