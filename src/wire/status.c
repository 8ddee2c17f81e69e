/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the state of a study as it was last read; this only counts and adds up. */
#include "problem/save.h"

#include "base/error.h"
#include "base/memory.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "wire/wire.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Counting -- */

bool fcps_wire_is_aimless(const fcps_study *study, const fcps_stored_result *stored)
{
  const fcps_space *targets = &fcps_study_problem(study)->target;
  if (stored->ask != FCPS_NOT_ASKED || targets->count == 0 || strcmp(stored->result.client, "import") != 0)
    return false;
  for (int i = 0; i < targets->count; i++)
    if (stored->result.rollout.target[i] != 0.5 * (targets->dims[i].lower + targets->dims[i].upper)) return false;
  return true;
}

bool fcps_wire_has_aims(const fcps_study *study)
{
  bool has = false;
  for (int i = 0; i < fcps_study_result_count(study) && !has; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    has = stored.is_used && !stored.is_flagged && !stored.is_suspect && isfinite(stored.result.rollout.reward) &&
          !fcps_wire_is_aimless(study, &stored);
  }
  return has;
}

/* Counts the results. Rewards of results without a target of their own are left out of the learning curve if other
 * results have one. */
static void count_results(fcps_wire_tally *t, const fcps_study *study)
{
  const int count = fcps_study_result_count(study);
  t->best = -INFINITY;
  t->leaves_out = fcps_wire_has_aims(study);
  for (int i = 0; i < count; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    const fcps_rollout *r = &stored.result.rollout;
    if (!stored.is_used) continue;
    t->flagged += stored.is_flagged;
    t->suspects += stored.is_suspect;
    if (stored.is_flagged || stored.is_suspect || !isfinite(r->reward)) continue;
    const bool is_aimless = fcps_wire_is_aimless(study, &stored);
    t->aimless += is_aimless;
    if (t->leaves_out && is_aimless) continue;
    t->rewards[t->reward_count++] = r->reward;
    t->best = fmax(t->best, r->reward);
  }
  const int recent = t->reward_count < FCPS_WIRE_RECENT ? t->reward_count : FCPS_WIRE_RECENT;
  for (int i = t->reward_count - recent; i < t->reward_count; i++)
    t->recent += t->rewards[i] / recent;
}

fcps_status fcps_wire_tally_create(fcps_wire_tally *t, const fcps_study *study, fcps_error *error)
{
  *t = (fcps_wire_tally){.rewards = fcps_allocate((size_t)fcps_study_result_count(study), sizeof *t->rewards)};
  if (t->rewards == NULL) return fcps_error_memory(error);
  count_results(t, study);
  if (fcps_study_cost(study, &t->costs, error) != FCPS_OK) return FCPS_ERR_MEMORY;
  fcps_study_count(study, &t->counts);
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_ask ask;
    fcps_study_ask_at(study, i, &ask);
    t->pending += ask.state == FCPS_ASK_PENDING;
  }
  return FCPS_OK;
}

void fcps_wire_tally_destroy(fcps_wire_tally *t)
{
  free(t->rewards);
  t->rewards = NULL;
}

char *fcps_wire_earned_text(const fcps_wire_tally *t, char text[FCPS_WIRE_EARNED_SIZE])
{
  const int last = t->reward_count < FCPS_WIRE_RECENT ? t->reward_count : FCPS_WIRE_RECENT;
  const int length = snprintf(text, FCPS_WIRE_EARNED_SIZE, "best %.4g, mean of the last %d %.4g", t->best + 0.0, last,
                              t->recent + 0.0); /* + 0.0 avoids -0 */
  if (t->aimless > 0)
    snprintf(text + length, (size_t)(FCPS_WIRE_EARNED_SIZE - length),
             !t->leaves_out    ? ", for the middle of the targets: %d result%s came without one"
             : t->aimless == 1 ? "; %d result%s that came without a target is left out"
                               : "; %d result%s that came without a target are left out",
             t->aimless, t->aimless == 1 ? "" : "s");
  return text;
}

/* -- The status -- */

fcps_json *fcps_wire_settings_write(const fcps_study *study)
{
  fcps_json *object = fcps_json_object();
  for (const fcps_setting *s = fcps_study_settings(study); s != NULL && s->name != NULL; s++) {
    const char *usual = fcps_learner_default(fcps_study_learner(study), s->name);
    if (usual == NULL || strcmp(usual, s->value) != 0) fcps_json_put(&object, s->name, fcps_json_from_text(s->value));
  }
  return object;
}

/* Writes the pending asks with their clients. */
static fcps_json *write_pending(const fcps_study *study)
{
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_ask ask;
    fcps_study_ask_at(study, i, &ask);
    if (ask.state != FCPS_ASK_PENDING) continue;
    fcps_json *object = fcps_wire_ask_write(fcps_study_problem(study), &ask);
    fcps_json_put(&object, "client", fcps_json_from_text(ask.client));
    fcps_json_add(&list, object);
  }
  return list;
}

char *fcps_wire_result_name(const fcps_stored_result *stored, char name[FCPS_WIRE_RESULT_NAME_SIZE])
{
  if (stored->ask != FCPS_NOT_ASKED)
    snprintf(name, FCPS_WIRE_RESULT_NAME_SIZE, "%lld.%d", (long long)stored->ask, stored->result_number);
  else
    snprintf(name, FCPS_WIRE_RESULT_NAME_SIZE, "%lld", (long long)stored->sequence);
  return name;
}

void fcps_wire_result_name_put(fcps_json **object, const fcps_stored_result *stored)
{
  char name[FCPS_WIRE_RESULT_NAME_SIZE];
  fcps_json_put(object, "name", fcps_json_from_text(fcps_wire_result_name(stored, name)));
}

const char *fcps_wire_policy_lacks(const fcps_policy *policy)
{
  fcps_health health = {0};
  if (!fcps_policy_health(policy, 0, &health) || health.rollouts > 0) return NULL;
  return strcmp(health.model, "outcome") == 0 ? "nothing is known yet: no trial has had an outcome"
                                              : "nothing is known yet: no trial has had a reward";
}

bool fcps_wire_is_excused(const fcps_stored_result *stored)
{
  return stored->is_excused;
}

bool fcps_wire_is_doubted(const fcps_stored_result *stored)
{
  return stored->is_doubted;
}

static bool is_found(const void *user, const fcps_stored_result *stored)
{
  fcps_wire_finding *const *finding = user;
  return (*finding)(stored);
}

char *fcps_wire_names_text(const fcps_study *study, fcps_wire_finding *finding, size_t size, char *text)
{
  fcps_study_list_names(study, is_found, &finding, INT_MAX, size, text);
  return text;
}

/* Writes the names of the results that have a finding. */
static fcps_json *write_names(const fcps_study *study, fcps_wire_finding *finding)
{
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    char name[FCPS_WIRE_RESULT_NAME_SIZE];
    fcps_study_result_at(study, i, &stored);
    if (finding(&stored)) fcps_json_add(&list, fcps_json_from_text(fcps_wire_result_name(&stored, name)));
  }
  return list;
}

static void put_counts(fcps_json **object, const fcps_wire_tally *t)
{
  fcps_json_put(object, "rollouts", fcps_json_from_integer(t->counts.results));
  fcps_json_put(object, "with_outcome", fcps_json_from_integer(t->counts.with_outcome));
  fcps_json_put(object, "without_outcome", fcps_json_from_integer(t->counts.without_outcome));
  fcps_json_put(object, "failed", fcps_json_from_integer(t->counts.failed));
  fcps_json_put(object, "flagged", fcps_json_from_integer(t->flagged));
  fcps_json_put(object, "outcomes_not_finite", fcps_json_from_integer(t->counts.outcomes_not_finite));
  fcps_json_put(object, "rewards_not_finite", fcps_json_from_integer(t->counts.rewards_not_finite));
  if (t->suspects > 0) fcps_json_put(object, "suspects", fcps_json_from_integer(t->suspects));
  fcps_json_put(object, "not_used", fcps_json_from_integer(t->counts.unused));
  fcps_json_put(object, "pending", fcps_json_from_integer(t->pending));
}

void fcps_wire_untried_put(fcps_json **object, const fcps_study *study)
{
  static const char *const keys[] = {"untried", "untried_unsafe"};
  if (fcps_study_result_count(study) == 0) return;
  for (int i = 0; i < 2; i++) {
    char text[FCPS_WIRE_GOING_ON_SIZE];
    fcps_study_list_untried(study, i == 1, sizeof text, text);
    if (*text != '\0') fcps_json_put(object, keys[i], fcps_json_from_text(text));
  }
}

fcps_json *fcps_wire_status_write(const fcps_study *study, const fcps_wire_tally *t, const fcps_policy *policy,
                                  const fcps_outlook *o, const double *target, const double *environment)
{
  const fcps_problem *p = fcps_study_problem(study);
  char earned[FCPS_WIRE_EARNED_SIZE];
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "learner", fcps_json_from_text(fcps_study_learner(study)));
  fcps_json_put(&object, "settings", fcps_json_from_settings(fcps_study_settings(study)));
  put_counts(&object, t);
  if (p->cost != NULL) fcps_json_put(&object, "cost", fcps_json_from_number(t->costs.spent));
  if (t->costs.trials > 0) fcps_json_put(&object, "mean_cost", fcps_json_from_number(t->costs.spent / t->costs.trials));
  fcps_wire_limits_put(&object, study);
  fcps_wire_untried_put(&object, study);
  fcps_json_put(&object, "pending_asks", write_pending(study));
  fcps_json *workers = fcps_wire_workers_write(study);
  if (fcps_json_count(workers) > 0)
    fcps_json_put(&object, "workers", workers);
  else
    fcps_json_destroy(workers);
  if (t->reward_count == 0) return object;
  const bool is_predicted = fcps_policy_predicts_reward(policy) && fcps_wire_policy_lacks(policy) == NULL;
  fcps_json_put(&object, "best_reward", fcps_json_from_number(t->best));
  fcps_json_put(&object, "recent_reward", fcps_json_from_number(t->recent));
  fcps_json_put(&object, "earned", fcps_json_from_text(fcps_wire_earned_text(t, earned)));
  fcps_json_put(&object, "rewards", fcps_json_from_numbers(t->reward_count, t->rewards));
  if (o->excused > 0) fcps_json_put(&object, "outage", write_names(study, fcps_wire_is_excused));
  if (o->doubted > 0) fcps_json_put(&object, "doubted", write_names(study, fcps_wire_is_doubted));
  if (is_predicted && fcps_policy_lacking_results(policy) > 0)
    fcps_json_put(&object, "lacking_results", fcps_json_from_integer(fcps_policy_lacking_results(policy)));
  fcps_wire_outlook_put(&object, p, o, is_predicted ? target : NULL, is_predicted ? environment : NULL);
  fcps_json_put(&object, "model", fcps_wire_health_write(p, policy));
  return object;
}

/* Writes whether more trials are worth it. The verdict is never "enough" while a suspect result waits for a decision or
 * a remark stands. */
char *fcps_wire_going_on_text(const fcps_study *study, const fcps_outlook *o, char text[FCPS_WIRE_GOING_ON_SIZE])
{
  if (o->suspects > 0)
    snprintf(text, FCPS_WIRE_GOING_ON_SIZE, "not enough while %d suspect result%s to be confirmed or dropped",
             o->suspects, o->suspects == 1 ? " waits" : "s wait");
  else if (o->remarks > 0)
    fcps_wire_remarks_text("not enough while ", study, FCPS_WIRE_GOING_ON_SIZE, text);
  else if (o->is_converged)
    snprintf(text, FCPS_WIRE_GOING_ON_SIZE,
             "enough: more trials gain at most %.3g per context, %.2g %% of the spread of rewards", o->gain,
             100.0 * o->gain / o->spread);
  else
    snprintf(text, FCPS_WIRE_GOING_ON_SIZE, "worth it: %s. More trials gain about %.3g per context",
             o->unmet != NULL ? o->unmet : "too little is known", o->gain);
  return text;
}

/* -- The problem -- */

static fcps_json *write_dimension(const fcps_dimension *dim)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "name", fcps_json_from_text(dim->name));
  if (dim->when != NULL) fcps_json_put(&object, "when", fcps_json_from_text(dim->when));
  if (dim->choices != NULL) {
    fcps_problem_put_choices(&object, dim->choices);
    return object;
  }
  if (dim->lower != 0 || dim->upper != 0) {
    fcps_json_put(&object, "lower", fcps_json_from_number(dim->lower));
    fcps_json_put(&object, "upper", fcps_json_from_number(dim->upper));
  }
  if (dim->period > 0) fcps_json_put(&object, "period", fcps_json_from_number(dim->period));
  if (dim->scale != FCPS_SCALE_LINEAR)
    fcps_json_put(&object, "scale", fcps_json_from_text(fcps_scale_name((int)dim->scale)));
  if (dim->step > 0) fcps_json_put(&object, "step", fcps_json_from_number(dim->step));
  fcps_json_put_text(&object, "unit", dim->unit);
  return object;
}

static fcps_json *write_space(const fcps_space *space)
{
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < space->count; i++)
    fcps_json_add(&list, write_dimension(space->dims + i));
  return list;
}

static fcps_json *write_constraints(const fcps_problem *p)
{
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < p->constraint_count; i++) {
    fcps_json *object = fcps_json_object();
    fcps_json_put(&object, "formula", fcps_json_from_text(p->constraints[i]));
    fcps_json_add(&list, object);
  }
  return list;
}

fcps_json *fcps_wire_problem_write(const fcps_study *study, const char *name)
{
  const fcps_problem *p = fcps_study_problem(study);
  const fcps_problem_file *file = fcps_study_file(study);
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "name", fcps_json_from_text(name));
  fcps_json_put(&object, "target", write_space(&p->target));
  fcps_json_put(&object, "environment", write_space(&p->environment));
  fcps_json_put(&object, "parameters", write_space(&p->parameters));
  fcps_json_put(&object, "outcome", write_space(&p->outcome));
  fcps_json_put(&object, "reward_is_told", fcps_json_from_bool(p->reward == NULL));
  fcps_json_put(&object, "reward",
                file != NULL && file->reward != NULL ? fcps_json_from_text(file->reward) : fcps_json_null());
  if (p->constraint_count > 0) fcps_json_put(&object, "constraints", write_constraints(p));
  if (p->cost != NULL) fcps_json_put(&object, "cost", fcps_json_from_text(p->cost));
  if (p->limit_count > 0) fcps_json_put(&object, "limits", fcps_wire_limits_write(p));
  if (p->safe_count > 0) fcps_json_put(&object, "safe", fcps_wire_safe_write(p));
  return object;
}

/* -- Events -- */

fcps_json *fcps_wire_event_write(const fcps_study_event *event)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "sequence", fcps_json_from_integer(event->sequence));
  fcps_json_put(&object, "time_ms", fcps_json_from_integer(event->time_ms));
  fcps_json_put(&object, "code", fcps_json_from_text(event->code));
  fcps_json_put(&object, "text", fcps_json_from_text(event->text));
  return object;
}

/* -- The same study -- */

/* Whether two settings are equal. fcps_wire_is_made_from compares the study with one in memory from the same setup,
 * which has the defaults of its learner. */

static bool is_same_settings(const fcps_setting *a, const fcps_setting *b)
{
  for (; a->name != NULL && b->name != NULL; a++, b++)
    if (strcmp(a->name, b->name) != 0 || strcmp(a->value, b->value) != 0) return false;
  return a->name == NULL && b->name == NULL;
}

bool fcps_wire_is_made_from(const fcps_study *study, const fcps_study_setup *setup)
{
  fcps_study *wanted = NULL;
  const fcps_problem_file *file = fcps_study_file(study);
  if (file == NULL || strcmp(file->text, setup->text) != 0) return false;
  const bool is_same = fcps_study_create(&wanted, NULL, setup, NULL, NULL) == FCPS_OK &&
                       strcmp(fcps_study_learner(study), fcps_study_learner(wanted)) == 0 &&
                       fcps_study_seed(study) == fcps_study_seed(wanted) &&
                       is_same_settings(fcps_study_settings(study), fcps_study_settings(wanted));
  fcps_study_close(wanted);
  return is_same;
}
