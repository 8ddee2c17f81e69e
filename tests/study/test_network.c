/* SPDX-License-Identifier: Apache-2.0 */
/* A study on a network file system: a process that writes is warned once, a process that only reads is not. The test
 * replaces the kernel's answer about the file system (tests/CMakeLists.txt). */
#include "study_fixture.h"

#include "store/store.h"

#include <sys/vfs.h>

static long file_system;

int __wrap_statfs(const char *path, struct statfs *place);

int __wrap_statfs(const char *path, struct statfs *place)
{
  *place = (struct statfs){0};
  if (access(path, F_OK) != 0) return -1;
  place->f_type = file_system;
  return 0;
}

enum { EXT4 = 0xEF53, TMPFS = 0x01021994, NFS = 0x6969 };

static void network_file_systems_are_known_by_their_numbers(void **state)
{
  (void)state;
  assert_string_equal(fcps_store_network_name(NFS), "NFS");
  assert_string_equal(fcps_store_network_name(0x517B), "SMB");
  assert_string_equal(fcps_store_network_name(0xFE534D42), "SMB");
  assert_string_equal(fcps_store_network_name((int32_t)0xFF534D42), "CIFS"); /* the kernel defines this value's sign */
  assert_string_equal(fcps_store_network_name(0x65735546), "FUSE");
  assert_null(fcps_store_network_name(EXT4));
  assert_null(fcps_store_network_name(TMPFS));
  assert_null(fcps_store_network_name(0));
}

static int warnings;

static void count(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)user, (void)level;
  if (strcmp(code, "W_NETWORK_FILE_SYSTEM") != 0) return;
  assert_non_null(strstr(message, "NFS"));
  warnings++;
}

typedef struct warning_counts {
  int made, read, written;
} warning_counts;

/* The warnings while a study is made; while another handle reads it; and when that one has also written twice. */
static warning_counts warnings_on(long place)
{
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml"};
  const fcps_study_options options = {.log = {count, NULL}};
  warning_counts counts;
  fcps_study *s = NULL;
  file_system = place;
  warnings = 0;
  assert_int_equal(fcps_study_create(&s, test_path, &setup, &options, NULL), FCPS_OK);
  counts.made = warnings;
  fcps_study_close(s);

  warnings = 0;
  assert_int_equal(fcps_study_open(&s, test_path, &options, NULL), FCPS_OK);
  assert_int_equal(fcps_study_refresh(s, NULL), FCPS_OK);
  counts.read = warnings;
  for (int i = 0; i < 2; i++)
    assert_int_equal(fcps_study_note(s, "NOTE", "words", NULL), FCPS_OK);
  counts.written = warnings;
  fcps_study_close(s);
  return counts;
}

static void whoever_writes_there_is_warned_once(void **state)
{
  (void)state;
  const warning_counts counts = warnings_on(NFS);
  assert_int_equal(counts.made, 1);
  assert_int_equal(counts.read, 0);
  assert_int_equal(counts.written, 1);
}

static void nobody_is_warned_on_a_local_disk(void **state)
{
  (void)state;
  const warning_counts counts = warnings_on(EXT4);
  assert_int_equal(counts.made + counts.read + counts.written, 0);
}

static void a_study_in_memory_is_nowhere(void **state)
{
  (void)state;
  file_system = NFS;
  assert_null(fcps_store_network("memory:"));
  assert_null(fcps_store_network(NULL));
  assert_null(fcps_store_network("/nonexistent/study.fcps"));
  assert_string_equal(fcps_store_network("/tmp"), "NFS");
  assert_string_equal(fcps_store_network("sqlite:/tmp"), "NFS");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(network_file_systems_are_known_by_their_numbers),
      cmocka_unit_test_setup_teardown(whoever_writes_there_is_warned_once, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(nobody_is_warned_on_a_local_disk, make_folder, remove_folder),
      cmocka_unit_test(a_study_in_memory_is_nowhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
