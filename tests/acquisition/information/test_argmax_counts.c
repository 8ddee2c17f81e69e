/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/argmax_counts.c: the vectorized loops against plain ones. */
#include "acquisition/information/belief.h"
#include "base/rng.h"
#include "check.h"

static void votes_are_counted_one_by_one(void **state)
{
  (void)state;
  enum { M = 5, S = 37, J = 3 };
  float f[M * S], k[M], u[S], scratch[2 * S];
  const float w[J] = {-1.1f, 0.0f, 0.7f};
  int index[S], counts[J * M], wanted[J * M] = {0};
  fcps_rng rng = fcps_rng_stream(6, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < M * S; i++)
    f[i] = (float)fcps_rng_normal(&rng);
  for (int i = 0; i < M; i++)
    k[i] = (float)fcps_rng_normal(&rng);
  for (int i = 0; i < S; i++)
    u[i] = (float)fcps_rng_normal(&rng);
  for (int j = 0; j < J; j++)
    for (int s = 0; s < S; s++) {
      int best = 0;
      for (int i = 1; i < M; i++)
        if (f[i * S + s] + k[i] * (w[j] - u[s]) > f[best * S + s] + k[best] * (w[j] - u[s])) best = i;
      wanted[j * M + best]++;
    }
  fcps_argmax_counts(M, S, J, f, k, u, w, scratch, index, counts);
  assert_memory_equal(counts, wanted, sizeof counts);
}

static void normals_are_mixed_by_their_weights(void **state)
{
  (void)state;
  enum { M = 4, S = 19 };
  float z[M * S], b[M], extra[S], u[S];
  fcps_rng rng = fcps_rng_stream(7, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < M * S; i++)
    z[i] = (float)fcps_rng_normal(&rng);
  for (int i = 0; i < M; i++)
    b[i] = (float)fcps_rng_normal(&rng);
  for (int s = 0; s < S; s++)
    extra[s] = (float)fcps_rng_normal(&rng);
  fcps_mix_normals(M, S, b, z, 0.3f, extra, u);
  for (int s = 0; s < S; s++) {
    double wanted = 0.3 * extra[s];
    for (int i = 0; i < M; i++)
      wanted += (double)b[i] * z[i * S + s];
    assert_near(u[s], wanted, 1e-5);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(votes_are_counted_one_by_one),
      cmocka_unit_test(normals_are_mixed_by_their_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
