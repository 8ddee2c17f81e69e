/* SPDX-License-Identifier: Apache-2.0 */
/* Random sequences of calls to models, in a world with something for every structure. A saved or copied model
 * continues with the bits of the original. */
#include "base/rng.h"
#include "check.h"
#include "model/beliefs.h"
#include "model/leave_one_out.h"
#include "model/model.h"
#include "model/surprises.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <stdlib.h>
#include <string.h>

/* -- Worlds -- */

/* What is in a world, as flags. */
enum {
  TURNS = 1,
  WEARS = 2,
  RESTS = 4,
  SLIPS = 8,
  SLIPS_OF_THE_PEN = 16,
  TELLS = 32,
  FAILS = 64,
  REPEATS = 128,
  WORLDS = 256
};

static const double target[2] = {0.5, -0.6}, calm[1] = {0.1};

static void happen(int world, int trial, const double *wind, const double *p, fcps_rng *rng, double *outcome)
{
  const double deviation = (world & SLIPS) ? 0.005 * pow(100.0, p[1] / 1.5) : 0.02;
  const double share = (world & WEARS) ? 1.0 - 0.005 * trial : 1.0;
  if (world & TURNS) {
    toy_throw(wind, p, outcome);
  } else {
    outcome[0] = 2.0 + sin(p[0]) + 0.5 * p[1] + wind[0];
    outcome[1] = 1.0 + p[1] * p[1];
  }
  for (int o = 0; o < 2; o++)
    outcome[o] = share * outcome[o] + deviation * fcps_rng_normal(rng);
  if ((world & RESTS) && p[1] < 0.5 + 0.2 * cos(p[0])) {
    outcome[0] = wind[0];
    outcome[1] = 0.25;
  }
  if ((world & SLIPS_OF_THE_PEN) && trial % 17 == 11) outcome[0] *= 100.0;
}

static void add_trial(fcps_model *model, int world, int trial)
{
  fcps_rng rng = fcps_rng_stream(1 + (uint64_t)world, FCPS_PURPOSE_TEST,
                                 (uint64_t)((world & REPEATS) && trial % 4 == 3 ? trial - 1 : trial));
  double x[3], wind[1], parameters[2], outcome[2];
  const double told[2] = {0.02, 0.02};
  fcps_rng_uniforms(&rng, 3, x);
  fcps_space_from_unit(&model->problem->environment, x, wind);
  fcps_space_from_unit(&model->problem->parameters, x + 1, parameters);
  if (trial % 4 == 3)
    rng = fcps_rng_stream(1000, FCPS_PURPOSE_TEST, (uint64_t)trial); /* the same sequence again ends in another way */
  happen(world, trial, wind, parameters, &rng, outcome);
  const fcps_rollout rollout = {.target = target,
                                .environment = wind,
                                .parameters = parameters,
                                .outcome = (world & FAILS) && trial % 7 == 5 ? NULL : outcome,
                                .outcome_deviation = (world & TELLS) && trial % 3 > 0 ? told : NULL,
                                .reward = NAN,
                                .hindsight_reward = NAN};
  assert_ok(fcps_model_add(model, &rollout));
}

/* -- Models -- */

static fcps_model *create(const fcps_problem *problem, int world)
{
  fcps_model_settings settings = {.kernel = world % 3 == 0 ? &fcps_kernel_matern52 : &fcps_kernel_se,
                                  .circular = true,
                                  .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_METRIC},
                                  .prior = USUAL_PRIOR(0.4),
                                  .fit = {.starts = 3, .budget = 20}};
  fcps_structure_settings *s = &settings.structures;
  s->frame = s->drift = s->contact = s->separate = s->uneven_noise = s->doubts = FCPS_STRUCTURE_AUTO;
  if (world % 11 == 4) s->inexact = FCPS_INPUT_NOISE_LEARNT;
  if (world % 13 == 5) settings.fit.samples = 3;
  if (world % 17 == 6) settings.may_split = true;
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  return model;
}

static void fit(fcps_model *model)
{
  fcps_fit_result result;
  const fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_FIT, (uint64_t)model->training.count);
  if (model->training.count == 0) return;
  assert_ok(fcps_model_fit(model, 1, target, rng, &result, NULL));
}

/* Answers to all sorts of questions. */
enum { ANSWERS = 24 };
static void ask(const fcps_model *model, double *answers)
{
  fcps_posterior *posterior = NULL;
  double points[6] = {0.1, 0.2, 0.55, 0.9, 0.8, 0.4}, normals[6] = {0.3, -1.1, 0.7, 0.2, 0.5, -0.2};
  memset(answers, 0, ANSWERS * sizeof *answers);
  assert_ok(fcps_posterior_create(&posterior, model, target, calm, NULL));
  fcps_posterior_moments(posterior, 3, points, answers, answers + 3);
  fcps_posterior_gradient(posterior, points + 2, answers + 6, answers + 7, answers + 8, answers + 10);
  assert_true(fcps_posterior_outcome(posterior, points + 4, answers + 12, answers + 14));
  assert_ok(fcps_posterior_draw(posterior, 3, points, normals, answers + 16));
  fcps_posterior_set_view(posterior, (fcps_penalty_view){.is_sober = true, .is_mixture = true});
  fcps_posterior_moments(posterior, 1, points, answers + 19, answers + 20);
  assert_ok(fcps_posterior_failure(posterior));
  fcps_posterior_destroy(posterior);
  for (int i = 0; i < ANSWERS; i++)
    assert_true(isfinite(answers[i]));
}

static void check_same(const fcps_model *a, const fcps_model *b, int world, const char *what)
{
  double ours[ANSWERS], theirs[ANSWERS];
  ask(a, ours);
  ask(b, theirs);
  for (int i = 0; i < ANSWERS; i++)
    if (ours[i] != theirs[i])
      fail_msg("world %d, %d rows: answer %d of the %s: %.17g instead of %.17g", world, a->training.count, i, what,
               theirs[i], ours[i]);
}

/* Calls that only read change nothing. */
static void look(fcps_model *model)
{
  fcps_model_left_out left = {0};
  fcps_surprises found = {0};
  double widening[FCPS_SPACE_MAX];
  int hidden;
  bool is_surprised;
  const double parameters[2] = {2.0, 0.9};
  if (model->training.count < 3) return;
  assert_ok(fcps_model_leave_one_out(model, &left, NULL));
  fcps_model_left_out_destroy(&left);
  assert_ok(fcps_model_find_surprises(model, &found, NULL));
  fcps_surprises_destroy(&found);
  assert_ok(fcps_model_count_hidden(model, &hidden, NULL));
  assert_ok(fcps_model_is_surprised(model, &is_surprised, NULL));
  assert_ok(fcps_model_widening(model, widening, NULL));
  assert_true(widening[0] >= 1.0 && fcps_model_design_places(model, 10) <= 10);
  for (int i = 0; fcps_structure_kind_at(i) != NULL; i++)
    words_of(model, fcps_structure_kind_at(i)->name);
  fcps_model_add_pending(model, target, calm, parameters);
  fcps_model_add_pending(model, target, calm, parameters);
  double answers[ANSWERS];
  ask(model, answers);
  fcps_model_clear_pending(model);
}

/* A model of the same rollouts that reads the state, as a learner that is resumed does. */
static fcps_model *resume(const fcps_model *model, int world)
{
  fcps_model *resumed = create(model->problem, world);
  fcps_error error;
  for (int i = 0, other = 0; i <= model->training.count; i++) {
    for (; other < model->others.count && model->told_before[other] == i; other++) {
      const fcps_rollout rollout = fcps_rollouts_at(&model->others, other);
      assert_ok(fcps_model_add(resumed, &rollout));
    }
    if (i == model->training.count) break;
    const fcps_rollout rollout = fcps_rollouts_at(&model->training, i);
    assert_ok(fcps_model_add(resumed, &rollout));
  }
  fcps_json *json = fcps_model_write_state(model);
  if (fcps_model_read_state(resumed, json, &error) != FCPS_OK)
    fail_msg("world %d, %d rows: %s: %s", world, model->training.count, error.field, error.message);
  fcps_json_destroy(json);
  return resumed;
}

static void check_world(int world, int trials, int *believed)
{
  const fcps_problem problem = toy_problem();
  fcps_model *models[3] = {create(&problem, world), create(&problem, world), create(&problem, world)};
  fcps_rng rng = fcps_rng_stream(2000 + (uint64_t)world, FCPS_PURPOSE_TEST, 0);
  for (int trial = 0; trial < trials; trial++) {
    double u[5];
    fcps_rng_uniforms(&rng, 5, u);
    for (int k = 0; k < 3; k++) {
      add_trial(models[k], world, trial);
      if (u[0] < 0.3) fit(models[k]);
      assert_ok(fcps_model_refresh(models[k]));
      if (u[1] < 0.1) assert_ok(fcps_model_review(models[k], NULL));
      assert_ok(fcps_model_refresh(models[k]));
    }
    if (u[2] < 0.15) look(models[0]);
    assert_ok(fcps_model_refresh(models[0]));
    if (u[3] < 0.2) {
      fcps_model *copy = NULL, *resumed = resume(models[2], world);
      assert_ok(fcps_model_copy(models[1], &problem, &copy));
      fcps_model_destroy(models[1]);
      fcps_model_destroy(models[2]);
      models[1] = copy;
      models[2] = resumed;
      assert_ok(fcps_model_refresh(copy));
      assert_ok(fcps_model_refresh(resumed));
    }
    for (int k = 0; k < 3 && u[4] < 0.1; k++) { /* a rollout that could not be told completely is taken back */
      const fcps_model_size size = fcps_model_size_of(models[k]);
      add_trial(models[k], world, trial + 1000);
      add_trial(models[k], world, trial + 1001);
      fcps_model_truncate(models[k], size);
      assert_ok(fcps_model_refresh(models[k]));
    }
    if (models[0]->training.count == 0) continue;
    check_same(models[0], models[1], world, "copy");
    check_same(models[0], models[2], world, "resumed one");
  }
  for (int i = 0; fcps_structure_kind_at(i) != NULL; i++)
    believed[i] += fcps_description_has(&models[0]->description, i);
  for (int k = 0; k < 3; k++)
    fcps_model_destroy(models[k]);
}

static void saved_and_copied_models_go_on_alike(void **state)
{
  (void)state;
  const bool is_long = getenv("FCPS_TEST_LONG") != NULL;
  int believed[FCPS_STRUCTURES] = {0};
  for (int world = 0; world < WORLDS; world += is_long ? 1 : 7)
    check_world(world, is_long ? 60 : 34, believed);
  for (int i = 0; fcps_structure_kind_at(i) != NULL; i++)
    print_message("# %s: believed in %d worlds\n", fcps_structure_kind_at(i)->name, believed[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(saved_and_copied_models_go_on_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
