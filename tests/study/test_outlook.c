/* SPDX-License-Identifier: Apache-2.0 */
/* The further contents of an outlook: failures that are taken for an outage, parameters that caution avoids, and
 * results that wait for a decision. */
#include "outlook.h"
#include "study/inside.h"
#include "study_fixture.h"

/* Beyond an edge there is no outcome, and the best place is near the edge: the further, the better. */
static const char edge_yaml[] = "name: edge\n"
                                "target: {x: [0.4, 0.6]}\n"
                                "parameters: {p: [0, 1], q: [0, 1]}\n"
                                "outcome: [a, b]\n"
                                "reward: \"present ? b - abs(a - x) : -0.2\"\n";

static fcps_study *make_edge(const char *caution)
{
  fcps_study *study = NULL;
  const fcps_setting settings[] = {{caution != NULL ? "caution" : NULL, caution}, {NULL, NULL}};
  const fcps_study_setup setup = {.text = edge_yaml, .text_name = "edge.yaml", .settings = settings, .seed = 1001};
  assert_ok(fcps_study_create(&study, NULL, &setup, NULL, NULL));
  return study;
}

/* Tells trial `i` at a place of a sequence that fills the box. */
static void tell_trial(fcps_study *study, int i, bool has_failed, double edge)
{
  const double target = 0.5, parameters[2] = {fmod(0.754878 * (i + 1), 1.0), fmod(0.569840 * (i + 1), 1.0)};
  const fcps_result result = {.rollout = {.target = &target,
                                          .parameters = parameters,
                                          .outcome = has_failed || parameters[1] > edge ? NULL : parameters,
                                          .status = has_failed ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK}};
  assert_ok(fcps_study_tell(study, FCPS_NOT_ASKED, &result, NULL, NULL));
}

static void failures_in_a_row_are_shown_as_an_outage(void **state)
{
  (void)state;
  enum { FIRST = 12, LAST = 16, COUNT = 40 };
  fcps_study *s = make_edge(NULL);
  for (int i = 0; i < COUNT; i++)
    tell_trial(s, i, i >= FIRST && i <= LAST, 2.0);
  assert_int_equal(outlook_of(s).excused, LAST - FIRST + 1);
  fcps_stored_result stored;
  for (int i = 0; i < COUNT; i++) {
    fcps_study_result_at(s, i, &stored);
    assert_int_equal(stored.is_excused, i >= FIRST && i <= LAST);
  }
  for (int i = FIRST; i <= LAST; i++) {
    fcps_study_result_at(s, i, &stored);
    assert_ok(fcps_study_use_result(s, stored.sequence, false, NULL));
  }
  assert_int_equal(outlook_of(s).excused, 0);
  fcps_study_result_at(s, FIRST, &stored);
  assert_false(stored.is_excused);
  fcps_study_close(s);
}

static void confirmed_failures_are_held_against_their_parameters(void **state)
{
  (void)state;
  fcps_study *s = make_edge(NULL);
  for (int i = 0; i < 30; i++)
    tell_trial(s, i, i >= 12 && i <= 16, 2.0);
  assert_int_equal(outlook_of(s).excused, 5);
  for (int i = 12; i <= 16; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(s, i, &stored);
    assert_ok(fcps_study_confirm(s, stored.sequence, NULL));
  }
  assert_int_equal(outlook_of(s).excused, 0);
  fcps_study_close(s);
}

static void failures_at_one_place_are_no_outage(void **state)
{
  (void)state;
  fcps_study *s = make_edge(NULL);
  for (int i = 0; i < 40; i++)
    tell_trial(s, i, fmod(0.754878 * (i + 1), 1.0) > 0.8, 2.0);
  assert_int_equal(outlook_of(s).excused, 0);
  fcps_study_close(s);
}

static void what_caution_passes_over_is_said_and_is_a_gain(void **state)
{
  (void)state;
  fcps_study *careful = make_edge("4"), *daring = make_edge("0"), *clean = make_edge("4");
  for (int i = 0; i < 40; i++) {
    tell_trial(careful, i, false, 0.6);
    tell_trial(daring, i, false, 0.6);
    tell_trial(clean, i, false, 2.0);
  }
  const fcps_outlook a = outlook_of(careful), b = outlook_of(daring), c = outlook_of(clean);
  assert_true(a.caution_cost > 0.01 && a.gain > a.caution_cost);
  assert_true(b.caution_cost == 0 && c.caution_cost == 0);
  assert_near(a.reward + a.caution_cost, b.reward, 1e-3); /* the difference to the policy without caution */
  assert_true(a.deviation > a.reducible_deviation);
  assert_true(c.deviation > c.reducible_deviation && c.deviation < 0.1 * a.deviation); /* noise alone */
  fcps_study_close(careful);
  fcps_study_close(daring);
  fcps_study_close(clean);
}

/* A cautious policy that gives up much expected reward is not finished, however sure it is. */
static void nothing_is_enough_while_caution_costs_much(void **state)
{
  (void)state;
  fcps_study *s = make_edge("10");
  for (int i = 0; i < 40; i++)
    tell_trial(s, i, fmod(0.569840 * (i + 1), 1.0) > 0.6, 2.0);
  const fcps_outlook o = outlook_of(s);
  assert_true(o.reducible_deviation <= 0.01 * o.spread);
  assert_true(o.caution_cost > 0.05 * o.spread);
  assert_false(o.is_converged);
  assert_non_null(strstr(o.unmet, "caution gives up"));
  fcps_setting bold[] = {{"caution", "0"}, {NULL, NULL}};
  assert_ok(fcps_study_amend_learner(s, NULL, bold, NULL));
  assert_true(outlook_of(s).caution_cost == 0); /* the possible gain behind the edge remains */
  fcps_study_close(s);
}

/* Both outcomes are in their range, but in each other's column: there is no question, and the policy is as sure as
 * before. */
static void a_result_that_others_contradict_counts_less(void **state)
{
  (void)state;
  fcps_study *s = make_edge(NULL);
  fcps_stored_result stored;
  for (int i = 0; i < 60; i++)
    tell_trial(s, i, false, 2.0);
  assert_int_equal(outlook_of(s).doubted, 0);
  const double target = 0.5, parameters[2] = {0.3, 0.8}, outcome[2] = {0.8, 0.3};
  const fcps_result result = {.rollout = {.target = &target, .parameters = parameters, .outcome = outcome}};
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &result, NULL, NULL));
  const fcps_outlook o = outlook_of(s);
  assert_int_equal(o.doubted, 1);
  assert_int_equal(o.suspects, 0);
  assert_true(o.is_converged);
  for (int i = 0; i < fcps_study_result_count(s); i++) {
    fcps_study_result_at(s, i, &stored);
    assert_int_equal(stored.is_doubted, i == 60);
  }
  fcps_study_close(s);
}

static void nothing_is_enough_while_a_suspect_waits(void **state)
{
  (void)state;
  fcps_study *s = make_edge(NULL);
  for (int i = 0; i < 60; i++)
    tell_trial(s, i, false, 2.0);
  assert_true(outlook_of(s).is_converged);
  const double target = 0.5, parameters[2] = {0.3, 0.4}, outcome[2] = {30, 0.4};
  const fcps_result result = {.rollout = {.target = &target, .parameters = parameters, .outcome = outcome}};
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &result, NULL, NULL));
  fcps_outlook o = outlook_of(s);
  assert_int_equal(o.suspects, 1);
  assert_false(o.is_converged);
  fcps_stored_result stored;
  fcps_study_result_at(s, 60, &stored);
  assert_ok(fcps_study_use_result(s, stored.sequence, false, NULL));
  o = outlook_of(s);
  assert_int_equal(o.suspects, 0);
  assert_true(o.is_converged);
  fcps_study_close(s);
}

/* The reward grows towards an edge. The model is sure of every number, and of the edge as far as trials show it. */
static void nothing_is_enough_beside_an_edge_that_is_not_known(void **state)
{
  (void)state;
  fcps_study *s = make_edge(NULL);
  for (int i = 0; i < 40; i++)
    tell_trial(s, i, false, 0.6);
  const fcps_outlook o = outlook_of(s);
  assert_true(o.reducible_deviation <= 0.01 * o.spread);
  assert_true(o.edge_gain > 0.03 * o.spread && o.gain >= o.edge_gain);
  assert_false(o.is_converged);
  assert_non_null(strstr(o.unmet, "beyond the edge of what is known to work"));
  fcps_study_close(s);
}

/* A model that a single result has made sure may be unsure after the next. */
static void enough_must_have_held_some_results_ago(void **state)
{
  (void)state;
  int first = 0, times = 0, waits = 0;
  fcps_study *s = make_edge(NULL);
  for (int i = 0; i < 34; i++) {
    tell_trial(s, i, false, 2.0);
    const fcps_outlook o = outlook_of(s);
    const bool is_enough = o.is_converged;
    assert_true(is_enough == (o.unmet == NULL));
    waits += o.unmet != NULL && strstr(o.unmet, "results are needed, ten for each") != NULL;
    times += is_enough;
    if (is_enough && first == 0) first = i + 1;
  }
  assert_true(first >= 20 && times == 34 + 1 - first); /* once it is enough, it stays so */
  assert_true(waits > 0);
  fcps_study_close(s);
}

/* The gain that the model's deviations promise is less than the gain that further trials find in rehearsed worlds. */
static void the_promise_of_enough_covers_rehearsed_trials(void **state)
{
  (void)state;
  static const char yaml[] = "name: camel\n"
                             "environment: {tilt: [-1, 1]}\n"
                             "parameters: {x: [-2, 2], y: [-1, 1]}\n"
                             "outcome: [loss]\n"
                             "reward: -loss\n";
  const fcps_study_setup setup = {.text = yaml, .text_name = "camel.yaml", .learner = "outcome", .seed = 1001};
  fcps_study *s = NULL;
  fcps_policy *policy = NULL;
  double rehearsed = 0.0;
  fcps_outlook o = {0};
  assert_ok(fcps_study_create(&s, NULL, &setup, NULL, NULL));
  /* The last bits of a processor decide a little when it is enough. */
  for (int i = 0; i < 120 && !o.is_converged; i++) {
    const double tilt = -1.0 + 2.0 * fmod(0.618034 * i, 1.0);
    fcps_ask ask;
    assert_ok(fcps_study_ask(s, NULL, NULL, &tilt, &ask, NULL));
    const double x = ask.parameters[0], y = ask.parameters[1], square = x * x;
    const double loss =
        (4.0 - 2.1 * square + square * square / 3.0) * square + x * y + (4.0 * y * y - 4.0) * y * y + tilt * x;
    const fcps_result result = {.rollout = {.outcome = &loss}};
    assert_ok(fcps_study_tell(s, ask.id, &result, NULL, NULL));
    if (i >= 40 && i % 5 == 0) o = outlook_of(s);
  }
  assert_true(o.is_converged);
  assert_ok(fcps_study_policy(s, &policy, NULL));
  assert_ok(fcps_study_rehearse_gain(s, policy, &rehearsed, NULL));
  fcps_policy_destroy(policy);
  assert_true(rehearsed > 0.4 * o.reducible_deviation); /* 1/sqrt(2 pi) */
  assert_true(rehearsed <= 0.02 * o.spread);
  assert_true(o.gain == rehearsed);
  fcps_study_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_promise_of_enough_covers_rehearsed_trials),
      cmocka_unit_test(failures_in_a_row_are_shown_as_an_outage),
      cmocka_unit_test(confirmed_failures_are_held_against_their_parameters),
      cmocka_unit_test(failures_at_one_place_are_no_outage),
      cmocka_unit_test(what_caution_passes_over_is_said_and_is_a_gain),
      cmocka_unit_test(nothing_is_enough_while_caution_costs_much),
      cmocka_unit_test(a_result_that_others_contradict_counts_less),
      cmocka_unit_test(nothing_is_enough_while_a_suspect_waits),
      cmocka_unit_test(nothing_is_enough_beside_an_edge_that_is_not_known),
      cmocka_unit_test(enough_must_have_held_some_results_ago),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
