/* SPDX-License-Identifier: Apache-2.0 */
/* A study: a problem, a learner and a store. Ask and tell that survive a crash, for one's own robot or simulator.
 *
 *   fcps_study_open(&study, "throw.fcps", NULL, &error);
 *   fcps_study_ask(study, "robot-1", target, environment, &ask, &error);
 *   // do the trial
 *   fcps_study_tell(study, ask.id, &result, &receipt, &error);
 *
 * An ask is stored before it is returned and a tell before it is acknowledged. Several processes may use one file:
 * each call sees what the others have stored, writers wait for each other. A handle belongs to one thread at a time.
 * On failure nothing has changed, but for FCPS_ERR_CONFLICT, which keeps the contradicting result as evidence. Inside a
 * callback of the study, what is stored can be read, but rewards of stored results are unknown (NaN).
 *
 * A file that is replaced, renamed or removed while a study is open is noticed at the next call, which fails with
 * FCPS_ERR_DAMAGED and says what is missing; so do all later calls until the study is opened again.
 */
#ifndef FCPS_STUDY_H
#define FCPS_STUDY_H

#include <fcps/learner.h>
#include <fcps/problem_file.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_study fcps_study;

typedef struct fcps_study_maker fcps_study_maker; /* see below */

/* What a new study is made of: the text of a problem file, a problem with callbacks, or an origin. */
typedef struct fcps_study_setup {
  /* Exactly one of text, problem and origin is given: */
  const char *text, *text_name; /* the YAML, and its name in errors */
  const fcps_problem *problem;  /* a problem, which options->problem must give again at opening */
  const char *origin;           /* the text from which options->maker makes the problem, now and at each opening */

  const char *learner;          /* NULL: as the file says, else the best that can serve the problem */
  const fcps_setting *settings; /* of the learner, over those of the file; may be NULL */
  uint64_t seed;
} fcps_study_setup;

/* How a study is made and opened; all may be 0. */
typedef struct fcps_study_options {
  const fcps_problem *problem;     /* of a study that was made from a problem: gives the callbacks again */
  const fcps_study_maker *maker;   /* of a study that was made from an origin */
  bool is_relaxed;                 /* commits do not wait for the disk: for simulations that can be repeated */
  int wait_ms;                     /* how long to wait for other processes; 0: five seconds */
  fcps_log log;                    /* warnings */
  int64_t (*clock_ms)(void *user); /* NULL: the wall clock. Times are for people, nothing depends on them. Like the log
                                      and the problem's callbacks it must not use the study (FCPS_ERR_BUSY) */
  void *clock_user;
} fcps_study_options;

/* Makes the problem of a study again from its origin, the text that the study was made from. `owner` is what the
 * problem lives in; the study destroys it when it is closed (`destroy` may be NULL). `name` says what people call it, and
 * may be NULL. None of them may use the study. */
struct fcps_study_maker {
  fcps_status (*make)(const char *origin, void **owner, const fcps_problem **problem, fcps_error *error);
  void (*destroy)(void *owner);
  const char *(*name)(const void *owner);
};

/* A study is kept in a store, which a URL names: a path or sqlite:PATH for a file, memory: (or NULL) for one that is
 * gone when it is closed. A scheme that does not exist is refused: write ./NAME for a file whose name looks like a URL.
 * See docs/files.md. */

/* Makes a study in a new store; one that exists is refused with FCPS_ERR_STORE. If the call fails, or its process is
 * killed meanwhile, there is no study, and the same call may be made again. `options` may be NULL. */
FCPS_API fcps_status fcps_study_create(fcps_study **study, const char *url, const fcps_study_setup *setup,
                                       const fcps_study_options *options, fcps_error *error);

/* Opens a study that exists. A study in memory cannot be opened again: FCPS_ERR_UNSUPPORTED. */
FCPS_API fcps_status fcps_study_open(fcps_study **study, const char *url, const fcps_study_options *options,
                                     fcps_error *error);
FCPS_API void fcps_study_close(fcps_study *study);

/* Whether something is there under this URL, so that it can be opened (if it is a study) but not made. */
FCPS_API fcps_status fcps_study_exists(bool *exists, const char *url, fcps_error *error);

/* Deletes a study and everything that is kept beside it. A damaged study is deleted as well; if there is no study, the
 * call succeeds. Fails with FCPS_ERR_LOCKED while somebody holds the study or this process has it open, and with
 * FCPS_ERR_FORMAT if a file with this name is not a study. */
FCPS_API fcps_status fcps_study_remove(const char *url, fcps_error *error);

/* Holds the study for one long run: a second holder, also another handle of this process, is refused with
 * FCPS_ERR_LOCKED, naming the first, and so is a run beside a living worker (fcps/study_lease.h). The hold ends with
 * fcps_study_close, or with the process and the programs that it has started for its trials. */
FCPS_API fcps_status fcps_study_hold(fcps_study *study, fcps_error *error);

/* Live until the study is amended or closed. */
FCPS_API const char *fcps_study_url(const fcps_study *study);      /* to open it again; NULL if it is kept in memory */
FCPS_API const char *fcps_study_identity(const fcps_study *study); /* what tells it from all others but its own copies,
                                                                      wherever they are kept; NULL in memory */
FCPS_API const fcps_problem *fcps_study_problem(const fcps_study *study);
FCPS_API const fcps_problem_file *fcps_study_file(const fcps_study *study); /* NULL if made without a file */
FCPS_API const char *fcps_study_origin(const fcps_study *study);            /* NULL if made without one */
FCPS_API void *fcps_study_owner(const fcps_study *study);                   /* of the problem, see fcps_study_maker */
FCPS_API const char *fcps_study_name(const fcps_study *study); /* of its problem, by its file or maker; NULL: no name */
FCPS_API const char *fcps_study_learner(const fcps_study *study);
FCPS_API const fcps_setting *fcps_study_settings(const fcps_study *study); /* of the learner; ends with {NULL, NULL} */
FCPS_API uint64_t fcps_study_seed(const fcps_study *study);

typedef enum fcps_ask_state { FCPS_ASK_PENDING, FCPS_ASK_TOLD, FCPS_ASK_FORGOTTEN } fcps_ask_state;

/* What a learner expected of a trial when it asked for it, with the noise of a trial. A learner without a model, such as
 * random or c-reps, expects nothing, nor does any before its first fit. */
typedef struct fcps_expectation {
  bool has_outcome, has_reward;
  const double *outcome, *outcome_deviation;   /* outcome space; NULL without has_outcome */
  double reward, reward_deviation;             /* with what may go wrong. Once the reward is amended there is none */
  double chance_of_success, chance_of_outcome; /* that the trial does not fail, and then has an outcome; they mean
                                                  nothing if neither an outcome nor a reward is expected */
} fcps_expectation;

/* One ask. Pointers live until the next call that is not const. */
typedef struct fcps_ask {
  int64_t id; /* from 1 */
  const double *target, *environment, *parameters;
  const char *client;
  fcps_ask_state state;
  bool is_repeated; /* it was pending already */
  fcps_expectation expectation;
} fcps_ask;

/* Parameters worth trying in this context. A client (NULL or "": none) that has a pending ask gets that one again,
 * whatever the context. Its name has at most 143 bytes. */
FCPS_API fcps_status fcps_study_ask(fcps_study *study, const char *client, const double *target,
                                    const double *environment, fcps_ask *ask, fcps_error *error);

/* Contexts for several asks: rows of the target and of the environment space, NULL if the space is empty. One row
 * serves all asks. */
typedef struct fcps_ask_contexts {
  int rows;
  const double *targets, *environments;
} fcps_ask_contexts;

/* The most asks of one call of fcps_study_ask_many. */
#define FCPS_ASKS_MAX 10000

/* `count` asks at once, for as many contexts or for one: trials that are to be made side by side. Each ask knows those
 * before it and differs from them by what they will tell; before the initial design is finished they are its further
 * points. All are stored in one transaction, or none is. They belong to no client, have the numbers that follow each
 * other, and may be told or given up in any order. If no other process stores anything between them, `count` calls of
 * fcps_study_ask give the same asks. `asks` is the caller's array. The log hears of each ask that is made (I_ASKED, for
 * information), before all are stored. */
FCPS_API fcps_status fcps_study_ask_many(fcps_study *study, int count, const fcps_ask_contexts *contexts,
                                         fcps_ask *asks, fcps_error *error);

/* The same for one ask, with a context that an active learner chooses; see fcps_learner_choose. */
FCPS_API fcps_status fcps_study_choose(fcps_study *study, const char *client, const fcps_free_dimensions *free_dims,
                                       const double *target, const double *environment, fcps_ask *ask,
                                       fcps_error *error);

/* Gives up a pending ask. Its result is still accepted if it comes. */
FCPS_API fcps_status fcps_study_forget(fcps_study *study, int64_t id, fcps_error *error);

/* The result of a trial, as it is told: the rollout, and who tells it.
 *
 * In its rollout, target, environment and parameters that are NULL are as asked; others are what was measured and
 * executed. Its rewards are read only if the problem has no reward function; NaN: unknown. Deviations of its outcome
 * are refused as fcps_learner_tell does. */
typedef struct fcps_result {
  fcps_rollout rollout;
  const char *client;  /* who tells; may be NULL */
  const char *message; /* why it failed; may be NULL. Of more than 4 kB the beginning is stored (W_TEXT_CUT) */
  const char *key;     /* of a result that nobody asked for: see fcps_study_tell; may be NULL */
} fcps_result;

typedef struct fcps_receipt {
  int64_t ask;       /* FCPS_NOT_ASKED for a rollout that nobody asked for */
  int result_number; /* counts the results of the ask, from 1 */
  bool is_repeated;  /* the same result was stored before; nothing new was */
  bool is_late;      /* the ask had been given up or timed out; the result is used */
  bool is_flagged;   /* an outcome, reward or measured environment is not finite; the result is stored.
                        fcps_learner_tell says which models ignore it */
  bool is_misplaced; /* the measured environment is not finite; the result is stored with the environment of the
                        ask */
  double reward;     /* for the trial's own target; NaN if it has none */
  bool is_suspect; /* far from what was expected when the trial was asked for: a typing error? The result is stored. If
                        the model still does not believe it at its next fit, it hardly counts until it is confirmed,
                        dropped, or explained by others; see fcps_study_find_suspects */
} fcps_receipt;

/* Stores a result. If the ask already has another result, this one is stored but not used, and the call fails with
 * FCPS_ERR_CONFLICT (see fcps_study_use). With FCPS_NOT_ASKED, give target, environment and parameters; `key` then
 * plays the part of the ask. Without a key, an equal result from the same client is a repetition, so trials that repeat
 * exactly need keys. `receipt` may be NULL. */
FCPS_API fcps_status fcps_study_tell(fcps_study *study, int64_t id, const fcps_result *result, fcps_receipt *receipt,
                                     fcps_error *error);

/* Chooses which of several results of an ask is used. */
FCPS_API fcps_status fcps_study_use(fcps_study *study, int64_t ask, int result_number, fcps_error *error);

/* Takes a result out of what the learner is told, or back in; by the sequence of fcps_stored_result. It stays stored.
 * Once it is out, another result for the same ask or key is accepted. */
FCPS_API fcps_status fcps_study_use_result(fcps_study *study, int64_t sequence, bool is_used, fcps_error *error);

/* Says that a surprising result is right: it counts as any other, and is not a suspect again. By the sequence of
 * fcps_stored_result. A result that is confirmed already changes nothing. */
FCPS_API fcps_status fcps_study_confirm(fcps_study *study, int64_t sequence, fcps_error *error);

/* Amends the problem: {"reward", FORMULA}, {"limits", "{NAME: {at_most: 1.2}}"}, {"bounds.NAME", "LOWER,UPPER"} or
 * {"choices.NAME", WORD}, one more word behind the others. Every stored rollout is scored again; the old value stays in the history. */
FCPS_API fcps_status fcps_study_amend(fcps_study *study, const char *what, const char *value, fcps_error *error);

/* Amends who learns: another learner (NULL: it stays) and settings of it, ended by {NULL, NULL} (may be NULL). Another
 * learner begins with its own defaults; settings of the old one no longer count. Everything that counts is told again
 * to the new learner, which knows what is pending; policies made before stay. Refused, with nothing stored, if no
 * learner can be made so. Other processes follow with their next call. */
FCPS_API fcps_status fcps_study_amend_learner(fcps_study *study, const char *learner, const fcps_setting *settings,
                                              fcps_error *error);

/* What has been learnt so far, to be destroyed by the caller before the study. */
FCPS_API fcps_status fcps_study_policy(fcps_study *study, fcps_policy **policy, fcps_error *error);

/* The same from at most `most` of the results that count, spread evenly over them: a quick look at what thousands say. */
FCPS_API fcps_status fcps_study_sketch(fcps_study *study, int most, fcps_policy **policy, fcps_error *error);

/* The policy with its problem as the text of a file that needs no study; freed with fcps_free. A study made from a
 * problem with callbacks gives what fcps_policy_save writes, and the callbacks must be given again to
 * fcps_policy_load. */
FCPS_API fcps_status fcps_study_export_policy(fcps_study *study, char **text, fcps_error *error);

/* Reads such a text. Destroy the policy before its problem. `name` is for errors. */
FCPS_API fcps_status fcps_study_load_policy(fcps_policy **policy, fcps_problem_file **problem, const char *text,
                                            const char *name, fcps_error *error);

/* How good the policy is believed to be over the whole context space, and whether more trials are worth it. */
typedef struct fcps_outlook {
  int contexts;             /* number of contexts, spread evenly */
  int without_value;        /* of them: the reward of what is expected to happen has no value. The numbers below are of
                               the others; NaN if there is none */
  int low_chance;           /* of them: success and outcome together have a chance below FCPS_LOW_CHANCE */
  double reward, deviation; /* means of the predicted reward and of the deviation that trials can take away */
  double worst_reward;      /* the least predicted reward */
  double gain;              /* what knowing the rewards, and what may go wrong, exactly would be worth, at most */
  double spread;            /* of the rewards seen so far */
  bool is_converged;        /* deviation <= 1 %, caution_cost <= 5 % and edge_gain <= 3 % of the spread, also without
                               the last results (an eighth and a quarter of them, at most five and ten), after ten
                               rollouts for each environment and parameter dimension, every word and every level of
                               whole numbers with at most ten of them had a result, there is a value in every
                               context, rewards differ, no suspect waits and no remark holds it back */
  double trial_deviation; /* mean of the deviation of a trial: also of its noise, and of what may go wrong by chance */
  double caution_cost;    /* how much more reward the model expects of what the policy would choose without caution,
                               mean over the contexts; part of `gain`. 0 if nothing has gone wrong */
  int suspects;           /* results that the model does not believe, and nobody has confirmed or dropped */
  int excused;            /* results in a row that failed or had no outcome, believed to be an outage and not the
                               fault of their parameters; fcps_study_result_at then shows which */
  int doubted;            /* results that count less because the others say something else, suspects not among them;
                               fcps_study_result_at then shows which. Nothing needs to be done about them */
  int remarks;            /* things that look wrong and hold "enough" back; fcps_study_remark_at says which
                               (<fcps/study_remarks.h>) */
  double edge_gain;       /* what might be gained, mean over the contexts, where nobody knows yet whether trials end
                               well: part of `gain`. 0 if nothing has gone wrong */
  double untried_gain;    /* what might be gained, mean over the contexts, by the most promising word or level of a
                               parameter that never had a result: part of `gain`. 0 if all had */
  const char *unmet;      /* of the rules of is_converged, in words until the next outlook, the first that is not met;
                               NULL: all are, or a suspect or a remark holds it back */
} fcps_outlook;

/* `worst_target` and `worst_environment` (may be NULL) receive the context of the worst reward. Of a policy that
 * predicts no reward (fcps_policy_predicts_reward) the four believed numbers are NaN, these contexts mean nothing, and
 * it is never converged. */
FCPS_API fcps_status fcps_study_outlook(fcps_study *study, fcps_policy *policy, fcps_outlook *outlook,
                                        double *worst_target, double *worst_environment, fcps_error *error);

/* One stored result. Pointers live until the next call that is not const. Its rollout is complete: the reward is by the
 * present reward function if there is one, and NaN if the trial failed; the hindsight reward is as told, and NaN
 * if it is unknown or computed by the reward function. Client and message are "" if there is none. */
typedef struct fcps_stored_result {
  int64_t sequence, ask;
  int result_number;
  bool is_used, is_flagged, is_misplaced; /* as in a receipt */
  int64_t time_ms;
  fcps_result result;
  bool is_suspect;                     /* as the last fcps_study_find_suspects found it, which also gives: */
  int suspect_outcome;                 /* the number of the outcome dimension that is furthest from what was expected */
  double expected, expected_deviation; /* what the other results say about it */
  bool is_in_other_unit;               /* it seems to be told in another unit, as W_UNIT says */
  bool is_excused;                     /* it went wrong in an outage, as the last fcps_study_outlook found it */
  bool is_doubted;                     /* it counts less: so does outlook.doubted say */
  bool was_used; /* if it is not used: it counted once, and was dropped or replaced. Else it was never accepted */
  fcps_expectation expectation; /* of its ask */
} fcps_stored_result;

/* The results that count, by how their trials ended. */
typedef struct fcps_study_counts {
  int results;             /* that count: the sum of the next three */
  int with_outcome;        /* the trial ran and has an outcome; if the problem measures none, the trial ran */
  int without_outcome;     /* the trial ran, and nothing came of it */
  int failed;              /* it broke, was refused, timed out or became unstable */
  int outcomes_not_finite; /* of those with an outcome: it is NaN, infinite or beyond 1e100 */
  int rewards_not_finite;  /* of those that did not fail: the reward is, or has no value */
  int usable;              /* of those that did not fail: not flagged (fcps_receipt) */
  int unused;              /* stored results that do not count */
  int with_reward;         /* of those with an outcome: the reward is finite */
} fcps_study_counts;
FCPS_API void fcps_study_count(const fcps_study *study, fcps_study_counts *counts);

/* What the trials of a study have cost, by the cost of its problem (fcps_problem_cost). A trial that was told several times
 * counts once, and one whose result was dropped was done, too. All 0 without a cost. */
typedef struct fcps_study_costs {
  int trials;
  double spent, pending; /* of these trials; of the unfinished asks */
} fcps_study_costs;
FCPS_API fcps_status fcps_study_cost(const fcps_study *study, fcps_study_costs *costs, fcps_error *error);

/* Says why a result that is flagged cannot be used: which outcome, or which part of the reward's formula has which value.
 * Empty if it is not flagged. `result` NULL: the latest result that counts and is flagged, if possible for its reward
 * and not for what was measured. Returns `text`. */
FCPS_API char *fcps_study_explain(const fcps_study *study, const fcps_stored_result *result, size_t size, char *text);

/* If no trial of the study ever ended well (all failed or have no outcome), writes what they said and how often,
 * why the parameters are probably not to blame, and what to do, and returns true. Otherwise, and without results,
 * returns false. */
FCPS_API bool fcps_study_complain(const fcps_study *study, size_t size, char *text);

/* What fcps_study_count would say after an amendment (see fcps_study_amend), which is not made; `why` (may be NULL) is
 * what fcps_study_explain would say of the latest result that could not be used. */
FCPS_API fcps_status fcps_study_preview(fcps_study *study, const fcps_setting *change, fcps_study_counts *counts,
                                        char why[256], fcps_error *error);

/* Asks the model which results it does not believe, each judged by all others, and marks them: fcps_study_result_at
 * then shows them as suspects. *count (may be NULL) is how many there are. Only learners with a Gaussian process doubt a
 * result. Changes nothing that is stored, nor what comes after. Fails as fcps_study_policy does. */
FCPS_API fcps_status fcps_study_find_suspects(fcps_study *study, int *count, fcps_error *error);

/* Why a result is a suspect, for people: "volume=3500 where 35 +- 2 was expected". "" if it is none. */
enum { FCPS_SURPRISE_SIZE = 240 };
FCPS_API void fcps_study_surprise_text(const fcps_study *study, const fcps_stored_result *result,
                                       char text[FCPS_SURPRISE_SIZE]);

/* Sees what other processes have stored. Ask, tell, policy and the like do it by themselves. */
FCPS_API fcps_status fcps_study_refresh(fcps_study *study, fcps_error *error);
/* Past the end an ask or a result is all zeros. */
FCPS_API int fcps_study_ask_count(const fcps_study *study);
FCPS_API void fcps_study_ask_at(const fcps_study *study, int index, fcps_ask *ask);
FCPS_API int fcps_study_result_count(const fcps_study *study);
FCPS_API void fcps_study_result_at(const fcps_study *study, int index, fcps_stored_result *result);

/* The result of an ask that counts; false if it has none. */
FCPS_API bool fcps_study_result_of(const fcps_study *study, int64_t ask, fcps_stored_result *result);

/* Changes of the problem or of the learner, and other events, oldest first; NULL past the end. */
typedef struct fcps_study_event {
  int64_t sequence, time_ms;
  const char
      *code; /* of a change: "reward", "limits", "bounds.NAME", "learner" or "setting.NAME"; of a choice among results
                       "USED", "DROPPED" or "CONFIRMED", with the result as text; else a stable code (W_TELL_LATE) */
  const char *text;
} fcps_study_event;
FCPS_API const fcps_study_event *fcps_study_event_at(const fcps_study *study, int index);

/* What the change with this index replaced: the value of an earlier change, what the study was made with, the default of
 * a setting, or what the problem file says ("none" for an outcome without bounds). To be freed with fcps_free; NULL if
 * the event is not a change. */
FCPS_API fcps_status fcps_study_replaced(const fcps_study *study, int index, char **text, fcps_error *error);

/* Adds an event that changes nothing. */
FCPS_API fcps_status fcps_study_note(fcps_study *study, const char *code, const char *text, fcps_error *error);

/* Reads old rollouts from a CSV with a column for each parameter, target, environment and (unless always absent)
 * outcome dimension, in any order; optionally the outcome's deviations (NAME_sd for each), reward, hindsight_reward,
 * status, message and used. All rows are stored, or none. Rows whose trial is stored already, to the last digit of
 * all that the table says and whoever told it, rows of a block that the table has twice, and rows with 0 under `used`
 * are skipped. `added` and `skipped` may be NULL. */
FCPS_API fcps_status fcps_study_import(fcps_study *study, const char *path, int *added, int *skipped,
                                       fcps_error *error);

/* The same for trials that were done again and gave the very same numbers: only rows with 0 under `used` are skipped. */
FCPS_API fcps_status fcps_study_import_again(fcps_study *study, const char *path, int *added, int *skipped,
                                             fcps_error *error);

/* Copies what is unharmed of a damaged study into a new store of the same kind, and says how many records that was
 * (`records` may be NULL). Records that were changed or cannot be read are left out; an event with the code
 * W_RECORDS_LOST then says how many, and which. The damaged study is not changed. FCPS_ERR_FORMAT if a newer version
 * made it. */
FCPS_API fcps_status fcps_study_repair(const char *url, const char *to, int64_t *records, fcps_error *error);

/* Copies one state of a study to another file, also while others write; says how many records it has. The copy is a
 * study of its own. An existing file is refused with FCPS_ERR_STORE unless `may_replace`; then it must be an older state
 * of the same study, and not this one under any name. A study in memory cannot be copied: FCPS_ERR_UNSUPPORTED. */
FCPS_API fcps_status fcps_study_backup(const char *url, const char *to, bool may_replace, int64_t *records,
                                       fcps_error *error);

/* Copies one state of a study, also while others write, to a new one under the name `to`, which may be of another kind: a
 * file or postgresql://HOST/DATABASE#NAME. The copy has the same records, and the same results give the same asks.
 * `records` (may be NULL) says how many there are. Refused if `to` exists. */
FCPS_API fcps_status fcps_study_copy(const char *url, const char *to, int64_t *records, fcps_error *error);

/* Makes `url` a copy of the backup `from`, which is checked first and stays as it is. The study that was there gets
 * another name, which *kept says; to be freed with fcps_free, NULL if nothing was there. Refused with
 * FCPS_ERR_LOCKED while somebody holds the study or this process has it open; another process that has it open is told
 * at its next call that the file was replaced. If another study is there, refused with FCPS_ERR_STORE unless
 * `may_replace`; a study that cannot be read may always be replaced. */
FCPS_API fcps_status fcps_study_restore(const char *from, const char *url, bool may_replace, char **kept,
                                        int64_t *records, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
