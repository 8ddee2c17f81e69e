/* SPDX-License-Identifier: Apache-2.0 */
/* What a study from anywhere must bear: being read, being learnt from, being told, and being asked. */
#ifndef FCPS_TESTS_STUDY_USE_H
#define FCPS_TESTS_STUDY_USE_H

#include "kinds.h"

#include <fcps/study.h>

#include <math.h>
#include <string.h>

enum { MOST_LEARNT = 40 };

/* A model of few rollouts with the cheap settings answers within milliseconds. Others may take their time, which has
 * nothing to do with where the study comes from. */
static inline bool is_cheap(const fcps_study *study)
{
  fcps_setting cheap[MOST_FUZZ_SETTINGS];
  const fcps_learner_info *info = NULL;
  for (int i = 0; (info = fcps_learner_info_at(i)) != NULL; i++)
    if (strcmp(info->name, fcps_study_learner(study)) == 0) break;
  if (info == NULL || fcps_study_result_count(study) > MOST_LEARNT)
    return strcmp(fcps_study_learner(study), "c-reps") == 0;
  const int count = cheap_settings(info, cheap);
  int found = 0, given = 0;
  for (const fcps_setting *s = fcps_study_settings(study); s->name != NULL; s++, given++)
    for (int i = 0; i < count; i++)
      found += strcmp(s->name, cheap[i].name) == 0 && strcmp(s->value, cheap[i].value) == 0;
  return strcmp(info->name, "c-reps") == 0 || (found == count && given == count);
}

static inline void learn_and_ask(fcps_study *study)
{
  fcps_policy *policy = NULL;
  (void)fcps_study_policy(study, &policy, NULL);
  fcps_policy_destroy(policy);

  const fcps_problem *p = fcps_study_problem(study);
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX], parameters[FCPS_SPACE_MAX];
  for (int i = 0; i < p->target.count; i++)
    target[i] = p->target.dims[i].lower;
  for (int i = 0; i < p->environment.count; i++)
    environment[i] = p->environment.dims[i].lower;
  for (int i = 0; i < p->parameters.count; i++)
    parameters[i] = p->parameters.dims[i].lower;
  fcps_ask ask;
  (void)fcps_study_ask(study, "fuzz", target, environment, &ask, NULL);
  (void)fcps_study_choose(study, "other", NULL, target, environment, &ask, NULL);
  const fcps_result result = {.rollout = {.target = target,
                                          .environment = environment,
                                          .parameters = parameters,
                                          .reward = NAN,
                                          .hindsight_reward = NAN}};
  (void)fcps_study_tell(study, FCPS_NOT_ASKED, &result, NULL, NULL);
}

static inline void use_study(fcps_study *study)
{
  fcps_stored_result stored;
  for (int i = 0; i < fcps_study_result_count(study); i++)
    fcps_study_result_at(study, i, &stored);
  for (int i = 0; fcps_study_event_at(study, i) != NULL; i++) {
  }
  if (is_cheap(study)) learn_and_ask(study);
}

#endif
