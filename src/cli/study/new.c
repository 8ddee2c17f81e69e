/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that make a study: `fcps study new` from a problem file, and `backup`, `restore`, `copy` and `repair` from
 * another study. The new study keeps the text of the problem file, and does not need the file any more. */
#include "base/error.h"
#include "cli/study/study.h"
#include "cli/support/arguments.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"
#include "door/client.h"
#include "format/file.h"
#include "wire/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct arguments {
  const char *path, *problem, *learner;
  int64_t seed;
  cli_setting_list settings;
  fcps_error error;
} arguments;

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path)},
    {CLI_ARGUMENT_TEXT, "problem", offsetof(arguments, problem), 'p', "FILE", .file = CLI_FILE_READ,
     .help = "The problem, a YAML file"},
    {CLI_ARGUMENT_TEXT, "learner", offsetof(arguments, learner), 'l', "NAME",
     .help = "The learner (default: the learner of the file); `fcps learners` lists all"},
    {CLI_ARGUMENT_SETTINGS, "set", offsetof(arguments, settings), 'S', "NAME=VALUE",
     .help = "A setting of the learner; may be repeated"},
    {CLI_ARGUMENT_COUNT, "seed", offsetof(arguments, seed), 's', "N", .help = "Seed of all random numbers (default 1)"},
    {0}};

static const char doc[] = "Makes a study from a problem file. The study keeps a copy of the file.\v"
                          "Example:\n  fcps study new throw.fcps --problem throw.yaml --seed 1\n";

static bool is_untouched(const fcps_study *study)
{
  return fcps_study_ask_count(study) == 0 && fcps_study_result_count(study) == 0 &&
         fcps_study_event_at(study, 0) == NULL;
}

/* Whether an existing study is the one that this command would make, still unused: an earlier command may have been
 * killed before it could report its success. */
static bool is_made_already(const arguments *a, const fcps_study_setup *setup)
{
  fcps_study *there = NULL;
  const bool is_same = fcps_study_open(&there, a->path, NULL, NULL) == FCPS_OK && is_untouched(there) &&
                       fcps_wire_is_made_from(there, setup);
  fcps_study_close(there);
  return is_same;
}

static fcps_status make(arguments *a)
{
  fcps_problem_file *file = NULL;
  fcps_study *study = NULL;
  fcps_status status = cli_near_address_check(a->path, &a->error);
  if (status == FCPS_OK) status = fcps_problem_file_read(&file, a->problem, &a->error);
  if (status != FCPS_OK) return status;
  const fcps_study_setup setup = {.text = file->text,
                                  .text_name = a->problem,
                                  .learner = a->learner,
                                  .settings = a->settings.items,
                                  .seed = (uint64_t)a->seed};
  const fcps_door_options how = cli_door_options(a->path);
  fcps_door *door = NULL;
  status = fcps_door_make(&door, a->path, &setup, &how, &a->error);
  const bool is_there = status == FCPS_ERR_STORE && is_made_already(a, &setup);
  if (is_there) status = cli_open_door(&door, a->path, NULL, &a->error);
  if (status == FCPS_OK) fcps_door_set_place(door, cli_copy_place);
  status = cli_door_failure(door, status, &a->error);
  if (status == FCPS_OK) status = cli_door_study(door, &study, &a->error);
  if (status == FCPS_OK && fcps_study_url(study) == NULL)
    status = fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "STUDY",
                            "a study in memory (%s) would end with this command; give the path of a file", a->path);
  if (status == FCPS_OK) {
    const fcps_problem *p = fcps_study_problem(study);
    printf("%s %s: %s, %d target, %d environment, %d parameter and %d outcome dimensions, learner %s\n",
           is_there ? "nothing to do, there is already" : "made", cli_shown(a->path),
           cli_shown(fcps_study_file(study)->name), p->target.count, p->environment.count, p->parameters.count,
           p->outcome.count, cli_shown(fcps_study_learner(study)));
  }
  fcps_door_close(door);
  fcps_problem_file_destroy(file);
  return status;
}

int cli_study_new(int argc, char **argv)
{
  arguments a = {.seed = 1};
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK && a.problem == NULL)
    status = fcps_error_set(&a.error, FCPS_ERR_ARGUMENT, "--problem", "which problem? Give --problem FILE.yaml");
  if (status == FCPS_OK) status = make(&a);
  cli_setting_list_destroy(&a.settings);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

/* -- Copies: `fcps study backup`, `restore`, `copy` and `repair` -- */

typedef struct copy_arguments {
  const char *from, *to;
  bool is_forced;
  fcps_error error;
} copy_arguments;

static const cli_argument backup_table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(copy_arguments, from)},
    {CLI_ARGUMENT_NEEDED, "FILE", .offset = offsetof(copy_arguments, to)},
    {CLI_ARGUMENT_SWITCH, "force", offsetof(copy_arguments, is_forced), 'f', .help = "Replace an older backup"},
    {0}};

static const cli_argument restore_table[] = {{CLI_ARGUMENT_NEEDED, "FILE", .offset = offsetof(copy_arguments, from)},
                                             {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(copy_arguments, to)},
                                             {CLI_ARGUMENT_SWITCH, "force", offsetof(copy_arguments, is_forced), 'f',
                                              .help = "Replace STUDY even if it is another study than FILE"},
                                             {0}};

static const cli_argument copy_table[] = {{CLI_ARGUMENT_NEEDED, "FROM", .offset = offsetof(copy_arguments, from)},
                                          {CLI_ARGUMENT_NEEDED, "TO", .offset = offsetof(copy_arguments, to)},
                                          {0}};

static const cli_argument repair_table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(copy_arguments, from)},
    {CLI_ARGUMENT_TEXT, "to", offsetof(copy_arguments, to), 'o', "NEW", .help = "The new file"},
    {0}};

static const char backup_doc[] =
    "Copies a study to another file, even while a run writes to it. The copy is one state of the study, and it is "
    "checked before it gets its name.\v"
    "Example:\n  fcps study backup throw.fcps throw-backup.fcps\n";
static const char restore_doc[] =
    "Restores a study from a backup, which is checked first and does not change. An existing study is kept under "
    "another name, STUDY.before-restore-TIME.\v"
    "Example:\n  fcps study restore throw-backup.fcps throw.fcps\n";

static const char copy_doc[] =
    "Copies a study to a new one, even while others write to it. Each of them is a file or "
    "postgresql://HOST/DATABASE#NAME; FROM may also be http://HOST:PORT/NAME of a server. The "
    "copy has all records, and the same results give the same asks.\v"
    "Example:\n  fcps study copy throw.fcps 'postgresql://db.lab/robots#throw'\n";

static const char repair_doc[] =
    "Copies all readable records of a damaged study into a new file, and says which records "
    "are lost and whether the new file can be opened. The damaged file is not "
    "changed.\v"
    "Example:\n"
    "  fcps study repair throw.fcps --to throw-repaired.fcps\n";

/* Finds the path of the source. For a study behind a server, it is the path of a copy, which lives as long as the
 * door. */
static fcps_status find_source(copy_arguments *a, const char *onto, fcps_door **door, const char **path)
{
  const fcps_door_options options = cli_door_options(a->from);
  fcps_status status = cli_near_address_check(a->from, &a->error);
  if (status == FCPS_OK) status = fcps_door_fetch(door, a->from, onto, &options, cli_copy_place, path, &a->error);
  return cli_door_failure(*door, status, &a->error);
}

/* Refuses a server's address for commands that work on files: they would only change a copy. */
static fcps_status refuse_address(const char *name, copy_arguments *a)
{
  if (!fcps_client_is_url(a->from) && (a->to == NULL || !fcps_client_is_url(a->to))) return FCPS_OK;
  return fcps_error_set(&a->error, FCPS_ERR_UNSUPPORTED, "STUDY",
                        "%s works on a file, not through a server; give the path of the file", name);
}

int cli_study_backup(int argc, char **argv)
{
  copy_arguments a = {0};
  int64_t records = 0;
  const char *path = NULL;
  fcps_door *door = NULL;
  fcps_status status = cli_arguments_parse(backup_table, backup_doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = find_source(&a, a.to, &door, &path);
  if (status == FCPS_OK) status = fcps_study_backup(path, a.to, a.is_forced, &records, &a.error);
  if (status == FCPS_OK) printf("copied %s to %s: %" PRId64 " records\n", cli_shown(a.from), cli_shown(a.to), records);
  fcps_door_close(door);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

int cli_study_restore(int argc, char **argv)
{
  copy_arguments a = {0};
  int64_t records = 0;
  char *kept = NULL;
  fcps_status status = cli_arguments_parse(restore_table, restore_doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = refuse_address("restore", &a);
  if (status == FCPS_OK) status = fcps_study_restore(a.from, a.to, a.is_forced, &kept, &records, &a.error);
  if (status == FCPS_OK)
    printf("restored %s from %s: %" PRId64 " records\n", cli_shown(a.to), cli_shown(a.from), records);
  if (status == FCPS_OK && kept != NULL) printf("the study that was there is now %s\n", cli_shown(kept));
  fcps_free(kept);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

int cli_study_copy(int argc, char **argv)
{
  copy_arguments a = {0};
  int64_t records = 0;
  const char *path = NULL;
  fcps_door *door = NULL;
  fcps_status status = cli_arguments_parse(copy_table, copy_doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK && fcps_client_is_url(a.to))
    status = fcps_error_set(&a.error, FCPS_ERR_UNSUPPORTED, "TO",
                            "a study cannot be copied to a server: copy it to a file or a database, and serve that");
  if (status == FCPS_OK) status = find_source(&a, NULL, &door, &path);
  if (status == FCPS_OK) status = fcps_study_copy(path, a.to, &records, &a.error);
  if (status == FCPS_OK) printf("copied %s to %s: %" PRId64 " records\n", cli_shown(a.from), cli_shown(a.to), records);
  fcps_door_close(door);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

/* Returns what the repaired study's history says is lost; NULL if nothing is lost. */
static const char *find_lost(const fcps_study *study)
{
  const fcps_study_event *event;
  const char *lost = NULL;
  for (int i = 0; study != NULL && (event = fcps_study_event_at(study, i)) != NULL; i++)
    if (strcmp(event->code, "W_RECORDS_LOST") == 0) lost = event->text;
  return lost;
}

/* Reports what a repair has saved. Records alone are not a study: the problem, the learner and the seed must have
 * survived, too. */
static fcps_status report_repaired(copy_arguments *a, int64_t records)
{
  fcps_door *door = NULL;
  fcps_study *study = NULL;
  fcps_error why = {0};
  const fcps_status status = cli_open_study(&door, &study, a->to, &why);
  const char *lost = find_lost(study);
  /* With these two statuses, only the program that made the study, or a build with robots, can open it. So it cannot be
   * judged here, and counts as a study. */
  const bool is_study = status == FCPS_OK || status == FCPS_ERR_UNSUPPORTED || status == FCPS_ERR_UNAVAILABLE;
  const bool is_empty = is_study && records == 0 && lost != NULL;
  if (is_study)
    printf("saved %" PRId64 " records of %s in %s%s%s\n", records, cli_shown(a->from), cli_shown(a->to),
           lost != NULL ? "; lost " : "", lost != NULL ? cli_shown(lost) : "");
  fcps_door_close(door);
  if (is_empty)
    return fcps_error_set(&a->error, FCPS_ERR_DAMAGED, "",
                          "none of the records of %s could be read. Keep the damaged file: other tools may save more",
                          a->from);
  if (is_study) return FCPS_OK;
  /* Removes the advice to repair the study, because that was just done. */
  char *advice = strstr(why.message, " Save ");
  if (advice != NULL) *advice = '\0';
  return fcps_error_set(
      &a->error, FCPS_ERR_DAMAGED, "",
      "%" PRId64 " records of %s were saved in the table \"journal\" of %s. But that file cannot be "
      "opened as a study: %.200s The missing parts are lost. To use the results, write them to a CSV and import it "
      "into a new study: fcps study import --help",
      records, a->from, a->to, why.message);
}

int cli_study_repair(int argc, char **argv)
{
  copy_arguments a = {0};
  int64_t records = 0;
  fcps_status status = cli_arguments_parse(repair_table, repair_doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = refuse_address("repair", &a);
  if (status == FCPS_OK && a.to == NULL)
    status = fcps_error_set(&a.error, FCPS_ERR_ARGUMENT, "--to", "which new file? Give --to NEW");
  if (status == FCPS_OK) status = fcps_study_repair(a.from, a.to, &records, &a.error);
  if (status == FCPS_OK) status = report_repaired(&a, records);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
