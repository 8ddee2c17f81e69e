/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated robot whose hand follows a motion. A fcps_robot_play has the state of one rollout; the robot itself is
 * only reset and moved. */
#include "lab/task/robot/robot.h"

#include "base/error.h"
#include "base/memory.h"
#include "space/space.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const fcps_setting_row fcps_robot_rows[] = {
    FCPS_INTEGER_ROW("contexts", fcps_robot_settings, contexts, "25", 1, 10000,
                     "number of contexts in the offline evaluation"),
    FCPS_INTEGER_ROW("context_seed", fcps_robot_settings, context_seed, "1", 0, 1e9,
                     "seed of these contexts, independent of the run's seed"),
    FCPS_INTEGER_ROW("oracle_rollouts", fcps_robot_settings, oracle_rollouts, "0", 0, 1e6,
                     "rollouts per context in the search for the best reward; 0: no search"),
    {.spec.name = NULL},
};

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
  if (robot->sim != NULL) robot->ops->destroy(robot->sim);
  fcps_motion_destroy(robot->motion);
  free(robot->targets);
  free(robot->environments);
  fcps_cache_close(robot->cache);
}

fcps_status fcps_robot_draw_evaluation(fcps_task *task, fcps_robot *robot, const fcps_robot_settings *settings,
                                       fcps_robot_sampler *sampler, fcps_error *error)
{
  const int count = settings->contexts;
  const uint64_t seed = (uint64_t)settings->context_seed;
  const size_t width = (size_t)task->problem.target.count, wide = (size_t)task->problem.environment.count;
  robot->targets = fcps_allocate((size_t)count * width, sizeof(double));
  robot->environments = fcps_allocate((size_t)count * wide, sizeof(double));
  if (robot->targets == NULL || robot->environments == NULL) return fcps_error_memory(error);

  for (int i = 0; i < count; i++) {
    fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_EVALUATION, (uint64_t)i);
    sampler(task, &rng, robot->targets + (size_t)i * width, robot->environments + (size_t)i * wide);
  }
  task->evaluation = (fcps_evaluation){.count = count, .targets = robot->targets, .environments = robot->environments};
  return FCPS_OK;
}

/* Computes a checksum of the simulator's behaviour, from the bits of the outcome of one rollout that touches the
 * object. Returns false if that rollout fails. */
static bool take_fingerprint(fcps_task *task, uint64_t *fingerprint)
{
  enum { MOST = 8 };
  const fcps_problem *problem = &task->problem;
  double x[MOST], environment[MOST], parameters[MOST], outcome[MOST] = {0};
  fcps_rollout rollout = {.outcome = NULL};
  for (int i = 0; i < MOST; i++)
    x[i] = 0.1; /* starts the object clear of the hand */
  fcps_space_from_unit(&problem->environment, x, environment);
  for (int i = 0; i < MOST; i++)
    x[i] = 0.5;
  fcps_space_from_unit(&problem->parameters, x, parameters);
  const fcps_status status = task->ops->run(task, -1, environment, parameters, outcome, &rollout);
  if (status != FCPS_OK || rollout.outcome == NULL) return false;
  *fingerprint = 0;
  for (int i = 0; i < problem->outcome.count; i++) {
    uint64_t bits;
    memcpy(&bits, &outcome[i], sizeof bits);
    *fingerprint = (*fingerprint << 21 | *fingerprint >> 43) ^ bits;
  }
  return true;
}

void fcps_robot_remember(fcps_task *task, fcps_robot *robot, const char *version)
{
  uint64_t fingerprint;
  char name[128];
  if (fcps_cache_folder() == NULL || !take_fingerprint(task, &fingerprint)) return;
  snprintf(name, sizeof name, "%s-%016" PRIx64, version, fingerprint);
  const fcps_problem *problem = &task->problem;
  robot->cache = fcps_cache_open(name, problem->environment.count + problem->parameters.count, problem->outcome.count);
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

void fcps_robot_unstable(fcps_task *task, const fcps_robot_play *play, fcps_rollout *rollout)
{
  rollout->status = FCPS_ROLLOUT_UNSTABLE;
  snprintf(task->message, sizeof task->message, "%s", play->view.trouble);
}

/* -- Films -- */

/* Records a rollout as frames at equal steps of simulated time, whatever the control period is. */

struct fcps_recorder {
  const fcps_robot *robot;
  fcps_camera *camera;
  const fcps_film *film;
  fcps_sim_scene scene;
  unsigned char *rgb;
  int frames; /* the number of frames that were taken */
};

fcps_status fcps_recorder_create(fcps_recorder **recorder, const fcps_robot *robot, const fcps_film *film,
                                 const double target[3], fcps_error *error)
{
  *recorder = NULL;
  if (!(film->frames_per_second > 0 && film->frames_per_second <= 1000))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "frames_per_second", "is %g; it must be above 0 and at most 1000",
                          film->frames_per_second);
  fcps_recorder *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return fcps_error_memory(error);
  made->robot = robot;
  made->film = film;
  made->scene.caption = film->caption;
  memcpy(made->scene.target, target, sizeof made->scene.target);
  fcps_status status = robot->ops->camera_create(&made->camera, robot->sim, film->width, film->height, error);
  if (status == FCPS_OK) {
    made->rgb = fcps_allocate((size_t)film->width * (size_t)film->height, 3);
    if (made->rgb == NULL) status = fcps_error_memory(error);
  }
  if (status != FCPS_OK) {
    fcps_recorder_destroy(made);
    return status;
  }
  *recorder = made;
  return FCPS_OK;
}

fcps_status fcps_recorder_take_frame(fcps_recorder *recorder, const fcps_robot_play *play, fcps_error *error)
{
  if (recorder == NULL) return FCPS_OK;
  const fcps_film *film = recorder->film;
  /* a frame is due at each multiple of 1/rate; half a microsecond covers the rounding of the clock */
  if (play->view.time + 5e-7 < recorder->frames / film->frames_per_second) return FCPS_OK;
  recorder->frames++;
  const fcps_robot *robot = recorder->robot;
  fcps_status status = robot->ops->draw(recorder->camera, robot->sim, &recorder->scene, recorder->rgb, error);
  if (status == FCPS_OK) {
    status = film->on_frame(film->user, play->view.time, recorder->rgb);
    if (status != FCPS_OK) fcps_error_set(error, status, NULL, "the frame at %.3g s was not taken", play->view.time);
  }
  return status;
}

void fcps_recorder_destroy(fcps_recorder *recorder)
{
  if (recorder == NULL) return;
  if (recorder->camera != NULL) recorder->robot->ops->camera_destroy(recorder->camera);
  free(recorder->rgb);
  free(recorder);
}
