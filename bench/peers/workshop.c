/* SPDX-License-Identifier: Apache-2.0 */
/* A task of the workshop for rivals in other languages, with the same world, contexts and noise as fcps for each seed.
 *
 *   workshop TASK SEED EPISODES [NAME=VALUE...]
 *
 * The settings are those of the task (its mishaps). Writes one line of JSON: the spaces with bounds and scales, the
 * contexts (target, then environment) of the episodes and those of the offline evaluation, and what a trial without
 * outcome counts there. Then answers each line "EPISODE TARGET... ENVIRONMENT... PARAMETERS..." (all in their own
 * units; a negative episode is without noise and mishaps) with a line "REWARD OUTCOME...". If there is no outcome, the
 * line ends after the reward. */
#include "measure.h"

#include <fcps/fcps.h>
#include <fcps/lab/lab.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTINGS_MAX = 8 };

/* Makes a setting of each argument NAME=VALUE, by ending the name at the equals sign. */
static bool read_settings(int count, char **arguments, fcps_setting *settings)
{
  if (count > SETTINGS_MAX) return false;
  for (int i = 0; i < count; i++) {
    char *equals = strchr(arguments[i], '=');
    if (equals == NULL) return false;
    *equals = '\0';
    settings[i] = (fcps_setting){arguments[i], equals + 1};
  }
  settings[count] = (fcps_setting){NULL, NULL};
  return true;
}

static void print_space(const char *name, const fcps_space *space)
{
  printf("\"%s\": [", name);
  for (int d = 0; d < space->count; d++)
    printf("%s{\"name\": \"%s\", \"lower\": %.17g, \"upper\": %.17g, \"step\": %.17g, \"scale\": \"%s\"}",
           d > 0 ? ", " : "", space->dims[d].name, space->dims[d].lower, space->dims[d].upper, space->dims[d].step,
           fcps_scale_name((int)space->dims[d].scale));
  printf("], ");
}

static void print_numbers(int count, const double *numbers, const char *separator)
{
  for (int i = 0; i < count; i++)
    printf("%s%.17g", separator, numbers[i]);
}

static void print_context(const fcps_problem *problem, int index, const double *target, const double *environment)
{
  const int targets = problem->target.count, count = targets + problem->environment.count;
  printf("%s[", index > 0 ? ", " : "");
  for (int i = 0; i < count; i++)
    printf("%s%.17g", i > 0 ? ", " : "", i < targets ? target[i] : environment[i - targets]);
  printf("]");
}

static void print_episodes(const fcps_task *task, int episodes)
{
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX];
  printf("\"episodes\": [");
  for (int e = 0; e < episodes; e++) {
    fcps_task_context(task, e, target, environment);
    print_context(fcps_task_problem(task), e, target, environment);
  }
  printf("], ");
}

static void print_evaluation(const fcps_task *task)
{
  const fcps_evaluation *contexts = fcps_task_evaluation(task);
  const fcps_problem *problem = fcps_task_problem(task);
  printf("\"evaluation\": [");
  for (int i = 0; i < contexts->count; i++)
    print_context(problem, i, contexts->targets + i * problem->target.count,
                  contexts->environments + i * problem->environment.count);
  printf("], \"failure reward\": %.17g", contexts->failure_reward);
}

static void announce(const fcps_task *task, int episodes)
{
  const fcps_problem *problem = fcps_task_problem(task);
  printf("{");
  print_space("target", &problem->target);
  print_space("environment", &problem->environment);
  print_space("parameters", &problem->parameters);
  print_space("outcome", &problem->outcome);
  print_episodes(task, episodes);
  print_evaluation(task);
  printf("}\n");
  fflush(stdout);
}

static bool read_numbers(int count, double *numbers)
{
  for (int i = 0; i < count; i++)
    if (scanf("%lf", &numbers[i]) != 1) return false;
  return true;
}

static double score(const fcps_task *task, const double *target, const fcps_rollout *result, const double *environment,
                    const double *parameters, const double *outcome)
{
  if (result->status != FCPS_ROLLOUT_OK) return fcps_task_evaluation(task)->failure_reward;
  const fcps_problem *problem = fcps_task_problem(task);
  const bool present = result->outcome != NULL;
  double reward = 0.0;
  measure_require(problem->reward(problem->user, 1, target, environment, parameters, outcome, &present, &reward),
                  "reward");
  return reward;
}

/* Answers one line; false after the last. */
static bool answer(fcps_task *task)
{
  const fcps_problem *problem = fcps_task_problem(task);
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX], parameters[FCPS_SPACE_MAX];
  double outcome[FCPS_SPACE_MAX] = {0.0};
  int64_t episode;
  if (scanf("%" SCNd64, &episode) != 1 || !read_numbers(problem->target.count, target) ||
      !read_numbers(problem->environment.count, environment) || !read_numbers(problem->parameters.count, parameters))
    return false;
  fcps_rollout result;
  measure_require(fcps_task_run(task, episode, environment, parameters, outcome, &result), "run");
  printf("%.17g", score(task, target, &result, environment, parameters, outcome));
  if (result.outcome != NULL) print_numbers(problem->outcome.count, outcome, " ");
  printf("\n");
  fflush(stdout);
  return true;
}

int main(int count, char **arguments)
{
  fcps_setting settings[SETTINGS_MAX + 1];
  if (count < 4 || !read_settings(count - 4, arguments + 4, settings)) return 2;
  fcps_task *task;
  fcps_error error;
  measure_require(fcps_task_create(&task, arguments[1], settings, strtoull(arguments[2], NULL, 10), &error),
                  arguments[1]);
  announce(task, atoi(arguments[3]));
  while (answer(task)) {
  }
  fcps_task_destroy(task);
  return 0;
}
