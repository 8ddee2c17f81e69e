/* SPDX-License-Identifier: Apache-2.0 */
/* The embedding of periodic dimensions: closed forms, neighbours across the seam, the chain rule. */
#include "check.h"

#include "base/rng.h"
#include "space/space.h"

#include <string.h>

enum { MOST = 10, WIDEST = 2 * MOST };

static const double pi = 3.14159265358979323846;

static const fcps_dimension flat = {.name = "x", .lower = -1, .upper = 3};
static const fcps_dimension circle = {.name = "turn", .lower = 0, .upper = 360, .period = 360};
static const fcps_dimension sector = {.name = "heading", .lower = 10, .upper = 100, .period = 360};
static const fcps_dimension hour = {.name = "hour", .lower = 0, .upper = 23, .period = 24, .scale = FCPS_SCALE_INTEGER};

static void features_match_the_closed_form(void **state)
{
  (void)state;
  const fcps_dimension first[] = {flat, circle}, second[] = {sector, hour};
  const fcps_space environment = {.count = 2, .dims = first}, parameters = {.count = 2, .dims = second}, empty = {0};
  const fcps_space *const spaces[] = {&environment, &empty, &parameters};
  fcps_embedding embedding;
  assert_ok(fcps_embedding_create(&embedding, 3, spaces, true));
  assert_int_equal(embedding.count, 4);
  assert_int_equal(embedding.width, 7);

  const double unit[4] = {0.3, 0.25, 2.0 / 3, 6.5 / 24};
  const double expected[7] = {0.3, 0, 0.5, 0.25, sqrt(3) / 4, cos(6.5 / 24 * 2 * pi) / 2, sin(6.5 / 24 * 2 * pi) / 2};
  double features[8] = {0, 0, 0, 0, 0, 0, 0, -9};
  fcps_embed(&embedding, unit, features);
  for (int i = 0; i < 7; i++)
    assert_near(features[i], expected[i], 1e-15);
  assert_true(features[7] == -9);
  fcps_embedding_destroy(&embedding);
  assert_null(embedding.turns);
  fcps_embedding_destroy(&embedding);
  fcps_embedding_destroy(NULL);
}

/* the middle of its share, then what is known of it by its range; nothing lies between two words */
static void a_word_is_its_place_and_what_is_known_of_it(void **state)
{
  (void)state;
  static const char *const words[] = {"kenya", "brazil", "peru", "java"}, *const properties[] = {"acid", "age"};
  static const double known[] = {5, 7, 2, 7, 3, 7, 2, 7};
  const fcps_choices plain = {.count = 3, .words = words};
  const fcps_choices beans = {
      .count = 4, .words = words, .property_count = 2, .properties = properties, .known = known};
  const fcps_dimension dims[] = {
      flat,
      {.name = "bean", .upper = 3, .scale = FCPS_SCALE_INTEGER, .choices = &beans},
      {.name = "gate", .upper = 2, .scale = FCPS_SCALE_INTEGER, .choices = &plain},
      circle,
  };
  const fcps_space space = {.count = 4, .dims = dims};
  fcps_embedding embedding;
  assert_ok(fcps_embedding_create(&embedding, 1, &(const fcps_space *const){&space}, true));
  assert_int_equal(embedding.width, 7);
  assert_int_equal(fcps_embedding_width(&embedding, 1), 3);
  const double unit[4] = {0.3, 0.7, 0.99, 0.25}, expected[7] = {0.3, 0.625, 1.0 / 3, 0.5, 2.5 / 3, 0, 0.5};
  double features[7], back[4], velocity[7], acceleration[7];
  const double gradient[7] = {3, 4, 5, 6, 7, 8, 9};
  fcps_embed(&embedding, unit, features);
  for (int i = 0; i < 7; i++)
    assert_near(features[i], expected[i], 1e-15);
  fcps_embed_gradient(&embedding, unit, gradient, back);
  assert_true(back[0] == 3 && back[1] == 0 && back[2] == 0);
  assert_near(back[3], -pi * 8, 1e-12);
  fcps_embed_curve(&embedding, unit, 2, velocity, acceleration);
  for (int i = 0; i < 7; i++)
    assert_true(velocity[i] == 0 && acceleration[i] == 0);
  fcps_embed_curve(&embedding, unit, 3, velocity, acceleration);
  assert_near(velocity[5], -pi, 1e-12);
  fcps_embedding_destroy(&embedding);
}

static void raw_embedding_is_the_identity(void **state)
{
  (void)state;
  const fcps_dimension dims[] = {circle, flat, hour};
  const fcps_space space = {.count = 3, .dims = dims};
  fcps_embedding embedding;
  assert_ok(fcps_embedding_create(&embedding, 1, &(const fcps_space *const){&space}, false));
  assert_int_equal(embedding.width, 3);
  const double unit[3] = {0.1, -0.4, 1.7}, gradient[3] = {3, 4, 5};
  double features[3], back[3];
  fcps_embed(&embedding, unit, features);
  fcps_embed_gradient(&embedding, unit, gradient, back);
  assert_memory_equal(features, unit, sizeof unit);
  assert_memory_equal(back, gradient, sizeof gradient);
  fcps_embedding_destroy(&embedding);
}

static void ends_of_a_circle_are_neighbours_and_hours_are_equally_apart(void **state)
{
  (void)state;
  const fcps_dimension dims[] = {circle, hour};
  const fcps_space space = {.count = 2, .dims = dims};
  fcps_embedding embedding;
  assert_ok(fcps_embedding_create(&embedding, 1, &(const fcps_space *const){&space}, true));
  double gaps[24];
  for (int h = 0; h < 24; h++) {
    const double here[2] = {0, h}, next[2] = {360, (h + 1) % 24};
    double u[2], v[2], p[4], q[4];
    fcps_space_to_unit(&space, here, u);
    fcps_space_to_unit(&space, next, v);
    fcps_embed(&embedding, u, p);
    fcps_embed(&embedding, v, q);
    assert_near(hypot(p[0] - q[0], p[1] - q[1]), 0, 1e-15);
    gaps[h] = hypot(p[2] - q[2], p[3] - q[3]);
    assert_near(gaps[h], sin(pi / 24), 1e-14); /* chord of a circle of diameter 1 */
  }
  fcps_embedding_destroy(&embedding);
}

/* f(features) = sum_k w_k sin(features_k + k), so df/dfeatures_k = w_k cos(features_k + k). */
static double test_function(const fcps_embedding *embedding, const double *unit, const double *weights,
                            double *feature_gradient)
{
  double features[WIDEST], sum = 0;
  fcps_embed(embedding, unit, features);
  for (int k = 0; k < embedding->width; k++) {
    sum += weights[k] * sin(features[k] + k);
    if (feature_gradient != NULL) feature_gradient[k] = weights[k] * cos(features[k] + k);
  }
  return sum;
}

static void gradient_agrees_with_finite_differences(void **state)
{
  (void)state;
  const fcps_dimension kinds[] = {flat, circle, sector, hour};
  fcps_rng rng = fcps_rng_stream(21, FCPS_PURPOSE_TEST, 0);
  for (int n = 1; n <= MOST; n++) {
    fcps_dimension dims[MOST];
    for (int i = 0; i < n; i++)
      dims[i] = kinds[fcps_rng_below(&rng, 4)];
    const fcps_space space = {.count = n, .dims = dims};
    fcps_embedding embedding;
    assert_ok(fcps_embedding_create(&embedding, 1, &(const fcps_space *const){&space}, true));
    for (int trial = 0; trial < 100; trial++) {
      double unit[MOST], weights[WIDEST], feature_gradient[WIDEST], gradient[MOST];
      fcps_rng_uniforms(&rng, n, unit);
      fcps_rng_normals(&rng, embedding.width, weights);
      test_function(&embedding, unit, weights, feature_gradient);
      fcps_embed_gradient(&embedding, unit, feature_gradient, gradient);
      for (int i = 0; i < n; i++) {
        const double h = 1e-5, x = unit[i];
        unit[i] = x + h;
        const double above = test_function(&embedding, unit, weights, NULL);
        unit[i] = x - h;
        const double below = test_function(&embedding, unit, weights, NULL);
        unit[i] = x;
        assert_near(gradient[i], (above - below) / (2 * h), 1e-7);
      }
    }
    fcps_embedding_destroy(&embedding);
  }
}

static void curves_agree_with_finite_differences(void **state)
{
  (void)state;
  const fcps_dimension dims[] = {flat, circle, sector, hour};
  const fcps_space space = {.count = 4, .dims = dims};
  fcps_embedding embedding;
  assert_ok(fcps_embedding_create(&embedding, 1, &(const fcps_space *const){&space}, true));
  const double unit[4] = {0.3, 0.71, 0.12, 0.55}, h = 1e-4;
  for (int i = 0; i < 4; i++) {
    double velocity[WIDEST], acceleration[WIDEST], at[3][WIDEST];
    for (int step = -1; step <= 1; step++) {
      double moved[4];
      memcpy(moved, unit, sizeof unit);
      moved[i] += step * h;
      fcps_embed(&embedding, moved, at[step + 1]);
    }
    fcps_embed_curve(&embedding, unit, i, velocity, acceleration);
    for (int k = 0; k < embedding.width; k++) {
      assert_near(velocity[k], (at[2][k] - at[0][k]) / (2 * h), 1e-6);
      assert_near(acceleration[k], (at[2][k] - 2 * at[1][k] + at[0][k]) / (h * h), 1e-5);
    }
  }
  fcps_embedding_destroy(&embedding);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(features_match_the_closed_form),
      cmocka_unit_test(a_word_is_its_place_and_what_is_known_of_it),
      cmocka_unit_test(raw_embedding_is_the_identity),
      cmocka_unit_test(ends_of_a_circle_are_neighbours_and_hours_are_equally_apart),
      cmocka_unit_test(gradient_agrees_with_finite_differences),
      cmocka_unit_test(curves_agree_with_finite_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
