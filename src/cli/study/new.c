/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study new`: makes a study from a problem file. The study keeps the text of the file, and does not need the
 * file any more. */
#include "base/error.h"
#include "cli/study/study.h"
#include "cli/support/arguments.h"
#include "cli/support/fail.h"
#include "cli/support/open_study.h"
#include "cli/support/shown.h"
#include "format/file.h"
#include "wire/status.h"

#include <stdio.h>

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
                            "%s would end with this command; give a path to a file", a->path);
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
