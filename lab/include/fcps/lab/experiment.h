/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment: task x learners x seeds under a protocol, with offline evaluation and claims to check.
 *
 * A YAML file describes it (docs/lab/reproduce.md). Its runs are independent of each other, and each has its own
 * process. Their files in DIRECTORY/NAME have the same bytes, whatever the number of processes and of interruptions:
 *
 *   runs/LABEL-seedK.json  the result of one finished run, and everything that it depends on
 *   runs/LABEL-seedK.fcps  its rollouts, as a study; an interrupted run continues from there (the bytes of this file
 *                          may differ)
 *   results.csv            one row per learner, seed and episode: reward, cumulative reward, offline mean if evaluated
 *   curves.csv             one row per learner and episode: mean and standard deviation over the seeds
 *   map.csv                one row per learner and evaluation context: mean reward of the last policies
 *   claims.csv             one row per claim: the paper's number, ours, its standard error, the verdict
 *   summary.json           what was run, for the report
 *
 * Times are not results, so they have separate files:
 *
 *   runs/LABEL-seedK.seconds, times.csv    processor time of a run without its evaluations, and means over the seeds
 *
 * One run after another, in this process; fcps_experiment_run starts a process for each:
 *
 *   fcps_experiment_open(&experiment, "experiments/table1.yaml", &error);
 *   fcps_experiment_set_seeds(experiment, "1-2", &error);
 *   for (uint64_t k = 1; k <= 2; k++) fcps_experiment_run_one(experiment, "results", "bo-fcps", k, NULL, NULL, &error);
 *   fcps_experiment_judge(experiment, "results", &error);
 *   fcps_experiment_destroy(experiment);
 */
#ifndef FCPS_LAB_EXPERIMENT_H
#define FCPS_LAB_EXPERIMENT_H

#include <fcps/lab/run.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_experiment fcps_experiment;

/* Reads an experiment. Creates the task and every learner once, to check that they exist, accept their settings and fit
 * each other. So every mistake in the file is refused here, with line and column. */
FCPS_API fcps_status fcps_experiment_open(fcps_experiment **experiment, const char *path, fcps_error *error);
FCPS_API void fcps_experiment_destroy(fcps_experiment *experiment);

/* A description of the experiment. Its texts live as long as the experiment. */
typedef struct fcps_experiment_info {
  const char *name;  /* the name of its folder */
  const char *title; /* one line */
  const char *file;
  const char *task;
  int order; /* its position in a list of all experiments, which is in ascending order */
  int learner_count, seed_count, claim_count;
  int64_t episodes;
} fcps_experiment_info;
FCPS_API fcps_experiment_info fcps_experiment_describe(const fcps_experiment *experiment);

/* Replaces the seeds of the file: "1-10", "3", "1-3,7". */
FCPS_API fcps_status fcps_experiment_set_seeds(fcps_experiment *experiment, const char *seeds, fcps_error *error);

/* Makes a quick run: only the first two seeds, and at most fifty episodes. Claims about later episodes are then not
 * judged. */
FCPS_API void fcps_experiment_set_quick(fcps_experiment *experiment);

/* Names the program that does the runs. Runs that another program, or another build of it, has done are done again. */
FCPS_API fcps_status fcps_experiment_set_program(fcps_experiment *experiment, const char *path, fcps_error *error);

/* Does one run and writes its file. `stop` (may be NULL) is called between episodes; if it returns true, the run ends
 * with FCPS_ERR_STOPPED. */
FCPS_API fcps_status fcps_experiment_run_one(const fcps_experiment *experiment, const char *directory,
                                             const char *label, uint64_t seed, bool (*stop)(void *user), void *user,
                                             fcps_error *error);

typedef struct fcps_experiment_progress {
  int done, total;     /* numbers of runs */
  double seconds_left; /* an estimate; NaN until a run has finished */
} fcps_experiment_progress;

typedef struct fcps_experiment_options {
  const char *directory;
  int jobs; /* the number of processes at a time; 0 means 1 */
  /* The arguments of the command that does one run, ending with NULL. The label of the learner and the seed are added.
   * The process must end when its standard input ends. */
  char *const *command;
  /* Optional functions. If `stop` returns true, the call ends with FCPS_ERR_STOPPED. Neither may change or destroy the
   * experiment (FCPS_ERR_BUSY). */
  bool (*stop)(void *user);
  void (*progress)(void *user, const fcps_experiment_progress *progress);
  void *user;
  /* The engine that does the runs. "local" (or NULL): processes of this machine. "slurm": a job array, of which `jobs`
   * tasks may run at a time (0: Slurm decides). The results have the same bytes. */
  const char *engine;
} fcps_experiment_options;

/* Does every run that has no result yet. If a run fails, no further run is started; those that have started are
 * finished and kept. */
FCPS_API fcps_status fcps_experiment_run(const fcps_experiment *experiment, const fcps_experiment_options *options,
                                         fcps_error *error);

/* The number of all runs, and the number of runs that have a result in `directory`. */
FCPS_API int fcps_experiment_run_count(const fcps_experiment *experiment);
FCPS_API int fcps_experiment_done_count(const fcps_experiment *experiment, const char *directory);

/* Reads all runs, judges the claims and writes the tables. */
FCPS_API fcps_status fcps_experiment_judge(const fcps_experiment *experiment, const char *directory, fcps_error *error);

/* Mean rewards over the evaluation contexts of a task, without noise, to compare a learning curve with. A level that
 * the task cannot compute is NaN. Robots search for the best parameters only if their setting `oracle_rollouts` is
 * above 0. */
enum { FCPS_ORACLE_RANDOM_ROLLOUTS = 40 }; /* the random level is the mean of this many rollouts in each context */
typedef struct fcps_oracle_levels {
  double idle;   /* the level of doing nothing */
  double random; /* the level of random parameters */
  double best;   /* the level of the best possible parameters, or of the best ones that a search found */
} fcps_oracle_levels;
FCPS_API fcps_status fcps_oracle_measure(fcps_task *task, uint64_t seed, fcps_oracle_levels *levels, fcps_error *error);

/* Draws the picture of the task for a figure that several experiments share (`panel` in the file). `rgb` receives 3 *
 * width * height bytes (red, green, blue), top row first. Fails with FCPS_ERR_UNAVAILABLE if this machine cannot draw.
 * fcps_experiment_has_picture says whether the experiment wants such a picture. */
FCPS_API bool fcps_experiment_has_picture(const fcps_experiment *experiment);
FCPS_API fcps_status fcps_experiment_picture(const fcps_experiment *experiment, int width, int height,
                                             unsigned char *rgb, fcps_error *error);

#ifdef __cplusplus
}
#endif
#endif
