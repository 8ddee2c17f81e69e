/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of keeping a study as a file: opening it with N rollouts, and telling one more.
 *
 *   open   from the call until all records are indexed; the promise is 20 ms at N = 1,000
 *   tell   one result of an ask, with commits that wait for the disk: processor time, and time on the clock
 */
#include "measure.h"

#include <fcps/fcps.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { REPEATS = 21, TELLS = 201 };
static const double promise_ms = 20.0;

static const char throw_yaml[] = "target: {x: [-8, 8], y: [-8, 8]}\n"
                                 "environment: {wind: [-1, 1]}\n"
                                 "parameters: {turn: [0, 6.283185307], speed: [1, 10]}\n"
                                 "outcome: [land_x, land_y]\n"
                                 "achieved: {x: land_x, y: land_y}\n"
                                 "reward: -distance - 0.01*speed^2\n"
                                 "learner: {name: random}\n";

static void ask(fcps_study *study, fcps_ask *given)
{
  const double target[2] = {1, 2}, wind = 0.5;
  measure_require(fcps_study_ask(study, NULL, target, &wind, given, NULL), "ask");
}

static void tell(fcps_study *study, int64_t id)
{
  const double landing[2] = {0.1 * (double)id, -0.3};
  const fcps_result result = {.rollout.outcome = landing, .client = "bench"};
  measure_require(fcps_study_tell(study, id, &result, NULL, NULL), "tell");
}

/* A file with `rollouts` results, each of an ask. */
static void make_study(const char *path, int rollouts)
{
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml", .seed = 1};
  const fcps_study_options options = {.is_relaxed = true};
  fcps_study *study = NULL;
  measure_require(fcps_study_create(&study, path, &setup, &options, NULL), "create");
  for (int i = 0; i < rollouts; i++) {
    fcps_ask given;
    ask(study, &given);
    tell(study, given.id);
  }
  fcps_study_close(study);
}

static measure_summary measure_open(const char *path)
{
  double seconds[REPEATS];
  for (int r = 0; r < REPEATS; r++) {
    fcps_study *study = NULL;
    const double start = measure_seconds();
    measure_require(fcps_study_open(&study, path, NULL, NULL), "open");
    seconds[r] = measure_seconds() - start;
    fcps_study_close(study);
  }
  return measure_summarize(REPEATS, seconds);
}

static void measure_tells(const char *path, measure_summary *processor, measure_summary *on_clock)
{
  double seconds[TELLS], clock[TELLS];
  int64_t first = 0;
  fcps_study *study = NULL;
  fcps_ask given;
  measure_require(fcps_study_open(&study, path, NULL, NULL), "open");
  for (int t = 0; t < TELLS; t++) {
    ask(study, &given);
    if (t == 0) first = given.id;
  }
  for (int t = 0; t < TELLS; t++) {
    const double start = measure_seconds(), clock_start = measure_clock();
    tell(study, first + t);
    seconds[t] = measure_seconds() - start;
    clock[t] = measure_clock() - clock_start;
  }
  fcps_study_close(study);
  *processor = measure_summarize(TELLS, seconds);
  *on_clock = measure_summarize(TELLS, clock);
}

static void measure(const char *path, int rollouts)
{
  measure_summary processor, on_clock;
  make_study(path, rollouts);
  const measure_summary opened = measure_open(path);
  measure_tells(path, &processor, &on_clock);
  measure_require(fcps_study_remove(path, NULL), "remove");
  measure_row("sqlite", (const measure_value[]){{"N", rollouts},
                                                {"open ms", 1e3 * opened.median},
                                                {"spread ms", 1e3 * opened.spread},
                                                {"promise ms", rollouts == 1000 ? promise_ms : NAN},
                                                {"tell ms", 1e3 * processor.median},
                                                {"spread ms", 1e3 * processor.spread},
                                                {"tell clock ms", 1e3 * on_clock.median},
                                                {NULL, 0}});
}

int main(void)
{
  static const int sizes[] = {100, 1000, 10000};
  char folder[] = "/tmp/fcps-bench-XXXXXX", path[sizeof folder + 16];
  if (mkdtemp(folder) == NULL) measure_require(FCPS_ERR_IO, "folder");
  snprintf(path, sizeof path, "%s/study.fcps", folder);
  measure_begin("store", "milliseconds to open a study of N rollouts, and to tell one more");
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    measure(path, sizes[s]);
  rmdir(folder);
  return 0;
}
