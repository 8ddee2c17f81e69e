/* SPDX-License-Identifier: Apache-2.0 */
/* A wrong number is noticed when it is told, hardly counts until a person confirms it, and never makes a study look
 * finished. Right numbers are believed. */
#include "outlook.h"
#include "study_fixture.h"

#include <fcps/study_remarks.h>

static const char batch_yaml[] = "name: batch\n"
                                 "target: {wanted: [4, 24]}\n"
                                 "environment: {age: [0, 30]}\n"
                                 "parameters: {heat: [60, 120], dose: [1, 10]}\n"
                                 "outcome: [volume, purity]\n"
                                 "reward: \"-abs(volume-wanted)/5 - abs(purity-92)/4\"\n"
                                 "learner: {name: outcome}\n";

enum { VOLUME, PURITY };

/* A number in [-1, 1] that looks like noise. */
static double jitter(int64_t id, int which)
{
  const double x = 43758.5453 * sin(12.9898 * (double)id + 78.233 * which);
  return 2.0 * (x - floor(x)) - 1.0;
}

static void run_batch(int64_t id, const double *environment, const double *parameters, double outcome[2])
{
  const double heat = (parameters[0] - 60.0) / 60.0, dose = parameters[1];
  outcome[VOLUME] = 3.0 * dose * (1.0 - exp(-0.5 - 1.5 * heat)) + 0.2 * jitter(id, VOLUME);
  outcome[PURITY] = 98.0 - 12.0 * heat * heat - 0.4 * dose - environment[0] / 15.0 + 0.2 * jitter(id, PURITY);
}

typedef struct warnings {
  int count;
  char last[400];
} warnings;

static void hear(void *user, fcps_log_level level, const char *code, const char *message)
{
  warnings *heard = user;
  if (level != FCPS_LOG_WARNING || strcmp(code, "W_SURPRISE") != 0) return;
  heard->count++;
  snprintf(heard->last, sizeof heard->last, "%s", message);
}

static fcps_study *make_batch(const char *path, const char *learner, warnings *heard)
{
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.text = batch_yaml, .text_name = "batch.yaml", .learner = learner, .seed = 1001};
  const fcps_study_options options = {.log = {hear, heard}};
  *heard = (warnings){0};
  assert_ok(fcps_study_create(&study, path, &setup, &options, NULL));
  return study;
}

/* The outcome as the pen writes it. */
typedef void slip(double outcome[2]);
static void none(double outcome[2])
{
  (void)outcome;
}
static void hundredfold(double outcome[2])
{
  outcome[VOLUME] *= 100;
}
static void tenfold(double outcome[2])
{
  outcome[VOLUME] *= 10;
}
static void tenth(double outcome[2])
{
  outcome[VOLUME] /= 10;
}
static void thousandth(double outcome[2])
{
  outcome[VOLUME] /= 1000;
}
static void hundredth(double outcome[2])
{
  outcome[VOLUME] /= 100;
}
static void lost_sign(double outcome[2])
{
  outcome[VOLUME] *= -1;
}
static void swapped(double outcome[2])
{
  const double volume = outcome[VOLUME];
  outcome[VOLUME] = outcome[PURITY];
  outcome[PURITY] = volume;
}

/* Asks, runs and tells once. The volume is large, so that a typing error shows. */
static fcps_receipt batch_once(fcps_study *study, slip *write_down)
{
  double target, environment, outcome[2];
  fcps_ask ask;
  fcps_receipt receipt;
  const int64_t id = fcps_study_ask_count(study) + 1;
  context_of(id, &target, &environment);
  target = 4.0 + 4.0 * target;
  environment = 15.0 + 15.0 * environment;
  if (write_down != none) target = 18.0;
  assert_ok(fcps_study_ask(study, NULL, &target, &environment, &ask, NULL));
  run_batch(id, ask.environment, ask.parameters, outcome);
  write_down(outcome);
  const fcps_result result = {.rollout.outcome = outcome};
  assert_ok(fcps_study_tell(study, ask.id, &result, &receipt, NULL));
  return receipt;
}

/* `count` batches, of which number `wrong` (from 1; 0: none) was written down wrongly. */
static void run_batches(fcps_study *study, int count, int wrong, slip *write_down)
{
  while (fcps_study_result_count(study) < count)
    batch_once(study, fcps_study_result_count(study) + 1 == wrong ? write_down : none);
}

/* The mean reward that the policy earns without noise. */
static double earned(fcps_study *study)
{
  enum { CONTEXTS = 40 };
  fcps_policy *policy = NULL;
  double sum = 0.0;
  assert_ok(fcps_study_policy(study, &policy, NULL));
  for (int i = 0; i < CONTEXTS; i++) {
    double target, environment, parameters[2], outcome[2];
    context_of(1000 + i, &target, &environment);
    target = 4.0 + 4.0 * target;
    environment = 15.0 + 15.0 * environment;
    assert_ok(fcps_policy_query(policy, &target, &environment, parameters, NULL));
    run_batch(0, &environment, parameters, outcome);
    sum -= fabs(outcome[VOLUME] - target) / 5.0 + fabs(outcome[PURITY] - 92.0) / 4.0;
  }
  fcps_policy_destroy(policy);
  return sum / CONTEXTS;
}

static int suspects_of(fcps_study *study)
{
  int count = -1;
  assert_ok(fcps_study_find_suspects(study, &count, NULL));
  return count;
}

/* -- Noticing -- */

static void a_slip_of_the_pen_is_said_and_costs_hardly_anything(void **state)
{
  (void)state;
  static slip *const slips[] = {hundredfold, tenfold, tenth, hundredth, lost_sign, swapped};
  enum { BATCHES = 30, WRONG = 24 };
  warnings heard;
  fcps_study *clean = make_batch(NULL, "outcome", &heard);
  run_batches(clean, BATCHES, 0, none);
  assert_int_equal(heard.count, 0);
  assert_int_equal(suspects_of(clean), 0);
  const double best = earned(clean), gap = 1.0; /* random parameters earn about that much less */
  for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
    fcps_study *s = make_batch(NULL, "outcome", &heard);
    run_batches(s, WRONG - 1, 0, none);
    assert_true(batch_once(s, slips[i]).is_suspect);
    assert_int_equal(heard.count, 1);
    if (strstr(heard.last, "a typo? fcps study amend STUDY --drop 24.1, or --confirm 24.1") == NULL)
      fail_msg("%s", heard.last);
    if (strstr(heard.last, " +- ") == NULL) fail_msg("%s", heard.last);
    run_batches(s, BATCHES, 0, none);
    assert_int_equal(heard.count, 1);
    assert_int_equal(suspects_of(s), 1);
    fcps_stored_result stored;
    fcps_study_result_at(s, WRONG - 1, &stored);
    assert_true(stored.is_suspect && stored.expected_deviation > 0);
    const double now = earned(s);
    if (!(now > best - 0.05 * gap)) fail_msg("slip %zu: %g where %g would be earned", i, now, best);
    fcps_study_close(s);
  }
  fcps_study_close(clean);
}

/* Nothing is known yet that the first results could contradict; the later ones expose the wrong one. */
static void the_first_result_is_doubted_as_soon_as_others_are_there(void **state)
{
  (void)state;
  warnings heard;
  fcps_study *s = make_batch(NULL, "outcome", &heard);
  run_batches(s, 4, 1, hundredfold);
  assert_int_equal(suspects_of(s), 0);
  run_batches(s, 12, 0, none);
  assert_int_equal(suspects_of(s), 1);
  fcps_stored_result stored;
  fcps_study_result_at(s, 0, &stored);
  assert_true(stored.is_suspect);
  fcps_study_close(s);
}

/* Rewards jump where outcomes do not: these learners doubt outcomes only when they are asked. */
static void a_learner_of_rewards_shows_wrong_outcomes(void **state)
{
  (void)state;
  warnings heard;
  fcps_study *s = make_batch(NULL, "bo-fcps", &heard);
  run_batches(s, 20, 15, hundredfold);
  assert_int_equal(suspects_of(s), 1);
  fcps_study_close(s);
}

static void a_learner_without_a_model_doubts_nobody(void **state)
{
  (void)state;
  warnings heard;
  fcps_study *s = make_batch(NULL, "c-reps", &heard);
  run_batches(s, 12, 8, hundredfold);
  assert_int_equal(suspects_of(s), 0);
  fcps_study_close(s);
}

/* -- Believing -- */

static void a_confirmed_result_counts_as_any_other(void **state)
{
  (void)state;
  warnings heard;
  fcps_stored_result stored;
  fcps_error error;
  fcps_study *s = make_batch(test_path, "outcome", &heard);
  run_batches(s, 20, 15, hundredfold);
  assert_int_equal(suspects_of(s), 1);
  fcps_study_result_at(s, 14, &stored);
  assert_status(fcps_study_confirm(s, 9999, &error), FCPS_ERR_UNKNOWN_ASK);
  assert_ok(fcps_study_confirm(s, stored.sequence, NULL));
  assert_ok(fcps_study_confirm(s, stored.sequence, NULL)); /* once is enough */
  assert_int_equal(suspects_of(s), 0);
  run_batches(s, 22, 0, none);
  assert_int_equal(heard.count, 1);
  fcps_study_close(s);
  s = open_study(test_path);
  fcps_study_result_at(s, 14, &stored);
  assert_true(stored.result.rollout.is_confirmed && !stored.is_suspect);
  assert_int_equal(suspects_of(s), 0);
  int events = 0;
  for (const fcps_study_event *event; (event = fcps_study_event_at(s, events)) != NULL; events++)
    assert_string_equal(event->code, "CONFIRMED");
  assert_int_equal(events, 1);
  assert_string_equal(fcps_study_event_at(s, 0)->text, "15.1");
  fcps_study_close(s);
}

static void a_result_that_a_second_one_repeats_is_believed(void **state)
{
  (void)state;
  warnings heard;
  fcps_stored_result stored;
  fcps_study *s = make_batch(NULL, "outcome", &heard);
  run_batches(s, 20, 15, hundredfold);
  assert_int_equal(suspects_of(s), 1);
  fcps_study_result_at(s, 14, &stored);
  fcps_result again = {.rollout = stored.result.rollout, .key = "again"};
  const double outcome[] = {stored.result.rollout.outcome[VOLUME] * 1.0001, stored.result.rollout.outcome[PURITY]};
  again.rollout.outcome = outcome;
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &again, NULL, NULL));
  assert_int_equal(suspects_of(s), 0);
  fcps_study_close(s);
}

/* -- Going on -- */

/* A study that is opened for each batch asks the same as one that stays open, before and after the slip. */
static void doubts_survive_a_restart(void **state)
{
  (void)state;
  enum { BATCHES = 18 };
  warnings heard;
  fcps_study *whole = make_batch(NULL, "outcome", &heard), *s = make_batch(test_path, "outcome", &heard);
  run_batches(whole, BATCHES, 9, hundredfold);
  fcps_study_close(s);
  for (int i = 1; i <= BATCHES; i++) {
    s = open_study(test_path);
    run_batches(s, i, 9, hundredfold);
    if (i < BATCHES) fcps_study_close(s);
  }
  for (int i = 0; i < BATCHES; i++) {
    fcps_ask a, b;
    fcps_study_ask_at(whole, i, &a);
    fcps_study_ask_at(s, i, &b);
    assert_memory_equal(a.parameters, b.parameters, 2 * sizeof(double));
  }
  assert_int_equal(suspects_of(s), 1);
  fcps_study_close(s);
  fcps_study_close(whole);
}

static void an_outlier_never_says_enough(void **state)
{
  (void)state;
  warnings heard;
  fcps_study *s = make_batch(NULL, "outcome", &heard);
  run_batches(s, 31, 31, hundredfold);
  const fcps_outlook with = outlook_of(s);
  fcps_stored_result stored;
  fcps_study_result_at(s, 30, &stored);
  assert_ok(fcps_study_use_result(s, stored.sequence, false, NULL));
  const fcps_outlook without = outlook_of(s);
  assert_near(with.spread, without.spread, 1e-12);
  /* nor does a confirmed one */
  assert_ok(fcps_study_use_result(s, stored.sequence, true, NULL));
  assert_ok(fcps_study_confirm(s, stored.sequence, NULL));
  const fcps_outlook confirmed = outlook_of(s);
  assert_near(confirmed.spread, without.spread, 1e-12);
  assert_false(confirmed.is_converged);
  fcps_study_close(s);
}

/* -- Another unit -- */

/* Trial `i` of a sequence that fills the box, its volume times `factor`. */
static void tell_spread(fcps_study *study, int i, double factor)
{
  const double target = 4.0 + 20.0 * fmod(0.8191725 * (i + 1), 1.0),
               environment = 30.0 * fmod(0.6710436 * (i + 1), 1.0);
  const double parameters[2] = {60.0 + 60.0 * fmod(0.5497005 * (i + 1), 1.0), 1.0 + 9.0 * fmod(0.4503 * (i + 1), 1.0)};
  double outcome[2];
  run_batch(i, &environment, parameters, outcome);
  outcome[VOLUME] *= factor;
  const fcps_result result = {
      .rollout = {.target = &target, .environment = &environment, .parameters = parameters, .outcome = outcome}};
  assert_ok(fcps_study_tell(study, FCPS_NOT_ASKED, &result, NULL, NULL));
}

/* Near the limit of a tenth, two fits may disagree about the suspects. The marked ones count. */
static void the_outlook_counts_the_suspects_that_are_marked(void **state)
{
  (void)state;
  enum { RIGHT = 36, WRONG = 8 };
  warnings heard;
  fcps_study *s = make_batch(NULL, "outcome", &heard);
  for (int i = 0; i < RIGHT + WRONG; i++) {
    tell_spread(s, i, i < RIGHT ? 1.0 : 0.001);
    if (i < RIGHT) continue;
    const int counted = outlook_of(s).suspects;
    int marked = 0;
    for (int j = 0; j <= i; j++) {
      fcps_stored_result stored;
      fcps_study_result_at(s, j, &stored);
      marked += stored.is_suspect;
    }
    assert_int_equal(counted, marked);
    assert_int_equal(suspects_of(s), marked);
  }
  fcps_study_close(s);
}

static void hear_unit(void *user, fcps_log_level level, const char *code, const char *message)
{
  warnings *heard = user;
  if (level != FCPS_LOG_WARNING || strcmp(code, "W_UNIT") != 0) return;
  heard->count++;
  snprintf(heard->last, sizeof heard->last, "%s", message);
}

/* The study after `right` results, and `wrong` more whose volume is multiplied by `factor`. */
static warnings hear_of_units(const char *text, int right, int wrong, double factor)
{
  warnings heard = {0};
  fcps_study *s = NULL;
  const fcps_study_remark *remark;
  const fcps_study_setup setup = {.text = text, .text_name = "batch.yaml", .seed = 1001};
  const fcps_study_options options = {.log = {hear_unit, &heard}};
  assert_ok(fcps_study_create(&s, NULL, &setup, &options, NULL));
  for (int i = 0; i < right + wrong; i++)
    tell_spread(s, i, i < right ? 1.0 : factor);
  suspects_of(s);
  assert_true(heard.count <= 4);
  heard = (warnings){0};
  for (int i = 0; (remark = fcps_study_remark_at(s, i)) != NULL; i++)
    hear_unit(&heard, FCPS_LOG_WARNING, remark->code, remark->text);
  fcps_study_close(s);
  return heard;
}

static void another_unit_is_said_by_name(void **state)
{
  (void)state;
  static const struct {
    int right, wrong;
    double factor;
    const char *said;
  } cases[] = {
      {30, 3, 0.001, "the last 3 results of volume, from 31 on, are about 1/1000 of"},
      {30, 8, 0.001, "amend STUDY --drop 31-38)"},
      {30, 20, 1000.0, "the last 20 results of volume, from 31 on, are about 1000 times"},
      {30, 8, 1.0 / 60.0, "are about 1/59.8 of what the others say: another unit?"},
      {24, 6, 4.0, "are about 3.96 times what the others say: another unit?"},
      {24, 6, 10.0, "are about 10 times what the others say: another unit?"},
      {24, 6, 0.1, "are about 1/10 of what the others say: another unit?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const warnings heard = hear_of_units(batch_yaml, cases[i].right, cases[i].wrong, cases[i].factor);
    if (heard.count != 1 || strstr(heard.last, cases[i].said) == NULL)
      fail_msg("case %zu: %d, %s", i, heard.count, heard.last);
  }
}

/* The unit of the other results is known, so the wrong unit has a name; a volume is not in minutes. */
static void a_unit_of_the_same_kind_is_named(void **state)
{
  (void)state;
  static const char litres[] = "name: batch\n"
                               "target: {wanted: [4, 24]}\n"
                               "environment: {age: [0, 30]}\n"
                               "parameters: {heat: [60, 120], dose: [1, 10]}\n"
                               "outcome: {volume: {unit: L}, purity: {}}\n"
                               "reward: \"-abs(volume-wanted)/5 - abs(purity-92)/4\"\n"
                               "learner: {name: outcome}\n";
  const warnings sixtieth = hear_of_units(litres, 30, 8, 1.0 / 60.0), thousand = hear_of_units(litres, 30, 8, 1000.0);
  assert_int_equal(sixtieth.count, 1);
  assert_int_equal(thousand.count, 1);
  assert_non_null(strstr(sixtieth.last, "are about 1/59.8 of what the others say: another unit?"));
  assert_non_null(strstr(thousand.last, "are about 1000 times what the others say: mL instead of L?"));
}

/* A spell in another unit, told while the trials come: the ask after its third result names it, not each ask, and
 * this costs little. */
static void a_spell_in_another_unit_is_said_while_it_lasts_and_costs_hardly_anything(void **state)
{
  (void)state;
  enum { ALL = 60, FIRST = 30, END = 40 };
  warnings heard = {0};
  fcps_study *clean = make_batch(NULL, "outcome", &heard), *random = make_batch(NULL, "random", &heard), *s = NULL;
  const fcps_study_setup setup = {.text = batch_yaml, .text_name = "batch.yaml", .seed = 1001};
  const fcps_study_options options = {.log = {hear_unit, &heard}};
  assert_ok(fcps_study_create(&s, NULL, &setup, &options, NULL));
  heard = (warnings){0};
  for (int i = 1; i <= ALL; i++) {
    batch_once(s, i >= FIRST && i < END ? thousandth : none);
    if (i == FIRST + 2) assert_int_equal(heard.count, 0);
    if (i == FIRST + 3) assert_int_equal(heard.count, 1);
  }
  assert_true(heard.count <= 3);
  assert_int_equal(suspects_of(s), END - FIRST);
  const fcps_study_remark *remark = fcps_study_remark_at(s, 0);
  assert_non_null(remark);
  assert_non_null(strstr(remark->text, "10 results of volume, from 30.1 to 39.1,"));
  assert_non_null(strstr(remark->text, "--drop 30.1-39.1)"));
  assert_false(outlook_of(s).is_converged);
  run_batches(clean, ALL, 0, none);
  run_batches(random, 20, 0, none);
  const double best = earned(clean), gap = best - earned(random), now = earned(s);
  if (!(now > best - 0.1 * gap)) fail_msg("%g where %g would be earned", now, best);
  fcps_study_close(s);
  fcps_study_close(clean);
  fcps_study_close(random);
}

/* A result that became a suspect by a fit, and not when it was told, is also named once. */
static void a_suspect_is_said_when_it_is_noticed(void **state)
{
  (void)state;
  warnings heard;
  fcps_study *s = make_batch(NULL, "outcome", &heard);
  run_batches(s, 40, 2, hundredfold);
  assert_int_equal(heard.count, 1);
  assert_non_null(strstr(heard.last, "--confirm 2.1"));
  assert_int_equal(suspects_of(s), 1);
  fcps_study_close(s);
}

static void a_unit_that_was_confirmed_is_not_said_again(void **state)
{
  (void)state;
  warnings heard = {0};
  fcps_study *s = NULL;
  const fcps_study_setup setup = {.text = batch_yaml, .text_name = "batch.yaml", .seed = 1001};
  const fcps_study_options options = {.log = {hear_unit, &heard}};
  assert_ok(fcps_study_create(&s, NULL, &setup, &options, NULL));
  for (int i = 0; i < 34; i++)
    tell_spread(s, i, i < 30 ? 1.0 : 0.001);
  for (int i = 30; i < 34; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(s, i, &stored);
    assert_ok(fcps_study_confirm(s, stored.sequence, NULL));
  }
  heard = (warnings){0};
  suspects_of(s);
  assert_int_equal(heard.count, 0);
  fcps_study_close(s);
}

/* Nor are two results a run. */
static void no_unit_is_said_where_none_has_changed(void **state)
{
  (void)state;
  assert_int_equal(hear_of_units(batch_yaml, 30, 0, 1.0).count, 0);
  assert_int_equal(hear_of_units(batch_yaml, 30, 2, 0.001).count, 0);
  assert_int_equal(hear_of_units(batch_yaml, 30, 6, 1.2).count, 0);
  assert_int_equal(hear_of_units(batch_yaml, 6, 6, 0.001).count, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slip_of_the_pen_is_said_and_costs_hardly_anything),
      cmocka_unit_test(the_first_result_is_doubted_as_soon_as_others_are_there),
      cmocka_unit_test(a_learner_of_rewards_shows_wrong_outcomes),
      cmocka_unit_test(a_learner_without_a_model_doubts_nobody),
      cmocka_unit_test_setup_teardown(a_confirmed_result_counts_as_any_other, make_folder, remove_folder),
      cmocka_unit_test(a_result_that_a_second_one_repeats_is_believed),
      cmocka_unit_test_setup_teardown(doubts_survive_a_restart, make_folder, remove_folder),
      cmocka_unit_test(an_outlier_never_says_enough),
      cmocka_unit_test(the_outlook_counts_the_suspects_that_are_marked),
      cmocka_unit_test(a_unit_of_the_same_kind_is_named),
      cmocka_unit_test(another_unit_is_said_by_name),
      cmocka_unit_test(a_spell_in_another_unit_is_said_while_it_lasts_and_costs_hardly_anything),
      cmocka_unit_test(a_suspect_is_said_when_it_is_noticed),
      cmocka_unit_test(a_unit_that_was_confirmed_is_not_said_again),
      cmocka_unit_test(no_unit_is_said_where_none_has_changed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
