/* SPDX-License-Identifier: Apache-2.0 */
/* The time for adding one rollout to a model: its factor grows by one row.
 *
 *   grow     milliseconds per row, median of REPEATS rows one after the other
 *   limit    one triangular solve with the same factor, which every new row needs
 */
#include "linalg/dense.h"
#include "measure.h"
#include "model/model.h"
#include "shots.h"

#include <math.h>
#include <stdlib.h>

enum { REPEATS = 15 };

/* A model like that of bo-fcps, with its default hyper-parameters, which no fit changes here. */
static fcps_model *model_of(const fcps_problem *problem)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .circular = true,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                                        .prior = {.length = 0.4, .signal = 1, .noise = 0.05, .noise_floor = 1e-3}};
  fcps_model *model;
  measure_require(fcps_model_create(&model, &fcps_model_rescored, problem, &settings), "model");
  return model;
}

static void add(fcps_task *task, fcps_model *model, int episode)
{
  double target[2], parameters[3], outcome[2];
  fcps_rollout result;
  fcps_task_context(task, episode, target, NULL);
  shots_parameters(&fcps_task_problem(task)->parameters, episode, parameters);
  measure_require(fcps_task_run(task, episode, NULL, parameters, outcome, &result), "run");
  const fcps_rollout rollout = {.target = target, .parameters = parameters, .outcome = outcome};
  measure_require(fcps_model_add(model, &rollout), "add");
}

static measure_summary grow(fcps_task *task, fcps_model *model, int n)
{
  double seconds[REPEATS];
  for (int r = 0; r < REPEATS; r++) {
    const double start = measure_seconds();
    add(task, model, n + r);
    measure_require(fcps_model_refresh(model), "refresh");
    seconds[r] = measure_seconds() - start;
  }
  return measure_summarize(REPEATS, seconds);
}

static double limit(const fcps_gp *gp)
{
  double seconds[REPEATS], *b = malloc((size_t)gp->factored * sizeof *b);
  if (b == NULL) measure_require(FCPS_ERR_MEMORY, "limit");
  for (int r = 0; r < REPEATS; r++) {
    for (int i = 0; i < gp->factored; i++)
      b[i] = 1.0;
    const double start = measure_seconds();
    fcps_chol_solve_lower(gp->factored, gp->factor, gp->capacity, 1, b, gp->factored);
    seconds[r] = measure_seconds() - start;
  }
  free(b);
  return measure_summarize(REPEATS, seconds).median;
}

int main(void)
{
  static const int sizes[] = {150, 500, 2000, 5000};
  fcps_task *task;
  fcps_error error;
  measure_begin("tell", "milliseconds to add one rollout");
  measure_require(fcps_task_create(&task, "cannon", NULL, 1, &error), "cannon");
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    fcps_model *model = model_of(fcps_task_problem(task));
    for (int i = 0; i < sizes[s]; i++)
      add(task, model, i);
    measure_require(fcps_model_refresh(model), "refresh");
    const measure_summary grown = grow(task, model, sizes[s]);
    const double bare = limit(fcps_model_gp(model, 0));
    measure_row("rescored", (const measure_value[]){{"N", sizes[s]},
                                                    {"grow ms", 1e3 * grown.median},
                                                    {"spread ms", 1e3 * grown.spread},
                                                    {"limit ms", 1e3 * bare},
                                                    {"grow/limit", grown.median / bare},
                                                    {NULL, 0}});
    fcps_model_destroy(model);
  }
  fcps_task_destroy(task);
  return 0;
}
