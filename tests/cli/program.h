/* SPDX-License-Identifier: Apache-2.0 */
/* The program as a user meets it: started with arguments, seen by its output and exit code. */
#ifndef FCPS_TESTS_PROGRAM_H
#define FCPS_TESTS_PROGRAM_H

#include "folder.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

enum { MOST_ARGUMENTS = 32 };

typedef struct program_result {
  int code; /* exit code; -1 if a signal ended it */
  char *out, *err;
} program_result;

/* Starts the program in `folder` with output to files there. Arguments end with NULL. `closed_out`: without stdout. */
static inline pid_t program_start(const test_folder *folder, const char *const *arguments, bool closed_out)
{
  char *argv[MOST_ARGUMENTS] = {TEST_BINARY_DIR "/fcps"};
  for (int i = 0; arguments[i] != NULL; i++)
    argv[i + 1] = (char *)arguments[i];

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, folder_file(folder, "stdout"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, folder_file(folder, "stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (closed_out) posix_spawn_file_actions_addclose(&actions, 1);
  pid_t child = -1;
  assert_int_equal(posix_spawn(&child, argv[0], &actions, NULL, argv, environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

static inline program_result program_wait(const test_folder *folder, pid_t child)
{
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return (program_result){.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                          .out = file_text(folder_file(folder, "stdout")),
                          .err = file_text(folder_file(folder, "stderr"))};
}

static inline program_result program_run(const test_folder *folder, const char *const *arguments)
{
  return program_wait(folder, program_start(folder, arguments, false));
}

/* program(&folder, "run", "cannon", ...) */
#define program(folder, ...) program_run((folder), (const char *const[]){__VA_ARGS__, NULL})

static inline void program_free(program_result *result)
{
  free(result->out);
  free(result->err);
}

/* Checks that `text` has `words`, whatever the widths of its columns: any spaces are as good as one. */
static inline void assert_words(const char *text, const char *words)
{
  char *squeezed = strdup(text), *end = squeezed;
  for (const char *c = text; *c; c++)
    if (*c != ' ' || end == squeezed || end[-1] != ' ') *end++ = *c;
  *end = '\0';
  if (strstr(squeezed, words) == NULL) fail_msg("expected \"%s\" in: %s", words, text);
  free(squeezed);
}

/* Checks the code and that stderr has `words` (and frees the result). */
static inline void assert_refused(program_result result, int code, const char *words)
{
  if (result.code != code || strstr(result.err, words) == NULL) {
    fail_msg("exit code %d, expected %d with \"%s\" in: %s", result.code, code, words, result.err);
  }
  assert_string_equal(result.out, "");
  program_free(&result);
}

#endif
