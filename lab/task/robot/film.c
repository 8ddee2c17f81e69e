/* SPDX-License-Identifier: Apache-2.0 */
/* A film of a rollout: one frame per equal step of simulated time, whatever the control period is. */
#include "lab/task/robot/robot.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct fcps_recorder {
  const fcps_robot *robot;
  fcps_camera *camera;
  const fcps_film *film;
  fcps_sim_scene scene;
  unsigned char *rgb;
  int frames; /* taken so far */
};

fcps_status fcps_recorder_create(fcps_recorder **recorder, const fcps_robot *robot, const fcps_film *film,
                                 const double target[3], fcps_error *error)
{
  *recorder = NULL;
  if (!(film->frames_per_second > 0 && film->frames_per_second <= 1000))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "frames_per_second", "is %g; must be in (0, 1000]",
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
