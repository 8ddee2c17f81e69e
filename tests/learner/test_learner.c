/* SPDX-License-Identifier: Apache-2.0 */
/* The ask/tell contract, for every learner that is built in: refusals, pending asks, resuming bit by bit. */
#include "base/rng.h"
#include "check.h"
#include "learner/learner.h"
#include "toy.h"

#include <fcps/fcps.h>

#include <stdlib.h>
#include <string.h>

static fcps_learner *create(const char *name, const fcps_setting *settings)
{
  fcps_problem problem = toy_problem();
  fcps_learner *learner;
  fcps_error error;
  if (fcps_learner_create(&learner, &problem, name, settings, 7, &error) != FCPS_OK)
    fail_msg("%s: %s: %s", name, error.field, error.message);
  return learner;
}

static void context_of(int episode, double *target, double *wind)
{
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, (uint64_t)episode);
  target[0] = 2 * fcps_rng_uniform(&rng) - 1;
  target[1] = 2 * fcps_rng_uniform(&rng) - 1;
  wind[0] = 0.6 * fcps_rng_uniform(&rng) - 0.3;
}

/* One episode; returns its reward and shows the parameters. */
static double episode(fcps_learner *learner, int index, double *parameters)
{
  double target[2], wind[1], outcome[2], reward;
  const bool present = true;
  int64_t id;
  context_of(index, target, wind);
  assert_ok(fcps_learner_ask(learner, target, wind, parameters, &id));
  assert_true(parameters[0] >= 0 && parameters[0] <= 6.2831853071795865);
  assert_true(parameters[1] >= 0 && parameters[1] <= 1.5);
  toy_throw(wind, parameters, outcome);
  const fcps_rollout rollout = {.target = target, .environment = wind, .parameters = parameters, .outcome = outcome};
  assert_ok(fcps_learner_tell(learner, id, &rollout));
  toy_reward(NULL, 1, target, wind, parameters, outcome, &present, &reward);
  return reward;
}

static bool has_setting(const fcps_learner_info *info, const char *name)
{
  for (int i = 0; fcps_setting_at(info->settings, i) != NULL; i++)
    if (strcmp(fcps_setting_at(info->settings, i)->name, name) == 0) return true;
  return false;
}

/* 60 throws are enough for learners with a model; local ones need more and have tests of their own */
static void every_model_based_learner_learns_the_toy_better_than_chance(void **state)
{
  (void)state;
  for (int i = 0; fcps_learner_info_at(i) != NULL; i++) {
    if (fcps_learner_info_at(i)->is_active || !has_setting(fcps_learner_info_at(i), "model")) continue;
    fcps_learner *learner = create(fcps_learner_info_at(i)->name, NULL);
    fcps_policy *policy;
    double parameters[2], sum = 0;
    for (int e = 0; e < 60; e++)
      episode(learner, e, parameters);
    assert_ok(fcps_learner_policy(learner, &policy));
    for (int c = 0; c < 25; c++) {
      double target[2], wind[1], outcome[2], reward;
      const bool present = true;
      context_of(1000 + c, target, wind);
      assert_ok(fcps_policy_query(policy, target, wind, parameters, NULL));
      toy_throw(wind, parameters, outcome);
      toy_reward(NULL, 1, target, wind, parameters, outcome, &present, &reward);
      sum += reward / 25;
    }
    if (!(sum > -0.75)) fail_msg("%s: mean reward %g", fcps_learner_info_at(i)->name, sum); /* chance: -1.17 */
    fcps_policy_destroy(policy);
    fcps_learner_destroy(learner);
  }
}

/* saved and loaded after any episode, and with an ask pending, the rest is the same to the last bit */
static void a_resumed_learner_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  enum { EPISODES = 24 };
  const fcps_setting few_fits[] = {{"refit", "4"}, {NULL, NULL}};
  for (int i = 0; fcps_learner_info_at(i) != NULL; i++)
    for (int variant = 0; variant < 2; variant++) {
      const char *name = fcps_learner_info_at(i)->name;
      const bool has_refit = has_setting(fcps_learner_info_at(i), "refit");
      if (fcps_learner_info_at(i)->is_active || (variant == 1 && !has_refit)) continue;
      fcps_learner *straight = create(name, variant == 1 ? few_fits : NULL);
      fcps_learner *resumed = create(name, variant == 1 ? few_fits : NULL);
      for (int e = 0; e < EPISODES; e++) {
        double a[2], b[2];
        fcps_problem problem = toy_problem();
        fcps_error error;
        char *text;
        assert_ok(fcps_learner_save(resumed, &text, &error));
        fcps_learner_destroy(resumed);
        assert_ok(fcps_learner_load(&resumed, &problem, text, &error));
        fcps_free(text);
        assert_true(episode(straight, e, a) == episode(resumed, e, b));
        assert_memory_equal(a, b, sizeof a);
      }
      fcps_learner_destroy(straight);
      fcps_learner_destroy(resumed);
    }
}

static void pending_asks_are_saved_and_accounted_for(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  fcps_learner *learner = create("bo-fcps", NULL), *again;
  fcps_error error;
  double target[2], wind[1], p[3][2], q[2];
  int64_t ids[3], id;
  char *text;
  for (int e = 0; e < 12; e++)
    episode(learner, e, p[0]);
  context_of(99, target, wind);
  for (int i = 0; i < 3; i++)
    assert_ok(fcps_learner_ask(learner, target, wind, p[i], ids + i));
  assert_int_equal(fcps_learner_pending_count(learner), 3);
  /* a fleet in one context gets different suggestions */
  assert_true(memcmp(p[0], p[1], sizeof p[0]) != 0 && memcmp(p[1], p[2], sizeof p[0]) != 0);
  assert_ok(fcps_learner_save(learner, &text, &error));
  assert_ok(fcps_learner_load(&again, &problem, text, &error));
  assert_int_equal(fcps_learner_pending_count(again), 3);
  assert_ok(fcps_learner_ask(learner, target, wind, p[0], &id));
  assert_ok(fcps_learner_ask(again, target, wind, q, &id));
  assert_memory_equal(p[0], q, sizeof q);
  assert_ok(fcps_learner_forget(again, ids[1]));
  assert_status(fcps_learner_forget(again, ids[1]), FCPS_ERR_UNKNOWN_ASK);
  assert_int_equal(fcps_learner_pending_count(again), 3);
  fcps_free(text);
  fcps_learner_destroy(again);
  fcps_learner_destroy(learner);
}

/* of eight asks two are told and two forgotten: six more find the rest of the design */
static void a_design_repeats_nothing_after_a_forgotten_ask(void **state)
{
  (void)state;
  const char *const designs[] = {"latin", "halton"};
  enum { ASKS = 14 };
  for (int d = 0; d < 2; d++) {
    const fcps_setting settings[] = {{"design", designs[d]}, {"initial", "12"}, {NULL, NULL}};
    fcps_learner *learner = create("bo-fcps", settings);
    double target[2], wind[1], p[ASKS][2], outcome[2];
    int64_t ids[ASKS];
    context_of(0, target, wind);
    for (int i = 0; i < ASKS; i++) {
      assert_ok(fcps_learner_ask(learner, target, wind, p[i], &ids[i]));
      if (i != 7) continue;
      for (int t = 5; t < 7; t++) {
        toy_throw(wind, p[t], outcome);
        const fcps_rollout rollout = {.target = target, .environment = wind, .parameters = p[t], .outcome = outcome};
        assert_ok(fcps_learner_tell(learner, ids[t], &rollout));
      }
      assert_ok(fcps_learner_forget(learner, ids[0]));
      assert_ok(fcps_learner_forget(learner, ids[3]));
    }
    for (int i = 0; i < ASKS; i++)
      for (int j = 0; j < i; j++)
        assert_true(j == 0 || j == 3 || memcmp(p[i], p[j], sizeof p[i]) != 0);
    fcps_learner_destroy(learner);
  }
}

static void asks_follow_those_of_an_earlier_learner(void **state)
{
  (void)state;
  fcps_learner *learner = create("bo-fcps", NULL);
  double target[2] = {0, 0}, wind[1] = {0}, parameters[2];
  int64_t id;
  assert_true(fcps_learner_follow(learner, 7) && fcps_learner_follow(learner, 3));
  assert_false(fcps_learner_follow(learner, INT64_MAX) || fcps_learner_follow(learner, 0) ||
               fcps_learner_follow(learner, -5));
  assert_ok(fcps_learner_ask(learner, target, wind, parameters, &id));
  assert_int_equal(id, 8);
  fcps_learner_destroy(learner);
}

static void rollouts_that_nobody_asked_for_teach_too(void **state)
{
  (void)state;
  fcps_learner *learner = create("bo-fcps", NULL);
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  double target[2] = {0}, wind[1] = {0}, parameters[2], outcome[2];
  for (int i = 0; i < 20; i++) {
    parameters[0] = 6.28 * fcps_rng_uniform(&rng);
    parameters[1] = 1.5 * fcps_rng_uniform(&rng);
    toy_throw(wind, parameters, outcome);
    const fcps_rollout rollout = {.target = target, .environment = wind, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
  }
  assert_int_equal(fcps_learner_rollout_count(learner), 20);
  double best = -INFINITY;
  for (int i = 0; i < 5; i++)
    best = fmax(best, episode(learner, i, parameters)); /* no initial design any more */
  assert_true(best > -0.3);
  fcps_learner_destroy(learner);
}

static void refused(fcps_learner *learner, fcps_status got, fcps_status expected, const char *field)
{
  assert_status(got, expected);
  assert_string_equal(fcps_learner_error(learner)->field, field);
  assert_true(strlen(fcps_learner_error(learner)->message) > 10);
}

static void bad_contexts_are_refused_with_the_field_named(void **state)
{
  (void)state;
  fcps_learner *learner = create("bo-fcps", NULL);
  const double bad[] = {NAN, INFINITY, -INFINITY};
  double target[2] = {0, 0}, wind[1] = {0}, parameters[2];
  int64_t id;
  for (int i = 0; i < 3; i++) {
    target[1] = bad[i];
    refused(learner, fcps_learner_ask(learner, target, wind, parameters, &id), FCPS_ERR_NOT_FINITE, "target.y");
    target[1] = 0;
    wind[0] = bad[i];
    refused(learner, fcps_learner_ask(learner, target, wind, parameters, &id), FCPS_ERR_NOT_FINITE, "environment.wind");
    wind[0] = 0;
  }
  target[0] = 1.5;
  refused(learner, fcps_learner_ask(learner, target, wind, parameters, &id), FCPS_ERR_BOUNDS, "target.x");
  refused(learner, fcps_learner_ask(learner, NULL, wind, parameters, &id), FCPS_ERR_ARGUMENT, "target");
  target[0] = 0;
  refused(learner, fcps_learner_choose(learner, NULL, target, wind, parameters, &id), FCPS_ERR_UNSUPPORTED, "learner");
  assert_int_equal(fcps_learner_pending_count(learner), 0);
  fcps_learner_destroy(learner);
}

static void choosing_needs_places_for_its_answer(void **state)
{
  (void)state;
  fcps_learner *learner = create("faces", NULL);
  const bool fixed[2] = {false, true};
  const fcps_free_dimensions some = {.target = fixed};
  double target[2] = {0, 0}, wind[1] = {0}, parameters[2];
  int64_t id;
  refused(learner, fcps_learner_choose(learner, NULL, NULL, wind, parameters, &id), FCPS_ERR_ARGUMENT, "target");
  refused(learner, fcps_learner_choose(learner, &some, NULL, wind, parameters, &id), FCPS_ERR_ARGUMENT, "target");
  refused(learner, fcps_learner_choose(learner, NULL, target, NULL, parameters, &id), FCPS_ERR_ARGUMENT, "environment");
  refused(learner, fcps_learner_choose(learner, NULL, target, wind, NULL, &id), FCPS_ERR_ARGUMENT, "parameters");
  refused(learner, fcps_learner_choose(learner, NULL, target, wind, parameters, NULL), FCPS_ERR_ARGUMENT, "id");
  target[0] = wind[0] = NAN; /* free ones may hold anything */
  assert_ok(fcps_learner_choose(learner, NULL, target, wind, parameters, &id));
  fcps_learner_destroy(learner);
}

static void bad_rollouts_are_refused_with_the_field_named(void **state)
{
  (void)state;
  fcps_learner *learner = create("bo-fcps", NULL);
  double target[2] = {0, 0}, wind[1] = {0}, parameters[2] = {1, 1}, outcome[2] = {0, 0};
  fcps_rollout rollout = {.target = target, .environment = wind, .parameters = parameters, .outcome = outcome};
  refused(learner, fcps_learner_tell(learner, 5, &rollout), FCPS_ERR_UNKNOWN_ASK, "id");
  refused(learner, fcps_learner_tell(learner, FCPS_NOT_ASKED, NULL), FCPS_ERR_ARGUMENT, "rollout");
  parameters[0] = NAN;
  refused(learner, fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout), FCPS_ERR_NOT_FINITE, "parameters.angle");
  parameters[0] = 1;
  rollout.status = (fcps_rollout_status)77;
  refused(learner, fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout), FCPS_ERR_ARGUMENT, "status");
  assert_int_equal(fcps_learner_rollout_count(learner), 0);
  fcps_learner_destroy(learner);
}

/* reliability: NaN, infinite, huge, tiny, constant and outlying results x first, tenth, all */
static void bad_outcomes_are_kept_out_of_the_model_and_never_stop_an_ask(void **state)
{
  (void)state;
  const double values[] = {NAN, INFINITY, -INFINITY, 1.7e308, -1.7e308, 1e300, 5e-324, -0.0, 1e10 + 1, 1e12, 0.25};
  for (int i = 0; fcps_learner_info_at(i) != NULL; i++)
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
      for (int where = 0; where < 3; where++) {
        if (fcps_learner_info_at(i)->is_active) continue;
        fcps_learner *learner = create(fcps_learner_info_at(i)->name, NULL);
        for (int e = 0; e < 14; e++) {
          double target[2], wind[1], parameters[2], outcome[2];
          int64_t id;
          context_of(e, target, wind);
          assert_ok(fcps_learner_ask(learner, target, wind, parameters, &id));
          assert_true(parameters[0] >= 0 && parameters[0] <= 6.2831853071795865 && parameters[1] >= 0 &&
                      parameters[1] <= 1.5);
          toy_throw(wind, parameters, outcome);
          if ((where == 0 && e == 0) || (where == 1 && e == 9) || where == 2) outcome[0] = outcome[1] = values[v];
          const fcps_rollout rollout = {
              .target = target, .environment = wind, .parameters = parameters, .outcome = outcome};
          assert_ok(fcps_learner_tell(learner, id, &rollout));
        }
        fcps_learner_destroy(learner);
      }
}

/* 200 identical rollouts, failed ones, absent outcomes */
static void degenerate_data_never_stops_an_ask(void **state)
{
  (void)state;
  for (int i = 0; fcps_learner_info_at(i) != NULL; i++)
    for (int kind = 0; kind < 3; kind++) {
      if (fcps_learner_info_at(i)->is_active) continue;
      fcps_learner *learner = create(fcps_learner_info_at(i)->name, NULL);
      const double target[2] = {0.2, 0.1}, wind[1] = {0}, parameters[2] = {1, 0.5}, outcome[2] = {0.2, 0.4};
      for (int e = 0; e < 200; e++) {
        const fcps_rollout rollout = {.target = target,
                                      .environment = wind,
                                      .parameters = parameters,
                                      .outcome = kind == 0 ? outcome : NULL,
                                      .status = kind == 1 ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK};
        assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
      }
      double answer[2];
      fcps_policy *policy;
      for (int e = 0; e < 3; e++)
        episode(learner, e, answer);
      assert_ok(fcps_learner_policy(learner, &policy));
      assert_ok(fcps_policy_query(policy, target, wind, answer, NULL));
      assert_true(isfinite(answer[0]) && isfinite(answer[1]));
      fcps_policy_destroy(policy);
      fcps_learner_destroy(learner);
    }
}

static void told_rewards_are_enough_for_bo_cps_and_refused_by_bo_fcps(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  fcps_learner *learner;
  fcps_error error;
  problem.reward = NULL;
  assert_status(fcps_learner_create(&learner, &problem, "bo-fcps", NULL, 1, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "reward");
  assert_non_null(strstr(error.message, "bo-cps"));
  assert_ok(fcps_learner_create(&learner, &problem, "bo-cps", NULL, 1, &error));
  for (int e = 0; e < 12; e++) {
    double target[2], wind[1], parameters[2];
    int64_t id;
    context_of(e, target, wind);
    assert_ok(fcps_learner_ask(learner, target, wind, parameters, &id));
    const fcps_rollout rollout = {.target = target,
                                  .environment = wind,
                                  .parameters = parameters,
                                  .reward = e == 4 ? NAN : -parameters[1],
                                  .hindsight_reward = NAN};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  fcps_learner_destroy(learner);
}

static void wrong_names_and_settings_are_refused_with_what_exists(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  fcps_learner *learner;
  fcps_error error;
  const fcps_setting cases[][2] = {{{"kapa", "1"}, {NULL, NULL}},
                                   {{"kappa", "-1"}, {NULL, NULL}},
                                   {{"kappa", "much"}, {NULL, NULL}},
                                   {{"kernel", "cubic"}, {NULL, NULL}},
                                   {{"refit", "-1"}, {NULL, NULL}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_true(fcps_learner_create(&learner, &problem, "bo-fcps", cases[i], 1, &error) != FCPS_OK);
    assert_null(learner);
    assert_string_equal(error.field, cases[i][0].name);
  }
  assert_status(fcps_learner_create(&learner, &problem, "bo-fpcs", NULL, 1, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_non_null(strstr(error.message, "bo-fcps"));
}

static void damaged_text_is_refused(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  fcps_learner *learner = create("bo-fcps", NULL), *again;
  fcps_error error;
  double parameters[2];
  char *text;
  for (int e = 0; e < 8; e++)
    episode(learner, e, parameters);
  assert_ok(fcps_learner_save(learner, &text, &error));
  const size_t length = strlen(text);
  for (size_t cut = 0; cut < length; cut += 97) { /* every prefix is refused, and nothing leaks */
    char *half = strndup(text, cut);
    assert_true(fcps_learner_load(&again, &problem, half, &error) != FCPS_OK);
    assert_null(again);
    free(half);
  }
  fcps_free(text);
  fcps_learner_destroy(learner);
}

/* the factor of a model has a number for each pair of results */
static void a_model_takes_no_more_results_than_memory_allows(void **state)
{
  (void)state;
  enum { MOST = 10000 };
  static const char *const names[] = {"outcome", "c-reps"};
  for (int l = 0; l < 2; l++) {
    fcps_learner *learner = create(names[l], NULL);
    double target[2] = {0}, wind[1] = {0}, parameters[2] = {0}, outcome[2] = {0};
    const fcps_rollout rollout = {.target = target, .environment = wind, .parameters = parameters, .outcome = outcome};
    for (int i = 0; i < MOST; i++) {
      parameters[0] = i * 1e-4;
      assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
    }
    assert_status(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout), l == 0 ? FCPS_ERR_UNSUPPORTED : FCPS_OK);
    if (l == 0) assert_non_null(strstr(fcps_learner_error(learner)->message, "at most 10000 rows"));
    assert_int_equal(fcps_learner_rollout_count(learner), MOST + (l == 1));
    fcps_learner_destroy(learner);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_model_based_learner_learns_the_toy_better_than_chance),
      cmocka_unit_test(a_resumed_learner_goes_on_with_the_same_bits),
      cmocka_unit_test(pending_asks_are_saved_and_accounted_for),
      cmocka_unit_test(a_design_repeats_nothing_after_a_forgotten_ask),
      cmocka_unit_test(asks_follow_those_of_an_earlier_learner),
      cmocka_unit_test(rollouts_that_nobody_asked_for_teach_too),
      cmocka_unit_test(bad_contexts_are_refused_with_the_field_named),
      cmocka_unit_test(choosing_needs_places_for_its_answer),
      cmocka_unit_test(bad_rollouts_are_refused_with_the_field_named),
      cmocka_unit_test(bad_outcomes_are_kept_out_of_the_model_and_never_stop_an_ask),
      cmocka_unit_test(degenerate_data_never_stops_an_ask),
      cmocka_unit_test(told_rewards_are_enough_for_bo_cps_and_refused_by_bo_fcps),
      cmocka_unit_test(wrong_names_and_settings_are_refused_with_what_exists),
      cmocka_unit_test(damaged_text_is_refused),
      cmocka_unit_test(a_model_takes_no_more_results_than_memory_allows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
