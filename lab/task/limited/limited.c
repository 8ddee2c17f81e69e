/* SPDX-License-Identifier: Apache-2.0 */
/* Problems with limits and constraints (worlds.c). A learner sees the limits as such, as a penalty in the reward, or
 * not at all. A trial breaks something if its recorded outcome breaks a limit of the world, or its parameters break a
 * constraint. */
#include "base/error.h"
#include "base/memory.h"
#include "lab/task/limited/worlds.h"
#include "lab/task/task_impl.h"
#include "space/points.h"
#include "space/space.h"

#include <fcps/problem_file.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EVALUATIONS = 20, TEXT = 4096 };

typedef enum keeping { KEEP_LIMITS, KEEP_PENALTY, KEEP_NOTHING } keeping;

typedef struct limited_settings {
  int world;
  keeping keep;
  double chance;
  bool safe;
} limited_settings;

static const char *world_choice(int index)
{
  const fcps_limited_world *world = fcps_limited_world_at(index);
  return world != NULL ? world->name : NULL;
}

static const char *keep_choice(int index)
{
  static const char *const names[] = {[KEEP_LIMITS] = "limits", [KEEP_PENALTY] = "penalty", [KEEP_NOTHING] = "nothing"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static const fcps_setting_row setting_rows[] = {
    FCPS_CHOICE_ROW("world", limited_settings, world, "throw", world_choice, "the problem"),
    FCPS_CHOICE_ROW("keep", limited_settings, keep, "limits", keep_choice,
                    "how a learner meets the limits: as limits, as a penalty in the reward, or not at all"),
    FCPS_NUMBER_ROW("chance", limited_settings, chance, "0.95", 0.5, 1.0,
                    "the probability with which each limit must be kept"),
    FCPS_SWITCH_ROW("safe", limited_settings, safe, "on", "begin at parameters known to keep the limits"),
    {.spec.name = NULL},
};

static const fcps_setting_table table = {.size = sizeof(limited_settings), .parts = {{setting_rows, 0}}};

typedef struct limited {
  const fcps_limited_world *world;
  fcps_problem_file *file;   /* the problem that a learner sees */
  fcps_problem_file *judges; /* the same problem with its limits, for judging trials */
  double *contexts;
} limited;

/* -- The problem file -- */

static void add(char *text, const char *words)
{
  const size_t length = strlen(text);
  snprintf(text + length, TEXT - length, "%s", words);
}

static void add_reward(const fcps_limited_world *w, bool is_penalty, char *text)
{
  char words[64];
  add(text, "reward: \"");
  for (const fcps_world_limit *l = w->limits; is_penalty && l->name != NULL; l++) {
    const bool is_most = l->at_most != NULL;
    add(text, l == w->limits ? "" : " || ");
    add(text, l->name);
    add(text, is_most ? " > " : " < ");
    add(text, is_most ? l->at_most : l->at_least);
  }
  snprintf(words, sizeof words, " ? %g : ", w->penalty);
  if (is_penalty) add(text, words);
  add(text, w->reward);
  add(text, "\"\n");
}

static void add_limits(const fcps_limited_world *w, double chance, bool is_safe, char *text)
{
  char words[128];
  add(text, "limits:\n");
  for (const fcps_world_limit *l = w->limits; l->name != NULL; l++) {
    const bool is_most = l->at_most != NULL;
    snprintf(words, sizeof words, "  %s: {%s: %s, chance: %g}\n", l->name, is_most ? "at_most" : "at_least",
             is_most ? l->at_most : l->at_least, chance);
    add(text, words);
  }
  if (!is_safe) return;
  add(text, "safe: [");
  add(text, w->safe);
  add(text, "]\n");
}

static fcps_status read_file(fcps_problem_file **file, const fcps_limited_world *world, const limited_settings *given,
                             fcps_error *error)
{
  char text[TEXT] = "";
  add(text, "name: limited\n");
  add(text, world->spaces);
  const bool has_limits = world->limits[0].name != NULL;
  add_reward(world, has_limits && given->keep == KEEP_PENALTY, text);
  if (has_limits && given->keep == KEEP_LIMITS) add_limits(world, given->chance, given->safe, text);
  return fcps_problem_file_parse(file, text, strlen(text), world->name, NULL, error);
}

/* -- The task -- */

static void destroy(void *state)
{
  limited *l = state;
  fcps_problem_file_destroy(l->file);
  fcps_problem_file_destroy(l->judges);
  fcps_free(l->contexts);
}

/* Places the contexts of the evaluation: a fixed sequence, the same for every seed; a single one if the world has no
 * contexts. */
static fcps_status place_evaluations(fcps_task *task, limited *l)
{
  const fcps_space *target = &task->problem.target, *environment = &task->problem.environment;
  const int width = target->count + environment->count, count = width > 0 ? EVALUATIONS : 1;
  l->contexts = fcps_allocate((size_t)(count * width), sizeof *l->contexts);
  if (l->contexts == NULL) return FCPS_ERR_MEMORY;
  double *targets = l->contexts, *environments = targets + count * target->count;
  for (int i = 0; i < count && width > 0; i++) {
    double x[FCPS_SPACE_MAX];
    fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 0);
    fcps_points_halton(&rng, width, i + 1, 1, x);
    fcps_space_from_unit(target, x, targets + i * target->count);
    fcps_space_from_unit(environment, x + target->count, environments + i * environment->count);
  }
  task->evaluation = (fcps_evaluation){.count = count, .targets = targets, .environments = environments};
  return FCPS_OK;
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  const limited_settings *given = settings, as_they_are = {.keep = KEEP_LIMITS, .chance = 0.95};
  limited *l = task->state;
  l->world = fcps_limited_world_at(given->world);
  fcps_status status = read_file(&l->file, l->world, given, error);
  if (status == FCPS_OK) status = read_file(&l->judges, l->world, &as_they_are, error);
  if (status != FCPS_OK) return status;
  task->problem = l->file->problem;
  return place_evaluations(task, l) == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  const limited *l = task->state;
  double normals[FCPS_WORLD_LIMITS];
  fcps_rng rng = fcps_task_noise(task, episode);
  for (int i = 0; i < FCPS_WORLD_LIMITS; i++)
    normals[i] = episode < 0 ? 0.0 : fcps_rng_normal(&rng);
  l->world->run(environment, parameters, normals, outcome);
  rollout->outcome = outcome;
  return FCPS_OK;
}

static bool breaks(const fcps_task *task, const fcps_rollout *rollout)
{
  const fcps_problem *p = &((const limited *)task->state)->judges->problem;
  double all = 1.0;
  int broken = -1;
  if (fcps_problem_find_broken(p, rollout->target, rollout->environment, rollout->parameters, &broken, NULL) != FCPS_OK)
    return true;
  if (broken >= 0) return true;
  const fcps_status status = fcps_problem_limit_chances(p, rollout->target, rollout->environment, rollout->parameters,
                                                        rollout->outcome, NULL, NULL, &all, NULL);
  return status != FCPS_OK || all < 0.5;
}

const fcps_task_ops fcps_task_limited = {
    .info = {.name = "limited",
             .summary = "a throw, a process, a pendulum, designs and mixtures in which something must not happen",
             .settings = &table},
    .state_size = sizeof(limited),
    .create = create,
    .destroy = destroy,
    .run = run,
    .breaks = breaks,
};
