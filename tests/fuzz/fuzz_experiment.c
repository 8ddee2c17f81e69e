/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an experiment file: an error with a message, or an experiment that can be described and whose seeds can
 * be set. */
#include "fuzz.h"
#include "input_file.h"

#include <fcps/lab/experiment.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static bool is_first = true;
  if (is_first) setenv("FCPS_ROBOTS_DIR", "/nonexistent", 1); /* a simulator takes seconds to start */
  is_first = false;
  if (!write_input(data, size)) return 0;
  fcps_experiment *experiment = NULL;
  fcps_error error = {0};
  if (fcps_experiment_open(&experiment, input_path, &error) != FCPS_OK) {
    if (experiment != NULL || !error.message[0]) abort();
    return 0;
  }
  const fcps_experiment_info info = fcps_experiment_describe(experiment);
  if (info.name == NULL || info.title == NULL || info.task == NULL) abort();
  if (info.learner_count < 1 || info.seed_count < 1 || info.episodes < 1) abort();
  if (fcps_experiment_run_count(experiment) != info.learner_count * info.seed_count) abort();
  fcps_experiment_set_quick(experiment);
  if (fcps_experiment_set_seeds(experiment, "1-3,7", &error) != FCPS_OK) abort();
  fcps_experiment_destroy(experiment);
  return 0;
}
