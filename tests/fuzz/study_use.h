/* SPDX-License-Identifier: Apache-2.0 */
/* What a study from anywhere must bear: being read, being learnt from, being told, and being asked. */
#ifndef FCPS_TESTS_STUDY_USE_H
#define FCPS_TESTS_STUDY_USE_H

#include <fcps/study.h>

#include <string.h>

static inline void use_study(fcps_study *study)
{
  fcps_stored_result stored;
  for (int i = 0; i < fcps_study_result_count(study); i++)
    fcps_study_result_at(study, i, &stored);
  for (int i = 0; fcps_study_event_at(study, i) != NULL; i++) {
  }
  /* the others fit and search for milliseconds, which has nothing to do with where the study comes from */
  if (strcmp(fcps_study_learner(study), "c-reps") != 0) return;
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
  const fcps_result result = {
      .rollout.target = target, .rollout.environment = environment, .rollout.parameters = parameters};
  (void)fcps_study_tell(study, FCPS_NOT_ASKED, &result, NULL, NULL);
}

#endif
