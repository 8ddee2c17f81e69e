/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes that change with the order of trials: when a model believes this, and for which trial it then predicts. */
#include "base/rng.h"
#include "check.h"
#include "improvement.h"
#include "model/beliefs.h"
#include "model/leave_one_out.h"
#include "model/model.h"
#include "model/posterior/posterior_ops.h"
#include "search/batch.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <fcps/learner.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 40 };

static const double target[2] = {0.5, -0.6}, calm[1] = {0.1};

/* The share that is lost with every trial. */
static const double wear = 0.005;

static double share_left(double loss, int trial)
{
  return 1.0 - loss * trial;
}

static void happen(const double *wind, const double *p, double share, double *outcome)
{
  outcome[0] = share * (2.0 + sin(p[0]) + 0.5 * p[1]) + wind[0];
  outcome[1] = share * (1.0 + p[1] * p[1]);
}

static fcps_model *create(const fcps_problem *problem, fcps_structure_setting drift)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .circular = true,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_METRIC},
                                        .prior = USUAL_PRIOR(0.4),
                                        .fit = {.starts = 2, .budget = 40},
                                        .structures = {.drift = drift, .doubts = FCPS_STRUCTURE_AUTO}};
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  return model;
}

/* Trials number `first` ... `last` - 1 of a seed. */
static void add(fcps_model *model, double loss, uint64_t seed, int first, int last)
{
  for (int i = first; i < last; i++) {
    fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, (uint64_t)i);
    double x[3], wind[1], parameters[2], outcome[2];
    fcps_rng_uniforms(&rng, 3, x);
    fcps_space_from_unit(&model->problem->environment, x, wind);
    fcps_space_from_unit(&model->problem->parameters, x + 1, parameters);
    happen(wind, parameters, share_left(loss, i), outcome);
    for (int o = 0; o < 2; o++)
      outcome[o] += 0.02 * fcps_rng_normal(&rng);
    const fcps_rollout rollout = {.target = target,
                                  .environment = wind,
                                  .parameters = parameters,
                                  .outcome = outcome,
                                  .reward = NAN,
                                  .hindsight_reward = NAN};
    assert_ok(fcps_model_add(model, &rollout));
  }
}

static void fit(fcps_model *model)
{
  fcps_fit_result result;
  fcps_error error;
  const fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_FIT, (uint64_t)model->training.count);
  assert_ok(fcps_model_fit(model, 1, target, rng, &result, &error));
  assert_ok(fcps_model_refresh(model));
}

/* A model that is fitted after every five trials. */
static fcps_model *learn(const fcps_problem *problem, fcps_structure_setting drift, double loss, uint64_t seed)
{
  fcps_model *model = create(problem, drift);
  for (int i = 0; i < TRIALS; i += 5) {
    add(model, loss, seed, i, i + 5);
    fit(model);
  }
  return model;
}

static fcps_posterior *look(const fcps_model *model)
{
  fcps_posterior *posterior = NULL;
  assert_ok(fcps_posterior_create(&posterior, model, target, calm, NULL));
  return posterior;
}

static void find_place(int i, double *x)
{
  x[0] = 0.02 + i / 21.0;
  x[1] = 0.03 + 0.94 * fmod(0.37 * i, 1.0);
}

/* The mean error of predictions, as of trial number `trial`. */
static double error_at(const fcps_model *model, int trial)
{
  fcps_posterior *posterior = look(model);
  double sum = 0.0;
  for (int i = 0; i < 20; i++) {
    double x[2], parameters[2], mean[2], deviation[2], outcome[2];
    find_place(i, x);
    fcps_space_from_unit(&model->problem->parameters, x, parameters);
    happen(calm, parameters, share_left(wear, trial), outcome);
    assert_true(fcps_posterior_outcome(posterior, x, mean, deviation));
    sum += (fabs(mean[0] - outcome[0]) + fabs(mean[1] - outcome[1])) / 40;
  }
  fcps_posterior_destroy(posterior);
  return sum;
}

static void check_same(const fcps_model *a, const fcps_model *b)
{
  fcps_posterior *const posteriors[] = {look(a), look(b)};
  for (int i = 0; i < 20; i++) {
    double x[2], means[2], deviations[2];
    find_place(i, x);
    for (int k = 0; k < 2; k++)
      fcps_posterior_moments(posteriors[k], 1, x, means + k, deviations + k);
    assert_true(means[0] == means[1] && deviations[0] == deviations[1]);
  }
  fcps_posterior_destroy(posteriors[0]);
  fcps_posterior_destroy(posteriors[1]);
}

/* -- Belief -- */

static void what_wears_is_believed_and_what_does_not_is_not(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  int believed[2] = {0, 0};
  for (uint64_t seed = 1; seed <= 10; seed++)
    for (int wears = 0; wears < 2; wears++) {
      fcps_model *model = learn(&problem, FCPS_STRUCTURE_AUTO, wears ? wear : 0.0, seed);
      believed[wears] += believes(model, "drift");
      fcps_model_destroy(model);
    }
  print_message("# of 10: without wear %d, with wear %d\n", believed[0], believed[1]);
  assert_int_equal(believed[0], 0);
  assert_int_equal(believed[1], 10);
}

static void a_prediction_is_one_for_the_next_trial(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = learn(&problem, FCPS_STRUCTURE_AUTO, wear, 1),
             *plain = learn(&problem, FCPS_STRUCTURE_OFF, wear, 1);
  assert_true(log_odds(model, "drift") > 3);
  double shrinks[2] = {0, 0}; /* in percent of the remaining share half-way */
  assert_int_equal(sscanf(words_of(model, "drift"),
                          "outcomes change with the order of trials: land_x shrinks by %lf %% a trial, land_y shrinks "
                          "by %lf %% a trial",
                          shrinks, shrinks + 1),
                   2);
  for (int o = 0; o < 2; o++)
    assert_true(fabs(shrinks[o] - 100 * wear / share_left(wear, TRIALS / 2)) < 0.1);
  const double next = error_at(model, TRIALS), first = error_at(model, 0), without = error_at(plain, TRIALS);
  print_message("# mean error for the next trial %.3f, for the first %.3f; without drift %.3f\n", next, first, without);
  assert_true(next < 0.05);
  assert_true(next < 0.3 * without && next < 0.3 * first);
  fcps_model_destroy(model);
  fcps_model_destroy(plain);
}

/* A random order: every trial has a place in it that has nothing to do with its neighbours. */
static void a_placebo_is_an_order_without_neighbours(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const int index = fcps_structure_find("drift");
  for (int rows = 10; rows <= 100; rows++) {
    fcps_model *model = create(&problem, FCPS_STRUCTURE_AUTO);
    fcps_look parent, look = fcps_model_look(model, &parent, NULL);
    fcps_structure placebo = {0};
    fcps_description with;
    bool is_taken[100] = {false};
    add(model, wear, 1, 0, rows);
    assert_ok(fcps_structure_kind_at(index)->placebo(&look, &placebo));
    assert_ok(fcps_description_with(&model->description, &model->layout, index, &placebo, &with));
    for (int i = 0, before = -1; i < rows; i++) {
      double features[4] = {0}, inputs[5];
      assert_int_equal(with.inputs, 5);
      fcps_description_see(&with, &model->layout, features, i, inputs, NULL);
      const int place = (int)lround(50 * inputs[4]);
      assert_in_range(place, 0, rows - 1);
      assert_false(is_taken[place]);
      is_taken[place] = true;
      assert_true(i == 0 || abs(place - before) > 1);
      before = place;
    }
    fcps_structure_clear(&placebo);
    fcps_description_destroy(&with);
    fcps_model_destroy(model);
  }
}

/* -- The order among the inputs -- */

static void gradients_agree_with_differences(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = learn(&problem, FCPS_STRUCTURE_AUTO, wear, 1);
  fcps_posterior *posterior = look(model);
  const double best = -1.2, h = 1e-5;
  const fcps_utility utility = improvement_over(&best);
  double points[2 * 20], all[20], slopes[2 * 20], deviations[20], deviation_slopes[2 * 20];
  for (int i = 0; i < 20; i++)
    find_place(i, points + 2 * i);
  fcps_posterior_gradients(posterior, 20, points, all, deviations, slopes, deviation_slopes);
  for (int i = 0; i < 20; i++) {
    const double *x = points + 2 * i;
    double mean, deviation, by_mean[2], by_deviation[2], by_worth[2];
    fcps_posterior_gradient(posterior, x, &mean, &deviation, by_mean, by_deviation);
    fcps_posterior_expect_gradient(posterior, &utility, x, by_worth);
    assert_near(all[i], mean, 1e-8);
    assert_near(deviations[i], deviation, 1e-8);
    for (int k = 0; k < 2; k++) {
      double m[2], s[2], w[2];
      for (int side = 0; side < 2; side++) {
        double moved[2] = {x[0], x[1]};
        moved[k] += side == 0 ? h : -h;
        fcps_posterior_moments(posterior, 1, moved, m + side, s + side);
        fcps_posterior_expect(posterior, &utility, 1, moved, w + side);
      }
      assert_near(by_mean[k], (m[0] - m[1]) / (2 * h), 1e-4);
      assert_near(by_deviation[k], (s[0] - s[1]) / (2 * h), 1e-4);
      assert_near(by_worth[k], (w[0] - w[1]) / (2 * h), 1e-3);
      assert_near(slopes[2 * i + k], by_mean[k], 1e-6);
      assert_near(deviation_slopes[2 * i + k], by_deviation[k], 1e-6);
    }
  }
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

/* many draws have the mean and the spread that are predicted */
static void draws_agree_with_predictions(void **state)
{
  (void)state;
  enum { DRAWS = 2000 };
  const fcps_problem problem = toy_problem();
  fcps_model *model = learn(&problem, FCPS_STRUCTURE_AUTO, wear, 1);
  fcps_output_posterior outputs;
  fcps_posterior *posterior = look(model);
  const double x[2] = {0.3, 0.6};
  double mean[2], deviation[2], sums[2] = {0}, squares[2] = {0};
  assert_ok(fcps_output_posterior_create(&outputs, model, target, calm, NULL));
  assert_true(fcps_posterior_outcome(posterior, x, mean, deviation));
  fcps_rng rng = fcps_rng_stream(8, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < DRAWS; i++) {
    double normals[2], row[2];
    fcps_rng_normals(&rng, 2, normals);
    assert_ok(fcps_output_posterior_draw(&outputs, 1, x, normals, row));
    for (int o = 0; o < 2; o++) {
      sums[o] += (row[o] - mean[o]) / DRAWS;
      squares[o] += (row[o] - mean[o]) * (row[o] - mean[o]) / DRAWS;
    }
  }
  for (int o = 0; o < 2; o++) {
    assert_near(sums[o] / deviation[o], 0.0, 0.1);
    assert_near(sqrt(squares[o]) / deviation[o], 1.0, 0.1);
  }
  fcps_output_posterior_destroy(&outputs);
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

static void batches_answer_as_single_questions_do(void **state)
{
  (void)state;
  enum { CONTEXTS = 12, CANDIDATES = 100 };
  for (int is_distance = 0; is_distance < 2; is_distance++) {
    fcps_problem problem = toy_problem();
    problem.is_distance = is_distance;
    fcps_model *model = learn(&problem, FCPS_STRUCTURE_AUTO, wear, 1);
    const fcps_search_settings search = {
        .kind = FCPS_SEARCH_MULTISTART, .candidates = CANDIDATES, .starts = 3, .local_budget = 40};
    double candidates[CANDIDATES * 2], goals[CONTEXTS * 2], places[CONTEXTS], best[CONTEXTS * 2];
    fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
    fcps_rng_uniforms(&rng, CANDIDATES * 2, candidates);
    for (int i = 0; i < CONTEXTS; i++) {
      double u[3];
      fcps_rng_uniforms(&rng, 3, u);
      fcps_space_from_unit(&problem.environment, u, places + i);
      fcps_space_from_unit(&problem.target, u + 1, goals + i * 2);
    }
    fcps_batch *batch = NULL;
    fcps_error error;
    assert_ok(fcps_batch_create(&batch, model, CANDIDATES, candidates, &error));
    for (int done = 0, taken; done < CONTEXTS; done += taken) {
      double rewards[CONTEXTS], deviations[CONTEXTS];
      assert_ok(fcps_batch_set_contexts(batch, CONTEXTS - done, goals + done * 2, places + done, &taken));
      for (int i = 0; i < taken; i++) {
        fcps_posterior *seen = NULL, *posterior = NULL;
        double means[CANDIDATES], wanted[CANDIDATES];
        assert_ok(fcps_batch_posterior(batch, i, &seen, means));
        assert_ok(fcps_posterior_create(&posterior, model, goals + (done + i) * 2, places + done + i, &error));
        fcps_posterior_moments(posterior, CANDIDATES, candidates, wanted, NULL);
        for (int k = 0; k < CANDIDATES; k++) {
          if (fcps_batch_can_maximize(batch))
            assert_true(means[k] >= wanted[k] - 1e-8); /* bounds (search/batch.h) */
          else
            assert_near(means[k], wanted[k], 1e-8);
        }
        fcps_posterior_destroy(posterior);
      }
      if (!fcps_batch_can_maximize(batch)) continue;
      assert_ok(fcps_batch_maximize(batch, &search, best));
      assert_ok(fcps_batch_predict(batch, best, rewards, deviations));
      for (int i = 0; i < taken; i++) {
        fcps_posterior *posterior = NULL;
        double mean, deviation;
        assert_ok(fcps_posterior_create(&posterior, model, goals + (done + i) * 2, places + done + i, &error));
        fcps_posterior_moments(posterior, 1, best + 2 * i, &mean, &deviation);
        assert_near(rewards[i], mean, 1e-8);
        assert_near(deviations[i], deviation, 1e-8);
        fcps_posterior_destroy(posterior);
      }
    }
    fcps_batch_destroy(batch);
    fcps_model_destroy(model);
  }
}

/* each row at its own place in the order, and the deviations are honest */
static void rows_are_foreseen_by_others_as_of_their_time(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = learn(&problem, FCPS_STRUCTURE_AUTO, wear, 1);
  fcps_model_left_out left = {0};
  double sum = 0.0, widening[FCPS_SPACE_MAX];
  assert_ok(fcps_model_leave_one_out(model, &left, NULL));
  for (int i = 0; i < left.rows * left.outputs; i++)
    sum += fabs(left.told[i] - left.mean[i]) / (left.rows * left.outputs);
  assert_true(sum < 0.06);
  assert_ok(fcps_model_widening(model, widening, NULL));
  assert_in_range((int)(100 * widening[0]), 100, 200);
  fcps_model_left_out_destroy(&left);
  fcps_model_destroy(model);
}

/* -- Rows -- */

static void a_trial_under_way_is_the_next_row(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = learn(&problem, FCPS_STRUCTURE_AUTO, wear, 1);
  const fcps_gp *gp = fcps_model_gp(model, 0);
  const double parameters[2] = {2.0, 0.9};
  const int order = gp->dim - 1;
  for (int i = 0; i < TRIALS; i++)
    assert_near(gp->inputs[(size_t)order * (size_t)gp->capacity + (size_t)i], i / 50.0, 1e-15);
  fcps_model_add_pending(model, target, calm, parameters);
  assert_int_equal(gp->count, TRIALS + 1);
  assert_near(gp->inputs[(size_t)order * (size_t)gp->capacity + TRIALS], TRIALS / 50.0, 1e-15);
  fcps_model_clear_pending(model);
  fcps_model_truncate(model, (fcps_model_size){.training = 20});
  add(model, wear, 1, 20, 25);
  fit(model);
  gp = fcps_model_gp(model, 0);
  for (int i = 0; i < 25 && gp->dim > order; i++)
    assert_near(gp->inputs[(size_t)order * (size_t)gp->capacity + (size_t)i], i / 50.0, 1e-15);
  fcps_model_destroy(model);
}

/* -- Saving -- */

static void a_saved_model_goes_on(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  int believed = 0;
  for (int saved_at = 10; saved_at <= 40; saved_at += 10) {
    fcps_model *model = create(&problem, FCPS_STRUCTURE_AUTO), *copy = NULL, *loaded = NULL;
    fcps_error error;
    for (int i = 0; i < saved_at; i += 5) {
      add(model, wear, 2, i, i + 5);
      fit(model);
    }
    add(model, wear, 2, saved_at, saved_at + 3); /* rows that no fit knows */
    assert_ok(fcps_model_refresh(model));
    believed += believes(model, "drift");
    fcps_json *json = fcps_model_write(model);
    assert_ok(fcps_model_read(&loaded, &problem, json, &error));
    assert_ok(fcps_model_refresh(loaded));
    fcps_json_destroy(json);
    assert_ok(fcps_model_copy(model, &problem, &copy));
    assert_ok(fcps_model_refresh(copy));
    check_same(model, loaded);
    check_same(model, copy);
    loaded->settings = model->settings; /* a saved model is a policy's, and is not fitted again */
    fcps_model *const models[] = {model, copy, loaded};
    for (int k = 0; k < 3; k++) {
      add(models[k], wear, 2, saved_at + 3, saved_at + 8);
      fit(models[k]);
    }
    check_same(model, copy);
    check_same(model, loaded);
    for (int k = 0; k < 3; k++)
      fcps_model_destroy(models[k]);
  }
  assert_true(believed >= 2);
}

static void ask_and_tell(fcps_learner *learner, int episode, double *parameters)
{
  const double wish[2] = {cos(episode), 0.6 * sin(2.0 * episode)}, blow[1] = {0.3 * sin(3.0 * episode)};
  double outcome[2];
  int64_t id;
  assert_ok(fcps_learner_ask(learner, wish, blow, parameters, &id));
  happen(blow, parameters, share_left(wear, episode), outcome);
  const fcps_rollout rollout = {
      .target = wish, .environment = blow, .parameters = parameters, .outcome = outcome, .status = FCPS_ROLLOUT_OK};
  assert_ok(fcps_learner_tell(learner, id, &rollout));
}

static bool reports_drift(fcps_learner *learner)
{
  fcps_policy *policy = NULL;
  fcps_health health = {0};
  assert_ok(fcps_learner_policy(learner, &policy));
  assert_true(fcps_policy_health(policy, 0, &health));
  bool is_told = false;
  for (int i = 0; i < health.finding_count; i++)
    is_told = is_told || strcmp(health.findings[i].name, "drift") == 0;
  fcps_policy_destroy(policy);
  return is_told;
}

static void a_resumed_learner_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_setting options[] = {{"drift", "auto"}, {"frame", "off"}, {NULL, NULL}};
  fcps_learner *straight = NULL, *resumed = NULL;
  fcps_error error;
  assert_ok(fcps_learner_create(&straight, &problem, "outcome", options, 6, &error));
  assert_ok(fcps_learner_create(&resumed, &problem, "outcome", options, 6, &error));
  for (int episode = 0; episode < 34; episode++) {
    double a[2], b[2];
    char *text = NULL;
    if (episode > 8) {
      assert_ok(fcps_learner_save(resumed, &text, &error));
      fcps_learner_destroy(resumed);
      assert_ok(fcps_learner_load(&resumed, &problem, text, &error));
      fcps_free(text);
    }
    ask_and_tell(straight, episode, a);
    ask_and_tell(resumed, episode, b);
    assert_memory_equal(a, b, sizeof a);
  }
  assert_true(reports_drift(straight) && reports_drift(resumed));
  fcps_learner_destroy(straight);
  fcps_learner_destroy(resumed);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_wears_is_believed_and_what_does_not_is_not),
      cmocka_unit_test(a_placebo_is_an_order_without_neighbours),
      cmocka_unit_test(a_prediction_is_one_for_the_next_trial),
      cmocka_unit_test(gradients_agree_with_differences),
      cmocka_unit_test(draws_agree_with_predictions),
      cmocka_unit_test(batches_answer_as_single_questions_do),
      cmocka_unit_test(rows_are_foreseen_by_others_as_of_their_time),
      cmocka_unit_test(a_trial_under_way_is_the_next_row),
      cmocka_unit_test(a_saved_model_goes_on),
      cmocka_unit_test(a_resumed_learner_goes_on_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
