/* SPDX-License-Identifier: Apache-2.0 */
/* Reads all runs and computes the measures that claims, tables and figures use. A measure of a run is NaN if the run
 * has no such number. */
#include "lab/experiment/results.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "lab/experiment/experiment_impl.h"
#include "lab/experiment/oracle.h"
#include "problem/contexts.h"

#include <math.h>
#include <stdlib.h>

fcps_status fcps_experiment_results_read(fcps_experiment_results *results, const fcps_experiment *experiment,
                                         const char *directory, fcps_error *error)
{
  *results = (fcps_experiment_results){.experiment = experiment};
  results->runs = fcps_allocate((size_t)fcps_experiment_run_count(experiment), sizeof *results->runs);
  results->scratch = fcps_allocate(2 * (size_t)experiment->seed_count, sizeof *results->scratch);
  fcps_status status = results->runs != NULL && results->scratch != NULL ? FCPS_OK : fcps_error_memory(error);
  for (int i = 0; i < fcps_experiment_run_count(experiment) && status == FCPS_OK; i++) {
    status = fcps_experiment_run_result_read(&results->runs[i], experiment, directory, i / experiment->seed_count,
                                             experiment->seeds[i % experiment->seed_count], error);
  }
  if (status == FCPS_OK) status = fcps_oracle_levels_find(experiment, directory, &results->levels, error);
  if (status == FCPS_OK) status = fcps_definition_read(&results->kept, experiment, directory, error);
  if (status != FCPS_OK) fcps_experiment_results_destroy(results);
  return status;
}

void fcps_experiment_results_destroy(fcps_experiment_results *results)
{
  for (int i = 0; results->runs != NULL && i < fcps_experiment_run_count(results->experiment); i++)
    fcps_experiment_run_result_destroy(&results->runs[i]);
  free(results->runs);
  free(results->scratch);
  fcps_json_destroy(results->kept);
  *results = (fcps_experiment_results){0};
}

const fcps_experiment_run_result *fcps_experiment_results_run(const fcps_experiment_results *results, int row, int seed)
{
  return &results->runs[row * results->experiment->seed_count + seed];
}

/* -- Measures -- */

/* The mean of the offline curve over the evaluations up to an episode. */
static double curve_mean(const fcps_experiment_run_result *run, int64_t episode)
{
  double sum = 0.0;
  int count = 0;
  for (int64_t i = 0; i < episode; i++) {
    if (!isnan(run->offline[i])) sum += run->offline[i], count++;
  }
  return count > 0 ? sum / count : NAN;
}

/* The last policy's mean reward, over the contexts inside the training boxes (`want_seen`) or over those outside. */
static double part_mean(const fcps_experiment *experiment, const fcps_experiment_run_result *run, bool want_seen)
{
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < run->context_count; i++) {
    const double *target = run->targets + (size_t)i * (size_t)run->target_count;
    const double *environment = run->environments + (size_t)i * (size_t)run->environment_count;
    const bool is_seen = fcps_boxes_contain(fcps_experiment_problem(experiment), experiment->box_count,
                                            experiment->boxes, target, environment);
    if (is_seen != want_seen || isnan(run->map[i])) continue;
    sum += run->map[i];
    count++;
  }
  return count > 0 ? sum / count : NAN;
}

/* The first trials of a run: a learner may learn from them that limits exist. */
enum { EARLY = 10 };

/* The share of the trials from `first` to `end` that broke a limit or constraint. NaN if the task has no limits and
 * constraints, or if there are no trials in this range. */
static double share_broken(const fcps_experiment_run_result *run, int64_t first, int64_t end)
{
  double sum = 0.0;
  for (int64_t i = first; i < end && run->broken != NULL; i++)
    sum += run->broken[i];
  return run->broken != NULL && first < end ? sum / (double)(end - first) : NAN;
}

static double measure_of(const fcps_experiment *experiment, const fcps_experiment_run_result *run, fcps_measure measure,
                         int64_t episode)
{
  if (episode > run->episodes) return NAN;
  switch (measure) {
  case FCPS_MEASURE_CUMULATIVE:
    return run->cumulative[episode - 1];
  case FCPS_MEASURE_OFFLINE:
    return run->offline[episode - 1];
  case FCPS_MEASURE_CURVE:
    return curve_mean(run, episode);
  case FCPS_MEASURE_SEEN:
    return part_mean(experiment, run, true);
  case FCPS_MEASURE_UNSEEN:
    return part_mean(experiment, run, false);
  case FCPS_MEASURE_FALLEN:
    return run->fallen;
  case FCPS_MEASURE_ACCURACY:
    return run->accuracy;
  case FCPS_MEASURE_LOCKED:
    return run->locked;
  case FCPS_MEASURE_IGNORED:
    return run->ignored;
  case FCPS_MEASURE_MISJUDGED:
    return fabs(run->expected - run->kept.earned) / fabs(run->kept.earned);
  case FCPS_MEASURE_OUTCOMES_INSIDE:
    return run->kept.outcomes;
  case FCPS_MEASURE_REWARDS_INSIDE:
    return run->kept.rewards;
  case FCPS_MEASURE_BROKEN:
    return share_broken(run, 0, episode);
  case FCPS_MEASURE_BROKEN_LATE:
    return share_broken(run, EARLY, episode);
  }
  return NAN;
}

void fcps_experiment_results_measure(const fcps_experiment_results *results, int row, fcps_measure measure,
                                     int64_t episode, double *values)
{
  for (int i = 0; i < results->experiment->seed_count; i++)
    values[i] = measure_of(results->experiment, fcps_experiment_results_run(results, row, i), measure, episode);
}

/* -- Statistics -- */

/* Means are computed in two passes, so that small deviations of large numbers keep their digits. */

/* Computes the statistics of a[i] - b[i], or of a[i] if b is NULL. */
static fcps_statistics compute(int count, const double *a, const double *b)
{
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < count; i++)
    sum += b != NULL ? a[i] - b[i] : a[i];

  const double mean = count > 0 ? sum / count : NAN;
  for (int i = 0; i < count; i++) {
    const double deviation = (b != NULL ? a[i] - b[i] : a[i]) - mean;
    squares += deviation * deviation;
  }
  const double sd = count > 1 ? sqrt(squares / (count - 1)) : NAN;
  return (fcps_statistics){count, mean, sd, sd / sqrt(count)};
}

fcps_statistics fcps_statistics_of(int count, const double *values)
{
  return compute(count, values, 0);
}

fcps_statistics fcps_statistics_of_differences(int count, const double *a, const double *b)
{
  return compute(count, a, b);
}

void fcps_statistics_spread(int count, const double *a, const double *b, double *ratio, double *se)
{
  const double sd_a = fcps_statistics_of(count, a).sd, sd_b = fcps_statistics_of(count, b).sd;
  *ratio = sd_a / sd_b;
  /* the variance of log(sd) is about 1 / (2 (n - 1)), for each of the two deviations */
  *se = *ratio / sqrt(count - 1.0);
}

double fcps_statistics_median(int count, double *values)
{
  if (count == 0) return NAN;
  qsort(values, (size_t)count, sizeof *values, fcps_number_compare);
  return count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}
