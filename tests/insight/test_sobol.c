/* SPDX-License-Identifier: Apache-2.0 */
/* What matters: the closed form of a process against samples of it, samples against a function whose indices are known. */
#include "check.h"

#include "insight/sobol.h"
#include "policy/policy_impl.h"

#include <fcps/learner.h>

#include <math.h>

static const double pi = 3.14159265358979323846;

/* f = sin x1 + a sin^2 x2 + b x3^4 sin x1 on [-pi, pi]^3; the second output is a constant. */
static fcps_status ishigami(void *user, int count, const double *points, double *values)
{
  (void)user;
  for (int i = 0; i < count; i++) {
    const double *u = points + 3 * i, x[3] = {(2 * u[0] - 1) * pi, (2 * u[1] - 1) * pi, (2 * u[2] - 1) * pi};
    values[2 * i] = sin(x[0]) + 7.0 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
    values[2 * i + 1] = 3.0;
  }
  return FCPS_OK;
}

static void samples_find_the_indices_of_a_known_function(void **state)
{
  const double a = 7.0, b = 0.1, alone = 0.5 * pow(1.0 + b * pow(pi, 4) / 5.0, 2), second = a * a / 8.0,
               together = b * b * pow(pi, 8) * 8.0 / 225.0, whole = alone + second + together;
  const double first[3] = {alone / whole, second / whole, 0.0},
               total[3] = {(alone + together) / whole, second / whole, together / whole};
  const fcps_sobol_function f = {3, 2, ishigami, NULL};
  double found[6], all[6];
  (void)state;
  assert_ok(fcps_sobol_sample(&f, 4096, found, all));
  for (int d = 0; d < 3; d++) {
    assert_near(found[d], first[d], 0.03);
    assert_near(all[d], total[d], 0.03);
    assert_true(isnan(found[3 + d]) && isnan(all[3 + d]));
  }
}

/* -- A model -- */

static const fcps_dimension environment[] = {{.name = "wind", .lower = -1, .upper = 1}};
static const fcps_dimension parameters[] = {{.name = "turn", .lower = 0, .upper = 360, .period = 360},
                                            {.name = "speed", .lower = 0, .upper = 2}};
static const fcps_dimension outcome[] = {{.name = "near"}, {.name = "far"}};

static fcps_status score(void *user, int count, const double *target, const double *environments, const double *p,
                         const double *o, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)p;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? o[2 * i] : NAN;
  return FCPS_OK;
}

static const fcps_problem problem = {
    .environment = {1, environment}, .parameters = {2, parameters}, .outcome = {2, outcome}, .reward = score};

static fcps_policy *learn(void)
{
  static const fcps_setting settings[] = {{"separate", "on"}, {"kernel", "se"}, {"frame", "off"}, {NULL, NULL}};
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", settings, 1, NULL));
  for (int i = 0; i < 40; i++) {
    const double wind = 2 * fmod(0.37 * i, 1.0) - 1, p[2] = {360 * fmod(0.618 * i, 1.0), 2 * fmod(0.414 * i, 1.0)};
    const double o[2] = {p[1] * cos(p[0] * pi / 180 + 0.7) + 0.5 * wind, exp(p[1]) + 0.3 * sin(p[0] * pi / 180) * wind};
    const fcps_rollout rollout = {.environment = &wind, .parameters = p, .outcome = o};
    assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  fcps_learner_destroy(learner);
  return policy;
}

static fcps_status means_of(void *user, int count, const double *points, double *values)
{
  return fcps_sobol_means(user, NULL, count, points, values, NULL);
}

static void the_closed_form_is_what_samples_find(void **state)
{
  fcps_policy *policy = learn();
  const fcps_model *model = policy->ops->model(policy);
  double first[6], total[6], found[6], all[6];
  bool is_closed = false;
  (void)state;
  assert_int_equal(fcps_sobol_inputs(model), 3);
  assert_string_equal(fcps_sobol_input(model, 0)->name, "wind");
  assert_string_equal(fcps_sobol_input(model, 2)->name, "speed");
  assert_ok(fcps_sobol_model(model, first, total, &is_closed, NULL));
  assert_true(is_closed);
  const fcps_sobol_function f = {3, 2, means_of, (void *)model};
  assert_ok(fcps_sobol_sample(&f, 8192, found, all));
  for (int i = 0; i < 6; i++) {
    assert_near(found[i], first[i], 0.02);
    assert_near(all[i], total[i], 0.02);
  }
  assert_true(total[1] > 0.4 && total[3 + 2] > 0.9); /* turn and speed for the one, speed for the other */
  fcps_policy_destroy(policy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_find_the_indices_of_a_known_function),
      cmocka_unit_test(the_closed_form_is_what_samples_find),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
