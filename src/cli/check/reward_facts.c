/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a reward by trying it. At random points one dimension after the other goes through a grid of its range:
 * where the reward changes, it depends on the dimension. A target is what one wants, so a reward that has its best value
 * where target and outcome agree is best at some inner point of the grid; one with the wrong sign is worst there. An
 * outcome without a range may have values that nobody tries: there the formula says whether it is used. */
#include "cli/check/reward_facts.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 64, GRID = 33, SEED = 1 };

/* Where a reward is tried: the values of all four spaces, one after the other, and the range of each. */
typedef struct probe {
  const fcps_problem *problem;
  const fcps_space *spaces[4];
  int first[4], width;
  double *values, *lower, *upper; /* of `width` numbers each */
} probe;

static fcps_status score(const probe *p, double *reward)
{
  const bool present = true;
  const double *v = p->values;
  *reward = NAN;
  return p->problem->reward(p->problem->user, 1, v + p->first[0], v + p->first[1], v + p->first[2], v + p->first[3],
                            &present, reward);
}

/* An outcome without a range is tried between the outcomes that were seen, and as far again on either side. */
static void find_range(const fcps_problem *problem, int outcome, int count, const double *outcomes, double *lower,
                       double *upper)
{
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < count; i++) {
    const double value = outcomes[i * problem->outcome.count + outcome];
    if (!isfinite(value)) continue;
    least = fmin(least, value);
    most = fmax(most, value);
  }
  if (!(least <= most)) least = most = 0;
  const double spread = fmax(most - least, fmax(fabs(least), 1));
  *lower = least - spread;
  *upper = most + spread;
}

static void find_ranges(probe *p, int count, const double *outcomes)
{
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < p->spaces[s]->count; i++) {
      const fcps_dimension *dim = &p->spaces[s]->dims[i];
      double *lower = &p->lower[p->first[s] + i], *upper = &p->upper[p->first[s] + i];
      *lower = dim->lower;
      *upper = dim->upper;
      if (!(dim->lower < dim->upper)) find_range(p->problem, i, count, outcomes, lower, upper);
    }
}

/* Where an outcome alone achieves a target, and has no range, it is tried where targets are. */
static void widen_to_targets(probe *p)
{
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < p->spaces[0]->count; i++) {
    least = fmin(least, p->spaces[0]->dims[i].lower);
    most = fmax(most, p->spaces[0]->dims[i].upper);
  }
  for (int i = 0; i < p->spaces[3]->count; i++) {
    const fcps_dimension *dim = &p->spaces[3]->dims[i];
    if (dim->lower < dim->upper) continue;
    p->lower[p->first[3] + i] = fmin(p->lower[p->first[3] + i], least);
    p->upper[p->first[3] + i] = fmax(p->upper[p->first[3] + i], most);
  }
}

static void place_at_random(probe *p, int point)
{
  fcps_rng rng = fcps_rng_stream(SEED, FCPS_PURPOSE_EVALUATION, (uint64_t)point);
  for (int i = 0; i < p->width; i++)
    p->values[i] = p->lower[i] + (p->upper[i] - p->lower[i]) * fcps_rng_uniform(&rng);
}

/* The rewards along a dimension, from its lower end to its upper one. */
static fcps_status scan(probe *p, int index, double rewards[GRID])
{
  const double kept = p->values[index];
  fcps_status status = FCPS_OK;
  for (int g = 0; g < GRID && status == FCPS_OK; g++) {
    p->values[index] = p->lower[index] + (p->upper[index] - p->lower[index]) * g / (GRID - 1);
    status = score(p, &rewards[g]);
  }
  p->values[index] = kept;
  return status;
}

/* What a scan shows. */
typedef struct course {
  bool has_value, changes;
  bool is_best_inside, is_worst_inside; /* strictly, and not at its other end */
} course;

static course look_at(const double rewards[GRID])
{
  course c = {0};
  int best = -1, worst = -1;
  for (int g = 0; g < GRID; g++) {
    if (!isfinite(rewards[g])) continue;
    if (best < 0 || rewards[g] > rewards[best]) best = g;
    if (worst < 0 || rewards[g] < rewards[worst]) worst = g;
  }
  c.has_value = best >= 0;
  c.changes = c.has_value && rewards[best] > rewards[worst];
  const double ends_most = fmax(rewards[0], rewards[GRID - 1]), ends_least = fmin(rewards[0], rewards[GRID - 1]);
  c.is_best_inside = c.changes && rewards[best] > ends_most;
  c.is_worst_inside = c.changes && rewards[worst] < ends_least;
  return c;
}

static fcps_status try_dimension(probe *p, int s, int i, cli_reward_facts *facts)
{
  int best_inside = 0, worst_inside = 0;
  for (int point = 0; point < POINTS; point++) {
    double rewards[GRID];
    place_at_random(p, point);
    const fcps_status status = scan(p, p->first[s] + i, rewards);
    if (status != FCPS_OK) return status;
    const course c = look_at(rewards);
    facts->has_value |= c.has_value;
    facts->depends[s][i] |= c.changes;
    best_inside += c.is_best_inside;
    worst_inside += c.is_worst_inside;
  }
  if (s == 0) facts->is_contrary[i] = worst_inside > POINTS / 8 && best_inside == 0;
  return FCPS_OK;
}

fcps_status cli_reward_facts_find(const fcps_problem *problem, int count, const double *outcomes,
                                  cli_reward_facts *facts, fcps_error *error)
{
  probe p = {.problem = problem,
             .spaces = {&problem->target, &problem->environment, &problem->parameters, &problem->outcome}};
  for (int s = 0; s < 4; s++) {
    p.first[s] = p.width;
    p.width += p.spaces[s]->count;
  }
  *facts = (cli_reward_facts){0};
  p.values = fcps_allocate(3 * (size_t)p.width + 1, sizeof *p.values);
  if (p.values == NULL) return fcps_error_memory(error);
  p.lower = p.values + p.width;
  p.upper = p.lower + p.width;
  find_ranges(&p, count, outcomes);
  widen_to_targets(&p);
  fcps_status status = FCPS_OK;
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < p.spaces[s]->count && status == FCPS_OK; i++)
      status = try_dimension(&p, s, i, facts);
  for (int o = 0; o < problem->outcome.count; o++) {
    const fcps_dimension *dim = &problem->outcome.dims[o];
    if (!(dim->lower < dim->upper)) facts->depends[3][o] |= fcps_problem_reward_uses(problem, dim->name);
  }
  free(p.values);
  return status == FCPS_OK ? FCPS_OK : fcps_error_set(error, status, "reward", "the reward could not be tried");
}
