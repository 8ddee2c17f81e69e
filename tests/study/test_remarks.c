/* SPDX-License-Identifier: Apache-2.0 */
/* Things that look wrong in a reward, in results or in the model give one remark each, and prevent convergence as long
 * as they stand. Honest data give no remark. */
#include "outlook.h"
#include "study_fixture.h"

#include <fcps/study_remarks.h>

static int said;
static char said_code[64], said_text[1024];

static void hear(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)user;
  if (level != FCPS_LOG_WARNING) return;
  said++;
  snprintf(said_code, sizeof said_code, "%s", code);
  snprintf(said_text, sizeof said_text, "%s", message);
}

static fcps_study *make(const char *outcome, const char *reward)
{
  char yaml[512];
  fcps_study *study = NULL;
  snprintf(yaml, sizeof yaml,
           "name: batch\ntarget: {want: [2, 8]}\nparameters: {p: [0, 1], q: [0, 1]}\noutcome: %s\nreward: \"%s\"\n"
           "learner: outcome\n",
           outcome, reward);
  const fcps_study_setup setup = {.text = yaml, .text_name = "batch.yaml", .seed = 1001};
  const fcps_study_options options = {.log = {.write = hear}};
  said = 0;
  said_code[0] = '\0';
  assert_ok(fcps_study_create(&study, NULL, &setup, &options, NULL));
  return study;
}

static void place_of(int i, double *parameters)
{
  parameters[0] = fmod(0.754878 * (i + 1), 1.0);
  parameters[1] = fmod(0.569840 * (i + 1), 1.0);
}

static void tell(fcps_study *study, int i, const double *outcome)
{
  double parameters[2];
  const double target = 2.0 + 6.0 * fmod(0.618034 * (i + 1), 1.0);
  place_of(i, parameters);
  const fcps_result result = {.rollout = {.target = &target, .parameters = parameters, .outcome = outcome}};
  assert_ok(fcps_study_tell(study, FCPS_NOT_ASKED, &result, NULL, NULL));
}

/* A tell fits no model, so every call that fits one gives the remarks that a tell leaves out. */
static void fit(fcps_study *study)
{
  fcps_policy *policy = NULL;
  assert_ok(fcps_study_policy(study, &policy, NULL));
  fcps_policy_destroy(policy);
}

/* A smooth process. */
static double volume_of(int i)
{
  double p[2];
  place_of(i, p);
  return 1.0 + 6.0 * p[0] + 3.0 * p[1] * p[1];
}

static bool stands(const fcps_study *study, const char *code)
{
  const fcps_study_remark *remark;
  for (int i = 0; (remark = fcps_study_remark_at(study, i)) != NULL; i++)
    if (strcmp(remark->code, code) == 0) return true;
  return false;
}

static void honest_results_are_enough_without_a_word(void **state)
{
  (void)state;
  fcps_study *s = make("[volume]", "-abs(volume - want)");
  for (int i = 0; i < 30; i++) {
    const double volume = volume_of(i);
    tell(s, i, &volume);
  }
  const fcps_outlook o = outlook_of(s);
  assert_true(o.is_converged);
  assert_int_equal(o.remarks, 0);
  assert_int_equal(said, 0);
  assert_null(fcps_study_remark_at(s, 0));
  fcps_study_close(s);
}

static void an_outcome_that_never_changes_is_said_at_the_fifth_result(void **state)
{
  (void)state;
  fcps_study *s = make("[volume]", "-abs(volume - want)");
  const double volume = 3.2, nowhere[2] = {0}, target = 3.0;
  const fcps_result failed = {.rollout = {.target = &target, .parameters = nowhere, .status = FCPS_ROLLOUT_FAILED}};
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &failed, NULL, NULL)); /* nothing was measured yet */
  for (int i = 0; i < 30; i++) {
    tell(s, i, &volume);
    assert_int_equal(said, i > 4);
    fit(s);
    assert_int_equal(said, i >= 4);
  }
  assert_string_equal(said_code, "W_SAME_OUTCOME");
  assert_non_null(strstr(said_text, "volume was 3.2 in all 5 results"));
  const fcps_outlook o = outlook_of(s);
  assert_false(o.is_converged);
  assert_int_equal(o.remarks, 1);
  assert_int_equal(said, 1);
  /* a person confirms it */
  fcps_stored_result stored;
  fcps_study_result_at(s, 30, &stored);
  assert_ok(fcps_study_confirm(s, stored.sequence, NULL));
  assert_int_equal(outlook_of(s).remarks, 0);
  fcps_study_close(s);
}

static void tell_at(fcps_study *study, int i, const double *parameters, const double *outcome)
{
  const double target = 2.0 + 6.0 * fmod(0.618034 * (i + 1), 1.0);
  const fcps_result result = {.rollout = {.target = &target, .parameters = parameters, .outcome = outcome}};
  assert_ok(fcps_study_tell(study, FCPS_NOT_ASKED, &result, NULL, NULL));
}

/* Tells results of which the last twelve have one current, and returns whether that was said. */
static bool says_that_current_stopped(double (*current)(int i, double *parameters), int *enough)
{
  enum { ALL = 32 };
  fcps_study *s = make("[volume, current]", "-abs(volume - want)");
  for (int i = 0; i < ALL; i++) {
    double parameters[2], outcome[2];
    place_of(i, parameters);
    outcome[1] = current(i, parameters);
    outcome[0] = 1.0 + 6.0 * parameters[0] + 3.0 * parameters[1] * parameters[1];
    tell_at(s, i, parameters, outcome);
  }
  fit(s);
  const bool is_said = stands(s, "W_SAME_OUTCOME");
  const fcps_outlook o = outlook_of(s);
  *enough = o.remarks == 0;
  if (is_said) {
    assert_string_equal(said_code, "W_SAME_OUTCOME");
    assert_non_null(strstr(said_text, "current was 6.5 in each of the newest 12 results"));
    assert_non_null(strstr(said_text, "--drop 21-32"));
    fcps_stored_result stored;
    fcps_study_result_at(s, ALL - 1, &stored);
    assert_ok(fcps_study_confirm(s, stored.sequence, NULL));
    assert_int_equal(outlook_of(s).remarks, 0);
  }
  fcps_study_close(s);
  return is_said;
}

static double living(const double *p)
{
  return 4.0 + 4.0 * p[0] + 1.0 * sin(5.0 * p[1]);
}
static double stops(int i, double *p)
{
  return i < 20 ? living(p) : 6.5;
}
static double reaches_its_end(int i, double *p)
{
  return i < 20 ? fmin(living(p), 6.5) : 6.5;
}
/* The end of the range, where no trial was before. */
static double reaches_another_end(int i, double *p)
{
  return i < 20 ? 0.6 * living(p) : 6.5;
}
static double is_a_whole_number(int i, double *p)
{
  return i < 20 ? round(living(p)) : 6.5;
}
/* A search that ends at one place, whose sensor has few digits. */
static double converges(int i, double *p)
{
  for (int d = 0; d < 2; d++)
    p[d] = 0.6 + (p[d] - 0.6) * (i < 12 ? 1.0 : pow(0.5, i - 11));
  return i < 20 ? living(p) : 6.5;
}
/* The process is flat in a corner where no trial was before. */
static double rests(int i, double *p)
{
  p[0] = i < 20 ? 0.6 * p[0] : 0.7 + 0.3 * p[0];
  return i < 20 ? living(p) + 1.5 * (i == 7) : 6.5;
}

static void a_sensor_that_dies_after_it_has_worked_is_said(void **state)
{
  (void)state;
  int is_enough;
  assert_true(says_that_current_stopped(stops, &is_enough));
  assert_false(is_enough);
  assert_false(says_that_current_stopped(reaches_its_end, &is_enough));
  assert_false(says_that_current_stopped(reaches_another_end, &is_enough));
  assert_false(says_that_current_stopped(is_a_whole_number, &is_enough));
  assert_false(says_that_current_stopped(converges, &is_enough));
  assert_false(says_that_current_stopped(rests, &is_enough));
}

static void a_flag_that_was_never_raised_is_no_dead_sensor(void **state)
{
  (void)state;
  fcps_study *s = make("[volume, crash]", "crash > 0.5 ? -9 : -abs(volume - want)");
  for (int i = 0; i < 30; i++) {
    const double outcome[2] = {volume_of(i), 0.0};
    tell(s, i, outcome);
  }
  assert_true(outlook_of(s).is_converged);
  assert_int_equal(said, 1); /* that the crash is a limit */
  fcps_study_close(s);
}

static void what_a_dead_sensor_told_at_the_start_is_doubted_once_it_lives(void **state)
{
  (void)state;
  enum { DEAD = 12, ALL = 36 };
  fcps_study *s = make("[volume]", "-abs(volume - want)");
  for (int i = 0; i < ALL; i++) {
    const double volume = i < DEAD ? 4.2 : volume_of(i);
    tell(s, i, &volume);
  }
  const fcps_outlook o = outlook_of(s);
  assert_int_equal(o.suspects, DEAD);
  assert_false(stands(s, "W_SAME_OUTCOME"));
  fcps_stored_result stored;
  for (int i = 0; i < ALL; i++) {
    fcps_study_result_at(s, i, &stored);
    assert_int_equal(stored.is_suspect, i < DEAD);
    if (i < DEAD) assert_ok(fcps_study_use_result(s, stored.sequence, false, NULL));
  }
  /* the model is as good as without them */
  assert_true(o.reducible_deviation < 0.05 && outlook_of(s).is_converged);
  fcps_study_close(s);
}

/* As many results as W_SAME_OUTCOME needs are doubted once the sensor works again, also if they are whole numbers. */
static void five_zeros_of_a_dead_sensor_are_doubted_as_a_whole(void **state)
{
  (void)state;
  for (int dead = 4; dead <= 7; dead++) {
    fcps_study *s = make("[volume]", "-abs(volume - want)");
    for (int i = 0; i < 30; i++) {
      const double volume = i < dead ? 0.0 : volume_of(i);
      tell(s, i, &volume);
      if (i + 1 == dead) fit(s);
      if (i + 1 == dead) assert_int_equal(stands(s, "W_SAME_OUTCOME"), dead >= 5);
    }
    const fcps_outlook o = outlook_of(s);
    fcps_stored_result stored;
    for (int i = 0; i < 30 && dead >= 5; i++) {
      fcps_study_result_at(s, i, &stored);
      assert_int_equal(stored.is_suspect, i < dead);
    }
    assert_false(o.is_converged);
    fcps_study_close(s);
  }
}

static void two_values_and_equal_rewards_are_never_enough(void **state)
{
  (void)state;
  fcps_study *hits = make("[hit]", "hit > 0.5 ? 1 : -1"), *misses = make("[volume]", "volume > 50 ? 1 : -1");
  for (int i = 0; i < 40; i++) {
    const double hit = volume_of(i) > 5.0, volume = volume_of(i);
    tell(hits, i, &hit);
    tell(misses, i, &volume);
  }
  assert_false(outlook_of(hits).is_converged);
  assert_true(stands(hits, "W_TWO_VALUES"));
  const fcps_outlook o = outlook_of(misses);
  assert_true(o.spread == 0 && !o.is_converged);
  assert_true(stands(misses, "W_SAME_REWARD"));
  fcps_study_close(hits);
  fcps_study_close(misses);
}

static void an_exact_question_is_seen_before_a_trial_meets_it(void **state)
{
  (void)state;
  static const char *const exact[] = {"volume == 4 ? 10 : -abs(volume - want)", "-abs(volume - want) + (volume && 1)",
                                      "volume - 3 ? -abs(volume - want) : 5"},
                           *const ranges[] = {"round(volume) == 4 ? 10 : -abs(volume - want)",
                                              "present == 1 ? -abs(volume - want) : -9",
                                              "max(volume, 4) == 4 ? 0 : -abs(volume - want)"};
  for (size_t k = 0; k < 3; k++)
    for (int is_exact = 0; is_exact < 2; is_exact++) {
      fcps_study *s = make("[volume]", is_exact ? exact[k] : ranges[k]);
      for (int i = 0; i < 12; i++) {
        const double volume = volume_of(i);
        tell(s, i, &volume);
      }
      outlook_of(s);
      assert_int_equal(stands(s, "W_EXACT_OUTCOME"), is_exact);
      fcps_study_close(s);
    }
}

static void a_range_in_another_unit_is_never_enough(void **state)
{
  (void)state;
  fcps_study *s = make("{volume: [0, 10]}", "-abs(volume - want)");
  for (int i = 0; i < 30; i++) {
    const double volume = 1000 * volume_of(i);
    tell(s, i, &volume);
  }
  assert_false(outlook_of(s).is_converged);
  assert_true(stands(s, "W_OUTSIDE_RANGE"));
  assert_ok(fcps_study_amend(s, "bounds.volume", "0,20000", NULL));
  outlook_of(s);
  assert_false(stands(s, "W_OUTSIDE_RANGE"));
  fcps_study_close(s);
}

static void many_wrong_results_point_to_the_check_of_the_model(void **state)
{
  (void)state;
  fcps_study *s = make("[volume]", "-abs(volume - want)");
  for (int i = 0; i < 48; i++) {
    const double volume = volume_of(i) * (i % 6 == 5 ? 2.54 : 1.0);
    tell(s, i, &volume);
  }
  assert_false(outlook_of(s).is_converged);
  assert_true(stands(s, "W_MODEL") || outlook_of(s).suspects > 0);
  fcps_study_close(s);
}

/* Numbers between 0 and 1 that nothing predicts. */
static double chance_of(int i)
{
  return fmod(1e4 * fabs(sin(12.9898 * (i + 1.0))), 1.0);
}

static void a_model_that_is_too_sure_holds_enough_back(void **state)
{
  (void)state;
  const fcps_setting settings[] = {{"noise_prior", "0.01"},     {"noise_prior_sd", "0.01"},  {"length_prior", "3"},
                                   {"length_prior_sd", "0.01"}, {"signal_prior_sd", "0.01"}, {NULL, NULL}};
  /* if the reward does not use an outcome, it does not matter how sure the model is of it */
  for (int is_used = 0; is_used < 2; is_used++) {
    char yaml[300];
    fcps_study *s = NULL;
    snprintf(yaml, sizeof yaml,
             "name: batch\ntarget: {want: [2, 8]}\nparameters: {p: [0, 1], q: [0, 1]}\noutcome: [volume]\n"
             "reward: \"-abs(%s - want)\"\n",
             is_used ? "volume" : "p");
    const fcps_study_setup setup = {.text = yaml, .learner = "outcome", .settings = settings, .seed = 1001};
    assert_ok(fcps_study_create(&s, NULL, &setup, NULL, NULL));
    for (int i = 0; i < 60; i++) {
      const double volume = volume_of(i) + 0.2 * chance_of(i); /* 46 of 60 are covered */
      tell(s, i, &volume);
    }
    const fcps_outlook o = outlook_of(s);
    assert_int_equal(stands(s, "W_OVERCONFIDENT"), is_used);
    assert_int_equal(o.remarks, is_used);
    fcps_study_close(s);
  }
}

static void an_outcome_that_nothing_explains_is_said_once_it_could_be_known(void **state)
{
  (void)state;
  fcps_study *s = make("[volume, luck]", "-abs(volume - want) - luck"),
             *unused = make("[volume, luck]", "-abs(volume - want) - 0*luck");
  for (int i = 0; i < 40; i++) {
    const double outcome[2] = {volume_of(i), chance_of(i)};
    tell(s, i, outcome);
    tell(unused, i, outcome);
    if (i + 1 < 20) continue; /* ten for each parameter */
    const fcps_outlook o = i % 10 == 9 ? outlook_of(s) : (fcps_outlook){0};
    assert_int_equal(o.remarks, 0); /* more trials do not change chance */
  }
  assert_true(stands(s, "W_BLIND"));
  assert_string_equal(said_code, "W_BLIND");
  assert_non_null(strstr(said_text, "luck is predicted hardly better than by their mean"));
  assert_int_equal(said, 1);
  outlook_of(unused);
  assert_false(stands(unused, "W_BLIND"));
  fcps_study_close(s);
  fcps_study_close(unused);
}

static void another_unit_holds_enough_back(void **state)
{
  (void)state;
  fcps_study *s = make("[volume]", "-abs(volume - want)");
  for (int i = 0; i < 30; i++) {
    const double volume = volume_of(i) * (i >= 24 ? 1000.0 : 1.0);
    tell(s, i, &volume);
  }
  assert_false(outlook_of(s).is_converged);
  assert_true(stands(s, "W_UNIT"));
  fcps_study_close(s);
}

static void another_unit_is_named_also_when_it_came_back(void **state)
{
  (void)state;
  fcps_study *s = make("[volume]", "-abs(volume - want)");
  for (int i = 0; i < 40; i++) {
    const double volume = volume_of(i) * (i >= 20 && i < 26 ? 1000.0 : 1.0);
    tell(s, i, &volume);
  }
  assert_false(outlook_of(s).is_converged);
  assert_true(stands(s, "W_UNIT"));
  const fcps_study_remark *remark = fcps_study_remark_at(s, 0);
  for (int i = 1; strcmp(remark->code, "W_UNIT") != 0; i++)
    remark = fcps_study_remark_at(s, i);
  assert_non_null(strstr(remark->text, "6 results of volume, from "));
  /* once they are dropped, there is no remark */
  for (int i = 20; i < 26; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(s, i, &stored);
    assert_ok(fcps_study_use_result(s, stored.sequence, false, NULL));
  }
  outlook_of(s);
  assert_false(stands(s, "W_UNIT"));
  fcps_study_close(s);
}

static void strange_rewards_are_said_when_the_study_is_made(void **state)
{
  (void)state;
  static const struct {
    const char *reward, *code;
  } cases[] = {{"3 - 2", "W_REWARD_CONSTANT"},
               {"-abs(p - 0.5)", "W_REWARD_NO_OUTCOME"},
               {"abs(volume - want)", "W_REWARD_GROWS"},
               {"(volume - 3)^2 - 0.1*p", "W_REWARD_GROWS"},
               {"1 - exp(-(volume - want)^2)", "W_REWARD_GROWS"},
               {"sqrt(-1 - volume^2)", ""},
               {"want*volume - p", ""},
               {"-abs(volume - want)", ""},
               {"want*volume - 2*p", ""},
               {"volume - 2*p", "W_REWARD_NO_TARGET"},
               {"volume - want", "W_REWARD_NO_TARGET"},
               {"want*volume^2", ""},
               {"present ? want : 0", ""},
               {"abs(volume - want) < 0.5", ""},
               {"exp(-(volume - want)^2)", ""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_study *s = make("[volume]", cases[i].reward);
    assert_string_equal(said_code, cases[i].code);
    assert_int_equal(said, cases[i].code[0] != '\0');
    fcps_study_close(s);
  }
  fcps_study *s = make("[volume]", "-abs(volume - want)");
  assert_ok(fcps_study_amend(s, "reward", "abs(volume - want)", NULL));
  assert_string_equal(said_code, "W_REWARD_GROWS");
  fcps_study_close(s);
}

/* A problem whose outcome and target have units. */
static fcps_study *make_with_units(const char *want, const char *height, const char *reward, const char *achieved)
{
  char yaml[512];
  fcps_study *study = NULL;
  snprintf(yaml, sizeof yaml,
           "name: height\ntarget: {want: {range: [1, 2], unit: \"%s\"}, x: [0, 1]}\nparameters: {p: {range: [0, 1], "
           "unit: m}}\noutcome: {height: {unit: \"%s\"}, y: {unit: um}}\n%sreward: \"%s\"\nlearner: outcome\n",
           want, height, achieved, reward);
  const fcps_study_setup setup = {.text = yaml, .text_name = "height.yaml", .seed = 1001};
  const fcps_study_options options = {.log = {.write = hear}};
  said = 0;
  said_code[0] = '\0';
  assert_ok(fcps_study_create(&study, NULL, &setup, &options, NULL));
  return study;
}

static void units_that_contradict_each_other_in_the_reward_are_said(void **state)
{
  (void)state;
  static const char both[] = "achieved: {want: height, x: y}\n", converted[] = "achieved: {want: height/1000, x: y}\n";
  static const struct {
    const char *want, *height, *reward, *achieved, *words; /* NULL: no remark is expected */
  } cases[] = {{"mm", "um", "-abs(height - want)", "", "height (um) and want (mm)"},
               {"mm", "um", "-abs(want - height)", "", "as in height/1000"},
               {"um", "mm", "-(height - want)^2 - 0.1*p", "", "as in 1000*height"},
               {"bar", "psi", "-abs(y) - abs((height - 3) - (want + 1))", "", "as in height/14.5"},
               {"mm", "um", "height < want ? 1 : -(y - 1)", "", "height (um)"},
               {"mm", "um", "-max(height, want)", "", "height (um)"},
               {"degC", "K", "-abs(height - want)", "", "Convert one of them in the formula ("},
               {"mm", "um", "-distance", both, "as in height/1000"},
               {"mm", "um", "-distance", converted, NULL},
               {"mm", "um", "-abs(height/1000 - want)", "", NULL},
               {"mm", "um", "-abs(height - 1000*want)", "", NULL},
               {"mm", "um", "-abs(0.001*height - want) - abs(y)", "", "y (um) and want (mm)"},
               {"mm", "um", "-abs((height - 3)/1000 - want)", "", NULL},
               {"mm", "um", "-abs(height/want - 1000)", "", NULL},
               {"mm", "um", "-abs(height) - y*abs(want - 3)", "", NULL},
               {"mm", "mm", "-abs(height - want)", "", NULL},
               {"s", "mm", "-abs(height - want)", "", "height (mm) and want (s) as they are"},
               {"Gardner", "Agtron", "-abs(height - want)", "", "height (Agtron) and want (Gardner) as they are"},
               {"mm", "Agtron", "-abs(height - want)", "", "1*height"},
               {"kWh", "Wh", "-abs(height - want)", "", "as in height/1000"},
               {"C", "K", "-abs(height - want)", "", "Convert one of them in the formula ("},
               {"mm", "mm", "-abs(height - want) - y - height", "", "y (um) and height (mm)"},
               {"mm", "mm", "-abs(height - want) - (y < height ? 3 : 0)", "", "height (mm) and y (um)"},
               {"mm", "kg", "-abs(height - 1*want)", "", NULL},
               {"mm", "kg", "-abs(0.1*height - want)", "", NULL},
               {"s", "kg", "-abs(height - 2*want) - height - y", "", "as in 1*"},
               {"s", "kg", "-abs(height - 2*want) - 1*height - 0.1*y", "", NULL}, /* weighed */
               {"um", "um", "-abs(height - want) - p", "", "p (m) and height (um)"},
               {"A", "A", "-abs(height - want) - p", "", "p (m) and height (A) as they are"},
               {"A", "A", "-abs(height - p)", "", "p (m) and height (A) as they are"},
               {"A", "A", "-abs(height - want) - 0.1*p", "", NULL},
               {"A", "A", "-abs(height - want) - p^2", "", NULL},
               {"C", "degC", "-abs(height - want)", "", NULL},
               {"marks", "Mark", "-abs(height - want)", "", NULL},
               {"mm", "", "-abs(height - want)", "", NULL},
               {"", "um", "-abs(height - want)", "", NULL},
               {"mm", "marks", "-abs(height - want)", "", "as they are"},
               {"mm", "\xc2\xb5m", "-abs(height - want)", "", "height"},
               {"N/mm2", "MPa", "-abs(height - want)", "", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_study *s = make_with_units(cases[i].want, cases[i].height, cases[i].reward, cases[i].achieved);
    if (cases[i].words != NULL && (strcmp(said_code, "W_REWARD_UNITS") != 0 || !strstr(said_text, cases[i].words)))
      fail_msg("%s, %s and %s: %s %s", cases[i].reward, cases[i].height, cases[i].want, said_code, said_text);
    if (cases[i].words == NULL && strcmp(said_code, "") != 0)
      fail_msg("%s, %s and %s: %s %s", cases[i].reward, cases[i].height, cases[i].want, said_code, said_text);
    assert_int_equal(stands(s, "W_REWARD_UNITS"), cases[i].words != NULL);
    fcps_study_close(s);
  }
  fcps_study *s = make_with_units("mm", "um", "-abs(height - want)", "");
  assert_ok(fcps_study_amend(s, "reward", "-abs(height/1000 - want)", NULL));
  assert_false(stands(s, "W_REWARD_UNITS"));
  fcps_study_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(honest_results_are_enough_without_a_word),
      cmocka_unit_test(an_outcome_that_never_changes_is_said_at_the_fifth_result),
      cmocka_unit_test(a_sensor_that_dies_after_it_has_worked_is_said),
      cmocka_unit_test(a_flag_that_was_never_raised_is_no_dead_sensor),
      cmocka_unit_test(what_a_dead_sensor_told_at_the_start_is_doubted_once_it_lives),
      cmocka_unit_test(two_values_and_equal_rewards_are_never_enough),
      cmocka_unit_test(an_exact_question_is_seen_before_a_trial_meets_it),
      cmocka_unit_test(a_range_in_another_unit_is_never_enough),
      cmocka_unit_test(many_wrong_results_point_to_the_check_of_the_model),
      cmocka_unit_test(a_model_that_is_too_sure_holds_enough_back),
      cmocka_unit_test(an_outcome_that_nothing_explains_is_said_once_it_could_be_known),
      cmocka_unit_test(another_unit_holds_enough_back),
      cmocka_unit_test(another_unit_is_named_also_when_it_came_back),
      cmocka_unit_test(five_zeros_of_a_dead_sensor_are_doubted_as_a_whole),
      cmocka_unit_test(strange_rewards_are_said_when_the_study_is_made),
      cmocka_unit_test(units_that_contradict_each_other_in_the_reward_are_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
