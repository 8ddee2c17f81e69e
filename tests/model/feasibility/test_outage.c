/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/model/feasibility/feasibility.c: failures in a row are an outage if nothing about their places explains
 * them. */
#include "model/feasibility/feasibility.h"

#include "base/rng.h"
#include "check.h"
#include "model/model.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <string.h>

/* A model that was told trials at random places. `ends` has a letter for each: f failed, n no outcome, . ended well.
 * If `corner` is not 0, the trials that go wrong are near one place. */
static fcps_model *train(const fcps_problem *problem, const char *ends, double corner)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .circular = true,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                                        .prior = USUAL_PRIOR(0.4),
                                        .fit = {.starts = 2, .budget = 25}};
  static const double target[2] = {0.5, -0.6};
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  for (const char *end = ends; *end != '\0'; end++) {
    double x[3], environment[1], parameters[2], outcome[2];
    fcps_rng_uniforms(&rng, 3, x);
    for (int i = 0; i < 3 && corner > 0.0; i++)
      x[i] = *end != '.' ? corner + 0.05 * x[i] : 0.6 * x[i];
    fcps_space_from_unit(&problem->environment, x, environment);
    fcps_space_from_unit(&problem->parameters, x + 1, parameters);
    toy_throw(environment, parameters, outcome);
    const fcps_rollout rollout = {.target = target,
                                  .environment = environment,
                                  .parameters = parameters,
                                  .outcome = *end == '.' ? outcome : NULL,
                                  .reward = NAN,
                                  .hindsight_reward = NAN,
                                  .status = *end == 'f' ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

static void the_longest_row_of_failures_is_found(void **state)
{
  (void)state;
  static const struct {
    const char *ends;
    int first, count;
  } cases[] = {
      {".....", 0, 0},     {"ff...ff.", 0, 0}, {"fffff...", 0, 5}, {"..fff.ffff.", 3, 4},    {"fff..ffff.", 3, 4},
      {"ffnff...", 0, 0},  {"n.fff.", 1, 3},   {".nfff.", 1, 3},   {"f.f.f.f.f.f.f", 0, 0},  {"ffff.", 0, 4},
      {"fff..ffff", 0, 3}, {"n.fff", 0, 0},    {"ffff", 0, 0},     {"......ffffffff", 0, 0}, {"...fffn", 0, 0},
  };
  const fcps_problem problem = toy_problem();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_model *model = train(&problem, cases[i].ends, 0.0);
    const fcps_outage found =
        fcps_outage_find(&model->others, model->told_before, model->training.count, FCPS_OUTAGE_FAILURES);
    if (found.count != cases[i].count || (found.count > 0 && found.first != cases[i].first))
      fail_msg("%s: %d from %d", cases[i].ends, found.count, found.first);
    fcps_model_destroy(model);
  }
}

/* The least chance of success at 200 places. */
static double least_chance(const fcps_model *model)
{
  const fcps_problem *problem = model->problem;
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 1);
  double least = 1.0;
  for (int i = 0; i < 200; i++) {
    double x[3], environment[1], parameters[2], chance;
    fcps_rng_uniforms(&rng, 3, x);
    fcps_space_from_unit(&problem->environment, x, environment);
    fcps_space_from_unit(&problem->parameters, x + 1, parameters);
    assert_ok(fcps_feasibility_chances(&model->feasibility, &model->layout, 1, environment, parameters, &chance, NULL));
    least = fmin(least, chance);
  }
  return least;
}

static void an_outage_is_not_the_fault_of_parameters(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  static const char *const outages[] = {"fffff.........................", "..........fffff...............",
                                        "ffffffff........................................"};
  for (int i = 0; i < 3; i++) {
    fcps_model *model = train(&problem, outages[i], 0.0);
    assert_null(model->feasibility.feasible);
    assert_near(least_chance(model), 1.0, 1e-12);
    fcps_model_destroy(model);
  }
}

static void a_corner_in_which_trials_fail_stays_one(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  static const char *const corners[] = {"..........fffff...............", ".f....f....ff....f....f...f..."};
  for (int i = 0; i < 2; i++) {
    fcps_model *model = train(&problem, corners[i], 0.9);
    assert_non_null(model->feasibility.feasible);
    assert_true(least_chance(model) < 0.3);
    fcps_model_destroy(model);
  }
}

static void absent_outcomes_in_a_row_are_found_where_they_are_rare(void **state)
{
  (void)state;
  static const struct {
    const char *ends;
    int first, count;
  } cases[] = {
      {"nnn......", 0, 3},          {"nnn.....", 0, 0},     {"nn.......nn.......", 0, 0},
      {"...n....nnnn......", 1, 4}, {"nfnn........", 0, 0}, {"n.n.n....nnn.........", 0, 0},
      {".....nnn........", 0, 3},
  };
  const fcps_problem problem = toy_problem();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_model *model = train(&problem, cases[i].ends, 0.0);
    const fcps_outage found =
        fcps_outage_find(&model->others, model->told_before, model->training.count, FCPS_OUTAGE_ABSENCES);
    if (found.count != cases[i].count || (found.count > 0 && found.first != cases[i].first))
      fail_msg("%s: %d from %d", cases[i].ends, found.count, found.first);
    fcps_model_destroy(model);
  }
}

static void an_unplugged_scale_is_not_the_fault_of_parameters(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  static const char *const outages[] = {"nnnnn.........................", "....................nnnnn.....",
                                        "..............................nnnnnnnn"};
  for (int i = 0; i < 3; i++) {
    fcps_model *model = train(&problem, outages[i], 0.0);
    assert_null(model->feasibility.present);
    assert_true(model->feasibility.absence.count >= 5);
    assert_near(least_chance(model), 1.0, 1e-12);
    fcps_model_destroy(model);
  }
  fcps_model *model = train(&problem, "...n..........nnnnn...........n...", 0.0);
  assert_non_null(model->feasibility.present); /* of the two others */
  assert_int_equal(model->feasibility.absence.count, 5);
  fcps_model_destroy(model);
}

static void a_corner_without_outcomes_stays_one(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  static const char *const corners[] = {"..........nnnnn...............", ".n....n....nn....n....n...n..."};
  for (int i = 0; i < 2; i++) {
    fcps_model *model = train(&problem, corners[i], 0.9);
    assert_non_null(model->feasibility.present);
    assert_int_equal(model->feasibility.absence.count, 0);
    assert_true(least_chance(model) < 0.3);
    fcps_model_destroy(model);
  }
}

static void a_saved_model_knows_the_order(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, "..fff.n....ff..", 0.0), *again = NULL;
  fcps_error error;
  fcps_json *json = fcps_model_write(model);
  assert_ok(fcps_model_read(&again, &problem, json, &error));
  assert_memory_equal(again->told_before, model->told_before, (size_t)model->others.count * sizeof(int));
  fcps_json_destroy(json);
  fcps_model_destroy(model);
  fcps_model_destroy(again);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_longest_row_of_failures_is_found),
      cmocka_unit_test(an_outage_is_not_the_fault_of_parameters),
      cmocka_unit_test(a_corner_in_which_trials_fail_stays_one),
      cmocka_unit_test(absent_outcomes_in_a_row_are_found_where_they_are_rare),
      cmocka_unit_test(an_unplugged_scale_is_not_the_fault_of_parameters),
      cmocka_unit_test(a_corner_without_outcomes_stays_one),
      cmocka_unit_test(a_saved_model_knows_the_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
