/* SPDX-License-Identifier: Apache-2.0 */
/* Misuse of the public API: pointers that are NULL, counts that are negative, numbers outside their enumeration, texts
 * that are empty. Nothing that a caller does may crash: it is refused with FCPS_ERR_ARGUMENT and the name of the
 * argument, or answered with something harmless. Each case runs in a process of its own, so that a crash is one line of
 * the report. The last test sees that every function of the public headers has a case. */
#include "check.h"
#include "folder.h"
#include "throwing.h"

#include <fcps/fcps.h>
#include <fcps/lab/lab.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- One case, one process -- */

enum { LEAST_CASES = 157, SECONDS = 20 };

static int cases, broken;

/* True in the child, which must end with judge(). The parent waits and reports. */
static bool in_child(const char *call)
{
  cases++;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    /* a crash ends the child, not the test that it was forked from; a call that never returns is a crash too */
    static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
      signal(crashes[i], SIG_DFL);
    alarm(SECONDS);
    return true;
  }
  int state = 0;
  if (child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) && WEXITSTATUS(state) == 0) return false;
  broken++;
  if (WIFSIGNALED(state))
    print_message("%s: ended by signal %d\n", call, WTERMSIG(state));
  else
    print_message("%s: not refused as it should be\n", call);
  return false;
}

static void judge(bool is_good, const char *call, fcps_status status, const char *field)
{
  if (!is_good) print_message("%s: answered %s, field \"%s\"\n", call, fcps_status_text(status), field);
  fflush(NULL);
  _exit(is_good ? 0 : 1);
}

/* A call that takes `&error`: refused with this status, the error says the same, and its field is the argument's. */
#define REFUSED_AS(expected, name, call)                                                                               \
  do {                                                                                                                 \
    if (in_child(#call)) {                                                                                             \
      fcps_error error = {0};                                                                                          \
      const fcps_status status = (call);                                                                               \
      judge(status == (expected) && error.status == status && strcmp(error.field, name) == 0 && *error.message, #call, \
            status, error.field);                                                                                      \
    }                                                                                                                  \
  } while (0)
#define REFUSED(name, call) REFUSED_AS(FCPS_ERR_ARGUMENT, name, call)

/* A call whose error is kept by a handle. */
#define REFUSED_BY(name, handle_error, call)                                                                           \
  do {                                                                                                                 \
    if (in_child(#call)) {                                                                                             \
      const fcps_status status = (call);                                                                               \
      const fcps_error *said = (handle_error);                                                                         \
      judge(status == FCPS_ERR_ARGUMENT && said->status == status && strcmp(said->field, name) == 0, #call, status,    \
            said->field);                                                                                              \
    }                                                                                                                  \
  } while (0)

/* A call without an error to fill. */
#define REFUSED_SILENTLY(call)                                                                                         \
  do {                                                                                                                 \
    if (in_child(#call)) {                                                                                             \
      const fcps_status status = (call);                                                                               \
      judge(status == FCPS_ERR_ARGUMENT, #call, status, "");                                                           \
    }                                                                                                                  \
  } while (0)

/* A call that answers something harmless. */
#define HARMLESS(condition)                                                                                            \
  do {                                                                                                                 \
    if (in_child(#condition)) judge((condition), #condition, FCPS_OK, "");                                             \
  } while (0)
#define DOES_NOTHING(call)                                                                                             \
  do {                                                                                                                 \
    if (in_child(#call)) {                                                                                             \
      call;                                                                                                            \
      judge(true, #call, FCPS_OK, "");                                                                                 \
    }                                                                                                                  \
  } while (0)

static void expect_none_broken(void)
{
  const int found = broken;
  broken = 0;
  if (found > 0) fail_msg("%d calls were not refused as they should be", found);
}

/* -- Handles that are in order -- */

static const char yaml[] = "name: throw\n"
                           "target: {mark: [-1, 1]}\n"
                           "environment: {wind: [-0.2, 0.2]}\n"
                           "parameters: {tilt: [0, 1], speed: [0, 1]}\n"
                           "outcome: [land]\n"
                           "reward: -abs(mark-land)\n";
static const double mark = 0.2, wind = 0.1, at[] = {0.5, 0.5}, land = 0.3;
static const fcps_rollout rollout = {.target = &mark, .environment = &wind, .parameters = at, .outcome = &land};
static double answer[64], more[64];
static int64_t number;
static char *text;
static test_folder place;
static const char *folder;

static fcps_learner *learner, *active;
static fcps_policy *policy;
static fcps_study *study, *task_study;
static fcps_task *task;

static int set_up(void **state)
{
  (void)state;
  assert_ok(fcps_learner_create(&learner, &throwing, "bo-fcps", NULL, 1, NULL));
  assert_ok(fcps_learner_create(&active, &throwing, "outcome-active", NULL, 1, NULL));
  for (int i = 0; i < 3; i++)
    assert_ok(throwing_episode(learner, i, answer));
  assert_ok(fcps_learner_policy(learner, &policy));
  const fcps_study_setup setup = {.text = yaml, .text_name = "throw.yaml", .learner = "random"};
  assert_ok(fcps_study_create(&study, NULL, &setup, NULL, NULL));
  assert_ok(fcps_task_create(&task, "cannon", NULL, 1, NULL));
  char *origin = fcps_run_origin("cannon", NULL, 1);
  const fcps_study_setup from_task = {.origin = origin, .learner = "random"};
  const fcps_study_options options = {.maker = fcps_run_maker()};
  assert_ok(fcps_study_create(&task_study, NULL, &from_task, &options, NULL));
  fcps_free(origin);
  place = folder_create();
  folder = place.path;
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  fcps_study_close(task_study);
  fcps_study_close(study);
  fcps_task_destroy(task);
  fcps_policy_destroy(policy);
  fcps_learner_destroy(active);
  fcps_learner_destroy(learner);
  remove_tree(folder);
  return 0;
}

/* -- <fcps/base.h>, <fcps/space.h>, <fcps/problem.h> -- */

static void base_is_safe(void **state)
{
  (void)state;
  const fcps_error unreadable = {.status = FCPS_ERR_IO};
  char words[8] = "old";
  HARMLESS(strcmp(fcps_status_text((fcps_status)-1), "unknown status") == 0);
  HARMLESS(strcmp(fcps_status_text(FCPS_STATUS_COUNT), "unknown status") == 0);
  HARMLESS(fcps_error_format(&unreadable, 0, words) == words && strcmp(words, "old") == 0);
  HARMLESS(fcps_error_format(NULL, sizeof words, words) == words && words[0] == 0);
  HARMLESS(fcps_error_format(&unreadable, sizeof words, NULL) == NULL);
  HARMLESS(fcps_setting_at(NULL, 0) == NULL);
  HARMLESS(fcps_setting_at(fcps_learner_info_at(1)->settings, -1) == NULL);
  HARMLESS(fcps_setting_at(fcps_learner_info_at(1)->settings, 1 << 30) == NULL);
  DOES_NOTHING(fcps_free(NULL));
  HARMLESS(*fcps_version() != 0);
  HARMLESS(fcps_scale_name(-1) == NULL);
  HARMLESS(fcps_scale_name(3) == NULL);
  HARMLESS(isnan(fcps_dimension_at(NULL, 0.5)));
  HARMLESS(fcps_choices_find(NULL, "a") == -1);
  HARMLESS(fcps_choices_find(&(fcps_choices){0}, NULL) == -1);
  HARMLESS(fcps_dimension_word(NULL, 0) == NULL);
  HARMLESS(strcmp(fcps_rollout_status_text((fcps_rollout_status)-1), "unknown") == 0);
  HARMLESS(strcmp(fcps_rollout_status_text(FCPS_ROLLOUT_STATUS_COUNT), "unknown") == 0);
  fcps_outside outside = {0};
  HARMLESS(strcmp(fcps_rollout_ending_text(NULL, &rollout), "unknown") == 0);
  HARMLESS(strcmp(fcps_rollout_ending_text(&throwing, NULL), "unknown") == 0);
  REFUSED("problem", fcps_problem_check(NULL, &error));
  HARMLESS(fcps_problem_check(&throwing, NULL) == FCPS_OK);
  fcps_reward_judgement judgement;
  HARMLESS(!fcps_problem_judge_reward(NULL, 0, NULL, &judgement));
  HARMLESS(!fcps_problem_judge_reward(&throwing, 0, NULL, NULL));
  HARMLESS(!fcps_problem_judge_reward(&throwing, 1, NULL, &judgement));
  int constraint;
  const double numbers[8] = {0};
  HARMLESS(fcps_problem_find_broken(NULL, &mark, &wind, numbers, &constraint, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_find_broken(&throwing, &mark, &wind, NULL, &constraint, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_find_broken(&throwing, &mark, &wind, numbers, NULL, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_find_broken(&throwing, NULL, NULL, numbers, &constraint, NULL) == FCPS_OK && constraint == -1);
  bool applies[FCPS_SPACE_MAX];
  HARMLESS(fcps_problem_applies(NULL, &mark, &wind, numbers, applies, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_applies(&throwing, &mark, &wind, NULL, applies, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_applies(&throwing, &mark, &wind, numbers, NULL, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_applies(&throwing, NULL, NULL, numbers, applies, NULL) == FCPS_OK && applies[0]);
  double all;
  HARMLESS(fcps_problem_limit_chances(NULL, &mark, &wind, numbers, numbers, numbers, NULL, &all, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_limit_chances(&throwing, &mark, &wind, numbers, numbers, NULL, NULL, NULL, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_limit_chances(&throwing, &mark, &wind, NULL, numbers, NULL, NULL, &all, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_limit_chances(&throwing, NULL, NULL, numbers, NULL, NULL, NULL, &all, NULL) == FCPS_OK &&
           all == 1);
  HARMLESS(fcps_problem_cost(NULL, &mark, &wind, numbers, &all, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_cost(&throwing, &mark, &wind, NULL, &all, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_cost(&throwing, &mark, &wind, numbers, NULL, NULL) != FCPS_OK);
  HARMLESS(!fcps_problem_outside(NULL, &mark, &wind, 0, &outside));
  HARMLESS(!fcps_problem_outside(&throwing, &mark, &wind, 0, NULL));
  HARMLESS(!fcps_problem_outside(&throwing, NULL, NULL, 0, &outside));
  HARMLESS(!fcps_problem_outside(&throwing, &mark, &wind, -1, &outside));
  HARMLESS(*fcps_outside_text(NULL, sizeof words, words) == 0);
  HARMLESS(*fcps_outside_text(&outside, sizeof words, words) == 0);
  HARMLESS(fcps_outside_text(&outside, sizeof words, NULL) == NULL);
  expect_none_broken();
}

/* Problems that no function may take, as a learner meets them. */
static void problems_are_checked(void **state)
{
  (void)state;
  static const char long_name[] = "a_name_of_more_than_sixty_three_characters_is_too_long_for_any_dimension";
  static const fcps_dimension unnamed[] = {{.lower = 0, .upper = 1}}, empty[] = {{.name = "", .lower = 0, .upper = 1}},
                              wordy[] = {{.name = long_name, .lower = 0, .upper = 1}},
                              strange[] = {{.name = "odd", .lower = 0, .upper = 1, .scale = (fcps_scale)7}},
                              twice[] = {{.name = "tilt", .lower = 0, .upper = 1}};
  fcps_learner *made = NULL;
  fcps_problem p = throwing;
  REFUSED("learner", fcps_learner_create(NULL, &throwing, "random", NULL, 1, &error));
  REFUSED("problem", fcps_learner_create(&made, NULL, "random", NULL, 1, &error));
  REFUSED_AS(FCPS_ERR_UNKNOWN_NAME, "learner", fcps_learner_create(&made, &throwing, NULL, NULL, 1, &error));
  REFUSED_AS(FCPS_ERR_UNKNOWN_NAME, "learner", fcps_learner_create(&made, &throwing, "", NULL, 1, &error));
  p.target = (fcps_space){-1, throwing_target};
  REFUSED("target", fcps_learner_create(&made, &p, "random", NULL, 1, &error));
  p.target = (fcps_space){FCPS_SPACE_MAX + 1, throwing_target};
  REFUSED("target", fcps_learner_create(&made, &p, "random", NULL, 1, &error));
  p.target = (fcps_space){1, NULL};
  REFUSED("target", fcps_learner_create(&made, &p, "random", NULL, 1, &error));
  p.target = (fcps_space){1, unnamed};
  HARMLESS(fcps_learner_create(&made, &p, "random", NULL, 1, NULL) == FCPS_ERR_ARGUMENT);
  p.target = (fcps_space){1, empty};
  HARMLESS(fcps_learner_create(&made, &p, "random", NULL, 1, NULL) == FCPS_ERR_ARGUMENT);
  p.target = (fcps_space){1, wordy};
  HARMLESS(fcps_learner_create(&made, &p, "random", NULL, 1, NULL) == FCPS_ERR_ARGUMENT);
  p.target = (fcps_space){1, strange};
  HARMLESS(fcps_learner_create(&made, &p, "random", NULL, 1, NULL) == FCPS_ERR_ARGUMENT);
  p.target = (fcps_space){1, twice};
  REFUSED("tilt", fcps_learner_create(&made, &p, "random", NULL, 1, &error));
  p = throwing;
  p.parameters.count = 0;
  REFUSED("parameters", fcps_learner_create(&made, &p, "random", NULL, 1, &error));
  const fcps_setting without_value[] = {{"kappa", NULL}, {NULL, NULL}}, without_name[] = {{"", "1"}, {NULL, NULL}};
  HARMLESS(fcps_learner_create(&made, &throwing, "bo-fcps", without_value, 1, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_learner_create(&made, &throwing, "bo-fcps", without_name, 1, NULL) == FCPS_ERR_UNKNOWN_NAME);
  REFUSED("problem", fcps_problem_check_context(NULL, &mark, &wind, &error));
  REFUSED("target", fcps_problem_check_context(&throwing, NULL, &wind, &error));
  REFUSED("environment", fcps_problem_check_context(&throwing, &mark, NULL, &error));
  expect_none_broken();
}

static void problem_files_are_checked(void **state)
{
  (void)state;
  fcps_problem_file *file = NULL;
  const fcps_setting what[] = {{"reward", NULL}, {NULL, NULL}}, nothing[] = {{"", "1"}, {NULL, NULL}};
  REFUSED("file", fcps_problem_file_read(NULL, "throw.yaml", &error));
  REFUSED("path", fcps_problem_file_read(&file, NULL, &error));
  HARMLESS(!fcps_problem_file_same(NULL, NULL, NULL) && !fcps_problem_file_same("reward", NULL, NULL));
  REFUSED("file", fcps_problem_file_parse(NULL, yaml, strlen(yaml), "throw.yaml", NULL, &error));
  REFUSED("text", fcps_problem_file_parse(&file, NULL, 0, "throw.yaml", NULL, &error));
  REFUSED("name", fcps_problem_file_parse(&file, yaml, strlen(yaml), NULL, NULL, &error));
  HARMLESS(fcps_problem_file_parse(&file, yaml, strlen(yaml), "throw.yaml", what, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_problem_file_parse(&file, yaml, strlen(yaml), "throw.yaml", nothing, NULL) != FCPS_OK);
  HARMLESS(fcps_problem_file_parse(&file, "", 0, "throw.yaml", NULL, NULL) != FCPS_OK && file == NULL);
  DOES_NOTHING(fcps_problem_file_destroy(NULL));
  expect_none_broken();
}

/* -- <fcps/learner.h> -- */

static void learners_are_safe(void **state)
{
  (void)state;
  const fcps_error *kept = fcps_learner_error(learner);
  const fcps_rollout bad_status = {
      .target = &mark, .environment = &wind, .parameters = at, .status = (fcps_rollout_status)99};
  fcps_policy *made = NULL;
  fcps_learner *loaded = NULL;
  double context[2] = {0};
  DOES_NOTHING(fcps_learner_destroy(NULL));
  DOES_NOTHING(fcps_learner_set_log(NULL, (fcps_log){0}));
  REFUSED_SILENTLY(fcps_learner_ask(NULL, &mark, &wind, answer, &number));
  REFUSED_BY("target", kept, fcps_learner_ask(learner, NULL, &wind, answer, &number));
  REFUSED_BY("environment", kept, fcps_learner_ask(learner, &mark, NULL, answer, &number));
  REFUSED_BY("parameters", kept, fcps_learner_ask(learner, &mark, &wind, NULL, &number));
  REFUSED_BY("id", kept, fcps_learner_ask(learner, &mark, &wind, answer, NULL));
  REFUSED_SILENTLY(fcps_learner_choose(NULL, NULL, context, context + 1, answer, &number));
  REFUSED_BY("target", fcps_learner_error(active), fcps_learner_choose(active, NULL, NULL, context, answer, &number));
  REFUSED_BY("environment", fcps_learner_error(active),
             fcps_learner_choose(active, NULL, context, NULL, answer, &number));
  REFUSED_BY("parameters", fcps_learner_error(active),
             fcps_learner_choose(active, NULL, context, context + 1, NULL, &number));
  REFUSED_BY("id", fcps_learner_error(active), fcps_learner_choose(active, NULL, context, context + 1, answer, NULL));
  HARMLESS(!fcps_learner_is_active(NULL));
  REFUSED_SILENTLY(fcps_learner_tell(NULL, FCPS_NOT_ASKED, &rollout));
  REFUSED_BY("rollout", kept, fcps_learner_tell(learner, FCPS_NOT_ASKED, NULL));
  REFUSED_BY("target", kept, fcps_learner_tell(learner, FCPS_NOT_ASKED, &(fcps_rollout){0}));
  REFUSED_BY("status", kept, fcps_learner_tell(learner, FCPS_NOT_ASKED, &bad_status));
  HARMLESS(fcps_learner_tell(learner, -5, &rollout) == FCPS_ERR_UNKNOWN_ASK);
  REFUSED_SILENTLY(fcps_learner_forget(NULL, 1));
  HARMLESS(fcps_learner_forget(learner, -1) == FCPS_ERR_UNKNOWN_ASK);
  REFUSED_SILENTLY(fcps_learner_policy(NULL, &made));
  REFUSED_BY("policy", kept, fcps_learner_policy(learner, NULL));
  REFUSED("learner", fcps_learner_save(NULL, &text, &error));
  REFUSED("text", fcps_learner_save(learner, NULL, &error));
  REFUSED("learner", fcps_learner_load(NULL, &throwing, "{}", &error));
  REFUSED("problem", fcps_learner_load(&loaded, NULL, "{}", &error));
  REFUSED("text", fcps_learner_load(&loaded, &throwing, NULL, &error));
  HARMLESS(fcps_learner_load(&loaded, &throwing, "", NULL) == FCPS_ERR_FORMAT && loaded == NULL);
  HARMLESS(fcps_learner_error(NULL)->status == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_learner_rollout_count(NULL) == 0);
  HARMLESS(fcps_learner_pending_count(NULL) == 0);
  HARMLESS(fcps_learner_info_at(-1) == NULL);
  HARMLESS(fcps_learner_info_at(1000) == NULL);
  HARMLESS(fcps_learner_default(NULL, "kappa") == NULL);
  HARMLESS(fcps_learner_default("outcome", NULL) == NULL);
  expect_none_broken();
}

/* -- <fcps/policy.h> -- */

static void policies_are_safe(void **state)
{
  (void)state;
  const fcps_error *kept = fcps_policy_error(policy);
  fcps_policy *loaded = NULL;
  fcps_health health = {0};
  REFUSED_SILENTLY(fcps_policy_query(NULL, &mark, &wind, answer, NULL));
  REFUSED_BY("target", kept, fcps_policy_query(policy, NULL, &wind, answer, NULL));
  REFUSED_BY("environment", kept, fcps_policy_query(policy, &mark, NULL, answer, NULL));
  REFUSED_BY("parameters", kept, fcps_policy_query(policy, &mark, &wind, NULL, NULL));
  REFUSED_SILENTLY(fcps_policy_check(NULL, &mark, &wind));
  REFUSED_BY("target", kept, fcps_policy_check(policy, NULL, &wind));
  REFUSED_BY("environment", kept, fcps_policy_check(policy, &mark, NULL));
  REFUSED_SILENTLY(fcps_policy_query_batch(NULL, 1, &mark, &wind, answer, NULL, NULL));
  REFUSED_BY("count", kept, fcps_policy_query_batch(policy, -1, &mark, &wind, answer, NULL, NULL));
  REFUSED_BY("target", kept, fcps_policy_query_batch(policy, 1, NULL, &wind, answer, NULL, NULL));
  REFUSED_BY("environment", kept, fcps_policy_query_batch(policy, 1, &mark, NULL, answer, NULL, NULL));
  REFUSED_BY("parameters", kept, fcps_policy_query_batch(policy, 1, &mark, &wind, NULL, NULL, NULL));
  HARMLESS(fcps_policy_query_batch(policy, 0, NULL, NULL, NULL, NULL, NULL) == FCPS_OK);
  DOES_NOTHING(fcps_policy_set_log(NULL, (fcps_log){0}));
  DOES_NOTHING(fcps_policy_set_strict(NULL, true));
  REFUSED_SILENTLY(fcps_policy_predict_batch(NULL, 1, &mark, &wind, answer, NULL));
  REFUSED_BY("count", kept, fcps_policy_predict_batch(policy, -1, &mark, &wind, answer, NULL));
  REFUSED_BY("target", kept, fcps_policy_predict_batch(policy, 1, NULL, &wind, answer, NULL));
  REFUSED_BY("environment", kept, fcps_policy_predict_batch(policy, 1, &mark, NULL, answer, NULL));
  REFUSED_BY("parameters", kept, fcps_policy_predict_batch(policy, 1, &mark, &wind, NULL, NULL));
  HARMLESS(fcps_policy_predict_batch(policy, 0, NULL, NULL, NULL, NULL) == FCPS_OK);
  HARMLESS(!fcps_policy_predicts_reward(NULL));
  HARMLESS(fcps_policy_lacking_results(NULL) == 0);
  REFUSED("policy", fcps_policy_save(NULL, &text, &error));
  REFUSED("text", fcps_policy_save(policy, NULL, &error));
  REFUSED("path", fcps_file_write(NULL, "{}", &error));
  REFUSED("text", fcps_file_write("never-made.policy", NULL, &error));
  REFUSED("policy", fcps_policy_load(NULL, &throwing, "{}", &error));
  REFUSED("problem", fcps_policy_load(&loaded, NULL, "{}", &error));
  REFUSED("text", fcps_policy_load(&loaded, &throwing, NULL, &error));
  HARMLESS(!fcps_policy_health(NULL, 0, &health));
  HARMLESS(!fcps_policy_health(policy, 0, NULL));
  HARMLESS(!fcps_policy_health(policy, -1, &health));
  HARMLESS(!fcps_policy_health(policy, 1000, &health));
  HARMLESS(fcps_policy_error(NULL)->status == FCPS_ERR_ARGUMENT);
  DOES_NOTHING(fcps_policy_destroy(NULL));
  expect_none_broken();
}

/* -- <fcps/primitive.h> -- */

static void primitives_are_safe(void **state)
{
  (void)state;
  const fcps_primitive_settings settings = fcps_primitive_settings_default(1);
  const fcps_primitive_settings negative = fcps_primitive_settings_default(-1);
  const double path[] = {0, 0.5, 1};
  const fcps_demonstration good = {.count = 3, .duration = 1, .positions = path},
                           pathless = {.count = 3, .duration = 1},
                           huge = {.count = 1 << 30, .duration = 1, .positions = path};
  fcps_primitive *primitive = NULL, *made = NULL;
  fcps_motion *motion = NULL, *other = NULL;
  const fcps_limits limits = {0};
  fcps_violation violation = {.kind = (fcps_limit_kind)77};
  char words[200] = "";
  int count = 0;
  assert_ok(fcps_primitive_create(&primitive, &settings, NULL));
  const fcps_motion_part part = {.primitive = primitive, .duration = 1}, empty = {.duration = 1},
                         endless = {.primitive = primitive, .duration = 1e300};
  assert_ok(fcps_motion_create(&motion, 1, &part, 0.1, NULL));

  REFUSED("primitive", fcps_primitive_create(NULL, &settings, &error));
  REFUSED("settings", fcps_primitive_create(&made, NULL, &error));
  REFUSED("dimensions", fcps_primitive_create(&made, &negative, &error));
  DOES_NOTHING(fcps_primitive_destroy(NULL));
  HARMLESS(fcps_primitive_weights(NULL) == NULL);
  REFUSED("primitive", fcps_primitive_set_weights(NULL, path, &error));
  REFUSED("weights", fcps_primitive_set_weights(primitive, NULL, &error));
  REFUSED("primitive", fcps_primitive_imitate(NULL, &good, 1e-8, &error));
  REFUSED("demonstration", fcps_primitive_imitate(primitive, NULL, 1e-8, &error));
  REFUSED("positions", fcps_primitive_imitate(primitive, &pathless, 1e-8, &error));
  REFUSED("ridge", fcps_primitive_imitate(primitive, &good, -1, &error));
  REFUSED("count", fcps_primitive_imitate(primitive, &huge, 1e-8, &error));
  HARMLESS(isnan(fcps_minimum_jerk(NAN)));
  REFUSED("motion", fcps_motion_create(NULL, 1, &part, 0.1, &error));
  REFUSED("parts", fcps_motion_create(&other, 1, NULL, 0.1, &error));
  HARMLESS(fcps_motion_create(&other, -1, &part, 0.1, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_motion_create(&other, 0, &part, 0.1, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_motion_create(&other, 1, &empty, 0.1, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_motion_create(&other, 1, &endless, 0.1, NULL) != FCPS_OK);
  HARMLESS(fcps_motion_create(&other, 1, &part, 1e-300, NULL) != FCPS_OK);
  HARMLESS(fcps_motion_create(&other, 1, &part, NAN, NULL) == FCPS_ERR_ARGUMENT);
  DOES_NOTHING(fcps_motion_destroy(NULL));
  REFUSED_SILENTLY(fcps_motion_set_goal(NULL, 0, path, NULL));
  REFUSED_SILENTLY(fcps_motion_set_goal(motion, -1, path, NULL));
  REFUSED_SILENTLY(fcps_motion_set_goal(motion, 1, path, NULL));
  REFUSED_SILENTLY(fcps_motion_set_goal(motion, 0, NULL, NULL));
  HARMLESS(fcps_motion_step_count(NULL) == 0);
  DOES_NOTHING(fcps_motion_step(NULL, 0, answer, more, NULL));
  DOES_NOTHING(fcps_motion_step(motion, -1, answer, more, NULL));
  DOES_NOTHING(fcps_motion_step(motion, 1 << 30, answer, more, NULL));
  DOES_NOTHING(fcps_motion_step(motion, 0, NULL, more, NULL));
  DOES_NOTHING(fcps_motion_step(motion, 0, answer, NULL, NULL));
  DOES_NOTHING(fcps_motion_trajectory(NULL, path, NULL, answer, more, NULL));
  DOES_NOTHING(fcps_motion_trajectory(motion, NULL, NULL, answer, more, NULL));
  DOES_NOTHING(fcps_motion_trajectory(motion, path, NULL, NULL, more, NULL));
  DOES_NOTHING(fcps_motion_trajectory(motion, path, NULL, answer, NULL, NULL));
  REFUSED_SILENTLY(fcps_motion_check(NULL, path, NULL, &limits, 1, &violation, &count));
  REFUSED_SILENTLY(fcps_motion_check(motion, NULL, NULL, &limits, 1, &violation, &count));
  REFUSED_SILENTLY(fcps_motion_check(motion, path, NULL, NULL, 1, &violation, &count));
  REFUSED_SILENTLY(fcps_motion_check(motion, path, NULL, &limits, -1, &violation, &count));
  REFUSED_SILENTLY(fcps_motion_check(motion, path, NULL, &limits, 1, NULL, &count));
  REFUSED_SILENTLY(fcps_motion_check(motion, path, NULL, &limits, 1, &violation, NULL));
  HARMLESS(fcps_violation_format(NULL, sizeof words, words) == words && words[0] == 0);
  HARMLESS(fcps_violation_format(&violation, sizeof words, NULL) == NULL);
  HARMLESS(fcps_violation_format(&violation, sizeof words, words) == words);
  HARMLESS(fcps_violation_format(&violation, 0, words) == words);
  fcps_motion_destroy(motion);
  fcps_primitive_destroy(primitive);
  expect_none_broken();
}

/* -- <fcps/task.h> -- */

static fcps_status take_frame(void *user, double time, const unsigned char *rgb)
{
  (void)user, (void)time, (void)rgb;
  return FCPS_OK;
}

static void tasks_are_safe(void **state)
{
  (void)state;
  const fcps_error *kept = fcps_task_error(task);
  const fcps_film film = {.width = 8, .height = 8, .frames_per_second = 1, .on_frame = take_frame};
  fcps_task *made = NULL;
  fcps_rollout done;
  double environment[16], target[16];
  fcps_task_context(task, 0, target, environment);
  REFUSED("task", fcps_task_create(NULL, "cannon", NULL, 1, &error));
  REFUSED("name", fcps_task_create(&made, NULL, NULL, 1, &error));
  REFUSED_AS(FCPS_ERR_UNKNOWN_NAME, "task", fcps_task_create(&made, "", NULL, 1, &error));
  DOES_NOTHING(fcps_task_destroy(NULL));
  HARMLESS(fcps_task_name(NULL) == NULL);
  HARMLESS(fcps_task_problem(NULL) == NULL);
  DOES_NOTHING(fcps_task_context(NULL, 0, target, environment));
  DOES_NOTHING(fcps_task_context(task, 0, NULL, environment));
  DOES_NOTHING(fcps_task_context(task, 0, target, NULL));
  DOES_NOTHING(fcps_task_context(task, INT64_MIN, target, environment));
  REFUSED_SILENTLY(fcps_task_run(NULL, 0, environment, at, answer, &done));
  REFUSED_BY("parameters", kept, fcps_task_run(task, 0, environment, NULL, answer, &done));
  REFUSED_BY("outcome", kept, fcps_task_run(task, 0, environment, answer, NULL, &done));
  REFUSED_BY("rollout", kept, fcps_task_run(task, 0, environment, answer, more, NULL));
  HARMLESS(!fcps_task_breaks(NULL, NULL));
  HARMLESS(fcps_task_message(NULL) == NULL);
  HARMLESS(fcps_task_evaluation(NULL) == NULL);
  HARMLESS(isnan(fcps_task_optimum(NULL)));
  HARMLESS(!fcps_task_idle(NULL, environment, answer));
  HARMLESS(!fcps_task_idle(task, environment, NULL));
  REFUSED_SILENTLY(fcps_task_sketch(NULL, 1, target, environment, NULL, folder));
  REFUSED_BY("count", kept, fcps_task_sketch(task, -1, target, environment, NULL, folder));
  REFUSED_BY("targets", kept, fcps_task_sketch(task, 1, NULL, environment, NULL, folder));
  REFUSED_BY("directory", kept, fcps_task_sketch(task, 1, target, environment, NULL, NULL));
  HARMLESS(!fcps_task_has_film(NULL));
  REFUSED_SILENTLY(fcps_task_film(NULL, target, environment, at, &film, answer, &done));
  HARMLESS(fcps_task_film(task, target, environment, at, NULL, answer, &done) != FCPS_OK);
  HARMLESS(fcps_task_error(NULL)->status == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_task_info_at(-1) == NULL);
  HARMLESS(fcps_task_info_at(1000) == NULL);
  expect_none_broken();
}

/* -- <fcps/study.h> -- */

static fcps_status make_nothing(const char *origin, void **owner, const fcps_problem **problem, fcps_error *error)
{
  (void)origin, (void)error;
  *owner = NULL;
  *problem = NULL;
  return FCPS_OK;
}

static void studies_are_made_safely(void **state)
{
  (void)state;
  fcps_study *made = NULL;
  bool exists;
  const fcps_study_setup setup = {.text = yaml}, nothing = {0}, both = {.text = yaml, .problem = &throwing},
                         origin = {.origin = "x"};
  const fcps_study_maker no_make = {0}, void_maker = {.make = make_nothing};
  const fcps_study_options unmade = {.maker = &no_make}, voided = {.maker = &void_maker};
  REFUSED("study", fcps_study_create(NULL, NULL, &setup, NULL, &error));
  REFUSED("setup", fcps_study_create(&made, NULL, NULL, NULL, &error));
  REFUSED("problem", fcps_study_create(&made, NULL, &nothing, NULL, &error));
  REFUSED("problem", fcps_study_create(&made, NULL, &both, NULL, &error));
  HARMLESS(fcps_study_create(&made, NULL, &origin, NULL, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_create(&made, NULL, &origin, &unmade, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_create(&made, NULL, &origin, &voided, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_create(&made, "", &setup, NULL, NULL) == FCPS_ERR_ARGUMENT);
  REFUSED("study", fcps_study_open(NULL, "none.fcps", NULL, &error));
  HARMLESS(fcps_study_open(&made, NULL, NULL, NULL) == FCPS_ERR_UNSUPPORTED);
  HARMLESS(fcps_study_open(&made, "", NULL, NULL) == FCPS_ERR_ARGUMENT);
  DOES_NOTHING(fcps_study_close(NULL));
  REFUSED("exists", fcps_study_exists(NULL, "none.fcps", &error));
  HARMLESS(fcps_study_exists(&exists, NULL, NULL) == FCPS_OK && !exists);
  HARMLESS(fcps_study_exists(&exists, "", NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_remove(NULL, NULL) != FCPS_ERR_INTERNAL);
  HARMLESS(fcps_study_remove("", NULL) == FCPS_ERR_ARGUMENT);
  REFUSED("study", fcps_study_hold(NULL, &error));
  HARMLESS(fcps_study_repair(NULL, "to.fcps", &number, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_repair("from.fcps", NULL, &number, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_repair("", "to.fcps", &number, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_repair("no-such-study.fcps", "to.fcps", NULL, NULL) != FCPS_OK);
  HARMLESS(fcps_study_backup(NULL, "to.fcps", false, &number, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_backup("from.fcps", NULL, false, &number, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_backup("", "to.fcps", false, &number, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_backup("no-such-study.fcps", "to.fcps", false, NULL, NULL) != FCPS_OK);
  HARMLESS(fcps_study_copy(NULL, "to.fcps", &number, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_copy("from.fcps", NULL, &number, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_copy("no-such-study.fcps", "to.fcps", NULL, NULL) != FCPS_OK);
  HARMLESS(fcps_study_restore(NULL, "to.fcps", false, &text, &number, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_restore("from.fcps", NULL, false, &text, &number, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_restore("from.fcps", "to.fcps", false, NULL, &number, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_study_restore("no-such-study.fcps", "to.fcps", false, &text, NULL, NULL) != FCPS_OK);
  expect_none_broken();
}

static void studies_are_used_safely(void **state)
{
  (void)state;
  fcps_ask ask;
  fcps_result result = {.rollout = rollout};
  const fcps_result nowhere = {.rollout = {.outcome = &land}};
  fcps_result strange = result;
  strange.rollout.status = (fcps_rollout_status)-3;
  REFUSED("study", fcps_study_ask(NULL, NULL, &mark, &wind, &ask, &error));
  REFUSED("target", fcps_study_ask(study, NULL, NULL, &wind, &ask, &error));
  REFUSED("environment", fcps_study_ask(study, NULL, &mark, NULL, &ask, &error));
  REFUSED("ask", fcps_study_ask(study, NULL, &mark, &wind, NULL, &error));
  const fcps_ask_contexts one_context = {1, &mark, &wind}, no_context = {1, NULL, &wind};
  REFUSED("study", fcps_study_ask_many(NULL, 1, &one_context, &ask, &error));
  REFUSED("contexts", fcps_study_ask_many(study, 1, NULL, &ask, &error));
  REFUSED("target", fcps_study_ask_many(study, 1, &no_context, &ask, &error));
  REFUSED("asks", fcps_study_ask_many(study, 1, &one_context, NULL, &error));
  REFUSED("count", fcps_study_ask_many(study, -1, &one_context, &ask, &error));
  REFUSED("study", fcps_study_choose(NULL, NULL, NULL, NULL, NULL, &ask, &error));
  REFUSED("ask", fcps_study_choose(study, NULL, NULL, NULL, NULL, NULL, &error));
  REFUSED("study", fcps_study_forget(NULL, 1, &error));
  HARMLESS(fcps_study_forget(study, -1, NULL) == FCPS_ERR_UNKNOWN_ASK);
  REFUSED("study", fcps_study_tell(NULL, FCPS_NOT_ASKED, &result, NULL, &error));
  REFUSED("result", fcps_study_tell(study, FCPS_NOT_ASKED, NULL, NULL, &error));
  HARMLESS(fcps_study_tell(study, FCPS_NOT_ASKED, &nowhere, NULL, NULL) == FCPS_ERR_ARGUMENT);
  REFUSED("status", fcps_study_tell(study, FCPS_NOT_ASKED, &strange, NULL, &error));
  HARMLESS(fcps_study_tell(study, -7, &result, NULL, NULL) == FCPS_ERR_UNKNOWN_ASK);
  REFUSED("study", fcps_study_use(NULL, 1, 1, &error));
  HARMLESS(fcps_study_use(study, 1, -1, NULL) == FCPS_ERR_UNKNOWN_ASK);
  REFUSED("study", fcps_study_use_result(NULL, 1, true, &error));
  HARMLESS(fcps_study_use_result(study, -1, true, NULL) == FCPS_ERR_UNKNOWN_ASK);
  REFUSED("study", fcps_study_confirm(NULL, 1, &error));
  HARMLESS(fcps_study_confirm(study, -1, NULL) == FCPS_ERR_UNKNOWN_ASK);
  REFUSED("study", fcps_study_find_suspects(NULL, NULL, &error));
  char surprise[FCPS_SURPRISE_SIZE];
  fcps_study_surprise_text(NULL, NULL, surprise);
  HARMLESS(surprise[0] == '\0');
  REFUSED("study", fcps_study_amend(NULL, "reward", "0", &error));
  REFUSED("what", fcps_study_amend(study, NULL, NULL, &error));
  REFUSED("what", fcps_study_amend(study, NULL, "0", &error));
  REFUSED("value", fcps_study_amend(study, "reward", NULL, &error));
  HARMLESS(fcps_study_amend(study, "", "", NULL) != FCPS_OK);
  const fcps_setting nothing[] = {{"kappa", NULL}, {NULL, NULL}};
  REFUSED("study", fcps_study_amend_learner(NULL, "random", NULL, &error));
  REFUSED("learner", fcps_study_amend_learner(study, NULL, NULL, &error));
  REFUSED("kappa", fcps_study_amend_learner(study, NULL, nothing, &error));
  HARMLESS(fcps_study_amend_learner(study, "nobody", NULL, NULL) == FCPS_ERR_UNKNOWN_NAME);
  REFUSED("study", fcps_study_note(NULL, "code", "text", &error));
  REFUSED("code", fcps_study_note(study, NULL, "text", &error));
  REFUSED("text", fcps_study_note(study, "code", NULL, &error));
  REFUSED("code", fcps_study_note(study, "", "text", &error));
  REFUSED("study", fcps_study_refresh(NULL, &error));
  int added = 0, skipped = 0;
  REFUSED("study", fcps_study_import(NULL, "old.csv", &added, &skipped, &error));
  REFUSED("path", fcps_study_import(study, NULL, &added, &skipped, &error));
  REFUSED("study", fcps_study_import_again(NULL, "old.csv", &added, &skipped, &error));
  REFUSED("path", fcps_study_import_again(study, NULL, &added, &skipped, &error));
  HARMLESS(fcps_study_import(study, "no-such.csv", NULL, NULL, NULL) == FCPS_ERR_IO);
  expect_none_broken();
}

static void studies_are_read_safely(void **state)
{
  (void)state;
  fcps_policy *made = NULL;
  fcps_problem_file *file = NULL;
  fcps_outlook outlook;
  fcps_ask ask;
  fcps_stored_result stored;
  HARMLESS(fcps_study_url(NULL) == NULL);
  HARMLESS(fcps_study_identity(NULL) == NULL);
  HARMLESS(fcps_study_problem(NULL) == NULL);
  HARMLESS(fcps_study_file(NULL) == NULL);
  HARMLESS(fcps_study_origin(NULL) == NULL);
  HARMLESS(fcps_study_owner(NULL) == NULL);
  HARMLESS(fcps_study_learner(NULL) == NULL);
  HARMLESS(fcps_study_name(NULL) == NULL);
  HARMLESS(fcps_study_settings(NULL) == NULL);
  HARMLESS(fcps_study_seed(NULL) == 0);
  REFUSED("study", fcps_study_policy(NULL, &made, &error));
  REFUSED("policy", fcps_study_policy(study, NULL, &error));
  REFUSED("study", fcps_study_sketch(NULL, 1, &made, &error));
  REFUSED("policy", fcps_study_sketch(study, 1, NULL, &error));
  REFUSED("most", fcps_study_sketch(study, 0, &made, &error));
  REFUSED("study", fcps_study_export_policy(NULL, &text, &error));
  REFUSED("text", fcps_study_export_policy(study, NULL, &error));
  REFUSED("policy", fcps_study_load_policy(NULL, &file, "{}", "p", &error));
  REFUSED("problem", fcps_study_load_policy(&made, NULL, "{}", "p", &error));
  REFUSED("text", fcps_study_load_policy(&made, &file, NULL, "p", &error));
  HARMLESS(fcps_study_load_policy(&made, &file, "{}", NULL, NULL) != FCPS_OK);
  REFUSED("study", fcps_study_outlook(NULL, policy, &outlook, NULL, NULL, &error));
  REFUSED("policy", fcps_study_outlook(study, NULL, &outlook, NULL, NULL, &error));
  REFUSED("outlook", fcps_study_outlook(study, policy, NULL, NULL, NULL, &error));
  fcps_study_check *check = NULL;
  REFUSED("study", fcps_study_check_model(NULL, policy, &check, &error));
  REFUSED("policy", fcps_study_check_model(study, NULL, &check, &error));
  REFUSED("check", fcps_study_check_model(study, policy, NULL, &error));
  HARMLESS((fcps_study_check_destroy(NULL), true));
  HARMLESS(fcps_study_remark_at(NULL, 0) == NULL);
  HARMLESS(fcps_study_remark_at(study, -1) == NULL);
  HARMLESS(fcps_study_ask_count(NULL) == 0);
  DOES_NOTHING(fcps_study_ask_at(NULL, 0, &ask));
  DOES_NOTHING(fcps_study_ask_at(study, -1, &ask));
  DOES_NOTHING(fcps_study_ask_at(study, 1 << 30, &ask));
  DOES_NOTHING(fcps_study_ask_at(study, 0, NULL));
  HARMLESS(fcps_study_result_count(NULL) == 0);
  DOES_NOTHING(fcps_study_result_at(NULL, 0, &stored));
  DOES_NOTHING(fcps_study_result_at(study, -1, &stored));
  DOES_NOTHING(fcps_study_result_at(study, 1 << 30, &stored));
  DOES_NOTHING(fcps_study_result_at(study, 0, NULL));
  HARMLESS(!fcps_study_result_of(NULL, 1, &stored));
  HARMLESS(!fcps_study_result_of(study, -1, &stored));
  HARMLESS(!fcps_study_result_of(study, 1, NULL));
  fcps_study_counts counts;
  char why[256];
  DOES_NOTHING(fcps_study_count(NULL, &counts));
  DOES_NOTHING(fcps_study_count(study, NULL));
  fcps_study_costs costs;
  REFUSED("study", fcps_study_cost(NULL, &costs, &error));
  REFUSED("costs", fcps_study_cost(study, NULL, &error));
  HARMLESS(*fcps_study_explain(NULL, &stored, sizeof why, why) == 0);
  HARMLESS(*fcps_study_explain(study, NULL, sizeof why, why) == 0);
  HARMLESS(fcps_study_explain(study, &stored, sizeof why, NULL) == NULL);
  HARMLESS(!fcps_study_complain(NULL, sizeof why, why));
  HARMLESS(!fcps_study_complain(study, sizeof why, NULL));
  HARMLESS(!fcps_study_complain(study, 0, why));
  REFUSED("study", fcps_study_preview(NULL, &(fcps_setting){"reward", "1"}, &counts, why, &error));
  REFUSED("change", fcps_study_preview(study, NULL, &counts, why, &error));
  REFUSED("change", fcps_study_preview(study, &(fcps_setting){NULL, "1"}, &counts, why, &error));
  REFUSED("counts", fcps_study_preview(study, &(fcps_setting){"reward", "1"}, NULL, why, &error));
  HARMLESS(fcps_study_event_at(NULL, 0) == NULL);
  HARMLESS(fcps_study_event_at(study, -1) == NULL);
  HARMLESS(fcps_study_event_at(study, 1 << 30) == NULL);
  REFUSED("study", fcps_study_replaced(NULL, 0, &text, &error));
  REFUSED("text", fcps_study_replaced(study, 0, NULL, &error));
  HARMLESS(fcps_study_replaced(study, -1, &text, NULL) == FCPS_OK && text == NULL);
  expect_none_broken();
}

/* -- <fcps/run.h> -- */

static fcps_status run_nothing(void *user, int64_t episode, const fcps_ask *ask, fcps_result *result)
{
  (void)user, (void)episode, (void)ask, (void)result;
  return FCPS_OK;
}

static void runs_are_safe(void **state)
{
  (void)state;
  const fcps_run_options options = {.episodes = 1}, negative = {.episodes = -1};
  fcps_run_output *output = NULL, *made = NULL;
  double mean;
  bool present[4];
  const fcps_episode episode = {0};
  const fcps_offline offline = {0}, rowless = {.count = 3};
  assert_ok(fcps_run_output_create(&output, folder, task_study, NULL));
  HARMLESS(!fcps_run_owns_client(NULL) && !fcps_run_owns_client("") && !fcps_run_owns_client("runner"));
  HARMLESS(fcps_run_owns_client("run") && fcps_run_owns_client("run/2"));
  REFUSED("study", fcps_run(NULL, task, &options, &error));
  REFUSED("task", fcps_run(task_study, NULL, &options, &error));
  REFUSED("options", fcps_run(task_study, task, NULL, &error));
  REFUSED("episodes", fcps_run(task_study, fcps_run_task(task_study), &negative, &error));
  REFUSED("study", fcps_run_program(NULL, NULL, &options, &error));
  REFUSED("options", fcps_run_program(study, NULL, NULL, &error));
  HARMLESS(fcps_run_program(study, NULL, &options, NULL) != FCPS_OK); /* the file names no program */
  REFUSED("study", fcps_run_function(NULL, run_nothing, NULL, &options, &error));
  REFUSED("trial", fcps_run_function(study, NULL, NULL, &options, &error));
  REFUSED("options", fcps_run_function(study, run_nothing, NULL, NULL, &error));
  REFUSED("episodes", fcps_run_function(study, run_nothing, NULL, &negative, &error));

  const fcps_work_options work = {0}, odd_work = {.trials = -1}, unnamed_work = {.worker = "a/b"};
  REFUSED("study", fcps_work(NULL, NULL, &work, NULL, &error));
  REFUSED("options", fcps_work(study, NULL, NULL, NULL, &error));
  REFUSED("trials", fcps_work(study, NULL, &odd_work, NULL, &error));
  REFUSED("worker", fcps_work(study, NULL, &unnamed_work, NULL, &error));
  HARMLESS(fcps_work(study, NULL, &work, NULL, NULL) != FCPS_OK); /* the file names no program */

  const fcps_lease_request lease = {.worker = "a", .lease_ms = 1}, unnamed = {.lease_ms = 1},
                           short_lease = {.worker = "a"};
  fcps_ask leased;
  fcps_lease listed;
  int leases = 0;
  REFUSED("study", fcps_study_ask_leased(NULL, &lease, &leased, &error));
  REFUSED("request", fcps_study_ask_leased(study, NULL, &leased, &error));
  REFUSED("ask", fcps_study_ask_leased(study, &lease, NULL, &error));
  REFUSED("worker", fcps_study_ask_leased(study, &unnamed, &leased, &error));
  REFUSED("lease_ms", fcps_study_ask_leased(study, &short_lease, &leased, &error));
  REFUSED("study", fcps_study_renew_leases(NULL, "a", NULL, 1, NULL, &error));
  REFUSED("worker", fcps_study_renew_leases(study, NULL, NULL, 1, NULL, &error));
  REFUSED("lease_ms", fcps_study_renew_leases(study, "a", NULL, -1, NULL, &error));
  REFUSED("study", fcps_study_read_leases(NULL, &leases, NULL, &error));
  REFUSED("count", fcps_study_read_leases(study, NULL, NULL, &error));
  DOES_NOTHING(fcps_study_lease_at(NULL, 0, &listed));
  DOES_NOTHING(fcps_study_lease_at(study, -1, NULL));
  REFUSED("study", fcps_study_wait(NULL, 1, &error));
  REFUSED("wait_ms", fcps_study_wait(study, -1, &error));
  const fcps_run_patience patience = {0};
  const fcps_result result = {.rollout = rollout};
  int stored;
  REFUSED("study", fcps_run_tell(NULL, FCPS_NOT_ASKED, &result, &patience, NULL, &error));
  REFUSED("result", fcps_run_tell(study, FCPS_NOT_ASKED, NULL, &patience, NULL, &error));
  REFUSED("patience", fcps_run_tell(study, FCPS_NOT_ASKED, &result, NULL, NULL, &error));
  REFUSED("study", fcps_run_tell_kept(NULL, &patience, &stored, &error));
  REFUSED("patience", fcps_run_tell_kept(study, NULL, &stored, &error));
  HARMLESS(fcps_run_kept_count(NULL) == 0);
  HARMLESS(fcps_run_origin(NULL, NULL, 1) == NULL);
  HARMLESS(fcps_run_maker() != NULL);
  HARMLESS(fcps_run_task(NULL) == NULL);
  const fcps_evaluation_rows rows = {.rewards = answer, .parameters = answer, .outcomes = more, .present = present};
  fcps_evaluation_rows lacking = rows;
  REFUSED("task", fcps_run_evaluate(NULL, policy, &rows, &mean, &error));
  REFUSED("policy", fcps_run_evaluate(task, NULL, &rows, &mean, &error));
  REFUSED("rows", fcps_run_evaluate(task, policy, NULL, &mean, &error));
  REFUSED("mean", fcps_run_evaluate(task, policy, &rows, NULL, &error));
  lacking.rewards = NULL;
  REFUSED("rewards", fcps_run_evaluate(task, policy, &lacking, &mean, &error));
  lacking = rows, lacking.parameters = NULL;
  REFUSED("parameters", fcps_run_evaluate(task, policy, &lacking, &mean, &error));
  lacking = rows, lacking.outcomes = NULL;
  REFUSED("outcomes", fcps_run_evaluate(task, policy, &lacking, &mean, &error));
  lacking = rows, lacking.present = NULL;
  REFUSED("present", fcps_run_evaluate(task, policy, &lacking, &mean, &error));
  REFUSED("output", fcps_run_output_create(NULL, folder, task_study, &error));
  REFUSED("directory", fcps_run_output_create(&made, NULL, task_study, &error));
  REFUSED("study", fcps_run_output_create(&made, folder, NULL, &error));
  DOES_NOTHING(fcps_run_output_destroy(NULL));
  REFUSED("output", fcps_run_output_episode(NULL, &episode, &error));
  REFUSED("episode", fcps_run_output_episode(output, NULL, &error));
  HARMLESS(fcps_run_output_episode(output, &episode, NULL) == FCPS_ERR_ARGUMENT); /* without numbers */
  REFUSED("output", fcps_run_output_offline(NULL, &offline, &error));
  REFUSED("offline", fcps_run_output_offline(output, NULL, &error));
  HARMLESS(fcps_run_output_offline(output, &rowless, NULL) == FCPS_ERR_ARGUMENT);
  REFUSED("output", fcps_run_output_finish(NULL, 0, &error));
  HARMLESS(fcps_run_output_count(NULL) == 0);
  HARMLESS(isnan(fcps_run_output_cumulative(NULL, 1)));
  HARMLESS(isnan(fcps_run_output_cumulative(output, -1)));
  HARMLESS(isnan(fcps_run_output_cumulative(output, INT64_MAX)));
  HARMLESS(isnan(fcps_run_output_offline_mean(NULL)));
  HARMLESS(fcps_run_output_summary(NULL) == NULL);
  fcps_run_output_destroy(output);
  expect_none_broken();
}

/* -- <fcps/door.h> -- */

static void doors_are_safe(void **state)
{
  (void)state;
  fcps_door *door = NULL, *other = NULL;
  char *said = NULL, path[300];
  snprintf(path, sizeof path, "%s/throw.fcps", folder);
  const fcps_study_setup setup = {.text = yaml, .text_name = "throw.yaml", .seed = 1};
  fcps_study *made = NULL;
  assert_ok(fcps_study_create(&made, path, &setup, NULL, NULL));
  fcps_study_close(made);
  assert_ok(fcps_door_open(&door, path, NULL, NULL));
  REFUSED("door", fcps_door_open(NULL, path, NULL, &error));
  REFUSED("address", fcps_door_open(&other, NULL, NULL, &error));
  REFUSED("door", fcps_door_open_study(NULL, NULL, NULL, &error));
  REFUSED("study", fcps_door_open_study(&other, NULL, NULL, &error));
  fcps_door_failure failure;
  HARMLESS(*fcps_door_address(NULL) == '\0');
  DOES_NOTHING(fcps_door_explain(door, NULL));
  fcps_door_explain(NULL, &failure);
  HARMLESS(failure.http_status == -1);
  DOES_NOTHING(fcps_door_close(NULL));
  REFUSED("door", fcps_door_call(NULL, "ask", NULL, &said, NULL, &error));
  REFUSED("operation", fcps_door_call(door, NULL, NULL, &said, NULL, &error));
  REFUSED("answer", fcps_door_call(door, "ask", NULL, NULL, NULL, &error));
  HARMLESS(fcps_door_call(door, "akk", NULL, &said, NULL, NULL) == FCPS_ERR_UNKNOWN_NAME);
  HARMLESS(fcps_door_call(door, "ask", "[]", &said, NULL, NULL) == FCPS_ERR_FORMAT);
  HARMLESS(fcps_door_call(door, "ask", "{", &said, NULL, NULL) == FCPS_ERR_FORMAT && said == NULL);
  char *described = fcps_door_describe();
  assert_non_null(described);
  fcps_free(described);
  fcps_door_close(door);
  assert_ok(fcps_study_remove(path, NULL));
  expect_none_broken();
}

/* -- <fcps/experiment.h> -- */

static fcps_experiment *running;

/* A callback that changes the experiment it belongs to, and stops. */
static bool meddle(void *user)
{
  (void)user;
  const bool is_refused = fcps_experiment_set_seeds(running, "1-3", NULL) == FCPS_ERR_BUSY &&
                          fcps_experiment_set_program(running, "/bin/sh", NULL) == FCPS_ERR_BUSY;
  fcps_experiment_set_quick(running);
  fcps_experiment_destroy(running);
  if (!is_refused) abort();
  return true;
}

static void experiments_are_safe(void **state)
{
  (void)state;
  fcps_experiment *experiment = NULL, *made = NULL;
  char *const command[] = {(char *)"true", NULL};
  const fcps_experiment_options good = {.directory = folder, .jobs = 1, .command = command},
                                placeless = {.jobs = 1, .command = command},
                                jobless = {.directory = folder, .jobs = -1, .command = command},
                                wordless = {.directory = folder, .jobs = 1},
                                meddling = {.directory = folder, .jobs = 1, .command = command, .stop = meddle};
  unsigned char rgb[3];
  assert_ok(fcps_experiment_open(&experiment, TEST_SOURCE_DIR "/experiments/table1.yaml", NULL));
  REFUSED("experiment", fcps_experiment_open(NULL, "x.yaml", &error));
  REFUSED("path", fcps_experiment_open(&made, NULL, &error));
  DOES_NOTHING(fcps_experiment_destroy(NULL));
  HARMLESS(fcps_experiment_describe(NULL).name == NULL);
  REFUSED("experiment", fcps_experiment_set_seeds(NULL, "1", &error));
  REFUSED("seeds", fcps_experiment_set_seeds(experiment, NULL, &error));
  HARMLESS(fcps_experiment_set_seeds(experiment, "", NULL) != FCPS_OK);
  DOES_NOTHING(fcps_experiment_set_quick(NULL));
  REFUSED("experiment", fcps_experiment_set_program(NULL, "x", &error));
  REFUSED("path", fcps_experiment_set_program(experiment, NULL, &error));
  REFUSED("experiment", fcps_experiment_run_one(NULL, folder, "x", 1, NULL, NULL, &error));
  REFUSED("directory", fcps_experiment_run_one(experiment, NULL, "x", 1, NULL, NULL, &error));
  REFUSED("label", fcps_experiment_run_one(experiment, folder, NULL, 1, NULL, NULL, &error));
  REFUSED("experiment", fcps_experiment_run(NULL, &good, &error));
  REFUSED("options", fcps_experiment_run(experiment, NULL, &error));
  REFUSED("directory", fcps_experiment_run(experiment, &placeless, &error));
  REFUSED("jobs", fcps_experiment_run(experiment, &jobless, &error));
  REFUSED("command", fcps_experiment_run(experiment, &wordless, &error));
  running = experiment;
  HARMLESS(fcps_experiment_run(experiment, &meddling, NULL) == FCPS_ERR_STOPPED);
  HARMLESS(fcps_experiment_run_count(NULL) == 0);
  HARMLESS(fcps_experiment_done_count(NULL, folder) == 0);
  HARMLESS(fcps_experiment_done_count(experiment, NULL) == 0);
  REFUSED("experiment", fcps_experiment_judge(NULL, folder, &error));
  REFUSED("directory", fcps_experiment_judge(experiment, NULL, &error));
  fcps_oracle_levels levels;
  REFUSED("task", fcps_oracle_measure(NULL, 1, &levels, &error));
  HARMLESS(!fcps_experiment_has_picture(NULL));
  REFUSED("experiment", fcps_experiment_picture(NULL, 1, 1, rgb, &error));
  REFUSED("rgb", fcps_experiment_picture(experiment, 1, 1, NULL, &error));
  HARMLESS(fcps_experiment_picture(experiment, -1, 1, rgb, NULL) == FCPS_ERR_ARGUMENT);
  HARMLESS(fcps_experiment_picture(experiment, 1, 0, rgb, NULL) == FCPS_ERR_ARGUMENT);
  fcps_experiment_destroy(experiment);
  expect_none_broken();
}

/* -- Nothing is forgotten -- */

static char *read_text(const char *path)
{
  FILE *file = fopen(path, "re");
  assert_non_null(file);
  enum { MOST = 1 << 20 };
  char *read = malloc(MOST);
  assert_non_null(read);
  read[fread(read, 1, MOST - 1, file)] = 0;
  fclose(file);
  return read;
}

/* The names after FCPS_API: the last word before the first bracket. */
static int count_forgotten(const char *header, const char *own)
{
  int forgotten = 0;
  for (const char *at_api = strstr(header, "FCPS_API "); at_api != NULL; at_api = strstr(at_api + 1, "FCPS_API ")) {
    const char *bracket = strchr(at_api, '('), *first = bracket;
    while (first[-1] == '_' || (first[-1] >= 'a' && first[-1] <= 'z') || (first[-1] >= '0' && first[-1] <= '9'))
      first--;
    char call[80];
    snprintf(call, sizeof call, "%.*s(", (int)(bracket - first), first);
    if (strncmp(call, "fcps_", 5) != 0 || strstr(own, call) != NULL) continue; /* FCPS_API itself is defined */
    print_message("%.*s has no case here\n", (int)(bracket - first), first);
    forgotten++;
  }
  return forgotten;
}

static void every_public_function_has_a_case(void **state)
{
  (void)state;
  static const char *const everything[] = {"/include/fcps/fcps.h", "/lab/include/fcps/lab/lab.h"};
  char *own = read_text(TEST_SOURCE_DIR "/tests/house/test_misuse.c");
  int forgotten = 0, headers = 0;
  for (size_t i = 0; i < sizeof everything / sizeof *everything; i++) {
    char path[300], name[100];
    snprintf(path, sizeof path, TEST_SOURCE_DIR "%s", everything[i]);
    char *all = read_text(path);
    const int to_folder = (int)(strstr(everything[i], "fcps/") - everything[i]);
    for (const char *line = strstr(all, "#include <"); line != NULL; line = strstr(line + 1, "#include <")) {
      assert_int_equal(sscanf(line, "#include <%99[^>]>", name), 1);
      snprintf(path, sizeof path, TEST_SOURCE_DIR "%.*s%s", to_folder, everything[i], name);
      char *header = read_text(path);
      forgotten += count_forgotten(header, own);
      free(header);
      headers++;
    }
    free(all);
  }
  assert_true(headers > 15);
  free(own);
  assert_int_equal(forgotten, 0);
  print_message("%d cases\n", cases);
  assert_true(cases >= LEAST_CASES);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(base_is_safe),
      cmocka_unit_test(problems_are_checked),
      cmocka_unit_test(problem_files_are_checked),
      cmocka_unit_test(learners_are_safe),
      cmocka_unit_test(policies_are_safe),
      cmocka_unit_test(primitives_are_safe),
      cmocka_unit_test(tasks_are_safe),
      cmocka_unit_test(studies_are_made_safely),
      cmocka_unit_test(studies_are_used_safely),
      cmocka_unit_test(studies_are_read_safely),
      cmocka_unit_test(runs_are_safe),
      cmocka_unit_test(doors_are_safe),
      cmocka_unit_test(experiments_are_safe),
      cmocka_unit_test(every_public_function_has_a_case),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
