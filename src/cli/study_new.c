/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study new`. */
#include "cli/study_cli.h"
#include "format/file.h"

#include <stdlib.h>

typedef struct arguments {
  const char *path, *problem, *learner;
  int64_t seed;
  fcps_setting_list settings;
  fcps_error error;
} arguments;

static const struct argp_option options[] = {
    {"problem", 'p', "FILE", 0, "The problem, a YAML file", 0},
    {"learner", 'l', "NAME", 0, "Another learner than the file says; see fcps learners", 0},
    {"set", 'S', "NAME=VALUE", 0, "A setting of the learner; may be repeated", 0},
    {"seed", 's', "N", 0, "Seed of all random numbers (default 1)", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
  arguments *a = state->input;
  switch (key) {
  case 'p':
    a->problem = text;
    break;
  case 'l':
    a->learner = text;
    break;
  case 'S':
    if (!a->error.status) fcps_setting_list_add(&a->settings, "--set", text, &a->error);
    break;
  case 's':
    if (!a->error.status) fcps_option_integer("--seed", text, 0, INT64_MAX, &a->seed, &a->error);
    break;
  case ARGP_KEY_ARG:
    if (a->path) return fcps_cli_usage(state, "one study at a time");
    a->path = text;
    break;
  case ARGP_KEY_END:
    if (!a->path || !a->problem) return fcps_cli_usage(state, "give the new STUDY and --problem FILE");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp argp = {.options = options,
                                 .parser = parse,
                                 .args_doc = "STUDY",
                                 .doc = "Makes a study from a problem file. The study keeps a copy of the file.\v"
                                        "Example:\n  fcps study new throw.fcps --problem throw.yaml --seed 1\n"};

static fcps_status make(arguments *a)
{
  char *text = NULL;
  size_t length = 0;
  fcps_study *study = NULL;
  fcps_status status = fcps_file_read(a->problem, (size_t)1 << 20, &text, &length, &a->error);
  if (status) return status;
  const fcps_study_setup setup = {.text = text,
                                  .text_name = a->problem,
                                  .learner = a->learner,
                                  .settings = a->settings.items,
                                  .seed = (uint64_t)a->seed};
  const fcps_study_options how = {.log = fcps_cli_log};
  status = fcps_study_create(&study, a->path, &setup, &how, &a->error);
  if (!status) {
    const fcps_problem *p = fcps_study_problem(study);
    printf("made %s: %s, %d target, %d environment, %d parameter and %d outcome dimensions, learner %s\n", a->path,
           fcps_study_file(study)->name, p->target.count, p->environment.count, p->parameters.count, p->outcome.count,
           fcps_study_learner(study));
  }
  fcps_study_close(study);
  free(text);
  return status;
}

int fcps_study_command_new(int argc, char **argv)
{
  arguments a = {.seed = 1};
  fcps_status status = fcps_options_parse(&argp, argc, argv, &a, &a.error);
  if (!status) status = make(&a);
  fcps_setting_list_destroy(&a.settings);
  return status ? fcps_cli_fail(&a.error) : 0;
}
