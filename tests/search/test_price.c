/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/search/search.c: gains per unit of cost, and their gradients. */
#include "check.h"
#include "search/search.h"

#include <string.h>

static const fcps_dimension parameters[] = {{.name = "a", .lower = 0, .upper = 1},
                                            {.name = "b", .lower = 0, .upper = 2}};
static const fcps_problem problem = {.parameters = {2, parameters}, .cost = "1 + 4*a + b^2"};

static double hill(void *user, int n, const double *x, double *gradient)
{
  (void)user;
  double value = 3.0;
  for (int d = 0; d < n; d++) {
    value -= 2 * (x[d] - 0.7) * (x[d] - 0.7);
    if (gradient != NULL) gradient[d] = -4 * (x[d] - 0.7);
  }
  return value;
}

static void hills(void *user, int n, int count, const double *points, double *values)
{
  for (int i = 0; i < count; i++)
    values[i] = hill(user, n, points + i * n, NULL);
}

static fcps_cost *make_cost(void)
{
  fcps_cost *cost;
  assert_ok(fcps_cost_create(&cost, &problem, NULL));
  return cost;
}

static void gradients_agree_with_differences(void **state)
{
  (void)state;
  const fcps_objective objective = {.n = 2, .value = hill};
  const double floors[] = {0.0, 2.4, 5.0}, h = 1e-6; /* the last is above all values */
  fcps_cost *cost = make_cost();
  for (int f = 0; f < 3; f++) {
    const fcps_price price = {cost, floors[f]};
    fcps_priced priced;
    fcps_objective inside;
    const double x[] = {0.45, 0.6};
    double gradient[2];
    assert_ok(fcps_price_enter(&price, &objective, &priced, &inside));
    const double value = inside.value(inside.user, 2, x, gradient), gain = hill(NULL, 2, x, NULL) - floors[f];
    assert_near(value, gain > 0 ? gain / (1 + 4 * 0.45 + 1.2 * 1.2) : gain, 1e-12);
    for (int d = 0; d < 2; d++) {
      double ahead[2], behind[2];
      memcpy(ahead, x, sizeof ahead);
      memcpy(behind, x, sizeof behind);
      ahead[d] += h;
      behind[d] -= h;
      assert_near(gradient[d],
                  (inside.value(inside.user, 2, ahead, NULL) - inside.value(inside.user, 2, behind, NULL)) / (2 * h),
                  1e-6);
    }
    fcps_price_leave(&priced);
  }
  fcps_cost_destroy(cost);
}

/* The best place per unit of cost, against a fine grid; without a price it is the top of the hill. */
static void a_search_finds_the_most_per_unit_of_cost(void **state)
{
  (void)state;
  const fcps_objective objective = {.n = 2, .value = hill, .batch = hills};
  fcps_search_settings settings = {.kind = FCPS_SEARCH_MULTISTART, .candidates = 200, .starts = 4, .local_budget = 60};
  fcps_cost *cost = make_cost();
  const fcps_price price = {cost, 1.0};
  double x[2], best = -INFINITY;
  fcps_optimum optimum;
  assert_ok(fcps_search_maximize(&settings, &objective, fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0), x, &optimum));
  assert_near(x[0], 0.7, 1e-4);
  for (int i = 0; i <= 200; i++)
    for (int j = 0; j <= 200; j++) {
      const double at[] = {i / 200.0, j / 200.0};
      double value = hill(NULL, 2, at, NULL);
      fcps_price_apply(&price, 2, 1, at, &value);
      best = fmax(best, value);
    }
  settings.price = &price;
  assert_ok(fcps_search_maximize(&settings, &objective, fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0), x, &optimum));
  assert_true(optimum.value >= best && optimum.value < best + 1e-3);
  assert_true(x[0] < 0.6);
  fcps_cost_destroy(cost);
}

static void a_place_without_a_usable_cost_is_worth_nothing(void **state)
{
  (void)state;
  const fcps_problem odd = {.parameters = {2, parameters}, .cost = "a - 0.5"};
  const double x[] = {0.2, 0.7};
  double value = 3.0;
  fcps_cost *cost;
  assert_ok(fcps_cost_create(&cost, &odd, NULL));
  fcps_price_apply(&(fcps_price){.cost = cost}, 2, 1, x, &value);
  assert_near(value, 0, 0);
  fcps_price_apply(NULL, 2, 1, x, &value);
  fcps_cost_destroy(cost);
}

/* The scale is that of a trial in the middle of the cube: there b does not apply, so it costs nothing. */
static void the_scale_lets_parameters_rest(void **state)
{
  (void)state;
  const fcps_dimension two[] = {parameters[0], {.name = "b", .lower = 0, .upper = 2, .when = "a > 0.6"}};
  const fcps_problem resting = {.parameters = {2, two}, .cost = "4 + 3*b"};
  const fcps_objective objective = {.n = 2, .value = hill, .value_scale = 2};
  fcps_price price = {0};
  fcps_priced priced;
  fcps_objective inside;
  assert_ok(fcps_cost_create(&price.cost, &resting, NULL));
  assert_ok(fcps_price_enter(&price, &objective, &priced, &inside));
  assert_near(inside.value_scale, 0.5, 0);
  fcps_price_leave(&priced);
  fcps_cost_destroy(price.cost);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_agree_with_differences),
      cmocka_unit_test(a_search_finds_the_most_per_unit_of_cost),
      cmocka_unit_test(a_place_without_a_usable_cost_is_worth_nothing),
      cmocka_unit_test(the_scale_lets_parameters_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
