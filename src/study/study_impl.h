/* SPDX-License-Identifier: Apache-2.0 */
/* The study and the functions that its files share.
 *
 * The store's journal is the truth; a study keeps an index of it in memory (journal.c) and brings the index up to
 * date at the start of each call. The learner lags behind: a tell only stores, and the learner is told when it is
 * needed next (learner.c). So a tell never fails because a model cannot use the result.
 */
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
  int result_count; /* results stored, used or not */
  int used;         /* the number of the result that counts; 0: none */
  double *numbers;
  double *expected; /* see expectation.c; NULL: the ask expects nothing */
  char *client;
} study_ask;

typedef struct study_event {
  fcps_study_event event;
  bool is_change;
  char *code, *text;
} study_event;

typedef struct study_remark study_remark; /* remarks/remarks.c */
typedef struct fcps_model fcps_model;

/* What the user was told about a result that is or was a suspect (remarks/suspects.c). */
typedef struct study_mark {
  int64_t sequence;
  double factor; /* the factor of the spell that it belongs to (model/structures/doubts.h); 0: it belongs to none */
  int outcome;   /* the outcome of that spell */
  bool is_said;
} study_mark;

/* A worker's right to an unfinished ask (lease.c). */
typedef struct study_lease {
  int64_t ask, since_ms, until_ms, length_ms;
  char worker[96];
} study_lease;

struct fcps_study {
  bool is_strict; /* asks that may break a limit are refused */
  double budget;  /* limit of the cost of all trials; 0: no limit */
  bool is_spent;  /* the last ask was refused because of it */
  fcps_study_options options;
  fcps_store *store;   /* NULL only while the study is being made */
  bool is_place_known; /* whether a warning about a network file system was considered already */

  char *text, *text_name; /* the problem file as given; NULL: the problem came from callbacks or an origin */
  fcps_problem_file *file;
  fcps_problem_file **old_files; /* files that amendments replaced: earlier policies still use their formulas */
  size_t old_count, old_capacity;
  size_t lent_count;    /* policies may use so many of the old files; one more if the present file is among them */
  char *origin;         /* NULL: the study has no origin */
  void *owner;          /* the owner of the problem made from the origin */
  fcps_problem problem; /* borrowed from file->problem, options.problem or the owner's */
  fcps_problem guarded; /* the same problem, but its functions and options.log are called through `callbacks` */
  fcps_callbacks *callbacks;
  char *made_learner, *made_settings; /* the setup: the learner's name, and its settings as JSON */
  char *learner_name;                 /* the same with all later changes (setup.c) */
  fcps_json *settings_json;
  fcps_setting *settings; /* point into settings_json */
  uint64_t seed;

  /* the index of the journal */
  int64_t sequence;       /* of the last record seen */
  int64_t begin_sequence; /* the last record when the transaction began */
  int64_t time_ms;        /* the time for the records of the transaction */
  study_ask *asks;
  size_t ask_count, ask_capacity;
  fcps_stored_result
      *results; /* each owns its texts, deviations and numbers; the numbers begin at its target (study_point) */
  size_t result_count, result_capacity;
  int64_t marks_sequence; /* the last record when all results were last searched for suspects */
  study_mark *marks;      /* one for each result that is or was a suspect */
  size_t mark_count, mark_capacity;
  int64_t heard_sequence; /* earlier processes have announced the doubted results up to this record */
  study_event *events;
  size_t event_count, event_capacity;
  study_remark *remarks;
  size_t remark_count, remark_capacity;
  char unmet[200];                /* the text of the last outlook, if it contains numbers */
  int64_t learner_reset_sequence; /* the last change that makes earlier learner states void */
  int64_t reward_sequence;        /* the last change of the reward */

  char *word;                             /* the study's name in suggested commands (inside.h); NULL: the store's */
  char *stand_in_url, *stand_in_identity; /* the study that this one stands in for; NULL: it stands in for no other */

  study_lease *leases; /* the leases when they were last read, at lease_time_ms of the store's clock */
  size_t lease_count, lease_capacity;
  int64_t lease_time_ms;

  /* the learner was told all records up to learner_sequence; of later records it knows only its own ask */
  fcps_learner *learner;
  int64_t learner_sequence, learner_ask_sequence;
  bool has_head;        /* whether the part of its state that never changes is stored */
  bool is_learner_full; /* whether the user was told that it takes no more results */
  bool is_remade;       /* whether its stored state could not be read: the next ask then notes a reset */

  /* the stored state when the index was last brought up to date; NULL: there is no usable state */
  char *saved_head, *saved_state;
  int64_t saved_sequence;
};

/* The note that the learner's stored state could not be read, and was made again. */
#define STUDY_REMADE_CODE "W_LEARNER_REMADE"

/* The note of a repair that lost records; its text says how many, and their numbers. */
#define STUDY_LOST_CODE "W_RECORDS_LOST"

/* The note that gives the result with sequence `other` its key. */
#define STUDY_KEY_CODE "TELL_KEY"

/* The note that the measured environment of the result with sequence `other` is not finite. */
#define STUDY_MISPLACED_CODE "TELL_MISPLACED"

/* The note that gives the result with sequence `other` the deviations of its outcome, as its own outcome. */
#define STUDY_DEVIATION_CODE "TELL_DEVIATION"

/* The note that the result with sequence `other` was confirmed; its text names it. */
#define STUDY_CONFIRMED_CODE "CONFIRMED"

/* The events of a result that was chosen among several, or taken out; the text names it. */
#define STUDY_USED_CODE    "USED"
#define STUDY_DROPPED_CODE "DROPPED"

/* Begins every public function that works on the study: refuses NULL, and a call from one of the study's own
 * callbacks. */
fcps_status fcps_study_enter(fcps_study *study, fcps_error *error);

/* Sets the problem, which must live until the study is closed or gets another problem (study.c). */
void fcps_study_set_problem(fcps_study *study, const fcps_problem *problem);

/* Opens a transaction and brings the index up to date. */
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

/* Frees the problem files that changes have replaced, except those that policies may use: the study does not learn when
 * the caller destroys a policy (study.c). */
void fcps_study_drop_old_files(fcps_study *study);

/* Reads the problem again with all changes of the journal, and with the change `extra` unless it is NULL (study.c). */
fcps_status fcps_study_read_problem(fcps_study *study, const fcps_setting *extra, fcps_error *error);

/* Reads the stored problem with all changes; a failure means that the study is damaged (setup.c). */
fcps_status fcps_study_read_stored_problem(fcps_study *study, fcps_error *error);

/* The setup of a study (setup.c). The first function takes it from `setup` and writes the learner's settings as a
 * text; the second writes it within the first transaction; the third reads it in its own transaction. */
fcps_status fcps_study_prepare(fcps_study *study, const fcps_study_setup *setup, char **settings, fcps_error *error);
fcps_status fcps_study_write_setup(fcps_study *study, const char *settings, fcps_error *error);
fcps_status fcps_study_read_setup(fcps_study *study, fcps_error *error);

/* The choice of the learner (setup.c). The first function sets the learner and settings by the setup and all
 * later changes; the second writes the learner that change `index` replaced; the third says whether the code of a
 * change belongs to the learner; the fourth says whether an event changes the problem. */
fcps_status fcps_study_take_learner(fcps_study *study, fcps_error *error);
fcps_status fcps_study_replaced_learner(const fcps_study *study, int index, char **text, fcps_error *error);
bool fcps_study_is_learner_change(const char *code);
bool fcps_study_is_problem_change(const study_event *event);

/* The learner (learner.c). The first function reads its stored state, within a transaction. The second brings the
 * learner up to date after the transaction: it is then told everything that is in the index. */
fcps_status fcps_study_read_learner(fcps_study *study, fcps_error *error);
fcps_status fcps_study_catch_up(fcps_study *study, fcps_error *error);

/* Makes the policy as it would be without the last `last` results that count. The study's own learner is not
 * changed. */
fcps_status fcps_study_earlier_policy(fcps_study *study, int last, fcps_policy **policy, fcps_error *error);

/* Makes another learner with its default settings, and tells it all results that count. */
fcps_status fcps_study_stand_in_learner(fcps_study *study, const char *name, fcps_learner **learner, fcps_error *error);

/* Within a transaction, stores the state of the learner that made the ask with this sequence, and that was told the
 * results up to `told_sequence`. */
fcps_status fcps_study_save_learner(fcps_study *study, int64_t ask_sequence, int64_t told_sequence, fcps_error *error);
void fcps_study_drop_learner(fcps_study *study);
void fcps_study_drop_saved(fcps_study *study);

/* Whether a model can use the outcome of a result, and its reward by today's formula, which is returned in *reward.
 * The rewards in `stored` are those that were told. */
bool fcps_study_score(const fcps_study *study, const fcps_stored_result *stored, double *reward);

/* Disk space for awaited results (study.c). The first function is called before and after an ask, the second within
 * the transaction of a tell, the third after it. */
fcps_status fcps_study_keep_space(fcps_study *study, fcps_error *error);
void fcps_study_give_space_back(fcps_study *study);
void fcps_study_keep_what_is_left(fcps_study *study);

/* Warns of results after a sequence that lie outside their bounds, and of their outcomes that scatter too much.
 * Called after the transaction that stored them. */
void fcps_study_warn_since(const fcps_study *study, int64_t sequence);

/* The first function warns of the numbers of one result that lie outside their bounds; the second of those of all
 * results after a sequence, once for each dimension (remarks/outside.c). The other two do the same for constraints
 * (remarks/outside.c). */
void fcps_study_warn_of_bounds(const fcps_study *study, const fcps_stored_result *stored);
void fcps_study_warn_of_bounds_since(const fcps_study *study, int64_t sequence);
void fcps_study_warn_of_constraints(const fcps_study *study, const fcps_stored_result *stored);
void fcps_study_warn_of_constraints_since(const fcps_study *study, int64_t sequence);

/* Writes the command that takes a result out, for warnings. */
enum { STUDY_COMMAND_SIZE = 256 };
const char *fcps_study_drop_command(const fcps_study *study, const fcps_stored_result *stored,
                                    char text[STUDY_COMMAND_SIZE]);

/* Warns if repeated trials scatter more than their told deviations allow: the first function looks at the place of
 * one rollout, the second at the places of all results after a sequence, once for each place
 * (remarks/repeated_trials.c). */
void fcps_study_warn_of_scatter(const fcps_study *study, const fcps_rollout *at);
void fcps_study_warn_of_scatter_since(const fcps_study *study, int64_t sequence);

/* Writes the name of a result as `log` and `amend` use it: ASK.N, or its sequence (journal.c). */
enum { STUDY_RESULT_NAME_SIZE = 48 };
void fcps_study_name_result(const fcps_stored_result *stored, char name[STUDY_RESULT_NAME_SIZE]);

/* Looks for suspects again if something was stored since the last long look. If this fails, the marks stay. */
void fcps_study_refresh_marks(fcps_study *study);

/* Notes, for a learner that was just made or loaded, that another process has announced the results that it doubts. */
void fcps_study_hear_doubts(fcps_study *study, bool is_loaded);

/* Logs, after a fit, what tells do not say: outcomes that never change, and newly doubted results of `model` (NULL:
 * there is no model). A failure in it is not an error. */
void fcps_study_say_doubts(fcps_study *study, const fcps_model *model);

/* Logs which of the results after a sequence, which were just imported, the model doubts. */
void fcps_study_warn_of_suspects(fcps_study *study, int64_t sequence);

/* The mark of a result; NULL if it was never doubted. */
study_mark *fcps_study_find_mark(const fcps_study *study, int64_t sequence);

/* Offsets and widths in the arrays of numbers (journal.c). */
int fcps_study_environment_offset(const fcps_study *s);
int fcps_study_parameters_offset(const fcps_study *s);
int fcps_study_outcome_offset(const fcps_study *s);
int fcps_study_width(const fcps_study *s);

/* The target of a trial if nobody noted the wanted target: the arithmetic middle of the range, even of a logarithmic
 * one; of words, the first. This number is stored, so it must never change: a log that has grown would be imported
 * twice. */
static inline double fcps_study_middle(const fcps_dimension *dim)
{
  return dim->choices != NULL ? dim->lower : 0.5 * (dim->lower + dim->upper);
}

/* Lets a rollout point into an array with all its numbers, which begin with the target. */
void fcps_study_point(const fcps_study *s, const double *numbers, bool has_outcome, fcps_rollout *rollout);

/* -- Expectations (expectation.c) --
 *
 * An ask expects a result of its trial. The record of the ask stores it as its `outcome`, and a tell compares it with
 * the result, so a tell needs no model. The numbers are the outcome, its deviations, the reward and its deviation,
 * and the chances of success and of an outcome. NaN: not known. */

/* The number of numbers in an expectation. */
int fcps_study_expectation_width(const fcps_study *study);

/* fcps_study_expect writes what the learner expects of an ask that it has just made with these numbers. The second
 * function returns whether an expectation has any number. */
fcps_status fcps_study_expect(fcps_study *study, const double *numbers, double *expected, fcps_error *error);
bool fcps_study_expects(const fcps_study *study, const double *expected);

/* Returns the expectation of an ask in the form for users; `ask` may be NULL. If the reward was amended since the ask,
 * the expected reward is left out. */
fcps_expectation fcps_study_expectation_of(const fcps_study *study, const study_ask *ask);

/* How a result differs from what its ask expected. */
typedef struct study_surprise {
  const char *name; /* of the outcome, or "reward" */
  double told, expected, deviation;
} study_surprise;

/* Whether a stored result is so far from what its ask expected that its teller should check it. The rule is that for
 * doubted rows of a model (model/structures/doubts.h), compared with the results stored before the ask. A result is
 * not compared if its trial was done in another context or with other parameters than its ask. */
bool fcps_study_is_surprising(const fcps_study *study, const fcps_stored_result *stored, study_surprise *surprise);

enum { STUDY_SURPRISE_SIZE = 240 };
void fcps_study_describe_surprise(const study_surprise *surprise, char text[STUDY_SURPRISE_SIZE]);

/* Logs that a result is surprising. */
void fcps_study_say_surprise(const fcps_study *study, const fcps_stored_result *stored, const study_surprise *surprise);

/* -- Leases, for the files that store asks within a transaction (lease.c) --
 *
 * The context of a leased ask follows from its place among all asks, and is drawn again for each try, so that
 * workers that ask at once get different contexts. */

/* Stores a lease of the ask that was just written, in the transaction that writes it. */
fcps_status fcps_study_write_lease(fcps_study *study, int64_t ask, const fcps_lease_request *request,
                                   fcps_error *error);

/* Makes a new ask with its lease; FCPS_ERR_STOPPED if the study has as many asks as the request allows (ask.c). */
fcps_status fcps_study_new_leased(fcps_study *study, const fcps_lease_request *request, fcps_ask *ask,
                                  fcps_error *error);

/* Fails with FCPS_ERR_LOCKED while a worker lives, and names that worker. Its transaction stores nothing. */
fcps_status fcps_study_refuse_workers(fcps_study *study, fcps_error *error);

/* Returns an earlier ask once more (ask.c). */
void fcps_study_show_again(const fcps_study *study, int64_t id, fcps_ask *ask);

/* -- Results by place (remarks/repeated_trials.c) --
 *
 * The results of a study by place, for callers that compare many results with all others. The place of a trial is
 * its environment and its parameters. */

typedef struct study_place {
  uint64_t hash;
  size_t index; /* the result's index in the study */
} study_place;

typedef struct study_places {
  size_t count;
  study_place *sorted; /* by hash, and then by index */
} study_places;

/* Lists all results that the study has now. */
fcps_status fcps_study_places_create(study_places *places, const fcps_study *study, fcps_error *error);
void fcps_study_places_destroy(study_places *places);

/* Finds the results that may be at the place of a rollout, in their order: all results of that place, and hardly any
 * others. */
size_t fcps_study_places_find(const study_places *places, const fcps_study *study, const fcps_rollout *at,
                              const study_place **found);

#endif
