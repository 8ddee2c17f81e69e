/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study tell` in addition to what its row of the table of operations does. A line is printed only after the
 * result is stored, so a result that the user has seen acknowledged is never lost. If another process uses the study,
 * or its server is away, the command waits. Ctrl-C then leaves the result in a file. */
#include "base/checksum.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/study/study.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"
#include "format/file.h"
#include "format/json.h"
#include "wire/wire.h"

#include <fcps/base.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* -- Results typed while the study cannot be reached --
 *
 * Only the study knows what the typed words mean. So the words are kept in a file as typed, and `tell STUDY --kept`
 * tells them later.
 *
 * An address may lead to another study later, with another ask of the same number. So this machine notes for each
 * address which study answered an ask or a tell last. The words are kept with the identity of that study, and are told
 * to no other study. If the identity is unknown, the words are not told; the user is shown a command instead. */

enum { TOLD_PATH = 4096 };

/* The function that tells the words of one file, with the identity of their study. */
typedef fcps_status told_words_fn(void *user, int argc, char **argv, const char *identity, fcps_error *error);

enum { MOST_FILES = 1000, MOST_WORDS = 64, MOST_BYTES = 1 << 20 };

static fcps_status find_folder(char folder[TOLD_PATH], fcps_error *error)
{
  char *path = fcps_wire_told_folder();
  const int length = path != NULL ? snprintf(folder, TOLD_PATH, "%s", path) : 0;
  if (path == NULL) return fcps_error_memory(error);
  fcps_free(path);
  if (length < TOLD_PATH) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_IO, "",
                        "the path of the folder that keeps results until their study accepts them is too long; check "
                        "XDG_STATE_HOME and HOME");
}

/* -- The study that answers at an address -- */

/* Writes the path of the note of an address; each address has its own file. */
static fcps_status name_note(const char *address, char path[TOLD_PATH], fcps_error *error)
{
  char folder[TOLD_PATH], name[48];
  const uint64_t number = fcps_checksum_add(FCPS_CHECKSUM_START, address, strlen(address));
  snprintf(name, sizeof name, "study-%016llx.json", (unsigned long long)number);
  fcps_status status = find_folder(folder, error);
  if (status == FCPS_OK) status = fcps_file_make_directory(folder, error);
  if (status == FCPS_OK) (void)chmod(folder, 0700);
  return status == FCPS_OK ? fcps_file_join(folder, name, TOLD_PATH, path, error) : status;
}

/* Reads the note of an address. The caller frees the text; NULL if there is no note. */
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
  char path[TOLD_PATH];
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
  char path[TOLD_PATH];
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

/* Writes the words of a command on the study at `address` into a new file of the user's state, and returns its path. */
static fcps_status keep_words_as_typed(const char *address, int argc, char **argv, char path[TOLD_PATH],
                                       fcps_error *error)
{
  char folder[TOLD_PATH], name[32];
  bool is_taken = true;
  char *text = write_words(address, argc, argv);
  if (text == NULL) return fcps_error_memory(error);
  fcps_status status = find_folder(folder, error);
  if (status == FCPS_OK) status = fcps_file_make_directory(folder, error);
  if (status == FCPS_OK) (void)chmod(folder, 0700);
  for (int i = 1; status == FCPS_OK && is_taken && i <= MOST_FILES; i++) {
    snprintf(name, sizeof name, "told-%d.json", i);
    status = fcps_file_join(folder, name, TOLD_PATH, path, error);
    if (status == FCPS_OK) status = fcps_file_create(path, text, strlen(text), &is_taken, error);
  }
  if (status == FCPS_OK && is_taken)
    status = fcps_error_set(error, FCPS_ERR_IO, "",
                            "%.200s already has %d results that wait to be stored; store them with --kept, or remove "
                            "files that are not needed",
                            folder, MOST_FILES);
  fcps_free(text);
  return status;
}

/* -- Telling kept words -- */

/* The words that one file keeps: a command line. */
typedef struct kept_words {
  int argc;
  char *argv[MOST_WORDS + 2];
  char *identity; /* identity of the study for which the words were typed; NULL: unknown */
} kept_words;

static void forget_words(kept_words *w)
{
  for (int i = 1; i <= MOST_WORDS; i++)
    free(w->argv[i]);
  free(w->identity);
}

/* Reads a file; false if it has no words for the study at this address. In any case the caller frees the words with
 * forget_words. */
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

/* Writes the command that tells the words, unless it would be too long to be read. */
static void show_command(const kept_words *w, size_t size, char *text)
{
  size_t length = (size_t)snprintf(text, size, "fcps study tell");
  for (int i = 1; i < w->argc && length < size; i++)
    length += (size_t)snprintf(text + length, size - length, " %s", cli_shown_word(w->argv[i]));
  if (length >= size) snprintf(text, size, "fcps study tell, with the words in that file");
}

/* Says that a result was not told, because it may belong to another study. */
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

/* Whether the file has words for this address. *is_said says whether the words were told. */
static bool say_file(const char *path, const char *address, told_words_fn *tell, void *user, bool *is_said)
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

static fcps_status say_kept_words(const char *address, told_words_fn *tell, void *user, int *said, int *left,
                                  fcps_error *error)
{
  char folder[TOLD_PATH], path[TOLD_PATH];
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

static const cli_argument own[] = {
    {CLI_ARGUMENT_SWITCH, "kept", offsetof(cli_request, is_kept),
     .help = "Store the results that wait beside the study because it could not be written"},
    {0}};

/* Refuses options that together are not one result. */
static fcps_status check(cli_request *r)
{
  const fcps_json *json = r->json, *outcome = fcps_json_get(json, "outcome");
  const char *wrong = NULL, *status = fcps_json_text(fcps_json_get(json, "status")),
             *failed = fcps_json_text(fcps_json_get(json, "failed"));
  const bool has_outcome = fcps_json_is_object(outcome), is_ok = status != NULL && strcmp(status, "ok") == 0;
  const bool has_reward = fcps_json_get(json, "reward") != NULL, is_asked = fcps_json_get(json, "ask") != NULL;
  const bool was_executed = fcps_json_get(json, "executed") != NULL;
  const bool has_result = is_asked || outcome != NULL || failed != NULL || has_reward || was_executed;
  const int endings = (cli_request_text(r, "outcome") != NULL) + cli_request_is_null(r, "outcome") + (failed != NULL);
  if (r->is_kept && has_result)
    wrong = "--kept stores the waiting results; tell this result with another command";
  else if (r->is_kept)
    return FCPS_OK;
  else if (endings > 1)
    wrong = "give one of --outcome, --no-outcome and --failed";
  else if (!has_outcome && fcps_json_get(json, "outcome_sd") != NULL)
    wrong = "--outcome-sd says how exact an outcome is: give it with --outcome";
  else if (outcome == NULL && failed == NULL && !has_reward)
    wrong = "what happened? Give --outcome, --no-outcome or --failed";
  else if (failed != NULL && is_ok)
    wrong = "a failed trial does not have the status ok; leave out --failed or --status";
  else if (failed != NULL && has_reward)
    wrong = "a trial that failed has no reward; leave out --failed or --reward";
  else if (has_outcome && status != NULL && !is_ok)
    wrong = "a trial with an outcome has ended well; leave out --status, or give --failed with a reason instead of "
            "--outcome";
  else if (failed != NULL && *failed == '\0')
    wrong = "--failed needs words: say why the trial failed, as in --failed \"gripper slipped\"";
  else if (!is_asked && !was_executed)
    wrong = "which ASK? For a trial without an ask, give --environment and --executed (and --target, if it is known)";
  if (wrong != NULL) return fcps_error_set(&r->error, FCPS_ERR_ARGUMENT, "", "%s", wrong);
  /* Only a reward was given, so the trial has no outcome. */
  if (outcome == NULL && failed == NULL) fcps_json_put(&r->json, "outcome", fcps_json_null());
  if (failed == NULL && status != NULL && !is_ok) fcps_json_put(&r->json, "failed", fcps_json_from_bool(true));
  return FCPS_OK;
}

/* -- Waiting -- */

/* Tries once: opens the door if it is not open yet, and tells. */
static fcps_status try_once(cli_request *r, fcps_status (*act)(cli_request *r, fcps_door_answer *answer),
                            fcps_door_answer *answer)
{
  const fcps_status status = r->door == NULL ? cli_open_door(&r->door, r->path, &cli_patience, &r->error) : FCPS_OK;
  return status == FCPS_OK ? act(r, answer) : status;
}

/* Tries again as long as the study is in use, or its database or server is away. */
static fcps_status act_patiently(cli_request *r, fcps_status (*act)(cli_request *r, fcps_door_answer *answer),
                                 fcps_door_answer *answer)
{
  fcps_status status;
  bool has_said = false;
  while ((status = try_once(r, act, answer)) == FCPS_ERR_LOCKED && !cli_interrupt_stops(NULL)) {
    if (!has_said) cli_warn("W_STUDY_LOCKED", "%s Still trying.", r->error.message);
    has_said = true;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  }
  return status;
}

/* Whether the study was away until the user pressed Ctrl-C: no door could be opened, or no study has answered. */
static bool has_given_up(const cli_request *r, fcps_status status)
{
  const bool had_no_answer = status == FCPS_ERR_STOPPED && (r->door == NULL || fcps_door_is_away(r->door));
  return cli_interrupt_stops(NULL) && (status == FCPS_ERR_LOCKED || had_no_answer);
}

static fcps_status keep_words(cli_request *r, int argc, char **argv)
{
  char path[TOLD_PATH];
  fcps_error why = {0};
  if (r->is_kept) return fcps_error_set(&r->error, FCPS_ERR_STOPPED, "", "stopped while the study was away");
  if (keep_words_as_typed(r->path, argc, argv, path, &why) != FCPS_OK)
    return fcps_error_set(&r->error, FCPS_ERR_STOPPED, "", "the result is NOT kept: %s", why.message);
  return fcps_error_set(&r->error, FCPS_ERR_STOPPED, "",
                        "stopped while the study was away. The result is kept in %.200s; to store it: fcps study tell "
                        "%.200s --kept",
                        path, cli_shown_word(r->path));
}

/* -- Telling -- */

static fcps_status tell(cli_request *r, fcps_door_answer *answer)
{
  const fcps_status status = fcps_door_do(r->door, r->operation, r->json, answer, &r->error);
  if (status == FCPS_OK) cli_told_words_note(r->path, fcps_door_identity(r->door));
  return status;
}

/* Tells words that were typed while the study was away. */
static fcps_status tell_words(void *user, int argc, char **argv, const char *identity, fcps_error *error)
{
  const cli_request *now = user;
  cli_request r = {0};
  fcps_door_answer answer = {0};
  fcps_status status = cli_request_parse(&r, now->operation, own, argc, argv);
  if (status == FCPS_OK) status = check(&r);
  if (status == FCPS_OK) fcps_json_put(&r.json, "identity", fcps_json_from_text(identity));
  r.door = now->door;
  if (status == FCPS_OK) status = act_patiently(&r, tell, &answer);
  r.door = NULL;
  if (status == FCPS_OK) status = cli_operation_print(&r, &answer);
  if (status != FCPS_OK) cli_request_speak(now, &r.error);
  *error = r.error;
  fcps_door_answer_destroy(&answer);
  cli_request_destroy(&r);
  return status;
}

/* Tells the results that are kept beside the study, and those that were typed while the study was away. */
static fcps_status tell_kept(cli_request *r, fcps_door_answer *answer)
{
  int stored = 0, said = 0, left = 0;
  fcps_door_kept kept = {0};
  fcps_status status = fcps_door_tell_kept(r->door, &stored, &r->error);
  if (status == FCPS_OK) status = fcps_door_count_kept(r->door, &kept, &r->error);
  if (status == FCPS_OK) status = say_kept_words(r->path, tell_words, r, &said, &left, &r->error);
  if (status != FCPS_OK) return status;
  left += kept.count + kept.apart;
  if (left > 0)
    return fcps_error_set(&r->error, FCPS_ERR_FORMAT, "--kept",
                          "%d kept result%s could not be stored, for the reasons above", left, left == 1 ? "" : "s");
  answer->json = fcps_json_object();
  fcps_json_put(&answer->json, "stored", fcps_json_from_integer(stored + said));
  return FCPS_OK;
}

static fcps_status print_kept(cli_request *r, fcps_door_answer *answer)
{
  if (r->as_json) return cli_operation_print(r, answer);
  const int64_t stored = fcps_json_get_integer(answer->json, "stored", 0);
  printf("stored %lld kept result%s\n", (long long)stored, stored == 1 ? "" : "s");
  return FCPS_OK;
}

static fcps_status run(cli_request *r, int argc, char **argv)
{
  fcps_door_answer answer = {0};
  /* timeout(1) and hasty users send two signals. The first one must leave time to keep the words. */
  cli_interrupt_watch_all();
  fcps_status status = act_patiently(r, r->is_kept ? tell_kept : tell, &answer);
  if (has_given_up(r, status)) status = keep_words(r, argc, argv);
  if (status == FCPS_OK) status = r->is_kept ? print_kept(r, &answer) : cli_operation_print(r, &answer);
  fcps_door_answer_destroy(&answer);
  return status;
}

const cli_special cli_study_tell = {"tell", own, check, run};
