/* SPDX-License-Identifier: Apache-2.0 */
/* The problems and learners that a fuzz target chooses among: every learner of the registry, with settings under which
 * an ask takes milliseconds. They change how long a learner searches, and leave out entropy search, which takes
 * seconds where every branch is watched. */
#ifndef FCPS_TESTS_KINDS_H
#define FCPS_TESTS_KINDS_H

#include <fcps/learner.h>

#include <stddef.h>
#include <string.h>

enum { FUZZ_PROBLEMS = 4, MOST_FUZZ_SETTINGS = 32 };

/* All of them have an optional environment or target, different scales, and a reward that may have no value. */
static const char *const fuzz_problems[FUZZ_PROBLEMS] = {
    "target: {x: [0, 5]}\nenvironment: {wind: [-1, 1]}\nparameters: {speed: [0, 3], tilt: [0, 1.5]}\n"
    "outcome: [land]\nachieved: {x: land}\nreward: -distance-speed^2\n",

    "target: {x: [0, 5]}\nparameters: {speed: [0, 3]}\noutcome: [land]\nachieved: {x: land}\nreward: told\n",

    "environment: {load: {range: [0.1, 10], scale: log}}\n"
    "parameters: {turn: {range: [0, 360], period: 360}, count: {range: [1, 5], scale: integer}}\n"
    "outcome: {a: [0, 9], b: [-1, 1]}\nreward: \"present ? sqrt(a) - b*count/load : -9\"\n",

    "target: {x: [0, 1], heading: {range: [0, 360], period: 360}}\nparameters: {p: {range: [0.01, 100], scale: log}}\n"
    "outcome: [o, h]\nachieved: {x: o, heading: h}\nreward: -log(distance)\n"};

/* A learner has those of its own table. */
static const fcps_setting fuzz_cheap[] = {
    {"initial", "2"},    {"candidates", "12"}, {"starts", "1"},           {"fit_starts", "1"},
    {"fit_budget", "4"}, {"fit_targets", "2"}, {"policy_targets", "2"},   {"hyper_samples", "2"},
    {"contexts", "6"},   {"targets", "2"},     {"neighbours", "2"},       {"update_every", "3"},
    {"memory", "20"},    {"population", "4"},  {"factored_targets", "3"}, {NULL, NULL}};

static inline const fcps_setting_spec *find_setting(const fcps_learner_info *learner, const char *name)
{
  const fcps_setting_spec *spec;
  for (int i = 0; (spec = fcps_setting_at(learner->settings, i)) != NULL; i++)
    if (strcmp(spec->name, name) == 0) return spec;
  return NULL;
}

static inline bool is_cheap_acquisition(const char *name)
{
  return strcmp(name, "es") != 0;
}

/* The cheap settings of a learner, ended by {NULL, NULL}; returns their number. */
static inline int cheap_settings(const fcps_learner_info *learner, fcps_setting settings[MOST_FUZZ_SETTINGS])
{
  int count = 0;
  for (const fcps_setting *cheap = fuzz_cheap; cheap->name != NULL; cheap++)
    if (find_setting(learner, cheap->name) != NULL) settings[count++] = *cheap;
  for (const fcps_setting *own = learner->defaults; own != NULL && own->name != NULL; own++)
    if (strcmp(own->name, "acquisition") == 0 && !is_cheap_acquisition(own->value))
      settings[count++] = (fcps_setting){"acquisition", "kg"};
  settings[count] = (fcps_setting){NULL, NULL};
  return count;
}

static inline int count_learners(void)
{
  int count = 0;
  while (fcps_learner_info_at(count) != NULL)
    count++;
  return count;
}

#endif
