/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/study/told_words.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "format/json.h"
#include "wire/wire.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 1000, MOST_WORDS = 64, MOST_BYTES = 1 << 20 };

static fcps_status find_folder(char folder[CLI_TOLD_PATH], fcps_error *error)
{
  char *path = fcps_wire_told_folder();
  const int length = path != NULL ? snprintf(folder, CLI_TOLD_PATH, "%s", path) : 0;
  if (path == NULL) return fcps_error_memory(error);
  fcps_free(path);
  if (length < CLI_TOLD_PATH) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_IO, "", "the path of the folder for results that wait is too long");
}

static char *write_words(const char *study, int argc, char **argv)
{
  fcps_json *words = fcps_json_array(), *object = fcps_json_object();
  for (int i = 1; i < argc; i++)
    fcps_json_add(&words, fcps_json_from_text(argv[i]));
  fcps_json_put(&object, "study", fcps_json_from_text(study));
  fcps_json_put(&object, "words", words);
  return fcps_json_finish(object);
}

static fcps_status keep_words(const char *study, int argc, char **argv, char path[CLI_TOLD_PATH], fcps_error *error)
{
  char folder[CLI_TOLD_PATH], name[32];
  bool is_taken = true;
  char *text = write_words(study, argc, argv);
  if (text == NULL) return fcps_error_memory(error);
  fcps_status status = find_folder(folder, error);
  if (status == FCPS_OK) status = fcps_file_make_directory(folder, error);
  if (status == FCPS_OK) (void)chmod(folder, 0700);
  for (int i = 1; status == FCPS_OK && is_taken && i <= MOST_FILES; i++) {
    snprintf(name, sizeof name, "told-%d.json", i);
    status = fcps_file_join(folder, name, CLI_TOLD_PATH, path, error);
    if (status == FCPS_OK) status = fcps_file_create(path, text, strlen(text), &is_taken, error);
  }
  if (status == FCPS_OK && is_taken)
    status = fcps_error_set(error, FCPS_ERR_IO, "", "%.200s has %d results that wait already", folder, MOST_FILES);
  fcps_free(text);
  return status;
}

/* Who is in a hurry presses Ctrl-C twice: the second one waits until the words are kept. */
fcps_status cli_told_words_keep(const char *study, int argc, char **argv, char path[CLI_TOLD_PATH], fcps_error *error)
{
  sigset_t ends, before;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  sigprocmask(SIG_BLOCK, &ends, &before);
  const fcps_status status = keep_words(study, argc, argv, path, error);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return status;
}

/* whether the words of a file are of this study; then says them */
static bool say_file(const char *path, const char *study, int (*tell)(int argc, char **argv), bool *is_said)
{
  char *text = NULL, *argv[MOST_WORDS + 2] = {(char *)(size_t) "fcps study tell"};
  size_t length = 0;
  fcps_json *json = NULL;
  *is_said = false;
  if (fcps_file_read_regular(path, MOST_BYTES, &text, &length, NULL) != FCPS_OK) return false;
  const fcps_json *words = NULL;
  bool is_ours = fcps_json_read(&json, text, length, path, NULL) == FCPS_OK;
  const char *of = is_ours ? fcps_json_text(fcps_json_get(json, "study")) : NULL;
  is_ours = of != NULL && strcmp(of, study) == 0;
  if (is_ours) words = fcps_json_get(json, "words");
  is_ours = is_ours && fcps_json_count(words) <= MOST_WORDS;
  for (int i = 0; is_ours && i < fcps_json_count(words); i++) {
    argv[i + 1] = fcps_copy_text(fcps_json_text(fcps_json_at(words, i)));
    is_ours = argv[i + 1] != NULL;
  }
  if (is_ours) *is_said = tell(fcps_json_count(words) + 1, argv) == 0;
  for (int i = 1; i <= MOST_WORDS; i++)
    free(argv[i]);
  fcps_json_destroy(json);
  fcps_free(text);
  return is_ours;
}

static int is_told(const struct dirent *entry)
{
  return strncmp(entry->d_name, "told-", 5) == 0;
}

fcps_status cli_told_words_say(const char *study, int (*tell)(int argc, char **argv), int *said, int *left,
                               fcps_error *error)
{
  char folder[CLI_TOLD_PATH], path[CLI_TOLD_PATH];
  struct dirent **entries = NULL;
  *said = *left = 0;
  const fcps_status status = find_folder(folder, error);
  const int count = status == FCPS_OK ? scandir(folder, &entries, is_told, alphasort) : 0;
  for (int i = 0; i < count; i++) {
    bool is_said = false;
    if (fcps_file_join(folder, entries[i]->d_name, sizeof path, path, NULL) == FCPS_OK &&
        say_file(path, study, tell, &is_said))
      *(is_said ? said : left) += 1;
    if (is_said) unlink(path);
    free(entries[i]);
  }
  free(entries);
  return status;
}
