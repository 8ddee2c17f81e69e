/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps run FILE.yaml`: the external program of a problem file, driven and stored. */
#include "base/error.h"
#include "base/number.h"
#include "cli/study_cli.h"
#include "format/file.h"

#include <fcps/run_study.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct arguments {
  const char *problem, *store, *learner;
  int64_t episodes, seed;
  fcps_setting_list settings;
  bool until_converged, is_quiet, as_json;
  fcps_error error;
} arguments;

enum { KEY_CONVERGED = 256 };

static const struct argp_option options[] = {
    {"episodes", 'n', "N", 0, "Rollouts in all, with those of earlier runs (default 100)", 0},
    {"store", 'o', "STUDY", 0, "The study's file; goes on where it was. Without it nothing is kept", 0},
    {"learner", 'l', "NAME", 0, "Another learner than the file says (for a new study)", 0},
    {"set", 'S', "NAME=VALUE", 0, "A setting of the learner; may be repeated (for a new study)", 0},
    {"seed", 's', "N", 0, "Seed of all random numbers (for a new study; default 1)", 0},
    {"until-converged", KEY_CONVERGED, NULL, 0, "Stop earlier when further trials are worth little", 0},
    {"quiet", 'q', NULL, 0, "No progress", 0},
    {"json", 'j', NULL, 0, "One JSON object a rollout", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
  arguments *a = state->input;
  if (a->error.status) return 0;
  switch (key) {
  case 'n':
    fcps_option_integer("--episodes", text, 0, 1000000000, &a->episodes, &a->error);
    break;
  case 'o':
    a->store = text;
    break;
  case 'l':
    a->learner = text;
    break;
  case 'S':
    fcps_setting_list_add(&a->settings, "--set", text, &a->error);
    break;
  case 's':
    fcps_option_integer("--seed", text, 0, INT64_MAX, &a->seed, &a->error);
    break;
  case KEY_CONVERGED:
    a->until_converged = true;
    break;
  case 'q':
    a->is_quiet = true;
    break;
  case 'j':
    a->as_json = true;
    break;
  case ARGP_KEY_ARG:
    if (a->problem) return fcps_cli_usage(state, "one problem at a time");
    a->problem = text;
    break;
  case ARGP_KEY_END:
    if (!a->problem) return fcps_cli_usage(state, "which FILE.yaml?");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp argp = {.options = options,
                                 .parser = parse,
                                 .args_doc = "FILE.yaml",
                                 .doc = "Drives the external program of a problem file: asks, runs and tells. "
                                        "Interrupted at any place it goes on where it "
                                        "was, with the same asks as if it had never stopped.\v"
                                        "Example:\n  fcps run throw.yaml --episodes 100 --store throw.fcps\n"};

/* What the callbacks of the loop see. */
typedef struct progress {
  arguments *arguments;
  fcps_study *study;
  const fcps_problem *problem;
  double sum;
  int count;
} progress;

static bool stop(void *user)
{
  (void)user;
  return fcps_interrupt_seen();
}

static fcps_status print_episode(const progress *p, const fcps_study_episode *e)
{
  char number[FCPS_NUMBER_SIZE];
  if (!p->arguments->as_json) {
    printf("%lld  %s  reward %s  parameters ", (long long)e->episode, fcps_rollout_status_text(e->status),
           fcps_number_write(e->reward, number));
    fcps_values_print(stdout, &p->problem->parameters, e->trial->parameters);
    printf("\n");
    return FCPS_OK;
  }
  fcps_status status = FCPS_OK;
  fcps_json *object = fcps_json_object();
  fcps_json_put(object, "episode", fcps_json_from_integer(e->episode), &status);
  fcps_json_put(object, "ask", fcps_json_from_integer(e->trial->id), &status);
  fcps_json_put(object, "status", fcps_json_from_text(fcps_rollout_status_text(e->status)), &status);
  fcps_json_put(object, "target", fcps_values_json(&p->problem->target, e->trial->target), &status);
  fcps_json_put(object, "environment", fcps_values_json(&p->problem->environment, e->trial->environment), &status);
  fcps_json_put(object, "parameters", fcps_values_json(&p->problem->parameters, e->trial->parameters), &status);
  fcps_json_put(object, "outcome", fcps_values_json(&p->problem->outcome, e->outcome), &status);
  fcps_json_put(object, "reward", isfinite(e->reward) ? fcps_json_from_number(e->reward) : fcps_json_null(), &status);
  return fcps_json_print(object, status, &p->arguments->error);
}

static fcps_status on_episode(void *user, const fcps_study_episode *e)
{
  progress *p = user;
  const fcps_status status = print_episode(p, e);
  if (e->status != FCPS_ROLLOUT_OK) fprintf(stderr, "fcps: rollout %lld: %s\n", (long long)e->episode, e->message);
  if (isfinite(e->reward)) {
    p->sum += e->reward;
    p->count++;
  }
  if (!p->arguments->is_quiet) {
    const char *end = isatty(STDERR_FILENO) ? "   \r" : "\n";
    if (*end == ' ' || e->episode % 10 == 0)
      fprintf(stderr, "rollout %lld of %lld, mean reward %.4g%s", (long long)e->episode,
              (long long)p->arguments->episodes, p->count ? p->sum / p->count : NAN, end);
  }
  return status ? status : fcps_cli_flush(&p->arguments->error);
}

static fcps_status open_or_make(arguments *a, const fcps_problem_file *file, fcps_study **study)
{
  const fcps_study_options how = {.log = fcps_cli_log};
  if (a->store && access(a->store, F_OK) == 0) {
    if (a->learner || a->settings.count)
      return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, a->learner ? "--learner" : "--set",
                            "%s exists and has its learner; choose another --store for another one", a->store);
    return fcps_study_open(study, a->store, &how, &a->error);
  }
  const fcps_study_setup setup = {.text = file->text,
                                  .text_name = file->file,
                                  .learner = a->learner,
                                  .settings = a->settings.items,
                                  .seed = (uint64_t)a->seed};
  return fcps_study_create(study, a->store, &setup, &how, &a->error);
}

// asks in pieces of ten rollouts whether it is enough
static fcps_status drive(arguments *a, fcps_study *study, fcps_run_study_options *loop)
{
  const int64_t all = a->episodes;
  if (!a->until_converged) return fcps_run_study(study, loop, &a->error);
  fcps_outlook outlook = {0};
  fcps_status status = FCPS_OK;
  for (loop->episodes = 0; !status && loop->episodes < all && !outlook.is_converged;) {
    loop->episodes = loop->episodes + 10 < all ? loop->episodes + 10 : all;
    fcps_policy *policy = NULL;
    status = fcps_run_study(study, loop, &a->error);
    if (!status) status = fcps_study_policy(study, &policy, &a->error);
    if (!status) status = fcps_study_outlook(study, policy, &outlook, NULL, NULL, &a->error);
    fcps_policy_destroy(policy);
  }
  if (outlook.is_converged && !a->is_quiet)
    fprintf(stderr, "converged: further trials gain at most %.3g a context\n", outlook.gain);
  return status;
}

static fcps_status run(arguments *a)
{
  fcps_problem_file *file = NULL;
  fcps_study *study = NULL;
  fcps_status status = fcps_problem_file_read(&file, a->problem, &a->error);
  if (!status) status = open_or_make(a, file, &study);
  if (!status) {
    progress p = {.arguments = a, .study = study, .problem = &file->problem};
    fcps_run_study_options loop = {
        .file = file, .episodes = a->episodes, .stop = stop, .on_episode = on_episode, .user = &p};
    fcps_interrupt_watch();
    status = drive(a, study, &loop);
    if (!a->is_quiet && isatty(STDERR_FILENO)) fputc('\n', stderr);
  }
  if (status == FCPS_ERR_STOPPED && a->store)
    fprintf(stderr, "interrupted; nothing is lost. Go on with: fcps run %s --episodes %lld --store %s\n", a->problem,
            (long long)a->episodes, a->store);
  fcps_study_close(study);
  fcps_problem_file_destroy(file);
  return status;
}

int fcps_command_run_file(int argc, char **argv)
{
  arguments a = {.episodes = 100, .seed = 1};
  fcps_status status = fcps_options_parse(&argp, argc, argv, &a, &a.error);
  if (!status) status = run(&a);
  fcps_setting_list_destroy(&a.settings);
  return status ? fcps_cli_fail(&a.error) : 0;
}
