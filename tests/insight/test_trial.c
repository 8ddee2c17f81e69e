/* SPDX-License-Identifier: Apache-2.0 */
/* Why a trial: shares and lessons against their closed forms. */
#include "check.h"

#include "insight/trial.h"
#include "policy/policy_impl.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const fcps_dimension parameters[] = {{.name = "a", .lower = 0, .upper = 1}};

static const fcps_problem problem = {.parameters = {1, parameters}};

enum { MANY = 6 };
static const fcps_dimension many[MANY] = {{.name = "a", .lower = 0, .upper = 1}, {.name = "b", .lower = 0, .upper = 1},
                                          {.name = "c", .lower = 0, .upper = 1}, {.name = "d", .lower = 0, .upper = 1},
                                          {.name = "e", .lower = 0, .upper = 1}, {.name = "f", .lower = 0, .upper = 1}};
static const fcps_problem wide = {.parameters = {MANY, many}};

/* A model of told rewards at some places, with the middle of its prior for hyper-parameters. */
static fcps_model *learn_in(const fcps_problem *p, int count, const double *places)
{
  static const fcps_rollout empty = {.status = FCPS_ROLLOUT_OK};
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE},
                                        .prior = {.length = 0.3,
                                                  .length_sd = 1,
                                                  .signal = 1,
                                                  .signal_sd = 1,
                                                  .noise = 0.2,
                                                  .noise_sd = 1,
                                                  .noise_floor = 1e-3}};
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_joint, p, &settings));
  for (int i = 0; i < count; i++) {
    fcps_rollout rollout = empty;
    rollout.parameters = places + i * p->parameters.count;
    rollout.reward = sin(5.0 * *rollout.parameters);
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

static fcps_model *learn(int count, const double *places)
{
  return learn_in(&problem, count, places);
}

/* Of two rows: w = K^-1 k by hand. */
static void shares_are_those_of_the_weights(void **state)
{
  static const double places[] = {0.2, 0.9}, at = 0.4;
  fcps_model *model = learn(2, places);
  const fcps_model *answering = NULL;
  double *shares = NULL, k[2];
  (void)state;
  assert_ok(fcps_insight_weigh(model, &(fcps_insight_place){.parameters = &at}, &answering, &shares, NULL));
  assert_ptr_equal(answering, model);
  for (int i = 0; i < 2; i++)
    k[i] = exp(-0.5 * pow((at - places[i]) / 0.3, 2));
  const double between = exp(-0.5 * pow((places[1] - places[0]) / 0.3, 2)), diagonal = 1.0 + 0.04;
  const double w[2] = {k[0] * diagonal - k[1] * between, k[1] * diagonal - k[0] * between};
  assert_near(shares[0], fabs(w[0]) / (fabs(w[0]) + fabs(w[1])), 1e-9);
  assert_near(shares[0] + shares[1], 1.0, 1e-12);
  free(shares);
  fcps_model_destroy(model);
}

/* After a trial at x the variance there is v - v^2/(v + noise), at y it is v_y - c^2/(v + noise). */
static void a_lesson_is_what_a_row_more_leaves(void **state)
{
  static const double places[] = {0.2}, x = 0.5, y = 0.7;
  fcps_model *model = learn(1, places);
  fcps_insight_lesson lesson;
  const fcps_insight_place at = {.parameters = &x}, elsewhere = {.parameters = &y};
  (void)state;
  assert_ok(fcps_insight_teach(model, &at, 1, &elsewhere, &lesson, NULL));
  const double noise = 0.04, kx = exp(-0.5), ky = exp(-0.5 * pow(0.5 / 0.3, 2)),
               between = exp(-0.5 * pow(0.2 / 0.3, 2));
  const double vx = 1.0 - kx * kx / (1.0 + noise), vy = 1.0 - ky * ky / (1.0 + noise),
               c = between - kx * ky / (1.0 + noise);
  assert_near(lesson.reward[0], sqrt(vx), 1e-9);
  assert_near(lesson.reward[1], sqrt(vx - vx * vx / (vx + noise)), 1e-9);
  assert_near(lesson.elsewhere[0], sqrt(vy), 1e-9);
  assert_near(lesson.elsewhere[1], sqrt(vy - c * c / (vx + noise)), 1e-9);
  assert_false(lesson.has_outcomes);
  fcps_model_destroy(model);
}

static void the_runner_up_is_the_best_elsewhere(void **state)
{
  double places[21], best = 0.3, found;
  bool exists = false;
  for (int i = 0; i < 21; i++)
    places[i] = i / 20.0;
  fcps_model *model = learn(21, places);
  (void)state;
  assert_ok(fcps_insight_runner_up(model, &(fcps_insight_place){.parameters = &best}, 0.0, &found, &exists, NULL));
  assert_true(exists);
  assert_near(found, 0.4, 0.01); /* sin 5x is larger beyond 0.3 than before it: nearest to its top at 0.314 */
  fcps_model_destroy(model);
}

/* No change of one parameter of the trial finds a better one. */
static void the_runner_up_is_no_worse_than_its_neighbours(void **state)
{
  double places[60 * MANY], own[MANY], found[MANY], here, there;
  bool exists = false;
  fcps_posterior *posterior = NULL;
  (void)state;
  for (int i = 0; i < 60 * MANY; i++)
    places[i] = fmod(0.618033988 * i * (1 + i % MANY), 1.0);
  fcps_model *model = learn_in(&wide, 60, places);
  memcpy(own, places, sizeof own);
  for (int i = 0; i < 60; i++) /* the trial that earned most */
    if (fabs(places[i * MANY] - 0.314) < fabs(own[0] - 0.314)) memcpy(own, places + i * MANY, sizeof own);
  assert_ok(fcps_insight_runner_up(model, &(fcps_insight_place){.parameters = own}, 0.0, found, &exists, NULL));
  assert_true(exists);
  assert_ok(fcps_posterior_create(&posterior, model, NULL, NULL, NULL));
  fcps_posterior_moments(posterior, 1, found, &there, NULL);
  for (int d = 0; d < MANY; d++)
    for (int step = 0; step <= 16; step++) {
      double x[MANY];
      memcpy(x, own, sizeof x);
      x[d] = step / 16.0;
      fcps_posterior_moments(posterior, 1, x, &here, NULL);
      if (fabs(x[d] - own[d]) >= 0.1 && here > there + 1e-9) fail_msg("%g elsewhere, %g there", here, there);
    }
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_are_those_of_the_weights),
      cmocka_unit_test(a_lesson_is_what_a_row_more_leaves),
      cmocka_unit_test(the_runner_up_is_the_best_elsewhere),
      cmocka_unit_test(the_runner_up_is_no_worse_than_its_neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
