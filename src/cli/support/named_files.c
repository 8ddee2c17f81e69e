/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the files that a command names, before anything is opened: no study is open in this process yet, so that
 * its files may be looked at. */
#define _DEFAULT_SOURCE /* fts */
#include "cli/support/named_files.h"

#include "base/error.h"
#include "base/study_file.h"
#include "format/file.h"

#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Whether a file is not empty and has an ending that this command never writes: perhaps a thesis, a key, or a photo. */
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
  if (fcps_draft_check(output->path, &why) == FCPS_ERR_ARGUMENT) /* other reasons show when it is opened */
    return refuse(error, output, "is a study or belongs to one");
  if (!is_foreign(output)) return FCPS_OK;
  char what[200];
  snprintf(
      what, sizeof what,
      "is there already, and its ending is not one that this command writes (%s): delete it first if it is not needed",
      output->endings);
  return refuse(error, output, what);
}

/* Looks for the file in the folder, including links. */
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

/* Refuses standard output that is a file which the command reads, as in `fcps retarget throw.fcps a.csv >>a.csv`. */
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

/* Refuses to overwrite a file that the study's problem names, relative to the folder of the problem file or to this
 * folder. */
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
  if (is_error) (void)!freopen("/dev/null", "w", stderr); /* the refusal must not be written into the study either */
  if (!is_error && fcps_recognize_file("/proc/self/fd/1") != FCPS_RECOGNIZED_STUDY) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, is_error ? "standard error" : "standard output",
                        "it goes to a study, which fcps never writes over; nothing was changed. Choose another file");
}
