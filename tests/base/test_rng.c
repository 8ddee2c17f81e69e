/* SPDX-License-Identifier: Apache-2.0 */
/* Moments are judged at five standard errors: with fixed seeds they pass or fail for good. */
#include "base/rng.h"

#include "check.h"

#include <Random123/philox.h>

#include <stdlib.h>

#define DRAWS 1000000

/* philox4x64 with 10 rounds in Random123's kat_vectors: counter, key, answer. */
static const struct {
  uint64_t counter[4], key[2], answer[4];
} known[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
    {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
     {UINT64_MAX, UINT64_MAX},
     {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
    {{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
     {0x452821e638d01377, 0xbe5466cf34e90c6c},
     {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}},
};

static philox4x64_ctr_t philox(const uint64_t counter[4], const uint64_t key[2])
{
  const philox4x64_ctr_t c = {{counter[0], counter[1], counter[2], counter[3]}};
  const philox4x64_key_t k = {{key[0], key[1]}};
  return philox4x64(c, k);
}

static void the_generator_gives_the_published_answers(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const philox4x64_ctr_t answer = philox(known[i].counter, known[i].key);
    for (int word = 0; word < 4; word++)
      assert_true(answer.v[word] == known[i].answer[word]);
  }
}

static double unit(uint64_t bits)
{
  return ldexp((double)(bits / 2048 / 2 * 2 + 1), -53);
}

static void the_first_draw_of_the_zero_stream_is_the_first_known_answer(void **state)
{
  (void)state;
  fcps_rng rng = {0};
  assert_true(fcps_rng_uniform(&rng) == unit(known[0].answer[0]));
}

static void a_draw_is_the_block_of_its_seed_purpose_episode_and_index(void **state)
{
  (void)state;
  const uint64_t key[2] = {0x452821e638d01377, FCPS_PURPOSE_NOISE};
  fcps_rng rng = fcps_rng_stream(key[0], FCPS_PURPOSE_NOISE, 17);
  for (uint64_t index = 0; index < 100; index += 3) {
    const uint64_t first[4] = {index, 17, 0, 0}, second[4] = {index + 1, 17, 0, 0}, third[4] = {index + 2, 17, 0, 0};
    assert_true(fcps_rng_uniform(&rng) == unit(philox(first, key).v[0]));

    const philox4x64_ctr_t bits = philox(second, key);
    const double radius = sqrt(-2 * log(unit(bits.v[0]))), angle = 8 * atan(1) * unit(bits.v[1]);
    assert_near(fcps_rng_normal(&rng), radius * cos(angle), 1e-14);

    assert_true(fcps_rng_below(&rng, 10) == philox(third, key).v[0] % 10);
    assert_true(rng.index == index + 3);
  }
}

static void the_same_stream_gives_the_same_bits(void **state)
{
  (void)state;
  fcps_rng a = fcps_rng_stream(7, FCPS_PURPOSE_WORLD, 3), b = fcps_rng_stream(7, FCPS_PURPOSE_WORLD, 3);
  double whole[10], part[10];
  fcps_rng_normals(&a, 10, whole);
  fcps_rng_normals(&b, 4, part);
  fcps_rng copy = b; /* as after saving and loading */
  fcps_rng_normals(&copy, 6, part + 4);
  assert_memory_equal(whole, part, sizeof whole);

  fcps_rng_uniforms(&a, 10, whole);
  for (int i = 0; i < 10; i++)
    assert_true(fcps_rng_uniform(&copy) == whole[i]);
}

/* Mean of the first `count` powers of what `draw` gives, 1 to `powers`. */
static void measure(double (*draw)(fcps_rng *), int powers, double *moments)
{
  fcps_rng rng = fcps_rng_stream(11, FCPS_PURPOSE_TEST, 0);
  for (int power = 0; power < powers; power++)
    moments[power] = 0;
  for (int i = 0; i < DRAWS; i++) {
    const double value = draw(&rng);
    double raised = 1;
    for (int power = 0; power < powers; power++)
      moments[power] += (raised *= value) / DRAWS;
  }
}

/* E[x^k] = 1 / (k + 1), Var[x^k] = 1 / (2k + 1) - 1 / (k + 1)^2. */
static void uniforms_have_the_moments_of_the_uniform(void **state)
{
  (void)state;
  double moments[6];
  measure(fcps_rng_uniform, 6, moments);
  for (int k = 1; k <= 6; k++) {
    const double mean = 1.0 / (k + 1), variance = 1.0 / (2 * k + 1) - mean * mean;
    assert_near(moments[k - 1], mean, 5 * sqrt(variance / DRAWS));
  }
}

static double double_factorial(int n)
{
  return n <= 1 ? 1 : n * double_factorial(n - 2);
}

/* E[x^k] = (k - 1)!! for even k, else 0. */
static void normals_have_the_moments_of_the_normal(void **state)
{
  (void)state;
  double moments[6];
  measure(fcps_rng_normal, 6, moments);
  for (int k = 1; k <= 6; k++) {
    const double mean = k % 2 ? 0 : double_factorial(k - 1), variance = double_factorial(2 * k - 1) - mean * mean;
    assert_true(fabs(moments[k - 1] - mean) <= 5 * sqrt(variance / DRAWS));
  }
}

static void uniforms_lie_strictly_inside_and_fill_every_bin(void **state)
{
  (void)state;
  enum { BINS = 100 };
  int bins[BINS] = {0};
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 1);
  for (int i = 0; i < DRAWS; i++) {
    const double value = fcps_rng_uniform(&rng);
    assert_true(value > 0 && value < 1);
    bins[(int)(value * BINS)]++;
  }
  /* chi-squared with 99 degrees of freedom: mean 99, standard deviation sqrt(198) */
  double chi_squared = 0;
  for (int i = 0; i < BINS; i++)
    chi_squared += pow(bins[i] - DRAWS / BINS, 2) / (DRAWS / BINS);
  assert_true(fabs(chi_squared - (BINS - 1)) < 5 * sqrt(2 * (BINS - 1)));
}

static void integers_below_a_bound_are_equally_likely(void **state)
{
  (void)state;
  int counts[7] = {0};
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 2);
  for (int i = 0; i < 700000; i++) {
    const uint64_t value = fcps_rng_below(&rng, 7);
    assert_true(value < 7);
    counts[value]++;
  }
  for (int i = 0; i < 7; i++)
    assert_true(abs(counts[i] - 100000) < 5 * sqrt(100000 * 6.0 / 7));
}

/* Of 2^64 numbers, a remainder by 3 * 2^62 below 2^62 comes twice unless a quarter of the numbers is rejected. */
static void a_large_bound_is_not_biased(void **state)
{
  (void)state;
  const uint64_t bound = UINT64_C(3) << 62;
  const int draws = 90000;
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 3);
  int low = 0;
  for (int i = 0; i < draws; i++)
    low += fcps_rng_below(&rng, bound) < bound / 3;
  assert_true(abs(low - draws / 3) < 5 * sqrt(draws * 2.0 / 9));
  assert_true(rng.index == (uint64_t)draws); /* one draw each, however many were rejected */
  assert_true(fcps_rng_below(&rng, 1) == 0);
}

static double correlation(fcps_rng a, fcps_rng b, int count)
{
  double ab = 0, aa = 0, bb = 0;
  for (int i = 0; i < count; i++) {
    const double x = fcps_rng_normal(&a), y = fcps_rng_normal(&b);
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return ab / sqrt(aa * bb);
}

static void streams_of_other_purpose_seed_or_episode_are_uncorrelated(void **state)
{
  (void)state;
  const int count = 100000;
  const fcps_rng base = fcps_rng_stream(1, FCPS_PURPOSE_WORLD, 1);
  const fcps_rng others[] = {
      fcps_rng_stream(1, FCPS_PURPOSE_CONTEXT, 1),
      fcps_rng_stream(1, FCPS_PURPOSE_NOISE, 1),
      fcps_rng_stream(2, FCPS_PURPOSE_WORLD, 1),
      fcps_rng_stream(1, FCPS_PURPOSE_WORLD, 2),
      {.seed = 1, .purpose = FCPS_PURPOSE_WORLD, .episode = 1, .index = 1}, /* neighbours in one stream */
  };
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    assert_true(fabs(correlation(base, others[i], count)) < 5 / sqrt(count));
  assert_near(correlation(base, base, count), 1, 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_generator_gives_the_published_answers),
      cmocka_unit_test(the_first_draw_of_the_zero_stream_is_the_first_known_answer),
      cmocka_unit_test(a_draw_is_the_block_of_its_seed_purpose_episode_and_index),
      cmocka_unit_test(the_same_stream_gives_the_same_bits),
      cmocka_unit_test(uniforms_have_the_moments_of_the_uniform),
      cmocka_unit_test(normals_have_the_moments_of_the_normal),
      cmocka_unit_test(uniforms_lie_strictly_inside_and_fill_every_bin),
      cmocka_unit_test(integers_below_a_bound_are_equally_likely),
      cmocka_unit_test(a_large_bound_is_not_biased),
      cmocka_unit_test(streams_of_other_purpose_seed_or_episode_are_uncorrelated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
