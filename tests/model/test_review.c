/* SPDX-License-Identifier: Apache-2.0 */
/* Which structures a model believes, for example frames: throws that turn, turn backwards, turn around another place,
 * or do not turn at all. And when a review is made, what it remembers, and how it is saved. */
#include "base/memory.h"
#include "base/rng.h"
#include "check.h"
#include "model/beliefs.h"
#include "model/model.h"
#include "model/structures/frame.h"
#include "model/surprises.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <stdlib.h>
#include <string.h>

/* -- Throws -- */

typedef void throw_fn(const double *parameters, double *outcome);

static void turning(const double *p, double *o)
{
  o[0] = p[1] * cos(p[0]);
  o[1] = p[1] * sin(p[0]);
}
static void backwards(const double *p, double *o)
{
  o[0] = p[1] * cos(p[0]);
  o[1] = -p[1] * sin(p[0]);
}
static void straight(const double *p, double *o)
{
  o[0] = p[1];
  o[1] = 0.5 * p[1] * p[1];
}
static void sliding(const double *p, double *o)
{
  o[0] = p[1] + 0.6 * cos(p[0]);
  o[1] = 0.4 * p[1] + 0.3 * sin(p[0]);
}

static fcps_model_settings settings(void)
{
  return (fcps_model_settings){.kernel = &fcps_kernel_se,
                               .circular = true,
                               .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_METRIC},
                               .prior = USUAL_PRIOR(0.4),
                               .fit = {.starts = 2, .budget = 25},
                               .structures = {.frame = FCPS_STRUCTURE_AUTO, .doubts = FCPS_STRUCTURE_AUTO}};
}

static fcps_problem distance_problem(void)
{
  fcps_problem problem = toy_problem();
  problem.is_distance = true;
  return problem;
}

static fcps_model *create(const fcps_problem *problem)
{
  fcps_model *model = NULL;
  const fcps_model_settings s = settings();
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &s));
  return model;
}

/* Throws number `first` ... `last` - 1 of a seed. */
static void add(fcps_model *model, throw_fn *throw_at, uint64_t seed, int first, int last)
{
  for (int i = first; i < last; i++) {
    fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, (uint64_t)i);
    double x[2], parameters[2], outcome[2], wind[1] = {0}, target[2] = {0, 0};
    fcps_rng_uniforms(&rng, 2, x);
    fcps_space_from_unit(&model->problem->parameters, x, parameters);
    throw_at(parameters, outcome);
    for (int o = 0; o < 2; o++)
      outcome[o] += 0.01 * fcps_rng_normal(&rng);
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
  const double target[2] = {0, 0};
  fcps_fit_result result;
  fcps_error error;
  assert_ok(fcps_model_fit(model, 1, target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &result, &error));
  assert_ok(fcps_model_refresh(model));
}

static const char *words(const fcps_model *model)
{
  return believes(model, "frame") ? words_of(model, "frame") : "nothing turns";
}

/* By how much the present frame, or no frame, is better than all others. */
static double lead(fcps_model *model)
{
  const fcps_contest *c = contest_of(model, "frame");
  double least = INFINITY;
  for (int k = 0; k < c->count; k++)
    if (k != c->active) least = fmin(least, c->candidates[c->active].nats - c->candidates[k].nats);
  return least;
}

/* In how many of 20 seeds these words are believed after `rows` rows, fitted row by row. */
static int count_believers(throw_fn *throw_at, int rows, const char *expected)
{
  int count = 0;
  const fcps_problem problem = distance_problem();
  for (uint64_t seed = 1; seed <= 20; seed++) {
    fcps_model *model = create(&problem);
    for (int i = 0; i < rows; i++) {
      add(model, throw_at, seed, i, i + 1);
      fit(model);
    }
    count += strcmp(words(model), expected) == 0;
    fcps_model_destroy(model);
  }
  return count;
}

/* -- Tests -- */

static void frames_are_believed_where_outcomes_turn_and_only_there(void **state)
{
  (void)state;
  const char *with = "land_x, land_y turn with angle", *against = "land_x, land_y turn against angle";
  const int counts[] = {count_believers(turning, 3, with),
                        count_believers(turning, 6, with),
                        count_believers(backwards, 3, against),
                        count_believers(backwards, 6, against),
                        count_believers(straight, 3, "nothing turns"),
                        count_believers(straight, 6, "nothing turns"),
                        count_believers(sliding, 6, "nothing turns"),
                        count_believers(sliding, 12, "nothing turns")};
  print_message("# of 20: turning %d %d, backwards %d %d, straight %d %d, sliding %d %d\n", counts[0], counts[1],
                counts[2], counts[3], counts[4], counts[5], counts[6], counts[7]);
  assert_true(counts[0] >= 18 && counts[1] == 20);
  assert_true(counts[2] >= 18 && counts[3] == 20);
  assert_true(counts[4] == 20 && counts[5] == 20);
  assert_true(counts[6] >= 19 && counts[7] == 20);
}

/* throws turn at first, and later something stands in their way: the belief ends, and the model remembers that */
static fcps_status miss_on_the_ground(void *user, int count, const double *target, const double *environments,
                                      const double *parameters, const double *outcomes, const bool *present,
                                      double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -hypot(outcomes[3 * i] - target[0], outcomes[3 * i + 1] - target[1]);
  return FCPS_OK;
}

/* The height of a puck on a table: nearly constant, and its small variations depend wildly on the throw. */
static void add_with_height(fcps_model *model, int rows)
{
  for (int i = 0; i < rows; i++) {
    fcps_rng rng = fcps_rng_stream(1001, FCPS_PURPOSE_TEST, (uint64_t)i);
    double x[2], parameters[2], outcome[3], wind[1] = {0}, target[2] = {0, 0};
    fcps_rng_uniforms(&rng, 2, x);
    fcps_space_from_unit(&model->problem->parameters, x, parameters);
    turning(parameters, outcome);
    outcome[2] = 1e-4 + 1e-6 * sin(40 * parameters[0]) * parameters[1];
    const fcps_rollout rollout = {
        .target = target, .environment = wind, .parameters = parameters, .outcome = outcome, .reward = NAN};
    assert_ok(fcps_model_add(model, &rollout));
  }
}

static void an_outcome_that_does_not_turn_has_no_say(void **state)
{
  (void)state;
  enum { ROWS = 40 };
  const fcps_dimension outcome[] = {toy_outcome[0], toy_outcome[1], {.name = "height", .unit = toy_outcome[0].unit}};
  fcps_problem two = toy_problem(), three = toy_problem();
  two.achieved = three.achieved = NULL;
  three.outcome = (fcps_space){3, outcome};
  three.reward = miss_on_the_ground;
  fcps_model *with = create(&three), *without = create(&two);
  add_with_height(with, ROWS);
  add_with_height(without, ROWS); /* takes the first two numbers */
  fit(with);
  fit(without);
  assert_string_equal(words(with), "land_x, land_y turn with angle");
  const fcps_contest *a = contest_of(with, "frame"), *b = contest_of(without, "frame");
  assert_int_equal(a->count, b->count);
  for (int k = 0; k < a->count; k++)
    assert_near(a->candidates[k].nats, b->candidates[k].nats, 1e-4); /* fits begin where a GP of all outcomes is */
  fcps_model_destroy(with);
  fcps_model_destroy(without);
}

static void a_frame_that_does_not_hold_is_left(void **state)
{
  (void)state;
  const fcps_problem problem = distance_problem();
  fcps_model *model = create(&problem);
  add(model, turning, 3, 0, 5);
  fit(model);
  assert_string_equal(words(model), "land_x, land_y turn with angle");
  assert_true(log_odds(model, "frame") > 3);
  for (int rows = 10; rows <= 60 && believes(model, "frame"); rows += 5) {
    add(model, straight, 4, rows - 5, rows);
    fit(model);
  }
  assert_string_equal(words(model), "nothing turns");
  const fcps_contest *c = contest_of(model, "frame");
  assert_int_equal(c->active, 0);
  assert_near(log_odds(model, "frame"), 0, 0);
  fcps_model_destroy(model);
}

static void check_same(const fcps_model *a, const fcps_model *b)
{
  const double target[2] = {0.4, -0.7}, wind[1] = {0.1};
  for (int i = 0; i < 20; i++) {
    const double x[2] = {i / 20.0, fmod(0.37 * i, 1.0)};
    double means[2], deviations[2];
    const fcps_model *models[2] = {a, b};
    for (int k = 0; k < 2; k++) {
      fcps_posterior *posterior = NULL;
      fcps_error error;
      assert_ok(fcps_posterior_create(&posterior, models[k], target, wind, &error));
      fcps_posterior_moments(posterior, 1, x, means + k, deviations + k);
      fcps_posterior_destroy(posterior);
    }
    assert_true(means[0] == means[1] && deviations[0] == deviations[1]);
  }
}

/* a model that is saved at any time continues like one that was not saved */
static void a_saved_model_has_its_frame_and_goes_on(void **state)
{
  (void)state;
  const fcps_problem problem = distance_problem();
  for (int saved_at = 1; saved_at <= 8; saved_at++) {
    fcps_model *model = create(&problem), *copy = NULL, *loaded = NULL;
    fcps_error error;
    for (int i = 0; i < saved_at; i++) {
      add(model, turning, 5, i, i + 1);
      fit(model);
    }
    fcps_json *json = fcps_model_write(model);
    assert_ok(fcps_model_read(&loaded, &problem, json, &error));
    assert_ok(fcps_model_refresh(loaded));
    fcps_json_destroy(json);
    assert_ok(fcps_model_copy(model, &problem, &copy));
    assert_ok(fcps_model_refresh(copy));
    assert_string_equal(words(loaded), words(model));
    check_same(model, loaded);
    check_same(model, copy);
    loaded->settings = model->settings; /* a saved model is a policy's, and is not fitted again */
    for (int i = saved_at; i < 10; i++) {
      fcps_model *const models[] = {model, copy, loaded};
      for (int k = 0; k < 3; k++) {
        add(models[k], turning, 5, i, i + 1);
        fit(models[k]);
      }
    }
    check_same(model, copy);
    check_same(model, loaded);
    fcps_model_destroy(loaded);
    fcps_model_destroy(copy);
    fcps_model_destroy(model);
  }
}

/* a model that takes rows back looks again when there are others */
static void rows_that_are_taken_back_are_not_remembered(void **state)
{
  (void)state;
  const fcps_problem problem = distance_problem();
  fcps_model *model = create(&problem);
  add(model, turning, 5, 0, 6);
  fit(model);
  fcps_model_truncate(model, (fcps_model_size){.training = 4});
  assert_int_equal(contest_of(model, "frame")->looked, 0);
  assert_int_equal(proof_of(model, "frame"), FCPS_MODEL_SHOWN); /* nobody has declared it */
  add(model, turning, 5, 4, 5);
  fit(model);
  assert_int_equal(contest_of(model, "frame")->looked, 5);
  fcps_model_destroy(model);
}

/* except the ends of the candidates' fits, also in a model that was saved in between */
static void a_model_that_took_rows_back_is_saved(void **state)
{
  (void)state;
  const fcps_problem problem = distance_problem();
  fcps_model *models[2] = {create(&problem), create(&problem)};
  fcps_error error;
  add(models[0], sliding, 5, 0, 10);
  fit(models[0]);
  add(models[0], sliding, 5, 10, 14);
  assert_ok(fcps_model_review(models[0], &error));
  assert_int_equal(contest_of(models[0], "frame")->looked, 14);
  fcps_model_truncate(models[0], (fcps_model_size){.training = 10});
  add(models[1], sliding, 5, 0, 10);
  fcps_json *json = fcps_model_write_state(models[0]);
  assert_ok(fcps_model_read_state(models[1], json, &error));
  fcps_json_destroy(json);
  for (int k = 0; k < 2; k++) {
    add(models[k], sliding, 5, 10, 12);
    fit(models[k]);
  }
  const fcps_contest *a = contest_of(models[0], "frame"), *b = contest_of(models[1], "frame");
  assert_int_equal(a->count, b->count);
  for (int k = 0; k < a->count; k++)
    assert_true(a->candidates[k].nats == b->candidates[k].nats);
  check_same(models[0], models[1]);
  fcps_model_destroy(models[0]);
  fcps_model_destroy(models[1]);
}

/* if fifty of the rows leave no doubt, all rows say the same, and cost more */
static void fifty_rows_are_enough_where_they_leave_no_doubt(void **state)
{
  (void)state;
  enum { ROWS = 75, GLANCE = 50 };
  const fcps_problem problem = distance_problem();
  fcps_model *all = create(&problem), *glance = create(&problem);
  add(all, turning, 6, 0, ROWS);
  for (int i = 0; i < GLANCE; i++)
    add(glance, turning, 6, i * ROWS / GLANCE, i * ROWS / GLANCE + 1);
  fit(all);
  fit(glance);
  assert_string_equal(words(all), "land_x, land_y turn with angle");
  assert_int_equal(contest_of(all, "frame")->looked, ROWS);
  assert_true(log_odds(all, "frame") > 25);
  assert_near(log_odds(all, "frame"), log_odds(glance, "frame"), 0);
  fcps_model_destroy(all);
  fcps_model_destroy(glance);
}

/* from ten rows on a frame that leads clearly is looked at every five rows, one that does not at every fit */
static void a_clear_lead_is_looked_at_less_often(void **state)
{
  (void)state;
  const fcps_problem problem = distance_problem();
  fcps_model *model = create(&problem);
  for (int rows = 1; rows < 30; rows++) {
    const int before = contest_of(model, "frame")->looked;
    const bool is_clear = before > 0 && lead(model) > 25;
    add(model, turning, 7, rows - 1, rows);
    fit(model);
    assert_int_equal(contest_of(model, "frame")->looked, !is_clear || rows < 10 || rows % 5 == 0 ? rows : before);
  }
  assert_true(lead(model) > 25);
  fcps_model_destroy(model);
}

static void damaged_frames_are_refused(void **state)
{
  (void)state;
  const fcps_problem problem = distance_problem();
  fcps_model *model = create(&problem);
  add(model, turning, 5, 0, 6);
  fit(model);
  fcps_json *json = fcps_model_write(model);
  char *text = fcps_json_finish(json);
  static const char *const changes[][3] = {{"\"active\":1", "\"active\":7", "contests"},
                                           {"\"active\":1", "\"active\":-1", "contests"},
                                           {"\"looked\":6", "\"looked\":9", "contests"},
                                           {"turn with angle", "turn with engel", "structures"},
                                           {"\"name\":\"frame\"", "\"name\":\"flame\"", "structures"}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    char *damaged = fcps_copy_text(text), *place = strstr(damaged, changes[i][0]);
    assert_non_null(place);
    const size_t old = strlen(changes[i][0]), new = strlen(changes[i][1]);
    char *whole = fcps_allocate(strlen(text) + new + 1, 1);
    memcpy(whole, damaged, (size_t)(place - damaged));
    memcpy(whole + (place - damaged), changes[i][1], new);
    strcpy(whole + (place - damaged) + new, place + old);
    fcps_json *parsed = NULL;
    fcps_model *read = NULL;
    fcps_error error;
    assert_ok(fcps_json_read(&parsed, whole, strlen(whole), "damaged", &error));
    assert_int_equal(fcps_model_read(&read, &problem, parsed, &error), FCPS_ERR_FORMAT);
    assert_string_equal(error.field, changes[i][2]);
    fcps_json_destroy(parsed);
    free(whole);
    free(damaged);
  }
  free(text);
  fcps_model_destroy(model);
}

/* a declared structure is used from the first rollout on, is saved in words, and is refused if the problem cannot
 * have it */
static void a_declared_frame_is_used_without_looking(void **state)
{
  (void)state;
  const fcps_problem problem = distance_problem();
  fcps_model_settings s = settings();
  fcps_model *model = NULL, *loaded = NULL;
  fcps_error error;
  char text[256];
  s.structures.frame = FCPS_STRUCTURE_ON;
  strcpy(s.structures.frame_words, "land_x, land_y turn against angle");
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &problem, &s));
  assert_string_equal(words(model), "land_x, land_y turn against angle");
  assert_int_equal(proof_of(model, "frame"), FCPS_MODEL_DECLARED);
  add(model, straight, 3, 0, 9);
  fit(model);
  assert_string_equal(words(model), "land_x, land_y turn against angle");
  fcps_json *json = fcps_model_write(model);
  assert_ok(fcps_model_read(&loaded, &problem, json, &error));
  assert_ok(fcps_model_refresh(loaded));
  assert_string_equal(words(loaded), "land_x, land_y turn against angle");
  check_same(model, loaded);
  fcps_json_destroy(json);
  fcps_model_destroy(loaded);
  fcps_model_destroy(model);

  strcpy(s.structures.frame_words, "land_x, land_y turn with the moon");
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &problem, &s));
  assert_false(believes(model, "frame"));
  assert_string_equal(fcps_frame_list(&model->layout, sizeof text, text),
                      ", or: land_x, land_y turn with angle; land_x, land_y turn against angle");
  fcps_model_destroy(model);
}

/* a result that was written down wrongly is found in a frame as well, and is told in the user's */
static void a_suspect_is_described_in_the_users_frame(void **state)
{
  (void)state;
  const fcps_problem problem = distance_problem();
  fcps_model *model = create(&problem);
  const double target[2] = {0, 0}, wind[1] = {0}, parameters[2] = {2.0, 1.2}, outcome[2] = {-49.9, 109.1};
  const fcps_rollout wrong = {.target = target,
                              .environment = wind,
                              .parameters = parameters,
                              .outcome = outcome,
                              .reward = NAN,
                              .hindsight_reward = NAN};
  add(model, turning, 6, 0, 14);
  fit(model);
  assert_ok(fcps_model_add(model, &wrong));
  fit(model);
  fcps_surprises found = {0};
  fcps_error error;
  assert_ok(fcps_model_find_surprises(model, &found, &error));
  assert_int_equal(found.rollouts.count, 1);
  const fcps_surprise *s = fcps_surprises_of(&found, &wrong);
  assert_non_null(s);
  assert_near(s->value, outcome[s->output], 1e-9);
  assert_near(s->expected, s->output == 0 ? 1.2 * cos(2.0) : 1.2 * sin(2.0), 0.2);
  fcps_surprises_destroy(&found);
  fcps_model_destroy(model);
}

/* the outcome that surprised is named, not another one that is known to the micrometre and differs by a few of them */
static void a_suspect_is_described_by_what_surprised(void **state)
{
  (void)state;
  const fcps_dimension places[] = {
      {.name = "land_x", .unit = "m"}, {.name = "land_y", .unit = "m"}, {.name = "height", .unit = "m"}};
  fcps_problem problem = toy_problem();
  problem.outcome = (fcps_space){3, places};
  problem.reward = miss_on_the_ground;
  problem.achieved = NULL;
  fcps_model *model = create(&problem);
  const double target[2] = {0, 0}, wind[1] = {0}, parameters[2] = {2.0, 1.2};
  const double outcome[3] = {-0.4994, 31.0, 3e-4};
  const fcps_rollout wrong = {
      .target = target, .environment = wind, .parameters = parameters, .outcome = outcome, .reward = NAN};
  add_with_height(model, 25);
  fit(model);
  assert_ok(fcps_model_add(model, &wrong));
  fit(model);
  assert_string_equal(words(model), "land_x, land_y turn with angle");
  fcps_surprises found = {0};
  fcps_error error;
  assert_ok(fcps_model_find_surprises(model, &found, &error));
  const fcps_surprise *s = fcps_surprises_of(&found, &wrong);
  assert_non_null(s);
  assert_true(s->output < 2);
  assert_near(s->value, outcome[s->output], 1e-9);
  fcps_surprises_destroy(&found);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_are_believed_where_outcomes_turn_and_only_there),
      cmocka_unit_test(an_outcome_that_does_not_turn_has_no_say),
      cmocka_unit_test(a_frame_that_does_not_hold_is_left),
      cmocka_unit_test(a_saved_model_has_its_frame_and_goes_on),
      cmocka_unit_test(rows_that_are_taken_back_are_not_remembered),
      cmocka_unit_test(a_model_that_took_rows_back_is_saved),
      cmocka_unit_test(fifty_rows_are_enough_where_they_leave_no_doubt),
      cmocka_unit_test(a_clear_lead_is_looked_at_less_often),
      cmocka_unit_test(damaged_frames_are_refused),
      cmocka_unit_test(a_declared_frame_is_used_without_looking),
      cmocka_unit_test(a_suspect_is_described_in_the_users_frame),
      cmocka_unit_test(a_suspect_is_described_by_what_surprised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
