/* SPDX-License-Identifier: Apache-2.0 */
/* Priors of hyper-parameters across problems: the results of fits, and the gain from priors made of them.
 *
 *   bench_priors [FIRST LAST]                             seeds 1001 to 1003: the fits
 *   bench_priors compare [FIRST LAST [TRIALS]]            seeds 1101 to 1106, 40 trials: priors against today's
 *   bench_priors compare-signal [FIRST LAST [TRIALS]]     the same for only those of signal and noise
 *
 * Eleven problems that are neither the cannon nor a robot. Trials are those that `outcome` asks for. The model is
 * fitted to the first 10, 20, 40 and 80 of them, with priors so wide that they hardly matter. The table has the median
 * of each hyper-parameter over seeds and inputs of a kind, and half of the logarithmic distance between the quantiles
 * 1/6 and 5/6: lengths in the unit cube of parameters, angles and the environment; signal and noise as deviations, for
 * outcomes of spread 1. Then follow the medians over problems, with a deviation that combines that of the problems'
 * medians and that within a problem.
 *
 * The comparison leaves one problem out at a time: its prior is made of the fits of all others. Shares are of the gap
 * between random parameters and the rewards with today's priors, for the trials and for the policy after them. */
#include "measure.h"

#include "../tests/learner/problems.h"
#include "learner/bo/bo.h"
#include "learner/learner_impl.h"

#include <fcps/lab/task.h>
#include <fcps/learner.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, TASKS = 6, WORLDS = TASKS + TOY_TASKS, ROLLOUTS = 80, SIZES = 4, CONTEXTS = 40, MOST_FITS = 4096 };
static const char *const task_names[TASKS] = {"stage", "dosing", "reactor", "reach", "long-arm", "arm-retarget"};
static const int sizes[SIZES] = {10, 20, 40, 80};

/* -- Worlds: a task, or a problem of the tests -- */

typedef struct world {
  const char *name;
  fcps_task *task;
  const toy_task *toy;
  uint64_t seed;
} world;

static world open_world(int index, uint64_t seed)
{
  world w = {.seed = seed};
  if (index < TASKS) measure_require(fcps_task_create(&w.task, task_names[index], NULL, seed, NULL), task_names[index]);
  if (index >= TASKS) w.toy = toy_tasks + index - TASKS;
  w.name = index < TASKS ? task_names[index] : w.toy->name;
  return w;
}

static const fcps_problem *problem_of(const world *w)
{
  return w->task != NULL ? fcps_task_problem(w->task) : &w->toy->problem;
}

static void context_of(const world *w, int episode, double *target, double *environment)
{
  fcps_rng rng = fcps_rng_stream(w->seed, FCPS_PURPOSE_TEST, (uint64_t)episode);
  if (w->task != NULL)
    fcps_task_context(w->task, episode, target, environment);
  else
    toy_context(w->toy, &rng, target, environment);
}

/* A trial with the noise of an episode, or without (-1). */
static fcps_rollout run_trial(const world *w, int episode, const double *environment, const double *parameters,
                              double *outcome)
{
  fcps_rollout rollout = {.outcome = outcome};
  if (w->task != NULL) {
    measure_require(fcps_task_run(w->task, episode, environment, parameters, outcome, &rollout), w->name);
    return rollout;
  }
  fcps_rng rng = fcps_rng_stream(w->seed, FCPS_PURPOSE_NOISE, (uint64_t)(episode + 1));
  w->toy->simulate(environment, parameters, outcome);
  for (int o = 0; o < w->toy->problem.outcome.count && episode >= 0; o++)
    outcome[o] += w->toy->noise * fcps_rng_normal(&rng);
  return rollout;
}

/* The reward of parameters without noise. */
static double value_of(const world *w, const double *target, const double *environment, const double *parameters)
{
  const fcps_problem *p = problem_of(w);
  double outcome[MOST], reward = NAN;
  const fcps_rollout rollout = run_trial(w, -1, environment, parameters, outcome);
  const bool is_present = rollout.outcome != NULL;
  measure_require(p->reward(p->user, 1, target, environment, parameters, outcome, &is_present, &reward), "reward");
  return rollout.status == FCPS_ROLLOUT_OK ? reward : fcps_task_evaluation(w->task)->failure_reward;
}

static void draw_parameters(const world *w, int number, double *parameters)
{
  const fcps_space *space = &problem_of(w)->parameters;
  fcps_rng rng = fcps_rng_stream(w->seed, FCPS_PURPOSE_TEST, UINT64_C(1000000) + (uint64_t)number);
  double x[MOST];
  fcps_rng_uniforms(&rng, space->count, x);
  fcps_space_from_unit(space, x, parameters);
}

/* -- Fits -- */

typedef enum kind { PARAMETER, ANGLE, ENVIRONMENT, SIGNAL, NOISE, KINDS } kind;
static const char *const kind_names[KINDS] = {"parameters", "angles", "environment", "signal", "noise"};

/* The logarithm of one hyper-parameter from a fit. */
typedef struct found {
  int world, size;
  kind what;
  double value;
} found;
static found all[MOST_FITS];
static int found_count;

static void keep(int index, int size, kind what, double value)
{
  if (found_count < MOST_FITS) all[found_count++] = (found){index, size, what, value};
}

/* Keeps the length-scales of a space's features. */
static int keep_lengths(int index, int size, const fcps_space *space, const fcps_embedding *embedding, kind what,
                        const double *hyper)
{
  int feature = 0;
  for (int d = 0; d < space->count; d++)
    for (int k = 0; k < (embedding->turns[d] == 0 ? 1 : 2); k++)
      keep(index, size, embedding->turns[d] == 0 ? what : ANGLE, hyper[feature++]);
  return feature;
}

static void fit(int index, const world *w, int size, const fcps_rollouts *trials)
{
  static const fcps_setting settings[] = {
      {"length_prior_sd", "2"}, {"length_tail", "normal"}, {"environment_stretch", "1"},
      {"signal_prior_sd", "3"}, {"noise_prior_sd", "3"},   {"separate", "off"},
      {"frame", "off"},         {"contact", "off"},        {NULL, NULL}};
  fcps_learner *learner = NULL;
  fcps_fit_result result;
  fcps_error error;
  measure_require(fcps_learner_create(&learner, problem_of(w), "outcome", settings, w->seed, NULL), "learner");
  for (int i = 0; i < size; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(trials, i);
    measure_require(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout), "tell");
  }
  fcps_model *model = ((const fcps_bo *)learner->state)->model;
  model->settings.fit = (fcps_fit_settings){.starts = 5, .budget = 200};
  if (model->training.count >= size / 2) {
    measure_require(fcps_model_fit(model, 1, fcps_rollouts_target(trials, 0),
                                   fcps_rng_stream(w->seed, FCPS_PURPOSE_FIT, (uint64_t)size), &result, &error),
                    "fit");
    const double *hyper = fcps_model_gp(model, 0)->hyper;
    const fcps_problem *p = problem_of(w);
    const int first = keep_lengths(index, size, &p->environment, &model->layout.context, ENVIRONMENT, hyper);
    keep_lengths(index, size, &p->parameters, &model->layout.parameters, PARAMETER, hyper + first);
    keep(index, size, SIGNAL, hyper[fcps_model_gp(model, 0)->dim]);
    keep(index, size, NOISE, hyper[fcps_model_gp(model, 0)->dim + 1]);
  }
  fcps_learner_destroy(learner);
}

typedef struct run_result {
  double online, offline;
} run_result;

static double evaluate(const world *w, fcps_learner *learner)
{
  fcps_policy *policy = NULL;
  double sum = 0;
  if (learner != NULL) measure_require(fcps_learner_policy(learner, &policy), "policy");
  for (int i = 0; i < CONTEXTS; i++) {
    double target[MOST], environment[MOST], parameters[MOST];
    context_of(w, 100000 + i, target, environment);
    draw_parameters(w, i, parameters);
    if (policy != NULL) measure_require(fcps_policy_query(policy, target, environment, parameters, NULL), "query");
    sum += value_of(w, target, environment, parameters) / CONTEXTS;
  }
  fcps_policy_destroy(policy);
  return sum;
}

/* Makes trials of `outcome`, or random ones if `learner` is NULL. Keeps them in `trials` unless that is NULL. */
static run_result practise(const world *w, fcps_learner *learner, int count, fcps_rollouts *trials)
{
  run_result result = {0};
  for (int i = 0; i < count; i++) {
    double target[MOST], environment[MOST], parameters[MOST], outcome[MOST];
    int64_t id;
    context_of(w, i, target, environment);
    draw_parameters(w, i, parameters);
    if (learner != NULL) measure_require(fcps_learner_ask(learner, target, environment, parameters, &id), "ask");
    result.online += value_of(w, target, environment, parameters);
    if (learner == NULL) continue;
    fcps_rollout rollout = run_trial(w, i, environment, parameters, outcome);
    rollout.target = target;
    rollout.environment = environment;
    rollout.parameters = parameters;
    measure_require(fcps_learner_tell(learner, id, &rollout), "tell");
    if (trials != NULL) measure_require(fcps_rollouts_add(trials, &rollout), "add");
  }
  result.offline = trials == NULL ? evaluate(w, learner) : 0;
  return result;
}

static void find_fits(int index, int first, int last)
{
  for (int seed = first; seed <= last; seed++) {
    world w = open_world(index, (uint64_t)seed);
    fcps_rollouts trials;
    fcps_learner *learner = NULL;
    fcps_rollouts_init(&trials, problem_of(&w));
    measure_require(fcps_learner_create(&learner, problem_of(&w), "outcome", NULL, w.seed, NULL), "learner");
    practise(&w, learner, ROLLOUTS, &trials);
    for (int s = 0; s < SIZES; s++)
      fit(index, &w, sizes[s], &trials);
    fcps_rollouts_free(&trials);
    fcps_learner_destroy(learner);
    fcps_task_destroy(w.task);
  }
}

/* -- Tables -- */

static int ascending(const void *a, const void *b)
{
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

/* Median, and half of the distance between the quantiles 1/6 and 5/6. */
typedef struct spread {
  int count;
  double median, deviation;
} spread;

static spread spread_of(int count, double *values)
{
  if (count == 0) return (spread){0, NAN, NAN};
  qsort(values, (size_t)count, sizeof *values, ascending);
  return (spread){count, values[count / 2], 0.5 * (values[(5 * (count - 1)) / 6] - values[(count - 1) / 6])};
}

static spread spread_in(int index, int size, kind what)
{
  static double values[MOST_FITS];
  int count = 0;
  for (int i = 0; i < found_count; i++)
    if (all[i].world == index && (size == 0 || all[i].size == size) && all[i].what == what)
      values[count++] = all[i].value;
  return spread_of(count, values);
}

/* The median over all problems but one, with a deviation that combines that between problems and that within one. */
static spread spread_over(int except, int size, kind what)
{
  double medians[WORLDS], within = 0;
  int count = 0;
  for (int w = 0; w < WORLDS; w++) {
    const spread s = spread_in(w, size, what);
    if (w == except || s.count == 0) continue;
    medians[count++] = s.median;
    within += s.deviation * s.deviation;
  }
  spread s = spread_of(count, medians);
  if (count > 0) s.deviation = hypot(s.deviation, sqrt(within / count));
  return s;
}

static void print_row(const char *name, spread (*of)(int, int, kind), int index, int size)
{
  printf("%-14s %4d", name, size);
  for (int k = 0; k < KINDS; k++) {
    const spread s = of(index, size, (kind)k);
    if (s.count > 0)
      printf("  %7.3f (%4.2f)", exp(s.median), s.deviation);
    else
      printf("  %14s", "");
  }
  printf("\n");
}

static void print_tables(void)
{
  printf("%-14s %4s", "", "n");
  for (int k = 0; k < KINDS; k++)
    printf("  %14s", kind_names[k]);
  printf("\n");
  for (int index = 0; index < WORLDS; index++)
    for (int s = 0; s < SIZES; s++)
      print_row(index < TASKS ? task_names[index] : toy_tasks[index - TASKS].name, spread_in, index, sizes[s]);
  for (int s = 0; s < SIZES; s++)
    print_row("all", spread_over, -1, sizes[s]);
  print_row("all", spread_over, -1, 0);
}

/* -- Comparison -- */

/* The settings of a prior that is made of the fits of all problems but one, with all numbers of rows. */
typedef struct prior {
  char length[32], length_sd[32], stretch[32], noise[32], noise_sd[32], signal[32], signal_sd[32];
} prior;

static void write_number(char *text, double number)
{
  snprintf(text, 32, "%.3g", number);
}

static prior prior_without(int except)
{
  prior made;
  const spread length = spread_over(except, 0, PARAMETER), environment = spread_over(except, 0, ENVIRONMENT);
  const spread noise = spread_over(except, 0, NOISE), signal = spread_over(except, 0, SIGNAL);
  write_number(made.length, exp(length.median));
  write_number(made.length_sd, length.deviation);
  write_number(made.stretch, exp(environment.median - length.median));
  write_number(made.noise, exp(noise.median));
  write_number(made.noise_sd, noise.deviation);
  write_number(made.signal, exp(signal.median));
  write_number(made.signal_sd, signal.deviation);
  return made;
}

static run_result run(const world *w, const fcps_setting *settings, int trials)
{
  fcps_learner *learner = NULL;
  measure_require(fcps_learner_create(&learner, problem_of(w), "outcome", settings, w->seed, NULL), "learner");
  const run_result result = practise(w, learner, trials, NULL);
  fcps_learner_destroy(learner);
  return result;
}

static void compare(int index, bool has_lengths, int first, int last, int trials)
{
  const prior p = prior_without(index);
  const fcps_setting settings[] = {{"noise_prior", p.noise},
                                   {"noise_prior_sd", p.noise_sd},
                                   {"signal_prior", p.signal},
                                   {"signal_prior_sd", p.signal_sd},
                                   {has_lengths ? "length_prior" : NULL, p.length},
                                   {"length_prior_sd", p.length_sd},
                                   {"environment_stretch", p.stretch},
                                   {NULL, NULL}};
  double means[2] = {0}, squares[2] = {0};
  const int count = last - first + 1;
  for (int seed = first; seed <= last; seed++) {
    world w = open_world(index, (uint64_t)seed);
    const run_result random = practise(&w, NULL, trials, NULL);
    const run_result today = run(&w, NULL, trials), other = run(&w, settings, trials);
    const double gains[2] = {100 * (other.online - today.online) / (today.online - random.online),
                             100 * (other.offline - today.offline) / (today.offline - random.offline)};
    for (int k = 0; k < 2; k++) {
      means[k] += gains[k] / count;
      squares[k] += gains[k] * gains[k] / count;
    }
    fcps_task_destroy(w.task);
  }
  printf("%-14s", index < TASKS ? task_names[index] : toy_tasks[index - TASKS].name);
  for (int k = 0; k < 2; k++)
    printf(" %8.2f +- %.2f", means[k], sqrt(fmax(0, squares[k] - means[k] * means[k]) / (count - 1)));
  printf("   length %s (%s), environment x%s, noise %s (%s), signal %s (%s)\n", p.length, p.length_sd, p.stretch,
         p.noise, p.noise_sd, p.signal, p.signal_sd);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  const bool has_lengths = argc > 1 && strcmp(argv[1], "compare") == 0;
  const bool compares = has_lengths || (argc > 1 && strcmp(argv[1], "compare-signal") == 0);
  const int given = argc - (compares ? 2 : 1);
  char **numbers = argv + (compares ? 2 : 1);
  const int first = given > 1 ? atoi(numbers[0]) : compares ? 1101 : 1001;
  const int last = given > 1 ? atoi(numbers[1]) : compares ? 1106 : 1003;
  for (int index = 0; index < WORLDS; index++)
    find_fits(index, compares ? 1001 : first, compares ? 1003 : last);
  print_tables();
  if (!compares) return 0;
  printf("\n%-14s %16s %16s\n", "", "trials %", "policy %");
  for (int index = 0; index < WORLDS; index++)
    compare(index, has_lengths, first, last, given > 2 ? atoi(numbers[2]) : 40);
  return 0;
}
