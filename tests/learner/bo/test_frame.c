/* SPDX-License-Identifier: Apache-2.0 */
/* Frames in learners: faster learning, the end of a design, and refusals. */
#include "base/rng.h"
#include "check.h"
#include "learner/bo/bo.h"
#include "learner/learner_impl.h"
#include "toy.h"

#include <stdlib.h>
#include <string.h>

static fcps_learner *create(const char *name, const char *frame)
{
  const fcps_setting settings[] = {{"frame", frame}, {NULL, NULL}};
  const fcps_problem problem = toy_problem();
  fcps_learner *learner = NULL;
  fcps_error error;
  if (fcps_learner_create(&learner, &problem, name, settings, 7, &error) != FCPS_OK)
    fail_msg("%s: %s: %s", name, error.field, error.message);
  return learner;
}

/* Trials one after the other, at targets of a series; the mean miss of those from `from` on. */
static double practise(fcps_learner *learner, uint64_t series, int trials, int from)
{
  double sum = 0;
  for (int i = 0; i < trials; i++) {
    fcps_rng rng = fcps_rng_stream(series, FCPS_PURPOSE_TEST, (uint64_t)i);
    double target[2], wind[1] = {0}, parameters[2], outcome[2];
    int64_t id;
    target[0] = 2 * fcps_rng_uniform(&rng) - 1;
    target[1] = 2 * fcps_rng_uniform(&rng) - 1;
    assert_ok(fcps_learner_ask(learner, target, wind, parameters, &id));
    toy_throw(wind, parameters, outcome);
    const fcps_rollout rollout = {.target = target, .environment = wind, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
    if (i >= from) sum += hypot(target[0] - outcome[0], target[1] - outcome[1]) / (trials - from);
  }
  return sum;
}

static void throws_that_turn_are_learnt_from_fewer(void **state)
{
  (void)state;
  enum { SERIES = 8 }; /* one alone depends on the last bits */
  double misses[3] = {0};
  static const char *const frames[] = {"off", "auto", "land_x, land_y turn with angle"};
  for (int i = 0; i < 3; i++)
    for (uint64_t series = 1; series <= SERIES; series++) {
      fcps_learner *learner = create("outcome", frames[i]);
      misses[i] += practise(learner, series, 10, 3) / SERIES;
      fcps_learner_destroy(learner);
    }
  print_message("# mean miss of trials 4 to 10: off %.3f, auto %.3f, declared %.3f\n", misses[0], misses[1], misses[2]);
  assert_true(misses[1] < 0.7 * misses[0] && misses[2] < 0.2 * misses[0]);
}

/* three blind trials; two if the learner knows by then what turns; one if the frame is declared */
static void a_design_ends_when_it_is_known_what_turns(void **state)
{
  (void)state;
  static const struct {
    const char *frame;
    int trials;
  } cases[] = {{"off", 3}, {"auto", 2}, {"land_x, land_y turn with angle", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_learner *learner = create("outcome", cases[i].frame);
    for (int made = 0; made < 4; made++) {
      const double target[2] = {0.3, 0.3}, wind[1] = {0};
      double parameters[2];
      int64_t id;
      assert_ok(fcps_learner_ask(learner, target, wind, parameters, &id));
      assert_true(fcps_bo_needs_design(learner) == (made < cases[i].trials));
      double outcome[2];
      toy_throw(wind, parameters, outcome);
      const fcps_rollout rollout = {
          .target = target, .environment = wind, .parameters = parameters, .outcome = outcome};
      assert_ok(fcps_learner_tell(learner, id, &rollout));
    }
    fcps_learner_destroy(learner);
  }
}

/* a learner keeps to another number of blind trials, whatever it knows */
static void a_design_that_was_asked_for_is_kept(void **state)
{
  (void)state;
  const fcps_setting settings[] = {{"initial", "5"}, {NULL, NULL}};
  const fcps_problem problem = toy_problem();
  fcps_learner *learner = NULL;
  fcps_error error;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", settings, 7, &error));
  practise(learner, 1, 4, 0);
  assert_true(fcps_bo_needs_design(learner));
  practise(learner, 1, 1, 0);
  assert_false(fcps_bo_needs_design(learner));
  fcps_learner_destroy(learner);
}

static void a_frame_that_the_problem_cannot_have_is_refused(void **state)
{
  (void)state;
  const fcps_setting settings[] = {{"frame", "land_x, land_y turn with the moon"}, {NULL, NULL}};
  const fcps_problem problem = toy_problem();
  fcps_learner *learner = NULL;
  fcps_error error;
  assert_int_equal(fcps_learner_create(&learner, &problem, "outcome", settings, 7, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "frame");
  assert_non_null(strstr(error.message, "land_x, land_y turn against angle"));
  assert_null(learner);
}

static void a_saved_learner_without_a_setting_is_refused_by_its_name(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_learner *learner = create("outcome", "off"), *loaded = NULL;
  fcps_error error;
  char *text = NULL;
  assert_ok(fcps_learner_save(learner, &text, &error));
  static const char setting[] = "\"kappa\":\"1\",";
  char *place = strstr(text, setting);
  assert_non_null(place);
  memmove(place, place + strlen(setting), strlen(place + strlen(setting)) + 1);
  assert_status(fcps_learner_load(&loaded, &problem, text, &error), FCPS_ERR_FORMAT);
  assert_null(loaded);
  assert_string_equal(error.field, "kappa");
  fcps_free(text);
  fcps_learner_destroy(learner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(throws_that_turn_are_learnt_from_fewer),
      cmocka_unit_test(a_design_ends_when_it_is_known_what_turns),
      cmocka_unit_test(a_design_that_was_asked_for_is_kept),
      cmocka_unit_test(a_frame_that_the_problem_cannot_have_is_refused),
      cmocka_unit_test(a_saved_learner_without_a_setting_is_refused_by_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
