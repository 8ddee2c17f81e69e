/* SPDX-License-Identifier: Apache-2.0 */
/* Repeated trials whose outcomes differ by more than their told deviations allow.
 *
 * For n results y_i +- s_i with the same environment and parameters, sum_i (y_i - m)^2/s_i^2 around the weighted
 * mean m is chi-squared with n - 1 degrees of freedom. The study warns if the sum exceeds the value that one place
 * in a thousand exceeds by chance. Nothing else depends on it: the model adds the missing noise to all rows.
 */
#include "base/checksum.h"
#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdlib.h>

/* The value that a chi-squared variable exceeds once in a thousand times (Wilson and Hilferty's cube root, within 3 %
 * for one degree of freedom, and better for more). */
static double rare_chi_squared(int degrees)
{
  const double part = 2.0 / (9.0 * degrees), root = 1.0 - part + 3.090 * sqrt(part);
  return degrees * root * root * root;
}

/* Whether a result counts and has a told deviation. */
static bool has_deviation(const fcps_study *s, const fcps_stored_result *stored)
{
  const fcps_rollout *r = &stored->result.rollout;
  return stored->is_used && !stored->is_misplaced && r->status == FCPS_ROLLOUT_OK && r->outcome_deviation != NULL &&
         fcps_rollout_values_usable(s->problem.outcome.count, r->outcome);
}

/* Whether two results have the same environment and parameters. Both are compared together, because they stand side by
 * side in memory. */
static bool same_place(const fcps_study *s, const fcps_rollout *a, const fcps_rollout *b)
{
  for (int i = fcps_study_environment_offset(s); i < fcps_study_outcome_offset(s); i++)
    if (a->target[i] != b->target[i]) return false;
  return true;
}

/* The statistics of one outcome over the results at one place. */
typedef struct repeated {
  int count;
  double weights, mean, least_deviation;
  /* sums of squared distances from the mean: in units of the told deviations, and in units of the outcome */
  double chi_squared, squares;
} repeated;

/* The variance that was told, plus the variance of rounding. */
static double told_variance(double outcome, double deviation)
{
  const double rounding = 1e-9 * fabs(outcome);
  return deviation * deviation + rounding * rounding + 1e-300;
}

/* The results at one place, in the order in which they were stored. */
typedef struct place {
  size_t count;
  size_t *results;
} place;

static void add_if_there(const fcps_study *s, const fcps_rollout *at, size_t index, place *p)
{
  if (has_deviation(s, &s->results[index]) && same_place(s, &s->results[index].result.rollout, at))
    p->results[p->count++] = index;
}

static repeated compare_results(const fcps_study *s, const place *p, int outcome)
{
  repeated found = {.count = (int)p->count, .least_deviation = INFINITY};
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < p->count; i++) {
      const fcps_rollout *r = &s->results[p->results[i]].result.rollout;
      const double y = r->outcome[outcome], v = told_variance(y, r->outcome_deviation[outcome]);
      if (pass == 0) {
        found.weights += 1.0 / v;
        found.mean += (y - found.mean) / v / found.weights;
        found.least_deviation = fmin(found.least_deviation, r->outcome_deviation[outcome]);
      } else {
        found.chi_squared += (y - found.mean) * (y - found.mean) / v;
        found.squares += (y - found.mean) * (y - found.mean);
      }
    }
  }
  return found;
}

static void warn_of_place(const fcps_study *s, const place *p)
{
  for (int i = 0; i < s->problem.outcome.count && p->count >= 2; i++) {
    const repeated found = compare_results(s, p, i);
    if (!(found.chi_squared > rare_chi_squared(found.count - 1))) continue;
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_SCATTER",
                 "outcome.%s: %d results with the same environment and parameters scatter by %.3g, but a deviation of "
                 "%.3g was told. The model adds the noise that is missing; check outcome_sd, or whether something else "
                 "changes between trials",
                 s->problem.outcome.dims[i].name, found.count, sqrt(found.squares / (found.count - 1)),
                 found.least_deviation);
  }
}

/* If there is no memory for a warning, the warning is left out. */

void fcps_study_warn_of_scatter(const fcps_study *s, const fcps_rollout *at)
{
  place p = {.results = fcps_allocate(s->result_count + 1, sizeof *p.results)};
  for (size_t i = 0; i < s->result_count && p.results != NULL; i++)
    add_if_there(s, at, i, &p);
  warn_of_place(s, &p);
  free(p.results);
}

/* Whether result `index` is the last one at its place that has a told deviation. */
static bool is_last(const fcps_study *s, size_t index, const study_place *near, size_t count)
{
  while (count > 0 && near[count - 1].index > index) {
    const fcps_stored_result *later = &s->results[near[--count].index];
    if (has_deviation(s, later) && same_place(s, &later->result.rollout, &s->results[index].result.rollout))
      return false;
  }
  return true;
}

/* Checks each place once, when its last result comes. */
static void warn_of_new(const fcps_study *s, int64_t sequence, const study_places *places, place *p)
{
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_stored_result *stored = &s->results[i];
    const study_place *near;
    if (stored->sequence <= sequence || !has_deviation(s, stored)) continue;
    const size_t count = fcps_study_places_find(places, s, &stored->result.rollout, &near);
    if (!is_last(s, i, near, count)) continue;
    p->count = 0;
    for (size_t k = 0; k < count; k++)
      add_if_there(s, &stored->result.rollout, near[k].index, p);
    warn_of_place(s, p);
  }
}

void fcps_study_warn_of_scatter_since(const fcps_study *s, int64_t sequence)
{
  study_places places;
  place p = {.results = fcps_allocate(s->result_count + 1, sizeof *p.results)};
  if (fcps_study_places_create(&places, s, NULL) == FCPS_OK && p.results != NULL) warn_of_new(s, sequence, &places, &p);
  fcps_study_places_destroy(&places);
  free(p.results);
}

/* -- Results by place --
 *
 * Results are sorted by a checksum of their environment and parameters, so comparing n results with n others takes time
 * n log n. */

/* The checksum of a result's place. Numbers that compare equal get equal bytes: both zeros, and all NaNs. */
static uint64_t hash_place(const fcps_study *s, const fcps_rollout *r)
{
  uint64_t hash = FCPS_CHECKSUM_START;
  for (int i = fcps_study_environment_offset(s); i < fcps_study_outcome_offset(s); i++) {
    const double value = r->target[i], plain = isnan(value) ? (double)NAN : value == 0.0 ? 0.0 : value;
    hash = fcps_checksum_add(hash, &plain, sizeof plain);
  }
  return hash;
}

static int compare(const void *left, const void *right)
{
  const study_place *a = left, *b = right;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

fcps_status fcps_study_places_create(study_places *places, const fcps_study *s, fcps_error *error)
{
  *places =
      (study_places){.count = s->result_count, .sorted = fcps_allocate(s->result_count + 1, sizeof *places->sorted)};
  if (places->sorted == NULL) return fcps_error_memory(error);
  for (size_t i = 0; i < places->count; i++)
    places->sorted[i] = (study_place){hash_place(s, &s->results[i].result.rollout), i};
  qsort(places->sorted, places->count, sizeof *places->sorted, compare);
  return FCPS_OK;
}

void fcps_study_places_destroy(study_places *places)
{
  free(places->sorted);
}

/* Finds the first place whose hash is not below `hash`. */
static size_t find_first(const study_places *places, uint64_t hash)
{
  size_t low = 0, high = places->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (places->sorted[middle].hash < hash)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

size_t fcps_study_places_find(const study_places *places, const fcps_study *s, const fcps_rollout *at,
                              const study_place **found)
{
  const uint64_t hash = hash_place(s, at);
  const size_t first = find_first(places, hash);
  size_t count = 0;
  while (first + count < places->count && places->sorted[first + count].hash == hash)
    count++;
  *found = places->sorted + first;
  return count;
}
