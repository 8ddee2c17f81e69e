/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows come from a dead sensor, whenever it was dead, and which rows are honest. */
#include "check.h"
#include "model/beliefs.h"
#include "usual_prior.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 30, DEAD = 5 };

static const fcps_dimension places[] = {{.name = "a", .lower = 0, .upper = 1}, {.name = "b", .lower = 0, .upper = 1}};
static const fcps_dimension reading[] = {{.name = "reading"}};
static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)parameters, (void)present;
  memcpy(rewards, outcomes, (size_t)count * sizeof(double));
  return FCPS_OK;
}
static const fcps_problem measuring = {.parameters = {2, places}, .outcome = {1, reading}, .reward = reward};

static double smooth(const double *x)
{
  return 20.0 + 10.0 * sin(3.0 * x[0]) + 8.0 * x[1];
}

typedef double told(int row, const double *x);

static int first_dead;
static double dead_for_a_while(int row, const double *x)
{
  static double last;
  if (row <= first_dead || row >= first_dead + DEAD) last = smooth(x);
  return last;
}
static double ends_its_range(int row, const double *x)
{
  return row >= 10 && row < 10 + DEAD ? 40.0 : smooth(x);
}
static double has_few_digits(int row, const double *x)
{
  return row >= 10 && row < 10 + DEAD ? 30.5 : round(smooth(x));
}
static double flat_in_a_corner(int row, const double *x)
{
  (void)row;
  return x[0] > 0.8 ? 31.0 : smooth(x);
}

static void anywhere(int row, double *x)
{
  x[0] = fmod(0.754878 * (row + 1), 1.0);
  x[1] = fmod(0.56984 * (row + 1), 1.0);
}
/* Ever nearer to one place. */
static void converging(int row, double *x)
{
  anywhere(row, x);
  for (int i = 0; i < 2; i++)
    x[i] = 0.3 + exp(-row / 8.0) * (x[i] - 0.3);
}
/* The corner is tried for a while. */
static void a_corner_for_a_while(int row, double *x)
{
  anywhere(row, x);
  x[0] = row >= 10 && row < 10 + DEAD ? 0.85 + 0.15 * x[0] : 0.5 * x[0];
}

/* Rows that do not come from a dead sensor are not doubted. */
static void expect_stuck(told *tell, void (*place)(int row, double *x), int first, int count)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                                        .prior = USUAL_PRIOR(0.8),
                                        .structures = {.doubts = FCPS_STRUCTURE_AUTO},
                                        .fit = {.starts = 2, .budget = 60}};
  fcps_model *model = NULL;
  fcps_fit_result result;
  fcps_look parent;
  bool stuck[ROWS];
  double *y;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &measuring, &settings));
  for (int i = 0; i < ROWS; i++) {
    double x[2];
    place(i, x);
    const double value = tell(i, x);
    assert_ok(fcps_model_add(model, &(fcps_rollout){.parameters = x, .outcome = &value}));
  }
  assert_ok(fcps_model_fit(model, 1, NULL, fcps_rng_stream(7, FCPS_PURPOSE_FIT, 1), &result, NULL));
  fcps_look look = fcps_model_look(model, &parent, NULL);
  assert_ok(fcps_model_outputs(model, 1, NULL, &y, NULL));
  look.y = y;
  look.outputs = 1;
  assert_int_equal(fcps_stuck_find(&look, stuck), count);
  for (int i = 0; i < ROWS; i++)
    assert_int_equal(stuck[i], i >= first && i < first + count);
  free(y);
  fcps_model_destroy(model);
}

static void a_sensor_may_be_dead_at_any_time(void **state)
{
  (void)state;
  first_dead = 0;
  expect_stuck(dead_for_a_while, anywhere, 0, DEAD);
  for (first_dead = 6; first_dead < ROWS - DEAD; first_dead += 3)
    expect_stuck(dead_for_a_while, anywhere, first_dead, DEAD);
}

static void it_may_be_dead_while_a_search_converges(void **state)
{
  (void)state;
  for (first_dead = 9; first_dead <= 18; first_dead += 3)
    expect_stuck(dead_for_a_while, converging, first_dead, DEAD);
}

static void what_is_still_the_same_may_be_right(void **state)
{
  (void)state;
  first_dead = ROWS - DEAD;
  expect_stuck(dead_for_a_while, anywhere, 0, 0);
}

static void the_end_of_a_range_a_count_and_a_flat_place_are_honest(void **state)
{
  (void)state;
  expect_stuck(ends_its_range, anywhere, 0, 0);
  expect_stuck(has_few_digits, anywhere, 0, 0);
  expect_stuck(flat_in_a_corner, a_corner_for_a_while, 0, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sensor_may_be_dead_at_any_time),
      cmocka_unit_test(it_may_be_dead_while_a_search_converges),
      cmocka_unit_test(what_is_still_the_same_may_be_right),
      cmocka_unit_test(the_end_of_a_range_a_count_and_a_flat_place_are_honest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
