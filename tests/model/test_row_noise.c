/* SPDX-License-Identifier: Apache-2.0 */
/* The noise of single rows: a sum over sources that know nothing of each other. */
#include "check.h"
#include "model/model.h"
#include "model/save.h"
#include "usual_prior.h"

#include <string.h>

static const fcps_dimension lever[] = {{.name = "lever", .lower = 0, .upper = 1}};
static const fcps_dimension height[] = {{.name = "height"}};
static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = outcomes[i];
  return FCPS_OK;
}

static const fcps_problem lifting = {.parameters = {1, lever}, .outcome = {1, height}, .reward = reward};

/* A model of `count` trials on a line, factorized. */
static fcps_model *train(int count)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                                        .prior = USUAL_PRIOR(0.8),
                                        .fit = {.starts = 1, .budget = 5}};
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &lifting, &settings));
  for (int i = 0; i < count; i++) {
    const double x = (i + 0.5) / count, outcome = 2 * x;
    const fcps_rollout rollout = {.parameters = &x, .outcome = &outcome};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

static void add(fcps_model *model, double x)
{
  const fcps_rollout rollout = {.parameters = &x, .outcome = &x};
  assert_ok(fcps_model_add(model, &rollout));
}

static void the_noise_of_a_row_is_the_sum_of_what_its_sources_say(void **state)
{
  (void)state;
  fcps_model *model = train(3);
  const double inexact[] = {0.1, 0.2, 0.3}, suspect[] = {0.0, 9.0};
  assert_ok(fcps_row_noise_set(model, FCPS_NOISE_INPUT, 0, 3, inexact, 0.25));
  assert_ok(fcps_row_noise_set(model, FCPS_NOISE_SUSPECT, 0, 2, suspect, 0.0));
  const double expected[] = {0.1, 9.2, 0.3};
  for (int i = 0; i < 3; i++)
    assert_near(model->gp->noise[i], expected[i], 1e-15);
  assert_near(model->gp->usual_noise, 0.25, 0);
  /* a source that says less takes nothing from the others */
  const double cleared[] = {0.0, 0.0};
  assert_ok(fcps_row_noise_set(model, FCPS_NOISE_SUSPECT, 0, 2, cleared, 0.0));
  for (int i = 0; i < 3; i++)
    assert_near(model->gp->noise[i], inexact[i], 0);
  double others[3] = {1, 1, 1};
  fcps_row_noise_add_others(model, FCPS_NOISE_SUSPECT, 0, 3, others);
  assert_near(others[2], 1.3, 1e-15);
  fcps_model_destroy(model);
}

static void rows_to_come_have_the_usual_noise_until_their_source_knows_them(void **state)
{
  (void)state;
  fcps_model *model = train(2);
  const double first[] = {0.1, 0.2, 5.0};
  assert_ok(fcps_row_noise_set(model, FCPS_NOISE_INPUT, 0, 2, first, 0.15));
  assert_ok(fcps_model_refresh(model));
  add(model, 0.5);
  assert_near(model->gp->noise[2], 0.15, 0);
  assert_int_equal(model->gp->factored, 2);
  /* the factor of the rows that keep their noise stays */
  assert_ok(fcps_row_noise_set(model, FCPS_NOISE_INPUT, 0, 3, first, 0.15));
  assert_near(model->gp->noise[2], 5.0, 0);
  assert_int_equal(model->gp->factored, 2);
  assert_ok(fcps_model_refresh(model));
  const double changed[] = {0.1, 0.3, 5.0};
  assert_ok(fcps_row_noise_set(model, FCPS_NOISE_INPUT, 0, 3, changed, 0.15));
  assert_int_equal(model->gp->factored, 0);
  /* what is taken back is forgotten */
  fcps_model_truncate(model, (fcps_model_size){.training = 2});
  assert_int_equal(fcps_row_noise_known(model, FCPS_NOISE_INPUT, 0), 2);
  add(model, 0.7);
  assert_near(model->gp->noise[2], 0.15, 0);
  fcps_model_destroy(model);
}

static void copies_and_saved_models_have_the_same_noise(void **state)
{
  (void)state;
  fcps_model *model = train(4), *copy = NULL, *loaded = NULL;
  const double suspect[] = {0.0, 9.0, 0.0, 1.0 / 3.0};
  assert_ok(fcps_row_noise_set(model, FCPS_NOISE_SUSPECT, 0, 4, suspect, 0.0));
  assert_ok(fcps_model_refresh(model));
  fcps_json *json = fcps_model_write(model);
  assert_non_null(json);
  assert_ok(fcps_model_copy(model, &lifting, &copy));
  for (int i = 0; i < 4; i++) {
    assert_true(copy->gp->noise[i] == suspect[i]);
    assert_true(fcps_row_noise_at(copy, FCPS_NOISE_SUSPECT, 0, i) == suspect[i]);
  }
  assert_ok(fcps_model_read(&loaded, &lifting, json, NULL));
  for (int j = 0; j < 4; j++)
    for (int i = j; i < 4; i++)
      assert_true(loaded->gp->factor[j * loaded->gp->capacity + i] == model->gp->factor[j * model->gp->capacity + i]);
  fcps_json_destroy(json);
  fcps_model_destroy(loaded);
  fcps_model_destroy(copy);
  fcps_model_destroy(model);
}

static void a_saved_model_with_impossible_noise_is_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {"{\"suspect\": [[0, [-1]]]}", "{\"suspect\": [[-1, []]]}",
                                      "{\"suspect\": [[0, [1, 2, 3]]]}", "{\"suspect\": []}", "{\"suspect\": [[0]]}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fcps_model *model = train(2);
    fcps_json *json = NULL;
    assert_ok(fcps_json_read(&json, texts[i], strlen(texts[i]), "text", NULL));
    assert_int_equal(fcps_row_noise_read(model, json), FCPS_ERR_FORMAT);
    fcps_json_destroy(json);
    fcps_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_noise_of_a_row_is_the_sum_of_what_its_sources_say),
      cmocka_unit_test(rows_to_come_have_the_usual_noise_until_their_source_knows_them),
      cmocka_unit_test(copies_and_saved_models_have_the_same_noise),
      cmocka_unit_test(a_saved_model_with_impossible_noise_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
