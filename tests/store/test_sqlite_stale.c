/* SPDX-License-Identifier: Apache-2.0 */
/* A journal that a killed command left is rolled back into its own file, and into no other: a writer is killed at every
 * call of a commit, and then other files are copied to its place. */
#include "sqlite_fixture.h"

#include "study/failing_vfs.h"

enum { BEFORE = 7 }; /* records before the commit that is killed */

static const char *journal(void)
{
  return in_folder("a.fcps-journal");
}

/* true if a process that appends a record is killed at call `k`; false if it makes fewer calls */
static bool kill_writer(long k, fault how, bool is_relaxed)
{
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    fcps_store *store = NULL;
    int64_t sequence;
    const fcps_store_options quick = {.wait_ms = 100, .is_relaxed = is_relaxed};
    const fcps_journal_record record = a_tell(8);
    install_failing_vfs();
    if (fcps_store_open(&store, path, quick, NULL) != FCPS_OK) _exit(1);
    failing = (struct failing){.fault = how, .at = k};
    if (fcps_store_begin(store, true, NULL) != FCPS_OK || fcps_store_append(store, &record, &sequence, NULL) != FCPS_OK)
      _exit(2);
    _exit(fcps_store_commit(store, NULL) == FCPS_OK ? 0 : 3);
  }
  const int status = wait_for(child);
  if (!WIFSIGNALED(status) && WEXITSTATUS(status) != 0) fail_msg("the writer ended with %d", WEXITSTATUS(status));
  return WIFSIGNALED(status);
}

static void clear_stale(void)
{
  DIR *stream = opendir(folder);
  for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
    if (strstr(entry->d_name, ".stale-") != NULL) unlink(in_folder(entry->d_name));
  closedir(stream);
}

/* the files as the killed writer left them */
static void bring_back(void)
{
  clear_stale();
  copy_over(in_folder("killed"), path);
  unlink(journal());
  if (is_there(in_folder("killed-journal"))) copy_over(in_folder("killed-journal"), journal());
}

static void try_all(bool is_relaxed, int *hot, int *stale)
{
  /* what may be copied to its place, and the records it has: all must stay */
  static const struct {
    const char *name;
    int records;
  } others[] = {{"early", 3}, {"backup", 5}, {"previous", 6}, {"same", BEFORE}, {"foreign", 2}};
  static const fault ways[] = {FAULT_KILL_BEFORE, FAULT_KILL_HALF, FAULT_KILL_AFTER};
  for (int way = 0; way < 3; way++) {
    for (long k = 1;; k++) {
      clear_stale();
      copy_over(in_folder("same"), path);
      unlink(journal());
      if (!kill_writer(k, ways[way], is_relaxed)) break;
      copy_over(path, in_folder("killed"));
      unlink(in_folder("killed-journal"));
      if (is_there(journal())) copy_over(journal(), in_folder("killed-journal"));
      *hot += is_there(journal());
      const int count = count_records(path);
      if (count != BEFORE && count != BEFORE + 1) fail_msg("kill %ld: %d records", k, count);
      assert_int_equal(count_names("a.fcps-journal.stale"), 0);
      for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        bring_back();
        copy_over(in_folder(others[i].name), path);
        const int there = count_records(path);
        if (there != others[i].records)
          fail_msg("kill %ld: %s has %d records instead of %d", k, others[i].name, there, others[i].records);
        *stale += count_names("a.fcps-journal.stale");
      }
    }
  }
}

static void a_journal_is_rolled_back_into_its_own_file_alone(void **state)
{
  (void)state;
  int64_t records;
  int hot = 0, stale = 0;
  copy_over(path, in_folder("early"));
  continue_store(path, 4, 2);
  assert_ok(fcps_store_backup(path, in_folder("backup"), false, &records, NULL));
  continue_store(path, 6, 1);
  copy_over(path, in_folder("previous"));
  continue_store(path, 7, 1);
  copy_over(path, in_folder("same"));
  make_store(in_folder("foreign"), 2);
  try_all(false, &hot, &stale);
  try_all(true, &hot, &stale);
  printf("# %d killed commits left a journal; %d times it lay beside another file and was set aside\n", hot, stale);
  assert_true(hot >= 20 && stale >= hot);
}

/* A commit with more pages than SQLite keeps in memory writes to the file before its end. */
static void leave_large_commit(void)
{
  enum { RECORDS = 3000, TEXT = 2000 };
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    char text[TEXT + 1];
    int64_t sequence;
    fcps_journal_record record = a_tell(8);
    fcps_store *store = open_store(path);
    memset(text, 'x', TEXT);
    text[TEXT] = '\0';
    record.text = text;
    if (fcps_store_begin(store, true, NULL) != FCPS_OK) _exit(1);
    for (int i = 0; i < RECORDS; i++)
      if (fcps_store_append(store, &record, &sequence, NULL) != FCPS_OK) _exit(2);
    _exit(0); /* without a commit */
  }
  const int how = wait_for(child);
  assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

static void a_large_commit_is_rolled_back_into_its_own_file_alone(void **state)
{
  (void)state;
  struct stat before, after;
  copy_over(path, in_folder("early"));
  continue_store(path, 4, 2);
  assert_int_equal(stat(path, &before), 0);
  leave_large_commit();
  assert_int_equal(stat(path, &after), 0);
  assert_true(after.st_size > 2 * before.st_size); /* it was written to */
  copy_over(path, in_folder("killed"));
  copy_over(journal(), in_folder("killed-journal"));
  assert_int_equal(count_records(path), 5);
  assert_int_equal(count_names("a.fcps-journal"), 0);
  bring_back();
  copy_over(in_folder("early"), path);
  assert_int_equal(count_records(path), 3);
  assert_int_equal(count_names("a.fcps-journal.stale"), 1);
}

/* a writer that was killed when the whole commit was written and only its journal was left */
static void leave_hot_journal(void)
{
  for (long k = 1; kill_writer(k, FAULT_KILL_BEFORE, false); k++) {
    struct stat info;
    if (stat(journal(), &info) == 0 && info.st_size > 0) copy_over(journal(), in_folder("last"));
  }
  fcps_store_close(open_store(path));
  copy_over(in_folder("last"), journal());
}

static void the_user_is_told(void **state)
{
  (void)state;
  copy_over(path, in_folder("early"));
  continue_store(path, 4, 2);
  leave_hot_journal();
  copy_over(in_folder("early"), path);
  fcps_store *store = open_store(path);
  assert_non_null(store->notice);
  assert_non_null(strstr(store->notice, "journal.stale-"));
  fcps_store_close(store);
}

/* if the folder is read-only, nothing can be rolled back: the message says what to do */
static int read_unprivileged(void)
{
  fcps_error error = {0};
  fcps_store *store = NULL;
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 77;
  const fcps_status status = fcps_store_open(&store, path, options, &error);
  if (status != FCPS_ERR_STORE) return 1;
  return strstr(error.message, "rolled back") != NULL && strstr(error.message, "copy both") != NULL ? 0 : 2;
}

static void a_reader_who_may_not_write_is_told_what_to_do(void **state)
{
  (void)state;
  leave_hot_journal();
  chmod(path, 0444);
  chmod(journal(), 0444);
  chmod(folder, 0555);
  const pid_t child = fork();
  if (child == 0) _exit(read_unprivileged());
  const int how = wait_for(child);
  chmod(folder, 0755);
  if (WEXITSTATUS(how) == 77) skip_because("root cannot become another user here");
  assert_int_equal(how, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      CASE(a_journal_is_rolled_back_into_its_own_file_alone),
      CASE(a_large_commit_is_rolled_back_into_its_own_file_alone),
      CASE(the_user_is_told),
      CASE(a_reader_who_may_not_write_is_told_what_to_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
