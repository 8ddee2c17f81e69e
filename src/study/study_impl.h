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
#include "problem/callbacks.h"
#include "store/store.h"

#include <fcps/study.h>

/* An ask, with its numbers (target, environment, parameters) in one array. */
typedef struct study_ask {
  int64_t id, learner_id, sequence;
  fcps_ask_state state;
  int result_count; /* results stored, used or not */
  int used;         /* the number of the result that counts; 0: none */
  double *numbers;
  double *expected; /* what it expects (expectation.h); NULL: nothing */
  char *client;
} study_ask;

typedef struct study_event {
  fcps_study_event event;
  bool is_change;
  char *code, *text;
} study_event;

typedef struct study_remark study_remark; /* remarks/remarks.c */
typedef struct fcps_model fcps_model;

/* What was said about a result that is or was a suspect (remarks/suspects.c). */
typedef struct study_mark {
  int64_t sequence;
  double factor; /* of the spell that it is in (model/structures/doubts.h); 0: it is in none */
  int outcome;   /* of that spell */
  bool is_said;
} study_mark;

/* A worker's right to an unfinished ask (lease.c). */
typedef struct study_lease {
  int64_t ask, since_ms, until_ms, length_ms;
  char worker[96];
} study_lease;

struct fcps_study {
  bool is_strict; /* asks that may break a limit are refused */
  double budget;  /* what all trials may cost; 0: no such end */
  bool is_spent;  /* the last ask was refused because of it */
  fcps_study_options options;
  fcps_store *store;   /* NULL only while the study is being made */
  bool is_place_known; /* whether it lies on a network file system, and that was said */

  char *text, *text_name; /* the problem file as it was given; NULL: made from a problem or an origin */
  fcps_problem_file *file;
  fcps_problem_file **old_files; /* that amendments replaced: policies made before score with their formulas */
  size_t old_count, old_capacity;
  char *origin;         /* NULL: made without one */
  void *owner;          /* of the problem that was made from the origin */
  fcps_problem problem; /* borrowed from file->problem, options.problem or the owner's */
  fcps_problem guarded; /* the same; its functions, and options.log, go through `callbacks` */
  fcps_callbacks *callbacks;
  char *made_learner, *made_settings; /* as the study was made: the learner's name, and its settings as JSON */
  char *learner_name;                 /* the same with all changes since (amend_learner.c) */
  fcps_json *settings_json;
  fcps_setting *settings; /* point into settings_json */
  uint64_t seed;

  /* the index of the journal */
  int64_t sequence;       /* of the last record seen */
  int64_t begin_sequence; /* the same at the start of the transaction */
  int64_t time_ms;        /* of the records of the transaction */
  study_ask *asks;
  size_t ask_count, ask_capacity;
  fcps_stored_result
      *results; /* each owns its texts, its deviations, and its numbers (study_point), which begin at its target */
  size_t result_count, result_capacity;
  int64_t marks_sequence; /* of the last record when suspects were last looked for among all results */
  study_mark *marks;      /* of results that are suspects, or were */
  size_t mark_count, mark_capacity;
  int64_t heard_sequence; /* earlier processes have said which results up to here are doubted */
  study_event *events;
  size_t event_count, event_capacity;
  study_remark *remarks;
  size_t remark_count, remark_capacity;
  char unmet[200];                /* the words of the last outlook, where they have numbers */
  int64_t learner_reset_sequence; /* of the last change that makes earlier learner states void */
  int64_t reward_sequence;        /* of the last change of the reward */

  char *word;                             /* what commands in messages name it by (inside.h); NULL: that of the store */
  char *stand_in_url, *stand_in_identity; /* of the study for which this one stands in; NULL: of none */

  study_lease *leases; /* as they were when they were last read, at lease_time_ms of the store's clock */
  size_t lease_count, lease_capacity;
  int64_t lease_time_ms;

  /* the learner, told all records up to learner_sequence; of later ones it knows its own ask alone */
  fcps_learner *learner;
  int64_t learner_sequence, learner_ask_sequence;
  bool has_head;        /* the part of its state that never changes is stored */
  bool is_learner_full; /* it was said that it takes no further results */
  bool is_remade;       /* its stored state could not be read: the next ask notes a reset */

  /* what was stored of it when the index was last brought up to date; NULL: nothing that can be used */
  char *saved_head, *saved_state;
  int64_t saved_sequence;
};

/* The note that says so. */
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

/* The beginning of every public function that works on the study: refuses NULL, and a callback of the study's own. */
fcps_status fcps_study_enter(fcps_study *study, fcps_error *error);

/* Takes a problem, which must outlive the study or the next one (study.c). */
void fcps_study_set_problem(fcps_study *study, const fcps_problem *problem);

/* Opens a transaction and brings the index up to date. */
fcps_status fcps_study_begin(fcps_study *study, bool writing, fcps_error *error);

/* Ends it: commits when `status` is FCPS_OK, else rolls back. Returns the first failure. */
fcps_status fcps_study_end(fcps_study *study, fcps_status status, fcps_error *error);

/* Writes a record with the time of the transaction. */
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

/* Reads the problem as it is stored, with all changes; a failure is damage (setup.c). */
fcps_status fcps_study_read_stored_problem(fcps_study *study, fcps_error *error);

/* What a study is made of (setup.c): taken from `setup`, with the learner's settings as a text to be stored; written
 * within the first transaction; read in a transaction of its own. */
fcps_status fcps_study_prepare(fcps_study *study, const fcps_study_setup *setup, char **settings, fcps_error *error);
fcps_status fcps_study_write_setup(fcps_study *study, const char *settings, fcps_error *error);
fcps_status fcps_study_read_setup(fcps_study *study, fcps_error *error);

/* The learner and its settings (amend_learner.c): takes over what the study was made with and all changes of the
 * history since; what a change of the learner, by its index, replaced; whether the code of a change is one of the
 * learner; and whether an event is a change of the problem. */
fcps_status fcps_study_take_learner(fcps_study *study, fcps_error *error);
fcps_status fcps_study_replaced_learner(const fcps_study *study, int index, char **text, fcps_error *error);
bool fcps_study_is_learner_change(const char *code);
bool fcps_study_is_problem_change(const study_event *event);

/* The learner (learner.c). A transaction reads what is stored of it; after its end the learner is brought up to date:
 * it has then been told everything that is in the index. */
fcps_status fcps_study_read_learner(fcps_study *study, fcps_error *error);
fcps_status fcps_study_catch_up(fcps_study *study, fcps_error *error);

/* The policy as it would be without the last `last` results that count. The learner of the study knows nothing of it. */
fcps_status fcps_study_earlier_policy(fcps_study *study, int last, fcps_policy **policy, fcps_error *error);

/* Another learner with its defaults, told all results that count. */
fcps_status fcps_study_stand_in_learner(fcps_study *study, const char *name, fcps_learner **learner, fcps_error *error);

/* Stores, within a transaction, the learner that has made the ask with this sequence, and has been told the results up
 * to `told_sequence`. */
fcps_status fcps_study_save_learner(fcps_study *study, int64_t ask_sequence, int64_t told_sequence, fcps_error *error);
void fcps_study_drop_learner(fcps_study *study);
void fcps_study_drop_saved(fcps_study *study);

/* Whether the outcome and the reward of a result can be used by a model, and the reward by the present function; both
 * rewards of `stored` are those that were told. */
bool fcps_study_score(const fcps_study *study, const fcps_stored_result *stored, double *reward);

/* Space for the results that are awaited (study.c): before and after an ask; within the transaction of a tell; after
 * it. */
fcps_status fcps_study_keep_space(fcps_study *study, fcps_error *error);
void fcps_study_give_space_back(fcps_study *study);
void fcps_study_keep_what_is_left(fcps_study *study);

/* Warns of numbers outside their bounds, and of outcomes that scatter too much, in the results after a sequence; after
 * the transaction that stored them. */
void fcps_study_warn_since(const fcps_study *study, int64_t sequence);

/* Warns of the numbers of one result that lie outside their bounds; of those of all results after a sequence, once for
 * each dimension (remarks/bounds.c). */
void fcps_study_warn_of_bounds(const fcps_study *study, const fcps_stored_result *stored);
void fcps_study_warn_of_bounds_since(const fcps_study *study, int64_t sequence);
void fcps_study_warn_of_constraints(const fcps_study *study, const fcps_stored_result *stored);
void fcps_study_warn_of_constraints_since(const fcps_study *study, int64_t sequence);

/* The command that takes a result out: what a warning tells its reader to type. */
enum { STUDY_COMMAND_SIZE = 256 };
const char *fcps_study_drop_command(const fcps_study *study, const fcps_stored_result *stored,
                                    char text[STUDY_COMMAND_SIZE]);

/* Warns where results in the environment and with the parameters of a stored rollout scatter by more than their told
 * deviations allow; so for all results after a sequence, once for each place (remarks/repeated_trials.c). */
void fcps_study_warn_of_scatter(const fcps_study *study, const fcps_rollout *at);
void fcps_study_warn_of_scatter_since(const fcps_study *study, int64_t sequence);

/* The name of a result in `log` and `amend`: ASK.N, or its sequence (journal.c). */
enum { STUDY_RESULT_NAME_SIZE = 48 };
void fcps_study_name_result(const fcps_stored_result *stored, char name[STUDY_RESULT_NAME_SIZE]);

/* Looks for suspects again where something was stored since the last long look. If that fails, the marks stay. */
void fcps_study_refresh_marks(fcps_study *study);

/* Of a learner that was just made or loaded: what it doubts already was said by another process. */
void fcps_study_hear_doubts(fcps_study *study, bool is_loaded);

/* After a fit: says what tells leave unsaid: outcomes that never change, and which results `model` (NULL: there is none) does not
 * believe that nobody has heard of yet. Nothing that goes wrong with it is an error. */
void fcps_study_say_doubts(fcps_study *study, const fcps_model *model);

/* Says which of the results after a sequence, which were just imported, the model does not believe. */
void fcps_study_warn_of_suspects(fcps_study *study, int64_t sequence);

/* The mark of a result; NULL: it never was doubted. */
study_mark *fcps_study_find_mark(const fcps_study *study, int64_t sequence);

/* Offsets and widths in the arrays of numbers (journal.c). */
int fcps_study_environment_offset(const fcps_study *s);
int fcps_study_parameters_offset(const fcps_study *s);
int fcps_study_outcome_offset(const fcps_study *s);
int fcps_study_width(const fcps_study *s);

/* The target of a trial of which nobody noted what was wanted: one in the middle of the range, also of a logarithmic one.
 * It is part of what is stored: with another number, a log that has grown would be imported twice. */
static inline double fcps_study_middle(const fcps_dimension *dim)
{
  return dim->choices != NULL ? dim->lower : 0.5 * (dim->lower + dim->upper);
}

/* Lets a rollout point into an array with all its numbers, target first. */
void fcps_study_point(const fcps_study *s, const double *numbers, bool has_outcome, fcps_rollout *rollout);

#endif
