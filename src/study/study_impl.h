/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the study share.
 *
 * The store's journal is the truth; a study keeps an index of it in memory (journal.c) and brings the index up to
 * date at the start of each call. The learner lags behind: a tell only stores, and the learner is told when it is
 * needed next (learner.c). So a tell cannot fail for what a model does with it.
 */
#ifndef FCPS_STUDY_STUDY_IMPL_H
#define FCPS_STUDY_STUDY_IMPL_H

#include "format/json.h"
#include "store/store.h"

#include <fcps/study.h>

/* An ask, with its numbers (target, environment, parameters) in one array. */
typedef struct study_ask {
  int64_t id, learner_id, sequence;
  fcps_ask_state state;
  int result_count; /* results stored, used or not */
  int used;         /* the number of the result that counts; 0: none */
  double *numbers;
  char *client;
} study_ask;

typedef struct study_event {
  fcps_study_event event;
  bool is_change;
  char *code, *text;
} study_event;

struct fcps_study {
  fcps_study_options options;
  fcps_store *store; /* NULL only while the study is being made */

  char *text, *text_name; /* the problem file as it was given; NULL: made from a problem or an origin */
  fcps_problem_file *file;
  fcps_problem_file **old_files; /* that amendments replaced: policies made before score with their formulas */
  size_t old_count, old_capacity;
  char *origin;         /* NULL: made without one */
  void *owner;          /* of the problem that was made from the origin */
  fcps_problem problem; /* borrowed from file->problem, options.problem or the owner's */
  char *learner_name;
  fcps_json *settings_json;
  fcps_setting *settings; /* point into settings_json */
  uint64_t seed;

  /* the index of the journal */
  int64_t sequence;       /* of the last record seen */
  int64_t begin_sequence; /* the same at the start of the transaction */
  study_ask *asks;
  size_t ask_count, ask_capacity;
  fcps_stored_result *results; /* each owns its texts, and its numbers (study_point), which begin at its target */
  size_t result_count, result_capacity;
  study_event *events;
  size_t event_count, event_capacity;
  int64_t learner_reset_sequence; /* of the last change that makes earlier learner states void */

  /* the learner, told all records up to learner_sequence */
  fcps_learner *learner;
  int64_t learner_sequence;
  bool has_head;  /* what never changes of it is stored */
  bool is_remade; /* its stored state could not be read: the next ask notes a reset */
};

/* The note that says so. */
#define STUDY_REMADE_CODE "W_LEARNER_REMADE"

/* The note that gives the result with sequence `other` its key. */
#define STUDY_KEY_CODE "TELL_KEY"

/* The note that the measured environment of the result with sequence `other` is not finite. */
#define STUDY_MISPLACED_CODE "TELL_MISPLACED"

/* Opens a transaction and brings the index up to date. */
fcps_status fcps_study_begin(fcps_study *study, bool writing, fcps_error *error);

/* Ends it: commits when `status` is FCPS_OK, else rolls back. Returns the first failure. */
fcps_status fcps_study_end(fcps_study *study, fcps_status status, fcps_error *error);

/* Writes a record with the present time, within a transaction. */
fcps_status fcps_study_write(fcps_study *study, fcps_journal_record *record, fcps_error *error);

/* Adds a record to the index (journal.c). */
fcps_status fcps_study_index(fcps_study *study, const fcps_journal_record *record, fcps_error *error);
void fcps_study_clear_index(fcps_study *study);
study_ask *fcps_study_find_ask(const fcps_study *study, int64_t id);
fcps_stored_result *fcps_study_find_numbered_result(const fcps_study *study, int64_t ask, int result_number);
fcps_stored_result *fcps_study_find_result(const fcps_study *study, int64_t sequence);

/* Frees the problem files that were replaced: no policy made before may be left (study.c). */
void fcps_study_drop_old_files(fcps_study *study);

/* Reads the problem again with all changes of the history, and one more where `extra` is not NULL (study.c). */
fcps_status fcps_study_read_problem(fcps_study *study, const fcps_setting *extra, fcps_error *error);

/* What a study is made of (setup.c): taken from `setup`, with the learner's settings as a text to be stored; written
 * within the first transaction; read within one. */
fcps_status fcps_study_prepare(fcps_study *study, const fcps_study_setup *setup, char **settings, fcps_error *error);
fcps_status fcps_study_write_setup(fcps_study *study, const char *settings, fcps_error *error);
fcps_status fcps_study_read_setup(fcps_study *study, fcps_error *error);

/* A learner that has been told everything that is in the index (learner.c). Within a transaction. */
fcps_status fcps_study_catch_up(fcps_study *study, fcps_error *error);
fcps_status fcps_study_save_learner(fcps_study *study, int64_t sequence, fcps_error *error);
void fcps_study_drop_learner(fcps_study *study);

/* Whether the outcome and the reward of a result can be used by a model, and the reward by the present function; both
 * rewards of `stored` are those that were told. */
bool fcps_study_score(const fcps_study *study, const fcps_stored_result *stored, double *reward);

/* Stores a rollout that nobody asked for, within a transaction, unless the same client brought the same one up to the
 * sequence `until` (tell.c). */
fcps_status fcps_study_store_unasked(fcps_study *study, const fcps_result *result, int64_t until, bool *is_known,
                                     fcps_error *error);

/* Space for the results that are awaited (space.c): before and after an ask; within the transaction of a tell; after
 * it. */
fcps_status fcps_study_keep_space(fcps_study *study, fcps_error *error);
void fcps_study_give_space_back(fcps_study *study);
void fcps_study_keep_what_is_left(fcps_study *study);

/* Offsets and widths in the arrays of numbers (journal.c). */
int fcps_study_environment_offset(const fcps_study *s);
int fcps_study_parameters_offset(const fcps_study *s);
int fcps_study_outcome_offset(const fcps_study *s);
int fcps_study_width(const fcps_study *s);

/* Lets a rollout point into an array with all its numbers, target first. */
void fcps_study_point(const fcps_study *s, const double *numbers, bool has_outcome, fcps_rollout *rollout);

#endif
