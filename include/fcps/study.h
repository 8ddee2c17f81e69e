/* SPDX-License-Identifier: Apache-2.0 */
/* A study: a problem, a learner and a store. Ask and tell that survive a crash, for one's own robot or simulator.
 *
 *   fcps_study_open(&study, "throw.fcps", NULL, &error);
 *   fcps_study_ask(study, "robot-1", target, environment, &ask, &error);
 *   // do the trial
 *   fcps_study_tell(study, ask.id, &result, &receipt, &error);
 *
 * An ask is stored before it is returned, and a result before fcps_study_tell returns. Several processes may use one
 * file: each call sees the records of the others, and writers wait for each other. Use a handle in one thread at a
 * time. If a call fails, nothing has changed, with one exception: after FCPS_ERR_CONFLICT the contradicting result is
 * kept as evidence. A callback of the study may read stored results, but finds their rewards unknown (NaN).
 *
 * If the file of an open study is replaced, renamed or removed, the next call fails with FCPS_ERR_DAMAGED and says what
 * is missing. So do all later calls, until the study is opened again.
 */
#ifndef FCPS_STUDY_H
#define FCPS_STUDY_H

#include <fcps/learner.h>
#include <fcps/problem_file.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_study fcps_study;

typedef struct fcps_study_maker fcps_study_maker; /* at the end of this header */

/* -- Making and opening -- */

/* The setup of a new study: a problem, a learner and a seed. The problem is the text of a problem file, a problem
 * with callbacks, or an origin (see fcps_study_maker). */
typedef struct fcps_study_setup {
  /* Give exactly one of text, problem and origin: */
  const char *text, *text_name; /* the YAML, and its name in errors */
  const fcps_problem *problem;  /* a problem; give it again at each opening, as options->problem */
  const char *origin;           /* a text from which options->maker makes the problem, now and at each opening */

  const char *learner;          /* NULL: the learner of the file, else the best one that can serve the problem */
  const fcps_setting *settings; /* settings of the learner, with precedence over those of the file; may be NULL */
  uint64_t seed;
} fcps_study_setup;

/* Options to create and open a study; all may be 0. */
typedef struct fcps_study_options {
  const fcps_problem *problem;   /* for a study made from a problem: gives the callbacks again */
  const fcps_study_maker *maker; /* for a study made from an origin */
  bool is_relaxed;               /* commits do not wait for the disk: for simulations that can be repeated */
  int wait_ms;                   /* how long to wait for other processes; 0: five seconds */
  fcps_log log;                  /* warnings */
  /* NULL: the wall clock. Times are for people only. Like the log and the problem's callbacks, the clock must not
   * use the study (FCPS_ERR_BUSY) */
  int64_t (*clock_ms)(void *user);
  void *clock_user;
} fcps_study_options;

/* A study is kept in a store, which a URL names: a path or sqlite:PATH for a file; memory: or NULL for a study that
 * is lost when it is closed. An unknown scheme is refused. If a file's name looks like a URL, write ./NAME. See
 * docs/files.md. */

/* Makes a study in a new store. If a study exists there, the call fails with FCPS_ERR_STORE. If the call fails, or
 * its process is killed meanwhile, there is no study, and you may repeat the call. `options` may be NULL. */
FCPS_API fcps_status fcps_study_create(fcps_study **study, const char *url, const fcps_study_setup *setup,
                                       const fcps_study_options *options, fcps_error *error);

/* Opens a study that exists. A study in memory cannot be opened again: FCPS_ERR_UNSUPPORTED. */
FCPS_API fcps_status fcps_study_open(fcps_study **study, const char *url, const fcps_study_options *options,
                                     fcps_error *error);
FCPS_API void fcps_study_close(fcps_study *study);

/* -- Asking and telling -- */

typedef enum fcps_ask_state { FCPS_ASK_PENDING, FCPS_ASK_TOLD, FCPS_ASK_FORGOTTEN } fcps_ask_state;

/* What a learner expected of a trial when it asked for it, including the noise of a trial. Before the first fit a
 * learner expects nothing; a learner without a model, such as random or c-reps, never does. */
typedef struct fcps_expectation {
  bool has_outcome, has_reward;
  const double *outcome, *outcome_deviation; /* outcome space; NULL without has_outcome */
  double reward, reward_deviation;           /* with the chance of failure; missing after the reward was amended */
  /* the chance that the trial does not fail, and the chance that it then has an outcome; without meaning if neither
   * an outcome nor a reward is expected */
  double chance_of_success, chance_of_outcome;
} fcps_expectation;

/* One ask. Pointers live until the next call that is not const. */
typedef struct fcps_ask {
  int64_t id; /* from 1 */
  const double *target, *environment, *parameters;
  const char *client;
  fcps_ask_state state;
  bool is_repeated; /* the client had this ask pending already */
  fcps_expectation expectation;
} fcps_ask;

/* Asks for parameters in a context. If the client has a pending ask, it gets that ask again, whatever the context.
 * `client` has at most 143 bytes; with NULL or "" there is no client. */
FCPS_API fcps_status fcps_study_ask(fcps_study *study, const char *client, const double *target,
                                    const double *environment, fcps_ask *ask, fcps_error *error);

/* The result of a trial: the rollout, and the client that tells it. If target, environment or parameters of the
 * rollout are NULL, they are as asked; otherwise they are the measured and executed values. Rewards are read only if
 * the problem has no reward function; NaN means unknown. Deviations of the outcome are refused in the same cases as
 * by fcps_learner_tell. */
typedef struct fcps_result {
  fcps_rollout rollout;
  const char *client; /* the teller; may be NULL */
  /* why the trial failed; may be NULL. If it is longer than 4 kB, only the beginning is stored (W_TEXT_CUT) */
  const char *message;
  const char *key; /* identifies a result without an ask: see fcps_study_tell; may be NULL */
} fcps_result;

typedef struct fcps_receipt {
  int64_t ask;       /* FCPS_NOT_ASKED for a rollout without an ask */
  int result_number; /* the number of this result among those of its ask, from 1 */
  bool is_repeated;  /* the same result was stored before; nothing new was stored */
  bool is_late;      /* the ask had been given up or timed out; the result is used */
  bool is_flagged;   /* an outcome, reward or measured environment is not finite; the result is stored.
                        fcps_learner_tell says which models ignore it */
  bool is_misplaced; /* the measured environment is not finite; the result is stored with the environment of the
                        ask */
  double reward;     /* for the trial's own target; NaN if it has none */
  /* far from the expectation of its ask: perhaps a typing error. The result is stored. If the model still does not
   * believe it at its next fit, it hardly counts until it is confirmed, dropped, or explained by other results; see
   * fcps_study_find_suspects */
  bool is_suspect;
} fcps_receipt;

/* Stores a result. If the ask already has another result, this one is stored but not used, and the call fails with
 * FCPS_ERR_CONFLICT (see fcps_study_use).
 *
 * If nobody asked for the trial, `id` is FCPS_NOT_ASKED, the result must have target, environment and parameters,
 * and its `key` identifies the trial. Without a key, an equal result from the same client counts as a repetition, so
 * trials that may repeat exactly need keys. `receipt` may be NULL. */
FCPS_API fcps_status fcps_study_tell(fcps_study *study, int64_t id, const fcps_result *result, fcps_receipt *receipt,
                                     fcps_error *error);

/* Gives up a pending ask. If its result comes later, it is still accepted. */
FCPS_API fcps_status fcps_study_forget(fcps_study *study, int64_t id, fcps_error *error);

/* Contexts for several asks: a row of the target space and of the environment space for each ask, or one row for
 * all. A pointer is NULL if its space is empty. */
typedef struct fcps_ask_contexts {
  int rows;
  const double *targets, *environments;
} fcps_ask_contexts;

/* The most asks of one call of fcps_study_ask_many. */
#define FCPS_ASKS_MAX 10000

/* Makes `count` asks at once, for as many contexts or for one, so that the trials can be done side by side. Each ask
 * takes the ones before it into account, so that they teach different things. Until the initial design is finished,
 * the asks are its next points.
 *
 * All asks are stored in one transaction, or none. They belong to no client, have consecutive ids, and may be told
 * or forgotten in any order. If no other process stores anything meanwhile, `count` calls of fcps_study_ask give the
 * same asks. `asks` is the caller's array. The log receives a message (I_ASKED) for each ask before they are stored. */
FCPS_API fcps_status fcps_study_ask_many(fcps_study *study, int count, const fcps_ask_contexts *contexts,
                                         fcps_ask *asks, fcps_error *error);

/* Asks once for a context that an active learner chooses; see fcps_learner_choose. */
FCPS_API fcps_status fcps_study_choose(fcps_study *study, const char *client, const fcps_free_dimensions *free_dims,
                                       const double *target, const double *environment, fcps_ask *ask,
                                       fcps_error *error);

/* -- The policy, and whether it is good enough -- */

/* Makes the policy learnt so far; the caller destroys it before the study. */
FCPS_API fcps_status fcps_study_policy(fcps_study *study, fcps_policy **policy, fcps_error *error);

/* Makes a policy from at most `most` of the results that count, spread evenly. This is a quick look if there are
 * thousands of results. */
FCPS_API fcps_status fcps_study_sketch(fcps_study *study, int most, fcps_policy **policy, fcps_error *error);

/* Writes the policy and its problem as the text of a file that needs no study; free it with fcps_free. If the study
 * was made from a problem with callbacks, the text is that of fcps_policy_save, and fcps_policy_load needs the
 * callbacks again. */
FCPS_API fcps_status fcps_study_export_policy(fcps_study *study, char **text, fcps_error *error);

/* Loads a policy from such a text. Destroy the policy before its problem. `name` is the text's name in errors. */
FCPS_API fcps_status fcps_study_load_policy(fcps_policy **policy, fcps_problem_file **problem, const char *text,
                                            const char *name, fcps_error *error);

/* How good the policy is believed to be over the whole context space, and whether more trials are worth it. It is
 * computed from contexts that are spread evenly. Four numbers are possible gains of reward, as means over the
 * contexts: gain, caution_cost, edge_gain and untried_gain; the last three are parts of the first. */
typedef struct fcps_outlook {
  int contexts; /* number of contexts */
  /* contexts in which the reward has no value for the expected outcome. The numbers below are those of the other
   * contexts; NaN if there are none */
  int without_value;
  int low_chance;           /* contexts in which success and outcome together have a chance below FCPS_LOW_CHANCE */
  double reward, deviation; /* means of the predicted reward, and of the deviation of a trial: its noise, the chance of
                             * failure, and what is not known yet */
  double reducible_deviation; /* the part of it that is not known yet: further trials can remove it */
  double worst_reward;        /* the least predicted reward */
  double gain;                /* what exact knowledge of the rewards, and of what may go wrong, would gain at most */
  double spread;              /* the spread of the rewards so far */
  /* whether all rules hold: reducible_deviation <= 1 %, caution_cost <= 5 % and edge_gain <= 3 % of the spread, also without
   * the last results (an eighth and a quarter of them, at most five and ten); ten rollouts for each environment and
   * parameter dimension; a result for every word, and for every level of whole numbers with at most ten levels; a
   * reward in every context; rewards that differ; no waiting suspect, and no remark that holds it back; and a gain
   * of at most 2 % of the spread in rehearsed trials, with up to 300 results */
  bool is_converged;
  /* the reward that the policy gives up to keep away from failures. 0 if every trial so far has ended well */
  double caution_cost;
  int suspects; /* results that the model does not believe, and that are neither confirmed nor dropped */
  /* failures or absent outcomes in a row that are probably due to an outage and not to their parameters;
   * fcps_study_result_at then shows which */
  int excused;
  /* results that count less because others contradict them, without the suspects; fcps_study_result_at then shows
   * which. The user need not do anything about them */
  int doubted;
  /* remarks that hold "enough" back; fcps_study_remark_at says which (<fcps/study_remarks.h>) */
  int remarks;
  /* the possible gain beyond the region that is known to work. 0 if nothing has gone wrong */
  double edge_gain;
  /* the possible gain of the most promising word or level of a parameter that has no result. 0 if all have one */
  double untried_gain;
  /* the first rule of is_converged that does not hold, in words that live until the next outlook; NULL: all rules
   * hold, or only a suspect or a remark holds it back */
  const char *unmet;
} fcps_outlook;

/* Computes the outlook. `worst_target` and `worst_environment` (may be NULL) receive the context of the worst
 * reward. If the policy predicts no reward (fcps_policy_predicts_reward), the predicted numbers are NaN, these
 * contexts mean nothing, and the policy never counts as converged. */
FCPS_API fcps_status fcps_study_outlook(fcps_study *study, fcps_policy *policy, fcps_outlook *outlook,
                                        double *worst_target, double *worst_environment, fcps_error *error);

/* -- What is stored -- */

/* One stored result. Pointers live until the next call that is not const. Its rollout is complete. If there is a
 * reward function, the reward is computed by the present one, and is NaN if the trial failed. The hindsight reward
 * is as told; NaN if it is unknown or computed by the reward function. Client and message may be "". */
typedef struct fcps_stored_result {
  int64_t sequence, ask;
  int result_number;
  bool is_used, is_flagged, is_misplaced; /* as in a receipt */
  int64_t time_ms;
  fcps_result result;
  bool is_suspect;                     /* by the last fcps_study_find_suspects, which also fills in: */
  int suspect_outcome;                 /* the outcome dimension that is furthest from its expected value */
  double expected, expected_deviation; /* the value expected from the other results, and its deviation */
  bool is_in_other_unit;               /* it seems to have another unit; see W_UNIT */
  bool is_excused;                     /* it went wrong in an outage, by the last fcps_study_outlook */
  bool is_doubted;                     /* it counts less; see outlook.doubted */
  bool was_used; /* if it is not used: whether it once counted, and was then dropped or replaced. If false, it was
                    never accepted */
  fcps_expectation expectation; /* of its ask */
} fcps_stored_result;

/* Reads the records that other processes have stored. Ask, tell, policy and similar calls do this without being
 * told. */
FCPS_API fcps_status fcps_study_refresh(fcps_study *study, fcps_error *error);
/* Asks and results, by an index from 0. Past the end all fields are 0. */
FCPS_API int fcps_study_ask_count(const fcps_study *study);
FCPS_API void fcps_study_ask_at(const fcps_study *study, int index, fcps_ask *ask);
FCPS_API int fcps_study_result_count(const fcps_study *study);
FCPS_API void fcps_study_result_at(const fcps_study *study, int index, fcps_stored_result *result);

/* The result that counts for an ask; false if there is none. */
FCPS_API bool fcps_study_result_of(const fcps_study *study, int64_t ask, fcps_stored_result *result);

/* The numbers of results that count, by the endings of their trials. */
typedef struct fcps_study_counts {
  int results;             /* results that count: the sum of the next three */
  int with_outcome;        /* the trial ran and has an outcome; if the problem measures none, the trial ran */
  int without_outcome;     /* the trial ran, but has no outcome */
  int failed;              /* the trial failed, was refused, timed out or became unstable */
  int outcomes_not_finite; /* of those with an outcome: the outcome is NaN, infinite or beyond 1e100 */
  int rewards_not_finite;  /* of those that did not fail: the reward is not finite, or has no value */
  int usable;              /* of those that did not fail: not flagged (fcps_receipt) */
  int unused;              /* stored results that do not count */
  int with_reward;         /* of those with an outcome: the reward is finite */
} fcps_study_counts;
FCPS_API void fcps_study_count(const fcps_study *study, fcps_study_counts *counts);

/* The cost of the trials of a study (fcps_problem_cost). A trial with several results counts once. A trial whose result
 * was dropped counts, because it was made. All numbers are 0 if the problem has no cost. */
typedef struct fcps_study_costs {
  int trials;
  double spent, pending; /* of these trials; of the unfinished asks */
} fcps_study_costs;
FCPS_API fcps_status fcps_study_cost(const fcps_study *study, fcps_study_costs *costs, fcps_error *error);

/* Writes why a flagged result cannot be used: which outcome, or which part of the reward's formula, has which value.
 * The text is empty if the result is not flagged. With NULL, it is about the latest flagged result that counts,
 * preferably one whose outcome is finite but whose reward is not. Returns `text`. */
FCPS_API char *fcps_study_explain(const fcps_study *study, const fcps_stored_result *result, size_t size, char *text);

/* If no trial of the study ended well (all failed or have no outcome), writes the trials' messages with their
 * numbers, why the parameters are probably not to blame, and what to do, and returns true. Otherwise, and if there
 * are no results, returns false. */
FCPS_API bool fcps_study_complain(const fcps_study *study, size_t size, char *text);

/* Event number `index`: a change of the problem or of the learner, or another event, oldest first; NULL past the
 * end. */
typedef struct fcps_study_event {
  int64_t sequence, time_ms;
  const char
      *code; /* of a change: "reward", "limits", "bounds.NAME", "learner" or "setting.NAME"; of a choice among results
                       "USED", "DROPPED" or "CONFIRMED", with the result as text; else a stable code (W_TELL_LATE) */
  const char *text;
} fcps_study_event;
FCPS_API const fcps_study_event *fcps_study_event_at(const fcps_study *study, int index);

/* Finds the value that change number `index` replaced. That is the value of an earlier change, of the study's setup,
 * of the problem file ("none" for an outcome without bounds), or the default of a setting. Free it with fcps_free;
 * NULL if the event is not a change. */
FCPS_API fcps_status fcps_study_replaced(const fcps_study *study, int index, char **text, fcps_error *error);

/* Adds an event that changes nothing. */
FCPS_API fcps_status fcps_study_note(fcps_study *study, const char *code, const char *text, fcps_error *error);

/* -- Which results count -- */

/* Chooses which of several results of an ask is used. */
FCPS_API fcps_status fcps_study_use(fcps_study *study, int64_t ask, int result_number, fcps_error *error);

/* Drops a result, or takes it back; `sequence` is that of fcps_stored_result. A dropped result stays stored, but
 * does not count, and another result for the same ask or key is accepted. */
FCPS_API fcps_status fcps_study_use_result(fcps_study *study, int64_t sequence, bool is_used, fcps_error *error);

/* Confirms that a surprising result is right: it counts as any other result, and is never a suspect again.
 * `sequence` is that of fcps_stored_result. You may repeat the call. */
FCPS_API fcps_status fcps_study_confirm(fcps_study *study, int64_t sequence, fcps_error *error);

/* Asks the model which results it does not believe, judging each by all others, and marks them: fcps_study_result_at
 * then shows them as suspects. *count (may be NULL) receives their number. Only learners with a Gaussian process
 * doubt results. The call changes nothing that is stored, and no later ask. It fails in the same cases as
 * fcps_study_policy. */
FCPS_API fcps_status fcps_study_find_suspects(fcps_study *study, int *count, fcps_error *error);

/* Writes why a result is a suspect, for people: "volume=3500, but 35 +- 2 was expected"; "" if it is not a suspect. */
enum { FCPS_SURPRISE_SIZE = 240 };
FCPS_API void fcps_study_surprise_text(const fcps_study *study, const fcps_stored_result *result,
                                       char text[FCPS_SURPRISE_SIZE]);

/* -- Changing the problem or the learner -- */

/* Amends the problem: {"reward", FORMULA}, {"limits", "{NAME: {at_most: 1.2}}"}, {"bounds.NAME", "LOWER,UPPER"} or
 * {"choices.NAME", WORD}, which adds a word at the end. Every stored rollout is scored again. The old value stays in
 * the history. */
FCPS_API fcps_status fcps_study_amend(fcps_study *study, const char *what, const char *value, fcps_error *error);

/* Amends the learner: gives the study another learner (NULL keeps the present one) or other settings (ended by
 * {NULL, NULL}; may be NULL). Another learner begins with its own defaults. It is told every result that counts, and
 * knows the pending asks; earlier policies stay valid. If no such learner can be made, the call fails and stores
 * nothing. Other processes follow at their next call. */
FCPS_API fcps_status fcps_study_amend_learner(fcps_study *study, const char *learner, const fcps_setting *settings,
                                              fcps_error *error);

/* Counts as fcps_study_count would after an amendment (see fcps_study_amend), without making it. `why` (may be NULL)
 * receives the text of fcps_study_explain for the latest result that could not be used. */
FCPS_API fcps_status fcps_study_preview(fcps_study *study, const fcps_setting *change, fcps_study_counts *counts,
                                        char why[256], fcps_error *error);

/* -- Tables of old trials, and files -- */

/* Reads old rollouts from a CSV. It has a column for each parameter, target, environment and (unless always absent)
 * outcome dimension, in any order. It may also have the outcome's deviations (NAME_sd for each), reward,
 * hindsight_reward, status, message and used.
 *
 * All rows are stored, or none. Three kinds of rows are skipped: a row whose trial is already stored with equal
 * numbers in all columns of the table, whoever told it; a row of a block that the table has twice; and a row with 0
 * under `used`. `added` and `skipped` may be NULL. */
FCPS_API fcps_status fcps_study_import(fcps_study *study, const char *path, int *added, int *skipped,
                                       fcps_error *error);

/* The same for trials that were repeated with exactly the same numbers: only rows with 0 under `used` are skipped. */
FCPS_API fcps_status fcps_study_import_again(fcps_study *study, const char *path, int *added, int *skipped,
                                             fcps_error *error);

/* Whether something exists under this URL. Then no study can be created there; if it is a study, it can be opened. */
FCPS_API fcps_status fcps_study_exists(bool *exists, const char *url, fcps_error *error);

/* Deletes a study, even a damaged one, and everything that is kept beside it. If there is no study, the call
 * succeeds. Fails with FCPS_ERR_LOCKED while another process holds the study or this process has it open, and with
 * FCPS_ERR_FORMAT if a file with this name is not a study. */
FCPS_API fcps_status fcps_study_remove(const char *url, fcps_error *error);

/* Holds the study for one long run. A second holder, even another handle of this process, is refused with
 * FCPS_ERR_LOCKED, and the error names the first. So is a run beside a living worker (fcps/study_lease.h). The hold
 * ends with fcps_study_close, or with the process and the programs that it has started for its trials. */
FCPS_API fcps_status fcps_study_hold(fcps_study *study, fcps_error *error);

/* Copies all readable records of a damaged study into a new store of the same kind; `records` (may be NULL) receives
 * their number. Records that were changed or cannot be read are left out; an event with the code W_RECORDS_LOST then
 * says how many, and which. The damaged study does not change. Fails with FCPS_ERR_FORMAT if a newer version made
 * it. */
FCPS_API fcps_status fcps_study_repair(const char *url, const char *to, int64_t *records, fcps_error *error);

/* Copies the present state of a study to another file, even while other processes write; `records` (may be NULL)
 * receives its number of records. The copy is an independent study. An existing file is refused with FCPS_ERR_STORE
 * unless `may_replace`; then it must be an older state of the same study, and not this study itself under another
 * name. A study in memory cannot be copied: FCPS_ERR_UNSUPPORTED. */
FCPS_API fcps_status fcps_study_backup(const char *url, const char *to, bool may_replace, int64_t *records,
                                       fcps_error *error);

/* Copies the present state of a study, even while other processes write, to a new study `to` of any kind: a file or
 * postgresql://HOST/DATABASE#NAME. The copy has the same records, and the same results give the same asks. `records`
 * (may be NULL) receives their number. Refused if `to` exists. */
FCPS_API fcps_status fcps_study_copy(const char *url, const char *to, int64_t *records, fcps_error *error);

/* Makes `url` a copy of the backup `from`, which is checked first and does not change. If there is a study at `url`,
 * it gets another name, and *kept receives this name (free it with fcps_free); otherwise *kept is NULL.
 *
 * Fails with FCPS_ERR_LOCKED while another process holds that study or this process has it open. If another process
 * only has it open, that process learns at its next call that the file was replaced. If `url` is a different study,
 * the call fails with FCPS_ERR_STORE unless `may_replace`; a study that cannot be read may always be replaced. */
FCPS_API fcps_status fcps_study_restore(const char *from, const char *url, bool may_replace, char **kept,
                                        int64_t *records, fcps_error *error);

/* -- Facts about a study -- */

/* Facts about a study. The pointers live until the study is amended, previewed or closed. */
FCPS_API const char *fcps_study_url(const fcps_study *study); /* to open it again; NULL if it is kept in memory */
/* tells a study from all others but its own copies, wherever they are kept; NULL in memory */
FCPS_API const char *fcps_study_identity(const fcps_study *study);
FCPS_API const fcps_problem *fcps_study_problem(const fcps_study *study);
/* NULL if the study was made without a file */
FCPS_API const fcps_problem_file *fcps_study_file(const fcps_study *study);
/* NULL if the study was made without an origin */
FCPS_API const char *fcps_study_origin(const fcps_study *study);
FCPS_API void *fcps_study_owner(const fcps_study *study); /* of the problem; see fcps_study_maker */
/* the problem's name, by its file or maker; may be NULL */
FCPS_API const char *fcps_study_name(const fcps_study *study);
FCPS_API const char *fcps_study_learner(const fcps_study *study);
FCPS_API const fcps_setting *fcps_study_settings(const fcps_study *study); /* the learner's; ends with {NULL, NULL} */
FCPS_API uint64_t fcps_study_seed(const fcps_study *study);

/* -- Problems that the caller makes from a text -- */

/* Makes the problem of a study from its origin, a text that the study stores. `make` sets *owner to the object to
 * which the problem belongs. When the study is closed, it calls `destroy` (may be NULL) with that object. `name`
 * (may be NULL) returns a name for people. None of these functions may use the study. */
struct fcps_study_maker {
  fcps_status (*make)(const char *origin, void **owner, const fcps_problem **problem, fcps_error *error);
  void (*destroy)(void *owner);
  const char *(*name)(const void *owner);
};

#ifdef __cplusplus
}
#endif
#endif
