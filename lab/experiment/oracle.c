/* SPDX-License-Identifier: Apache-2.0 */
/* Computes three levels. Doing nothing: only some tasks know its outcome. Random parameters: those of the learner
 * `random`. The best reward: the task's own optimum, or the best that its search finds; the setting `oracle_rollouts`
 * gives the number of rollouts. */
#include "lab/experiment/oracle.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "format/file.h"
#include "format/json.h"
#include "problem/problem.h"
#include "space/space.h"

#include <fcps/lab/experiment.h>
#include <fcps/learner.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fcps_status score(const fcps_problem *problem, const double *target, const double *environment,
                         const double *parameters, const double *outcome, double *sum)
{
  double reward = NAN;
  const bool present = true;
  const fcps_status status =
      problem->reward(problem->user, 1, target, environment, parameters, outcome, &present, &reward);
  *sum += reward;
  return status;
}

/* Adds the reward of doing nothing in one context to the mean. */
static fcps_status be_idle(fcps_task *task, const double *target, const double *environment, double *room, double *mean)
{
  const fcps_problem *problem = fcps_task_problem(task);
  double *parameters = room, *outcome = room + problem->parameters.count;
  *mean = NAN;
  if (!fcps_task_idle(task, environment, outcome)) return FCPS_OK;
  *mean = 0;
  return score(problem, target, environment, parameters, outcome, mean);
}

/* Adds the mean reward of random parameters in one context to the mean. Rollouts without an outcome do not count. */
static fcps_status try_random(fcps_task *task, fcps_learner *learner, const double *target, const double *environment,
                              double *room, double *mean)
{
  const fcps_problem *problem = fcps_task_problem(task);
  double *parameters = room, *outcome = room + problem->parameters.count, sum = 0;
  int count = 0;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < FCPS_ORACLE_RANDOM_ROLLOUTS && status == FCPS_OK; i++) {
    fcps_rollout rollout;
    int64_t id;
    status = fcps_learner_ask(learner, target, environment, parameters, &id);
    if (status == FCPS_OK) status = fcps_learner_forget(learner, id);
    if (status == FCPS_OK) status = fcps_task_run(task, -1, environment, parameters, outcome, &rollout);
    if (status != FCPS_OK || rollout.outcome == NULL) continue;
    status = score(problem, target, environment, parameters, outcome, &sum);
    count++;
  }
  *mean = sum / count;
  return status;
}

static fcps_status compare(fcps_task *task, fcps_learner *learner, double *room, fcps_oracle_levels *levels)
{
  const fcps_problem *problem = fcps_task_problem(task);
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  fcps_status status = FCPS_OK;
  for (int c = 0; c < contexts->count && status == FCPS_OK; c++) {
    const double *target = contexts->targets + c * problem->target.count;
    const double *environment =
        contexts->environments != NULL ? contexts->environments + c * problem->environment.count : NULL;
    double idle = NAN, random = NAN;
    status = be_idle(task, target, environment, room, &idle);
    if (status == FCPS_OK) status = try_random(task, learner, target, environment, room, &random);
    levels->idle += idle / contexts->count;
    levels->random += random / contexts->count;
  }
  return status;
}

fcps_status fcps_oracle_measure(fcps_task *task, uint64_t seed, fcps_oracle_levels *levels, fcps_error *error)
{
  if (task == NULL) return fcps_error_null(error, "task");
  if (levels == NULL) return fcps_error_null(error, "levels");
  const fcps_problem *problem = fcps_task_problem(task);
  double *room = fcps_allocate((size_t)(problem->parameters.count + problem->outcome.count), sizeof *room);
  fcps_learner *learner = NULL;
  *levels = (fcps_oracle_levels){.best = fcps_task_optimum(task)};
  fcps_status status =
      room != NULL ? fcps_learner_create(&learner, problem, "random", NULL, seed, error) : fcps_error_memory(error);
  if (status == FCPS_OK && (status = compare(task, learner, room, levels)) != FCPS_OK)
    fcps_error_set(error, status, "task", "the rollouts of random parameters, or of doing nothing, failed");
  fcps_learner_destroy(learner);
  free(room);
  return status;
}

/* -- Random trials -- */

/* The random trials come from a policy that draws its parameters. It is evaluated like any other policy, so the task
 * says how failed trials and trials without an outcome count. */

enum { DRAWS = 50 };

static fcps_status earn(fcps_task *task, fcps_random_trial *t)
{
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  fcps_rollout rollout;
  t->reward = NAN;
  const fcps_status status = fcps_task_run(task, -1, t->environment, t->parameters, t->outcome, &rollout);
  if (status != FCPS_OK) return status;
  if (rollout.status != FCPS_ROLLOUT_OK) {
    if (contexts->counts_failures) t->reward = contexts->failure_reward;
    return FCPS_OK;
  }
  const bool is_present = rollout.outcome != NULL;
  return fcps_problem_score(fcps_task_problem(task), 1, t->target, t->environment, t->parameters, t->outcome,
                            &is_present, &t->reward, NULL);
}

fcps_status fcps_random_trials_visit(fcps_task *task, fcps_status (*visit)(void *user, const fcps_random_trial *trial),
                                     void *user)
{
  const fcps_problem *problem = fcps_task_problem(task);
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  const size_t n = (size_t)problem->parameters.count;
  double *room = fcps_allocate(2 * n + (size_t)problem->outcome.count, sizeof(double));
  fcps_random_trial t = {.x = room, .parameters = room + n, .outcome = room + 2 * n};
  fcps_status status = room != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < contexts->count && status == FCPS_OK; i++) {
    fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EXPLORE, (uint64_t)i);
    t.target = contexts->targets + (size_t)i * (size_t)problem->target.count;
    t.environment = contexts->environments + (size_t)i * (size_t)problem->environment.count;
    for (int draw = 0; draw < DRAWS && status == FCPS_OK; draw++) {
      fcps_rng_uniforms(&rng, (int)n, t.x);
      fcps_space_from_unit(&problem->parameters, t.x, t.parameters);
      status = earn(task, &t);
      if (status == FCPS_OK) status = visit(user, &t);
    }
  }
  free(room);
  return status;
}

/* -- The mean reward of random parameters -- */

/* The mean over random trials. */

typedef struct earnings {
  double sum;
  int count;
} earnings;

static fcps_status add(void *user, const fcps_random_trial *trial)
{
  earnings *e = user;
  if (!isnan(trial->reward)) e->sum += trial->reward, e->count++;
  return FCPS_OK;
}

double fcps_random_level(fcps_task *task)
{
  earnings e = {0};
  const fcps_status status = fcps_random_trials_visit(task, add, &e);
  return status == FCPS_OK && e.count > 0 ? e.sum / e.count : NAN;
}

/* -- Levels of an experiment -- */

/* levels.json contains its source: everything that the numbers depend on. If the program, the task or the number of
 * rollouts has changed, the levels are computed again. */

enum { SEED = 1, FILE_LIMIT = 1 << 20 };

static const char file_name[] = "levels.json";

char *fcps_oracle_levels_command(const fcps_experiment *experiment, size_t size, char *text)
{
  size_t length =
      (size_t)snprintf(text, size, "fcps oracle %s --rollouts %d", experiment->task, experiment->oracle_rollouts);
  for (const fcps_setting *s = experiment->task_settings; s->name != NULL && length < size; s++)
    length += (size_t)snprintf(text + length, size - length, " --task-set %s=%s", s->name, s->value);
  return text;
}

static fcps_json *source_json(const fcps_experiment *experiment)
{
  char program[32], command[1024];
  snprintf(program, sizeof program, "%016" PRIx64, experiment->program);
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "program", fcps_json_from_text(program));
  fcps_json_put(&json, "command", fcps_json_from_text(fcps_oracle_levels_command(experiment, sizeof command, command)));
  return json;
}

/* Reads the levels from levels.json. Returns false if the file does not exist or was made from another source. */
static bool read_kept(const fcps_experiment *experiment, const char *path, fcps_oracle_levels *levels)
{
  fcps_json *json = NULL;
  bool is_it = fcps_json_read_file(&json, path, FILE_LIMIT, NULL) == FCPS_OK;
  char *wanted = fcps_json_finish(source_json(experiment)), *found = fcps_json_write(fcps_json_get(json, "source"));
  is_it = is_it && wanted != NULL && found != NULL && strcmp(wanted, found) == 0 &&
          fcps_json_number(fcps_json_get(json, "idle"), &levels->idle) &&
          fcps_json_number(fcps_json_get(json, "random"), &levels->random) &&
          fcps_json_number(fcps_json_get(json, "best"), &levels->best);
  fcps_free(wanted);
  fcps_free(found);
  fcps_json_destroy(json);
  return is_it;
}

static fcps_status keep(const fcps_experiment *experiment, const char *path, const fcps_oracle_levels *levels,
                        fcps_error *error)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "source", source_json(experiment));
  fcps_json_put(&json, "idle", fcps_json_from_number(levels->idle));
  fcps_json_put(&json, "random", fcps_json_from_number(levels->random));
  fcps_json_put(&json, "best", fcps_json_from_number(levels->best));
  char *text = fcps_json_finish(json);
  const fcps_status status =
      text != NULL ? fcps_file_replace(path, text, strlen(text), error) : fcps_error_memory(error);
  fcps_free(text);
  return status;
}

/* Creates the task, and sets its search to the experiment's number of rollouts. */
static fcps_status create_task(const fcps_experiment *experiment, fcps_task **task, fcps_error *error)
{
  const int count = fcps_reader_count_settings(experiment->task_settings);
  fcps_setting *settings = fcps_allocate((size_t)count + 2, sizeof *settings);
  if (settings == NULL) return fcps_error_memory(error);
  char rollouts[32];
  snprintf(rollouts, sizeof rollouts, "%d", experiment->oracle_rollouts);
  memcpy(settings, experiment->task_settings, (size_t)count * sizeof *settings);
  settings[count] = (fcps_setting){"oracle_rollouts", rollouts};
  const fcps_status status = fcps_task_create(task, experiment->task, settings, SEED, error);
  free(settings);
  return status;
}

fcps_status fcps_oracle_levels_find(const fcps_experiment *experiment, const char *directory,
                                    fcps_oracle_levels *levels, fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH];
  *levels = (fcps_oracle_levels){NAN, NAN, NAN};
  if (experiment->oracle_rollouts == 0 || experiment->is_quick) return FCPS_OK;
  fcps_status status = fcps_experiment_path(experiment, directory, file_name, path, error);
  if (status != FCPS_OK || read_kept(experiment, path, levels)) return status;
  fcps_task *task = NULL;
  status = create_task(experiment, &task, error);
  if (status == FCPS_OK) status = fcps_oracle_measure(task, SEED, levels, error);
  if (status == FCPS_OK) status = keep(experiment, path, levels, error);
  fcps_task_destroy(task);
  return status;
}
