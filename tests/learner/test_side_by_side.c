/* SPDX-License-Identifier: Apache-2.0 */
/* Asks that are made before earlier ones have their results. */
#include "base/rng.h"
#include "check.h"
#include "toy.h"

#include <fcps/fcps.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Asks with their contexts, all without a result yet. */
enum { MOST = 24 };
typedef struct batch {
  int count;
  double target[MOST][2], wind[MOST][1], parameters[MOST][2];
  int64_t id[MOST];
} batch;

static fcps_learner *create(const char *name, const fcps_setting *settings)
{
  const fcps_problem problem = toy_problem();
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

/* `count` asks from episode `first` on; all in the first one's context, or each in its own. */
static void ask_all(fcps_learner *learner, int first, int count, bool is_one_context, batch *b)
{
  b->count = count;
  for (int i = 0; i < count; i++) {
    context_of(is_one_context ? first : first + i, b->target[i], b->wind[i]);
    assert_ok(fcps_learner_ask(learner, b->target[i], b->wind[i], b->parameters[i], &b->id[i]));
  }
}

static void tell_one(fcps_learner *learner, const batch *b, int i)
{
  double outcome[2];
  toy_throw(b->wind[i], b->parameters[i], outcome);
  const fcps_rollout rollout = {
      .target = b->target[i], .environment = b->wind[i], .parameters = b->parameters[i], .outcome = outcome};
  assert_ok(fcps_learner_tell(learner, b->id[i], &rollout));
}

static void tell_all(fcps_learner *learner, const batch *b)
{
  for (int i = 0; i < b->count; i++)
    tell_one(learner, b, i);
}

/* Rounds of asks that are told together. */
static void practise(fcps_learner *learner, int rounds, int count)
{
  batch b;
  for (int r = 0; r < rounds; r++) {
    ask_all(learner, r * count, count, false, &b);
    tell_all(learner, &b);
  }
}

static double policy_reward(fcps_learner *learner)
{
  enum { CONTEXTS = 40 };
  fcps_policy *policy;
  double sum = 0;
  assert_ok(fcps_learner_policy(learner, &policy));
  for (int c = 0; c < CONTEXTS; c++) {
    double target[2], wind[1], parameters[2], outcome[2], reward;
    const bool present = true;
    context_of(1000 + c, target, wind);
    assert_ok(fcps_policy_query(policy, target, wind, parameters, NULL));
    toy_throw(wind, parameters, outcome);
    toy_reward(NULL, 1, target, wind, parameters, outcome, &present, &reward);
    sum += reward / CONTEXTS;
  }
  fcps_policy_destroy(policy);
  return sum;
}

/* How far two asks are apart, as the toy's landing points; the angle is a circle. */
static double gap(const batch *b, int i, int j)
{
  const double *p = b->parameters[i], *q = b->parameters[j];
  return hypot(p[1] * cos(p[0]) - q[1] * cos(q[0]), p[1] * sin(p[0]) - q[1] * sin(q[0]));
}

static double smallest_gap(const batch *b)
{
  double smallest = INFINITY;
  for (int i = 0; i < b->count; i++)
    for (int j = 0; j < i; j++)
      smallest = fmin(smallest, gap(b, i, j));
  return smallest;
}

/* -- Before the first result -- */

static void asks_before_any_result_are_as_good_as_a_design_of_their_number(void **state)
{
  (void)state;
  static const char *const names[] = {"outcome", "bo-fcps", "bo-cps"};
  static const fcps_setting designed[] = {{"initial", "24"}, {NULL, NULL}};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    for (int is_one_context = 0; is_one_context < 2; is_one_context++) {
      fcps_learner *blind = create(names[n], NULL), *planned = create(names[n], designed);
      batch b, design;
      ask_all(blind, 0, MOST, is_one_context, &b);
      tell_all(blind, &b);
      ask_all(planned, 0, MOST, is_one_context, &design);
      tell_all(planned, &design);
      const double earned = policy_reward(blind), wanted = policy_reward(planned);
      if (!(earned > wanted - 0.05))
        fail_msg("%s earns %g after 24 blind asks, %g by design", names[n], earned, wanted);
      fcps_learner_destroy(blind);
      fcps_learner_destroy(planned);
    }
}

/* a maximin design has no size, so that its points are the very same */
static void blind_asks_of_outcome_are_the_points_of_one_design(void **state)
{
  (void)state;
  static const fcps_setting designed[] = {{"initial", "24"}, {NULL, NULL}};
  fcps_learner *blind = create("outcome", NULL), *planned = create("outcome", designed);
  batch b, design;
  ask_all(blind, 0, MOST, true, &b);
  for (int i = 0; i < MOST; i++) {
    batch one;
    ask_all(planned, i, 1, true, &one);
    tell_all(planned, &one);
    memcpy(design.parameters[i], one.parameters[0], sizeof one.parameters[0]);
  }
  assert_memory_equal(b.parameters, design.parameters, sizeof b.parameters);
  fcps_learner_destroy(blind);
  fcps_learner_destroy(planned);
}

/* outcome-active spreads environment and parameters together, so that an end of the range may come twice */
static void contexts_chosen_before_any_result_differ(void **state)
{
  (void)state;
  for (int i = 0; fcps_learner_info_at(i) != NULL; i++) {
    if (!fcps_learner_info_at(i)->is_active) continue;
    fcps_learner *learner = create(fcps_learner_info_at(i)->name, NULL);
    batch b = {.count = MOST};
    for (int a = 0; a < MOST; a++) {
      assert_ok(fcps_learner_choose(learner, NULL, b.target[a], b.wind[a], b.parameters[a], &b.id[a]));
      for (int e = 0; e < a; e++)
        if (b.wind[a][0] == b.wind[e][0] && strcmp(fcps_learner_info_at(i)->name, "outcome-active") != 0)
          fail_msg("%s: choice %d has the environment of choice %d", fcps_learner_info_at(i)->name, a + 1, e + 1);
    }
    assert_true(smallest_gap(&b) > 0);
    fcps_learner_destroy(learner);
  }
}

/* -- Later -- */

static void every_learner_gives_different_asks_in_one_context(void **state)
{
  (void)state;
  for (int i = 0; fcps_learner_info_at(i) != NULL; i++)
    for (int rounds = 0; rounds < 3; rounds += 2) {
      fcps_learner *learner = create(fcps_learner_info_at(i)->name, NULL);
      batch b;
      practise(learner, rounds, 6);
      ask_all(learner, 500, 6, true, &b);
      if (!(smallest_gap(&b) > 0))
        fail_msg("%s repeats an ask after %d results", fcps_learner_info_at(i)->name, 6 * rounds);
      fcps_learner_destroy(learner);
    }
}

/* the first ask is the best guess; the others try what it leaves open. A model that knows that throws turn is sure. */
static void asks_in_one_context_spread_where_the_model_is_unsure(void **state)
{
  (void)state;
  static const fcps_setting unturned[] = {{"frame", "off"}, {NULL, NULL}};
  double sum = 0;
  for (int c = 0; c < 8; c++) {
    fcps_learner *learner = create("outcome", unturned);
    batch b;
    practise(learner, 1, 6);
    ask_all(learner, 600 + c, 4, true, &b);
    sum += smallest_gap(&b) / 8;
    fcps_learner_destroy(learner);
  }
  printf("# the closest two of four are %.3f m apart on average\n", sum);
  assert_true(sum > 0.17); /* it was 0.13 when pending trials attracted others */
}

static void batches_learn_nearly_as_well_as_single_trials(void **state)
{
  (void)state;
  static const char *const names[] = {"outcome", "bo-fcps"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    fcps_learner *single = create(names[n], NULL), *batched = create(names[n], NULL);
    practise(single, 40, 1);
    practise(batched, 5, 8);
    const double one = policy_reward(single), eight = policy_reward(batched);
    if (!(eight > one - 0.1)) fail_msg("%s: %g in batches of eight, %g one at a time", names[n], eight, one);
    fcps_learner_destroy(single);
    fcps_learner_destroy(batched);
  }
}

/* -- The same bytes -- */

/* Tells in an irregular order with new asks in between, and saves and loads before each call if wanted. */
static void run_in_disorder(fcps_learner **learner, bool is_resumed, double parameters[][2])
{
  static const int order[] = {3, 0, 5, 1, 4, 2};
  const fcps_problem problem = toy_problem();
  batch b;
  int made = 0;
  for (int round = 0; round < 3; round++) {
    ask_all(*learner, 6 * round, 6, round == 1, &b);
    for (int i = 0; i < 6; i++) {
      fcps_error error;
      char *text = NULL;
      if (is_resumed) {
        assert_ok(fcps_learner_save(*learner, &text, &error));
        fcps_learner_destroy(*learner);
        assert_ok(fcps_learner_load(learner, &problem, text, &error));
        fcps_free(text);
      }
      tell_one(*learner, &b, order[i]);
      batch extra;
      ask_all(*learner, 100 + made, 1, true, &extra);
      memcpy(parameters[made++], extra.parameters[0], sizeof extra.parameters[0]);
      assert_ok(fcps_learner_forget(*learner, extra.id[0]));
    }
  }
}

static void the_same_order_of_results_gives_the_same_asks(void **state)
{
  (void)state;
  static const char *const names[] = {"outcome", "outcome-active", "bo-fcps", "bo-cps", "random"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    fcps_learner *straight = create(names[n], NULL), *resumed = create(names[n], NULL);
    double a[18][2], b[18][2];
    run_in_disorder(&straight, false, a);
    run_in_disorder(&resumed, true, b);
    if (memcmp(a, b, sizeof a) != 0) fail_msg("%s differs after saving and loading", names[n]);
    fcps_learner_destroy(straight);
    fcps_learner_destroy(resumed);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(asks_before_any_result_are_as_good_as_a_design_of_their_number),
      cmocka_unit_test(blind_asks_of_outcome_are_the_points_of_one_design),
      cmocka_unit_test(contexts_chosen_before_any_result_differ),
      cmocka_unit_test(every_learner_gives_different_asks_in_one_context),
      cmocka_unit_test(asks_in_one_context_spread_where_the_model_is_unsure),
      cmocka_unit_test(batches_learn_nearly_as_well_as_single_trials),
      cmocka_unit_test(the_same_order_of_results_gives_the_same_asks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
