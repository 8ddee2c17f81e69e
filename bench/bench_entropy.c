/* SPDX-License-Identifier: Apache-2.0 */
/* One decision by entropy search, including the fit: es in a given context; aces and faces also choose the context. */
#include "measure.h"
#include "shots.h"

enum { REPEATS = 5 };

static double decide(fcps_task *task, fcps_learner *learner, int64_t episode)
{
  double target[2], parameters[3];
  int64_t id;
  if (!fcps_learner_is_active(learner)) return shots_ask(task, learner, episode);
  const double start = measure_seconds();
  measure_require(fcps_learner_choose(learner, NULL, target, NULL, parameters, &id), "choose");
  const double seconds = measure_seconds() - start;
  shots_tell(task, learner, episode, id, parameters);
  return seconds;
}

int main(void)
{
  static const fcps_setting es[] = {{"acquisition", "es"}, {NULL, NULL}};
  static const struct {
    const char *label, *learner;
    const fcps_setting *settings;
  } rows[] = {{"es", "bo-fcps", es}, {"aces", "aces", NULL}, {"faces", "faces", NULL}};
  static const int sizes[] = {50, 150};
  fcps_task *task;
  fcps_error error;
  measure_begin("entropy", "milliseconds for one decision by entropy search, fit included");
  measure_require(fcps_task_create(&task, "cannon", NULL, 1, &error), "cannon");
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      double seconds[REPEATS];
      fcps_learner *learner = shots_learner(task, rows[r].learner, rows[r].settings, sizes[s]);
      for (int i = 0; i < REPEATS; i++)
        seconds[i] = decide(task, learner, sizes[s] + i);
      const measure_summary summary = measure_summarize(REPEATS, seconds);
      measure_row(rows[r].label,
                  (const measure_value[]){
                      {"N", sizes[s]}, {"ms", 1e3 * summary.median}, {"spread ms", 1e3 * summary.spread}, {NULL, 0}});
      fcps_learner_destroy(learner);
    }
  fcps_task_destroy(task);
  return 0;
}
