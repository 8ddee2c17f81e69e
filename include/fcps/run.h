/* SPDX-License-Identifier: Apache-2.0 */
/* The one loop: draw (or choose) a context, ask, run, tell. Every command that runs trials uses it.
 *
 * The loop works on a study, in memory or in a file. If a signal or a power cut interrupts it, the next call continues
 * there: it runs the unfinished asks again, and the later asks are those of a run that never stopped.
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
  int64_t episode; /* counted from 1, in the order of the asks; results of parallel trials come in another order */
  int64_t done;    /* the number of finished episodes, including this one */
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
  int64_t episodes;       /* in all, including those of earlier calls */
  int64_t evaluate_every; /* 0: only after the last episode; negative: never. Runs of a program have no evaluation */
  /* These functions are optional. They, and the log, may read the study, but not change or close it (FCPS_ERR_BUSY).
   * If `stop` returns true, the run ends with FCPS_ERR_STOPPED. It is called between episodes, while a program runs,
   * and while the run waits because another process uses the study. `context` draws the context of an episode
   * (counted from 0) instead of the task or file. The other two are called after a result is stored, at first for
   * the episodes of earlier calls. If they return another status than FCPS_OK, the run ends. */
  bool (*stop)(void *user);
  void (*context)(void *user, int64_t episode, double *target, double *environment);
  fcps_status (*on_episode)(void *user, const fcps_episode *episode);
  fcps_status (*on_offline)(void *user, const fcps_offline *offline);
  void *user;
  /* NULL, or the run ends as soon as further trials are worth little, and this receives the outlook. Refused if the
   * learner's policies predict no reward */
  fcps_outlook *until_converged;
  /* the limit of the cost of all trials of the study, with those of earlier calls; 0: no budget. The run ends before
   * a trial that would exceed it, and reports W_BUDGET */
  double budget;
  bool goes_on_failing; /* goes on even if most rollouts fail */
  fcps_log log;         /* warnings about the answers of a program, and about results that wait to be stored */

  /* The number of trials at once, from 1 to FCPS_RUN_MOST_PARALLEL; 0 stands for 1. A run may be continued with
   * another number. Each program has its number, from 1, in the environment variable FCPS_WORKER. If a program
   * crashes or hangs, only its own trial is lost.
   *
   * Results are stored in the order in which they come, and one ask follows each result, so the asks depend on that
   * order alone. Each program is served by a thread of the library. Of the functions above these threads call only
   * `stop`, perhaps several at once; it must then not use the study. A built-in task is simulated in the calling
   * thread, in the order of the asks. */
  int parallel;
} fcps_run_options;

#define FCPS_RUN_MOST_PARALLEL 256

/* The client's name for the asks of a run. After a crash the run gets its unfinished ask again. With several trials
 * at once, the others ask as "run/2", "run/3", ... Other clients must use other names. */
#define FCPS_RUN_CLIENT "run"

/* Whether a client's name belongs to a run. Another program that asks under such a name takes the ask of a run. */
FCPS_API bool fcps_run_owns_client(const char *client);

/* How fcps_run_tell keeps a finished result until it is stored. */
typedef struct fcps_run_patience {
  bool is_kept; /* keep the result on disk, too, in a file beside the study that outlives the process */
  /* wait for space on the disk, too, and for disk failures that may pass; else only for other processes */
  bool is_persistent;
  /* called while waiting; if it returns true, the call ends with FCPS_ERR_STOPPED. May be NULL */
  bool (*stop)(void *user);
  void *user;
  fcps_log log; /* receives one message that a result waits, and where it is */
} fcps_run_patience;

/* Tells a result as fcps_study_tell does. If another process uses the study, the result is told again, with growing
 * pauses, until it is stored or fails for a reason that will not pass. If the result is then on disk (`is_kept`),
 * the error names the file. `receipt` may be NULL. */
FCPS_API fcps_status fcps_run_tell(fcps_study *study, int64_t ask, const fcps_result *result,
                                   const fcps_run_patience *patience, fcps_receipt *receipt, fcps_error *error);

/* Tells the results that wait on disk beside the study, and removes their files. Runs begin with this call. If a
 * file cannot be read, or belongs to another study, it stays, and the log says why. `stored` (may be NULL) receives
 * the number of results stored now. fcps_run_kept_count counts the waiting results. */
FCPS_API fcps_status fcps_run_tell_kept(fcps_study *study, const fcps_run_patience *patience, int *stored,
                                        fcps_error *error);
FCPS_API int fcps_run_kept_count(const fcps_study *study);

/* Holds the study and runs episodes with the external program and the contexts of a problem file; NULL stands for
 * the file from which the study was made. An active learner chooses the contexts itself. Refuses a file whose
 * problem or learner differs from the study's (as made or as amended).
 *
 * The run ends with FCPS_ERR_FAILURE_RATE
 *   - if more than half of at least five rollouts of this call failed, or all rollouts of a shorter run;
 * with FCPS_ERR_NO_REWARD
 *   - if more than half of at least five rollouts have an outcome that is not finite;
 *   - if at least five have an outcome, and neither they nor the results of earlier calls have a usable reward (even
 *     before the first rollout, if that is known then);
 *   - if at the end no result of the study has a usable reward (the message names the formula and the value);
 * and with FCPS_ERR_PROGRAM
 *   - if a program cannot be started, gives no usable answer at first in this call, or answers before it was asked;
 *     the ask stays unfinished.
 *
 * If no trial of the study ever ended well, there is one warning (W_NOTHING_ENDS_WELL; see fcps_study_complain).
 *
 * The program runs under a guardian process, a fork of the caller's. The guardian ends the program and all its
 * children when this call returns, or when the calling process ends for whatever reason. Both keep the study held
 * until they have ended. If a process could not be ended, the error (FCPS_ERR_PROGRAM), or a warning if the run
 * failed anyway, names it. */
FCPS_API fcps_status fcps_run_program(fcps_study *study, const fcps_problem_file *file, const fcps_run_options *options,
                                      fcps_error *error);

/* A function of yours that does one trial. `episode` counts from 0. `result` is empty at first, which means that the
 * trial went well and has no outcome. If the function lets it point to memory, this must live until the next trial
 * or the end of the run. If the function returns another status than FCPS_OK, the run ends with FCPS_ERR_CALLBACK,
 * and the ask stays unfinished. The function may read the study, but not change or close it (FCPS_ERR_BUSY). */
typedef fcps_status fcps_trial_fn(void *user, int64_t episode, const fcps_ask *ask, fcps_result *result);

/* Runs episodes with such a function, in the calling thread and one after another. Contexts come from
 * options->context, from the problem file of which the study was made, or else uniformly from within their bounds;
 * an active learner chooses them itself. There is no evaluation. */
FCPS_API fcps_status fcps_run_function(fcps_study *study, fcps_trial_fn *trial, void *user,
                                       const fcps_run_options *options, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
