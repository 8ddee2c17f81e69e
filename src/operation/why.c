/* SPDX-License-Identifier: Apache-2.0 */
/* Explains an ask: what it expects, what its trial would teach, from which results it follows, which limits and
 * constraints hold it back, and what could be done instead. The model is the one of the results before the ask, so even
 * an ask with a result is explained as it was made. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "insight/trial.h"
#include "operation/call.h"
#include "policy/policy_impl.h"
#include "problem/judge/judge.h"
#include "space/points.h"
#include "space/space.h"
#include "study/inside.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ELSEWHERE: the number of contexts in which is checked whether the policy becomes surer. SPEAKERS: the number of
 * results that are named. `lucky`: one case in ten is more than this many deviations above its expectation.
 * `curiosity`: this many deviations are added to value the second-best trial. `near`: a parameter counts as being at
 * its bound within this share of its range. */
enum { ELSEWHERE = 16, SPEAKERS = 5 };
static const double lucky = 1.2815515655446004, curiosity = 1.0, near = 0.005;

typedef struct choice {
  bool is_there;
  double parameters[FCPS_SPACE_MAX];
  fcps_prediction prediction;
} choice;

typedef struct speaker {
  int row;
  double share;
} speaker;

typedef struct reasons {
  const fcps_problem *problem;
  fcps_ask ask;
  fcps_policy *policy;
  bool is_own_policy;      /* whether the caller must destroy the policy */
  const fcps_model *model; /* NULL: the learner has no model */
  int lacking;             /* how many more results are needed before rewards can be predicted */
  choice own, best, runner_up;
  fcps_insight_lesson lesson;
  const fcps_model *answering;
  speaker speakers[SPEAKERS];
  int speaker_count;
} reasons;

/* -- What is known -- */

static fcps_status find_ask(const fcps_call *call, reasons *r, fcps_error *error)
{
  const int64_t id = fcps_call_integer(call, "ask", 0);
  for (int i = 0; i < fcps_study_ask_count(call->study); i++) {
    fcps_study_ask_at(call->study, i, &r->ask);
    if (r->ask.id == id) return FCPS_OK;
  }
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "ask",
                        "there is no ask %lld in this study; fcps study asks %s --state all lists them", (long long)id,
                        fcps_study_word(call->study));
}

/* Makes the policy of the results before the ask. If no result came later, this is the policy that is kept already. */
static fcps_status take_policy(fcps_call *call, reasons *r, fcps_error *error)
{
  const int64_t sequence = fcps_study_ask_sequence(call->study, r->ask.id);
  for (int i = 0; i < fcps_study_result_count(call->study) && !r->is_own_policy; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(call->study, i, &stored);
    r->is_own_policy = stored.sequence > sequence;
  }
  const fcps_status status = r->is_own_policy ? fcps_study_policy_before(call->study, sequence, &r->policy, error)
                                              : fcps_call_policy(call, &r->policy, error);
  if (status != FCPS_OK || r->policy->ops->model == NULL) return status;
  r->model = r->policy->ops->model(r->policy);
  if (r->model->training.count == 0) r->model = NULL;
  r->lacking = fcps_policy_lacking_results(r->policy);
  return FCPS_OK;
}

static fcps_status predict(reasons *r, choice *c, bool is_given, fcps_error *error)
{
  c->is_there = true;
  const fcps_status status =
      is_given ? fcps_policy_predict_at(r->policy, r->ask.target, r->ask.environment, c->parameters, &c->prediction)
               : fcps_policy_query(r->policy, r->ask.target, r->ask.environment, c->parameters, &c->prediction);
  if (status != FCPS_OK) *error = *fcps_policy_error(r->policy);
  return status;
}

static fcps_status teach(reasons *r, const fcps_insight_place *place, fcps_error *error)
{
  const fcps_problem *p = r->problem;
  const size_t t = (size_t)p->target.count, e = (size_t)p->environment.count, n = (size_t)p->parameters.count;
  const int count = t + e > 0 ? ELSEWHERE : 1;
  fcps_insight_place places[ELSEWHERE];
  double *unit = fcps_allocate(ELSEWHERE * (2 * (t + e) + n), sizeof *unit);
  if (unit == NULL) return fcps_error_memory(error);
  double *targets = unit + ELSEWHERE * (t + e), *environments = targets + ELSEWHERE * t,
         *parameters = environments + ELSEWHERE * e;
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 0);
  if (t + e > 0) fcps_points_halton(&rng, (int)(t + e), 0, count, unit);
  for (size_t i = 0; i < (size_t)count; i++) {
    fcps_space_from_unit(&p->target, unit + i * (t + e), targets + i * t);
    fcps_space_from_unit(&p->environment, unit + i * (t + e) + t, environments + i * e);
    places[i] = (fcps_insight_place){targets + i * t, environments + i * e, parameters + i * n};
  }
  fcps_status status = fcps_policy_predict_batch(r->policy, count, targets, environments, parameters, NULL);
  if (status != FCPS_OK) *error = *fcps_policy_error(r->policy);
  if (status == FCPS_OK) status = fcps_insight_teach(r->model, place, count, places, &r->lesson, error);
  free(unit);
  return status;
}

static fcps_status find_speakers(reasons *r, const fcps_insight_place *place, fcps_error *error)
{
  double *shares = NULL;
  const fcps_status status = fcps_insight_weigh(r->model, place, &r->answering, &shares, error);
  for (int i = 0; status == FCPS_OK && i < r->answering->training.count; i++) {
    int at = r->speaker_count < SPEAKERS ? r->speaker_count++ : SPEAKERS;
    for (; at > 0 && shares[i] > r->speakers[at - 1].share; at--)
      if (at < SPEAKERS) r->speakers[at] = r->speakers[at - 1];
    if (at < SPEAKERS) r->speakers[at] = (speaker){i, shares[i]};
  }
  free(shares);
  return status;
}

static fcps_status find_reasons(reasons *r, fcps_error *error)
{
  const fcps_insight_place place = {r->ask.target, r->ask.environment, r->ask.parameters};
  memcpy(r->own.parameters, r->ask.parameters, (size_t)r->problem->parameters.count * sizeof(double));
  fcps_status status = predict(r, &r->own, true, error);
  if (status == FCPS_OK) status = predict(r, &r->best, false, error);
  if (status == FCPS_OK) status = find_speakers(r, &place, error);
  if (r->lacking > 0) return status;
  bool exists = false;
  if (status == FCPS_OK) status = teach(r, &place, error);
  if (status == FCPS_OK)
    status = fcps_insight_runner_up(r->model, &place, curiosity, r->runner_up.parameters, &exists, error);
  return status == FCPS_OK && exists ? predict(r, &r->runner_up, true, error) : status;
}

/* -- As JSON -- */

static fcps_json *write_choice(const reasons *r, const choice *c)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "parameters",
                fcps_wire_parameters_write(r->problem, r->ask.target, r->ask.environment, c->parameters));
  fcps_json_put(&object, "reward", fcps_json_from_known(r->lacking == 0 ? c->prediction.reward : NAN));
  fcps_json_put(&object, "reward_sd", fcps_json_from_known(r->lacking == 0 ? c->prediction.reward_deviation : NAN));
  return object;
}

static void add_lesson(fcps_json **list, const char *of, double before, double after)
{
  if (!isfinite(before) || !isfinite(after)) return;
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "of", fcps_json_from_text(of));
  fcps_json_put(&object, "before", fcps_json_from_number(before));
  fcps_json_put(&object, "after", fcps_json_from_number(after));
  fcps_json_add(list, object);
}

static fcps_json *write_lessons(const reasons *r)
{
  const fcps_insight_lesson *l = &r->lesson;
  fcps_json *list = fcps_json_array();
  for (int o = 0; l->has_outcomes && o < r->problem->outcome.count; o++)
    add_lesson(&list, r->problem->outcome.dims[o].name, l->outcomes[0][o], l->outcomes[1][o]);
  add_lesson(&list, "reward", l->reward[0], l->reward[1]);
  add_lesson(&list, "policy", l->elsewhere[0], l->elsewhere[1]);
  return list;
}

/* Writes the results that contribute most to the prediction, the largest share first. */
static fcps_json *write_speakers(const fcps_call *call, const reasons *r)
{
  const fcps_stored_result *found[SPEAKERS] = {NULL};
  const int rows = r->answering->training.count;
  size_t next = 0;
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < rows; i++) {
    const fcps_rollout row = fcps_rollouts_at(&r->answering->training, i);
    const fcps_stored_result *stored = fcps_study_result_of_row(call->study, &row, &next);
    for (int k = 0; k < r->speaker_count; k++)
      if (r->speakers[k].row == i) found[k] = stored;
  }
  for (int k = 0; k < r->speaker_count; k++) {
    if (found[k] == NULL) continue;
    fcps_json *object = fcps_json_object();
    fcps_json_put(&object, "result", fcps_json_from_integer(found[k]->sequence));
    fcps_wire_result_name_put(&object, found[k]);
    fcps_json_put(&object, "share", fcps_json_from_number(r->speakers[k].share));
    fcps_json_put(&object, "environment",
                  fcps_wire_numbers_write(&r->problem->environment, found[k]->result.rollout.environment));
    const fcps_rollout *rollout = &found[k]->result.rollout;
    fcps_json_put(&object, "parameters",
                  fcps_wire_parameters_write(r->problem, rollout->target, rollout->environment, rollout->parameters));
    fcps_json_add(&list, object);
  }
  return list;
}

static fcps_json *begin_binding(const char *kind, const char *name)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "kind", fcps_json_from_text(kind));
  fcps_json_put(&object, "name", fcps_json_from_text(name));
  return object;
}

/* Adds the limit that is kept with the least safety, with its chance and the required chance. */
static void add_limit(const reasons *r, fcps_json **list)
{
  const fcps_problem *p = r->problem;
  const fcps_expectation *e = &r->ask.expectation;
  double chances[FCPS_SPACE_MAX], all;
  int least = 0;
  if (p->limit_count == 0 || p->limit_count > FCPS_SPACE_MAX || !e->has_outcome ||
      fcps_problem_limit_chances(p, r->ask.target, r->ask.environment, r->ask.parameters, e->outcome,
                                 e->outcome_deviation, chances, &all, NULL) != FCPS_OK)
    return;
  for (int i = 1; i < p->limit_count; i++)
    if (chances[i] - p->limits[i].chance < chances[least] - p->limits[least].chance) least = i;
  if (chances[least] > 0.5 * (1.0 + p->limits[least].chance))
    /* The chance to break the limit is less than half of the allowed one, so the limit does not hold the ask back. */
    return;
  fcps_json *object = begin_binding("limit", p->limits[least].name);
  fcps_json_put(&object, "chance", fcps_json_from_number(chances[least]));
  fcps_json_put(&object, "wanted", fcps_json_from_number(p->limits[least].chance));
  fcps_json_add(list, object);
}

/* Adds each constraint that would be broken if a single parameter went a little further. */
static void add_constraints(const reasons *r, fcps_json **list)
{
  const fcps_problem *p = r->problem;
  bool is_listed[FCPS_SPACE_MAX] = {false};
  for (int d = 0; d < 2 * p->parameters.count && p->constraint_count <= FCPS_SPACE_MAX; d++) {
    double x[FCPS_SPACE_MAX];
    const fcps_dimension *dim = p->parameters.dims + d / 2;
    int broken = -1;
    if (dim->choices != NULL) continue;
    memcpy(x, r->ask.parameters, (size_t)p->parameters.count * sizeof *x);
    x[d / 2] += (d % 2 ? 2.0 : -2.0) * near * (dim->upper - dim->lower);
    if (p->constraint_count == 0 || x[d / 2] < dim->lower || x[d / 2] > dim->upper ||
        fcps_problem_find_broken(p, r->ask.target, r->ask.environment, x, &broken, NULL) != FCPS_OK || broken < 0 ||
        is_listed[broken])
      continue;
    is_listed[broken] = true;
    fcps_json_add(list, begin_binding("constraint", p->constraints[broken]));
  }
}

static void add_bounds(const reasons *r, fcps_json **list)
{
  const fcps_space *space = &r->problem->parameters;
  double x[FCPS_SPACE_MAX], shown[FCPS_SPACE_MAX];
  fcps_space_to_unit(space, r->ask.parameters, x);
  (void)fcps_wire_shown(r->problem, r->ask.target, r->ask.environment, r->ask.parameters, shown);
  for (int d = 0; d < space->count; d++) {
    const fcps_dimension *dim = space->dims + d;
    if (isnan(shown[d])) continue; /* The parameter does not apply. */
    if (dim->choices != NULL || fcps_dimension_wraps(dim) || fcps_dimension_step(dim) > 0.0) continue;
    if (x[d] > near && x[d] < 1.0 - near) continue;
    fcps_json *object = begin_binding("bound", dim->name);
    fcps_json_put(&object, "value", fcps_json_from_number(x[d] < 0.5 ? dim->lower : dim->upper));
    fcps_json_add(list, object);
  }
}

/* -- In words -- */

/* Returns the name of the outcome whose deviation would shrink most, in proportion, or of the reward if the problem has
 * no such outcome. NULL if the model says nothing about it. */
static const char *find_lesson(const reasons *r, double *before, double *after)
{
  const fcps_insight_lesson *l = &r->lesson;
  const char *of = "the reward";
  *before = l->reward[0];
  *after = l->reward[1];
  for (int o = 0; l->has_outcomes && o < r->problem->outcome.count; o++) {
    if (o > 0 && !(l->outcomes[1][o] * *before < *after * l->outcomes[0][o])) continue;
    of = r->problem->outcome.dims[o].name;
    *before = l->outcomes[0][o];
    *after = l->outcomes[1][o];
  }
  return isfinite(*before) && isfinite(*after) ? of : NULL;
}

static void say_lesson(FILE *stream, const reasons *r, bool is_told)
{
  double before, after;
  const char *of = find_lesson(r, &before, &after);
  if (of == NULL) return;
  fprintf(stream, ". Its result %s the uncertainty of %s there from %.2g to %.2g", is_told ? "reduced" : "reduces", of,
          before, after);
}

/* Whether the ask is one of the problem's safe trials, for its own context or for all contexts. */
static bool is_safe_trial(const reasons *r)
{
  const fcps_problem *p = r->problem;
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters};
  const double *const own[] = {r->ask.target, r->ask.environment, r->ask.parameters};
  bool is_safe = false;
  for (int i = 0; i < p->safe_count && !is_safe; i++) {
    const double *const rows[] = {p->safe[i].target, p->safe[i].environment, p->safe[i].parameters};
    is_safe = true;
    for (int s = 0; s < 3; s++)
      for (int d = 0; d < spaces[s]->count && rows[s] != NULL; d++)
        is_safe = is_safe &&
                  (fabs(rows[s][d] - own[s][d]) <= 1e-9 * fmax(1.0, fabs(own[s][d])) || (s < 2 && isnan(rows[s][d])));
  }
  return is_safe;
}

static void say_first(FILE *stream, const reasons *r)
{
  fputs(is_safe_trial(r) ? "starts from parameters that the problem names as safe"
                         : "is one of the first trials, which are spread so that the model has something to learn from",
        stream);
}

/* The size of the first design, by the setting of the learner. */
static int first_trials(const fcps_call *call, const reasons *r)
{
  const char *value = fcps_learner_default(fcps_study_learner(call->study), "initial");
  for (const fcps_setting *s = fcps_study_settings(call->study); s != NULL && s->name != NULL; s++)
    if (strcmp(s->name, "initial") == 0) value = s->value;
  return value != NULL ? fcps_model_design_places(r->model, (int)strtol(value, NULL, 10)) : 0;
}

/* The parameter of the ask whose word had no result before it; NULL: there is none. */
static const fcps_dimension *find_new_word(const reasons *r, double *word)
{
  for (int d = 0; d < r->problem->parameters.count; d++) {
    const fcps_dimension *dim = &r->problem->parameters.dims[d];
    bool is_new = dim->choices != NULL && dim->when == NULL;
    *word = r->ask.parameters[d];
    for (int i = 0; i < r->model->training.count && is_new; i++)
      is_new = fcps_rollouts_parameters(&r->model->training, i)[d] != *word;
    if (is_new) return dim;
  }
  return NULL;
}

/* Says why an ask was made that does not follow from what it expects. */
static void say_reason(FILE *stream, const fcps_call *call, const reasons *r)
{
  double word;
  const fcps_dimension *dim = find_new_word(r, &word);
  const int first = first_trials(call, r);
  if (is_safe_trial(r)) fputs("; the problem names its parameters as safe", stream);
  if (dim != NULL) fprintf(stream, "; it is the first trial with %s=%s", dim->name, fcps_dimension_word(dim, word));
  if (is_safe_trial(r) || dim != NULL || r->lacking == 0) return;
  if (r->model->training.count < first)
    fprintf(stream, "; it is one of the first %d trials, which spread %s", first,
            r->problem->limit_count > 0 ? "as far as the limits allow" : "over the ranges");
  else
    fprintf(stream, "; the model chose it, but %d more result%s needed to compare it with the best known choice",
            r->lacking, r->lacking == 1 ? " is" : "s are");
}

static void say(FILE *stream, const fcps_call *call, const reasons *r, double reward, double deviation)
{
  char mean[FCPS_NUMBER_SIZE], best[FCPS_NUMBER_SIZE];
  static const double small = 0.05; /* in deviations; a smaller difference does not count */
  const bool is_told = r->ask.state == FCPS_ASK_TOLD;
  const fcps_prediction *known = &r->best.prediction;
  const bool is_design = !r->ask.expectation.has_outcome && !r->ask.expectation.has_reward;
  fprintf(stream, "ask %lld ", (long long)r->ask.id);
  if (r->model == NULL && r->policy->ops->model == NULL) {
    fprintf(stream,
            "was chosen by %s, which has no model: it tries parameters around those that earned most, and expects "
            "nothing of one of them",
            fcps_study_learner(call->study));
    return;
  }
  if (is_design) say_first(stream, r);
  if (r->model == NULL || !isfinite(reward)) {
    if (!is_design) fputs("was made before anything could be expected of it", stream);
    if (r->lacking > 0 && r->model != NULL)
      fprintf(stream, "; what it earns could be said with %d more result%s", r->lacking, r->lacking == 1 ? "" : "s");
    return;
  }
  if (is_design) fputs("; by what is known it ", stream);
  fprintf(stream, "%s to earn %s +- %.2g", is_told ? "was expected" : "is expected", fcps_number_show(reward, mean),
          deviation);
  if (isfinite(known->reward) && r->lacking == 0) {
    fcps_number_show(known->reward, best);
    fprintf(stream,
            known->reward - reward > small * deviation ? ", less than the best known choice (%s)"
                                                       : ", as much as the best known choice (%s)",
            best);
    if (known->reward - reward > small * deviation) fputs(": it tries what is less well known", stream);
  }
  if (!is_design) say_reason(stream, call, r);
  if (r->lacking == 0) say_lesson(stream, r, is_told);
}

static fcps_status write_text(fcps_call *call, const reasons *r, double reward, double deviation, fcps_error *error)
{
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (stream == NULL) return fcps_error_memory(error);
  say(stream, call, r, reward, deviation);
  if (fclose(stream) != 0) {
    free(text);
    return fcps_error_memory(error);
  }
  fcps_json_put(&call->json, "text", fcps_json_from_text(text));
  free(text);
  return FCPS_OK;
}

/* -- The answer -- */

/* Writes the expectation that was stored with the ask. It is preferred to that of the present model, which differs from
 * it only by the last fit. */
static void put_expectation(fcps_call *call, const reasons *r)
{
  const fcps_prediction *own = &r->own.prediction;
  if (r->ask.expectation.has_reward || r->ask.expectation.has_outcome || r->model == NULL || !own->has_reward ||
      r->lacking > 0) {
    fcps_wire_expectation_put(&call->json, r->problem, r->ask.target, r->ask.environment, r->ask.parameters,
                              &r->ask.expectation);
    return;
  }
  const fcps_expectation now = {.has_reward = isfinite(own->reward),
                                .reward = own->reward,
                                .reward_deviation = own->reward_deviation,
                                .chance_of_success = own->chance_of_success,
                                .chance_of_outcome = own->chance_of_outcome};
  fcps_wire_expectation_put(&call->json, r->problem, r->ask.target, r->ask.environment, r->ask.parameters, &now);
}

static fcps_status write_answer(fcps_call *call, const reasons *r, fcps_error *error)
{
  static const char *const states[] = {"pending", "told", "forgotten"};
  const fcps_expectation *e = &r->ask.expectation;
  const fcps_prediction *own = &r->own.prediction;
  const double reward = e->has_reward ? e->reward : r->model != NULL && r->lacking == 0 ? own->reward : NAN;
  const double most = fcps_problem_find_most(r->problem, r->ask.target, r->ask.environment, r->ask.parameters);
  const double deviation = e->has_reward ? e->reward_deviation : own->reward_deviation;
  fcps_stored_result stored;
  fcps_json *binds = fcps_json_array();
  call->json = fcps_wire_trial_write(r->problem, &r->ask);
  fcps_json_put(&call->json, "state", fcps_json_from_text(states[r->ask.state]));
  const fcps_status status = write_text(call, r, reward, deviation, error);
  fcps_json_put(&call->json, "results", fcps_json_from_integer(r->model != NULL ? r->model->training.count : 0));
  put_expectation(call, r);
  if (r->model != NULL && r->lacking == 0 && isfinite(reward))
    fcps_json_put(&call->json, "could_earn",
                  fcps_json_from_known(fmax(reward, fmin(most, reward + lucky * own->reducible_deviation))));
  if (fcps_study_result_of(call->study, r->ask.id, &stored) && isfinite(stored.result.rollout.reward))
    fcps_json_put(&call->json, "earned", fcps_json_from_number(stored.result.rollout.reward));
  if (r->best.is_there) fcps_json_put(&call->json, "best", write_choice(r, &r->best));
  if (r->runner_up.is_there) fcps_json_put(&call->json, "runner_up", write_choice(r, &r->runner_up));
  fcps_json_put(&call->json, "teaches", r->model != NULL && r->lacking == 0 ? write_lessons(r) : fcps_json_array());
  fcps_json_put(&call->json, "trials", r->model != NULL ? write_speakers(call, r) : fcps_json_array());
  add_limit(r, &binds);
  add_constraints(r, &binds);
  add_bounds(r, &binds);
  fcps_json_put(&call->json, "binds", binds);
  fcps_wire_units_put(&call->json, r->problem);
  return status;
}

fcps_status fcps_operation_why(fcps_call *call, fcps_error *error)
{
  reasons *r = fcps_allocate(1, sizeof *r);
  if (r == NULL) return fcps_error_memory(error);
  fcps_status status = fcps_study_refresh(call->study, error);
  if (status == FCPS_OK) status = find_ask(call, r, error);
  if (status == FCPS_OK) status = take_policy(call, r, error);
  /* The pointers of a study are valid only until the next call, so the ask is looked up again. */
  if (status == FCPS_OK) status = find_ask(call, r, error);
  r->problem = fcps_study_problem(call->study);
  if (status == FCPS_OK && r->model != NULL) status = find_reasons(r, error);
  if (status == FCPS_OK) status = write_answer(call, r, error);
  if (r->is_own_policy) fcps_policy_destroy(r->policy);
  free(r);
  return status;
}
