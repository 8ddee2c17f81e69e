/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts the result of an ask, and compares a result with the prediction. */
#include "study/study_impl.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "learner/learner.h"
#include "model/structures/doubts.h"
#include "problem/judge/judge.h"
#include "problem/problem.h"
#include "space/space.h"
#include "study/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An expectation has the outcome, its deviations, and then these numbers. */
enum { REWARD, REWARD_DEVIATION, SUCCESS, OUTCOME, OTHERS };

int fcps_study_expectation_width(const fcps_study *s)
{
  return 2 * s->problem.outcome.count + OTHERS;
}

fcps_status fcps_study_expect(fcps_study *s, const double *numbers, double *expected, fcps_error *error)
{
  const int outcomes = s->problem.outcome.count;
  double *rest = expected + 2 * outcomes;
  fcps_prediction prediction = {.outcome = expected, .outcome_deviation = expected + outcomes};
  /* The prediction may call functions of the user, which must not use the study. */
  const bool was_held = fcps_study_set_held(s, true);
  const fcps_status status = fcps_learner_expect(s->learner, numbers, numbers + fcps_study_environment_offset(s),
                                                 numbers + fcps_study_parameters_offset(s), &prediction, error);
  fcps_study_set_held(s, was_held);
  const bool has_outcome = prediction.has_outcome && fcps_rollout_values_usable(2 * outcomes, expected);
  const bool has_reward = prediction.has_reward && isfinite(prediction.reward) && isfinite(prediction.reward_deviation);
  for (int i = 0; i < 2 * outcomes && !has_outcome; i++)
    expected[i] = NAN;
  rest[REWARD] = has_reward ? prediction.reward : NAN;
  rest[REWARD_DEVIATION] = has_reward ? prediction.reward_deviation : NAN;
  rest[SUCCESS] = prediction.has_reward ? prediction.chance_of_success : NAN;
  rest[OUTCOME] = prediction.has_reward ? prediction.chance_of_outcome : NAN;
  return status;
}

bool fcps_study_expects(const fcps_study *s, const double *expected)
{
  const int outcomes = s->problem.outcome.count;
  return !isnan(expected[2 * outcomes + REWARD]) || (outcomes > 0 && !isnan(expected[0]));
}

fcps_expectation fcps_study_expectation_of(const fcps_study *s, const study_ask *ask)
{
  const int outcomes = s->problem.outcome.count;
  if (ask == NULL || ask->expected == NULL) return (fcps_expectation){.has_outcome = false};
  const double *rest = ask->expected + 2 * outcomes;
  fcps_expectation shown = {.has_outcome = outcomes > 0 && !isnan(ask->expected[0]),
                            .has_reward = !isnan(rest[REWARD]) && ask->sequence > s->reward_sequence,
                            .chance_of_success = rest[SUCCESS],
                            .chance_of_outcome = rest[OUTCOME]};
  if (shown.has_outcome) {
    shown.outcome = ask->expected;
    shown.outcome_deviation = ask->expected + outcomes;
  }
  if (shown.has_reward) {
    shown.reward = rest[REWARD];
    shown.reward_deviation = rest[REWARD_DEVIATION];
  }
  return shown;
}

/* -- Comparing -- */

/* The values of one outcome, or the rewards, of all earlier results. */
typedef struct other_numbers {
  int count;
  double least, most, *values;
} other_numbers;

static bool number_of(const fcps_study *s, const fcps_stored_result *stored, int outcome, double *number)
{
  const fcps_rollout *r = &stored->result.rollout;
  if (stored->is_misplaced || r->status != FCPS_ROLLOUT_OK) return false;
  if (outcome < 0) return fcps_study_score(s, stored, number) && isfinite(*number);
  if (r->outcome == NULL || !fcps_rollout_values_usable(s->problem.outcome.count, r->outcome)) return false;
  *number = r->outcome[outcome];
  return true;
}

static bool collect(const fcps_study *s, const study_ask *ask, int outcome, other_numbers *others)
{
  *others = (other_numbers){.least = INFINITY, .most = -INFINITY};
  others->values = fcps_allocate(s->result_count + 1, sizeof *others->values);
  for (size_t i = 0; others->values != NULL && i < s->result_count; i++) {
    double *number = others->values + others->count;
    if (s->results[i].sequence >= ask->sequence || !s->results[i].is_used ||
        !number_of(s, &s->results[i], outcome, number))
      continue;
    others->least = fmin(others->least, *number);
    others->most = fmax(others->most, *number);
    others->count++;
  }
  return others->values != NULL;
}

/* Whether an outcome takes only a few values again and again, as counts and flags do. Such a value may come again at
 * any trial, so it is never a surprise. */
static bool are_counts(other_numbers *others)
{
  int most = 0;
  qsort(others->values, (size_t)others->count, sizeof *others->values, fcps_number_compare);
  for (int i = 0, run = 0; i < others->count; i++) {
    run = i > 0 && others->values[i] == others->values[i - 1] ? run + 1 : 1;
    most = run > most ? run : most;
  }
  return most > 1 + others->count / 4;
}

/* Returns a difference below which a number is never a surprise, however exact the expectation is. It is a thousandth
 * of the range of earlier results, of this outcome or of another outcome in the same unit. */
static double trifle_of(const fcps_study *s, const study_ask *ask, int outcome)
{
  static const double share = 1e-3;
  const fcps_dimension *dims = s->problem.outcome.dims;
  double largest = 0.0;
  for (int o = 0; o < s->problem.outcome.count; o++) {
    other_numbers others;
    if (o != outcome && (dims[o].unit == NULL || !fcps_dimension_has_unit_of(dims + o, dims + outcome))) continue;
    if (collect(s, ask, o, &others) && others.count > 0) largest = fmax(largest, others.most - others.least);
    free(others.values);
  }
  return share * largest;
}

/* Whether the trial was done in the environment and with the parameters of its ask. Both stand side by side, so one
 * comparison is enough. */
static bool is_as_asked(const fcps_study *s, const study_ask *ask, const fcps_rollout *r)
{
  const int first = fcps_study_environment_offset(s);
  return memcmp(r->target + first, ask->numbers + first,
                (size_t)(fcps_study_outcome_offset(s) - first) * sizeof(double)) == 0;
}

/* -- The record of earlier predictions --
 *
 * A number among those of other results may be a jump of the function. So it is a surprise only if the study has
 * predicted this outcome so well that such a distance stands out: the deviations of its predictions, which are those of
 * a model that may be wrong, are first made as large as the record needs. */

/* The newest RECORD predictions count; fewer than LEAST_RECORD say nothing. */
enum { RECORD = 40, LEAST_RECORD = 15 };

/* The share of the record that lies within `usual` deviations if these are right. */
static const double kept_share = 0.9, usual = 1.645;

/* Returns the factor by which the deviations of an outcome were too small in the record; INFINITY if it is too short. */
static double record_of(const fcps_study *s, const study_ask *ask, int outcome)
{
  double distances[RECORD], told;
  int count = 0;
  for (size_t i = s->result_count; i-- > 0 && count < RECORD;) {
    const fcps_stored_result *r = &s->results[i];
    const study_ask *asked = r->ask != FCPS_NOT_ASKED ? fcps_study_find_ask(s, r->ask) : NULL;
    const fcps_expectation e = fcps_study_expectation_of(s, asked);
    if (r->sequence >= ask->sequence || !r->is_used || !e.has_outcome || !is_as_asked(s, asked, &r->result.rollout) ||
        !number_of(s, r, outcome, &told))
      continue;
    distances[count++] = fabs(told - e.outcome[outcome]) / e.outcome_deviation[outcome];
  }
  if (count < LEAST_RECORD) return INFINITY;
  qsort(distances, (size_t)count, sizeof *distances, fcps_number_compare);
  return fmax(1.0, distances[(int)(kept_share * count)] / usual);
}

/* Whether a reported number is a surprise. `outcome` is -1 for the reward. */
static bool surprises(const fcps_study *s, const study_ask *ask, int outcome, const study_surprise *found)
{
  const fcps_dimension *dim = outcome >= 0 ? s->problem.outcome.dims + outcome : NULL;
  const double within = dim != NULL ? fcps_dimension_clip(dim, found->told) : found->told;
  const double least_distance = FCPS_SURPRISING * found->deviation;
  double lower = -INFINITY, upper = INFINITY;
  if (!(fabs(within - found->expected) > least_distance)) return false;
  if (dim != NULL) fcps_problem_find_span(&s->problem, outcome, &lower, &upper);
  /* The model has learnt numbers that were clipped to the bounds and to the range that the reward follows, so the
   * expectation is compared with the clipped number. */
  const double distance = fabs(fmin(fmax(within, lower), upper) - found->expected);
  other_numbers others;
  if (!(distance > least_distance) || !collect(s, ask, outcome, &others)) return false;
  const bool is_slip = within != found->told ||
                       (dim != NULL && fcps_doubt_is_lost_point(found->told, found->expected, found->deviation));
  const double least = fcps_doubt_distance(FCPS_SURPRISING, others.count) * found->deviation;
  const bool is_surprising =
      distance > least &&
      (is_slip || !fcps_doubt_is_within(others.least, others.most, found->told, FCPS_LIKE_NO_OTHER) ||
       (dim != NULL && distance > record_of(s, ask, outcome) * least)) &&
      !are_counts(&others) && (dim == NULL || distance >= trifle_of(s, ask, outcome));
  free(others.values);
  return is_surprising;
}

bool fcps_study_is_surprising(const fcps_study *s, const fcps_stored_result *stored, study_surprise *surprise)
{
  const study_ask *ask = stored->ask != FCPS_NOT_ASKED ? fcps_study_find_ask(s, stored->ask) : NULL;
  const fcps_expectation expected = fcps_study_expectation_of(s, ask);
  double furthest = 0.0, told;
  if (!(expected.has_outcome || expected.has_reward) || !is_as_asked(s, ask, &stored->result.rollout)) return false;
  for (int o = 0; expected.has_outcome && o < s->problem.outcome.count; o++) {
    if (!number_of(s, stored, o, &told)) continue;
    const study_surprise found = {s->problem.outcome.dims[o].name, told, expected.outcome[o],
                                  expected.outcome_deviation[o]};
    const double distance = fabs(told - found.expected) / found.deviation;
    if (!(distance > furthest) || !surprises(s, ask, o, &found)) continue;
    furthest = distance;
    *surprise = found;
  }
  if (expected.has_outcome || !number_of(s, stored, -1, &told)) return furthest > 0.0;
  *surprise = (study_surprise){"reward", told, expected.reward, expected.reward_deviation};
  return surprises(s, ask, -1, surprise);
}

/* Writes the deviation with two digits, and the expected number with as many decimal places as the deviation. */
void fcps_study_describe_surprise(const study_surprise *surprise, char text[STUDY_SURPRISE_SIZE])
{
  const double magnitude = floor(log10(surprise->deviation)), most = 9.0;
  const int places = (int)fmin(fmax(1.0 - magnitude, 0.0), most);
  const bool is_plain = magnitude >= -6.0 && fabs(surprise->expected) < 1e9;
  char expected[2][40];
  snprintf(expected[0], sizeof expected[0], is_plain ? "%.*f" : "%.*g", is_plain ? places : 4, surprise->expected);
  snprintf(expected[1], sizeof expected[1], "%.2g", surprise->deviation);
  snprintf(text, STUDY_SURPRISE_SIZE, "%.100s=%.6g, but %s +- %s was expected", surprise->name, surprise->told,
           expected[0], expected[1]);
}

/* -- Two results that were swapped -- */

/* Whether a result is what an ask expected, in all outcomes. */
static bool fits(const fcps_study *s, const fcps_stored_result *stored, const study_ask *ask)
{
  static const double near = 3.0;
  const fcps_expectation e = fcps_study_expectation_of(s, ask);
  double told;
  for (int o = 0; e.has_outcome && o < s->problem.outcome.count; o++)
    if (!number_of(s, stored, o, &told) || !(fabs(told - e.outcome[o]) <= near * e.outcome_deviation[o])) return false;
  return e.has_outcome;
}

/* Finds an ask near that of a result which expected this result, and whose own result, if it has one, fits the ask of
 * this result; NULL if there is none. */
static const study_ask *find_swapped(const fcps_study *s, const fcps_stored_result *stored)
{
  enum { NEAR_ASKS = 10 };
  const study_ask *own = stored->ask != FCPS_NOT_ASKED ? fcps_study_find_ask(s, stored->ask) : NULL;
  for (size_t i = 0; own != NULL && i < s->ask_count; i++) {
    const study_ask *other = &s->asks[i];
    const fcps_stored_result *its = fcps_study_find_numbered_result(s, other->id, other->used);
    if (other != own && llabs(other->id - own->id) <= NEAR_ASKS && fits(s, stored, other) &&
        (its != NULL ? fits(s, its, own) : other->state == FCPS_ASK_PENDING))
      return other;
  }
  return NULL;
}

void fcps_study_say_surprise(const fcps_study *s, const fcps_stored_result *stored, const study_surprise *surprise)
{
  char text[STUDY_SURPRISE_SIZE], name[STUDY_RESULT_NAME_SIZE], swapped[100] = "";
  const study_ask *other = find_swapped(s, stored);
  fcps_study_describe_surprise(surprise, text);
  fcps_study_name_result(stored, name);
  if (other != NULL)
    snprintf(swapped, sizeof swapped, "; ask %lld expected such a result: were the two swapped?", (long long)other->id);
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_SURPRISE",
               "%s; a typo? fcps study amend %.200s --drop %s, or --confirm %s%s", text, fcps_study_word(s), name, name,
               swapped);
}
