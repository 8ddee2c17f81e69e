/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks about outcomes that look wrong, or for which no model can predict what the reward asks for. */
#include "base/memory.h"
#include "base/number.h"
#include "model/structures/doubts.h"
#include "problem/judge/judge.h"
#include "problem/problem.h"
#include "space/space.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Computes the reward that a result would have with another value of this outcome; false if it has no reward then. */
static bool score_moved(const fcps_study *s, const fcps_stored_result *stored, int outcome, double value,
                        double *reward)
{
  const fcps_rollout *r = &stored->result.rollout;
  double moved[FCPS_SPACE_MAX];
  const bool is_present = true;
  memcpy(moved, r->outcome, (size_t)s->problem.outcome.count * sizeof(double));
  moved[outcome] = value;
  return fcps_problem_score(&s->guarded, 1, r->target, r->environment, r->parameters, moved, &is_present, reward,
                            NULL) == FCPS_OK;
}

/* -- The same in every trial --
 *
 * If an outcome is the same in every trial although the trials differ, the cause may be a dead sensor or a pulled plug.
 * A model of this outcome is certain, and wrong. The remark needs FCPS_STUCK_LEAST results, as many as the model needs
 * to doubt equal results of a sensor that was dead for a while. There is no remark about an outcome that does not
 * change the reward, such as a flag that was never raised, as long as another outcome varies. A user who has confirmed
 * one of the results has said that they are right. */

/* The latest results with the same value of an outcome: how many there are, and at how many different places. */
typedef struct sameness {
  int results, places;
  bool is_same, is_confirmed;
  const fcps_stored_result *last;
} sameness;

/* Whether two results differ in environment or parameters. Both are compared together, because they stand side by side
 * in memory. */
static bool is_elsewhere(const fcps_study *s, const fcps_stored_result *a, const fcps_stored_result *b)
{
  for (int i = fcps_study_environment_offset(s); i < fcps_study_outcome_offset(s); i++)
    if (a->result.rollout.target[i] != b->result.rollout.target[i]) return true;
  return false;
}

static sameness compare_results(const fcps_study *s, int outcome)
{
  sameness found = {.is_same = true};
  for (size_t i = 0; i < s->result_count && found.is_same; i++) {
    const fcps_stored_result *stored = &s->results[i];
    if (!fcps_study_has_outcome(s, stored)) continue;
    found.places += found.last == NULL || is_elsewhere(s, stored, found.last);
    found.is_same =
        found.last == NULL || stored->result.rollout.outcome[outcome] == found.last->result.rollout.outcome[outcome];
    found.is_confirmed = found.is_confirmed || stored->result.rollout.is_confirmed;
    found.results++;
    found.last = stored;
  }
  if (found.last == NULL) return (sameness){0};
  found.is_same = found.is_same && found.places >= FCPS_STUCK_LEAST;
  return found;
}

/* Whether the reward of the last result changes if the outcome changes a little. */
static bool is_felt(const fcps_study *s, const fcps_stored_result *last, int outcome)
{
  const fcps_dimension *dim = s->problem.outcome.dims + outcome;
  const double value = last->result.rollout.outcome[outcome];
  const double size = dim->lower < dim->upper ? dim->upper - dim->lower : fmax(fabs(value), 1.0);
  double more, less;
  return score_moved(s, last, outcome, value + 1e-3 * size, &more) &&
         score_moved(s, last, outcome, value - 1e-3 * size, &less) && more != less;
}

/* -- The same since some trial --
 *
 * A sensor that has worked dies: from some result on all have one value, to the last bit. The first STOPPED of them are
 * judged, so that the remark stands as long as the value does. Honest outcomes repeat a value too, and are spared:
 * - counts and readings of few digits: earlier results would have repeated a value, or would have had this one;
 * - an end of the range, or rest: this value would be the least or the largest;
 * - a search that converges, and a flat region: the trials would be nearer to each other than to earlier ones, or the
 *   earlier results near them would have nearly this value. */

/* The fewest results that show it, and the fewest before them. */
enum { STOPPED = 8, LEAST_BEFORE = 10 };

/* The share of earlier results with a value of their own, and the distance from the value of the nearest earlier result,
 * as a share of the middle half of all, from which on a value is another one. */
static const double own_values = 0.8, another = 0.1;

/* The results with an outcome; those from `first` on have one value. */
typedef struct course {
  const fcps_stored_result **results;
  int count, first, outcome;
} course;

static double value_at(const course *c, int i)
{
  return c->results[i]->result.rollout.outcome[c->outcome];
}

/* The squared distance of two results in the unit cube of environment and parameters. */
static double distance_of(const fcps_study *s, const fcps_stored_result *a, const fcps_stored_result *b)
{
  const fcps_space *spaces[] = {&s->problem.environment, &s->problem.parameters};
  const fcps_rollout *r = &a->result.rollout, *q = &b->result.rollout;
  const double *places[][2] = {{r->environment, q->environment}, {r->parameters, q->parameters}};
  double sum = 0.0, one[FCPS_SPACE_MAX], other[FCPS_SPACE_MAX];
  for (int k = 0; k < 2; k++) {
    if (spaces[k]->count == 0) continue;
    fcps_space_to_unit(spaces[k], places[k][0], one);
    fcps_space_to_unit(spaces[k], places[k][1], other);
    for (int d = 0; d < spaces[k]->count; d++)
      sum += (one[d] - other[d]) * (one[d] - other[d]);
  }
  return sum;
}

/* Whether the earlier results are those of a measurement, and this value is new and lies between them. Writes the width
 * of their middle half. */
static bool is_new_between(const course *c, double *width)
{
  const double value = value_at(c, c->first);
  double *values = fcps_allocate((size_t)c->first, sizeof *values);
  int repeated = 0, equal = 0;
  for (int i = 0; i < c->first && values != NULL; i++) {
    values[i] = value_at(c, i);
    equal += values[i] == value;
  }
  if (values == NULL || equal > 0) {
    free(values);
    return false;
  }
  qsort(values, (size_t)c->first, sizeof *values, fcps_number_compare);
  for (int i = 1; i < c->first; i++)
    repeated += values[i] == values[i - 1];
  const bool is_between = values[0] < value && value < values[c->first - 1];
  *width = values[(3 * c->first) / 4] - values[c->first / 4];
  free(values);
  return is_between && repeated <= (1.0 - own_values) * c->first;
}

/* Lists the first STOPPED results of one value that are at a new place; returns whether there are so many. */
static bool list_stopped(const fcps_study *s, const course *c, const fcps_stored_result *listed[STOPPED])
{
  int count = 0;
  for (int i = c->first; i < c->count && count < STOPPED; i++) {
    bool is_new = true;
    for (int j = 0; j < count && is_new; j++)
      is_new = is_elsewhere(s, c->results[i], listed[j]);
    if (is_new) listed[count++] = c->results[i];
  }
  return count == STOPPED;
}

/* Whether the trials differ as those before them did, which had other values. */
static bool is_among_others(const fcps_study *s, const course *c, double width)
{
  const fcps_stored_result *listed[STOPPED];
  int among = 0, others = 0;
  if (!list_stopped(s, c, listed)) return false;
  for (int i = 0; i < STOPPED; i++) {
    double inside = INFINITY, outside = INFINITY, value = NAN;
    for (int j = 0; j < STOPPED; j++)
      if (j != i) inside = fmin(inside, distance_of(s, listed[i], listed[j]));
    for (int j = 0; j < c->first; j++) {
      const double distance = distance_of(s, listed[i], c->results[j]);
      if (!(distance < outside)) continue;
      outside = distance;
      value = value_at(c, j);
    }
    among += outside <= inside;
    others += fabs(value - value_at(c, c->first)) > another * width;
  }
  return 2 * among >= STOPPED && 2 * others >= STOPPED;
}

static bool is_in_course(const void *user, const fcps_stored_result *stored)
{
  const course *c = user;
  for (int i = c->first; i < c->count; i++)
    if (c->results[i] == stored) return true;
  return false;
}

static bool has_stopped(const fcps_study *s, course *c)
{
  double width;
  bool is_confirmed = false;
  for (c->first = c->count; c->first > 0 && value_at(c, c->first - 1) == value_at(c, c->count - 1); c->first--)
    is_confirmed = is_confirmed || c->results[c->first - 1]->result.rollout.is_confirmed;
  return c->first >= LEAST_BEFORE && c->count - c->first >= STOPPED && !is_confirmed && is_new_between(c, &width) &&
         is_among_others(s, c, width);
}

static void look_for_stops(fcps_study *s)
{
  course c = {.results = fcps_allocate(s->result_count, sizeof *c.results)};
  for (size_t i = 0; i < s->result_count && c.results != NULL; i++)
    if (fcps_study_has_outcome(s, &s->results[i])) c.results[c.count++] = &s->results[i];
  for (; c.outcome < s->problem.outcome.count && c.count > 0; c.outcome++) {
    const char *name = s->problem.outcome.dims[c.outcome].name;
    char names[4 * FCPS_STUDY_NAME_PART], last[STUDY_RESULT_NAME_SIZE];
    if (!has_stopped(s, &c)) continue;
    fcps_study_list_names(s, is_in_course, &c, 3, sizeof names, names);
    fcps_study_name_result(c.results[c.count - 1], last);
    fcps_study_make_remark(
        s, "W_SAME_OUTCOME", name,
        "outcome %.100s was %.6g in each of the newest %d results, although the trials differ and it varied before. Is "
        "a sensor dead? If so, take them out (fcps study amend %.200s --drop %s); if they are right, --confirm %s",
        name, value_at(&c, c.first), c.count - c.first, fcps_study_word(s), names, last);
  }
  free(c.results);
}

void fcps_study_look_for_same_outcomes(fcps_study *s)
{
  const fcps_space *outcomes = &s->problem.outcome;
  int same = 0;
  if (s->problem.reward == NULL) return; /* Rewards are told here, and not computed from the outcomes. */
  look_for_stops(s);
  for (int o = 0; o < outcomes->count; o++)
    same += compare_results(s, o).is_same;
  for (int o = 0; o < outcomes->count && same > 0; o++) {
    const sameness found = compare_results(s, o);
    char name[STUDY_RESULT_NAME_SIZE];
    if (!found.is_same || found.is_confirmed || (same < outcomes->count && !is_felt(s, found.last, o))) continue;
    fcps_study_name_result(found.last, name);
    fcps_study_make_remark(
        s, "W_SAME_OUTCOME", outcomes->dims[o].name,
        "outcome %.100s was %.6g in all %d results, although the trials differ. Is a sensor dead? If so, take its "
        "results out (fcps study amend %.200s --drop %s, and so on); if they are right, --confirm %s",
        outcomes->dims[o].name, found.last->result.rollout.outcome[o], found.results, fcps_study_word(s), name, name);
  }
}

/* -- Two values --
 *
 * An outcome may take only two values, such as 0 for a miss and 1 for a hit. A model of outcomes predicts a smooth
 * curve through them, and between two equal values its deviation says nothing about the chance of the other value: the
 * predicted reward of `hit > 0.5 ? 1 : -1` is certain there, and often wrong. The study only warns, because the policy
 * may still be good; but the model cannot tell. */

/* With fewer results, it may be chance that there are only two values. */
enum { LEAST_FOR_TWO = 10 };

typedef struct two_values {
  int results, values;
  double value[2];
} two_values;

static two_values count_values(const fcps_study *s, int outcome)
{
  two_values found = {0};
  for (size_t i = 0; i < s->result_count && found.values <= 2; i++) {
    if (!fcps_study_has_outcome(s, &s->results[i])) continue;
    const double value = s->results[i].result.rollout.outcome[outcome];
    bool is_known = false;
    for (int v = 0; v < found.values && v < 2; v++)
      is_known = is_known || value == found.value[v];
    if (!is_known && found.values < 2) found.value[found.values] = value;
    found.values += !is_known;
    found.results++;
  }
  return found;
}

/* Whether any result would have another reward with the other value. */
static bool matters(const fcps_study *s, int outcome, const two_values *found)
{
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_stored_result *stored = &s->results[i];
    double reward, other;
    if (!fcps_study_has_outcome(s, stored) || !fcps_study_score(s, stored, &reward)) continue;
    const double value = stored->result.rollout.outcome[outcome];
    if (score_moved(s, stored, outcome, found->value[value == found->value[0]], &other) && other != reward) return true;
  }
  return false;
}

void fcps_study_look_for_two_values(fcps_study *s)
{
  if (s->problem.reward == NULL) return;
  for (int o = 0; o < s->problem.outcome.count; o++) {
    const char *name = s->problem.outcome.dims[o].name;
    const two_values found = count_values(s, o);
    if (found.values != 2 || found.results < LEAST_FOR_TWO || !matters(s, o, &found)) continue;
    fcps_study_make_remark(
        s, "W_TWO_VALUES", name,
        "outcome %.100s was %.6g or %.6g in all %d results. The model predicts a curve between the "
        "two and is too sure of it, so it cannot tell when more trials are no use. Measure how near a trial "
        "was (a distance, a force), or report a trial as failed if its outcome must not happen",
        name, fmin(found.value[0], found.value[1]), fmax(found.value[0], found.value[1]), found.results);
  }
}

/* -- Outside its range --
 *
 * If an outcome is often outside its range, the range or the results have the wrong unit. A model takes such an outcome
 * as the end of the range; if that happens often, the model learns the range and not the outcome. A few results outside
 * need no remark, because the user was warned when each of them was told. */

/* A remark needs at least this share of the results outside, and at least this number. */
static const double too_many = 0.1;
enum { LEAST_OUTSIDE = 3 };

void fcps_study_look_at_ranges(fcps_study *s)
{
  for (int o = 0; o < s->problem.outcome.count; o++) {
    const fcps_dimension *dim = s->problem.outcome.dims + o;
    int told = 0, outside = 0;
    double last = 0.0;
    for (size_t i = 0; i < s->result_count; i++) {
      const fcps_rollout *r = &s->results[i].result.rollout;
      if (!fcps_study_has_outcome(s, &s->results[i])) continue;
      told++;
      if (r->is_confirmed || fcps_dimension_clip(dim, r->outcome[o]) == r->outcome[o]) continue;
      outside++;
      last = r->outcome[o];
    }
    if (outside < LEAST_OUTSIDE || !(outside > too_many * told)) continue;
    fcps_study_make_remark(
        s, "W_OUTSIDE_RANGE", dim->name,
        "%d of %d results of %.100s are outside its range, %.6g to %.6g (the last is %.6g); models take "
        "each as the end of the range. Is the unit wrong? Correct the range: fcps study amend %.200s --bounds "
        "%.100s=LOWER,UPPER; if the results are wrong, take them out with --drop",
        outside, told, dim->name, dim->lower, dim->upper, last, fcps_study_word(s), dim->name);
  }
}

/* -- Exact values in a reward --
 *
 * Some rewards depend on an exact value of an outcome, such as `hit ? 1 : -1`, `count == 3` or `hit > 0`. A model of
 * outcomes predicts an outcome with a deviation, never exactly, so it takes the exact value for impossible: the
 * expected reward is certain, and wrong. A formula shows this by itself, even if no trial has met the value yet. For
 * every other kind of reward function the stored results show it: their rewards change if the outcome moves by a tiny
 * amount. */

/* Only this many of the latest results are looked at. */
enum { LATEST = 200 };

static size_t first_of(const fcps_study *s)
{
  return s->result_count > LATEST ? s->result_count - LATEST : 0;
}

/* `hair` is the tiny amount, as a share of the range of the outcome. `share` is the share of the results whose reward
 * must change with it. */
static const double hair = 1e-7, share = 0.1;

/* The range of an outcome over the results that count. If it does not vary, its size is returned instead. If it is
 * always 0, a tiny number is returned, so that no slope looks like a jump, whatever the unit. */
static double range_of(const fcps_study *s, int outcome)
{
  double least = INFINITY, most = -INFINITY;
  for (size_t i = first_of(s); i < s->result_count; i++) {
    const double *values = s->results[i].result.rollout.outcome;
    if (!s->results[i].is_used || values == NULL || !isfinite(values[outcome])) continue;
    least = fmin(least, values[outcome]);
    most = fmax(most, values[outcome]);
  }
  return most > least ? most - least : fabs(most) > 0 ? fabs(most) : 1e-100;
}

/* The range of the rewards of results with an outcome. */
static double reward_range(const fcps_study *s)
{
  double least = INFINITY, most = -INFINITY, reward;
  for (size_t i = first_of(s); i < s->result_count; i++) {
    if (!s->results[i].is_used || s->results[i].result.rollout.outcome == NULL) continue;
    if (!fcps_study_score(s, &s->results[i], &reward) || !isfinite(reward)) continue;
    least = fmin(least, reward);
    most = fmax(most, reward);
  }
  return most - least;
}

/* Whether the reward of a result changes by more than `jump` if its outcome changes by `step`. */
static bool jumps(const fcps_study *s, const fcps_stored_result *stored, double reward, double jump, int outcome,
                  double step)
{
  double other;
  return score_moved(s, stored, outcome, stored->result.rollout.outcome[outcome] + step, &other) && isfinite(other) &&
         fabs(other - reward) > jump;
}

/* Whether enough of the results with a reward jump with this outcome. If all rewards are equal, no result jumps. */
static bool is_exact(const fcps_study *s, int outcome)
{
  const double step = hair * range_of(s, outcome), jump = 1e-3 * reward_range(s);
  int scored = 0, jumping = 0;
  for (size_t i = first_of(s); i < s->result_count; i++) {
    const fcps_stored_result *r = &s->results[i];
    double reward;
    if (!r->is_used || r->result.rollout.outcome == NULL || !fcps_study_score(s, r, &reward)) continue;
    scored++;
    jumping += jumps(s, r, reward, jump, outcome, step) || jumps(s, r, reward, jump, outcome, -step);
  }
  return jump > 0.0 && jumping > 0 && jumping >= share * scored;
}

/* Finds an outcome on whose exact value the reward depends; -1 if there is none. */
static int find_exact(const fcps_study *s)
{
  const fcps_reward_formula *formula = fcps_reward_formula_of(&s->problem);
  const int written = formula != NULL ? fcps_reward_exact_outcome(formula) : -1;
  for (int o = 0; o < s->problem.outcome.count && written < 0; o++)
    if (is_exact(s, o)) return o;
  return written;
}

void fcps_study_look_for_exactness(fcps_study *s)
{
  const int outcome = s->problem.reward != NULL ? find_exact(s) : -1;
  if (outcome < 0) return;
  const char *name = s->problem.outcome.dims[outcome].name;
  fcps_study_make_remark(
      s, "W_EXACT_OUTCOME", name,
      "the reward asks for the exact value of outcome %.100s, which no model predicts, so predicted rewards "
      "are wrong. Ask for a range, such as %.100s > 0.5 for 0 and 1, or abs(%.100s - 3) < 0.5",
      name, name, name);
}
