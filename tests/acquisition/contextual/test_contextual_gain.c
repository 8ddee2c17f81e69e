/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/contextual/contextual_gain.c: the value of a trial over many contexts compared with queries
 * in each of them, and the selected trial compared with other trials. */
#include "acquisition/contextual/contextual_gain.h"
#include "acquisition/thrown_model.h"
#include "space/points.h"
#include "space/space.h"

enum { ENVIRONMENTS = 3, TARGETS = 2 };
static const bool nothing_free[2] = {false, false};

static const char *const names[] = {"es", "kg", "mes", "jes", "pes"};
enum { ACQUISITIONS = sizeof names / sizeof *names };

/* The value of a trial in a given context, of which nothing is free. */
static double value_over_contexts(const fcps_context_decision *decision, const double *context, const double *x)
{
  fcps_representer_contexts contexts = {0};
  fcps_contextual_query query = {0};
  bool is_empty;
  double value;
  assert_ok(fcps_representer_contexts_draw(&contexts, decision));
  assert_ok(fcps_contextual_query_open(&query, decision, &contexts, -1, context, 1, &is_empty, NULL));
  assert_false(is_empty);
  assert_int_equal(fcps_contextual_query_width(&query), 2);
  fcps_contextual_query_values(&query, 1, x, &value);
  fcps_contextual_query_close(&query);
  fcps_representer_contexts_destroy(&contexts);
  return value;
}

/* What a trial in the environment `wind` (unit) is worth in one context: the question is about that context, and the
 * trial is seen from there. A model that does not know the wind reads neither. */
static double value_in(const fcps_context_decision *d, double environment, double mark, double wind, const double *x)
{
  fcps_rng rng = d->rng;
  rng.purpose = FCPS_PURPOSE_REPRESENT;
  rng.index = UINT64_C(1) << 32;
  fcps_posterior *posterior = NULL;
  fcps_gain_query query;
  double here, value;
  fcps_space_from_unit(&throwing.environment, &environment, &here);
  assert_ok(fcps_posterior_create(&posterior, d->model, &mark, &here, NULL));
  assert_ok(fcps_gain_query_open(&query, d->acquisition->gain, &fcps_contextual_belief_settings, posterior, 1, rng));
  query.context = &wind;
  fcps_gain_query_values(&query, 1, x, &value);
  fcps_gain_query_close(&query);
  fcps_posterior_destroy(posterior);
  return value;
}

/* The contexts of a decision: environments first, then targets, each a Latin hypercube. */
static void draw_contexts(const fcps_context_decision *d, double *environments, int targets, double *marks)
{
  fcps_rng rng = d->rng;
  rng.purpose = FCPS_PURPOSE_REPRESENT;
  assert_ok(fcps_points_latin(&rng, 1, ENVIRONMENTS, environments));
  assert_ok(fcps_points_latin(&rng, 1, targets, marks));
  for (int t = 0; t < targets; t++)
    fcps_space_from_unit(&throwing.target, marks + t, marks + t);
}

static void check_sums(int targets)
{
  const fcps_contextual_settings settings = {
      .contexts = ENVIRONMENTS * targets, .targets = targets, .neighbours = ENVIRONMENTS};
  fcps_model *model = make_model();
  for (int g = 0; g < ACQUISITIONS; g++) {
    const fcps_context_decision decision = {.settings = &settings,
                                            .acquisition = fcps_acquisition_find(names[g]),
                                            .model = model,
                                            .is_free = nothing_free,
                                            .rng = fcps_rng_stream(5, FCPS_PURPOSE_SEARCH, 3)};
    double environments[ENVIRONMENTS], marks[TARGETS], wind = 0.4, x[2] = {0.6, 0.3}, value, wanted = 0;
    draw_contexts(&decision, environments, targets, marks);
    for (int p = 0; p < ENVIRONMENTS; p++)
      for (int t = 0; t < targets; t++)
        wanted += value_in(&decision, environments[p], marks[t], wind, x);
    value = value_over_contexts(&decision, &wind, x);
    if (!(fabs(value - wanted) <= 1e-9 * wanted)) fail_msg("%s: %.12g, not %.12g", names[g], value, wanted);
    assert_true(wanted > 0.01); /* or the comparison says nothing */
  }
  fcps_model_destroy(model);
}

static void the_value_over_contexts_is_the_sum_of_values_in_each(void **state)
{
  (void)state;
  check_sums(TARGETS);
}

/* somewhere within its bounds, which need not hold 0 */
static void a_single_target_is_drawn_like_many(void **state)
{
  (void)state;
  check_sums(1);
}

static void without_environments_there_is_one_representer(void **state)
{
  (void)state;
  const fcps_contextual_settings settings = {
      .contexts = ENVIRONMENTS * TARGETS, .targets = TARGETS, .neighbours = ENVIRONMENTS};
  fcps_problem calm = throwing;
  calm.environment = (fcps_space){0};
  fcps_model *model = make_model_of(&calm);
  const fcps_context_decision decision = {.settings = &settings,
                                          .acquisition = fcps_acquisition_find("kg"),
                                          .model = model,
                                          .is_free = nothing_free,
                                          .rng = fcps_rng_stream(5, FCPS_PURPOSE_SEARCH, 3)};
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_REPRESENT, 3);
  double marks[TARGETS], none = 0, x[2] = {0.6, 0.3}, value, wanted = 0;
  assert_ok(fcps_points_latin(&rng, 1, TARGETS, marks));
  for (int t = 0; t < TARGETS; t++) {
    fcps_space_from_unit(&calm.target, marks + t, marks + t);
    wanted += value_in(&decision, none, marks[t], none, x);
  }
  value = value_over_contexts(&decision, &none, x);
  assert_true(wanted > 0.01 && fabs(value - wanted) <= 1e-9 * wanted);
  fcps_model_destroy(model);
}

static void only_the_nearest_contexts_count(void **state)
{
  (void)state;
  const fcps_contextual_settings settings = {.contexts = ENVIRONMENTS * TARGETS, .targets = TARGETS, .neighbours = 1};
  fcps_model *model = make_model();
  for (int g = 0; g < ACQUISITIONS; g++) {
    const fcps_context_decision decision = {.settings = &settings,
                                            .acquisition = fcps_acquisition_find(names[g]),
                                            .model = model,
                                            .is_free = nothing_free,
                                            .rng = fcps_rng_stream(5, FCPS_PURPOSE_SEARCH, 4)};
    double environments[ENVIRONMENTS], marks[TARGETS], wind = 0.9, x[2] = {0.6, 0.3}, value, wanted = 0;
    int nearest = 0;
    draw_contexts(&decision, environments, TARGETS, marks);
    for (int p = 1; p < ENVIRONMENTS; p++)
      if (fabs(environments[p] - wind) < fabs(environments[nearest] - wind)) nearest = p;
    for (int t = 0; t < TARGETS; t++)
      wanted += value_in(&decision, environments[nearest], marks[t], wind, x);
    value = value_over_contexts(&decision, &wind, x);
    if (!(fabs(value - wanted) <= 1e-9 * wanted)) fail_msg("%s: %.12g, not %.12g", names[g], value, wanted);
  }
  fcps_model_destroy(model);
}

/* a failed trial tells nothing: every value is that of a model without failures, times the chance that no trial
 * fails */
static void a_trial_that_may_fail_is_worth_less_by_its_chance(void **state)
{
  (void)state;
  const fcps_contextual_settings settings = {
      .contexts = ENVIRONMENTS * TARGETS, .targets = TARGETS, .neighbours = ENVIRONMENTS};
  fcps_model *safe = make_model(), *risky = make_model();
  const double mark = 0.1, gust = 0.15, thrown[2] = {0.7, 0.8};
  const fcps_rollout failed = {
      .target = &mark, .environment = &gust, .parameters = thrown, .reward = NAN, .status = FCPS_ROLLOUT_FAILED};
  assert_ok(fcps_model_add(risky, &failed));
  assert_ok(fcps_model_refresh(risky));
  fcps_context_decision decision = {
      .settings = &settings, .is_free = nothing_free, .rng = fcps_rng_stream(5, FCPS_PURPOSE_SEARCH, 6)};
  for (int i = 0; i < 2 * ACQUISITIONS; i++) {
    double wind = i < ACQUISITIONS ? 0.85 : 0.1, x[2] = {0.7, 0.7}, environment, chance, value[2];
    fcps_space_from_unit(&throwing.environment, &wind, &environment);
    assert_ok(fcps_feasibility_chances(&risky->feasibility, &risky->layout, 1, &environment, x, &chance, NULL));
    assert_true(i < ACQUISITIONS ? chance < 0.5 : chance > 0.7);
    decision.acquisition = fcps_acquisition_find(names[i % ACQUISITIONS]);
    for (int m = 0; m < 2; m++) {
      decision.model = m == 0 ? safe : risky;
      value[m] = value_over_contexts(&decision, &wind, x);
    }
    assert_near(value[1] / value[0], chance, 1e-9);
  }
  fcps_model_destroy(safe);
  fcps_model_destroy(risky);
}

static void the_choice_is_worth_more_than_others(void **state)
{
  (void)state;
  const fcps_contextual_settings settings = {.contexts = 12, .targets = 2, .neighbours = 4};
  const bool all_free[2] = {true, true};
  fcps_model *model = make_model();
  for (int g = 0; g < ACQUISITIONS; g++) {
    fcps_context_decision decision = {.settings = &settings,
                                      .acquisition = fcps_acquisition_find(names[g]),
                                      .model = model,
                                      .is_free = all_free,
                                      .rng = fcps_rng_stream(5, FCPS_PURPOSE_SEARCH, 5)};
    double context = 0.5, x[2], best, value;
    assert_ok(decision.acquisition->select_context(&decision, &context, x, NULL));
    decision.is_free = nothing_free;
    best = value_over_contexts(&decision, &context, x);
    fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
    for (int i = 0; i < 40; i++) {
      double other = fcps_rng_uniform(&rng), at[2] = {fcps_rng_uniform(&rng), fcps_rng_uniform(&rng)};
      value = value_over_contexts(&decision, &other, at);
      /* a search may end on another hill, if it is as high */
      if (!(value <= 1.01 * best)) fail_msg("%s: %g elsewhere, %g chosen", names[g], value, best);
    }
  }
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_value_over_contexts_is_the_sum_of_values_in_each),
      cmocka_unit_test(a_single_target_is_drawn_like_many),
      cmocka_unit_test(without_environments_there_is_one_representer),
      cmocka_unit_test(only_the_nearest_contexts_count),
      cmocka_unit_test(a_trial_that_may_fail_is_worth_less_by_its_chance),
      cmocka_unit_test(the_choice_is_worth_more_than_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
