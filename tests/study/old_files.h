/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of an earlier version answer, as text: one line per fact, words and numbers with spaces between them.
 * The maker of the fixtures wrote it beside them, and the test compares it with what it gets today. Only the public
 * interface is used here, because the fixtures outlive everything behind it. */
#ifndef FCPS_TESTS_STUDY_OLD_FILES_H
#define FCPS_TESTS_STUDY_OLD_FILES_H

#include <fcps/run.h>
#include <fcps/study.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OLD_QUERIES = 3, OLD_MAX = 8 /* dimensions of a space of the fixtures */ };

/* A context: irregular, but the same for everybody. */
static inline void old_values(const fcps_space *space, int index, double *values)
{
  for (int d = 0; d < space->count; d++) {
    const double share = fmod(0.37 + 0.618034 * index + 0.414214 * d, 1.0);
    values[d] = space->dims[d].lower + share * (space->dims[d].upper - space->dims[d].lower);
  }
}
static inline void old_context(const fcps_problem *problem, int index, double *target, double *environment)
{
  old_values(&problem->target, index, target);
  old_values(&problem->environment, 2 * index + 1, environment);
}

static inline void old_print(FILE *file, const char *word, const fcps_space *space, const double *values)
{
  fprintf(file, " %s", word);
  if (values == NULL) fprintf(file, " absent");
  for (int d = 0; d < space->count && values != NULL; d++)
    fprintf(file, " %.17g", values[d]);
}

/* Ends the line of a call: the words of its error where it failed. */
static inline void old_end_line(FILE *file, fcps_status status, const fcps_error *error)
{
  if (status != FCPS_OK) fprintf(file, " failed: %s: %s", error->field, error->message);
  fprintf(file, "\n");
}

/* Queries, and what is known of the model. */
static inline void old_policy_answers(FILE *file, fcps_policy *policy, const fcps_problem *problem)
{
  for (int i = 0; i < OLD_QUERIES; i++) {
    double target[OLD_MAX], environment[OLD_MAX], parameters[OLD_MAX], outcome[OLD_MAX], deviation[OLD_MAX];
    fcps_prediction prediction = {.outcome = outcome, .outcome_deviation = deviation};
    old_context(problem, 100 + i, target, environment);
    const fcps_status status = fcps_policy_query(policy, target, environment, parameters, &prediction);
    fprintf(file, "query %d", i + 1);
    if (status == FCPS_OK) {
      old_print(file, "parameters", &problem->parameters, parameters);
      if (prediction.has_reward) fprintf(file, " reward %.17g %.17g", prediction.reward, prediction.reward_deviation);
      if (prediction.has_outcome) {
        old_print(file, "outcome", &problem->outcome, outcome);
        old_print(file, "deviation", &problem->outcome, deviation);
      }
    }
    old_end_line(file, status, fcps_policy_error(policy));
  }
  fcps_health health = {0};
  for (int i = 0; fcps_policy_health(policy, i, &health); i++)
    fprintf(file, "model %s of %s, split by %s, side %d, rollouts %d and %d, noise %.17g, fallback %s\n", health.model,
            health.output, health.split_by != NULL ? health.split_by : "nothing", health.is_upper_side, health.rollouts,
            health.others, health.noise, health.fallback != NULL ? health.fallback : "none");
}

/* The next ask, and what an active learner would choose instead. */
static inline void old_learner_answers(FILE *file, fcps_learner *learner, const fcps_problem *problem)
{
  double target[OLD_MAX], environment[OLD_MAX], parameters[OLD_MAX];
  int64_t id = 0;
  fprintf(file, "rollouts %d, pending %d\n", fcps_learner_rollout_count(learner), fcps_learner_pending_count(learner));
  old_context(problem, 200, target, environment);
  fcps_status status = fcps_learner_ask(learner, target, environment, parameters, &id);
  fprintf(file, "ask %lld", (long long)id);
  if (status == FCPS_OK) old_print(file, "parameters", &problem->parameters, parameters);
  old_end_line(file, status, fcps_learner_error(learner));
  if (fcps_learner_is_active(learner)) {
    status = fcps_learner_choose(learner, &(fcps_free_dimensions){NULL, NULL}, target, environment, parameters, &id);
    fprintf(file, "choice %lld", (long long)id);
    if (status == FCPS_OK) {
      old_print(file, "target", &problem->target, target);
      old_print(file, "environment", &problem->environment, environment);
      old_print(file, "parameters", &problem->parameters, parameters);
    }
    old_end_line(file, status, fcps_learner_error(learner));
  }
  fcps_policy *policy = NULL;
  status = fcps_learner_policy(learner, &policy);
  if (status == FCPS_OK)
    old_policy_answers(file, policy, problem);
  else
    old_end_line(file, status, fcps_learner_error(learner));
  fcps_policy_destroy(policy);
}

/* Everything that was stored, without times. */
static inline void old_study_log(FILE *file, fcps_study *study)
{
  const fcps_problem *problem = fcps_study_problem(study);
  const fcps_setting *settings = fcps_study_settings(study);
  fprintf(file, "learner %s seed %llu", fcps_study_learner(study), (unsigned long long)fcps_study_seed(study));
  for (int i = 0; settings != NULL && settings[i].name != NULL; i++)
    fprintf(file, " %s = %s", settings[i].name, settings[i].value);
  fprintf(file, "\n");
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    static const char *const states[] = {
        [FCPS_ASK_PENDING] = "pending", [FCPS_ASK_TOLD] = "told", [FCPS_ASK_FORGOTTEN] = "forgotten"};
    fcps_ask ask;
    fcps_study_ask_at(study, i, &ask);
    fprintf(file, "asked %lld client %s state %s", (long long)ask.id, *ask.client ? ask.client : "-",
            states[ask.state]);
    old_print(file, "target", &problem->target, ask.target);
    old_print(file, "environment", &problem->environment, ask.environment);
    old_print(file, "parameters", &problem->parameters, ask.parameters);
    fprintf(file, "\n");
  }
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result r;
    fcps_study_result_at(study, i, &r);
    const fcps_result *told = &r.result;
    const fcps_rollout *rollout = &told->rollout;
    fprintf(file, "result %lld of %lld.%d status %s used %d flagged %d misplaced %d client %s key %s",
            (long long)r.sequence, (long long)r.ask, r.result_number, fcps_rollout_status_text(rollout->status),
            r.is_used, r.is_flagged, r.is_misplaced, *told->client ? told->client : "-",
            told->key != NULL ? told->key : "-");
    old_print(file, "target", &problem->target, rollout->target);
    old_print(file, "environment", &problem->environment, rollout->environment);
    old_print(file, "parameters", &problem->parameters, rollout->parameters);
    old_print(file, "outcome", &problem->outcome, rollout->outcome);
    fprintf(file, " reward %.17g hindsight %.17g message %s\n", rollout->reward, rollout->hindsight_reward,
            told->message);
  }
  const fcps_study_event *event;
  for (int i = 0; (event = fcps_study_event_at(study, i)) != NULL; i++) {
    char *replaced = NULL;
    /* choices among results became events after these answers were written; which result is used is among them */
    if (strcmp(event->code, "USED") == 0 || strcmp(event->code, "DROPPED") == 0) continue;
    fprintf(file, "event %lld %s: %s", (long long)event->sequence, event->code, event->text);
    if (fcps_study_replaced(study, i, &replaced, NULL) == FCPS_OK && replaced != NULL)
      fprintf(file, " instead of %s", replaced);
    fcps_free(replaced);
    fprintf(file, "\n");
  }
}

/* Warnings are answers as well: a learner whose state cannot be read is made again from its rollouts, which may answer
 * the same by chance. Only the code counts, the words may change. */
static inline void old_study_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)message;
  if (level == FCPS_LOG_WARNING) fprintf(user, "warning %s\n", code);
}

/* Opens a study and says what is in it: the log, the best parameters in three contexts, and the next ask. The ask is
 * written into the file, so give a copy. */
static inline fcps_status old_study_answers(FILE *file, const char *path, fcps_error *error)
{
  double target[OLD_MAX], environment[OLD_MAX];
  fcps_ask ask;
  fcps_study *study = NULL;
  fcps_policy *policy = NULL;
  const fcps_study_options options = {.maker = fcps_run_maker(), .log = {old_study_warning, file}};
  fcps_status status = fcps_study_open(&study, path, &options, error);
  if (status != FCPS_OK) return status;
  const fcps_problem *problem = fcps_study_problem(study);
  old_study_log(file, study);
  status = fcps_study_policy(study, &policy, error);
  if (status == FCPS_OK) old_policy_answers(file, policy, problem);
  fcps_policy_destroy(policy);
  old_context(problem, 200, target, environment);
  if (status == FCPS_OK) status = fcps_study_ask(study, NULL, target, environment, &ask, error);
  if (status == FCPS_OK) {
    fprintf(file, "ask %lld", (long long)ask.id);
    old_print(file, "parameters", &problem->parameters, ask.parameters);
    fprintf(file, "\n");
  }
  fcps_study_close(study);
  return status;
}

#endif
