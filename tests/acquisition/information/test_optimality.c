/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/optimality.c: variances given the place of the maximum, compared with rejection
 * sampling that uses derivatives by finite differences. */
#include "acquisition/information/optimality.h"

#include "acquisition/information/hill.h"

enum { SAMPLES = 60000, TRIALS = 5, MOST = 40 };
static const double apart = 2e-3; /* of finite differences */

static const fcps_belief_settings few = {.pool = 60,
                                         .best = 6,
                                         .others = 6,
                                         .draws = 24,
                                         .representers = 5,
                                         .samples = 256,
                                         .outcomes = 4,
                                         .maxima = 16,
                                         .places = 64};

typedef struct scene {
  int n;
  fcps_problem problem;
  fcps_model *model;
  fcps_posterior *posterior;
  fcps_belief_builder builder;
  fcps_belief belief;
  fcps_candidates trials;
  fcps_belief_source source;
} scene;

static void open_scene(scene *s, int n, const fcps_kernel *kernel)
{
  *s = (scene){.n = n, .problem = hill_problem(n)};
  s->model = hill_model(&s->problem, kernel);
  assert_ok(fcps_posterior_create(&s->posterior, s->model, NULL, NULL, NULL));
  const fcps_gp_outputs *outputs = fcps_posterior_outputs(s->posterior);
  assert_ok(fcps_belief_builder_create(&s->builder, &few, s->model, fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0)));
  assert_ok(fcps_beliefs_create(&s->builder, s->model, outputs, fcps_posterior_context(s->posterior), &s->belief));
  s->source = (fcps_belief_source){&s->builder, s->model, outputs, 0};

  double beta[HILL_ROWS];
  fcps_rng rng = fcps_rng_stream(6, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_candidates_create(&s->trials, fcps_model_gp(s->model, 0), TRIALS));
  fcps_rng_uniforms(&rng, TRIALS * n, s->trials.features);
  fcps_candidates_prepare(&s->trials, fcps_model_gp(s->model, 0), TRIALS);
  fcps_gp_whitened_weights(fcps_model_gp(s->model, 0), outputs, beta);
  fcps_candidates_predict(&s->trials, fcps_model_gp(s->model, 0), outputs, beta, s->trials.mean);
}

static void close_scene(scene *s)
{
  fcps_candidates_destroy(&s->trials);
  fcps_belief_destroy(&s->belief);
  fcps_belief_builder_destroy(&s->builder);
  fcps_posterior_destroy(s->posterior);
  fcps_model_destroy(s->model);
}

/* The Gaussian of: trials, representers, first and second differences at representer z along the curves. */
typedef struct brute {
  int count, representers, first, second; /* where each begins */
  double mean[MOST], covariance[MOST * MOST];
} brute;

static void make_brute(const scene *s, const fcps_optimality *o, brute *b)
{
  const int m = s->belief.count, n = s->n, c = o->curves.count, points = TRIALS + m + 2 * c;
  double x[MOST * HILL_MOST], mean[MOST], covariance[MOST * MOST], map[MOST * MOST] = {0};
  assert_true(points <= MOST);
  for (int i = 0; i < TRIALS * n; i++)
    x[i] = s->trials.features[i];
  for (int i = 0; i < m * n; i++)
    x[TRIALS * n + i] = s->belief.features[i];
  for (int i = 0; i < 2 * c; i++)
    for (int d = 0; d < n; d++)
      x[(TRIALS + m + i) * n + d] =
          o->curves.point[d] + (i % 2 == 0 ? -apart : apart) * o->curves.velocity[i / 2 * n + d];
  hill_joint(s->model, fcps_posterior_outputs(s->posterior), points, x, mean, covariance);

  *b = (brute){.count = TRIALS + m + 2 * c, .representers = TRIALS, .first = TRIALS + m, .second = TRIALS + m + c};
  for (int i = 0; i < TRIALS + m; i++)
    map[i * points + i] = 1;
  for (int i = 0; i < c; i++) { /* rows of the map, one after the other */
    const int below = TRIALS + m + 2 * i, above = below + 1, middle = TRIALS + o->representer;
    map[(b->first + i) * points + above] = 1 / (2 * apart);
    map[(b->first + i) * points + below] = -1 / (2 * apart);
    map[(b->second + i) * points + above] = map[(b->second + i) * points + below] = 1 / (apart * apart);
    map[(b->second + i) * points + middle] = -2 / (apart * apart);
  }
  for (int i = 0; i < b->count; i++)
    for (int p = 0; p < points; p++) {
      b->mean[i] += map[i * points + p] * mean[p];
      for (int j = 0; j < b->count; j++)
        for (int q = 0; q < points; q++)
          b->covariance[j * b->count + i] += map[i * points + p] * map[j * points + q] * covariance[q * points + p];
    }
}

/* Whether a draw may have its maximum at z: it is not below the incumbent, and the second differences are negative. */
static bool is_optimal(const fcps_optimality *o, const brute *b, const double *f)
{
  if (f[b->representers] > f[b->representers + o->representer]) return false;
  for (int i = 0; i < o->curves.count && o->curves.orders > 1; i++)
    if (f[b->second + i] > 0) return false;
  return true;
}

/* Variances of the trials by rejection, and the least number of draws behind one. */
static int reject(const fcps_optimality *o, const brute *b, double *variances)
{
  double factor[MOST * MOST], backup[MOST * MOST], z[MOST], f[MOST], sums[TRIALS][3] = {{0}};
  memcpy(factor, b->covariance, sizeof factor);
  assert_ok(fcps_chol_factor(b->count, factor, b->count, backup, NULL));
  fcps_rng rng = fcps_rng_stream(7, FCPS_PURPOSE_TEST, (uint64_t)o->representer);
  for (int sample = 0; sample < SAMPLES; sample++) {
    fcps_rng_normals(&rng, b->count, z);
    for (int i = 0; i < b->count; i++) {
      f[i] = b->mean[i];
      for (int j = 0; j <= i; j++)
        f[i] += factor[j * b->count + i] * z[j];
    }
    if (!is_optimal(o, b, f)) continue;
    for (int t = 0; t < TRIALS; t++) {
      if (f[t] > f[b->representers + o->representer]) continue;
      sums[t][0] += 1;
      sums[t][1] += f[t];
      sums[t][2] += f[t] * f[t];
    }
  }
  int least = SAMPLES;
  for (int t = 0; t < TRIALS; t++) {
    const double mean = sums[t][1] / sums[t][0];
    variances[t] = sums[t][2] / sums[t][0] - mean * mean;
    least = sums[t][0] < least ? (int)sums[t][0] : least;
  }
  return least;
}

/* The variance of each trial, whichever representer is the maximum. */
static void compare_with_rejection(int n, const fcps_kernel *kernel, double share)
{
  scene s;
  open_scene(&s, n, kernel);
  const fcps_gp *gp = fcps_model_gp(s.model, 0);
  double *room = malloc(fcps_optimality_size(&s.source) * sizeof(double));
  double *scratch = malloc(fcps_optimality_scratch(&s.builder, TRIALS) * sizeof(double));
  double covariances[MOST * TRIALS], variances[TRIALS], wanted[TRIALS];
  assert_true(room != NULL && scratch != NULL);
  int told = 0;
  for (int z = 0; z < s.belief.count; z++) {
    fcps_optimality o;
    assert_ok(fcps_optimality_create(&o, &s.source, &s.belief, z, room));
    assert_true(o.propagation.has_converged);
    fcps_belief_slopes(gp, &s.belief, &s.trials, covariances);
    for (int t = 0; t < TRIALS; t++)
      for (int i = 0; i < s.belief.count; i++)
        covariances[t * s.belief.count + i] *= sqrt(s.trials.variance[t]);
    fcps_optimality_variances(&o, gp, &s.trials, covariances, scratch, variances);

    brute b;
    make_brute(&s, &o, &b);
    const double step = 0.5 * pow(few.pool, -1.0 / n) / sqrt(3.0);
    for (int i = 0; i < o.curves.count; i++)
      hill_condition(b.count, b.mean, b.covariance, b.first + i, fcps_gp_derivative_change(gp, &o.curves, i, step));
    const int draws = reject(&o, &b, wanted);
    assert_true(draws > 1000);
    for (int t = 0; t < TRIALS; t++) {
      /* what rejection may err by, and what the propagation does: a share of what the trial's variance was */
      const double chance = 4 * wanted[t] * sqrt(2.0 / draws), before = s.trials.variance[t] - fcps_gp_noise(gp);
      const double off = fabs(variances[t] - wanted[t]);
      if (!(off < chance + share * before))
        fail_msg("%s, %d parameters, maximum at %d, trial %d: %g, by rejection %g of %g", kernel->name, n, z, t,
                 variances[t], wanted[t], before);
      told += before > 1.5 * variances[t];
    }
  }
  assert_true(told > 3); /* the conditions matter */
  free(scratch);
  free(room);
  close_scene(&s);
}

static void variances_agree_with_rejection_along_one_parameter(void **state)
{
  (void)state;
  compare_with_rejection(1, &fcps_kernel_se, 0.01);
  compare_with_rejection(1, &fcps_kernel_matern52, 0.05);
}

/* Matern 3/2 has a gradient, but no second derivatives */
static void variances_agree_with_rejection_over_two_parameters(void **state)
{
  (void)state;
  compare_with_rejection(2, &fcps_kernel_se, 0.08);
  compare_with_rejection(2, &fcps_kernel_matern32, 0.05);
}

/* Representer 0 at the bound has no gradient that must be zero; an integer has none anywhere. */
static void maxima_at_a_bound_and_integers_have_any_slope(void **state)
{
  (void)state;
  for (int is_integer = 0; is_integer < 2; is_integer++) {
    scene s;
    open_scene(&s, 2, &fcps_kernel_se);
    double *room = malloc(fcps_optimality_size(&s.source) * sizeof(double));
    assert_non_null(room);
    const fcps_dimension whole[2] = {hill_dims[0], {.name = "count", .upper = 9, .scale = FCPS_SCALE_INTEGER}};
    if (is_integer) s.problem.parameters.dims = whole;
    s.belief.x[0] = is_integer ? 0.5 : 0.01;
    s.belief.x[1] = 0.5;
    fcps_optimality o;
    assert_ok(fcps_optimality_create(&o, &s.source, &s.belief, 0, room));
    assert_int_equal(o.curves.count, 1);
    assert_true(o.curves.velocity[is_integer ? 0 : 1] == 1.0 && o.curves.velocity[is_integer ? 1 : 0] == 0.0);
    free(room);
    close_scene(&s);
  }
}

/* a belief whose samples cannot be so: only the condition on the trial is left, and nobody is told otherwise */
static void contradictions_are_said_and_leave_the_condition_on_the_trial(void **state)
{
  (void)state;
  scene s;
  open_scene(&s, 1, &fcps_kernel_se);
  double *room = malloc(fcps_optimality_size(&s.source) * sizeof(double));
  double *scratch = malloc(fcps_optimality_scratch(&s.builder, TRIALS) * sizeof(double));
  double covariances[MOST * TRIALS] = {0}, variances[TRIALS];
  assert_true(room != NULL && scratch != NULL);
  const int worst = s.belief.count - 1;
  s.belief.mean[worst] -= 1e6;
  fcps_optimality o;
  assert_ok(fcps_optimality_create(&o, &s.source, &s.belief, worst, room));
  assert_false(o.propagation.has_converged);
  assert_int_equal(o.propagation.count, 0);
  o.mean = s.trials.mean[0]; /* no covariance, equal means: half of the joint distribution is cut off */
  fcps_optimality_variances(&o, fcps_model_gp(s.model, 0), &s.trials, covariances, scratch, variances);
  const double v = s.trials.variance[0] - fcps_gp_noise(fcps_model_gp(s.model, 0)), h = sqrt(2 / acos(-1.0));
  assert_near(variances[0], v - v * v / (v + o.variance) * h * h, 1e-12);
  free(scratch);
  free(room);
  close_scene(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(variances_agree_with_rejection_along_one_parameter),
      cmocka_unit_test(variances_agree_with_rejection_over_two_parameters),
      cmocka_unit_test(maxima_at_a_bound_and_integers_have_any_slope),
      cmocka_unit_test(contradictions_are_said_and_leave_the_condition_on_the_trial),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
