/* SPDX-License-Identifier: Apache-2.0 */
/* Spells: which rows are in one, wherever it is, with which factor, and data that have none. */
#include "check.h"
#include "model/beliefs.h"
#include "usual_prior.h"

#include <string.h>

enum { ROWS = 40 };

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

/* A number in [-1, 1] that looks like noise. */
static double jitter(int i)
{
  const double x = 43758.5453 * sin(12.9898 * (i + 1));
  return 2.0 * (x - floor(x)) - 1.0;
}

typedef double process(double a, double b);

static double smooth(double a, double b)
{
  return 20.0 + 10.0 * sin(3.0 * a) + 8.0 * b;
}
static double signed_smooth(double a, double b)
{
  return 20.0 * sin(4.0 * a) - 8.0 * b;
}
static double exponential(double a, double b)
{
  return exp(4.0 * a + b);
}

/* Rows from `first` to before `end` are told as factor times what is right. */
typedef struct spell {
  int first, end;
  double factor;
} spell;

static fcps_model *create(void)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                                        .prior = USUAL_PRIOR(0.8),
                                        .structures = {.doubts = FCPS_STRUCTURE_AUTO},
                                        .fit = {.starts = 2, .budget = 60}};
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &measuring, &settings));
  return model;
}

static fcps_model *train(process *f, spell s, int wild, int confirmed)
{
  fcps_model *model = create();
  fcps_fit_result result;
  for (int i = 0; i < ROWS; i++) {
    const double x[2] = {fmod(0.754878 * (i + 1), 1.0), fmod(0.56984 * (i + 1), 1.0)};
    double value = f(x[0], x[1]) * (1.0 + 0.01 * jitter(i));
    if (i >= s.first && i < s.end) value *= s.factor;
    if (i == wild) value *= 1000.0;
    const fcps_rollout rollout = {.parameters = x, .outcome = &value, .is_confirmed = i < confirmed && i >= s.first};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_fit(model, 1, NULL, fcps_rng_stream(7, FCPS_PURPOSE_FIT, 1), &result, NULL));
  return model;
}

/* The factor of the spell of a row; 0: it is in none. */
static double factor_of(const fcps_model *model, int row)
{
  for (int i = 0; i < doubt_count(model); i++)
    if (doubt_at(model, i)->row == row) return doubt_at(model, i)->spell.factor;
  return 0.0;
}

/* The rows of a spell, and no others, are suspects with its factor. */
static void assert_found(process *f, spell s, int wild)
{
  fcps_model *model = train(f, s, wild, 0);
  for (int i = 0; i < ROWS; i++) {
    const double factor = factor_of(model, i);
    if (i == wild) continue;
    if ((factor > 0.0) != (i >= s.first && i < s.end))
      fail_msg("spell %d-%d of %g: row %d has factor %g", s.first, s.end, s.factor, i, factor);
    if (factor > 0.0) assert_near(factor, s.factor, 0.05 * s.factor);
  }
  fcps_model_destroy(model);
}

static void a_spell_is_found_wherever_it_lies(void **state)
{
  (void)state;
  static const int runs[][2] = {{0, 8}, {12, 20}, {20, 23}, {30, 40}, {37, 40}};
  static const double factors[] = {1e6, 1000.0, 10.0, 0.01};
  for (size_t k = 0; k < 5; k++)
    for (size_t f = 0; f < 4; f++) {
      assert_found(smooth, (spell){runs[k][0], runs[k][1], factors[f]}, -1);
      if (factors[f] >= 1000.0 && runs[k][1] - runs[k][0] >= 8)
        assert_found(exponential, (spell){runs[k][0], runs[k][1], factors[f]}, -1);
    }
}

static void any_factor_is_found(void **state)
{
  (void)state;
  static const double factors[] = {1e6,       1e-6, 3600.0,   60.0, 1.0 / 60.0, 57.2957795, 25.4, 12.0,
                                   6.8947573, 4.0,  3.280839, 2.54, 0.45359237, 0.3048,     1.8};
  for (size_t k = 0; k < sizeof factors / sizeof *factors; k++)
    assert_found(smooth, (spell){26, 36, factors[k]}, -1);
}

static void outputs_of_both_signs_have_spells_too(void **state)
{
  (void)state;
  assert_found(signed_smooth, (spell){14, 24, 1000.0}, -1);
  assert_found(signed_smooth, (spell){30, 40, 60.0}, -1);
}

static void a_wild_row_hides_no_spell_and_is_none(void **state)
{
  (void)state;
  assert_found(smooth, (spell){20, 28, 100.0}, 5);
  for (int wild = 0; wild < ROWS; wild += 3)
    assert_found(smooth, (spell){0}, wild);
}

static void expect_none(const fcps_model *model, const char *name)
{
  for (int i = 0; i < ROWS; i++)
    if (factor_of(model, i) > 0.0) fail_msg("%s: row %d has factor %g", name, i, factor_of(model, i));
}

static void what_is_near_one_or_too_short_is_no_spell(void **state)
{
  (void)state;
  static const spell spells[] = {{30, 40, 1.0}, {30, 40, 1.2}, {20, 22, 1000.0}};
  for (size_t k = 0; k < sizeof spells / sizeof *spells; k++) {
    fcps_model *model = train(smooth, spells[k], -1, 0);
    expect_none(model, "near one or short");
    fcps_model_destroy(model);
  }
}

/* The right half of the places is tried at the end, and all numbers there are a hundredth: the function itself may
 * be like this. */
static double falls_at_the_right(double a, double b)
{
  return (a > 0.6 ? 0.01 : 1.0) * smooth(a, b);
}
static void a_run_at_a_place_of_its_own_is_no_spell(void **state)
{
  (void)state;
  fcps_model *model = create();
  fcps_fit_result result;
  for (int i = 0; i < ROWS; i++) {
    const double u = fmod(0.754878 * (i + 1), 1.0);
    const double x[2] = {i < 28 ? 0.4 * u : 0.8 + 0.2 * u, fmod(0.56984 * (i + 1), 1.0)};
    const double value = falls_at_the_right(x[0], x[1]) * (1.0 + 0.01 * jitter(i));
    assert_ok(fcps_model_add(model, &(fcps_rollout){.parameters = x, .outcome = &value}));
  }
  assert_ok(fcps_model_fit(model, 1, NULL, fcps_rng_stream(7, FCPS_PURPOSE_FIT, 1), &result, NULL));
  expect_none(model, "a place of its own");
  fcps_model_destroy(model);
}

/* The output is unpredictable, but all of its numbers have about one size. */
static double like_noise(double a, double b)
{
  return 3.0 + 0.1 * jitter((int)(1000.0 * a) + (int)(7000.0 * b));
}
static void a_spell_is_found_where_nobody_can_predict_its_rows(void **state)
{
  (void)state;
  assert_found(like_noise, (spell){14, 20, 100.0}, -1);
  assert_found(like_noise, (spell){30, 38, 0.01}, -1);
}

static void what_was_confirmed_is_in_no_spell(void **state)
{
  (void)state;
  const spell s = {30, 38, 1000.0};
  fcps_model *model = train(smooth, s, -1, s.end);
  assert_int_equal(doubt_count(model), 0);
  fcps_model_destroy(model);
}

/* Of two parts the later one is in another unit, unless the earlier one is short. */
static void a_change_that_lasts_is_named_from_its_beginning(void **state)
{
  (void)state;
  assert_found(smooth, (spell){16, 40, 1000.0}, -1);
  assert_found(smooth, (spell){0, 12, 0.001}, -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spell_is_found_wherever_it_lies),
      cmocka_unit_test(any_factor_is_found),
      cmocka_unit_test(outputs_of_both_signs_have_spells_too),
      cmocka_unit_test(a_wild_row_hides_no_spell_and_is_none),
      cmocka_unit_test(what_is_near_one_or_too_short_is_no_spell),
      cmocka_unit_test(a_run_at_a_place_of_its_own_is_no_spell),
      cmocka_unit_test(a_spell_is_found_where_nobody_can_predict_its_rows),
      cmocka_unit_test(what_was_confirmed_is_in_no_spell),
      cmocka_unit_test(a_change_that_lasts_is_named_from_its_beginning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
