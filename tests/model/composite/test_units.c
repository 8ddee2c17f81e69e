/* SPDX-License-Identifier: Apache-2.0 */
/* Spells in another unit: which rows are in one, wherever it lies, in which unit, and what is none. */
#include "check.h"
#include "model/model.h"
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

/* Rows from `first` to before `end` are told as factor times what is right plus shift. */
typedef struct spell {
  int first, end;
  double factor, shift;
} spell;

static fcps_model *train(process *f, spell s, int wild, int confirmed)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                                        .prior = USUAL_PRIOR(0.8),
                                        .fit = {.starts = 2, .budget = 60}};
  fcps_model *model = NULL;
  fcps_fit_result result;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &measuring, &settings));
  for (int i = 0; i < ROWS; i++) {
    const double x[2] = {fmod(0.754878 * (i + 1), 1.0), fmod(0.56984 * (i + 1), 1.0)};
    double value = f(x[0], x[1]) * (1.0 + 0.01 * jitter(i));
    if (i >= s.first && i < s.end) value = s.factor * value + s.shift;
    if (i == wild) value *= 1000.0;
    const fcps_rollout rollout = {.parameters = x, .outcome = &value, .is_confirmed = i < confirmed && i >= s.first};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_fit(model, 1, NULL, fcps_rng_stream(7, FCPS_PURPOSE_FIT, 1), &result, NULL));
  return model;
}

/* The unit of row i; 0: none. */
static int unit_of(const fcps_model *model, int row)
{
  for (int i = 0; i < model->suspects.count; i++)
    if (model->suspects.rows[i] == row) return model->suspects.units[i].unit;
  return 0;
}

/* Whether the rows of a spell, and no others, are suspects in its unit. */
static void assert_named(process *f, spell s, int wild)
{
  fcps_model *model = train(f, s, wild, 0);
  for (int i = 0; i < ROWS; i++) {
    const int number = unit_of(model, i);
    const fcps_unit *unit = fcps_unit_at(number);
    if (i == wild) continue;
    if ((number > 0) != (i >= s.first && i < s.end))
      fail_msg("spell %d-%d of %g: row %d has unit %d", s.first, s.end, s.factor, i, number);
    if (number == 0) continue;
    assert_near(unit->factor, s.factor, 1e-3 * s.factor);
    assert_near(unit->shift, s.shift, 0.01);
  }
  fcps_model_destroy(model);
}

static void a_spell_is_named_wherever_it_lies(void **state)
{
  (void)state;
  static const int runs[][2] = {{0, 8}, {12, 20}, {20, 23}, {30, 40}, {37, 40}};
  static const double factors[] = {1e6, 1000.0, 10.0, 0.01};
  for (size_t k = 0; k < 5; k++)
    for (size_t f = 0; f < 4; f++) {
      assert_named(smooth, (spell){runs[k][0], runs[k][1], factors[f], 0.0}, -1);
      if (factors[f] >= 1000.0 && runs[k][1] - runs[k][0] >= 8)
        assert_named(exponential, (spell){runs[k][0], runs[k][1], factors[f], 0.0}, -1);
    }
}

static void usual_units_are_known_by_their_factors(void **state)
{
  (void)state;
  static const double factors[][2] = {
      {60.0, 0.0},       {1.0 / 60.0, 0.0}, {3600.0, 0.0},          {24.0, 0.0},       {25.4, 0.0},
      {2.54, 0.0},       {12.0, 0.0},       {0.45359237, 0.0},      {57.2957795, 0.0}, {1.8, 32.0},
      {1.0, 273.15},     {14.5037738, 0.0}, {6.8947573, 0.0},       {3.6, 0.0},        {3.2808399, 0.0},
      {28.3495231, 0.0}, {9.5492966, 0.0},  {1.0 / 14.5037738, 0.0}};
  for (size_t k = 0; k < sizeof factors / sizeof *factors; k++)
    assert_named(smooth, (spell){26, 36, factors[k][0], factors[k][1]}, -1);
  assert_string_equal(fcps_unit_at(12)->name, "minutes instead of seconds");
  assert_null(fcps_unit_at(0));
  assert_null(fcps_unit_at(1000));
}

static void outputs_of_both_signs_have_units_too(void **state)
{
  (void)state;
  assert_named(signed_smooth, (spell){14, 24, 1000.0, 0.0}, -1);
  assert_named(signed_smooth, (spell){30, 40, 60.0, 0.0}, -1);
}

static void a_wild_row_hides_no_spell_and_is_none(void **state)
{
  (void)state;
  assert_named(smooth, (spell){20, 28, 100.0, 0.0}, 5);
  for (int wild = 0; wild < ROWS; wild += 3)
    assert_named(smooth, (spell){0}, wild);
}

static void what_is_no_unit_or_too_short_is_no_spell(void **state)
{
  (void)state;
  static const spell spells[] = {{30, 40, 4.0, 0.0}, {30, 40, 1.0, 0.0}, {30, 40, 300.0, 0.0}, {20, 22, 1000.0, 0.0}};
  for (size_t k = 0; k < sizeof spells / sizeof *spells; k++) {
    fcps_model *model = train(smooth, spells[k], -1, 0);
    for (int i = 0; i < ROWS; i++)
      assert_int_equal(unit_of(model, i), 0);
    fcps_model_destroy(model);
  }
}

static void what_was_confirmed_is_in_no_spell(void **state)
{
  (void)state;
  const spell s = {30, 38, 1000.0, 0.0};
  fcps_model *model = train(smooth, s, -1, s.end);
  assert_int_equal(model->suspects.count, 0);
  fcps_model_destroy(model);
}

/* Of two parts the later one is in another unit, unless the earlier one is short. */
static void a_change_that_lasts_is_named_from_its_beginning(void **state)
{
  (void)state;
  assert_named(smooth, (spell){16, 40, 1000.0, 0.0}, -1);
  assert_named(smooth, (spell){0, 12, 0.001, 0.0}, -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spell_is_named_wherever_it_lies),
      cmocka_unit_test(usual_units_are_known_by_their_factors),
      cmocka_unit_test(outputs_of_both_signs_have_units_too),
      cmocka_unit_test(a_wild_row_hides_no_spell_and_is_none),
      cmocka_unit_test(what_is_no_unit_or_too_short_is_no_spell),
      cmocka_unit_test(what_was_confirmed_is_in_no_spell),
      cmocka_unit_test(a_change_that_lasts_is_named_from_its_beginning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
