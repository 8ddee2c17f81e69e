/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy search on outcomes compared with brute force: a GP is given each outcome, and fresh joint draws of its
 * outcomes vote. Nothing of the fast form is used. */
#include "acquisition/contextual/outcome_search.h"
#include "base/memory.h"
#include "check.h"
#include "gp/query.h"
#include "toy.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 7, M = 5, DIM = 4, TRIALS = 4 };
static const double marks[2][2] = {{0.5, -0.2}, {-0.7, 0.4}}, wind[1] = {0.1};
static const double representers[M][2] = {{0.05, 0.4}, {0.3, 0.6}, {0.55, 0.3}, {0.8, 0.7}, {0.95, 0.45}};
static const double wheres[TRIALS][2] = {{0.5, 0.5}, {0.92, 0.4}, {0.3, 0.8}, {0.07, 0.35}};

/* Nothing is standardized, so that one more row changes nothing but the belief. */
static const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                             .circular = true,
                                             .norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE},
                                             .prior = {.length = 0.5,
                                                       .length_sd = 1,
                                                       .signal = 0.8,
                                                       .signal_sd = 1,
                                                       .noise = 0.1,
                                                       .noise_sd = 1,
                                                       .noise_floor = 1e-3},
                                             .fit = {.starts = 1, .budget = 10}};

static fcps_model *make_model(const fcps_problem *problem)
{
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  for (int i = 0; i < ROWS; i++) {
    const double blow[1] = {0.3 * sin(i)}, parameters[2] = {fmod(2.3 * i, 6.28), fmod(0.4 + 0.9 * i, 1.5)};
    double outcome[2];
    toy_throw(blow, parameters, outcome);
    const fcps_rollout rollout = {
        .target = marks[0], .environment = blow, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

static void features_of(const fcps_model *model, const fcps_posterior *posterior, const double *x, double *features)
{
  memcpy(features, fcps_posterior_context(posterior), (size_t)model->layout.context.width * sizeof(double));
  fcps_embed(&model->layout.parameters, x, features + model->layout.context.width);
}

/* Entropy of which representer earns most, from joint draws of both outcomes. */
static double brute_entropy(const fcps_gp *gp, const fcps_gp_outputs *outputs, const double *features,
                            const double *mark, int samples, const double *normals)
{
  double *x = fcps_allocate((size_t)(2 * samples * M), sizeof(double)), *y = x + samples * M, entropy = 0;
  int votes[M] = {0};
  assert_ok(fcps_gp_draw(gp, outputs, 0, M, features, samples, normals, x));
  assert_ok(fcps_gp_draw(gp, outputs, 1, M, features, samples, normals + samples * M, y));
  for (int s = 0; s < samples; s++) {
    double best = -INFINITY;
    int winner = 0;
    for (int i = 0; i < M; i++) {
      const double miss = hypot(mark[0] - x[s * M + i], mark[1] - y[s * M + i]);
      const double reward = -miss - 0.1 * 1.5 * representers[i][1];
      if (reward > best) winner = i;
      best = fmax(best, reward);
    }
    votes[winner]++;
  }
  free(x);
  for (int i = 0; i < M; i++)
    if (votes[i] > 0) entropy -= (double)votes[i] / samples * log((double)votes[i] / samples);
  return entropy;
}

/* H - E_y H for one mark and one trial. */
static double brute_gain(const fcps_model *model, const double *features, const double *trial, const double *mark)
{
  enum { DRAWS = 3000, NODES = 20 };
  fcps_gp *gp = NULL;
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double y[2 * ROWS], longer[2 * (ROWS + 1)], mean[2], variance, after = 0, nodes[NODES] = {0};
  double *normals = fcps_allocate(2 * DRAWS * M, sizeof(double));
  fcps_rng rng = fcps_rng_stream(21, FCPS_PURPOSE_TEST, 0);
  fcps_rng_normals(&rng, 2 * DRAWS * M, normals);
  assert_ok(model->ops->outputs(model, mark, y, NULL));
  assert_ok(fcps_gp_copy(fcps_model_gp(model, 0), &gp));
  assert_ok(fcps_gp_condition(gp, settings.norm, ROWS, 2, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = trial, .mean = mean, .variance = &variance},
                  &work);
  const double before = brute_entropy(gp, &outputs, features, mark, DRAWS, normals);
  const double deviation = sqrt(variance + fcps_gp_noise(gp));
  assert_ok(fcps_gp_add(gp, trial));
  assert_ok(fcps_gp_factorize(gp, ROWS + 1));
  for (int o = 0; o < 2; o++)
    memcpy(longer + o * (ROWS + 1), y + o * ROWS, ROWS * sizeof(double));
  for (int j = 0; j < NODES; j++) /* mid-quantiles of the normal, by Newton steps */
    for (int i = 0; i < 50; i++)
      nodes[j] -= (0.5 * erfc(-nodes[j] / sqrt(2.0)) - (j + 0.5) / NODES) * sqrt(2.0 * acos(-1.0)) *
                  exp(0.5 * nodes[j] * nodes[j]);
  for (int j = 0; j < NODES * NODES; j++) {
    longer[ROWS] = mean[0] + deviation * nodes[j / NODES];
    longer[2 * ROWS + 1] = mean[1] + deviation * nodes[j % NODES];
    assert_ok(fcps_gp_condition(gp, settings.norm, ROWS + 1, 2, longer, &outputs));
    after += brute_entropy(gp, &outputs, features, mark, DRAWS, normals) / (NODES * NODES);
  }
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_work_destroy(&work);
  fcps_gp_destroy(gp);
  free(normals);
  return before - after;
}

/* Gains of the trials, with the marks weighted as given. */
static void find_gains(const fcps_model *model, const fcps_outcome_es_settings *s, const double *weights, double *gains,
                       int *main_context)
{
  fcps_outcome_es *es = NULL;
  fcps_candidates trials;
  fcps_error error;
  assert_ok(fcps_outcome_es_create(&es, s, model, 2, TRIALS, 17));
  assert_ok(fcps_candidates_create(&trials, fcps_model_gp(model, 0), TRIALS));
  for (int t = 0; t < 2; t++) {
    fcps_posterior *posterior = NULL;
    assert_ok(fcps_posterior_create(&posterior, model, marks[t], wind, &error));
    assert_ok(fcps_outcome_es_add(es, posterior, marks[t], wind, M, representers[0], weights[t], &error));
    for (int i = 0; i < TRIALS; i++)
      features_of(model, posterior, wheres[i], trials.features + DIM * i);
    fcps_posterior_destroy(posterior);
  }
  fcps_candidates_prepare(&trials, fcps_model_gp(model, 0), TRIALS);
  assert_ok(fcps_outcome_es_gains(es, &trials, gains, &error));
  *main_context = fcps_outcome_es_main_context(es);
  fcps_candidates_destroy(&trials);
  fcps_outcome_es_destroy(es);
}

static void gains_agree_with_brute_force(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_outcome_es_settings fine = {.representers = M, .samples = 2000, .outcomes = 1000};
  fcps_model *model = make_model(&problem);
  fcps_posterior *posterior = NULL;
  fcps_error error;
  double features[M * DIM], gains[TRIALS], largest = 0;
  const double weights[2] = {1.0, 0.5};
  int main_context, better = 0;
  assert_int_equal(fcps_model_gp(model, 0)->dim, DIM);
  assert_ok(fcps_posterior_create(&posterior, model, marks[0], wind, &error));
  for (int i = 0; i < M; i++)
    features_of(model, posterior, representers[i], features + DIM * i);
  find_gains(model, &fine, weights, gains, &main_context);
  for (int i = 0; i < TRIALS; i++) {
    double trial[DIM], wanted[2];
    features_of(model, posterior, wheres[i], trial);
    for (int t = 0; t < 2; t++)
      wanted[t] = weights[t] * brute_gain(model, features, trial, marks[t]);
    assert_near(gains[i], wanted[0] + wanted[1], 0.03); /* Monte-Carlo error of both */
    largest = fmax(largest, wanted[0] + wanted[1]);
    better = wanted[1] > wanted[0];
  }
  assert_true(largest > 0.2); /* or the comparison says nothing */
  assert_int_equal(main_context, better);
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

static void the_same_question_has_the_same_answer(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_outcome_es_settings coarse = {.representers = M, .samples = 40, .outcomes = 6};
  fcps_model *model = make_model(&problem);
  double a[TRIALS], b[TRIALS], none[TRIALS];
  const double both[2] = {1, 1}, neither[2] = {0, 0};
  int unused;
  find_gains(model, &coarse, both, a, &unused);
  find_gains(model, &coarse, both, b, &unused);
  find_gains(model, &coarse, neither, none, &unused);
  assert_memory_equal(a, b, sizeof a);
  for (int i = 0; i < TRIALS; i++)
    assert_true(a[i] >= 0 && none[i] == 0);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_agree_with_brute_force),
      cmocka_unit_test(the_same_question_has_the_same_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
