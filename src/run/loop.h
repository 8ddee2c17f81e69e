/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop, and what it needs of the place where trials happen.
 *
 * `fcps run` of a problem file or a task, a run of an experiment and the making of a film use this loop. They differ
 * only in what runs the trial. A repeated command reads earlier trials from the study, which is the only record of
 * them. */
#ifndef FCPS_RUN_LOOP_H
#define FCPS_RUN_LOOP_H

#include <fcps/run.h>
#include <fcps/study.h>

/* Where trials happen: a built-in task, or the user's program, of which several processes may work at once. Each of
 * them is a worker, counted from 0. A worker does one thing at a time. */
typedef struct fcps_trial_runner {
  /* Writes the context of an episode, counted from 0. */
  fcps_status (*context)(void *self, int worker, int64_t episode, double *target, double *environment,
                         fcps_error *error);

  /* Runs one trial. `result` is empty at first; what it points to stays valid until the next call for this worker. */
  fcps_status (*run)(void *self, int worker, int64_t episode, const fcps_ask *ask, fcps_result *result,
                     fcps_error *error);

  /* OPTIONAL; only the loop itself calls it. Judges a trial that has ended. It may change the status of the trial and
   * then sets the error. Returns false if the trial cannot be judged before other workers have ended theirs. */
  bool (*judge)(void *self, int worker, const fcps_result *result, fcps_status *status, fcps_error *error);

  /* OPTIONAL: returns whether a worker may get another trial. */
  bool (*is_usable)(void *self, int worker);

  /* OPTIONAL: writes what a policy earns offline. The arrays of `offline` stay valid until the next call. */
  fcps_status (*evaluate)(void *self, fcps_policy *policy, fcps_offline *offline, fcps_error *error);

  /* If several workers work at once, each has a thread, in which `context` and `run` are called. `halt` makes these
   * calls end soon, with FCPS_ERR_STOPPED. `leave` is the last function that a worker's thread calls. */
  void (*halt)(void *self);
  void (*leave)(void *self, int worker);

  bool has_own_contexts; /* the program supplies the contexts, so no learner can choose them */
  bool is_repeatable;    /* running a trial again gives the same result, so a result need not be kept in a file */
  bool is_concurrent;    /* several workers work at once; otherwise one after another, in the order of the episodes */
  int workers;
  void *self;
} fcps_trial_runner;

/* Refuses a number of simultaneous trials that no run can have. */
fcps_status fcps_run_check_parallel(const fcps_run_options *options, fcps_error *error);

/* Returns how many trials a run with these options has under way at once. */
int fcps_run_worker_count(const fcps_run_options *options);

/* Whether the learner of a study chooses contexts. */
bool fcps_run_learner_chooses(const fcps_study *study);

/* Runs episodes until the study has `options->episodes` of them. */
fcps_status fcps_run_loop(fcps_study *study, const fcps_trial_runner *runner, const fcps_run_options *options,
                          fcps_error *error);

/* -- Callbacks -- */

/* Calls the caller's functions for a run, while its study is held: the loop has pointers into the study, so these
 * functions may read the study but not change it. */

typedef struct fcps_run_guard {
  fcps_study *study;
  fcps_run_options given;
} fcps_run_guard;

/* Returns the same options with functions that go through `guard`. The guard must live longer than the options. */
fcps_run_options fcps_run_guard_options(fcps_run_guard *guard, fcps_study *study, const fcps_run_options *options);
fcps_run_patience fcps_run_guard_patience(fcps_run_guard *guard, fcps_study *study, const fcps_run_patience *patience);

/* -- The programs of a problem file, under a loop of the caller's choice -- */

typedef struct fcps_program_loop {
  fcps_status (*run)(void *user, fcps_study *study, const fcps_trial_runner *runner, const fcps_run_options *options,
                     fcps_error *error);
  void *user;
  /* other processes may run programs of the same study: so it is not held, and even a single program has a thread */
  bool is_shared;
  const char *const *command; /* replaces the command of the file; NULL: the file's own command */
  bool has_contexts;          /* the contexts come from this loop, and not from the problem file */
  bool
      trusts_study; /* if the caller gives no file, the program and the table that the study itself names may be used */
} fcps_program_loop;

/* Does the same as fcps_run_program, but with this loop. */
fcps_status fcps_program_run_loop(fcps_study *study, const fcps_problem_file *file, const fcps_run_options *options,
                                  const fcps_program_loop *loop, fcps_error *error);

/* -- Whether a problem file still matches its study (file_match.c) -- */

/* Refuses a file that says neither what the study was made with nor what it was amended to, because the study would
 * ignore the file. The error names the key or the dimension, and says what to do. */
fcps_status fcps_run_check_file(const fcps_study *study, const fcps_problem_file *file, fcps_error *error);

/* Warns if the study uses something other than the file says: with other units or another name (W_WORDS_DIFFER), and,
 * of a file that the caller has given, with other bounds (W_BOUNDS_DIFFER) or other rules (W_REWARD_DIFFERS,
 * W_CONSTRAINTS_DIFFER, W_LIMITS_DIFFER, W_SAFE_DIFFERS, W_COST_DIFFERS). The caller has checked that both have the
 * same dimensions. */
void fcps_run_warn_of_file(const fcps_study *study, const fcps_problem_file *file, bool is_given, const fcps_log *log);

/* -- The asks and evaluations of a run in its study (asked.c) -- */

/* The asks and evaluations of a run, as its study has them.
 *
 * An ask belongs to a run if its client is one of these: `run` for the first worker, `run/2`, `run/3`, ... for the
 * others. A client has at most one unfinished ask, and gets it again if it asks again. So another process that
 * continues the run finds the asks that were left unfinished. */

enum { FCPS_RUN_CLIENT_SIZE = 16 };

/* Writes the client's name of a worker, counted from 0. */
void fcps_run_client_name(int worker, char client[FCPS_RUN_CLIENT_SIZE]);

/* Returns the worker of a client; -1 if the client does not belong to a run. */
int fcps_run_client_worker(const char *client);

/* Returns how many asks a run has made. *unfinished receives how many of them are unfinished. */
int64_t fcps_run_asked_count(const fcps_study *study, int64_t *unfinished);

/* Returns the episode of an ask of a run, counted from 0. */
int64_t fcps_run_asked_episode(const fcps_study *study, int64_t ask);

/* An earlier episode. Lists have earlier episodes in the order in which their results were stored, which is the order
 * in which the run saw them. */
typedef struct fcps_run_earlier {
  int64_t ask, episode; /* the id of the ask; the episode, counted from 0 */
  int64_t sequence;     /* of the ask's first result; if the ask was given up, that of the ask before it */
} fcps_run_earlier;

/* Lists the asks of a run that are no longer unfinished. The caller frees the list with fcps_free; NULL if memory ran
 * out. */
fcps_run_earlier *fcps_run_earlier_list(const fcps_study *study, int64_t *count);

/* Stores an evaluation as a note of the study: the mean, and the episode after which it was measured. */
fcps_status fcps_run_note_offline(fcps_study *study, int64_t episode, double mean, fcps_error *error);
bool fcps_run_find_offline(const fcps_study *study, int64_t episode, double *mean);

/* -- How the trials of a run end (endings.c) -- */

/* Counts how the trials of a run end, to decide whether the run may go on, and what the user must be told if no trial
 * ends well. */

typedef struct fcps_run_endings {
  int64_t trials, failures; /* of this call: all trials, and those that failed */
  int64_t earlier;          /* how many results of earlier calls ended well */
  int64_t unmeasured;       /* trials of this call with an outcome that is not finite */
  /* results with an outcome but without a usable reward; those of earlier calls count if no earlier result is usable */
  int64_t unusable;
  bool has_usable;     /* a trial of this call has a usable value */
  bool has_complained; /* the user was told that no trial ends well */
  bool goes_on;        /* set by the caller after the beginning: the run goes on, however the trials end */
} fcps_run_endings;

/* Called before the first trial. Refuses with FCPS_ERR_NO_REWARD if none of enough stored results has a usable reward:
 * further trials would have none either. */
fcps_status fcps_run_endings_begin(fcps_run_endings *endings, const fcps_study *study, fcps_error *error);

/* Called after each trial. Returns FCPS_ERR_FAILURE_RATE if most trials fail, and FCPS_ERR_NO_REWARD if no result can
 * be used. Warns once if no trial has ended well. */
fcps_status fcps_run_endings_add(fcps_run_endings *endings, const fcps_study *study, const fcps_stored_result *stored,
                                 const fcps_log *log, fcps_error *error);

/* Called after the last trial. Returns FCPS_ERR_NO_REWARD if no result of the study has a usable reward. If all trials
 * of a call failed, the caller reports that instead. */
fcps_status fcps_run_endings_finish(fcps_run_endings *endings, const fcps_study *study, const fcps_log *log,
                                    fcps_error *error);

/* Called if all trials of a call failed. Returns FCPS_ERR_FAILURE_RATE, unless at least as many earlier results ended
 * well (at most ten of these count). */
fcps_status fcps_run_endings_all_failed(const fcps_study *study, int64_t failures, fcps_error *error);

#endif
