/* SPDX-License-Identifier: Apache-2.0 */
/* The runs of an experiment, side by side in separate processes. Each process is the caller's program with arguments
 * for one run. The processes share nothing but the folder of the results, so the results do not depend on the number of
 * processes.
 *
 * The standard input of each process is one end of a pipe, whose other end this process holds. If this process ends,
 * for whatever reason, the pipe closes and the run gives up. So no process is left behind, and no signals are
 * needed. */
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "format/file.h"
#include "lab/experiment/experiment_impl.h"
#include "lab/experiment/single_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* A process and its run. */
typedef struct run_process {
  pid_t process; /* 0: idle */
  int row, seed; /* indices of the row and of the seed */
  int lifeline;  /* the end of the pipe that keeps the run alive */
  FILE *complaints;
  double started;
} run_process;

typedef struct run_pool {
  const fcps_experiment *experiment;
  const fcps_experiment_options *options;
  fcps_error *error;
  fcps_status status; /* the status of the first failure */
  bool *is_done;      /* one for each run; all rows of the first seed come first, so that each row has a result early */
  int next;           /* the index of the next run that may have to be started */
  int done, total;
  int job_count;
  run_process *workers;
  double *row_seconds; /* per row: the total time of its finished runs, and their number */
  int *row_finished;
} run_pool;

/* -- Processes -- */

static int make_lifeline(int ends[2])
{
  if (pipe(ends)) return errno;
  /* a process that is started later must not inherit this end: it would keep the pipe open */
  if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0) return 0;
  const int failure = errno;
  close(ends[0]);
  close(ends[1]);
  return failure;
}

static int spawn_process(pid_t *process, char *const *arguments, int input, FILE *complaints)
{
  posix_spawn_file_actions_t actions;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;
  failure = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDOUT_FILENO);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
  if (!failure) failure = posix_spawn(process, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

/* Makes the caller's command, followed by label and seed, as a new array of borrowed texts. */
static char **command_line(char *const *command, const char *label, char *seed)
{
  size_t count = 0;
  while (command[count] != NULL)
    count++;
  char **arguments = fcps_allocate(count + 3, sizeof *arguments);
  if (arguments == NULL) return NULL;
  memcpy(arguments, command, count * sizeof *arguments);
  arguments[count] = (char *)label; /* posix_spawn does not change its arguments */
  arguments[count + 1] = seed;
  return arguments;
}

static fcps_status start(run_pool *pool, run_process *worker, int row, int seed)
{
  char seed_text[32];
  snprintf(seed_text, sizeof seed_text, "%" PRIu64, pool->experiment->seeds[seed]);
  char **arguments = command_line(pool->options->command, pool->experiment->rows[row].label, seed_text);
  FILE *complaints = tmpfile();
  int ends[2] = {-1, -1};
  int failure = arguments == NULL || complaints == NULL ? ENOMEM : make_lifeline(ends);
  pid_t process = 0;
  if (!failure) {
    failure = spawn_process(&process, arguments, ends[0], complaints);
    close(ends[0]);
    if (failure) close(ends[1]);
  }
  free(arguments);
  if (failure) {
    if (complaints != NULL) fclose(complaints);
    return fcps_error_set(pool->error, FCPS_ERR_PROGRAM, "jobs", "a run cannot be started: %s", strerror(failure));
  }
  worker->process = process;
  worker->row = row;
  worker->seed = seed;
  worker->lifeline = ends[1];
  worker->complaints = complaints;
  worker->started = fcps_clock_seconds();
  return FCPS_OK;
}

/* Makes the error of a run that failed: its label, its seed and the message of its process. Exit status 4 of the
 * program means that it could not write a file. */
static fcps_status explain(run_pool *pool, const run_process *worker, int outcome)
{
  char words[400] = "";
  rewind(worker->complaints);
  const size_t length = fread(words, 1, sizeof words - 1, worker->complaints);
  words[length] = '\0';
  words[strcspn(words, "\n")] = '\0';
  const bool is_io = WIFEXITED(outcome) && WEXITSTATUS(outcome) == 4;
  if (WIFSIGNALED(outcome)) snprintf(words, sizeof words, "ended by signal %d", WTERMSIG(outcome));
  if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0)
    snprintf(
        words, sizeof words,
        "its result was made by another version of the program; was the program replaced during the run? Run again");
  return fcps_error_set(pool->error, is_io ? FCPS_ERR_IO : FCPS_ERR_PROGRAM, pool->experiment->rows[worker->row].label,
                        "the run with seed %" PRIu64 " failed: %s", pool->experiment->seeds[worker->seed],
                        words[0] ? words : "it gave no message");
}

static void finish(run_pool *pool, run_process *worker, int outcome)
{
  const fcps_experiment *experiment = pool->experiment;
  const bool is_done = WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0 &&
                       fcps_experiment_run_result_is_done(experiment, pool->options->directory, worker->row,
                                                          experiment->seeds[worker->seed]);
  if (is_done) {
    pool->done++;
    pool->row_seconds[worker->row] += fcps_clock_seconds() - worker->started;
    pool->row_finished[worker->row]++;
  } else if (pool->status == FCPS_OK) {
    pool->status = explain(pool, worker, outcome);
  }
  close(worker->lifeline);
  fclose(worker->complaints);
  worker->process = 0;
}

/* -- The pool -- */

/* Starts missing runs while there are idle processes. */
static void feed(run_pool *pool)
{
  for (int w = 0; w < pool->job_count; w++) {
    while (pool->next < pool->total && pool->is_done[pool->next])
      pool->next++;
    if (pool->next == pool->total || pool->status != FCPS_OK) return;
    if (pool->workers[w].process) continue;
    const int rows = pool->experiment->row_count;
    pool->status = start(pool, &pool->workers[w], pool->next % rows, pool->next / rows);
    if (pool->status == FCPS_OK) pool->next++;
  }
}

/* Collects the processes that have ended. Returns the number of those that are still busy. */
static int collect(run_pool *pool)
{
  int busy = 0;
  for (int w = 0; w < pool->job_count; w++) {
    run_process *worker = &pool->workers[w];
    if (!worker->process) continue;
    int outcome = 0;
    const pid_t ended = waitpid(worker->process, &outcome, WNOHANG);
    if (ended == worker->process)
      finish(pool, worker, outcome);
    else
      busy++;
  }
  return busy;
}

/* The expected time of a run in seconds: the mean of the row's finished runs, or of all finished runs if the row has
 * none. */
static double expected_seconds(const run_pool *pool, int row)
{
  if (pool->row_finished[row] > 0) return pool->row_seconds[row] / pool->row_finished[row];
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < pool->experiment->row_count; i++) {
    sum += pool->row_seconds[i];
    count += pool->row_finished[i];
  }
  return count > 0 ? sum / count : NAN;
}

static double seconds_left(const run_pool *pool)
{
  double work = 0.0;
  for (int i = pool->next; i < pool->total; i++) {
    if (!pool->is_done[i]) work += expected_seconds(pool, i % pool->experiment->row_count);
  }
  const double now = fcps_clock_seconds();
  for (int w = 0; w < pool->job_count; w++) {
    const run_process *worker = &pool->workers[w];
    if (worker->process) work += fmax(0.0, expected_seconds(pool, worker->row) - (now - worker->started));
  }
  return work / pool->job_count;
}

static void report_progress(const run_pool *pool)
{
  const fcps_experiment_options *options = pool->options;
  if (options->progress == NULL) return;
  const fcps_experiment_progress progress = {pool->done, pool->total, seconds_left(pool)};
  options->progress(options->user, &progress);
}

/* Makes all processes give up their runs, by closing the pipes to their standard inputs. */
static void cut_lifelines(run_pool *pool)
{
  for (int w = 0; w < pool->job_count; w++) {
    run_process *worker = &pool->workers[w];
    if (!worker->process) continue;
    close(worker->lifeline);
    while (waitpid(worker->process, NULL, 0) < 0 && errno == EINTR) {
    }
    fclose(worker->complaints);
    worker->process = 0;
  }
}

static void run_all(run_pool *pool)
{
  const fcps_experiment_options *options = pool->options;
  const struct timespec pause = {.tv_nsec = 20000000};
  for (;;) {
    const int busy = collect(pool);
    if (busy == 0 && (pool->status != FCPS_OK || pool->done == pool->total)) break;
    feed(pool);
    report_progress(pool);
    if (options->stop != NULL && options->stop(options->user)) {
      cut_lifelines(pool);
      pool->status =
          fcps_error_set(pool->error, FCPS_ERR_STOPPED, "", "stopped with %d of %d runs done", pool->done, pool->total);
      return;
    }
    nanosleep(&pause, NULL);
  }
  report_progress(pool);
}

static fcps_status pool_create(run_pool *pool)
{
  const fcps_experiment *experiment = pool->experiment;
  pool->total = fcps_experiment_run_count(experiment);
  pool->job_count = pool->options->jobs < 1 ? 1 : pool->options->jobs > pool->total ? pool->total : pool->options->jobs;
  pool->workers = fcps_allocate((size_t)pool->job_count, sizeof *pool->workers);
  pool->is_done = fcps_allocate((size_t)pool->total, sizeof *pool->is_done);
  pool->row_seconds = fcps_allocate((size_t)experiment->row_count, sizeof *pool->row_seconds);
  pool->row_finished = fcps_allocate((size_t)experiment->row_count, sizeof *pool->row_finished);
  if (pool->workers == NULL || pool->is_done == NULL || pool->row_seconds == NULL || pool->row_finished == NULL) {
    return fcps_error_memory(pool->error);
  }
  for (int i = 0; i < pool->total; i++) {
    pool->is_done[i] = fcps_experiment_run_result_is_done(
        experiment, pool->options->directory, i % experiment->row_count, experiment->seeds[i / experiment->row_count]);
    pool->done += pool->is_done[i];
  }
  return FCPS_OK;
}

fcps_status fcps_engine_local(const fcps_experiment *experiment, const fcps_experiment_options *options,
                              fcps_error *error)
{
  run_pool pool = {.experiment = experiment, .options = options, .error = error};
  pool.status = pool_create(&pool);
  if (pool.status == FCPS_OK) run_all(&pool);
  free(pool.workers);
  free(pool.is_done);
  free(pool.row_seconds);
  free(pool.row_finished);
  return pool.status;
}

/* -- Engines -- */

typedef struct run_engine {
  const char *name;
  fcps_engine_fn *run;
} run_engine;

/* The engines; the first one is the default. */
static const run_engine engines[] = {{"local", fcps_engine_local}, {"slurm", fcps_engine_slurm}};

static const run_engine *find_engine(const char *name, fcps_error *error)
{
  for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
    if (name == NULL || strcmp(name, engines[i].name) == 0) return &engines[i];
  fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "engine", "there is no engine \"%.40s\". Choose from: local, slurm",
                 name);
  return NULL;
}

fcps_status fcps_experiment_run(const fcps_experiment *experiment, const fcps_experiment_options *options,
                                fcps_error *error)
{
  if (experiment == NULL) return fcps_error_null(error, "experiment");
  if (options == NULL) return fcps_error_null(error, "options");
  if (options->directory == NULL) return fcps_error_null(error, "directory");
  if (options->command == NULL) return fcps_error_null(error, "command");
  if (options->jobs < 0)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "jobs", "%d processes; give 0 or a positive number", options->jobs);
  const run_engine *engine = find_engine(options->engine, error);
  if (engine == NULL) return FCPS_ERR_UNKNOWN_NAME;
  char folder[FCPS_EXPERIMENT_PATH];
  fcps_status status = fcps_experiment_path(experiment, options->directory, "runs", folder, error);
  if (status == FCPS_OK) status = fcps_file_make_directory(folder, error);
  if (status == FCPS_OK) status = fcps_definition_keep(experiment, options->directory, error);
  if (status != FCPS_OK) return status;

  const bool was_held = *experiment->is_held;
  *experiment->is_held = true;
  status = engine->run(experiment, options, error);
  *experiment->is_held = was_held;
  return status;
}

int fcps_experiment_done_count(const fcps_experiment *experiment, const char *directory)
{
  int done = 0;
  if (experiment == NULL || directory == NULL) return 0;
  for (int row = 0; row < experiment->row_count; row++) {
    for (int i = 0; i < experiment->seed_count; i++)
      done += fcps_experiment_run_result_is_done(experiment, directory, row, experiment->seeds[i]);
  }
  return done;
}
