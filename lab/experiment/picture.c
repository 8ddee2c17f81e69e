/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a task for the panel of its experiment. It shows one moment of a rollout, and is taken from the
 * rollout's film. */
#include "base/error.h"
#include "base/memory.h"
#include "lab/experiment/experiment_impl.h"

#include <stdlib.h>
#include <string.h>

static const double frames_per_second = 25;

/* The moment that is wanted, and the last frame before it. */
typedef struct moment {
  double time;
  size_t size;
  unsigned char *rgb;
} moment;

static fcps_status take_frame(void *user, double time, const unsigned char *rgb)
{
  const moment *wanted = user;
  if (time <= wanted->time + 0.5 / frames_per_second) memcpy(wanted->rgb, rgb, wanted->size);
  return FCPS_OK;
}

bool fcps_experiment_has_picture(const fcps_experiment *experiment)
{
  return experiment != NULL && experiment->panel.target != NULL;
}

fcps_status fcps_experiment_picture(const fcps_experiment *experiment, int width, int height, unsigned char *rgb,
                                    fcps_error *error)
{
  if (experiment == NULL) return fcps_error_null(error, "experiment");
  if (rgb == NULL) return fcps_error_null(error, "rgb");
  if (width < 1 || height < 1)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "width", "%d x %d pixels; both numbers must be positive", width,
                          height);
  const fcps_panel *panel = &experiment->panel;
  if (panel->target == NULL) {
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "panel", "the experiment \"%s\" has no picture",
                          experiment->name);
  }
  moment wanted = {.time = panel->time, .size = 3 * (size_t)width * (size_t)height, .rgb = rgb};
  const fcps_film film = {width, height, frames_per_second, NULL, take_frame, &wanted};
  double *outcome = fcps_allocate((size_t)fcps_experiment_problem(experiment)->outcome.count, sizeof *outcome);
  if (outcome == NULL) return fcps_error_memory(error);
  fcps_rollout result;
  const fcps_status status =
      fcps_task_film(experiment->world, panel->target, panel->environment, panel->parameters, &film, outcome, &result);
  if (status != FCPS_OK && error != NULL) *error = *fcps_task_error(experiment->world);
  free(outcome);
  return status;
}
