/* SPDX-License-Identifier: Apache-2.0 */
/* A small experiment for tests: its file, and runs with numbers made by hand. */
#ifndef FCPS_TESTS_EXPERIMENT_EXAMPLE_H
#define FCPS_TESTS_EXPERIMENT_EXAMPLE_H

#include "folder.h"

#include "lab/experiment/experiment_impl.h"

#define EXAMPLE_HEAD                                                                                                   \
  "name: example\n"                                                                                                    \
  "title: Two learners\n"                                                                                              \
  "task: {name: cannon, settings: {grid: 3}}\n"                                                                        \
  "episodes: 20\n"                                                                                                     \
  "evaluate: 10\n"                                                                                                     \
  "seeds: 1-4\n"

#define EXAMPLE_BOXES                                                                                                  \
  "contexts:\n"                                                                                                        \
  "  boxes:\n"                                                                                                         \
  "    - {x: [-11, 0], y: [0, 11]}\n"                                                                                  \
  "    - {x: [0, 11], y: [-11, 0]}\n"

#define EXAMPLE_LEARNERS                                                                                               \
  "learners:\n"                                                                                                        \
  "  - {label: good, learner: random, settings: {kernel: se}}\n"                                                       \
  "  - {label: bad, title: Bad one, learner: random}\n"

/* Opens an experiment from a text. */
static inline fcps_experiment *example_open(const test_folder *folder, const char *text)
{
  fcps_experiment *experiment = NULL;
  fcps_error error = {0};
  char words[1024];
  const char *path = folder_file(folder, "example.yaml");
  file_write(path, text);
  if (fcps_experiment_open(&experiment, path, &error) != FCPS_OK) {
    fail_msg("%s", fcps_error_format(&error, sizeof words, words));
  }
  return experiment;
}

#endif
