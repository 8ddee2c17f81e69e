/* SPDX-License-Identifier: Apache-2.0 */
/* Output files: complete or not there, never in place of a study, and without leftovers. */
#include "format/file.h"

#include "base/study_file.h"
#include "folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static test_folder folder;

static int make_folder(void **state)
{
  (void)state;
  folder = folder_create();
  return 0;
}

static int remove_folder(void **state)
{
  (void)state;
  folder_remove(&folder);
  return 0;
}

/* A path in the folder that stays valid; the caller frees it. */
static char *path_of(const char *name)
{
  return strdup(folder_file(&folder, name));
}

/* The header of a study: SQLite's words and our number; the rest does not matter. */
static void write_study(const char *path)
{
  unsigned char head[100] = "SQLite format 3";
  memcpy(head + 68, "fcps", 4);
  FILE *stream = fopen(path, "w");
  assert_int_equal(fwrite(head, 1, sizeof head, stream), sizeof head);
  fclose(stream);
}

static void assert_text(const char *path, const char *expected)
{
  char *text = file_text(path);
  assert_string_equal(text, expected);
  free(text);
}

static int entries(void)
{
  int count = 0;
  DIR *directory = opendir(folder.path);
  while (readdir(directory) != NULL)
    count++;
  closedir(directory);
  return count - 2;
}

static fcps_draft *open_output(const char *path)
{
  fcps_draft *output = NULL;
  fcps_error error = {0};
  if (fcps_draft_open(&output, path, &error) != FCPS_OK) fail_msg("%s", error.message);
  return output;
}

static void files_are_recognized_by_their_first_bytes(void **state)
{
  (void)state;
  char *study = path_of("s"), *other = path_of("o"), *link = path_of("l"), *pipe = path_of("p");
  assert_int_equal(fcps_recognize_file(study), FCPS_RECOGNIZED_ABSENT);
  file_write(study, "");
  assert_int_equal(fcps_recognize_file(study), FCPS_RECOGNIZED_EMPTY);
  write_study(study);
  assert_int_equal(symlink("s", link), 0);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  file_write(other, "SQLite format 3");
  assert_int_equal(fcps_recognize_file(study), FCPS_RECOGNIZED_STUDY);
  assert_int_equal(fcps_recognize_file(link), FCPS_RECOGNIZED_STUDY);
  assert_int_equal(fcps_recognize_file(other), FCPS_RECOGNIZED_DATABASE);
  assert_int_equal(fcps_recognize_file(pipe), FCPS_RECOGNIZED_OTHER); /* without waiting for a writer */
  assert_int_equal(fcps_recognize_file(folder.path), FCPS_RECOGNIZED_OTHER);
  /* a file that this process has open as a study is not opened again: closing it would release the locks */
  fcps_open_file listed;
  assert_true(fcps_open_files_add(other, &listed));
  assert_int_equal(fcps_recognize_file(other), FCPS_RECOGNIZED_STUDY);
  fcps_open_files_drop(&listed);
  assert_int_equal(fcps_recognize_file(other), FCPS_RECOGNIZED_DATABASE);
  assert_true(fcps_recognize_companion(folder_file(&folder, "s-unfinished-journal")));
  assert_true(fcps_recognize_companion(folder_file(&folder, "s-journal")));
  assert_true(fcps_recognize_companion(folder_file(&folder, "l-kept-1.json")));
  assert_false(fcps_recognize_companion(folder_file(&folder, "o-journal")));
  assert_false(fcps_recognize_companion("-lock"));
  free(study);
  free(other);
  free(link);
  free(pipe);
}

static void an_output_gets_its_name_only_when_it_is_whole(void **state)
{
  (void)state;
  char *path = path_of("a.csv");
  file_write(path, "old");
  fcps_draft *output = open_output(path);
  fputs("new", fcps_draft_stream(output));
  fflush(fcps_draft_stream(output));
  assert_text(path, "old");
  assert_ok(fcps_draft_finish(output, FCPS_OK, NULL));
  assert_text(path, "new");

  output = open_output(path);
  fputs("unwanted", fcps_draft_stream(output));
  assert_status(fcps_draft_finish(output, FCPS_ERR_STOPPED, NULL), FCPS_ERR_STOPPED);
  assert_text(path, "new");
  assert_int_equal(entries(), 1);
  free(path);
}

static void rows_can_be_added_after_publishing(void **state)
{
  (void)state;
  char *path = path_of("a.csv");
  fcps_draft *output = open_output(path);
  fputs("1\n", fcps_draft_stream(output));
  assert_ok(fcps_draft_publish(output, NULL));
  assert_text(path, "1\n");
  fputs("2\n", fcps_draft_stream(output));
  fflush(fcps_draft_stream(output));
  assert_text(path, "1\n2\n");
  assert_status(fcps_draft_finish(output, FCPS_ERR_STOPPED, NULL), FCPS_ERR_STOPPED);
  assert_text(path, "1\n2\n");
  assert_int_equal(entries(), 1);
  free(path);
}

static void another_program_writes_to_a_name_with_the_same_ending(void **state)
{
  (void)state;
  char *path = path_of("film.mp4");
  fcps_draft *output = open_output(path);
  const char *place = fcps_draft_place(output);
  assert_string_equal(place + strlen(place) - 4, ".mp4");
  assert_string_not_equal(place, path);
  file_write(place, "frames");
  assert_ok(fcps_draft_finish(output, FCPS_OK, NULL));
  assert_text(path, "frames");
  free(path);
}

static void a_study_is_refused_by_any_name(void **state)
{
  (void)state;
  static const char *const names[] = {"s", "soft", "hard", "x/../s", "s-journal", "soft-lock", "x/../s-reserve"};
  char *study = path_of("s"), *inside = path_of("x"), *soft = path_of("soft"), *hard = path_of("hard");
  write_study(study);
  assert_int_equal(mkdir(inside, 0700), 0);
  assert_int_equal(symlink("s", soft), 0);
  assert_int_equal(link(study, hard), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    fcps_draft *output = NULL;
    fcps_error error = {0};
    char *path = path_of(names[i]);
    assert_status(fcps_draft_check(path, &error), FCPS_ERR_ARGUMENT);
    assert_status(fcps_draft_open(&output, path, &error), FCPS_ERR_ARGUMENT);
    assert_null(output);
    assert_string_equal(error.file, path);
    assert_non_null(strstr(error.message, "study"));
    free(path);
  }
  assert_int_equal(fcps_recognize_file(study), FCPS_RECOGNIZED_STUDY);
  assert_int_equal(entries(), 4);
  free(study);
  free(inside);
  free(soft);
  free(hard);
}

static void a_study_that_comes_meanwhile_is_not_replaced(void **state)
{
  (void)state;
  char *path = path_of("a.csv");
  fcps_draft *output = open_output(path);
  write_study(path);
  assert_status(fcps_draft_finish(output, FCPS_OK, NULL), FCPS_ERR_ARGUMENT);
  assert_int_equal(fcps_recognize_file(path), FCPS_RECOGNIZED_STUDY);
  assert_int_equal(entries(), 1);
  free(path);
}

static void a_file_that_may_not_be_written_is_not_replaced(void **state)
{
  (void)state;
  if (geteuid() == 0) skip_because("root may write every file: run it as another user");
  char *path = path_of("a.csv");
  file_write(path, "kept");
  assert_int_equal(chmod(path, 0400), 0);
  assert_status(fcps_draft_check(path, NULL), FCPS_ERR_IO);
  assert_int_equal(chmod(path, 0200), 0); /* not readable: it may be a study */
  assert_status(fcps_draft_check(path, NULL), FCPS_ERR_IO);
  assert_int_equal(chmod(path, 0600), 0);
  free(path);
}

/* A killed writer leaves the old file, and the next writer cleans up; the file of a living writer stays. */
static void what_a_killed_writer_left_is_removed_by_the_next(void **state)
{
  (void)state;
  char *path = path_of("a.csv"), *foreign = path_of("a.csv.new-notes");
  int ready[2];
  file_write(path, "old");
  file_write(foreign, "of the user");
  assert_int_equal(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    fcps_draft *output = NULL;
    if (fcps_draft_open(&output, path, NULL) == FCPS_OK) fputs("half", fcps_draft_stream(output));
    fflush(fcps_draft_stream(output));
    (void)!write(ready[1], "x", 1);
    pause();
    _exit(0);
  }
  char byte;
  assert_int_equal(read(ready[0], &byte, 1), 1);
  assert_int_equal(entries(), 3);
  fcps_draft *mine = open_output(path);
  assert_int_equal(entries(), 4); /* that of the child is still there */
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_text(path, "old");
  fcps_draft *other = open_output(path);
  assert_int_equal(entries(), 4); /* the child's is gone, mine is not */
  fputs("new", fcps_draft_stream(mine));
  assert_ok(fcps_draft_finish(mine, FCPS_OK, NULL));
  assert_status(fcps_draft_finish(other, FCPS_ERR_STOPPED, NULL), FCPS_ERR_STOPPED);
  assert_text(path, "new");
  assert_text(foreign, "of the user");
  assert_int_equal(entries(), 2);
  close(ready[0]);
  close(ready[1]);
  free(path);
  free(foreign);
}

static void links_and_names_lead_to_the_same_file(void **state)
{
  (void)state;
  char *a = path_of("a"), *dots = path_of("x/../a"), *soft = path_of("soft"), *b = path_of("b"), *inside = path_of("x");
  assert_int_equal(mkdir(inside, 0700), 0);
  assert_int_equal(symlink("a", soft), 0);
  assert_true(fcps_draft_is_same(a, dots)); /* also before it exists */
  assert_true(fcps_draft_is_same(a, soft));
  assert_false(fcps_draft_is_same(a, b));
  file_write(a, "1");
  assert_int_equal(link(a, b), 0);
  assert_true(fcps_draft_is_same(b, soft));
  fcps_draft *output = open_output(soft); /* the link stays a link */
  fputs("2", fcps_draft_stream(output));
  assert_ok(fcps_draft_finish(output, FCPS_OK, NULL));
  assert_text(a, "2");
  assert_text(b, "1");
  free(a);
  free(dots);
  free(soft);
  free(b);
  free(inside);
}

int main(void)
{
#define OUTPUT_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
  const struct CMUnitTest tests[] = {
      OUTPUT_TEST(files_are_recognized_by_their_first_bytes),
      OUTPUT_TEST(an_output_gets_its_name_only_when_it_is_whole),
      OUTPUT_TEST(rows_can_be_added_after_publishing),
      OUTPUT_TEST(another_program_writes_to_a_name_with_the_same_ending),
      OUTPUT_TEST(a_study_is_refused_by_any_name),
      OUTPUT_TEST(a_study_that_comes_meanwhile_is_not_replaced),
      OUTPUT_TEST(a_file_that_may_not_be_written_is_not_replaced),
      OUTPUT_TEST(what_a_killed_writer_left_is_removed_by_the_next),
      OUTPUT_TEST(links_and_names_lead_to_the_same_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
