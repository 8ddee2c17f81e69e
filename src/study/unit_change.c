/* SPDX-License-Identifier: Apache-2.0 */
/* Whether results were told in another unit: thickness in micrometres where it was in nanometres before.
 *
 * A single wrong number is a suspect (surprise.c). Many of them are none: more than a tenth make the model wrong. But
 * one cause has a shape that is easily recognized: in a run of results, to the last or until the unit came back, one
 * outcome is what the results before it predict, times the same power of ten.
 *
 * From the magnitudes in the order told a run is cut out where that explains most of their squares, for it costs little.
 * Only where it differs from the others by about a power of ten, a model is fitted to the results before it, which
 * predicts those after its beginning. A prediction whose deviation is not small against its mean says nothing. Of the others there must be
 * at least three, and none that the factor does not explain. A result that somebody has confirmed says nothing either.
 *
 * Invariants: looking changes nothing. Whatever goes wrong here is no failure of the call that looks. */
#include "base/error.h"
#include "base/memory.h"
#include "model/posterior/posterior.h"
#include "policy/policy_impl.h"
#include "problem/problem.h"
#include "space/space.h"
#include "study/held.h"
#include "study/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CODE "W_UNIT"

/* A run of fewer results may be chance; fewer before it predict nothing; more are not named one by one. */
enum { LEAST_RUN = 3, LEAST_BEFORE = 10, MOST_NAMED = 12 };

/* The results with an outcome that count, in the order told. */
typedef struct told_results {
  size_t count;
  const fcps_stored_result **items;
} told_results;

typedef struct unit_change {
  int outcome, power; /* told is what was expected, times 10^power */
  size_t first, end;  /* of the run, among the told results; the end is behind it */
} unit_change;

static fcps_status list_told(const fcps_study *s, told_results *told)
{
  told->items = fcps_allocate(s->result_count + 1, sizeof *told->items);
  if (told->items == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < s->result_count; i++) {
    if (fcps_study_has_outcome(s, &s->results[i])) told->items[told->count++] = &s->results[i];
  }
  return FCPS_OK;
}

static double value_of(const told_results *told, size_t i, int outcome)
{
  return told->items[i]->result.rollout.outcome[outcome];
}

/* -- Magnitudes -- */

static bool find_power(double shift, int *power)
{
  static const int powers[] = {-6, -3, -2, -1, 1, 2, 3, 6};
  static const double near = 0.5;
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
    *power = powers[i];
    if (fabs(shift - powers[i]) < near) return true;
  }
  return false;
}

/* sums[i] := the sum of the first i magnitudes of an outcome; false where one has none. */
static bool add_magnitudes(const told_results *told, int outcome, double *sums)
{
  sums[0] = 0.0;
  for (size_t i = 0; i < told->count; i++) {
    if (value_of(told, i, outcome) == 0.0) return false;
    sums[i + 1] = sums[i] + log10(fabs(value_of(told, i, outcome)));
  }
  return true;
}

/* Cuts out the run whose mean explains most beside that of the others: n0 n1 (m0 - m1)^2 is largest. Returns whether
 * they differ by about a power of ten. */
static bool cut_magnitudes(const told_results *told, unit_change *change)
{
  double *sums = fcps_allocate(told->count + 1, sizeof *sums), best = 0.0, shift = 0.0;
  const bool is_known = sums != NULL && add_magnitudes(told, change->outcome, sums);
  for (size_t i = LEAST_BEFORE; i + LEAST_RUN <= told->count && is_known; i++)
    for (size_t end = i + LEAST_RUN; end <= told->count; end++) {
      const double n1 = (double)(end - i), n0 = (double)told->count - n1, inside = sums[end] - sums[i];
      const double difference = inside / n1 - (sums[told->count] - inside) / n0;
      if (!(n0 * n1 * difference * difference > best)) continue;
      best = n0 * n1 * difference * difference;
      shift = difference;
      change->first = i;
    }
  free(sums);
  return is_known && find_power(shift, &change->power);
}

/* -- Predictions -- */

/* A policy of what was told before the run; its model predicts outcomes. */
static fcps_status learn_before(const fcps_study *s, const told_results *told, size_t count, fcps_policy **policy)
{
  fcps_learner *learner = NULL;
  fcps_status status = fcps_learner_create(&learner, &s->guarded, "outcome", NULL, s->seed, NULL);
  for (size_t i = 0; i < count && status == FCPS_OK; i++)
    status = fcps_learner_tell(learner, FCPS_NOT_ASKED, &told->items[i]->result.rollout);
  if (status == FCPS_OK) status = fcps_learner_policy(learner, policy);
  fcps_learner_destroy(learner);
  return status;
}

typedef enum verdict { SAYS_NOTHING, AGREES, DISAGREES } verdict;

/* Whether a value is what was expected, times the power of ten. The deviation is that of the mean, so measurements may
 * scatter beyond it. */
static verdict compare(double value, double mean, double deviation, int power)
{
  static const double clear = 6.0, reach = 3.0, scatter = 0.15;
  if (!(fabs(mean) > clear * deviation)) return SAYS_NOTHING;
  const double share = value / pow(10.0, power) / mean;
  return fabs(share - 1.0) < scatter + reach * deviation / fabs(mean) ? AGREES : DISAGREES;
}

static fcps_status judge_result(const fcps_study *s, const fcps_model *model, const fcps_rollout *r,
                                const unit_change *change, verdict *found)
{
  const size_t outcomes = (size_t)s->problem.outcome.count, parameters = (size_t)s->problem.parameters.count;
  double *room = fcps_allocate(2 * outcomes + parameters, sizeof *room), *mean = room;
  if (room == NULL) return FCPS_ERR_MEMORY;
  double *deviation = room + outcomes, *x = deviation + outcomes;
  fcps_posterior *posterior = NULL;
  fcps_error unwanted;
  const fcps_status status = fcps_posterior_create(&posterior, model, r->target, r->environment, &unwanted);
  fcps_space_to_unit(&s->problem.parameters, r->parameters, x);
  if (status == FCPS_OK && fcps_posterior_outcome(posterior, x, mean, deviation))
    *found = compare(r->outcome[change->outcome], mean[change->outcome], deviation[change->outcome], change->power);
  fcps_posterior_destroy(posterior);
  free(room);
  return status;
}

/* Whether the results before the cut predict those of a run after it, but for the factor. The run is from the first
 * to the last that the factor explains, and there is none in it that it does not. */
static bool is_explained(const fcps_study *s, const told_results *told, unit_change *change)
{
  fcps_policy *policy = NULL;
  const size_t cut = change->first;
  int agreeing = 0, between = 0;
  bool is_mixed = false;
  fcps_status status = learn_before(s, told, cut, &policy);
  const fcps_model *model = status == FCPS_OK && policy->ops->model != NULL ? policy->ops->model(policy) : NULL;
  for (size_t i = cut; i < told->count && model != NULL && status == FCPS_OK; i++) {
    verdict found = SAYS_NOTHING;
    if (told->items[i]->result.rollout.is_confirmed) continue;
    status = judge_result(s, model, &told->items[i]->result.rollout, change, &found);
    if (found == DISAGREES && agreeing == 0) change->first = i + 1;
    between += found == DISAGREES && agreeing > 0;
    if (found != AGREES) continue;
    is_mixed = is_mixed || between > 0;
    change->end = i + 1;
    agreeing++;
  }
  if (between == 0) change->end = told->count; /* the last ones say nothing against it */
  fcps_policy_destroy(policy);
  return status == FCPS_OK && !is_mixed && agreeing >= LEAST_RUN;
}

/* -- Words -- */

/* "the last 3 results of thickness, from 21.1 on," or "3 results of thickness, from 21.1 to 23.1," */
static void describe_run(const fcps_study *s, const told_results *told, const unit_change *change, size_t size,
                         char *text)
{
  char first[STUDY_RESULT_NAME_SIZE], last[STUDY_RESULT_NAME_SIZE];
  const char *outcome = s->problem.outcome.dims[change->outcome].name;
  const size_t count = change->end - change->first;
  fcps_study_name_result(told->items[change->first], first);
  fcps_study_name_result(told->items[change->end - 1], last);
  if (change->end == told->count)
    snprintf(text, size, "the last %zu results of %.100s, from %s on,", count, outcome, first);
  else
    snprintf(text, size, "%zu results of %.100s, from %s to %s,", count, outcome, first, last);
}

static void say(fcps_study *s, const told_results *told, const unit_change *change)
{
  char names[MOST_NAMED * (STUDY_RESULT_NAME_SIZE + 1)] = "", name[STUDY_RESULT_NAME_SIZE], factor[40], run[256];
  const size_t count = change->end - change->first;
  for (size_t i = change->first; i < change->end && count <= MOST_NAMED; i++) {
    const size_t used = strlen(names);
    fcps_study_name_result(told->items[i], name);
    snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? "," : "", name);
  }
  snprintf(factor, sizeof factor, change->power < 0 ? "1/%.0f of" : "%.0f times", pow(10.0, abs(change->power)));
  describe_run(s, told, change, sizeof run, run);
  fcps_study_make_remark(
      s, CODE, s->problem.outcome.dims[change->outcome].name, true,
      "%s are about %s what the %zu before them say: another unit? Take them out (fcps study amend %.200s --drop %s) "
      "and tell them again in the unit of the others; if they are right, --confirm each",
      run, factor, change->first, fcps_study_word(s), count <= MOST_NAMED ? names : "with the names of all of them");
}

void fcps_study_look_for_unit(fcps_study *s)
{
  told_results told = {0};
  fcps_study_withdraw_remarks(s, CODE);
  const fcps_status status = list_told(s, &told);
  for (int o = 0; o < s->problem.outcome.count && status == FCPS_OK; o++) {
    unit_change change = {.outcome = o};
    if (told.count < LEAST_BEFORE + LEAST_RUN || !cut_magnitudes(&told, &change)) continue;
    const bool was_held = fcps_study_set_held(s, true); /* the learner that is made has callbacks of its own */
    const bool is_found = is_explained(s, &told, &change);
    fcps_study_set_held(s, was_held);
    if (is_found) say(s, &told, &change);
  }
  free(told.items);
}
