/* SPDX-License-Identifier: Apache-2.0 */
/* Models that answer together. Samples of the hyper-parameters: answers are the averages of the samples' own answers.
 * Rival descriptions: which of them take part, with which share, and a saved model gives the same averages. */
#include "base/rng.h"
#include "improvement.h"
#include "model/beliefs.h"
#include "model/model.h"
#include "resuming.h"
#include "search/batch.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

/* -- Samples -- */

enum { SAMPLES = 4, THROWS = 12 };
static const double mark = 0.2, wind = 0.05, best = -0.4;
static const fcps_utility improvement = {improvement_of_reward, improvement_of_gaussian, &best};

static const fcps_model_settings sampled = {.kernel = &fcps_kernel_se,
                                            .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                                            .prior = USUAL_PRIOR(0.8),
                                            .fit = {.starts = 1, .budget = 10, .samples = SAMPLES}};

static void add_throws(fcps_model *model, int first, int count)
{
  for (int i = first; i < first + count; i++) {
    double at, blow;
    throwing_context(i, &at, &blow);
    const double parameters[2] = {fmod(0.3 + 0.55 * i, 1.0), fmod(0.8 + 0.35 * i, 1.0)};
    const double land = throwing_land(blow, parameters);
    const fcps_rollout rollout = {
        .target = &at, .environment = &blow, .parameters = parameters, .outcome = &land, .reward = 0};
    assert_ok(fcps_model_add(model, &rollout));
  }
}

static fcps_model *make_model(const fcps_model_ops *ops)
{
  fcps_model *model = NULL;
  fcps_fit_result result;
  assert_ok(fcps_model_create(&model, ops, &throwing, &sampled));
  add_throws(model, 0, THROWS);
  assert_ok(fcps_model_fit(model, 1, &mark, fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0), &result, NULL));
  assert_ok(fcps_model_refresh(model));
  assert_int_equal(model->members.count, SAMPLES - 1);
  return model;
}

static void check_average(const fcps_model_ops *ops)
{
  fcps_model *model = make_model(ops);
  fcps_posterior *posterior = NULL;
  const double x[2] = {0.3, 0.7};
  double mean, deviation, sum = 0, sum_deviation = 0, gain, sum_gain = 0;
  assert_ok(fcps_posterior_create(&posterior, model, &mark, &wind, NULL));
  fcps_posterior_moments(posterior, 1, x, &mean, &deviation);
  fcps_posterior_expect(posterior, &improvement, 1, x, &gain);
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < SAMPLES; i++) {
    fcps_posterior *alone = NULL;
    double m, s, g;
    fcps_model *one = NULL;
    assert_ok(fcps_model_copy(model, &throwing, &one));
    fcps_members_drop(one);
    if (i > 0) fcps_gp_set_hyper(fcps_model_gp(one, 0), fcps_model_gp(model->members.models[i - 1], 0)->hyper);
    assert_ok(fcps_model_refresh(one));
    assert_ok(fcps_posterior_create(&alone, one, &mark, &wind, NULL));
    assert_null(fcps_posterior_next(alone));
    fcps_posterior_moments(alone, 1, x, &m, &s);
    fcps_posterior_expect(alone, &improvement, 1, x, &g);
    sum += m / SAMPLES;
    sum_deviation += s / SAMPLES;
    sum_gain += g / SAMPLES;
    least = fmin(least, m);
    most = fmax(most, m);
    fcps_posterior_destroy(alone);
    fcps_model_destroy(one);
  }
  assert_near(mean, sum, 1e-10);
  assert_near(deviation, sum_deviation, 1e-10);
  assert_near(gain, sum_gain, 1e-10);
  assert_true(most - least > 1e-4); /* or all samples were the same */
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

static void answers_are_averages_over_samples(void **state)
{
  (void)state;
  check_average(&fcps_model_rescored);
  check_average(&fcps_model_outcome);
}

static void a_batch_refuses_models_that_average(void **state)
{
  (void)state;
  fcps_model *model = make_model(&fcps_model_rescored);
  fcps_batch *batch = NULL;
  const double x[2] = {0.5, 0.5};
  assert_status(fcps_batch_create(&batch, model, 1, x, NULL), FCPS_ERR_ARGUMENT);
  assert_null(batch);
  fcps_model_destroy(model);
}

static void gradients_of_averages_match_differences(void **state)
{
  (void)state;
  fcps_model *model = make_model(&fcps_model_rescored);
  fcps_posterior *posterior = NULL;
  double x[2] = {0.35, 0.6}, mean, deviation, by_mean[2], by_deviation[2], by_gain[2];
  assert_ok(fcps_posterior_create(&posterior, model, &mark, &wind, NULL));
  fcps_posterior_gradient(posterior, x, &mean, &deviation, by_mean, by_deviation);
  fcps_posterior_expect_gradient(posterior, &improvement, x, by_gain);
  for (int d = 0; d < 2; d++) {
    const double h = 1e-5, kept = x[d];
    double m[2], s[2], g[2];
    for (int side = 0; side < 2; side++) {
      x[d] = kept + (side == 0 ? h : -h);
      fcps_posterior_moments(posterior, 1, x, m + side, s + side);
      fcps_posterior_expect(posterior, &improvement, 1, x, g + side);
    }
    x[d] = kept;
    assert_near(by_mean[d], (m[0] - m[1]) / (2 * h), 1e-6);
    assert_near(by_deviation[d], (s[0] - s[1]) / (2 * h), 1e-6);
    assert_near(by_gain[d], (g[0] - g[1]) / (2 * h), 1e-6);
  }
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

static void pending_trials_reduce_the_deviation_of_every_sample(void **state)
{
  (void)state;
  fcps_model *model = make_model(&fcps_model_rescored);
  const double parameters[2] = {0.5, 0.5};
  double before, after, mean;
  fcps_posterior *posterior = NULL;
  assert_ok(fcps_posterior_create(&posterior, model, &mark, &wind, NULL));
  fcps_posterior_moments(posterior, 1, parameters, &mean, &before);
  fcps_posterior_destroy(posterior);
  fcps_model_add_pending(model, &mark, &wind, parameters);
  for (int i = 0; i < model->members.count; i++)
    assert_int_equal(fcps_model_gp(model->members.models[i], 0)->factored, THROWS + 1);
  assert_ok(fcps_posterior_create(&posterior, model, &mark, &wind, NULL));
  fcps_posterior_moments(posterior, 1, parameters, &mean, &after);
  assert_true(after < before);
  fcps_posterior_destroy(posterior);
  fcps_model_clear_pending(model);
  for (int i = 0; i < model->members.count; i++)
    assert_int_equal(fcps_model_gp(model->members.models[i], 0)->count, THROWS);
  fcps_model_destroy(model);
}

/* the chain goes on where it ended: the next fit starts from the newest sample, also in a copy and after loading */
static void a_copied_or_saved_chain_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  fcps_model *model = make_model(&fcps_model_rescored), *copy = NULL, *loaded = NULL;
  fcps_json *json = fcps_model_write(model);
  fcps_error error;
  fcps_fit_result result;
  assert_non_null(json);
  assert_ok(fcps_model_copy(model, &throwing, &copy));
  assert_ok(fcps_model_read(&loaded, &throwing, json, &error));
  loaded->settings.fit = sampled.fit; /* policies do not fit any more, and do not save how */
  fcps_json_destroy(json);
  fcps_model *all[3] = {model, copy, loaded};
  for (int i = 0; i < 3; i++) {
    add_throws(all[i], THROWS, 1);
    assert_ok(fcps_model_fit(all[i], 1, &mark, fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0), &result, NULL));
    assert_ok(fcps_model_refresh(all[i]));
    assert_int_equal(all[i]->members.count, SAMPLES - 1);
    for (int t = 0; t < SAMPLES - 1; t++)
      assert_memory_equal(fcps_model_gp(all[i]->members.models[t], 0)->hyper,
                          fcps_model_gp(model->members.models[t], 0)->hyper, 5 * sizeof(double));
    assert_memory_equal(fcps_model_gp(all[i], 0)->hyper, fcps_model_gp(model, 0)->hyper, 5 * sizeof(double));
  }
  for (int i = 0; i < 3; i++)
    fcps_model_destroy(all[i]);
}

static void resumed_learners_go_on_with_the_same_bits(void **state)
{
  (void)state;
  const fcps_setting bayes[] = {{"hyperparameters", "bayes"}, {"hyper_samples", "3"}, {NULL, NULL}};
  const fcps_setting rarely[] = {{"hyperparameters", "bayes"}, {"refit", "4"}, {NULL, NULL}};
  const fcps_setting information[] = {{"hyperparameters", "bayes"}, {"acquisition", "mes"}, {NULL, NULL}};
  const fcps_setting split[] = {{"hyperparameters", "bayes"}, {"split", "on"}, {NULL, NULL}};
  check_resumes(&throwing, "bo-fcps", bayes, 15);
  check_resumes(&throwing, "bo-cps", rarely, 15);
  check_resumes(&throwing, "bo-fcps", information, 9);
  check_resumes(&throwing, "bo-fcps-her", bayes, 12);
  check_resumes(&throwing, "outcome", bayes, 12);
  check_resumes(&throwing, "bo-fcps", split, 20);
}

/* -- Rivals -- */

/* A model of five throws that turn with their angle, or do not turn. */
static fcps_model *make_thrown(const fcps_problem *problem, bool turns)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .circular = true,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_METRIC},
                                        .prior = USUAL_PRIOR(0.4),
                                        .fit = {.starts = 2, .budget = 25},
                                        .structures = {.frame = FCPS_STRUCTURE_AUTO}};
  const double target[2] = {0, 0}, calm[1] = {0};
  fcps_model *model = NULL;
  fcps_fit_result result;
  fcps_error error;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  for (int i = 0; i < 5; i++) {
    fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, (uint64_t)i);
    double x[2], parameters[2];
    fcps_rng_uniforms(&rng, 2, x);
    fcps_space_from_unit(&problem->parameters, x, parameters);
    const double turned[2] = {parameters[1] * cos(parameters[0]), parameters[1] * sin(parameters[0])};
    const double straight[2] = {parameters[1], 0.5 * parameters[1] * parameters[1]};
    const fcps_rollout rollout = {.target = target,
                                  .environment = calm,
                                  .parameters = parameters,
                                  .outcome = turns ? turned : straight,
                                  .reward = NAN,
                                  .hindsight_reward = NAN};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_fit(model, 1, target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &result, &error));
  assert_int_equal(contest_of(model, "frame")->active, turns);
  return model;
}

/* Sets the lead of the frame in use: over no frame by `none` nats, over the other frame by `other`. */
static void set_leads(fcps_model *model, double none, double other)
{
  fcps_contest *c = contest_of(model, "frame");
  assert_int_equal(c->count, 3);
  c->candidates[0].nats = c->candidates[1].nats - none;
  c->candidates[2].nats = c->candidates[1].nats - other;
  fcps_members_end(model);
  assert_ok(fcps_model_refresh(model));
}

static void find_moments(const fcps_model *model, const double *x, double *mean, double *deviation)
{
  const double target[2] = {0.4, -0.7}, blow[1] = {0.1};
  fcps_posterior *posterior = NULL;
  fcps_error error;
  assert_ok(fcps_posterior_create(&posterior, model, target, blow, &error));
  fcps_posterior_moments(posterior, 1, x, mean, deviation);
  fcps_posterior_destroy(posterior);
}

static void frames_have_a_say_while_the_evidence_is_undecided(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = make_thrown(&problem, true);
  set_leads(model, 4, 50);
  assert_int_equal(fcps_members_models(model), 1);
  set_leads(model, 1, 50);
  assert_int_equal(fcps_members_models(model), 2);
  assert_string_equal(words_of(fcps_members_model(model, 1), "frame"), "");
  set_leads(model, 2, 1);
  assert_int_equal(fcps_members_models(model), 3);
  assert_string_equal(words_of(fcps_members_model(model, 1), "frame"), "land_x, land_y turn against angle");
  assert_string_equal(words_of(fcps_members_model(model, 2), "frame"), "");
  fcps_model_destroy(model);
}

static void a_model_in_which_nothing_turns_averages_over_nothing(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = make_thrown(&problem, false);
  set_leads(model, 0, 0);
  assert_int_equal(fcps_members_models(model), 1);
  fcps_model_destroy(model);
}

static void answers_are_weighted_by_the_odds(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = make_thrown(&problem, true);
  set_leads(model, 1, 2);
  const double odds[3] = {1, exp(-1), exp(-2)}, sum = odds[0] + odds[1] + odds[2];
  const double x[2] = {0.3, 0.6};
  double expected[2] = {0, 0}, mean, deviation;
  for (int i = 0; i < 3; i++) {
    assert_near(fcps_members_share(model, i), odds[i] / sum, 1e-15);
    if (i == 0) continue;
    find_moments(fcps_members_model(model, i), x, &mean, &deviation);
    expected[0] += odds[i] / sum * mean;
    expected[1] += odds[i] / sum * deviation;
  }
  double both[2];
  find_moments(model, x, both, both + 1);
  set_leads(model, 50, 50);
  find_moments(model, x, &mean, &deviation);
  assert_near(both[0], expected[0] + odds[0] / sum * mean, 1e-12);
  assert_near(both[1], expected[1] + odds[0] / sum * deviation, 1e-12);
  fcps_model_destroy(model);
}

static void a_saved_model_averages_alike(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = make_thrown(&problem, true), *loaded = NULL;
  fcps_error error;
  set_leads(model, 1, 2);
  fcps_json *json = fcps_model_write(model);
  assert_ok(fcps_model_read(&loaded, &problem, json, &error));
  assert_ok(fcps_model_refresh(loaded));
  fcps_json_destroy(json);
  assert_int_equal(fcps_members_models(loaded), 3);
  for (int i = 0; i < 10; i++) {
    const double x[2] = {i / 10.0, fmod(0.37 * i, 1.0)};
    double a[2], b[2];
    find_moments(model, x, a, a + 1);
    find_moments(loaded, x, b, b + 1);
    assert_true(a[0] == b[0] && a[1] == b[1]);
  }
  fcps_model_destroy(loaded);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_averages_over_samples),
      cmocka_unit_test(a_batch_refuses_models_that_average),
      cmocka_unit_test(gradients_of_averages_match_differences),
      cmocka_unit_test(pending_trials_reduce_the_deviation_of_every_sample),
      cmocka_unit_test(a_copied_or_saved_chain_goes_on_with_the_same_bits),
      cmocka_unit_test(resumed_learners_go_on_with_the_same_bits),
      cmocka_unit_test(frames_have_a_say_while_the_evidence_is_undecided),
      cmocka_unit_test(a_model_in_which_nothing_turns_averages_over_nothing),
      cmocka_unit_test(answers_are_weighted_by_the_odds),
      cmocka_unit_test(a_saved_model_averages_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
