/* SPDX-License-Identifier: Apache-2.0 */
/* The study and the functions that its files share.
 *
 * The store's journal is the truth; a study keeps an index of it in memory (journal.c) and brings the index up to date
 * at the start of each call. The learner may be behind the index: a tell only stores the result, and the learner is
 * told when it is needed next (learner.c). So a tell never fails because a model cannot use the result. */
#ifndef FCPS_STUDY_STUDY_IMPL_H
#define FCPS_STUDY_STUDY_IMPL_H

#include "format/json.h"
#include "problem/problem.h"
#include "store/store.h"

#include <fcps/study.h>
#include <fcps/study_lease.h>

#include <stdint.h>

/* An ask, with its numbers (target, environment, parameters) in one array. */
typedef struct study_ask {
  int64_t id, learner_id, sequence;
  fcps_ask_state state;
  int result_count; /* how many results are stored for the ask, including those that do not count */
  int used;         /* the number of the result that counts; 0: none */
  double *numbers;
  double *expected; /* what the ask expects (expectation.c); NULL: nothing */
  char *client;
} study_ask;

typedef struct study_event {
  fcps_study_event event;
  bool is_change;
  char *code, *text;
} study_event;

typedef struct study_remark study_remark; /* remarks/remarks.c */
typedef struct fcps_model fcps_model;

/* What the user was told about a result that is, or once was, a suspect (remarks/suspects.c). */
typedef struct study_mark {
  int64_t sequence;
  /* the factor of the series of wrong results to which it belongs (model/structures/doubts.h); 0: it belongs to none */
  double factor;
  int outcome; /* the outcome that is wrong in that series */
  bool is_said;
} study_mark;

/* The right of a worker to an unfinished ask, for a time (lease.c). */
typedef struct study_lease {
  int64_t ask, since_ms, until_ms, length_ms;
  char worker[96];
} study_lease;

struct fcps_study {
  bool is_strict; /* asks that may break a limit are refused (fcps_study_set_strict) */
  double budget;  /* limit of the cost of all trials; 0: no limit */
  bool is_spent;  /* the last ask was refused because of the budget */
  fcps_study_options options;
  fcps_store *store;   /* NULL only until the store is made */
  bool is_place_known; /* whether a warning about a network file system was given, or is not needed */

  char *text, *text_name; /* the problem file as given; NULL: the problem came from callbacks or an origin */
  fcps_problem_file *file;
  fcps_problem_file **old_files; /* files that amendments have replaced; earlier policies still use their formulas */
  size_t old_count, old_capacity;
  /* policies may still use this many files: the old ones from the first on, then the present one */
  size_t lent_count;
  char *origin; /* NULL: the study has no origin */
  void *owner;  /* the owner of a problem that was made from the origin */
  /* its arrays are borrowed from file->problem, from options.problem or from the owner's problem */
  fcps_problem problem;
  /* the same problem, but its functions and options.log are called through `callbacks`, which keeps them from using the
   * study */
  fcps_problem guarded;
  fcps_callbacks *callbacks;
  char *made_learner, *made_settings; /* as the setup says: the learner's name, and its settings as JSON */
  char *learner_name;                 /* the present learner, after all changes of the setup (setup.c) */
  fcps_json *settings_json;
  fcps_setting *settings; /* the present settings; their texts are in settings_json */
  uint64_t seed;

  /* The index of the journal: */
  int64_t sequence;       /* the last record that was read */
  int64_t begin_sequence; /* the last record that was read when the transaction began */
  int64_t time_ms;        /* the time that records of this transaction get */
  study_ask *asks;
  size_t ask_count, ask_capacity;
  fcps_stored_result
      *results; /* each owns its texts, deviations and numbers; its numbers begin at its target (fcps_study_point) */
  size_t result_count, result_capacity;
  int64_t marks_sequence; /* the last record when all results were last searched for suspects */
  study_mark *marks;      /* one mark for each result that is, or once was, a suspect */
  size_t mark_count, mark_capacity;
  int64_t heard_sequence; /* other processes have announced the doubted results up to this record */
  study_event *events;
  size_t event_count, event_capacity;
  study_remark *remarks;
  size_t remark_count, remark_capacity;
  char unmet[200];                /* memory for the text of the last outlook, if that contains numbers */
  int64_t learner_reset_sequence; /* the last record that makes earlier states of the learner void */
  int64_t reward_sequence;        /* the record of the last change of the reward */

  /* the study's name in suggested commands (inside.h); NULL: the name of the store */
  char *word;
  /* the url and identity of the study that this one stands in for; NULL: this study is the real one */
  char *stand_in_url, *stand_in_identity;

  study_lease *leases; /* the leases as they were last read, and the time of the store's clock then */
  size_t lease_count, lease_capacity;
  int64_t lease_time_ms;

  /* The learner was told all records up to learner_sequence. Of later records it knows only its own ask,
   * learner_ask_sequence. */
  fcps_learner *learner;
  int64_t learner_sequence, learner_ask_sequence;
  bool has_head;        /* whether that part of the learner's state is stored which never changes */
  bool is_learner_full; /* whether the user was told that the learner takes no more results */
  bool is_remade;       /* whether the learner's stored state could not be read; the next ask then stores a reset */

  /* The learner's state as it was stored when the index was last brought up to date; NULL: no stored state can be
   * used. */
  char *saved_head, *saved_state;
  int64_t saved_sequence;
};

/* The code of the note that the learner's stored state could not be read, so that a new learner was made. */
#define STUDY_REMADE_CODE "W_LEARNER_REMADE"

/* The code of the note that a repair lost records. Its text says how many, and lists their numbers. */
#define STUDY_LOST_CODE "W_RECORDS_LOST"

/* The code of the note that gives the result with sequence `other` its key. */
#define STUDY_KEY_CODE "TELL_KEY"

/* The code of the note that the measured environment of the result with sequence `other` is not finite. */
#define STUDY_MISPLACED_CODE "TELL_MISPLACED"

/* The code of the note that holds, as its outcome, the deviations of the outcome of the result with sequence
 * `other`. */
#define STUDY_DEVIATION_CODE "TELL_DEVIATION"

/* The code of the note that the result with sequence `other` was confirmed. Its text is the result's name. */
#define STUDY_CONFIRMED_CODE "CONFIRMED"

/* The codes of the events that a result was chosen among several, or taken out. Their text is the result's name. */
#define STUDY_USED_CODE    "USED"
#define STUDY_DROPPED_CODE "DROPPED"

/* Every public function that works on the study calls this first. It refuses NULL, and calls from one of the study's
 * own callbacks. */
fcps_status fcps_study_enter(fcps_study *study, fcps_error *error);

/* Sets the problem, which must live until the study is closed or gets another problem (study.c). */
void fcps_study_set_problem(fcps_study *study, const fcps_problem *problem);

/* Opens a transaction, and brings the index up to date. */
fcps_status fcps_study_begin(fcps_study *study, bool writing, fcps_error *error);

/* Ends the transaction: commits if `status` is FCPS_OK, else rolls back. Returns the first failure. */
fcps_status fcps_study_end(fcps_study *study, fcps_status status, fcps_error *error);

/* Writes a record with the time of the transaction. */
fcps_status fcps_study_write(fcps_study *study, fcps_journal_record *record, fcps_error *error);

/* Adds a record to the index (journal.c). */
fcps_status fcps_study_index(fcps_study *study, const fcps_journal_record *record, fcps_error *error);
void fcps_study_clear_index(fcps_study *study);
study_ask *fcps_study_find_ask(const fcps_study *study, int64_t id);
fcps_stored_result *fcps_study_find_numbered_result(const fcps_study *study, int64_t ask, int result_number);
fcps_stored_result *fcps_study_find_result(const fcps_study *study, int64_t sequence);

/* Frees the problem files that changes have replaced, except those that policies may still use: nobody tells the study
 * when a policy is destroyed (study.c). */
void fcps_study_drop_old_files(fcps_study *study);

/* Reads the problem again with all changes of the journal, and with the change `extra` unless it is NULL (study.c). */
fcps_status fcps_study_read_problem(fcps_study *study, const fcps_setting *extra, fcps_error *error);

/* Reads the stored problem with all changes. If this fails, the study is damaged (setup.c). */
fcps_status fcps_study_read_stored_problem(fcps_study *study, fcps_error *error);

/* The setup of a study (setup.c). The first function takes it from `setup`, and returns the learner's settings as a
 * text that the caller frees. The second writes the setup within the first transaction. The third reads it in a
 * transaction of its own. */
fcps_status fcps_study_prepare(fcps_study *study, const fcps_study_setup *setup, char **settings, fcps_error *error);
fcps_status fcps_study_write_setup(fcps_study *study, const char *settings, fcps_error *error);
fcps_status fcps_study_read_setup(fcps_study *study, fcps_error *error);

/* The choice of the learner (setup.c). The first function finds the present learner and settings from the setup and all
 * later changes. The second writes the learner before change `index`; the caller frees the text. The third says whether
 * a change with this code is one of the learner; the fourth, whether an event changes the problem. */
fcps_status fcps_study_take_learner(fcps_study *study, fcps_error *error);
fcps_status fcps_study_replaced_learner(const fcps_study *study, int index, char **text, fcps_error *error);
bool fcps_study_is_learner_change(const char *code);
bool fcps_study_is_problem_change(const study_event *event);

/* The learner (learner.c). The first function reads the learner's stored state, within a transaction. The second brings
 * the learner up to date after the transaction, by telling it everything that is in the index. */
fcps_status fcps_study_read_learner(fcps_study *study, fcps_error *error);
fcps_status fcps_study_catch_up(fcps_study *study, fcps_error *error);

/* Makes the policy as it would be without the last `last` of the results that count. The study's own learner does not
 * change. */
fcps_status fcps_study_earlier_policy(fcps_study *study, int last, fcps_policy **policy, fcps_error *error);

/* Makes another learner with its default settings, and tells it all results that count. The caller destroys it. */
fcps_status fcps_study_stand_in_learner(fcps_study *study, const char *name, fcps_learner **learner, fcps_error *error);

/* Within a transaction, stores the state of the learner. The state has made the ask with this sequence, and was told
 * the results up to `told_sequence`. */
fcps_status fcps_study_save_learner(fcps_study *study, int64_t ask_sequence, int64_t told_sequence, fcps_error *error);
void fcps_study_drop_learner(fcps_study *study);
void fcps_study_drop_saved(fcps_study *study);

/* Whether a model can use the outcome of a result. *reward receives its reward by today's formula, because `stored` has
 * only a reward that was told. */
bool fcps_study_score(const fcps_study *study, const fcps_stored_result *stored, double *reward);

/* Disk space for the results of pending asks (study.c). The first function keeps the space; it is called before and
 * after an ask. The second frees the space if no ask is pending, within the transaction of a tell. The third, called
 * after that transaction, keeps as much as the disk has room for. */
fcps_status fcps_study_keep_space(fcps_study *study, fcps_error *error);
void fcps_study_give_space_back(fcps_study *study);
void fcps_study_keep_what_is_left(fcps_study *study);

/* Warns of results after a sequence that lie outside their bounds, and of repeated trials among them whose outcomes
 * scatter too much. Called after the transaction that stored the results. */
void fcps_study_warn_since(const fcps_study *study, int64_t sequence);

/* The first function warns of the numbers of one result that lie outside their bounds. The second warns of those of all
 * results after a sequence, once for each dimension. The other two do the same for constraints (remarks/outside.c). */
void fcps_study_warn_of_bounds(const fcps_study *study, const fcps_stored_result *stored);
void fcps_study_warn_of_bounds_since(const fcps_study *study, int64_t sequence);
void fcps_study_warn_of_constraints(const fcps_study *study, const fcps_stored_result *stored);
void fcps_study_warn_of_constraints_since(const fcps_study *study, int64_t sequence);

/* Writes the command that takes a result out, for use in warnings. */
enum { STUDY_COMMAND_SIZE = 256 };
const char *fcps_study_drop_command(const fcps_study *study, const fcps_stored_result *stored,
                                    char text[STUDY_COMMAND_SIZE]);

/* Warn if repeated trials scatter more than their told deviations allow. The first function checks the place of one
 * rollout; the second checks the places of all results after a sequence, each place once
 * (remarks/repeated_trials.c). */
void fcps_study_warn_of_scatter(const fcps_study *study, const fcps_rollout *at);
void fcps_study_warn_of_scatter_since(const fcps_study *study, int64_t sequence);

/* Writes the name of a result for `log` and `amend`: ASK.N, or its sequence if it has no ask (journal.c). */
enum { STUDY_RESULT_NAME_SIZE = 48 };
void fcps_study_name_result(const fcps_stored_result *stored, char name[STUDY_RESULT_NAME_SIZE]);

/* Searches for suspects again if something was stored since all results were last searched. If this fails, the marks
 * stay as they are. */
void fcps_study_refresh_marks(fcps_study *study);

/* Notes, for a learner that was just made or loaded, that another process has already announced the results that it
 * doubts. */
void fcps_study_hear_doubts(fcps_study *study, bool is_loaded);

/* After a fit, logs what no single tell can show: outcomes that never change, and results that `model` did not doubt
 * before (NULL: there is no model). A failure in this function is not an error. */
void fcps_study_say_doubts(fcps_study *study, const fcps_model *model);

/* Logs which of the results after a sequence, which were just imported, the model doubts. */
void fcps_study_warn_of_suspects(fcps_study *study, int64_t sequence);

/* Returns the mark of a result; NULL if the result was never doubted. */
study_mark *fcps_study_find_mark(const fcps_study *study, int64_t sequence);

/* Where the numbers of each space begin in an array with all numbers of a trial, and how many numbers there are
 * (journal.c). */
int fcps_study_environment_offset(const fcps_study *s);
int fcps_study_parameters_offset(const fcps_study *s);
int fcps_study_outcome_offset(const fcps_study *s);
int fcps_study_width(const fcps_study *s);

/* The target of a trial for which nobody noted the wanted target. It is the arithmetic middle of the range, even of a
 * logarithmic one; of words, it is the first. The number is stored. It must never change, because a log that has grown
 * would otherwise be imported twice. */
static inline double fcps_study_middle(const fcps_dimension *dim)
{
  return dim->choices != NULL ? dim->lower : 0.5 * (dim->lower + dim->upper);
}

/* Lets a rollout point into an array with all its numbers. The array begins with the target. */
void fcps_study_point(const fcps_study *s, const double *numbers, bool has_outcome, fcps_rollout *rollout);

/* -- Expectations (expectation.c) --
 *
 * An ask expects a result of its trial. The record of the ask stores it as its `outcome`, and a tell compares it with
 * the result, so a tell needs no model. The numbers are the outcome, its deviations, the reward and its deviation,
 * and the chances of success and of an outcome. NaN: not known. */

/* The number of numbers in an expectation. */
int fcps_study_expectation_width(const fcps_study *study);

/* The first function writes what the learner expects of an ask that it has just made with these numbers. The second
 * returns whether an expectation contains any number. */
fcps_status fcps_study_expect(fcps_study *study, const double *numbers, double *expected, fcps_error *error);
bool fcps_study_expects(const fcps_study *study, const double *expected);

/* Returns the expectation of an ask in the form for users. `ask` may be NULL. If the reward was amended after the ask,
 * there is no expected reward. */
fcps_expectation fcps_study_expectation_of(const fcps_study *study, const study_ask *ask);

/* How a result differs from what its ask expected. */
typedef struct study_surprise {
  const char *name; /* the name of the outcome, or "reward" */
  double told, expected, deviation;
} study_surprise;

/* Whether a stored result is so far from what its ask expected that the teller should check it. The rule is the one by
 * which a model doubts its rows (model/structures/doubts.h); the other rows are here the results stored before the ask.
 * A result is not compared if its trial was done in another environment or with other parameters than its ask. */
bool fcps_study_is_surprising(const fcps_study *study, const fcps_stored_result *stored, study_surprise *surprise);

enum { STUDY_SURPRISE_SIZE = 240 };
void fcps_study_describe_surprise(const study_surprise *surprise, char text[STUDY_SURPRISE_SIZE]);

/* Logs that a result is surprising, and how. */
void fcps_study_say_surprise(const fcps_study *study, const fcps_stored_result *stored, const study_surprise *surprise);

/* -- Leases, for the files that store asks within a transaction (lease.c) --
 *
 * The context of a leased ask follows from its place among all asks. It is drawn again for each try, so workers that
 * ask at the same time get different contexts. */

/* Stores a lease of the ask that was just written. Called in the transaction that writes the ask. */
fcps_status fcps_study_write_lease(fcps_study *study, int64_t ask, const fcps_lease_request *request,
                                   fcps_error *error);

/* Makes a new ask with its lease. Returns FCPS_ERR_STOPPED if the study already has as many asks as the request allows
 * (ask.c). */
fcps_status fcps_study_new_leased(fcps_study *study, const fcps_lease_request *request, fcps_ask *ask,
                                  fcps_error *error);

/* Fails with FCPS_ERR_LOCKED if a worker is alive, and names that worker. Its transaction stores nothing. */
fcps_status fcps_study_refuse_workers(fcps_study *study, fcps_error *error);

/* Fills in an earlier ask once more, for the caller (ask.c). */
void fcps_study_show_again(const fcps_study *study, int64_t id, fcps_ask *ask);

/* -- Results by place (remarks/repeated_trials.c) --
 *
 * The place of a trial is its environment and its parameters. A list of results by place is for callers that compare
 * many results with all others. */

typedef struct study_place {
  uint64_t hash;
  size_t index; /* the index of the result in the study */
} study_place;

typedef struct study_places {
  size_t count;
  study_place *sorted; /* sorted by hash, and then by index */
} study_places;

/* Lists all results that the study has at this moment. */
fcps_status fcps_study_places_create(study_places *places, const fcps_study *study, fcps_error *error);
void fcps_study_places_destroy(study_places *places);

/* Finds the results at the place of a rollout, in their order. A few results of other places may be among them, because
 * only hashes are compared. Returns how many there are, and where they begin. */
size_t fcps_study_places_find(const study_places *places, const fcps_study *study, const fcps_rollout *at,
                              const study_place **found);

#endif
