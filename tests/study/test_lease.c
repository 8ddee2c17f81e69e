/* SPDX-License-Identifier: Apache-2.0 */
/* Leases: which worker may run which ask, on every kind of store. */
#include "check.h"
#include "store/postgresql_fixture.h"
#include "study/study_impl.h"

#include <fcps/study_lease.h>

static const char throw_yaml[] = "name: throw\n"
                                 "target: {x: [0, 5]}\n"
                                 "parameters: {speed: [0, 3]}\n"
                                 "outcome: [land]\n"
                                 "achieved: {x: land}\n"
                                 "reward: -distance\n"
                                 "learner: {name: random}\n";

/* The place of the study of a case. */
typedef struct place {
  char url[200];
} place;

static fcps_study *study, *other; /* two handles; a study in memory has one */

static int set_up(void **state)
{
  const place *p = *state;
  const char *url = *p->url != '\0' ? p->url : NULL;
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml", .seed = 1003};
  const fcps_study_options options = {.is_relaxed = true};
  fcps_status status = fcps_study_create(&study, url, &setup, &options, NULL);
  if (status == FCPS_OK && url != NULL) status = fcps_study_open(&other, url, &options, NULL);
  if (url == NULL) other = study;
  return (int)status;
}

static int tear_down(void **state)
{
  const place *p = *state;
  if (other != study) fcps_study_close(other);
  fcps_study_close(study);
  study = other = NULL;
  return *p->url != '\0' ? (int)fcps_study_remove(p->url, NULL) : 0;
}

static void draw(void *user, int64_t index, double *target, double *environment)
{
  (void)user;
  (void)environment;
  target[0] = (double)(index % 5);
}

static int64_t ask_as(fcps_study *s, const char *worker, int lease_ms, int64_t most)
{
  const fcps_lease_request request = {.worker = worker, .lease_ms = lease_ms, .most_asks = most, .context = draw};
  fcps_ask ask;
  fcps_error error = {0};
  if (fcps_study_ask_leased(s, &request, &ask, &error) != FCPS_OK) fail_msg("%s", error.message);
  if (ask.id > 0) assert_near(ask.target[0], (double)((ask.id - 1) % 5), 0);
  return ask.id;
}

static fcps_status tell_as(fcps_study *s, const char *worker, int64_t ask, double land)
{
  const fcps_result result = {.rollout = {.outcome = &land, .reward = NAN, .hindsight_reward = NAN}, .client = worker};
  return fcps_study_tell(s, ask, &result, NULL, NULL);
}

static void sleep_ms(int ms)
{
  nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

enum { LONG_MS = 600000, SHORT_MS = 1 };

static void workers_get_asks_of_their_own_and_the_same_again(void **state)
{
  (void)state;
  assert_int_equal(ask_as(study, "a", LONG_MS, 0), 1);
  assert_int_equal(ask_as(other, "b", LONG_MS, 0), 2);
  assert_int_equal(ask_as(study, "a", LONG_MS, 0), 1);
  assert_ok(tell_as(study, "a", 1, 1));
  assert_int_equal(ask_as(study, "a", LONG_MS, 0), 3);
}

static void an_ask_whose_lease_has_ended_is_given_to_the_next(void **state)
{
  (void)state;
  assert_int_equal(ask_as(study, "a", SHORT_MS, 0), 1);
  sleep_ms(20);
  assert_int_equal(ask_as(other, "b", LONG_MS, 0), 1);
  assert_int_equal(ask_as(study, "a", LONG_MS, 0), 2); /* the ask is no longer its own, although it asked for it */
  assert_int_equal(ask_as(other, "c", LONG_MS, 0), 3);
  bool is_noted = false;
  assert_ok(fcps_study_refresh(study, NULL));
  const fcps_study_event *event;
  for (int i = 0; (event = fcps_study_event_at(study, i)) != NULL; i++)
    is_noted |= strcmp(event->code, "LEASE_ENDED") == 0 && strstr(event->text, "ask 1: a ") != NULL;
  assert_true(is_noted);
}

static void a_late_result_is_taken_and_both_are_kept(void **state)
{
  (void)state;
  assert_int_equal(ask_as(study, "a", SHORT_MS, 0), 1);
  sleep_ms(20);
  assert_int_equal(ask_as(other, "b", LONG_MS, 0), 1);
  assert_ok(tell_as(study, "a", 1, 1));                        /* late, and the first */
  assert_status(tell_as(other, "b", 1, 2), FCPS_ERR_CONFLICT); /* kept as evidence */
  assert_int_equal(fcps_study_result_count(other), 2);
  assert_int_equal(ask_as(other, "b", LONG_MS, 0), 2);
}

static void a_sign_of_life_extends_leases_and_none_ends_them(void **state)
{
  (void)state;
  int count = 0;
  assert_int_equal(ask_as(study, "a/1", SHORT_MS, 0), 1);
  sleep_ms(20);
  assert_int_equal(ask_as(study, "a/2", SHORT_MS, 0), 1); /* by its short lease; then it is a/2's */
  assert_ok(fcps_study_renew_leases(study, "a", NULL, LONG_MS, &count, NULL));
  assert_int_equal(count, 1);
  assert_int_equal(ask_as(other, "b", LONG_MS, 0), 2);
  assert_ok(fcps_study_renew_leases(other, "a", NULL, 0, &count, NULL));
  assert_int_equal(count, 1);
  assert_int_equal(ask_as(other, "c", LONG_MS, 0), 1);
  bool is_noted = false;
  const fcps_study_event *event;
  for (int i = 0; (event = fcps_study_event_at(other, i)) != NULL; i++)
    is_noted |= strcmp(event->code, "LEASE_ENDED") == 0 && strstr(event->text, "a/2 gave it back") != NULL;
  assert_true(is_noted);
  assert_ok(fcps_study_renew_leases(other, "nobody", NULL, LONG_MS, &count, NULL));
  assert_int_equal(count, 0);
}

static fcps_status ask_in(fcps_study *s, const char *worker, const char *session, int lease_ms, int64_t *id)
{
  const fcps_lease_request request = {.worker = worker, .session = session, .lease_ms = lease_ms, .context = draw};
  fcps_ask ask;
  const fcps_status status = fcps_study_ask_leased(s, &request, &ask, NULL);
  *id = status == FCPS_OK ? ask.id : 0;
  return status;
}

static void a_second_process_of_the_same_name_is_refused(void **state)
{
  (void)state;
  int64_t id = 0;
  int count = 0;
  assert_ok(ask_in(study, "a/1", "first", LONG_MS, &id));
  assert_ok(ask_in(study, "a/1", "first", LONG_MS, &id));
  assert_int_equal(id, 1);
  assert_status(ask_in(other, "a/1", "second", LONG_MS, &id), FCPS_ERR_CONFLICT);
  assert_status(ask_in(other, "a/2", "second", LONG_MS, &id), FCPS_ERR_CONFLICT);
  assert_ok(ask_in(study, "a/2", "first", LONG_MS, &id));
  assert_int_equal(id, 2);
  assert_ok(ask_in(other, "ab/1", "second", LONG_MS, &id));
  assert_int_equal(id, 3);
  assert_status(fcps_study_renew_leases(other, "a", "second", 0, &count, NULL), FCPS_ERR_CONFLICT);
  assert_ok(tell_as(study, "a", 2, 1)); /* between two trials it still has its name */
  assert_ok(tell_as(study, "a", 1, 1));
  assert_status(ask_in(other, "a/1", "second", LONG_MS, &id), FCPS_ERR_CONFLICT);
  assert_ok(ask_in(study, "a/1", "first", LONG_MS, &id));
  assert_int_equal(id, 4);
  assert_ok(fcps_study_renew_leases(study, "a", "first", SHORT_MS, &count, NULL));
  assert_int_equal(count, 1);
  sleep_ms(20);
  assert_ok(ask_in(other, "a/1", "second", LONG_MS, &id)); /* the first was killed */
  assert_int_equal(id, 4);
  assert_status(ask_in(study, "a/1", "first", LONG_MS, &id), FCPS_ERR_CONFLICT);
}

static void no_more_asks_are_given_than_wanted(void **state)
{
  (void)state;
  assert_int_equal(ask_as(study, "a", LONG_MS, 2), 1);
  assert_int_equal(ask_as(other, "b", LONG_MS, 2), 2);
  assert_int_equal(ask_as(other, "c", LONG_MS, 2), 0);
  assert_ok(fcps_study_renew_leases(study, "a", NULL, 0, NULL, NULL));
  assert_int_equal(ask_as(other, "c", LONG_MS, 2), 1);
}

static void asks_of_others_are_never_taken_over(void **state)
{
  (void)state;
  const double target = 1;
  fcps_ask ask;
  assert_ok(fcps_study_ask(study, "person", &target, NULL, &ask, NULL));
  assert_int_equal(ask_as(other, "a", LONG_MS, 0), 2);
}

/* The times of a lease and of a session of 5 s, as they are stored when the clock is `ahead_ms` before it is set back.
 */
static void store_ahead(int64_t ahead_ms)
{
  enum { LEASE_MS = 5000 };
  int count = 0;
  int64_t now = 0;
  char text[120];
  assert_ok(fcps_study_read_leases(study, &count, &now, NULL));
  assert_int_equal(count, 1);
  const long long since = (long long)(now + ahead_ms), until = since + LEASE_MS;
  assert_ok(fcps_study_begin(study, true, NULL));
  snprintf(text, sizeof text, "{\"1\": [\"a\", %lld, %lld, %d]}", since, until, LEASE_MS);
  assert_ok(fcps_store_set(study->store, "leases", text, NULL));
  snprintf(text, sizeof text, "{\"a\": [\"first\", %lld, %d]}", until, LEASE_MS);
  assert_ok(fcps_store_set(study->store, "workers", text, NULL));
  assert_ok(fcps_study_end(study, FCPS_OK, NULL));
}

static void a_clock_that_was_set_back_ends_leases(void **state)
{
  (void)state;
  enum { SECOND_MS = 1000, DAY_MS = 86400000 };
  const fcps_lease_request same = {.worker = "a", .session = "second", .lease_ms = LONG_MS, .context = draw};
  fcps_ask ask;
  assert_int_equal(ask_as(study, "a", LONG_MS, 1), 1);
  store_ahead(SECOND_MS); /* less than the lease: a living worker gives a sign in time */
  assert_int_equal(ask_as(other, "b", LONG_MS, 1), 0);
  assert_status(fcps_study_ask_leased(other, &same, &ask, NULL), FCPS_ERR_CONFLICT);
  store_ahead(DAY_MS);
  assert_int_equal(ask_as(other, "b", LONG_MS, 1), 1);
  store_ahead(DAY_MS);
  assert_ok(fcps_study_ask_leased(other, &same, &ask, NULL));
  assert_int_equal(ask.id, 1);
}

/* the length of a lease is stored with it, also by a sign of life */
static void a_lease_ends_after_its_own_length_whatever_the_clock_was(void **state)
{
  (void)state;
  char *text = NULL;
  assert_int_equal(ask_as(study, "a", LONG_MS, 1), 1);
  assert_ok(fcps_study_renew_leases(study, "a", "first", 7000, NULL, NULL));
  for (int i = 0; i < 2; i++) {
    assert_ok(fcps_study_begin(study, false, NULL));
    assert_ok(fcps_store_get(study->store, i == 0 ? "leases" : "workers", &text, NULL));
    assert_ok(fcps_study_end(study, FCPS_OK, NULL));
    if (strstr(text, ",7000]") == NULL) fail_msg("no length in %s", text);
    free(text);
  }
}

static void leases_are_listed_until_their_result_comes(void **state)
{
  (void)state;
  int count = 0;
  int64_t now = 0;
  fcps_lease lease;
  ask_as(study, "a", LONG_MS, 0);
  ask_as(study, "b", LONG_MS, 0);
  assert_ok(fcps_study_read_leases(other, &count, &now, NULL));
  assert_int_equal(count, 2);
  fcps_study_lease_at(other, 1, &lease);
  assert_string_equal(lease.worker, "b");
  assert_int_equal(lease.ask, 2);
  assert_true(lease.until_ms > now && !lease.has_ended);
  assert_ok(tell_as(study, "a", 1, 1));
  assert_ok(fcps_study_read_leases(other, &count, NULL, NULL));
  assert_int_equal(count, 1);
}

#define CASE(test)                                                                                                     \
  {                                                                                                                    \
#test, test, set_up, tear_down, NULL                                                                               \
  }

int main(void)
{
  static struct CMUnitTest cases[] = {CASE(workers_get_asks_of_their_own_and_the_same_again),
                                      CASE(an_ask_whose_lease_has_ended_is_given_to_the_next),
                                      CASE(a_late_result_is_taken_and_both_are_kept),
                                      CASE(a_sign_of_life_extends_leases_and_none_ends_them),
                                      CASE(a_second_process_of_the_same_name_is_refused),
                                      CASE(no_more_asks_are_given_than_wanted),
                                      CASE(asks_of_others_are_never_taken_over),
                                      CASE(a_clock_that_was_set_back_ends_leases),
                                      CASE(a_lease_ends_after_its_own_length_whatever_the_clock_was),
                                      CASE(leases_are_listed_until_their_result_comes)};
  enum { CASES = sizeof cases / sizeof *cases };
  char folder[] = "/tmp/fcps-lease-XXXXXX";
  if (mkdtemp(folder) == NULL) return 1;
  postgresql_server server = {0};
  static place places[3];
  snprintf(places[1].url, sizeof places[1].url, "%s/a.fcps", folder);
  const bool has_server = server_start(&server);
  server_url(&server, "lease", sizeof places[2].url, places[2].url);
  if (!has_server) puts("skipped: the cases of postgresql://, because no PostgreSQL could be started");
  int failed = 0;
  for (int p = 0; p < 2 + has_server; p++) {
    for (int c = 0; c < CASES; c++)
      cases[c].initial_state = &places[p];
    failed += _cmocka_run_group_tests(*places[p].url != '\0' ? places[p].url : "memory:", cases, CASES, NULL, NULL);
  }
  server_remove(&server);
  rmdir(folder);
  return failed;
}
