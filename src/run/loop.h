/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop, and what it needs of the place where trials happen.
 *
 * `fcps run` on a problem file or a task, a run of an experiment and a film are all this loop; only what runs the
 * trial differs. A repeated command reads earlier trials from the study: there is no other record. */
#ifndef FCPS_RUN_LOOP_H
#define FCPS_RUN_LOOP_H

#include <fcps/run.h>
#include <fcps/study.h>

/* Where trials happen: a built-in task, or the program of a user, of which several may be at work. Each of them is a
 * worker, counted from 0; a worker does one thing at a time. */
typedef struct fcps_trial_runner {
  /* The context of an episode, counted from 0. */
  fcps_status (*context)(void *self, int worker, int64_t episode, double *target, double *environment,
                         fcps_error *error);

  /* One trial. `result` comes empty; what it points to lives until the next call for this worker. */
  fcps_status (*run)(void *self, int worker, int64_t episode, const fcps_ask *ask, fcps_result *result,
                     fcps_error *error);

  /* OPTIONAL, called by the loop itself: what to think of an ended trial, by its status, which may be changed (then with
   * its error). False: it cannot be said before other workers have ended theirs. */
  bool (*judge)(void *self, int worker, const fcps_result *result, fcps_status *status, fcps_error *error);

  /* OPTIONAL: whether a worker may get another trial. */
  bool (*is_usable)(void *self, int worker);

  /* OPTIONAL: what a policy earns offline, into `offline`, whose arrays live until the next call. */
  fcps_status (*evaluate)(void *self, fcps_policy *policy, fcps_offline *offline, fcps_error *error);

  /* If workers are at work at once, `context` and `run` are called in threads, one for each worker. `halt` ends
   * all that they do, soon: they return FCPS_ERR_STOPPED. `leave` is the last that a worker's thread calls. */
  void (*halt)(void *self);
  void (*leave)(void *self, int worker);

  bool has_own_contexts; /* the program supplies the contexts, so no learner can choose them */
  bool is_repeatable;    /* a trial that is run again has the same result, so nothing is lost with it */
  bool is_concurrent;    /* the workers are at work at once; else one after another, in the order of the episodes */
  int workers;
  void *self;
} fcps_trial_runner;

/* Refuses a number of trials at once that no run can have. */
fcps_status fcps_run_check_parallel(const fcps_run_options *options, fcps_error *error);

/* How many trials are under way at once. */
int fcps_run_worker_count(const fcps_run_options *options);

/* Tells whether the learner of a study chooses contexts. */
bool fcps_run_learner_chooses(const fcps_study *study);

/* Runs episodes until the study has `options->episodes` of them. */
fcps_status fcps_run_loop(fcps_study *study, const fcps_trial_runner *runner, const fcps_run_options *options,
                          fcps_error *error);

/* -- Callbacks -- */

/* The callbacks of a run, called while its study is held: a loop has pointers into the study, so a callback may read it
 * and nothing else. */

typedef struct fcps_run_guard {
  fcps_study *study;
  fcps_run_options given;
} fcps_run_guard;

/* The same options with functions that go through `guard`, which must outlive them. */
fcps_run_options fcps_run_guard_options(fcps_run_guard *guard, fcps_study *study, const fcps_run_options *options);
fcps_run_patience fcps_run_guard_patience(fcps_run_guard *guard, fcps_study *study, const fcps_run_patience *patience);

/* -- The programs of a problem file, under a loop of the caller's choice -- */

typedef struct fcps_program_loop {
  fcps_status (*run)(void *user, fcps_study *study, const fcps_trial_runner *runner, const fcps_run_options *options,
                     fcps_error *error);
  void *user;
  bool is_shared; /* others may run programs for the same study: it is not held, and one program has a thread too */
  const char *const *command; /* in place of that of the file; NULL: none */
  bool has_contexts;          /* and draws contexts itself */
  bool
      trusts_study; /* without a file of the caller, the program and the table that the study itself names may be used */
} fcps_program_loop;

/* Runs the programs as fcps_run_program does, with this loop. */
fcps_status fcps_program_run_loop(fcps_study *study, const fcps_problem_file *file, const fcps_run_options *options,
                                  const fcps_program_loop *loop, fcps_error *error);

/* -- Whether a problem file still matches its study (file_match.c) -- */

/* Refuses a file that says neither what the study was made with nor what it was amended to: it would be ignored. The
 * error names the key or the dimension, and what can be done. */
fcps_status fcps_run_check_file(const fcps_study *study, const fcps_problem_file *file, fcps_error *error);

/* Warns if the study goes on with something else than the file says: with other units or another name
 * (W_WORDS_DIFFER), and, of a file that the caller has given, with other bounds (W_BOUNDS_DIFFER) or other rules
 * (W_REWARD_DIFFERS, W_CONSTRAINTS_DIFFER, W_LIMITS_DIFFER, W_SAFE_DIFFERS, W_COST_DIFFERS). Both have the same dimensions. */
void fcps_run_warn_of_file(const fcps_study *study, const fcps_problem_file *file, bool is_given, const fcps_log *log);

/* -- The asks and evaluations of a run in its study (asked.c) -- */

/* What a study has of a run: its asks and its evaluations.
 *
 * The study knows the asks by their client: `run` for the first worker, `run/2`, `run/3`, ... for the others. A
 * client has at most one unfinished ask, and asked again it gets that one: so another process that continues the
 * run finds what was left unfinished. */

enum { FCPS_RUN_CLIENT_SIZE = 16 };

/* The client of a worker, counted from 0. */
void fcps_run_client_name(int worker, char client[FCPS_RUN_CLIENT_SIZE]);

/* The worker of a client; -1 if it is not a run's. */
int fcps_run_client_worker(const char *client);

/* How many asks a run has made, and how many of them are unfinished. */
int64_t fcps_run_asked_count(const fcps_study *study, int64_t *unfinished);

/* Which episode, counted from 0, an ask of a run is. */
int64_t fcps_run_asked_episode(const fcps_study *study, int64_t ask);

/* Earlier episodes, in the order in which their results were stored: that in which the run has seen them. */
typedef struct fcps_run_earlier {
  int64_t ask, episode; /* the episode counted from 0 */
  int64_t sequence;     /* of the first result; of an ask that was given up, that of the ask before it */
} fcps_run_earlier;

/* Lists the asks of a run that are not unfinished, to be freed with fcps_free; NULL without memory. */
fcps_run_earlier *fcps_run_earlier_list(const fcps_study *study, int64_t *count);

/* Evaluations are notes of the study: the mean and the episode after which it was measured. */
fcps_status fcps_run_note_offline(fcps_study *study, int64_t episode, double mean, fcps_error *error);
bool fcps_run_find_offline(const fcps_study *study, int64_t episode, double *mean);

/* -- How the trials of a run end (endings.c) -- */

/* How the trials of a run end: whether it may go on, and what its user must hear if nothing comes of it. */

typedef struct fcps_run_endings {
  int64_t trials, failures; /* of this call */
  int64_t earlier;          /* results of earlier calls that ended well */
  int64_t unmeasured;       /* of them: with an outcome that is not finite */
  int64_t unusable;         /* with an outcome, but without a usable value; of earlier calls, if they have no other */
  bool has_usable;          /* a trial of this call has a usable value */
  bool has_complained;      /* that nothing ever ends well */
  bool goes_on;             /* whatever the trials come to; set after the beginning */
} fcps_run_endings;

/* Before the first trial: refuses with FCPS_ERR_NO_REWARD to do trials for a reward that none of the stored results
 * has. */
fcps_status fcps_run_endings_begin(fcps_run_endings *endings, const fcps_study *study, fcps_error *error);

/* After each trial: FCPS_ERR_FAILURE_RATE if most fail, FCPS_ERR_NO_REWARD if nothing can be used. Warns once if
 * no trial has ended well. */
fcps_status fcps_run_endings_add(fcps_run_endings *endings, const fcps_study *study, const fcps_stored_result *stored,
                                 const fcps_log *log, fcps_error *error);

/* After the last trial: FCPS_ERR_NO_REWARD if not one of the study has a usable reward. If all trials of a call
 * failed, its caller says so. */
fcps_status fcps_run_endings_finish(fcps_run_endings *endings, const fcps_study *study, const fcps_log *log,
                                    fcps_error *error);

/* After a call all of whose trials failed: FCPS_ERR_FAILURE_RATE, unless at least as many results of the study ended
 * well, of which at most ten count. */
fcps_status fcps_run_endings_all_failed(const fcps_study *study, int64_t failures, fcps_error *error);

#endif
