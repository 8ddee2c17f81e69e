/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study backup` and `fcps study restore`: a study as a second file, and back. */
#include "cli/study/subcommands.h"
#include "cli/support/arguments.h"
#include "cli/support/fail.h"
#include "cli/support/near_address.h"
#include "cli/support/remote.h"
#include "cli/support/shown.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct arguments {
  const char *study, *file;
  bool is_forced;
  fcps_error error;
} arguments;

static const cli_argument backup_table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, study)},
    {CLI_ARGUMENT_NEEDED, "FILE", .offset = offsetof(arguments, file)},
    {CLI_ARGUMENT_SWITCH, "force", offsetof(arguments, is_forced), 'f', .help = "Replace an older backup"},
    {0}};

static const cli_argument restore_table[] = {{CLI_ARGUMENT_NEEDED, "FILE", .offset = offsetof(arguments, file)},
                                             {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, study)},
                                             {CLI_ARGUMENT_SWITCH, "force", offsetof(arguments, is_forced), 'f',
                                              .help = "Also where STUDY is another study than FILE"},
                                             {0}};

static const char backup_doc[] =
    "Copies a study to another file, also while a run writes to it. The copy is one state of the study, and it is "
    "checked before it gets its name.\v"
    "Example:\n  fcps study backup throw.fcps throw-backup.fcps\n";
static const char restore_doc[] =
    "Makes a study again from a backup, which is checked first and stays as it is. A study that is there is kept under "
    "another name, STUDY.before-restore-TIME.\v"
    "Example:\n  fcps study restore throw-backup.fcps throw.fcps\n";

int cli_study_backup(int argc, char **argv)
{
  arguments a = {0};
  int64_t records = 0;
  fcps_status status = cli_arguments_parse(backup_table, backup_doc, argc, argv, &a, &a.error);
  const char *path = a.study; /* of one behind a server, its copy */
  if (status == FCPS_OK) status = cli_near_address_check(a.study, &a.error);
  if (status == FCPS_OK && cli_remote_is(path)) status = cli_remote_copy_onto(a.study, a.file, &path, &a.error);
  if (status == FCPS_OK) status = fcps_study_backup(path, a.file, a.is_forced, &records, &a.error);
  if (status == FCPS_OK)
    printf("copied %s to %s: %" PRId64 " records\n", cli_shown(a.study), cli_shown(a.file), records);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

int cli_study_restore(int argc, char **argv)
{
  arguments a = {0};
  int64_t records = 0;
  char *kept = NULL;
  fcps_status status = cli_arguments_parse(restore_table, restore_doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = fcps_study_restore(a.file, a.study, a.is_forced, &kept, &records, &a.error);
  if (status == FCPS_OK)
    printf("restored %s from %s: %" PRId64 " records\n", cli_shown(a.study), cli_shown(a.file), records);
  if (status == FCPS_OK && kept != NULL) printf("the study that was there is now %s\n", cli_shown(kept));
  fcps_free(kept);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
