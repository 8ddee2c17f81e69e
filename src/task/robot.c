/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated robot whose hand follows a motion. */
#include "task/robot.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fcps_status fcps_robot_open(fcps_robot *robot, fcps_sim_robot kind, fcps_error *error)
{
  char *models = NULL;
  fcps_status status = fcps_sim_load(&robot->ops, &models, error);
  if (status == FCPS_OK) status = robot->ops->create(&robot->sim, kind, models, error);
  free(models);
  if (status != FCPS_OK) return status;
  robot->facts = robot->ops->facts(robot->sim);
  robot->steps = (int)lround(robot->facts->period / FCPS_ROBOT_DT);
  return FCPS_OK;
}

void fcps_robot_close(fcps_robot *robot)
{
  if (robot->sim) robot->ops->destroy(robot->sim);
  fcps_motion_destroy(robot->motion);
  free(robot->targets);
  free(robot->environments);
  fcps_cache_close(robot->cache);
}

fcps_status fcps_robot_draw_evaluation(fcps_task *task, fcps_robot *robot, const fcps_settings *settings,
                                       fcps_robot_sampler *sampler, fcps_error *error)
{
  const int count = fcps_settings_integer(settings, "contexts");
  const uint64_t seed = (uint64_t)fcps_settings_number(settings, "context_seed");
  const size_t width = (size_t)task->problem.target.count, wide = (size_t)task->problem.environment.count;
  robot->targets = fcps_allocate((size_t)count * width, sizeof(double));
  robot->environments = fcps_allocate((size_t)count * wide, sizeof(double));
  if (!robot->targets || !robot->environments) return fcps_error_memory(error);

  for (int i = 0; i < count; i++) {
    fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_EVALUATION, (uint64_t)i);
    sampler(task, &rng, robot->targets + (size_t)i * width, robot->environments + (size_t)i * wide);
  }
  task->evaluation = (fcps_evaluation){.count = count, .targets = robot->targets, .environments = robot->environments};
  return FCPS_OK;
}

void fcps_robot_start(const fcps_robot *robot, fcps_robot_play *play, const double *start, const double *object)
{
  *play = (fcps_robot_play){.step = 0};
  memcpy(play->position, start, sizeof play->position);
  robot->ops->reset(robot->sim, object, &play->view);
}

void fcps_robot_move(const fcps_robot *robot, fcps_robot_play *play)
{
  for (int i = 0; i < robot->steps; i++)
    fcps_motion_step(robot->motion, play->step++, play->position, play->velocity, NULL);
  robot->ops->follow(robot->sim, play->position, play->velocity, &play->view);
}

void fcps_robot_unstable(const fcps_robot_play *play, fcps_result *result)
{
  result->status = FCPS_ROLLOUT_UNSTABLE;
  snprintf(result->message, sizeof result->message, "%s", play->view.trouble);
}
