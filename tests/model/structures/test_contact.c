/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/model/structures/contact.c: things that rest, when a model believes that they do, and its predictions
 * then. */
#include "base/memory.h"
#include "base/rng.h"
#include "check.h"
#include "improvement.h"
#include "model/beliefs.h"
#include "model/evidence.h"
#include "model/leave_one_out.h"
#include "model/model.h"
#include "model/posterior/posterior_ops.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <stdlib.h>
#include <string.h>

/* -- Worlds -- */

/* A trial that begins with its number, environment and parameters in their units. */
typedef void trial_fn(int number, const double *wind, const double *p, double *o);

/* Short throws do not leave the hand, which the wind has moved. One outcome then rests at a place that the
 * environment gives, the other at a number. */
static bool leaves_the_hand(const double *p)
{
  return p[1] > 0.5 + 0.2 * cos(p[0]);
}
static void from_the_hand(int number, const double *wind, const double *p, double *o)
{
  (void)number;
  toy_throw(wind, p, o);
  if (leaves_the_hand(p)) return;
  o[0] = wind[0];
  o[1] = 0.25;
}

static void smooth(int number, const double *wind, const double *p, double *o)
{
  (void)number;
  toy_throw(wind, p, o);
}
static void always_the_same(int number, const double *wind, const double *p, double *o)
{
  (void)number, (void)wind, (void)p;
  o[0] = 0.3;
  o[1] = 0.25;
}
static void hit_or_miss(int number, const double *wind, const double *p, double *o)
{
  (void)number, (void)wind;
  o[0] = o[1] = leaves_the_hand(p);
}
static void counts(int number, const double *wind, const double *p, double *o)
{
  (void)number, (void)wind;
  o[0] = leaves_the_hand(p) ? floor(4 * p[1]) : 0;
  o[1] = o[0];
}
static void twice_by_chance(int number, const double *wind, const double *p, double *o)
{
  toy_throw(wind, p, o);
  if (number != 7 && number != 19) return;
  o[0] = 0.1;
  o[1] = 0.25;
}
/* the first six results are those of a dead sensor */
static void dead_at_first(int number, const double *wind, const double *p, double *o)
{
  toy_throw(wind, p, o);
  if (number >= 6) return;
  o[0] = 0.1;
  o[1] = 0.25;
}

/* the first four only, or eight in the middle */
static void dead_for_a_moment(int number, const double *wind, const double *p, double *o)
{
  if (number < 4)
    dead_at_first(number, wind, p, o);
  else
    toy_throw(wind, p, o);
}
static void dead_for_a_while(int number, const double *wind, const double *p, double *o)
{
  dead_at_first(number >= 20 && number < 28 ? 0 : 10, wind, p, o);
}

static const double target[2] = {0.5, -0.6}, calm[1] = {0.1};

static fcps_model *create(const fcps_problem *problem, fcps_structure_setting contact, bool is_separate)
{
  const fcps_model_settings settings = {
      .kernel = &fcps_kernel_se,
      .circular = true,
      .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = is_separate ? FCPS_SCALING_EACH : FCPS_SCALING_METRIC},
      .prior = USUAL_PRIOR(0.4),
      .fit = {.starts = 2, .budget = 25},
      .structures = {.separate = is_separate ? FCPS_STRUCTURE_ON : FCPS_STRUCTURE_OFF, .contact = contact}};
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  return model;
}

/* Environment and parameters of a trial. */
static void draw(const fcps_problem *problem, int number, double *wind, double *parameters)
{
  fcps_rng rng = fcps_rng_stream(11, FCPS_PURPOSE_TEST, (uint64_t)number);
  double x[3];
  fcps_rng_uniforms(&rng, 3, x);
  fcps_space_from_unit(&problem->environment, x, wind);
  fcps_space_from_unit(&problem->parameters, x + 1, parameters);
}

static void tell(fcps_model *model, const double *wind, const double *parameters, const double *outcome)
{
  const fcps_rollout rollout = {.target = target,
                                .environment = wind,
                                .parameters = parameters,
                                .outcome = outcome,
                                .reward = NAN,
                                .hindsight_reward = NAN};
  assert_ok(fcps_model_add(model, &rollout));
}

static void add(fcps_model *model, trial_fn *run, int first, int last)
{
  for (int i = first; i < last; i++) {
    double wind[1], parameters[2], outcome[2];
    draw(model->problem, i, wind, parameters);
    run(i, wind, parameters, outcome);
    tell(model, wind, parameters, outcome);
  }
}

static void fit(fcps_model *model)
{
  fcps_fit_result result;
  fcps_error error;
  assert_ok(fcps_model_fit(model, 1, target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &result, &error));
  assert_ok(fcps_model_refresh(model));
}

/* Whether a rollout rests, and how many do. */
static bool rests(const fcps_model *model, int row)
{
  return fcps_description_rests(&model->description, fcps_rollouts_environment(&model->training, row),
                                fcps_rollouts_outcome(&model->training, row));
}
static int count_resting(const fcps_model *model)
{
  int count = 0;
  for (int i = 0; i < model->training.count; i++)
    count += rests(model, i);
  return count;
}

static fcps_model *train(const fcps_problem *problem, fcps_structure_setting contact, trial_fn *run, int rows)
{
  fcps_model *model = create(problem, contact, false);
  add(model, run, 0, rows);
  fit(model);
  return model;
}

static fcps_posterior *look(const fcps_model *model)
{
  fcps_posterior *posterior = NULL;
  assert_ok(fcps_posterior_create(&posterior, model, target, calm, NULL));
  return posterior;
}

static void check_same(const fcps_model *a, const fcps_model *b)
{
  fcps_posterior *const posteriors[] = {look(a), look(b)};
  for (int i = 0; i < 20; i++) {
    const double x[2] = {i / 20.0, fmod(0.37 * i, 1.0)};
    double means[2], deviations[2];
    for (int k = 0; k < 2; k++)
      fcps_posterior_moments(posteriors[k], 1, x, means + k, deviations + k);
    assert_true(means[0] == means[1] && deviations[0] == deviations[1]);
  }
  fcps_posterior_destroy(posteriors[0]);
  fcps_posterior_destroy(posteriors[1]);
}

/* -- What rests -- */

static void throws_that_stay_in_the_hand_rest(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, FCPS_STRUCTURE_AUTO, from_the_hand, 40);
  int expected = 0;
  assert_true(log_odds(model, "contact") > 3);
  const double blow = 0.123;
  double rest[2];
  fcps_description_rest(&model->description, &blow, rest);
  assert_near(rest[0], blow, 0);
  assert_near(rest[1], 0.25, 0);
  for (int i = 0; i < 40; i++) {
    const bool stays = !leaves_the_hand(fcps_rollouts_parameters(&model->training, i));
    assert_true(rests(model, i) == stays);
    expected += stays;
  }
  assert_int_equal(count_resting(model), expected);
  assert_true(expected > 5 && expected < 35);
  fcps_model_destroy(model);
}

/* the bits are those of a model that does not look for rest */
static void outcomes_of_other_kinds_do_not_rest(void **state)
{
  (void)state;
  trial_fn *const worlds[] = {smooth,          always_the_same, hit_or_miss,       counts,
                              twice_by_chance, dead_at_first,   dead_for_a_moment, dead_for_a_while};
  const fcps_problem problem = toy_problem();
  for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
    fcps_model *model = train(&problem, FCPS_STRUCTURE_AUTO, worlds[w], 40);
    fcps_model *without = train(&problem, FCPS_STRUCTURE_OFF, worlds[w], 40);
    if (believes(model, "contact") || contest_of(model, "contact")->count > 0) fail_msg("world %d rests", (int)w);
    check_same(model, without);
    fcps_model_destroy(model);
    fcps_model_destroy(without);
  }
}

/* a repeated trial gives the same result again, and that is not rest */
static void repeated_trials_do_not_rest(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem, FCPS_STRUCTURE_AUTO, false);
  double wind[1], parameters[2], outcome[2];
  add(model, smooth, 0, 10);
  draw(&problem, 0, wind, parameters);
  smooth(0, wind, parameters, outcome);
  for (int i = 0; i < 5; i++)
    tell(model, wind, parameters, outcome);
  fit(model);
  assert_false(believes(model, "contact"));
  assert_int_equal(contest_of(model, "contact")->count, 0);
  fcps_model_destroy(model);
}

/* -- What follows -- */

/* A model of the throws that left the hand, with the hyper-parameters of another. */
static fcps_model *without_rest(const fcps_problem *problem, const fcps_model *other)
{
  fcps_model *model = create(problem, FCPS_STRUCTURE_OFF, fcps_model_gp_count(other) > 1);
  for (int i = 0; i < other->training.count; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(&other->training, i);
    if (!rests(other, i)) assert_ok(fcps_model_add(model, &rollout));
  }
  for (int g = 0; g < fcps_model_gp_count(model); g++)
    fcps_gp_set_hyper(fcps_model_gp(model, g), fcps_model_gp(other, g)->hyper);
  assert_ok(fcps_model_refresh(model));
  return model;
}

/* noise alone need not explain resting trials either, if rest is believed while another structure is tried */
static void noise_beside_a_rest_is_that_of_what_moved(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, FCPS_STRUCTURE_AUTO, from_the_hand, 40), *moved = without_rest(&problem, model);
  const int index = fcps_structure_find("contact");
  const fcps_structure_kind *contact = fcps_structure_kind_at(index);
  fcps_look parent, look = fcps_model_look(model, &parent, NULL), look_moved = fcps_model_look(moved, &parent, NULL);
  fcps_sample all, some;
  double explained = 0.0;
  assert_ok(fcps_sample_open(&all, &look, contact, 40));
  assert_ok(fcps_sample_open(&some, &look_moved, contact, 40));
  assert_ok(contact->explain(&look, model->description.structures[index].state, all.count, all.source, all.resolution,
                             &explained));
  assert_true(some.count < all.count && fabs(explained) > 1);
  assert_near(fcps_evidence_of_noise(&all, &model->description),
              fcps_evidence_of_noise(&some, &moved->description) + explained, 1e-9);
  fcps_sample_close(&all);
  fcps_sample_close(&some);
  fcps_model_destroy(moved);
  fcps_model_destroy(model);
}

static double moves_at(const fcps_model *model, const double *x)
{
  double parameters[2], p = 1.0;
  fcps_space_from_unit(&model->problem->parameters, x, parameters);
  fcps_feasibility_scale_by_movement(&model->feasibility, &model->layout, 1, calm, parameters, &p);
  return p;
}

static double rest_reward(const double *x)
{
  const fcps_problem problem = toy_problem();
  const double outcome[2] = {calm[0], 0.25};
  const bool is_present = true;
  double parameters[2], reward;
  fcps_space_from_unit(&problem.parameters, x, parameters);
  assert_ok(problem.reward(NULL, 1, target, calm, parameters, outcome, &is_present, &reward));
  return reward;
}

static void check_mixture(bool is_separate)
{
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem, FCPS_STRUCTURE_AUTO, is_separate);
  add(model, from_the_hand, 0, 40);
  fit(model);
  fcps_model *moved = without_rest(&problem, model);
  fcps_posterior *posterior = look(model), *clean = look(moved);
  const double best = -0.4;
  const fcps_utility utility = improvement_over(&best);
  for (int i = 0; i < 20; i++) {
    const double x[2] = {i / 20.0, fmod(0.37 * i, 1.0)}, p = moves_at(model, x), otherwise = rest_reward(x);
    double m, s, mean, deviation, worth, moved_worth, o[2], d[2], moved_o[2], moved_d[2];
    const double rest[2] = {calm[0], 0.25};
    fcps_posterior_moments(clean, 1, x, &m, &s);
    fcps_posterior_set_view(posterior, (fcps_penalty_view){0});
    fcps_posterior_moments(posterior, 1, x, &mean, &deviation);
    assert_near(mean, otherwise + p * (m - otherwise), 1e-4);
    assert_near(deviation, p * s, 1e-4);
    double bound = m;
    assert_true(fcps_failure_penalty_has_bound(posterior->penalty) && !fcps_failure_penalty_has_bound(clean->penalty));
    assert_ok(fcps_failure_penalty_bound(posterior->penalty, 1, x, &bound));
    assert_near(bound, fmax(m, otherwise), 1e-12);
    assert_true(bound >= mean - 1e-4);
    fcps_posterior_expect(posterior, &utility, 1, x, &worth);
    fcps_posterior_expect(clean, &utility, 1, x, &moved_worth);
    assert_near(worth, p * moved_worth + (1 - p) * fmax(0, otherwise - best), 1e-4);
    fcps_posterior_set_view(posterior, (fcps_penalty_view){.is_sober = true, .is_mixture = true});
    fcps_posterior_moments(posterior, 1, x, &mean, &deviation);
    assert_near(deviation, sqrt(p * s * s + p * (1 - p) * (m - otherwise) * (m - otherwise)), 1e-4);
    assert_true(fcps_posterior_outcome(posterior, x, o, d) && fcps_posterior_outcome(clean, x, moved_o, moved_d));
    for (int j = 0; j < 2; j++)
      assert_near(o[j], rest[j] + p * (moved_o[j] - rest[j]), 1e-4);
  }
  fcps_posterior_destroy(posterior);
  fcps_posterior_destroy(clean);
  fcps_model_destroy(moved);
  fcps_model_destroy(model);
}

static void a_reward_is_that_of_a_mixture_of_what_moves_and_what_rests(void **state)
{
  (void)state;
  check_mixture(false);
  check_mixture(true);
}

static void the_chance_is_learnt_from_where_throws_left_the_hand(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, FCPS_STRUCTURE_AUTO, from_the_hand, 60);
  const double far[2] = {0.0, 0.9}, near[2] = {0.0, 0.1};
  print_message("# chances: far %.3f, near %.3f\n", moves_at(model, far), moves_at(model, near));
  assert_true(moves_at(model, far) > 0.9 && moves_at(model, near) < 0.1);
  fcps_model_destroy(model);
}

static void gradients_agree_with_differences(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, FCPS_STRUCTURE_AUTO, from_the_hand, 40);
  fcps_posterior *posterior = look(model);
  const double best = -1.2, h = 1e-5;
  const fcps_utility utility = improvement_over(&best);
  const fcps_penalty_view views[] = {{0}, {.is_sober = true, .is_mixture = true}};
  for (int i = 0; i < 20; i++) {
    const double x[2] = {0.02 + i / 21.0, 0.03 + 0.94 * fmod(0.37 * i, 1.0)};
    fcps_posterior_set_view(posterior, views[i % 2]);
    double mean, deviation, mean_gradient[2], deviation_gradient[2], worth_gradient[2];
    fcps_posterior_gradient(posterior, x, &mean, &deviation, mean_gradient, deviation_gradient);
    fcps_posterior_expect_gradient(posterior, &utility, x, worth_gradient);
    for (int k = 0; k < 2; k++) {
      double means[2], deviations[2], worths[2];
      for (int side = 0; side < 2; side++) {
        double moved[2] = {x[0], x[1]};
        moved[k] += side == 0 ? h : -h;
        fcps_posterior_moments(posterior, 1, moved, means + side, deviations + side);
        fcps_posterior_expect(posterior, &utility, 1, moved, worths + side);
      }
      assert_near(mean_gradient[k], (means[0] - means[1]) / (2 * h), 1e-4);
      assert_near(deviation_gradient[k], (deviations[0] - deviations[1]) / (2 * h), 1e-4);
      assert_near(worth_gradient[k], (worths[0] - worths[1]) / (2 * h), 1e-3);
    }
  }
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

/* each result is predicted from the others alone: rests are predicted at places where others rest, and deviations
 * are no larger than outcomes */
static void results_are_foreseen_by_others(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, FCPS_STRUCTURE_AUTO, from_the_hand, 60);
  fcps_model *one = train(&problem, FCPS_STRUCTURE_OFF, from_the_hand, 60);
  double errors[2] = {0};
  for (int k = 0; k < 2; k++) {
    fcps_model_left_out left = {0};
    assert_ok(fcps_model_leave_one_out(k == 0 ? model : one, &left, NULL));
    for (int i = 0; i < left.rows * left.outputs; i++) {
      errors[k] += fabs(left.told[i] - left.mean[i]) / (left.rows * left.outputs);
      assert_true(left.deviation[i] >= 0 && left.deviation[i] < 3);
    }
    fcps_model_left_out_destroy(&left);
  }
  print_message("# mean error: contact %.3f, one GP %.3f\n", errors[0], errors[1]);
  assert_true(errors[0] < errors[1]);
  fcps_model_destroy(model);
  fcps_model_destroy(one);
}

/* One of the rollouts is a failed trial, and there was a query before the fit. */
static void a_belief_counts_from_the_fit_that_brings_it(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem, FCPS_STRUCTURE_AUTO, false);
  const double near[2] = {0.0, 0.1}, parameters[2] = {1.0, 1.2};
  add(model, from_the_hand, 0, 40);
  tell(model, calm, parameters, NULL);
  assert_ok(fcps_model_refresh(model));
  assert_near(moves_at(model, near), 1, 0);
  fit(model);
  assert_true(believes(model, "contact"));
  assert_true(moves_at(model, near) < 0.2);
  fcps_model_destroy(model);
}

/* a model without rest would be mixed with it a second time */
static void nobody_answers_without_the_rest(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, FCPS_STRUCTURE_AUTO, from_the_hand, 40);
  fcps_contest *c = contest_of(model, "contact");
  c->candidates[0].nats = c->candidates[1].nats - 0.5;
  fcps_members_end(model);
  assert_ok(fcps_model_refresh(model));
  assert_int_equal(fcps_members_models(model), 1);
  fcps_model_destroy(model);
}

/* the hand is lifted for good */
static void from_the_lifted_hand(int number, const double *wind, const double *p, double *o)
{
  from_the_hand(number, wind, p, o);
  if (number >= 15 && !leaves_the_hand(p)) o[1] = 0.4;
}

static void the_rest_is_that_of_most_results(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = create(&problem, FCPS_STRUCTURE_AUTO, false);
  double rest[2];
  for (int rows = 15; rows <= 60; rows += 45) {
    add(model, from_the_lifted_hand, model->training.count, rows);
    fit(model);
    assert_true(believes(model, "contact"));
    fcps_description_rest(&model->description, calm, rest);
    assert_near(rest[1], rows == 15 ? 0.25 : 0.4, 0);
  }
  fcps_model_destroy(model);
}

/* -- Saving -- */

static void a_saved_model_goes_on(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  int believed = 0;
  for (int saved_at = 8; saved_at <= 32; saved_at += 4) {
    fcps_model *model = create(&problem, FCPS_STRUCTURE_AUTO, false), *copy = NULL, *loaded = NULL;
    fcps_error error;
    for (int i = 0; i < saved_at; i++) {
      add(model, from_the_hand, i, i + 1);
      if (i >= 4) fit(model);
    }
    add(model, from_the_hand, saved_at, saved_at + 3); /* rows that no fit knows */
    assert_ok(fcps_model_refresh(model));
    believed += believes(model, "contact");
    fcps_json *json = fcps_model_write(model);
    if (fcps_model_read(&loaded, &problem, json, &error) != FCPS_OK) fail_msg("%s: %s", error.field, error.message);
    fcps_json_destroy(json);
    assert_ok(fcps_model_refresh(loaded));
    assert_ok(fcps_model_copy(model, &problem, &copy));
    assert_ok(fcps_model_refresh(copy));
    check_same(model, loaded);
    check_same(model, copy);
    loaded->settings = model->settings; /* a saved model is a policy's, and is not fitted again */
    fcps_model *const models[] = {model, copy, loaded};
    for (int k = 0; k < 3; k++) {
      add(models[k], from_the_hand, saved_at + 3, saved_at + 8);
      fit(models[k]);
    }
    check_same(model, copy);
    check_same(model, loaded);
    for (int k = 0; k < 3; k++)
      fcps_model_destroy(models[k]);
  }
  assert_true(believed >= 3);
}

static void rows_that_are_taken_back_are_not_remembered(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, FCPS_STRUCTURE_AUTO, from_the_hand, 40);
  const int before = count_resting(model);
  fcps_model_truncate(model, (fcps_model_size){.training = 20});
  assert_int_equal(contest_of(model, "contact")->looked, 0);
  assert_true(count_resting(model) < before);
  assert_int_equal(model->description.aside_count, count_resting(model));
  add(model, from_the_hand, 20, 40);
  fit(model);
  assert_int_equal(count_resting(model), before);
  fcps_model_destroy(model);
}

/* `text` with the first `old` in it replaced; to be freed. */
static char *replaced(const char *text, const char *old, const char *by)
{
  const char *place = strstr(text, old);
  assert_non_null(place);
  char *whole = fcps_allocate(strlen(text) + strlen(by) + 1, 1);
  memcpy(whole, text, (size_t)(place - text));
  strcpy(whole + (place - text), by);
  strcat(whole, place + strlen(old));
  return whole;
}

static void damaged_contact_is_refused(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, FCPS_STRUCTURE_AUTO, from_the_hand, 40);
  char *text = fcps_json_finish(fcps_model_write(model));
  static const char *const changes[][2] = {{"\"looked\":40", "\"looked\":41"},
                                           {"\"looked\":40", "\"looked\":-1"},
                                           {"\"active\":1", "\"active\":7"},
                                           {"\"state\":[2.0,0.0", "\"state\":[2.0,1.0"},
                                           {"\"state\":[2.0,0.0", "\"state\":[2.0,-2.0"},
                                           {"\"state\":[2.0,0.0", "\"state\":[2.0,0.5"},
                                           {"\"name\":\"contact\"", "\"name\":\"contract\""}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    char *damaged = replaced(text, changes[i][0], changes[i][1]);
    fcps_json *parsed = NULL;
    fcps_model *read = NULL;
    fcps_error error;
    assert_ok(fcps_json_read(&parsed, damaged, strlen(damaged), "damaged", &error));
    assert_int_equal(fcps_model_read(&read, &problem, parsed, &error), FCPS_ERR_FORMAT);
    fcps_json_destroy(parsed);
    free(damaged);
  }
  free(text);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(throws_that_stay_in_the_hand_rest),
      cmocka_unit_test(outcomes_of_other_kinds_do_not_rest),
      cmocka_unit_test(repeated_trials_do_not_rest),
      cmocka_unit_test(noise_beside_a_rest_is_that_of_what_moved),
      cmocka_unit_test(a_reward_is_that_of_a_mixture_of_what_moves_and_what_rests),
      cmocka_unit_test(the_chance_is_learnt_from_where_throws_left_the_hand),
      cmocka_unit_test(gradients_agree_with_differences),
      cmocka_unit_test(results_are_foreseen_by_others),
      cmocka_unit_test(a_belief_counts_from_the_fit_that_brings_it),
      cmocka_unit_test(nobody_answers_without_the_rest),
      cmocka_unit_test(the_rest_is_that_of_most_results),
      cmocka_unit_test(a_saved_model_goes_on),
      cmocka_unit_test(rows_that_are_taken_back_are_not_remembered),
      cmocka_unit_test(damaged_contact_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
