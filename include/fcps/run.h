/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop: draw (or choose) a context, ask, run, tell. Every command uses it.
 *
 * It stands on a study, in memory or in a file. Interrupted at any place, by a signal or a power cut, it goes on
 * where it was: the unfinished asks are run again, and the asks that follow are those of a run that never stopped.
 *
 *   fcps_run_program(study, NULL, &(fcps_run_options){.episodes = 60}, &error);           // the program of its problem file
 *   fcps_run_function(study, trial, NULL, &(fcps_run_options){.episodes = 60}, &error);   // trial: an fcps_trial_fn
 */
#ifndef FCPS_RUN_H
#define FCPS_RUN_H

#include <fcps/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One finished episode, as the loop shows it: its stored result, and how long it took. Pointers live during the
 * call. */
typedef struct fcps_episode {
  int64_t episode; /* from 1, in the order of the asks; with several trials at once results come in another order */
  int64_t done;    /* episodes that are done, this one included */
  fcps_stored_result stored;
  double ask_seconds, run_seconds;
  bool is_earlier; /* done by an earlier call, and shown again */
} fcps_episode;

/* The mean reward of the greedy policy over the task's evaluation contexts, without noise. */
typedef struct fcps_offline {
  int64_t episode;
  double mean;
  int count;                /* of the rows below; 0 if an earlier evaluation is shown again */
  const double *rewards;    /* one for each evaluation context; NaN if the rollout failed */
  const double *parameters; /* rows */
  const double *outcomes;   /* rows */
  const bool *present;
  const double *predictions; /* the rewards that the policy expected; NaN if it predicts none */
  bool is_earlier;
} fcps_offline;

typedef struct fcps_run_options {
  int64_t episodes;       /* in all, those of earlier calls included */
  int64_t evaluate_every; /* 0: only after the last episode; negative: never. Programs are never evaluated */
  /* All optional. All of them, and the log, may read the study, but not change or close it (FCPS_ERR_BUSY). `stop` is
   * asked between episodes, while a program runs, and while the run waits because another process uses the study;
   * returning true ends the run with FCPS_ERR_STOPPED. `context` draws the context of an episode (counted from 0) in
   * place of the task or file. The other two are called when the result is stored, first for what earlier calls have
   * done; a status other than FCPS_OK ends the run. */
  bool (*stop)(void *user);
  void (*context)(void *user, int64_t episode, double *target, double *environment);
  fcps_status (*on_episode)(void *user, const fcps_episode *episode);
  fcps_status (*on_offline)(void *user, const fcps_offline *offline);
  void *user;
  fcps_outlook *until_converged; /* not NULL: ends earlier when further trials are worth little; receives the outlook.
                                    Refused for learners whose policies predict no reward */
  double budget;                 /* what all trials of the study may cost, those of earlier calls included: the run ends
                                    before the trial that would cost more, and says so (W_BUDGET). 0: no such end */
  bool goes_on_failing;          /* does not end because most rollouts fail */
  fcps_log log;                  /* warnings about what a program answers, and that a result waits to be stored */

  /* Trials that are under way at once, from 1 to FCPS_RUN_MOST_PARALLEL; 0: one. So many programs run at once, each with
   * its number, from 1, in the environment variable FCPS_WORKER. Each is served by a thread of the library; of the
   * functions above, these threads call only `stop`, perhaps several at once, which must then not use the study. Results
   * are stored in the order in which they come, and each is followed by one ask: the asks depend on that order alone. A
   * program that crashes or hangs costs its own trial. A built-in task is simulated by the calling thread, in the order
   * of the asks. Any number may go on with a run. */
  int parallel;
} fcps_run_options;

#define FCPS_RUN_MOST_PARALLEL 256

/* The client of the asks that a run makes: its unfinished ask is offered again. With several trials at once the others
 * ask as "run/2", "run/3", ... Other clients must use other names. */
#define FCPS_RUN_CLIENT "run"

/* Whether a client's name is one of a run's: who asks under it takes the ask of a run that is under way. */
FCPS_API bool fcps_run_owns_client(const char *client);

/* How a finished result is kept until it is stored; see fcps_run_tell. */
typedef struct fcps_run_patience {
  bool is_kept;       /* while it waits it is also on disk, in a file beside the study that outlives the process */
  bool is_persistent; /* also waits for space on the disk, and for failures of it that may pass; else only for other
                         processes */
  bool (*stop)(void *user); /* asked while waiting; true ends the call with FCPS_ERR_STOPPED. NULL: never */
  void *user;
  fcps_log log; /* says once that a result waits, and where it is */
} fcps_run_patience;

/* As fcps_study_tell, but if the study is in use by another process the result is kept and told again, with growing
 * pauses, until it is stored, or cannot be for a reason that does not pass. If it is then on disk (`is_kept`), the
 * error says in which file. `receipt` may be NULL. */
FCPS_API fcps_status fcps_run_tell(fcps_study *study, int64_t ask, const fcps_result *result,
                                   const fcps_run_patience *patience, fcps_receipt *receipt, fcps_error *error);

/* Tells the results that wait on disk beside the study, and removes their files. fcps_run and fcps_run_program begin
 * with it. A file that cannot be read, or belongs to another study, stays, and the log says why. `stored` (may be NULL)
 * counts the results that are stored now. fcps_run_kept_count counts those that wait. */
FCPS_API fcps_status fcps_run_tell_kept(fcps_study *study, const fcps_run_patience *patience, int *stored,
                                        fcps_error *error);
FCPS_API int fcps_run_kept_count(const fcps_study *study);

/* Holds the study and runs episodes with the external program and the contexts of a problem file; NULL: the file that the
 * study was made from. An active learner chooses the contexts. Refuses a file with another problem or learner than the
 * study's, as it was made or amended. Ends with FCPS_ERR_FAILURE_RATE when, of at least five rollouts of this call, more
 * than half failed; with FCPS_ERR_NO_REWARD when
 * more than half of at least five have an outcome that is not finite, when at least five have an outcome and none of
 * them, nor of those of earlier calls, a usable reward (before the first rollout, if that is known by then), and in
 * the end when no result of the study has one. The words say which formula and which value. A study in which nothing
 * ever ended well is warned of once (W_NOTHING_ENDS_WELL; see fcps_study_complain). A program that cannot be
 * started, has no usable answer at first in this call, or answers what it was not yet asked, ends the run with
 * FCPS_ERR_PROGRAM; the ask stays unfinished. A run of fewer than five rollouts ends with FCPS_ERR_FAILURE_RATE if
 * all of them failed.
 *
 * The program runs under a process of its own, a fork of the caller's, which ends it and all that it started when this
 * call returns, or when the calling process is gone, however that ended. Both keep the study held until they are gone.
 * What could not be ended is named: with FCPS_ERR_PROGRAM, or, if the run failed, as a warning. */
FCPS_API fcps_status fcps_run_program(fcps_study *study, const fcps_problem_file *file, const fcps_run_options *options,
                                      fcps_error *error);

/* One trial by a function of the caller. `episode` counts from 0. `result` comes empty, so that the trial went well and
 * has no outcome; what it points to must live until the next trial or the end of the run. A status other than FCPS_OK
 * ends the run with FCPS_ERR_CALLBACK; the ask stays unfinished. May read the study, but not change or close it
 * (FCPS_ERR_BUSY). */
typedef fcps_status fcps_trial_fn(void *user, int64_t episode, const fcps_ask *ask, fcps_result *result);

/* The same with a function that runs the trials, in the calling thread and one after another. The contexts are those of
 * options->context, of the problem file that the study was made from, or uniform within their bounds; an active learner
 * chooses them. There is no evaluation. */
FCPS_API fcps_status fcps_run_function(fcps_study *study, fcps_trial_fn *trial, void *user,
                                       const fcps_run_options *options, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
