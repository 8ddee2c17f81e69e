/* SPDX-License-Identifier: Apache-2.0 */
/* A throw in a plane as a small problem, and a folder for study files. */
#ifndef FCPS_TESTS_STUDY_FIXTURE_H
#define FCPS_TESTS_STUDY_FIXTURE_H

#include "check.h"

#include <fcps/study.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char throw_yaml[] = "name: throw\n"
                                 "target: {x: [0, 5]}\n"
                                 "environment: {wind: [-1, 1]}\n"
                                 "parameters: {speed: [0, 3], tilt: [0, 1.5]}\n"
                                 "outcome: [land]\n"
                                 "achieved: {x: land}\n"
                                 "reward: \"present ? -distance - 0.05*speed : -9\"\n"
                                 "learner: {name: random}\n";

static const char told_yaml[] = "target: {x: [0, 5]}\n"
                                "parameters: {speed: [0, 3]}\n"
                                "reward: told\n"
                                "learner: {name: random}\n";

static inline double throw_lands(const double *environment, const double *parameters)
{
  return parameters[0] * parameters[0] * sin(2 * parameters[1]) / 2 + environment[0];
}

static char test_folder[64], test_path[128];

static inline int make_folder(void **state)
{
  (void)state;
  strcpy(test_folder, "/tmp/fcps-study-XXXXXX");
  if (mkdtemp(test_folder) == NULL) return -1;
  snprintf(test_path, sizeof test_path, "%s/throw.fcps", test_folder);
  return 0;
}

static inline int remove_folder(void **state)
{
  (void)state;
  DIR *folder = opendir(test_folder);
  if (folder == NULL) return -1;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", test_folder, entry->d_name);
    if (entry->d_name[0] != '.') unlink(path);
  }
  closedir(folder);
  return rmdir(test_folder);
}

static inline fcps_study *make_study(const char *path, const char *yaml, const char *learner)
{
  fcps_study *study = NULL;
  fcps_error error = {0};
  const fcps_study_setup setup = {.text = yaml, .text_name = "throw.yaml", .learner = learner, .seed = 7};
  if (fcps_study_create(&study, path, &setup, NULL, &error) != FCPS_OK) fail_msg("%s: %s", error.field, error.message);
  return study;
}

static inline fcps_study *open_study(const char *path)
{
  fcps_study *study = NULL;
  fcps_error error = {0};
  if (fcps_study_open(&study, path, NULL, &error) != FCPS_OK) fail_msg("%s", error.message);
  return study;
}

/* A context that depends on the number of the ask alone. */
static inline void context_of(int64_t id, double *target, double *environment)
{
  target[0] = 5.0 * fmod(0.618033988749895 * (double)id, 1.0);
  environment[0] = -1.0 + 2.0 * fmod(0.754877666246693 * (double)id, 1.0);
}

/* Asks, throws and tells once. */
static inline void throw_once(fcps_study *study)
{
  double target, environment;
  fcps_ask ask;
  fcps_error error = {0};
  context_of(fcps_study_ask_count(study) + 1, &target, &environment);
  if (fcps_study_ask(study, NULL, &target, &environment, &ask, &error) != FCPS_OK) fail_msg("ask: %s", error.message);
  const double land = throw_lands(ask.environment, ask.parameters);
  const fcps_result result = {.rollout.outcome = &land};
  if (fcps_study_tell(study, ask.id, &result, NULL, &error) != FCPS_OK) fail_msg("tell: %s", error.message);
}

#endif
