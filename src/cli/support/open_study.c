/* SPDX-License-Identifier: Apache-2.0 */
/* Opens studies for commands. The built-in tasks are known, and the warnings of the study go to stderr. */
#define _DEFAULT_SOURCE /* fts */
#include "cli/support/open_study.h"

#include "base/error.h"
#include "base/study_file.h"
#include "cli/support/commands.h"
#include "cli/support/exit.h"
#include "door/client.h"
#include "format/file.h"

#include <fts.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- Tokens -- */

/* The tokens that the user's addresses contained. */
static fcps_client owner;

void cli_hide_tokens(int argc, char **argv)
{
  fcps_client found;
  for (int i = 1; i < argc; i++)
    if (strpbrk(argv[i], ":#") != NULL && fcps_client_take_token(argv[i], &found)) owner = found;
}

const char *cli_token(const char *address)
{
  return owner.token[0] != '\0' && fcps_client_is_same_server(&owner, address) ? owner.token : NULL;
}

/* -- Doors -- */

static void pass_on(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)user;
  fcps_log_say(&cli_log, level, code, "%s", message);
}

const fcps_run_patience cli_patience = {.is_kept = true, .stop = cli_interrupt_stops, .log = {.write = pass_on}};

fcps_door_options cli_door_options(const char *address)
{
  return (fcps_door_options){
      .study = {.log = cli_log, .maker = cli_lab_maker()}, .token = cli_token(address), .stop = cli_interrupt_stops};
}

const char *cli_copy_place(void)
{
  return cli_passing_folder_make(CLI_PASSING_COPY, "study.fcps");
}

fcps_status cli_open_door(fcps_door **door, const char *path, const fcps_run_patience *patience, fcps_error *error)
{
  fcps_door_options options = cli_door_options(path);
  options.patience = patience;
  fcps_status status = cli_near_address_check(path, error);
  if (status != FCPS_OK) return status;
  status = fcps_door_open(door, path, &options, error);
  if (status == FCPS_OK) fcps_door_set_place(*door, cli_copy_place);
  if (status == FCPS_ERR_IO) cli_near_file_hint(path, ".fcps", error);
  if (status != FCPS_ERR_DAMAGED) return status;
  if (cli_path_is_policy(path))
    return fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                         "is a policy file, not a study; `fcps policy query` reads it");
  if (cli_path_is_no_study(path))
    return fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                         "is not a study; a study comes first, and `fcps study new` or `fcps run FILE.yaml` makes one");
  return status;
}

fcps_status cli_door_failure(const fcps_door *door, fcps_status status, fcps_error *error)
{
  if (status == FCPS_ERR_LOCKED && door != NULL && fcps_door_is_away(door)) error->status = FCPS_ERR_IO;
  return status == FCPS_OK ? status : error->status;
}

fcps_status cli_door_do(fcps_door *door, const char *operation, const fcps_json *request, fcps_door_answer *answer,
                        fcps_error *error)
{
  return cli_door_failure(door, fcps_door_do(door, fcps_operation_find(operation), request, answer, error), error);
}

fcps_status cli_door_study(fcps_door *door, fcps_study **study, fcps_error *error)
{
  const fcps_status status = cli_door_failure(door, fcps_door_study(door, study, error), error);
  return status == FCPS_OK ? cli_named_files_check_study(*study, error) : status;
}

fcps_status cli_open_study(fcps_door **door, fcps_study **study, const char *path, fcps_error *error)
{
  const fcps_status status = cli_open_door(door, path, NULL, error);
  return status == FCPS_OK ? cli_door_study(*door, study, error) : status;
}

/* -- Advice about a path that leads nowhere, or to something other than a study -- */

/* The functions below give advice about a path; none of them opens a study.
 *
 * A file may have any name. So a text counts as an address only if no file of that name exists and if the text begins
 * nearly like http://, or has a port between a colon and a slash. To find a similar name, only the folder of the
 * missing file is read. */

/* -- A text that is nearly an address -- */

/* Returns the HOST:PORT behind something that is nearly "http://"; NULL if the text does not begin like this. */
static const char *skip_scheme(const char *text)
{
  static const char *const schemes[] = {
      "http:", "https:", "htp:", "htpp:", "htttp:", "hhtp:", "ttp:", "http//", "https//"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    if (strncasecmp(text, schemes[i], strlen(schemes[i])) == 0) {
      const char *rest = text + strlen(schemes[i]);
      return rest + strspn(rest, "/");
    }
  return NULL;
}

/* Whether a text is HOST:PORT/STUDY. */
static bool is_place(const char *text)
{
  const char *colon = strchr(text, ':'), *slash = strchr(text, '/');
  return colon != NULL && slash != NULL && colon > text && colon < slash && slash > colon + 1 &&
         strspn(colon + 1, "0123456789") == (size_t)(slash - colon - 1);
}

fcps_status cli_near_address_check(const char *text, fcps_error *error)
{
  const char *rest = skip_scheme(text);
  if (strncmp(text, "http://", 7) == 0 || access(text, F_OK) == 0) return FCPS_OK;
  if (rest == NULL && !is_place(text)) return FCPS_OK;
  if (strncasecmp(text, "https", 5) == 0)
    return fcps_error_set(
        error, FCPS_ERR_ARGUMENT, "STUDY",
        "fcps does not speak https. On the machine of the server write http://%.100s; from another one "
        "make a tunnel first: ssh -L PORT:127.0.0.1:PORT HOST",
        rest);
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY",
                        "there is no file \"%.100s\"; for a server write http://%.100s", text,
                        rest != NULL ? rest : text);
}

/* -- A similar name -- */

enum { MOST_NAMES = 1000, CLI_NEAR_FILE = 512 };

/* If `path` is a link that leads nowhere, writes that into `words`. */
static bool say_link(const char *path, size_t size, char *words)
{
  struct stat there;
  char to[CLI_NEAR_FILE];
  if (lstat(path, &there) != 0 || !S_ISLNK(there.st_mode) || stat(path, &there) == 0) return false;
  const bool is_loop = errno == ELOOP;
  const ssize_t length = readlink(path, to, sizeof to - 1);
  to[length > 0 ? length : 0] = '\0';
  if (is_loop)
    snprintf(words, size, "%s is a link that leads back to itself", path);
  else
    snprintf(words, size, "%s is a link to %s, which cannot be reached", path, to);
  return true;
}

/* Copies the folder of `path` with its last slash; "" means the present folder. */
static bool copy_folder(const char *path, char folder[CLI_NEAR_FILE])
{
  const char *slash = strrchr(path, '/');
  const int length = slash != NULL ? (int)(slash - path) + 1 : 0;
  return snprintf(folder, CLI_NEAR_FILE, "%.*s", length, path) < CLI_NEAR_FILE;
}

/* Whether the user may have meant the file with this name. If the ending is that of a study, only studies can be meant,
 * not a program with a similar name. */
static bool is_meant(const char *name, const char *ending)
{
  static const char study[] = ".fcps";
  if (ending == NULL || strcmp(ending, study) != 0) return true;
  const size_t length = strlen(name);
  return length >= sizeof study && strcmp(name + length - (sizeof study - 1), study) == 0;
}

static bool find_near(const char *path, const char *ending, char near[CLI_NEAR_FILE])
{
  char folder[CLI_NEAR_FILE];
  struct dirent **entries = NULL;
  if (*path == '\0' || access(path, F_OK) == 0 || !copy_folder(path, folder)) return false;
  if (ending != NULL && snprintf(near, CLI_NEAR_FILE, "%s%s", path, ending) < CLI_NEAR_FILE && access(near, F_OK) == 0)
    return true;
  const int count = scandir(*folder != '\0' ? folder : ".", &entries, NULL, alphasort);
  if (count < 0) return false;
  const char *names[MOST_NAMES];
  int used = 0;
  for (int i = 0; i < count && used < MOST_NAMES; i++)
    if (is_meant(entries[i]->d_name, ending)) names[used++] = entries[i]->d_name;
  const char *name = fcps_nearest_name(path + strlen(folder), used, names);
  const bool is_found = name != NULL && snprintf(near, CLI_NEAR_FILE, "%s%s", folder, name) < CLI_NEAR_FILE;
  for (int i = 0; i < count; i++)
    free(entries[i]);
  free(entries);
  return is_found;
}

void cli_near_file_hint(const char *path, const char *ending, fcps_error *error)
{
  char near[CLI_NEAR_FILE], link[3 * CLI_NEAR_FILE];
  const size_t length = strlen(error->message);
  if (length == 0) return;
  const bool is_closed = error->message[length - 1] == '.' || error->message[length - 1] == '?';
  const char *stop = is_closed ? "" : ".";
  if (say_link(path, sizeof link, link))
    snprintf(error->message + length, sizeof error->message - length, "%s %s.", stop, link);
  else if (find_near(path, ending, near))
    snprintf(error->message + length, sizeof error->message - length, "%s Did you mean %s?", stop, near);
}

/* -- A file of another kind -- */

/* Whether a file was written by `fcps policy export`. */
bool cli_path_is_policy(const char *path)
{
  static const char beginning[] = "{\"fcps_policy";
  char text[sizeof beginning] = "";
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  const size_t length = fread(text, 1, sizeof beginning - 1, file);
  fclose(file);
  return length == sizeof beginning - 1 && strcmp(text, beginning) == 0;
}

/* Whether a name is that of a problem file or of a table: the user has probably swapped two arguments. */
static bool is_other_kind(const char *path)
{
  static const char *const endings[] = {".csv", ".yaml", ".yml"};
  const char *end = strrchr(path, '.');
  for (size_t i = 0; end != NULL && i < sizeof endings / sizeof *endings; i++)
    if (strcmp(end, endings[i]) == 0) return true;
  return false;
}

/* Whether a file is plain text and is not named like a study. Even a damaged study has zero bytes at its beginning, so
 * a file without zero bytes there is text. */
static bool is_text(const char *path)
{
  char head[FCPS_STUDY_FILE_HEAD];
  FILE *file = fcps_recognize_file(path) == FCPS_RECOGNIZED_OTHER ? fopen(path, "rb") : NULL;
  if (file == NULL) return false;
  const size_t length = fread(head, 1, sizeof head, file);
  fclose(file);
  return length > 0 && memchr(head, '\0', length) == NULL;
}

bool cli_path_is_no_study(const char *path)
{
  return cli_path_is_policy(path) || is_other_kind(path) || is_text(path);
}

/* -- A study in memory -- */

static const char command[] = "fcps study ", study_name[] = " STUDY", before[] = "in a study with a file, ",
                  file_name[] = " FILE.fcps";

/* The length of "fcps study VERB STUDY" at the beginning of a text, or 0 if the text begins otherwise. */
static size_t measure_command(const char *text)
{
  if (strncmp(text, command, sizeof command - 1) != 0) return 0;
  const char *end = text + sizeof command - 1;
  while (islower((unsigned char)*end) || *end == '-')
    end++;
  const bool has_name = strncmp(end, study_name, sizeof study_name - 1) == 0;
  const char next = has_name ? end[sizeof study_name - 1] : '.';
  return isalnum((unsigned char)next) || next == '.' ? 0 : (size_t)(end - text);
}

const char *cli_no_file_text(const char *text, size_t size, char *room)
{
  size_t used = 0;
  bool has_any = false;
  for (const char *c = text; *c != '\0';) {
    const size_t length = measure_command(c);
    if (used + length + sizeof before + sizeof file_name >= size) return text;
    if (length == 0) {
      room[used++] = *c++;
      continue;
    }
    has_any = true;
    used = (size_t)(stpcpy(room + used, before) - room);
    memcpy(room + used, c, length);
    used = (size_t)(stpcpy(room + used + length, file_name) - room);
    c += length + sizeof study_name - 1;
  }
  room[used] = '\0';
  return has_any ? room : text;
}

/* -- Files that a command names --
 *
 * The files are checked before any study is open in this process: from then on, looking at the files of a study would
 * release its locks. */

/* The outputs of this command; a process does one command. */
static cli_named_files outputs;

static fcps_status refuse(fcps_error *error, const cli_named_file *output, const char *what)
{
  char option[64];
  snprintf(option, sizeof option, "--%s", output->option);
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "%s %s; nothing was changed. Choose another name",
                        output->path, what);
}

static bool has_ending(const char *path, const char *endings)
{
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
  for (const char *word = endings; dot != NULL && word != NULL && *word != '\0'; word += strspn(word, " ")) {
    const size_t length = strcspn(word, " ");
    if (strlen(dot + 1) == length && strncasecmp(dot + 1, word, length) == 0) return true;
    word += length;
  }
  return false;
}

/* Whether a file is not empty and has an ending that this command never writes: it may be a file that the user needs,
 * such as a thesis, a key or a photo. */
static bool is_foreign(const cli_named_file *output)
{
  struct stat there;
  return stat(output->path, &there) == 0 && S_ISREG(there.st_mode) && there.st_size > 0 &&
         !has_ending(output->path, output->endings);
}

static fcps_status check_output(const cli_named_files *read, const cli_named_files *written, int index,
                                fcps_error *error)
{
  const cli_named_file *output = &written->items[index];
  fcps_error why = {0};
  for (int i = 0; i < read->count; i++)
    if (fcps_draft_is_same(read->items[i].path, output->path)) return refuse(error, output, "is read by this command");
  for (int i = 0; i < index; i++)
    if (fcps_draft_is_same(written->items[i].path, output->path))
      return refuse(error, output, "is another output of this command");
  const bool may_be_text = fcps_recognize_file(output->path) == FCPS_RECOGNIZED_OTHER;
  if (may_be_text && fcps_source_file_is_problem(output->path)) return refuse(error, output, "is a problem file");
  if (may_be_text && fcps_source_file_is_written(output->path))
    return refuse(error, output, "is a program or a text of yours, by its ending or its beginning");
  /* The file may also be unusable for another reason. The user sees that reason when the command opens the file. */
  if (fcps_draft_check(output->path, &why) == FCPS_ERR_ARGUMENT)
    return refuse(error, output, "is a study or belongs to one");
  if (!is_foreign(output)) return FCPS_OK;
  char what[200];
  snprintf(
      what, sizeof what,
      "is there already, and its ending is not one that this command writes (%s): delete it first if it is not needed",
      output->endings);
  return refuse(error, output, what);
}

/* Whether the folder contains the file, under any name or as the end of a link. */
static bool is_inside(const char *folder, const struct stat *file)
{
  enum { DEEPEST = 4 };
  char *const roots[] = {(char *)(size_t)folder, NULL};
  FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
  bool is_found = false;
  for (FTSENT *entry; tree != NULL && !is_found && (entry = fts_read(tree)) != NULL;) {
    if (entry->fts_level >= DEEPEST) fts_set(tree, entry, FTS_SKIP);
    is_found = entry->fts_info == FTS_F && entry->fts_statp->st_dev == file->st_dev &&
               entry->fts_statp->st_ino == file->st_ino;
  }
  if (tree != NULL) fts_close(tree);
  return is_found;
}

static fcps_status check_folder(const cli_named_files *read, const cli_named_file *folder, fcps_error *error)
{
  for (int i = 0; i < read->count; i++) {
    struct stat file;
    if (stat(read->items[i].path, &file) != 0 || !S_ISREG(file.st_mode) || !is_inside(folder->path, &file)) continue;
    char what[512];
    snprintf(what, sizeof what, "holds %s, which this command reads and might write over", read->items[i].path);
    return refuse(error, folder, what);
  }
  return FCPS_OK;
}

/* Refuses standard output if it goes to a file that the command reads, as in `fcps retarget throw.fcps a.csv
 * >>a.csv`. */
static fcps_status check_standard_output(const cli_named_files *read, fcps_error *error)
{
  struct stat stream, file;
  if (fstat(STDOUT_FILENO, &stream) != 0 || !S_ISREG(stream.st_mode)) return FCPS_OK;
  for (int i = 0; i < read->count; i++)
    if (stat(read->items[i].path, &file) == 0 && file.st_dev == stream.st_dev && file.st_ino == stream.st_ino)
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, "standard output",
                            "it goes to %s, which this command reads. Choose another file", read->items[i].path);
  return FCPS_OK;
}

fcps_status cli_named_files_check(const cli_named_files *read, const cli_named_files *written,
                                  const cli_named_files *folders, fcps_error *error)
{
  fcps_status status = check_standard_output(read, error);
  outputs = *written;
  for (int i = 0; i < written->count && status == FCPS_OK; i++)
    status = check_output(read, written, i, error);
  for (int i = 0; i < folders->count && status == FCPS_OK; i++)
    status = check_folder(read, &folders->items[i], error);
  return status;
}

/* Refuses to overwrite a file that the study's problem names. Its name may be relative to the folder of the problem
 * file or to the present folder. */
static fcps_status check_named(const char *file, const char *name, fcps_error *error)
{
  char beside[PATH_MAX];
  const char *slash = file != NULL && name[0] != '/' ? strrchr(file, '/') : NULL;
  const int folder = slash != NULL ? (int)(slash - file) + 1 : 0;
  snprintf(beside, sizeof beside, "%.*s%s", folder, slash != NULL ? file : "", name);
  const bool is_there = access(name, F_OK) == 0, is_beside = access(beside, F_OK) == 0;
  for (int i = 0; i < outputs.count && (is_there || is_beside); i++)
    if ((is_there && fcps_draft_is_same(name, outputs.items[i].path)) ||
        (is_beside && fcps_draft_is_same(beside, outputs.items[i].path)))
      return refuse(error, &outputs.items[i], "is named by the study's problem file for its trials");
  return FCPS_OK;
}

fcps_status cli_named_files_check_study(const fcps_study *study, fcps_error *error)
{
  const fcps_problem_file *file = fcps_study_file(study);
  fcps_status status = FCPS_OK;
  if (file == NULL) return status;
  if (file->contexts_csv != NULL) status = check_named(file->file, file->contexts_csv, error);
  for (int i = 0; file->command != NULL && file->command[i] != NULL && status == FCPS_OK; i++)
    status = check_named(file->file, file->command[i], error);
  return status;
}

fcps_status cli_named_files_check_streams(fcps_error *error)
{
  const bool is_error = fcps_recognize_file("/proc/self/fd/2") == FCPS_RECOGNIZED_STUDY;
  /* Standard error must not go to the study from now on, because the refusal itself is printed there. */
  if (is_error) (void)!freopen("/dev/null", "w", stderr);
  if (!is_error && fcps_recognize_file("/proc/self/fd/1") != FCPS_RECOGNIZED_STUDY) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, is_error ? "standard error" : "standard output",
                        "it goes to a study, which fcps never writes over; nothing was changed. Choose another file");
}
