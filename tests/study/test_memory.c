/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of the library fails in turn, once or from then on: no crash, no leak (run it with the address
 * sanitizer), and a status that names the reason. FCPS_TEST_LONG=1 tries every allocation instead of every 41st. */
#include "study_fixture.h"

#include "base/memory.h"

#include <fcps/study_check.h>

static long allocations, failing_at;
static bool is_lasting;

static bool fails(void)
{
  allocations++;
  if (!failing_at) return false;
  return is_lasting ? allocations >= failing_at : allocations == failing_at;
}

/* The linker puts these in front of the library's own (tests/CMakeLists.txt). */
void *__real_fcps_allocate(size_t count, size_t size);
bool __real_fcps_reserve(void **items, size_t *capacity, size_t needed, size_t size);
void *__real_fcps_copy(const void *items, size_t count, size_t size);
char *__real_fcps_copy_text(const char *text);
void *__wrap_fcps_allocate(size_t count, size_t size);
bool __wrap_fcps_reserve(void **items, size_t *capacity, size_t needed, size_t size);
void *__wrap_fcps_copy(const void *items, size_t count, size_t size);
char *__wrap_fcps_copy_text(const char *text);

void *__wrap_fcps_allocate(size_t count, size_t size)
{
  return fails() ? NULL : __real_fcps_allocate(count, size);
}

bool __wrap_fcps_reserve(void **items, size_t *capacity, size_t needed, size_t size)
{
  return fails() ? false : __real_fcps_reserve(items, capacity, needed, size);
}

void *__wrap_fcps_copy(const void *items, size_t count, size_t size)
{
  return fails() ? NULL : __real_fcps_copy(items, count, size);
}

char *__wrap_fcps_copy_text(const char *text)
{
  return fails() ? NULL : __real_fcps_copy_text(text);
}

static fcps_status throw_and_tell(fcps_study *s, fcps_error *error)
{
  double target, environment;
  fcps_ask ask;
  context_of(fcps_study_ask_count(s) + 1, &target, &environment);
  const fcps_status status = fcps_study_ask(s, NULL, &target, &environment, &ask, error);
  if (status != FCPS_OK) return status;
  const double land = throw_lands(ask.environment, ask.parameters);
  const fcps_result result = {.rollout.outcome = &land};
  return fcps_study_tell(s, ask.id, &result, NULL, error);
}

static fcps_status look_at_policy(fcps_study *s, fcps_error *error)
{
  fcps_policy *policy = NULL;
  double target = 1, wind = 0, parameters[2];
  fcps_status status = fcps_study_policy(s, &policy, error);
  if (status == FCPS_OK) status = fcps_policy_query(policy, &target, &wind, parameters, NULL);
  fcps_policy_destroy(policy);
  return status;
}

static fcps_status check_model(fcps_study *s, fcps_error *error)
{
  fcps_policy *policy = NULL;
  fcps_study_check *check = NULL;
  fcps_status status = fcps_study_policy(s, &policy, error);
  if (status == FCPS_OK) status = fcps_study_check_model(s, policy, &check, error);
  fcps_study_check_destroy(check);
  fcps_policy_destroy(policy);
  return status;
}

static fcps_status amend_learner(fcps_study *s, fcps_error *error)
{
  static const fcps_setting settings[] = {{"kappa", "0.7"}, {"initial", "1"}, {NULL, NULL}};
  char *replaced = NULL;
  int last = 0;
  fcps_status status = fcps_study_amend_learner(s, "outcome", settings, error);
  while (fcps_study_event_at(s, last + 1) != NULL)
    last++;
  if (status == FCPS_OK) status = fcps_study_replaced(s, last, &replaced, error);
  free(replaced);
  return status;
}

static fcps_status policy_as_file(fcps_study *s, fcps_error *error)
{
  char *text = NULL;
  fcps_policy *policy = NULL;
  fcps_problem_file *problem = NULL;
  fcps_status status = fcps_study_export_policy(s, &text, error);
  if (status == FCPS_OK) status = fcps_study_load_policy(&policy, &problem, text, "policy", error);
  fcps_policy_destroy(policy);
  fcps_problem_file_destroy(problem);
  free(text);
  return status;
}

/* a whole life of a study in a file; ends at the first failure */
static fcps_status session(fcps_error *error)
{
  static const fcps_setting settings[] = {{"initial", "1"}, {NULL, NULL}};
  const fcps_study_setup setup = {
      .text = throw_yaml, .text_name = "throw.yaml", .learner = "bo-fcps", .settings = settings, .seed = 3};
  const fcps_study_options relaxed = {.is_relaxed = true};
  fcps_study *s = NULL;
  unlink(test_path);
  fcps_status status = fcps_study_create(&s, test_path, &setup, &relaxed, error);
  for (int i = 0; status == FCPS_OK && i < 3; i++)
    status = throw_and_tell(s, error);
  fcps_study_close(s);
  s = NULL;
  if (status == FCPS_OK) status = fcps_study_open(&s, test_path, &relaxed, error);
  if (status == FCPS_OK) status = throw_and_tell(s, error);
  if (status == FCPS_OK) status = fcps_study_amend(s, "reward", "-abs(x-land)", error);
  if (status == FCPS_OK) status = throw_and_tell(s, error);
  if (status == FCPS_OK) status = look_at_policy(s, error);
  if (status == FCPS_OK) status = check_model(s, error);
  if (status == FCPS_OK) status = amend_learner(s, error);
  if (status == FCPS_OK) status = throw_and_tell(s, error);
  if (status == FCPS_OK) status = policy_as_file(s, error);
  fcps_study_close(s);
  return status;
}

/* all results acknowledged before are still there */
static void expect_readable(void)
{
  fcps_study *s = NULL;
  fcps_error error = {0};
  if (access(test_path, F_OK) != 0) return;
  if (fcps_study_open(&s, test_path, NULL, &error) != FCPS_OK) fail_msg("%s", error.message);
  for (int i = 0; i < fcps_study_ask_count(s); i++) {
    fcps_ask ask;
    fcps_study_ask_at(s, i, &ask);
    assert_true(ask.state == FCPS_ASK_TOLD || i == fcps_study_ask_count(s) - 1);
  }
  fcps_study_close(s);
}

static void every_failing_allocation_is_reported_and_harmless(void **state)
{
  (void)state;
  fcps_error error = {0};
  failing_at = allocations = 0;
  if (session(&error) != FCPS_OK) fail_msg("%s: %s", error.field, error.message);
  const long count = allocations, step = getenv("FCPS_TEST_LONG") != NULL ? 1 : 41;
  int refused = 0, runs = 0;
  for (long at = 1; at <= count; at += step, runs++) {
    is_lasting = runs % 2;
    allocations = 0;
    failing_at = at;
    const fcps_status status = session(&error);
    failing_at = 0;
    if (status != FCPS_OK && status != FCPS_ERR_MEMORY)
      fail_msg("allocation %ld of %ld: %s: %s", at, count, fcps_status_text(status), error.message);
    refused += status == FCPS_ERR_MEMORY;
    expect_readable();
  }
  printf("# %ld allocations; %d of %d failures stopped the session, the others it could do without\n", count, refused,
         runs);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_failing_allocation_is_reported_and_harmless, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
