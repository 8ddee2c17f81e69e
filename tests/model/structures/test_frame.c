/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: the angle and stroke of the hand send an object from its place to another. Turning rows and back,
 * gradients, and the same answers as a model without a frame on rows and outcomes turned by hand. */
#include "base/memory.h"
#include "base/rng.h"
#include "check.h"
#include "model/beliefs.h"
#include "model/leave_one_out.h"
#include "model/posterior/posterior_ops.h"
#include "model/structures/frame.h"
#include "search/batch.h"
#include "space/space.h"
#include "usual_prior.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

/* -- The problem -- */

enum { E = 3, P = 4, Q = 3 };

static const fcps_dimension targets[] = {{"x", -3, 3, 0, .unit = "m"}, {"y", -3, 3, 0, .unit = "m"}};
static const fcps_dimension environments[] = {
    {"spot_x", 1, 2, 0, .unit = "m"}, {"spot_y", -1, 1, 0, .unit = "m"}, {"mass", 1, 3, 0, .unit = "kg"}};
static const fcps_dimension parameters[] = {{"angle", 30, 390, 360, .unit = "deg"},
                                            {"hand_x", -1, 1, 0, .unit = "m"},
                                            {"hand_y", -0.5, 0.5, 0, .unit = "m"},
                                            {"power", 0, 1, 0, .unit = NULL}};
static const fcps_dimension outcomes[] = {
    {"end_x", 0, 0, 0, .unit = "m"}, {"end_y", 0, 0, 0, .unit = "m"}, {"height", 0, 0, 0, .unit = "m"}};

static fcps_status reward(void *user, int count, const double *target, const double *environment,
                          const double *parameter, const double *outcome, const bool *present, double *rewards)
{
  (void)user;
  (void)environment;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i]
                     ? -hypot(target[0] - outcome[Q * i], target[1] - outcome[Q * i + 1]) - 0.1 * parameter[P * i + 3]
                     : -9.0;
  return FCPS_OK;
}

static fcps_status achieved(void *user, int count, const double *environment, const double *outcome, double *target)
{
  (void)user;
  (void)environment;
  for (int i = 0; i < count; i++) {
    target[2 * i] = outcome[Q * i];
    target[2 * i + 1] = outcome[Q * i + 1];
  }
  return FCPS_OK;
}

static fcps_problem push_problem(bool is_distance)
{
  return (fcps_problem){.target = {2, targets},
                        .environment = {E, environments},
                        .parameters = {P, parameters},
                        .outcome = {Q, outcomes},
                        .reward = reward,
                        .achieved = achieved,
                        .is_distance = is_distance};
}

/* R(angle) of something that depends on power, mass and the hand as seen from the angle. */
static void push(const double *environment, const double *parameter, double *outcome)
{
  const double c = cos(parameter[0] * pi / 180), s = sin(parameter[0] * pi / 180);
  const double along = c * parameter[1] + s * parameter[2], across = c * parameter[2] - s * parameter[1];
  const double x = parameter[3] + 0.5 * along * parameter[3], y = 0.3 * across / environment[2];
  outcome[0] = environment[0] + c * x - s * y;
  outcome[1] = environment[1] + s * x + c * y;
  outcome[2] = 0.2 * parameter[3];
}

/* -- Its frames -- */

static const char nothing_turns[] = "";

/* The frames that a model may have, none first. */
typedef struct frames {
  int count;
  fcps_frame frame[1 + FCPS_PROPOSALS];
  char words[1 + FCPS_PROPOSALS][FCPS_FRAME_WORDS];
} frames;

static frames list_frames(const fcps_model *model)
{
  fcps_look parent, look = fcps_model_look(model, &parent, NULL);
  fcps_structure proposals[FCPS_PROPOSALS] = {{0}};
  const fcps_structure_kind *kind = fcps_structure_kind_at(fcps_structure_find("frame"));
  frames all = {.count = 0};
  assert_ok(kind->propose(&look, proposals, &all.count));
  for (int k = 0; k < all.count; k++) {
    assert_int_equal(proposals[k].size, sizeof(fcps_frame));
    memcpy(all.frame + 1 + k, proposals[k].state, sizeof(fcps_frame));
    kind->describe(&look, proposals[k].state, FCPS_FRAME_WORDS, all.words[1 + k]);
    fcps_structure_clear(proposals + k);
  }
  all.count++;
  return all;
}

static int find_frame(const frames *all, const char *words)
{
  for (int k = 0; k < all->count; k++)
    if (strcmp(all->words[k], words) == 0) return k;
  fail_msg("no frame \"%s\"", words);
  return -1;
}

static void turn_row(const fcps_frame *frame, int count, const double *row, double *turned)
{
  memmove(turned, row, (size_t)count * sizeof *row);
  fcps_frame_turn_inputs(frame, row, turned);
}

/* -- Models -- */

static fcps_model_settings settings(bool is_separate)
{
  return (fcps_model_settings){
      .kernel = &fcps_kernel_se,
      .circular = true,
      .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = is_separate ? FCPS_SCALING_EACH : FCPS_SCALING_METRIC},
      .prior = USUAL_PRIOR(0.4),
      .fit = {.starts = 2, .budget = 25},
      .structures = {.separate = is_separate ? FCPS_STRUCTURE_ON : FCPS_STRUCTURE_OFF}};
}

static void add_pushes(fcps_model *model, uint64_t seed, int count)
{
  const fcps_problem *problem = model->problem;
  fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < count; i++) {
    double u[E + P], environment[E], parameter[P], outcome[Q], target[2] = {0, 0};
    fcps_rng_uniforms(&rng, E + P, u);
    fcps_space_from_unit(&problem->environment, u, environment);
    fcps_space_from_unit(&problem->parameters, u + E, parameter);
    push(environment, parameter, outcome);
    const fcps_rollout rollout = {.target = target,
                                  .environment = environment,
                                  .parameters = parameter,
                                  .outcome = outcome,
                                  .reward = NAN,
                                  .hindsight_reward = NAN};
    assert_ok(fcps_model_add(model, &rollout));
  }
}

/* A model with the frame of these words, factorized with hyper-parameters as they are. */
static fcps_model *make(const fcps_problem *problem, bool is_separate, const char *words, int rows)
{
  fcps_model *model = NULL;
  fcps_model_settings s = settings(is_separate);
  s.structures.frame = words[0] != '\0' ? FCPS_STRUCTURE_ON : FCPS_STRUCTURE_OFF;
  strcpy(s.structures.frame_words, words);
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &s));
  assert_string_equal(words_of(model, "frame"), words);
  add_pushes(model, 3, rows);
  assert_ok(fcps_model_refresh(model));
  return model;
}

static const char *const whole = "end_x, end_y (from spot_x, spot_y), hand_x, hand_y turn with angle";

/* -- Tests -- */

static void frames_follow_from_the_spaces(void **state)
{
  (void)state;
  const fcps_problem problem = push_problem(true);
  fcps_model *model = make(&problem, false, nothing_turns, 3);
  frames all = list_frames(model);
  /* none; with and against the angle: three sets of inputs, relative or not; and the direction of the hand */
  assert_int_equal(all.count, 1 + 2 * 3 * 2 + 2);
  find_frame(&all, "end_x, end_y turn with angle");
  find_frame(&all, whole);
  find_frame(&all, "end_x, end_y, hand_x, hand_y, spot_x, spot_y turn against angle");
  find_frame(&all, "end_x, end_y (from spot_x, spot_y), hand_x, hand_y turn with the direction of hand_x, hand_y");
  fcps_model_destroy(model);

  /* without an angle or a plane there is nothing to turn */
  const fcps_model_settings s = settings(false);
  fcps_problem flat = problem;
  flat.outcome.count = 1;
  flat.is_distance = false;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &flat, &s));
  all = list_frames(model);
  assert_int_equal(all.count, 1);
  fcps_model_destroy(model);
}

static void turning_there_and_back_is_the_identity(void **state)
{
  (void)state;
  const fcps_problem problem = push_problem(true);
  fcps_model *model = make(&problem, false, nothing_turns, 12);
  const frames all = list_frames(model);
  const int dim = fcps_model_gp(model, 0)->dim;
  double row[16], turned[16];
  for (int k = 1; k < all.count; k++)
    for (int i = 0; i < 12; i++) {
      const fcps_frame *frame = all.frame + k;
      const double *told = fcps_rollouts_outcome(&model->training, i);
      double outcome[Q] = {told[0], told[1], told[2]};
      fcps_layout_rollout(&model->layout, &model->training, i, row);
      fcps_frame_turn_outcome(frame, row, outcome);
      assert_true(fabs(outcome[0] - told[0]) > 1e-6);
      assert_near(outcome[2], told[2], 0);
      fcps_frame_unsee_outcomes(frame, NULL, row, 1, 1, outcome);
      for (int o = 0; o < Q; o++)
        assert_near(outcome[o], told[o], 1e-12);
      /* the length of a vector stays: rows are turned, not stretched */
      turn_row(frame, dim, row, turned);
      for (int v = 0; v < frame->input_count; v++) {
        const fcps_frame_vector *vector = frame->inputs + v;
        const double unit = fmax(vector->span[0], vector->span[1]);
        const double x = (row[vector->first] - vector->origin[0]) * vector->span[0];
        const double y = (row[vector->second] - vector->origin[1]) * vector->span[1];
        assert_near(unit * hypot(turned[vector->first], turned[vector->second]), hypot(x, y), 1e-12);
      }
    }
  fcps_model_destroy(model);
}

/* in the right frame the outcome does not depend on the angle */
static void what_turns_is_the_same_at_every_angle(void **state)
{
  (void)state;
  const fcps_problem problem = push_problem(true);
  fcps_model *model = make(&problem, false, nothing_turns, 1);
  const frames all = list_frames(model);
  const fcps_frame *frame = all.frame + find_frame(&all, whole);
  double first[Q] = {0}, row[16], turned[16], kept[16];
  for (int i = 0; i < 5; i++) {
    const double a = 40 + 70 * i, c = cos(a * pi / 180), s = sin(a * pi / 180);
    const double environment[E] = {1.3, 0.2, 2}, target[2] = {0, 0};
    const double parameter[P] = {a, c * 0.3 - s * 0.1, s * 0.3 + c * 0.1, 0.7};
    double outcome[Q];
    fcps_rollouts one;
    fcps_rollouts_init(&one, &problem);
    push(environment, parameter, outcome);
    const fcps_rollout rollout = {
        .target = target, .environment = environment, .parameters = parameter, .outcome = outcome};
    assert_ok(fcps_rollouts_add(&one, &rollout));
    fcps_layout_rollout(&model->layout, &one, 0, row);
    turn_row(frame, fcps_model_gp(model, 0)->dim, row, turned);
    fcps_frame_turn_outcome(frame, row, outcome);
    if (i == 0) memcpy(first, outcome, sizeof first);
    if (i == 0) memcpy(kept, turned, sizeof kept);
    for (int o = 0; o < Q; o++)
      assert_near(outcome[o], first[o], 1e-12);
    for (int d = frame->cosine + 2; d < fcps_model_gp(model, 0)->dim; d++) /* the hand and its power */
      assert_near(turned[d], kept[d], 1e-12);
    fcps_rollouts_free(&one);
  }
  fcps_model_destroy(model);
}

/* A GP by hand on rows and outcomes that were turned before it saw them. */
static void a_frame_equals_a_model_of_what_was_turned_before(void **state)
{
  (void)state;
  enum { ROWS = 20 };
  const fcps_problem problem = push_problem(true);
  fcps_model *model = make(&problem, false, nothing_turns, ROWS);
  const frames all = list_frames(model);
  for (int k = 1; k < all.count; k++) {
    const fcps_frame *frame = all.frame + k;
    fcps_model *framed = make(&problem, false, all.words[k], ROWS);
    const int dim = fcps_model_gp(framed, 0)->dim;
    fcps_gp *gp = NULL;
    fcps_gp_outputs conditioned = {0};
    fcps_gp_work work = {0};
    double row[16], y[ROWS * Q];
    assert_ok(fcps_gp_create(&gp, dim, &fcps_kernel_se));
    for (int i = 0; i < ROWS; i++) {
      const double *told = fcps_rollouts_outcome(&model->training, i);
      double outcome[Q] = {told[0], told[1], told[2]};
      fcps_layout_rollout(&model->layout, &model->training, i, row);
      fcps_frame_turn_outcome(frame, row, outcome);
      turn_row(frame, dim, row, row);
      assert_ok(fcps_gp_add(gp, row));
      for (int o = 0; o < Q; o++)
        y[o * ROWS + i] = outcome[o];
    }
    fcps_gp_set_hyper(gp, fcps_model_gp(framed, 0)->hyper);
    assert_ok(fcps_gp_factorize(gp, ROWS));
    assert_ok(fcps_gp_condition(gp, fcps_model_norm(framed), ROWS, Q, y, &conditioned));
    assert_ok(fcps_gp_work_reserve(&work, gp, 1));

    const double environment[E] = {1.6, -0.4, 1.5}, target[2] = {1, 1}, x[P] = {0.37, 0.6, 0.2, 0.8};
    double mean[Q], deviation[Q], expected[Q], variance;
    fcps_posterior *posterior = NULL;
    fcps_error error;
    assert_ok(fcps_posterior_create(&posterior, framed, target, environment, &error));
    assert_true(fcps_posterior_outcome(posterior, x, mean, deviation));
    fcps_layout_context(&framed->layout, target, environment, row);
    fcps_embed(&framed->layout.parameters, x, row + framed->layout.context.width);
    double turned[16];
    turn_row(frame, dim, row, turned);
    const fcps_gp_query query = {.count = 1, .points = turned, .mean = expected, .variance = &variance};
    fcps_gp_predict(gp, &conditioned, &query, &work);
    fcps_frame_unsee_outcomes(frame, NULL, row, 1, 1, expected);
    for (int o = 0; o < Q; o++) {
      assert_near(mean[o], expected[o], 1e-10);
      assert_near(deviation[o], conditioned.scale[o] * sqrt(variance), 1e-10);
    }
    assert_near(deviation[0], deviation[1], 1e-14); /* the same in every direction */
    fcps_posterior_destroy(posterior);
    fcps_gp_work_destroy(&work);
    fcps_gp_outputs_destroy(&conditioned);
    fcps_gp_destroy(gp);
    fcps_model_destroy(framed);
  }
  fcps_model_destroy(model);
}

static void check_gradients(fcps_model *model)
{
  const double environment[E] = {1.6, -0.4, 1.5}, target[2] = {1.9, 0.4}, h = 1e-5;
  fcps_posterior *posterior = NULL;
  fcps_error error;
  assert_ok(fcps_posterior_create(&posterior, model, target, environment, &error));
  const double places[][P] = {{0.37, 0.6, 0.2, 0.8}, {0.9, 0.1, 0.7, 0.3}, {0.02, 0.45, 0.52, 0.5}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    double mean, deviation, by_mean[P], by_deviation[P], m[2], s[2];
    fcps_posterior_gradient(posterior, places[i], &mean, &deviation, by_mean, by_deviation);
    fcps_posterior_moments(posterior, 1, places[i], m, s);
    assert_near(mean, m[0], 1e-9);
    assert_near(deviation, s[0], 1e-9);
    for (int d = 0; d < P; d++) {
      double points[2 * P];
      memcpy(points, places[i], sizeof places[i]);
      memcpy(points + P, places[i], sizeof places[i]);
      points[d] += h;
      points[P + d] -= h;
      fcps_posterior_moments(posterior, 2, points, m, s);
      assert_near(by_mean[d], (m[0] - m[1]) / (2 * h), 2e-4);
      assert_near(by_deviation[d], (s[0] - s[1]) / (2 * h), 2e-4);
    }
  }
  fcps_posterior_destroy(posterior);
}

static void gradients_agree_with_differences_in_every_frame(void **state)
{
  (void)state;
  for (int is_separate = 0; is_separate < 2; is_separate++)
    for (int is_distance = 0; is_distance < 2; is_distance++) {
      const fcps_problem problem = push_problem(is_distance);
      fcps_model *model = make(&problem, is_separate, nothing_turns, 18);
      const frames all = list_frames(model);
      fcps_model_destroy(model);
      for (int k = 0; k < all.count; k++) {
        model = make(&problem, is_separate, all.words[k], 18);
        for (int g = 0; g < fcps_model_gp_count(model); g++) {
          double hyper[16];
          memcpy(hyper, fcps_model_gp(model, g)->hyper,
                 sizeof(double) * (size_t)FCPS_HYPER_COUNT(fcps_model_gp(model, 0)->dim));
          hyper[0] += 0.3 * g; /* GPs that differ */
          fcps_gp_set_hyper(fcps_model_gp(model, g), hyper);
        }
        assert_ok(fcps_model_refresh(model));
        check_gradients(model);
        fcps_model_destroy(model);
      }
    }
}

/* with a GP per output, the spread of many draws in the user's frame is what is predicted */
static void variances_of_separate_outputs_turn(void **state)
{
  (void)state;
  enum { DRAWS = 4000 };
  const fcps_problem problem = push_problem(true);
  fcps_model *model = make(&problem, true, whole, 10);
  double hyper[16];
  memcpy(hyper, fcps_model_gp(model, 1)->hyper,
         sizeof(double) * (size_t)FCPS_HYPER_COUNT(fcps_model_gp(model, 0)->dim));
  hyper[fcps_model_gp(model, 0)->dim] += 2.0; /* the second output is much less certain */
  fcps_gp_set_hyper(fcps_model_gp(model, 1), hyper);
  assert_ok(fcps_model_refresh(model));
  const double environment[E] = {1.6, -0.4, 1.5}, target[2] = {1, 1}, x[P] = {0.37, 0.6, 0.2, 0.8};
  double mean[Q], deviation[Q], sums[2] = {0}, normals[Q], row[Q];
  fcps_posterior *posterior = NULL;
  fcps_error error;
  fcps_output_posterior outputs;
  assert_ok(fcps_posterior_create(&posterior, model, target, environment, &error));
  assert_true(fcps_posterior_outcome(posterior, x, mean, deviation));
  assert_ok(fcps_output_posterior_create(&outputs, model, target, environment, &error));
  fcps_rng rng = fcps_rng_stream(8, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < DRAWS; i++) {
    fcps_rng_normals(&rng, Q, normals);
    assert_ok(fcps_output_posterior_draw(&outputs, 1, x, normals, row));
    for (int o = 0; o < 2; o++)
      sums[o] += (row[o] - mean[o]) * (row[o] - mean[o]) / DRAWS;
  }
  for (int o = 0; o < 2; o++)
    assert_near(sqrt(sums[o]) / deviation[o], 1.0, 0.05);
  assert_true(fabs(deviation[0] - deviation[1]) > 0.2);
  fcps_output_posterior_destroy(&outputs);
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

/* many contexts at once, in one environment and in many, and alone */
static void batches_answer_as_single_questions_do(void **state)
{
  (void)state;
  enum { CONTEXTS = 24, CANDIDATES = 300 };
  const fcps_problem problem = push_problem(true);
  fcps_model *model = make(&problem, false, nothing_turns, 30);
  const frames all = list_frames(model);
  fcps_model_destroy(model);
  const fcps_search_settings search = {
      .kind = FCPS_SEARCH_MULTISTART, .candidates = CANDIDATES, .starts = 3, .local_budget = 40};
  for (int k = 0; k < all.count; k++)
    for (int is_one = 0; is_one < 2; is_one++) {
      model = make(&problem, false, all.words[k], 30);
      double candidates[CANDIDATES * P], goals[CONTEXTS * 2], places[CONTEXTS * E], best[CONTEXTS * P];
      double rewards[CONTEXTS], deviations[CONTEXTS];
      fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
      fcps_rng_uniforms(&rng, CANDIDATES * P, candidates);
      for (int i = 0; i < CONTEXTS; i++) {
        double u[E + 2];
        fcps_rng_uniforms(&rng, E + 2, u);
        fcps_space_from_unit(&problem.environment, u, places + i * E);
        fcps_space_from_unit(&problem.target, u + E, goals + i * 2);
        if (is_one) memcpy(places + i * E, places, E * sizeof(double));
      }
      fcps_batch *batch = NULL;
      fcps_error error;
      assert_ok(fcps_batch_create(&batch, model, CANDIDATES, candidates, &error));
      for (int done = 0, taken; done < CONTEXTS; done += taken) {
        assert_ok(fcps_batch_set_contexts(batch, CONTEXTS - done, goals + done * 2, places + done * E, &taken));
        assert_true(fcps_batch_can_maximize(batch));
        assert_ok(fcps_batch_maximize(batch, &search, best + done * P));
        assert_ok(fcps_batch_predict(batch, best + done * P, rewards + done, deviations + done));
      }
      for (int i = 0; i < CONTEXTS; i += 5) {
        fcps_posterior *posterior = NULL;
        double mean, deviation, values[CANDIDATES], x[P];
        fcps_optimum optimum;
        assert_ok(fcps_posterior_create(&posterior, model, goals + i * 2, places + i * E, &error));
        fcps_posterior_moments(posterior, 1, best + i * P, &mean, &deviation);
        assert_near(rewards[i], mean, 1e-8);
        assert_near(deviations[i], deviation, 1e-8);
        fcps_posterior_moments(posterior, CANDIDATES, candidates, values, NULL);
        assert_ok(fcps_search_moments_from(posterior, &fcps_moment_objective_mean, &search,
                                           &(fcps_scored_points){CANDIDATES, candidates, values}, x, &optimum));
        assert_true(rewards[i] > optimum.value - 0.05); /* or another of two hills */
        fcps_posterior_destroy(posterior);
      }
      fcps_batch_destroy(batch);
      fcps_model_destroy(model);
    }
}

static void left_out_rows_are_predicted_in_the_users_frame(void **state)
{
  (void)state;
  const fcps_problem problem = push_problem(true);
  for (int is_separate = 0; is_separate < 2; is_separate++) {
    fcps_model *model = make(&problem, is_separate, whole, 60);
    fcps_model_left_out out;
    fcps_error error;
    double error_of_frame = 0.0;
    assert_ok(fcps_model_leave_one_out(model, &out, &error));
    for (int i = 0; i < out.rows; i++)
      for (int o = 0; o < Q; o++) {
        assert_near(out.told[i * Q + o], fcps_rollouts_outcome(&model->training, i)[o], 1e-12);
        error_of_frame += fabs(out.mean[i * Q + o] - out.told[i * Q + o]) / (out.rows * Q);
      }
    assert_true(error_of_frame < 0.1); /* outcomes lie 2 m apart */
    fcps_model_left_out_destroy(&out);
    fcps_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_follow_from_the_spaces),
      cmocka_unit_test(turning_there_and_back_is_the_identity),
      cmocka_unit_test(what_turns_is_the_same_at_every_angle),
      cmocka_unit_test(a_frame_equals_a_model_of_what_was_turned_before),
      cmocka_unit_test(gradients_agree_with_differences_in_every_frame),
      cmocka_unit_test(variances_of_separate_outputs_turn),
      cmocka_unit_test(batches_answer_as_single_questions_do),
      cmocka_unit_test(left_out_rows_are_predicted_in_the_users_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
