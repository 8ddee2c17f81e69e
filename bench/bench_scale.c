/* SPDX-License-Identifier: Apache-2.0 */
/* How cost grows: with the number of rollouts to 10 000, and with the number of parameters to 100.
 *
 *   ask      milliseconds between fits, median of ASKS
 *   refit    milliseconds of an ask that fits and factorizes afresh
 *   memory   megabytes that the learner holds
 *
 * The last row has the exponents, fitted over the rows from FROM rollouts on: t ~ N^exponent.
 */
#include "measure.h"

#include <fcps/fcps.h>

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASKS = 5, FROM = 1250, MOST_PARAMETERS = 100, SIZES = 6 };

/* A smooth problem of any size: the outcome is the parameters' mean and the target a number to hit with it. */
static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -fabs(outcomes[i] - target[0]);
  return FCPS_OK;
}

typedef struct bowl {
  char names[MOST_PARAMETERS][8];
  fcps_dimension target, outcome, parameters[MOST_PARAMETERS];
  fcps_problem problem;
} bowl;

static void make_problem(bowl *b, int parameters)
{
  b->target = (fcps_dimension){.name = "target", .lower = 0, .upper = 1};
  b->outcome = (fcps_dimension){.name = "mean", .lower = 0, .upper = 1};
  for (int d = 0; d < parameters; d++) {
    snprintf(b->names[d], sizeof b->names[d], "p%d", d);
    b->parameters[d] = (fcps_dimension){.name = b->names[d], .lower = 0, .upper = 1};
  }
  b->problem = (fcps_problem){.target = {1, &b->target},
                              .parameters = {parameters, b->parameters},
                              .outcome = {1, &b->outcome},
                              .reward = reward};
}

static double random_unit(void)
{
  return (double)rand() / RAND_MAX;
}

static void tell(fcps_learner *learner, int parameters, int64_t id, double *x)
{
  double target = random_unit(), outcome = 0;
  for (int d = 0; d < parameters; d++) {
    if (id == FCPS_NOT_ASKED) x[d] = random_unit();
    outcome += sin(3 * x[d] + d) / parameters;
  }
  const fcps_rollout rollout = {.target = &target, .parameters = x, .outcome = &outcome};
  measure_require(fcps_learner_tell(learner, id, &rollout), "tell");
}

static double ask(fcps_learner *learner, int parameters)
{
  double target = random_unit(), x[MOST_PARAMETERS];
  int64_t id;
  const double start = measure_seconds();
  measure_require(fcps_learner_ask(learner, &target, NULL, x, &id), "ask");
  const double seconds = measure_seconds() - start;
  tell(learner, parameters, id, x);
  return seconds;
}

static double megabytes(void)
{
  const struct mallinfo2 info = mallinfo2();
  return (double)(info.uordblks + info.hblkhd) / 1e6;
}

typedef struct cost {
  double n, ask, refit, memory;
} cost;

static cost measure(int parameters, int n)
{
  static const fcps_setting settings[] = {{"refit", "10000"}, {NULL, NULL}}; // the first ask fits, the others do not
  bowl b;
  fcps_learner *learner;
  fcps_error error;
  double seconds[ASKS], x[MOST_PARAMETERS];
  make_problem(&b, parameters);
  const double before = megabytes();
  measure_require(fcps_learner_create(&learner, &b.problem, "bo-fcps", settings, 1, &error), "learner");
  srand(1);
  for (int i = 0; i < n; i++)
    tell(learner, parameters, FCPS_NOT_ASKED, x);
  cost found = {.n = n, .refit = ask(learner, parameters)};
  for (int i = 0; i < ASKS; i++)
    seconds[i] = ask(learner, parameters);
  found.ask = measure_summarize(ASKS, seconds).median;
  found.memory = megabytes() - before;
  fcps_learner_destroy(learner);
  return found;
}

/* Least squares in logarithms. */
static double exponent(int count, const double *n, const double *values)
{
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < count; i++) {
    x += log(n[i]) / count;
    y += log(values[i]) / count;
  }
  for (int i = 0; i < count; i++) {
    xx += (log(n[i]) - x) * (log(n[i]) - x);
    xy += (log(n[i]) - x) * (log(values[i]) - y);
  }
  return xy / xx;
}

static void print(const char *label, double parameters, const cost *c, double unit)
{
  measure_row(label, (const measure_value[]){{"N", c->n},
                                             {"parameters", parameters},
                                             {"ask ms", unit * c->ask},
                                             {"refit ms", unit * c->refit},
                                             {"memory MB", c->memory},
                                             {NULL, 0}});
}

static void against_rollouts(void)
{
  static const int sizes[SIZES] = {150, 600, 1250, 2500, 5000, 10000};
  double n[SIZES], asks[SIZES], refits[SIZES], memory[SIZES];
  int fitted = 0;
  for (int i = 0; i < SIZES; i++) {
    const cost c = measure(3, sizes[i]);
    print("rollouts", 3, &c, 1e3);
    if (sizes[i] < FROM) continue;
    n[fitted] = sizes[i];
    asks[fitted] = c.ask;
    refits[fitted] = c.refit;
    memory[fitted++] = c.memory;
  }
  const cost exponents = {NAN, exponent(fitted, n, asks), exponent(fitted, n, refits), exponent(fitted, n, memory)};
  print("exponent in N", NAN, &exponents, 1);
}

int main(void)
{
  static const int parameters[] = {1, 3, 10, 30, 100};
  measure_begin("scale", "one suggestion of bo-fcps and the memory of the learner");
  against_rollouts();
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
    const cost c = measure(parameters[i], 200);
    print("parameters", parameters[i], &c, 1e3);
  }
  return 0;
}
