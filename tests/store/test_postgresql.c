/* SPDX-License-Identifier: Apache-2.0 */
/* Promises of a store in PostgreSQL beyond those of all stores (tests/store/test_store.c): messages never contain a
 * password, and the server or the connection may fail at any time. */
#define _GNU_SOURCE /* memmem, MAP_ANONYMOUS */
#include "postgresql_fixture.h"
#include "store_fixture.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

static postgresql_server server;
static char url[200];
static fcps_store *store;

static const fcps_store_options patient = {.wait_ms = 20000};

static int make(void **state)
{
  (void)state;
  server_url(&server, "a", sizeof url, url);
  if (fcps_store_create(&store, url, patient, NULL) != FCPS_OK) return -1;
  append(store, 1);
  return (int)fcps_store_commit(store, NULL);
}

static int unmake(void **state)
{
  (void)state;
  fcps_store_close(store);
  store = NULL;
  return (int)fcps_store_remove(url, true, NULL);
}

/* as an administrator would */
static void sql(const char *statement)
{
  char command[600];
  snprintf(command, sizeof command, "psql -qAt -h %s -U fcps postgres -c \"%s\" >/dev/null 2>&1", server.folder,
           statement);
  assert_int_equal(system(command), 0);
}

/* A backend that is told to end does so in its own time, and has its locks until then: this waits until all are gone.
 */
static void cut_connections(void)
{
  sql("DO 'DECLARE ours CONSTANT name := ''fcps''; BEGIN"
      " PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ours;"
      " FOR i IN 1..6000 LOOP"
      " PERFORM pg_stat_clear_snapshot(), pg_sleep(0.01);"
      " EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = ours);"
      " END LOOP; END'");
}

/* -- Words -- */

static void a_password_is_refused_and_never_repeated(void **state)
{
  (void)state;
  static const char *const urls[] = {
      "postgresql://me:tell-nobody@host/db#a",       "postgresql://me:tell/nobody@host/db#a",
      "postgresql://host/db?password=tell-nobody#a", "postgresql:///db?p%61ssword=tell-nobody#a",
      "postgresql://h/db?a=b&sslpassword=nobody#a",  "postgresql://:nobody@/db#a",
      "postgres://user:tell-nobody@host/db#a",       "Postgresql://user:tell-nobody@host/db#a",
      "POSTGRES://host/db?password=tell-nobody#a",   "postgresql://robots%3Atell-nobody@host/db#a",
      "postgresql://host/db?passwd=tell-nobody#a"};
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    fcps_store *none = NULL;
    fcps_error error = {0};
    bool exists;
    assert_status(fcps_store_open(&none, urls[i], options, &error), FCPS_ERR_ARGUMENT);
    assert_null(strstr(error.message, "nobody"));
    assert_non_null(strstr(error.message, ".pgpass"));
    assert_status(fcps_store_exists(&exists, urls[i], &error), FCPS_ERR_ARGUMENT);
    assert_null(strstr(error.message, "nobody"));
  }
}

static void an_address_that_is_refused_is_not_repeated(void **state)
{
  (void)state;
  static const char *const urls[] = {"postgresql://user:tell#nobody@host/db#a",
                                     "pgsql://user:tell-nobody@host/db#a",
                                     "Mysql://user:tell-nobody@host/db#a",
                                     "postgresql://host/db#a?password=tell-nobody",
                                     "robots:tell-nobody@host/db#a",
                                     "robots:tell/nobody@host/db",
                                     "robots:tell#nobody@host#a"};
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    fcps_store *none = NULL;
    fcps_error error = {0};
    assert_int_not_equal(fcps_store_open(&none, urls[i], options, &error), FCPS_OK);
    assert_null(strstr(error.message, "nobody"));
  }
}

/* Waiting cannot help: nothing is tried, nothing is called away, and the value may be a password that was misspelt. */
static void an_address_that_can_never_work_is_not_waited_for(void **state)
{
  (void)state;
  if (!server_is_for_us()) skip_because("fcps was built without libpq (Debian: libpq-dev)");
  static const char *const urls[] = {"postgresql:///db?host=/nowhere&foo=nobody#a",
                                     "postgresql:///db?host=/nowhere&pasword=nobody#a",
                                     "postgresql:///db?host=/nowhere&nobody#a",
                                     "postgresql:///db?host=/nowhere&connect_timeout=nobody#a",
                                     "postgresql:///db?host=/nowhere&sslmode=nobody#a",
                                     "postgresql:///db?host=/nowhere&target_session_attrs=nobody#a",
                                     "postgresql:///db?host=/nowhere&port=nobody#a",
                                     "postgresql:///db?host=/nowhere&keepalives_idle=nobody#a",
                                     "postgresql:///db?service=nobody#a",
                                     "postgresql:///db?hostaddr=nobody#a",
                                     "postgresql:///db?host=/nowhere&port=1,2,3&application_name=nobody#a",
                                     "postgresql://127.0.0.1:nobody/db#a",
                                     "postgresql://127.0.0.1:99999/db?application_name=nobody#a",
                                     "postgresql://[nobody/db#a",
                                     "postgresql://127.0.0.1/nobody%zz#a"};
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    fcps_store *none = NULL;
    fcps_error error = {0};
    bool exists;
    assert_status(fcps_store_open(&none, urls[i], options, &error), FCPS_ERR_ARGUMENT);
    assert_null(strstr(error.message, "nobody"));
    assert_status(fcps_store_create(&none, urls[i], options, &error), FCPS_ERR_ARGUMENT);
    assert_null(strstr(error.message, "nobody"));
    assert_status(fcps_store_exists(&exists, urls[i], &error), FCPS_ERR_ARGUMENT);
    assert_null(strstr(error.message, "nobody"));
  }
}

static void a_url_must_name_its_study(void **state)
{
  (void)state;
  static const char *const urls[] = {"postgresql://host/db", "postgresql://host/db#", "postgresql:db#a",
                                     "postgresql://host/db#a#b", "postgresql://host/db#a\n"};
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    fcps_store_url read;
    fcps_error error = {0};
    assert_status(fcps_store_read_url(&read, urls[i], &error), FCPS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "#NAME"));
  }
}

/* -- A server that fails -- */

static void a_cut_connection_is_made_again(void **state)
{
  (void)state;
  cut_connections();
  append_alone(store, 2);
  cut_connections();
  assert_int_equal(read_all(store, 0).count, 2);
}

static void a_server_that_was_restarted_is_found_again(void **state)
{
  (void)state;
  server_end(&server);
  fcps_error error = {0};
  assert_true(server_run(&server));
  if (fcps_store_begin(store, true, &error) != FCPS_OK) fail_msg("%s", error.message);
  append(store, 2);
  assert_ok(fcps_store_commit(store, NULL));
  assert_int_equal(read_all(store, 0).count, 2);
}

/* a failure that waiting cannot change is reported at once */
static void a_database_that_refuses_is_not_called_away(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    char refused[200];
    bool exists = false;
    fcps_error error = {0};
    snprintf(refused, sizeof refused, "postgresql:///%s?host=%s&user=%s#a", i == 0 ? "nowhere" : "postgres",
             server.folder, i == 0 ? "fcps" : "nobody-here");
    assert_status(fcps_store_exists(&exists, refused, &error), FCPS_ERR_STORE);
    assert_non_null(strstr(error.message, "does not let us in"));
  }
}

static void what_was_cut_off_before_its_commit_is_not_stored(void **state)
{
  (void)state;
  fcps_error error = {0};
  assert_ok(fcps_store_begin(store, true, NULL));
  append(store, 2);
  cut_connections();
  assert_status(fcps_store_commit(store, &error), FCPS_ERR_LOCKED);
  assert_non_null(strstr(error.message, "Repeating is safe"));
  assert_int_equal(read_all(store, 0).count, 1);
  append_alone(store, 3);
  assert_int_equal(read_all(store, 0).sequences[1], 2);
}

static void a_hold_outlives_a_cut_connection(void **state)
{
  (void)state;
  fcps_store *second = NULL;
  fcps_error error = {0};
  assert_ok(fcps_store_hold(store, NULL));
  cut_connections();
  append_alone(store, 2);
  assert_ok(fcps_store_open(&second, url, options, NULL));
  assert_status(fcps_store_hold(second, &error), FCPS_ERR_LOCKED);
  fcps_store_close(second);
}

/* a lost hold is noticed until it is back: a process that does not hold the study does not write as its holder */
static void a_hold_that_another_took_meanwhile_is_waited_for(void **state)
{
  (void)state;
  fcps_store *first = NULL, *second = NULL;
  fcps_error error = {0};
  assert_ok(fcps_store_open(&first, url, options, NULL));
  assert_ok(fcps_store_hold(first, NULL));
  cut_connections();
  assert_ok(fcps_store_open(&second, url, options, NULL));
  assert_ok(fcps_store_hold(second, NULL));
  for (int i = 0; i < 2; i++) {
    assert_status(fcps_store_begin(first, true, &error), FCPS_ERR_LOCKED);
    assert_non_null(strstr(error.message, "in use by process"));
  }
  fcps_store_close(second);
  append_alone(first, 2);
  assert_ok(fcps_store_open(&second, url, options, NULL));
  assert_status(fcps_store_hold(second, &error), FCPS_ERR_LOCKED);
  fcps_store_close(second);
  fcps_store_close(first);
}

/* closing a study releases it for all others, at once */
static void a_study_that_was_closed_can_be_removed(void **state)
{
  (void)state;
  char other[200];
  server_url(&server, "b", sizeof other, other);
  for (int i = 0; i < 30; i++) {
    fcps_store *made = NULL;
    fcps_error error = {0};
    assert_ok(fcps_store_create(&made, other, options, NULL));
    append(made, 1);
    assert_ok(fcps_store_commit(made, NULL));
    assert_ok(fcps_store_hold(made, NULL));
    fcps_store_close(made);
    if (fcps_store_remove(other, true, &error) != FCPS_OK) fail_msg("%d: %s", i, error.message);
  }
}

/* Stands between the store and the server, on a socket of its own. If *is_cutting, an answer to COMMIT is swallowed,
 * and the connection ended: the server has stored it, and nobody knows. */
static void relay(int listener, volatile int *is_cutting)
{
  for (;;) {
    const int client = accept(listener, NULL, NULL), there = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/.s.PGSQL.5432", server.folder);
    if (connect(there, (struct sockaddr *)&address, sizeof address) != 0) _exit(1);
    bool is_commit = false;
    for (bool is_open = true; is_open;) {
      struct pollfd both[] = {{client, POLLIN, 0}, {there, POLLIN, 0}};
      char bytes[1 << 16];
      poll(both, 2, -1);
      for (int i = 0; i < 2 && is_open; i++) {
        if (both[i].revents == 0) continue;
        const ssize_t length = read(both[i].fd, bytes, sizeof bytes);
        is_open = length > 0 && !(i == 1 && is_commit);
        if (i == 0 && length > 0) is_commit = *is_cutting && memmem(bytes, (size_t)length, "; COMMIT", 8) != NULL;
        if (is_open && write(both[1 - i].fd, bytes, (size_t)length) != length) is_open = false;
      }
    }
    if (is_commit) *is_cutting = 0;
    close(client);
    close(there);
  }
}

static void a_commit_whose_answer_was_lost_is_known_to_be_stored(void **state)
{
  (void)state;
  volatile int *is_cutting = mmap(NULL, sizeof *is_cutting, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  char folder[] = "/tmp/fcps-relay-XXXXXX", through[200];
  assert_non_null(mkdtemp(folder));
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/.s.PGSQL.5432", folder);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal(listen(listener, 8), 0);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    relay(listener, is_cutting);
  }
  fcps_store *cut = NULL;
  snprintf(through, sizeof through, "postgresql:///postgres?host=%s&user=fcps#a", folder);
  assert_ok(fcps_store_open(&cut, through, patient, NULL));
  append_alone(cut, 2);
  for (int i = 0; i < 3; i++) {
    *is_cutting = 1;
    append_alone(cut, 3 + i); /* the answer is lost, the record is not, nor is it doubled */
    assert_int_equal(*is_cutting, 0);
  }
  fcps_store_close(cut);
  assert_int_equal(read_all(store, 0).count, 5);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  close(listener);
  /* a backend behind the relay notices in its own time that nobody is there, and has the study open until then */
  cut_connections();
  unlink(address.sun_path);
  rmdir(folder);
}

/* -- What others do to the tables -- */

static void a_study_that_was_taken_back_is_noticed(void **state)
{
  (void)state;
  fcps_error error = {0};
  append_alone(store, 2);
  sql("DELETE FROM fcps.journal WHERE sequence = 2");
  assert_status(fcps_store_begin(store, true, &error), FCPS_ERR_DAMAGED);
  assert_non_null(strstr(error.message, "replaced"));
}

static void a_changed_record_is_refused(void **state)
{
  (void)state;
  fcps_store *second = NULL;
  fcps_error error = {0};
  seen s = {0};
  append_alone(store, 2);
  sql("UPDATE fcps.journal SET ask = 7 WHERE sequence = 1");
  assert_ok(fcps_store_open(&second, url, options, NULL));
  assert_ok(fcps_store_begin(second, false, NULL));
  assert_status(fcps_store_each(second, 0, look, &s, &error), FCPS_ERR_DAMAGED);
  assert_non_null(strstr(error.message, "record 1"));
  fcps_store_close(second);
}

static void tables_of_a_newer_fcps_are_refused_untouched(void **state)
{
  (void)state;
  fcps_store *second = NULL;
  fcps_error error = {0};
  sql("UPDATE fcps.format SET version = 99");
  assert_status(fcps_store_open(&second, url, options, &error), FCPS_ERR_FORMAT);
  assert_status(fcps_store_begin(store, true, &error), FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.message, "newer"));
  sql("UPDATE fcps.format SET version = 1");
  append_alone(store, 2);
}

static void a_removed_study_is_noticed(void **state)
{
  (void)state;
  fcps_error error = {0};
  assert_status(fcps_store_remove(url, true, &error), FCPS_ERR_LOCKED); /* it is open */
  sql("DELETE FROM fcps.studies");
  assert_status(fcps_store_begin(store, true, &error), FCPS_ERR_DAMAGED);
  assert_non_null(strstr(error.message, "removed"));
}

/* -- Watching -- */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void who_waits_is_told_of_a_commit(void **state)
{
  (void)state;
  fcps_store *second = NULL;
  assert_ok(fcps_store_open(&second, url, options, NULL));
  assert_ok(fcps_store_wait(store, 60000, NULL)); /* begins to listen */
  append_alone(second, 2);
  const double begin = now();
  assert_ok(fcps_store_wait(store, 60000, NULL));
  assert_true(now() - begin < 30);
  assert_ok(fcps_store_wait(store, 1, NULL)); /* nothing happens, and it returns */
  fcps_store_close(second);
}

static void the_time_is_that_of_the_database(void **state)
{
  (void)state;
  int64_t first = 0, second = 0;
  assert_ok(fcps_store_begin(store, false, NULL));
  assert_ok(fcps_store_time(store, &first, NULL));
  assert_ok(fcps_store_time(store, &second, NULL));
  assert_true(first > 1600000000000 && second >= first);
  fcps_store_rollback(store);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, make, unmake)

int main(void)
{
  const struct CMUnitTest words[] = {cmocka_unit_test(a_password_is_refused_and_never_repeated),
                                     cmocka_unit_test(an_address_that_is_refused_is_not_repeated),
                                     cmocka_unit_test(an_address_that_can_never_work_is_not_waited_for),
                                     cmocka_unit_test(a_url_must_name_its_study)};
  const struct CMUnitTest cases[] = {
      CASE(a_cut_connection_is_made_again),
      CASE(a_server_that_was_restarted_is_found_again),
      CASE(a_database_that_refuses_is_not_called_away),
      CASE(what_was_cut_off_before_its_commit_is_not_stored),
      CASE(a_hold_outlives_a_cut_connection),
      CASE(a_hold_that_another_took_meanwhile_is_waited_for),
      CASE(a_study_that_was_closed_can_be_removed),
      CASE(a_commit_whose_answer_was_lost_is_known_to_be_stored),
      CASE(a_study_that_was_taken_back_is_noticed),
      CASE(a_changed_record_is_refused),
      CASE(tables_of_a_newer_fcps_are_refused_untouched),
      CASE(a_removed_study_is_noticed),
      CASE(who_waits_is_told_of_a_commit),
      CASE(the_time_is_that_of_the_database),
  };
  int failed = cmocka_run_group_tests_name("words", words, NULL, NULL);
  const bool has_server = server_start(&server);
  if (has_server)
    failed += cmocka_run_group_tests_name("a server", cases, NULL, NULL);
  else
    puts("skipped: the cases with a server, see above");
  server_remove(&server);
  return failed != 0 ? 1 : has_server ? 0 : 77;
}
