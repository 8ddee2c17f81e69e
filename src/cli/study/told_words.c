/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/study/told_words.h"

#include "base/checksum.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/support/log.h"
#include "cli/support/shown.h"
#include "format/file.h"
#include "format/json.h"
#include "wire/wire.h"

#include <dirent.h>
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

/* -- Which study answers at an address -- */

/* a file for each address */
static fcps_status name_note(const char *address, char path[CLI_TOLD_PATH], fcps_error *error)
{
  char folder[CLI_TOLD_PATH], name[48];
  const uint64_t number = fcps_checksum_add(FCPS_CHECKSUM_START, address, strlen(address));
  snprintf(name, sizeof name, "study-%016llx.json", (unsigned long long)number);
  fcps_status status = find_folder(folder, error);
  if (status == FCPS_OK) status = fcps_file_make_directory(folder, error);
  if (status == FCPS_OK) (void)chmod(folder, 0700);
  return status == FCPS_OK ? fcps_file_join(folder, name, CLI_TOLD_PATH, path, error) : status;
}

/* what was noted of an address, freed with free; NULL: nothing */
static char *read_note(const char *path, const char *address)
{
  char *text = NULL, *identity = NULL;
  size_t length = 0;
  fcps_json *json = NULL;
  if (fcps_file_read_regular(path, MOST_BYTES, &text, &length, NULL) != FCPS_OK) return NULL;
  if (fcps_json_read(&json, text, length, path, NULL) == FCPS_OK) {
    const char *of = fcps_json_text(fcps_json_get(json, "study")),
               *noted = fcps_json_text(fcps_json_get(json, "identity"));
    if (of != NULL && noted != NULL && strcmp(of, address) == 0) identity = fcps_copy_text(noted);
  }
  fcps_json_destroy(json);
  fcps_free(text);
  return identity;
}

void cli_told_words_note(const char *address, const char *identity)
{
  char path[CLI_TOLD_PATH];
  if (identity == NULL || strstr(address, "://") == NULL || name_note(address, path, NULL) != FCPS_OK) return;
  char *noted = read_note(path, address);
  if (noted == NULL || strcmp(noted, identity) != 0) {
    fcps_json *object = fcps_json_object();
    fcps_json_put(&object, "study", fcps_json_from_text(address));
    fcps_json_put(&object, "identity", fcps_json_from_text(identity));
    char *text = fcps_json_finish(object);
    if (text != NULL) (void)fcps_file_replace(path, text, strlen(text), NULL);
    fcps_free(text);
  }
  free(noted);
}

/* -- Keeping -- */

static char *write_words(const char *address, int argc, char **argv)
{
  char path[CLI_TOLD_PATH];
  char *identity = name_note(address, path, NULL) == FCPS_OK ? read_note(path, address) : NULL;
  fcps_json *words = fcps_json_array(), *object = fcps_json_object();
  for (int i = 1; i < argc; i++)
    fcps_json_add(&words, fcps_json_from_text(argv[i]));
  fcps_json_put(&object, "study", fcps_json_from_text(address));
  if (identity != NULL) fcps_json_put(&object, "identity", fcps_json_from_text(identity));
  free(identity);
  fcps_json_put(&object, "words", words);
  return fcps_json_finish(object);
}

fcps_status cli_told_words_keep(const char *address, int argc, char **argv, char path[CLI_TOLD_PATH], fcps_error *error)
{
  char folder[CLI_TOLD_PATH], name[32];
  bool is_taken = true;
  char *text = write_words(address, argc, argv);
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

/* -- Saying -- */

/* Words that wait, as a command line. */
typedef struct kept_words {
  int argc;
  char *argv[MOST_WORDS + 2];
  char *identity; /* of the study that they were typed for; NULL: not known */
} kept_words;

static void forget_words(kept_words *w)
{
  for (int i = 1; i <= MOST_WORDS; i++)
    free(w->argv[i]);
  free(w->identity);
}

/* whether a file has words for the study at this address; to be forgotten in any case */
static bool read_words(const char *path, const char *address, kept_words *w)
{
  char *text = NULL;
  size_t length = 0;
  fcps_json *json = NULL;
  *w = (kept_words){.argv = {(char *)(size_t) "fcps study tell"}};
  if (fcps_file_read_regular(path, MOST_BYTES, &text, &length, NULL) != FCPS_OK) return false;
  bool is_ours = fcps_json_read(&json, text, length, path, NULL) == FCPS_OK;
  const char *of = is_ours ? fcps_json_text(fcps_json_get(json, "study")) : NULL;
  const fcps_json *words = is_ours ? fcps_json_get(json, "words") : NULL;
  const char *identity = is_ours ? fcps_json_text(fcps_json_get(json, "identity")) : NULL;
  is_ours = of != NULL && strcmp(of, address) == 0 && fcps_json_count(words) <= MOST_WORDS;
  if (is_ours && identity != NULL) w->identity = fcps_copy_text(identity);
  for (int i = 0; is_ours && i < fcps_json_count(words); i++) {
    const char *word = fcps_json_text(fcps_json_at(words, i));
    w->argv[i + 1] = word != NULL ? fcps_copy_text(word) : NULL;
    is_ours = w->argv[i + 1] != NULL;
  }
  w->argc = is_ours ? fcps_json_count(words) + 1 : 0;
  fcps_json_destroy(json);
  fcps_free(text);
  return is_ours;
}

/* the command that tells the words, where it is short enough to be read */
static void show_command(const kept_words *w, size_t size, char *text)
{
  size_t length = (size_t)snprintf(text, size, "fcps study tell");
  for (int i = 1; i < w->argc && length < size; i++)
    length += (size_t)snprintf(text + length, size - length, " %s", cli_shown_word(w->argv[i]));
  if (length >= size) snprintf(text, size, "fcps study tell, with the words in that file");
}

/* A result for a study that is not known may be of another one: it is not told without asking. */
static void say_unknown(const kept_words *w, const char *path)
{
  char command[600];
  show_command(w, sizeof command, command);
  cli_warn("W_KEPT_REFUSED",
           "%s: this machine had no ask from this address when the result was typed, so the result may belong to "
           "another study. It is not stored, and the file stays. If it belongs to the study that is there now: %s, "
           "then delete the file.",
           path, command);
}

static void say_refused(const char *path, const fcps_error *why)
{
  const size_t length = strlen(why->message);
  const bool is_closed = length > 0 && why->message[length - 1] == '.';
  cli_warn("W_KEPT_REFUSED", "%s: %s%s It is not stored and stays there.", path, why->message, is_closed ? "" : ".");
}

/* whether the file has words for this address, and whether they were said */
static bool say_file(const char *path, const char *address, cli_told_words_fn *tell, void *user, bool *is_said)
{
  kept_words w;
  fcps_error why = {0};
  const bool is_ours = read_words(path, address, &w);
  *is_said = is_ours && w.identity != NULL && tell(user, w.argc, w.argv, w.identity, &why) == FCPS_OK;
  if (is_ours && w.identity == NULL)
    say_unknown(&w, path);
  else if (is_ours && !*is_said)
    say_refused(path, &why);
  forget_words(&w);
  return is_ours;
}

static int is_told(const struct dirent *entry)
{
  return strncmp(entry->d_name, "told-", 5) == 0;
}

fcps_status cli_told_words_say(const char *address, cli_told_words_fn *tell, void *user, int *said, int *left,
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
        say_file(path, address, tell, user, &is_said))
      *(is_said ? said : left) += 1;
    if (is_said) unlink(path);
    free(entries[i]);
  }
  free(entries);
  return status;
}
