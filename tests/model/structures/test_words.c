/* SPDX-License-Identifier: Apache-2.0 */
/* Words some of which are more alike than others: when a model believes this, how it places the words, and its
 * predictions for a word that was never tried. */
#include "base/rng.h"
#include "check.h"
#include "model/beliefs.h"
#include "usual_prior.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 8, TRIALS = 56 };
static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
static const fcps_choices choices = {.count = WORDS, .words = names};
static const fcps_dimension parameter_dims[] = {
    {.name = "ball", .upper = WORDS - 1, .scale = FCPS_SCALE_INTEGER, .choices = &choices},
    {.name = "speed", .upper = 1},
    {.name = "tilt", .upper = 1}};
static const fcps_dimension outcome_dims[] = {{.name = "land"}, {.name = "height"}};

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = outcomes[2 * i];
  return FCPS_OK;
}

static const fcps_problem problem = {.parameters = {3, parameter_dims}, .outcome = {2, outcome_dims}, .reward = reward};

/* What words hide: one number, or a shape of their own. */
static const double hidden[WORDS] = {0.9, 0.1, 0.5, 0.15, 0.85, 0.45, 0.3, 0.7};

static void happen(bool is_line, const double *p, double *outcome)
{
  const int w = (int)p[0];
  const double h = hidden[w], turn = 1.7 * w;
  outcome[0] = is_line ? sin(3 * p[1] + 2.5 * h) + p[2] * h : sin(6 * p[1] + 2.4 * turn) * cos(5 * p[2] + turn * turn);
  outcome[1] = is_line ? p[2] * p[2] - 2 * h * p[1] : cos(6 * p[2] + 3.1 * turn) * sin(4 * p[1] - turn * turn);
}

/* Trials with the first `tried` words. */
static fcps_model *learn(bool is_line, int tried, uint64_t seed)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .circular = true,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_METRIC},
                                        .prior = USUAL_PRIOR(0.4),
                                        .fit = {.starts = 2, .budget = 40},
                                        .structures = {.words = FCPS_STRUCTURE_AUTO}};
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &problem, &settings));
  for (int i = 0; i < TRIALS; i++) {
    fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, (uint64_t)i);
    double p[3] = {i % tried, fcps_rng_uniform(&rng), fcps_rng_uniform(&rng)}, outcome[2];
    happen(is_line, p, outcome);
    for (int o = 0; o < 2; o++)
      outcome[o] += 0.02 * fcps_rng_normal(&rng);
    const fcps_rollout rollout = {.parameters = p, .outcome = outcome, .reward = NAN, .hindsight_reward = NAN};
    assert_ok(fcps_model_add(model, &rollout));
    fcps_fit_result result;
    fcps_error error;
    if (i % 14 == 13)
      assert_ok(fcps_model_fit(model, 1, NULL, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 0), &result, &error));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

static double distance_of(const fcps_model *model, int a, int b)
{
  return model->description.tables.of[0].square[a * WORDS + b];
}

static void words_on_a_line_are_put_there(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    fcps_model *model = learn(true, WORDS, seed);
    assert_true(believes(model, "words") && log_odds(model, "words") > 3.0);
    assert_string_equal(words_of(model, "words"), "some words are more alike than others");
    for (int a = 0; a < WORDS; a++)
      for (int b = 0; b < WORDS; b++)
        for (int c = 0; c < WORDS; c++)
          if (fabs(hidden[a] - hidden[b]) + 0.3 < fabs(hidden[a] - hidden[c]))
            assert_true(distance_of(model, a, b) < distance_of(model, a, c));
    fcps_model_destroy(model);
  }
}

static void words_of_their_own_are_left_apart(void **state)
{
  (void)state;
  int believed = 0;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    fcps_model *model = learn(false, 4, seed);
    believed += believes(model, "words");
    if (!believes(model, "words"))
      for (int a = 0; a < WORDS; a++)
        assert_near(distance_of(model, a, (a + 1) % WORDS), 1.0, 0);
    fcps_model_destroy(model);
  }
  assert_true(believed <= 1);
}

/* an untried word is at least as far from all others as the ends of the line, and has a wider deviation */
static void a_word_that_nobody_tried_is_far(void **state)
{
  (void)state;
  fcps_model *model = learn(true, WORDS - 1, 2);
  assert_true(believes(model, "words"));
  for (int a = 0; a < WORDS - 1; a++) {
    double nearest = INFINITY;
    for (int b = 0; b < WORDS - 1; b++)
      if (a != b) nearest = fmin(nearest, distance_of(model, a, b));
    assert_true(distance_of(model, a, WORDS - 1) > 2.0 * nearest);
  }
  fcps_posterior *posterior = NULL;
  assert_ok(fcps_posterior_create(&posterior, model, NULL, NULL, NULL));
  double known[3] = {0.5 / WORDS, 0.5, 0.5}, unknown[3] = {1 - 0.5 / WORDS, 0.5, 0.5}, mean, sure, unsure;
  fcps_posterior_moments(posterior, 1, known, &mean, &sure);
  fcps_posterior_moments(posterior, 1, unknown, &mean, &unsure);
  assert_true(unsure > 3.0 * sure);
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

/* a learner that believes it goes on with the same bytes after loading; a damaged file is refused */
static void it_is_saved(void **state)
{
  (void)state;
  fcps_learner *learner = NULL, *loaded = NULL;
  fcps_error error;
  char *text = NULL;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", NULL, 3, NULL));
  for (int i = 0; i < 45; i++) {
    double p[2][3], outcome[2];
    int64_t id;
    assert_ok(fcps_learner_ask(learner, NULL, NULL, p[0], &id));
    if (loaded != NULL) {
      assert_ok(fcps_learner_ask(loaded, NULL, NULL, p[1], &id));
      assert_memory_equal(p[0], p[1], sizeof p[0]);
    }
    if (i < 36) { /* trials of other parameters are told as they were done */
      p[0][0] = i % WORDS;
      fcps_rng rng = fcps_rng_stream(9, FCPS_PURPOSE_TEST, (uint64_t)i);
      fcps_rng_uniforms(&rng, 2, p[0] + 1);
    }
    happen(true, p[0], outcome);
    const fcps_rollout rollout = {.parameters = p[0], .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
    if (loaded != NULL) assert_ok(fcps_learner_tell(loaded, id, &rollout));
    if (i != 40) continue;
    assert_ok(fcps_learner_save(learner, &text, &error));
    assert_non_null(strstr(text, "\"name\":\"words\""));
    assert_ok(fcps_learner_load(&loaded, &problem, text, &error));
  }
  fcps_learner_destroy(loaded);
  loaded = NULL;
  char *rank = strstr(strstr(text, "\"name\":\"words\""), "\"state\":[");
  assert_non_null(rank);
  rank[strlen("\"state\":[")] = '7';
  assert_true(fcps_learner_load(&loaded, &problem, text, &error) != FCPS_OK);
  free(text);
  fcps_learner_destroy(learner);
}

/* a problem without such words has the same files as before there were words */
static void a_problem_without_words_has_no_trace_of_them(void **state)
{
  (void)state;
  const fcps_problem numbers = {.parameters = {2, parameter_dims + 1}, .outcome = {2, outcome_dims}, .reward = reward};
  fcps_learner *learner = NULL;
  fcps_error error;
  char *text = NULL;
  assert_ok(fcps_learner_create(&learner, &numbers, "outcome", NULL, 3, NULL));
  for (int i = 0; i < 15; i++) {
    double p[2], outcome[2];
    int64_t id;
    assert_ok(fcps_learner_ask(learner, NULL, NULL, p, &id));
    happen(true, (double[]){1, p[0], p[1]}, outcome);
    const fcps_rollout rollout = {.parameters = p, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  assert_ok(fcps_learner_save(learner, &text, &error));
  assert_non_null(strstr(text, "\"name\":\"drift\""));
  assert_null(strstr(text, "\"name\":\"words\""));
  free(text);
  fcps_learner_destroy(learner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_on_a_line_are_put_there),
      cmocka_unit_test(words_of_their_own_are_left_apart),
      cmocka_unit_test(a_word_that_nobody_tried_is_far),
      cmocka_unit_test(it_is_saved),
      cmocka_unit_test(a_problem_without_words_has_no_trace_of_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
