/* SPDX-License-Identifier: Apache-2.0 */
/* Published test functions with contexts: what a policy earns after some trials, in contexts that were not tried.
 *
 *   bench_lab [--half a|b|c] [--one] [--only NAME] [--seeds FIRST LAST] [--trials N] [--learner NAME] [SETTING=VALUE]...
 *
 * With --one all trials and the answer are in one context, in the middle. `policy` is the mean reward without noise over the
 * contexts and its standard error over seeds; `promised` is what the policy predicted; `best trial` is what the trial with the
 * best reward for each context earns there; `repeats` is the share of asks that are nearly an earlier one; `holes` is the share of
 * 1,000 contexts on a grid whose own parameters are beaten by those of a neighbour, by what the choice maximizes and by more than a
 * thousandth of the spread of the trials' rewards; `deepest` is the most by which any is beaten, in such spreads. */
#include "lab/world.h"
#include "measure.h"
#include "policy/policy_impl.h"
#include "space/space.h"

#include <fcps/fcps.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIALS = 1000, MOST_SEEDS = 100, CELLS = 1000, MOST_SETTINGS = 20 };

typedef struct options {
  char half;
  const char *only, *learner;
  uint64_t first, last;
  int trials;
  bool is_one; /* context */
  fcps_setting settings[MOST_SETTINGS + 1];
} options;

/* The results of one run. */
typedef struct lab_result {
  double policy, promised, best, repeats, holes, deepest, seconds;
} lab_result;

/* A run: the study of a problem, and all that it tried. */
typedef struct lab_run {
  lab_world world;
  const fcps_problem *spaces;
  fcps_study *study;
  int trials;
  double *targets, *environments, *parameters, *outcomes;
  bool *present;
} lab_run;

static size_t count_of(const fcps_space *space)
{
  return (size_t)space->count;
}

static void make_trials(lab_run *r, int count)
{
  const fcps_problem *s = r->spaces;
  for (size_t i = 0; i < (size_t)count; i++) {
    double *target = r->targets + i * count_of(&s->target),
           *environment = r->environments + i * count_of(&s->environment);
    double *parameters = r->parameters + i * count_of(&s->parameters),
           *outcome = r->outcomes + i * count_of(&s->outcome);
    fcps_ask ask;
    fcps_error error;
    lab_world_context(&r->world, target, environment);
    measure_require(fcps_study_ask(r->study, NULL, target, environment, &ask, &error), "ask");
    memcpy(parameters, ask.parameters, count_of(&s->parameters) * sizeof(double));
    r->world.problem->run(environment, parameters, lab_world_noise(&r->world), outcome);
    r->present[i] = true;
    measure_require(fcps_study_tell(r->study, ask.id, &(fcps_result){.rollout.outcome = outcome}, NULL, &error),
                    "tell");
    r->trials++;
  }
}

/* What the trial whose stored outcome is best for a target earns in a context. */
static double best_trial(const lab_run *r, const double *target, const double *environment)
{
  double rewards[MOST_TRIALS];
  int best = 0;
  measure_require(r->spaces->reward(r->spaces->user, r->trials, target, r->environments, r->parameters, r->outcomes,
                                    r->present, rewards),
                  "reward");
  for (int i = 1; i < r->trials; i++)
    if (rewards[i] > rewards[best]) best = i;
  return lab_world_score(&r->world, target, environment,
                         r->parameters + (size_t)best * count_of(&r->spaces->parameters));
}

static void evaluate(const lab_run *r, fcps_policy *policy, lab_result *result)
{
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX], parameters[FCPS_SPACE_MAX];
  fcps_prediction promised;
  lab_world after = lab_world_after(&r->world);
  for (int i = 0; i < LAB_CONTEXTS; i++) {
    lab_world_context(&after, target, environment);
    measure_require(fcps_policy_query(policy, target, environment, parameters, &promised), "query");
    result->promised += promised.reward / LAB_CONTEXTS;
    result->policy += lab_world_score(&r->world, target, environment, parameters) / LAB_CONTEXTS;
    result->best += best_trial(r, target, environment) / LAB_CONTEXTS;
  }
}

/* The share of trials after the first ten that are within a hundredth of the range of an earlier one, contexts too. */
static double count_repeats(const lab_run *r)
{
  const fcps_space *spaces[] = {&r->spaces->target, &r->spaces->environment, &r->spaces->parameters};
  const double *rows[] = {r->targets, r->environments, r->parameters};
  int repeats = 0;
  for (int i = 10; i < r->trials; i++) {
    bool is_repeat = false;
    for (int j = 0; j < i && !is_repeat; j++) {
      is_repeat = true;
      for (int s = 0; s < 3 && is_repeat; s++)
        for (int d = 0; d < spaces[s]->count; d++) {
          const fcps_dimension *dim = spaces[s]->dims + d;
          const double gap = rows[s][i * spaces[s]->count + d] - rows[s][j * spaces[s]->count + d];
          is_repeat = is_repeat && fabs(gap) <= 0.01 * (dim->upper - dim->lower);
        }
    }
    repeats += is_repeat;
  }
  return r->trials > 10 ? (double)repeats / (r->trials - 10) : 0.0;
}

/* A grid of contexts over targets and environment, with as many steps on each side as fit. */
typedef struct grid {
  int sides, steps, cells;
} grid;

static grid grid_of(const fcps_problem *s)
{
  grid g = {.sides = s->target.count + s->environment.count, .steps = 1, .cells = 1};
  while (g.sides > 0 && pow(g.steps + 1.0, g.sides) <= CELLS)
    g.steps++;
  for (int d = 0; d < g.sides; d++)
    g.cells *= g.steps;
  return g;
}

static void place(const fcps_problem *s, const grid *g, int cell, double *target, double *environment)
{
  for (int d = 0; d < g->sides; d++, cell /= g->steps) {
    const bool is_target = d < s->target.count;
    const fcps_dimension *dim = is_target ? s->target.dims + d : s->environment.dims + d - s->target.count;
    *(is_target ? target + d : environment + d - s->target.count) =
        dim->lower + (dim->upper - dim->lower) * (cell % g->steps + 0.5) / g->steps;
  }
}

/* The deviation of what the trials earned. */
static double spread_of(const lab_run *r)
{
  double rewards[MOST_TRIALS], mean = 0.0, squares = 0.0;
  const fcps_problem *s = r->spaces;
  for (int i = 0; i < r->trials; i++) {
    measure_require(s->reward(s->user, 1, r->targets + i * s->target.count, r->environments + i * s->environment.count,
                              r->parameters + i * s->parameters.count, r->outcomes + i * s->outcome.count, r->present,
                              rewards + i),
                    "reward");
    mean += rewards[i] / r->trials;
  }
  for (int i = 0; i < r->trials; i++)
    squares += (rewards[i] - mean) * (rewards[i] - mean) / r->trials;
  return sqrt(squares);
}

/* Computes by how much the best of the neighbours' parameters surpass a cell's own, by the measure that the cell's
 * choice maximizes (policy/sure.c): the mean, as far as it is credible, less the deviation. If the cell's own are sure,
 * the mean must be better as well. */
static double beaten_by(const fcps_policy *policy, const grid *g, int cell, const double *target,
                        const double *environment, const double *x)
{
  enum { MOST = 1 + 2 * FCPS_SPACE_MAX };
  const fcps_space *space = &policy->problem.parameters;
  double points[MOST * FCPS_SPACE_MAX], means[MOST], deviations[MOST], most = 0.0;
  int count = 0;
  fcps_posterior *posterior;
  fcps_error error;
  fcps_space_to_unit(space, x + cell * space->count, points + count++ * space->count);
  for (int d = 0, stride = 1; d < g->sides; d++, stride *= g->steps)
    for (int side = -1; side <= 1; side += 2) {
      const int at = cell / stride % g->steps + side;
      if (at < 0 || at >= g->steps) continue;
      fcps_space_to_unit(space, x + (cell + side * stride) * space->count, points + count++ * space->count);
    }
  measure_require(fcps_posterior_create(&posterior, policy->ops->model(policy), target, environment, &error),
                  "posterior");
  fcps_posterior_set_view(posterior, (fcps_penalty_view){.is_sober = true});
  fcps_posterior_moments(posterior, count, points, means, deviations);
  const bool is_sure =
      policy->problem.is_distance || fcps_policy_is_sure(1.0, deviations[0], fcps_posterior_lead(posterior));
  const double credible = fcps_posterior_credible(posterior);
  for (int i = 1; i < count; i++) {
    const double by_mean = means[i] - means[0];
    const double by_bound = fmin(means[i], credible) - fmin(means[0], credible) - (deviations[i] - deviations[0]);
    most = fmax(most, policy->problem.is_distance ? by_mean : is_sure ? fmin(by_mean, by_bound) : by_bound);
  }
  fcps_posterior_destroy(posterior);
  return most;
}

static void count_holes(const lab_run *r, fcps_policy *policy, lab_result *result)
{
  const fcps_problem *s = r->spaces;
  const grid g = grid_of(s);
  const size_t n = count_of(&s->parameters), targets = count_of(&s->target), environments = count_of(&s->environment);
  const double spread = spread_of(r);
  double *target = calloc((size_t)g.cells * (targets + environments + n) + 1, sizeof(double));
  if (target == NULL) measure_require(FCPS_ERR_MEMORY, "grid");
  double *environment = target + (size_t)g.cells * targets, *x = environment + (size_t)g.cells * environments;
  for (int i = 0; i < g.cells; i++)
    place(s, &g, i, target + (size_t)i * targets, environment + (size_t)i * environments);
  measure_require(fcps_policy_predict_batch(policy, g.cells, target, environment, x, &(fcps_predictions){0}), "batch");
  for (int i = 0; i < g.cells; i++) {
    const double by = beaten_by(policy, &g, i, target + (size_t)i * targets, environment + (size_t)i * environments, x);
    result->holes += by > 1e-3 * spread ? 1.0 / g.cells : 0.0;
    result->deepest = fmax(result->deepest, by / spread);
  }
  free(target);
}

static lab_result run_once(const lab_problem *problem, const options *o, uint64_t seed)
{
  lab_result result = {0};
  lab_run r = {0};
  fcps_error error = {0};
  fcps_policy *policy;
  const fcps_study_setup setup = {
      .text = problem->text, .text_name = problem->name, .learner = o->learner, .settings = o->settings, .seed = seed};
  const double start = measure_seconds();
  if (fcps_study_create(&r.study, NULL, &setup, NULL, &error) != FCPS_OK) {
    fprintf(stderr, "%s: %s: %s\n", problem->name, error.field, error.message);
    exit(1);
  }
  r.spaces = fcps_study_problem(r.study);
  r.world = lab_world_begin(problem, r.spaces, seed);
  r.world.is_one = o->is_one;
  r.targets = calloc((size_t)o->trials * 4 * FCPS_SPACE_MAX, sizeof(double));
  r.present = calloc((size_t)o->trials, sizeof(bool));
  if (r.targets == NULL || r.present == NULL) measure_require(FCPS_ERR_MEMORY, "trials");
  r.environments = r.targets + o->trials * FCPS_SPACE_MAX;
  r.parameters = r.environments + o->trials * FCPS_SPACE_MAX;
  r.outcomes = r.parameters + o->trials * FCPS_SPACE_MAX;
  make_trials(&r, o->trials);
  measure_require(fcps_study_policy(r.study, &policy, &error), "policy");
  evaluate(&r, policy, &result);
  result.repeats = count_repeats(&r);
  count_holes(&r, policy, &result);
  result.seconds = measure_seconds() - start;
  fcps_policy_destroy(policy);
  fcps_study_close(r.study);
  free(r.targets);
  free(r.present);
  return result;
}

static void report(const lab_problem *problem, const options *o)
{
  const int count = (int)(o->last - o->first + 1);
  lab_result all[MOST_SEEDS], mean = {0};
  double squares = 0.0;
  for (int i = 0; i < count; i++) {
    const lab_result one = all[i] = run_once(problem, o, o->first + (uint64_t)i);
    mean.policy += one.policy / count;
    mean.promised += one.promised / count;
    mean.best += one.best / count;
    mean.repeats += one.repeats / count;
    mean.holes += one.holes / count;
    mean.deepest = fmax(mean.deepest, one.deepest);
    mean.seconds += one.seconds / count;
  }
  for (int i = 0; i < count; i++)
    squares += (all[i].policy - mean.policy) * (all[i].policy - mean.policy);
  measure_row(problem->name, (const measure_value[]){{"policy", mean.policy},
                                                     {"error", count > 1 ? sqrt(squares / (count - 1.0) / count) : 0.0},
                                                     {"promised", mean.promised},
                                                     {"best trial", mean.best},
                                                     {"repeats", mean.repeats},
                                                     {"holes", mean.holes},
                                                     {"deepest", mean.deepest},
                                                     {"seconds", mean.seconds},
                                                     {NULL, 0}});
  for (int i = 0; i < count && getenv("FCPS_BENCH_SEEDS") != NULL; i++)
    printf("  %s seed %d: %.6g %.6g\n", problem->name, (int)o->first + i, all[i].policy, all[i].best);
  fflush(stdout);
}

/* Takes a setting apart in place. */
static bool read_setting(char *text, fcps_setting *settings)
{
  char *value = strchr(text, '=');
  int i = 0;
  while (settings[i].name != NULL)
    i++;
  if (value == NULL || i == MOST_SETTINGS) return false;
  *value = '\0';
  settings[i] = (fcps_setting){text, value + 1};
  return true;
}

static bool read_options(int argc, char **argv, options *o)
{
  for (int i = 1; i < argc; i++) {
    const bool has_next = i + 1 < argc;
    if (strcmp(argv[i], "--half") == 0 && has_next)
      o->half = argv[++i][0];
    else if (strcmp(argv[i], "--only") == 0 && has_next)
      o->only = argv[++i];
    else if (strcmp(argv[i], "--learner") == 0 && has_next)
      o->learner = argv[++i];
    else if (strcmp(argv[i], "--trials") == 0 && has_next)
      o->trials = atoi(argv[++i]);
    else if (strcmp(argv[i], "--seeds") == 0 && i + 2 < argc)
      o->first = strtoull(argv[++i], NULL, 10), o->last = strtoull(argv[++i], NULL, 10);
    else if (strcmp(argv[i], "--one") == 0)
      o->is_one = true;
    else if (!read_setting(argv[i], o->settings))
      return false;
  }
  return o->trials > 0 && o->trials <= MOST_TRIALS && o->last >= o->first && o->last - o->first < MOST_SEEDS;
}

int main(int argc, char **argv)
{
  options o = {.half = 'a', .learner = "outcome", .first = 1001, .last = 1005, .trials = 60};
  if (!read_options(argc, argv, &o)) {
    fputs("usage: bench_lab [--half a|b|c] [--one] [--only NAME] [--seeds FIRST LAST] [--trials N] [--learner NAME] "
          "[SETTING=VALUE]...\n",
          stderr);
    return 2;
  }
  measure_begin("lab", "test functions with contexts: what the policy earns in contexts that were not tried");
  const lab_problem *const tables[] = {lab_problems, lab_more};
  for (int t = 0; t < 2; t++)
    for (const lab_problem *p = tables[t]; p->name != NULL; p++)
      if (o.only != NULL ? strcmp(o.only, p->name) == 0 : p->half == o.half) report(p, &o);
  return 0;
}
