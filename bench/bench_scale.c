/* SPDX-License-Identifier: Apache-2.0 */
/* How costs grow: with the number of rollouts up to 10 000, and with the number of parameters up to 100.
 *
 *   ask      milliseconds between fits, median of ASKS
 *   refit    milliseconds of an ask that fits and factorizes again
 *   tell     milliseconds, median of ASKS; the next ask, not the tell, grows the factor by the new row
 *   memory   megabytes that the learner holds
 *   solve    milliseconds of one pair of triangular solves with a factor of N rows, median of SOLVES: the least that an
 *            ask can cost. Its arithmetic grows with exponent 2; its time grows faster if the factor does not fit into
 *            a cache
 *
 * The rows "exponent" have the exponents of t ~ N^exponent, fitted over all rows above them, over the upper half of
 * that range, and over those N whose factor fits into no cache.
 */
#include "linalg/dense.h"
#include "measure.h"

#include <fcps/fcps.h>

#include <malloc.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASKS = 7, SOLVES = 9, MOST_PARAMETERS = 100 };

/* A smooth problem of any size: the outcome is the mean of the parameters, and the target is the number to hit. */
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

typedef struct cost {
  double ask, refit, tell, memory, solve;
} cost;

/* The seconds of one ask, and of telling its result. */
static double ask(fcps_learner *learner, int parameters, double *told)
{
  double target = random_unit(), x[MOST_PARAMETERS];
  int64_t id;
  const double start = measure_seconds();
  measure_require(fcps_learner_ask(learner, &target, NULL, x, &id), "ask");
  const double asked = measure_seconds();
  tell(learner, parameters, id, x);
  *told = measure_seconds() - asked;
  return asked - start;
}

static double megabytes(void)
{
  const struct mallinfo2 info = mallinfo2();
  return (double)(info.uordblks + info.hblkhd) / 1e6;
}

static cost measure_learner(const char *name, int parameters, int n)
{
  static const fcps_setting settings[] = {{"refit", "10000"}, {NULL, NULL}}; /* the first ask fits, the others do not */
  bowl b;
  fcps_learner *learner;
  fcps_error error;
  double asks[ASKS], tells[ASKS], x[MOST_PARAMETERS];
  make_problem(&b, parameters);
  const double before = megabytes();
  measure_require(fcps_learner_create(&learner, &b.problem, name, settings, 1, &error), "learner");
  srand(1);
  for (int i = 0; i < n; i++)
    tell(learner, parameters, FCPS_NOT_ASKED, x);
  cost found = {.refit = ask(learner, parameters, tells)};
  for (int i = 0; i < ASKS; i++)
    asks[i] = ask(learner, parameters, tells + i);
  found.ask = measure_summarize(ASKS, asks).median;
  found.tell = measure_summarize(ASKS, tells).median;
  found.memory = megabytes() - before;
  fcps_learner_destroy(learner);
  return found;
}

/* The factor is well conditioned, so that no number becomes denormal. */
static double measure_solve(int n)
{
  const size_t rows = (size_t)n;
  double *l = malloc(rows * rows * sizeof(double)), *b = malloc(rows * sizeof(double)), seconds[SOLVES];
  if (l == NULL || b == NULL) measure_require(FCPS_ERR_MEMORY, "solve");
  for (size_t j = 0; j < rows; j++)
    for (size_t i = j; i < rows; i++)
      l[j * rows + i] = i == j ? 1.0 : random_unit() / n;
  for (int r = 0; r < SOLVES; r++) {
    for (size_t i = 0; i < rows; i++)
      b[i] = 1.0;
    const double start = measure_seconds();
    fcps_chol_solve_lower(n, l, n, 1, b, n);
    fcps_chol_solve_upper(n, l, n, 1, b, n);
    seconds[r] = measure_seconds() - start;
  }
  free(b);
  free(l);
  return measure_summarize(SOLVES, seconds).median;
}

/* The exponent of one member of the costs, the one at byte `offset`, by least squares in logarithms. */
static double exponent(int count, const int *sizes, const cost *costs, size_t offset)
{
  double x = 0, y = 0, xx = 0, xy = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < count; i++) {
      const double u = log(sizes[i]), v = log(*(const double *)((const char *)(costs + i) + offset));
      if (pass == 0) {
        x += u / count;
        y += v / count;
      } else {
        xx += (u - x) * (u - x);
        xy += (u - x) * (v - y);
      }
    }
  return xy / xx;
}

static void print(const char *label, double n, double parameters, const cost *c, double unit)
{
  measure_row(label, (const measure_value[]){{"N", n},
                                             {"parameters", parameters},
                                             {"ask ms", unit * c->ask},
                                             {"refit ms", unit * c->refit},
                                             {"tell ms", unit * c->tell},
                                             {"memory MB", c->memory},
                                             {"solve ms", unit * c->solve},
                                             {NULL, 0}});
}

static void print_exponents(const char *label, int count, const int *sizes, const cost *costs)
{
  const cost exponents = {.ask = exponent(count, sizes, costs, offsetof(cost, ask)),
                          .refit = exponent(count, sizes, costs, offsetof(cost, refit)),
                          .tell = exponent(count, sizes, costs, offsetof(cost, tell)),
                          .memory = exponent(count, sizes, costs, offsetof(cost, memory)),
                          .solve = exponent(count, sizes, costs, offsetof(cost, solve))};
  print(label, NAN, NAN, &exponents, 1);
}

static void against_rollouts(const char *name)
{
  static const int sizes[] = {150, 300, 600, 1250, 2500, 5000, 10000};
  enum { COUNT = sizeof sizes / sizeof *sizes, UPPER = COUNT / 2 };
  cost costs[COUNT];
  for (int i = 0; i < COUNT; i++) {
    costs[i] = measure_learner(name, 3, sizes[i]);
    costs[i].solve = measure_solve(sizes[i]);
    print(name, sizes[i], 3, costs + i, 1e3);
  }
  print_exponents("exponent in N", COUNT, sizes, costs);
  print_exponents("  from N = 1250 on", COUNT - UPPER, sizes + UPPER, costs + UPPER);
  print_exponents("  from N = 2500 on", COUNT - UPPER - 1, sizes + UPPER + 1, costs + UPPER + 1);
}

static void against_parameters(const char *name)
{
  static const int sizes[] = {1, 3, 10, 30, 100};
  enum { COUNT = sizeof sizes / sizeof *sizes, UPPER = COUNT / 2, ROLLOUTS = 200 };
  cost costs[COUNT];
  for (int i = 0; i < COUNT; i++) {
    costs[i] = measure_learner(name, sizes[i], ROLLOUTS);
    costs[i].solve = NAN;
    print(name, ROLLOUTS, sizes[i], costs + i, 1e3);
  }
  print_exponents("exponent in parameters", COUNT, sizes, costs);
  print_exponents("  from 10 on", COUNT - UPPER, sizes + UPPER, costs + UPPER);
}

int main(void)
{
  static const char *const learners[] = {"bo-fcps", "outcome"};
  measure_begin("scale", "one suggestion, one tell and the memory of the learner");
  for (int i = 0; i < 2; i++)
    against_rollouts(learners[i]);
  for (int i = 0; i < 2; i++)
    against_parameters(learners[i]);
  return 0;
}
