/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps render` for a task that can be filmed: a learner learns in stages, and after each stage the film shows one
 * rollout of its policy. */
#include "lab/cli/film.h"

#include "base/error.h"
#include "base/memory.h"
#include "cli/support/exit.h"
#include "cli/support/progress.h"
#include "cli/support/values.h"
#include "format/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Options -- */

/* The table of a film's options, and functions that read the options with a more complex value. */

enum { MOST_ROLLOUTS = 1000000, MOST_MOMENTS = 20, LEAST_SIZE = 16, MOST_SIZE = 4096, SLOWEST = 100 };

cli_film_options cli_film_options_default(void)
{
  return (cli_film_options){.learner = "outcome", .stages = {1, {160}}, .frame = {640, 480}, .moments = 1};
}

void cli_film_options_destroy(cli_film_options *options)
{
  cli_setting_list_destroy(&options->learner_settings);
}

/* Reads one number of rollouts. */
static fcps_status read_episodes(const char *option, const char *text, void *value, fcps_error *error)
{
  cli_film_stages *stages = value;
  stages->count = 1;
  return cli_option_integer(option, text, 0, MOST_ROLLOUTS, &stages->rollouts[0], error);
}

/* Reads a list of numbers of rollouts, such as "0,20,60,160". */
static fcps_status read_stages(const char *option, const char *text, void *value, fcps_error *error)
{
  cli_film_stages *stages = value;
  char copy[256];
  if (strlen(text) >= sizeof copy)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "is too long; give fewer numbers");
  strcpy(copy, text);
  stages->count = 0;
  char *rest = copy;
  for (char *part; (part = strtok_r(rest, ",", &rest)) != NULL;) {
    if (stages->count == CLI_FILM_STAGES)
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "has more than %d numbers; give fewer", CLI_FILM_STAGES);
    int64_t *stage = &stages->rollouts[stages->count];
    const fcps_status status = cli_option_integer(option, part, 0, MOST_ROLLOUTS, stage, error);
    if (status != FCPS_OK) return status;
    if (stages->count++ > 0 && stage[0] <= stage[-1])
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "the numbers must ascend, but %s follows %lld", part,
                            (long long)stage[-1]);
  }
  if (stages->count > 0) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "needs numbers of rollouts, as in 0,20,60,160");
}

/* Whether a number can be the width or height of a frame. Encoders of films need even numbers. */
static bool is_size(int length)
{
  return length >= LEAST_SIZE && length <= MOST_SIZE && length % 2 == 0;
}

/* Reads a size such as "640x480". */
static fcps_status read_size(const char *option, const char *text, void *value, fcps_error *error)
{
  cli_film_frame *frame = value;
  int end = 0;
  const bool is_read = sscanf(text, "%4dx%4d%n", &frame->width, &frame->height, &end) == 2 && text[end] == 0;
  if (is_read && is_size(frame->width) && is_size(frame->height)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, option,
                        "\"%s\" is not a size; write it as in 640x480, with even numbers from %d to %d", text,
                        LEAST_SIZE, MOST_SIZE);
}

static fcps_status read_moments(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 1, MOST_MOMENTS, value, error);
}

static fcps_status read_slow(const char *option, const char *text, void *value, fcps_error *error)
{
  return cli_option_integer(option, text, 1, SLOWEST, value, error);
}

const cli_argument cli_film_arguments[] = {
    {CLI_ARGUMENT_TEXT, "learner", offsetof(cli_film_options, learner), .value = "NAME",
     .help = "For robots: the learner that learns before the film (default outcome)"},
    {CLI_ARGUMENT_SETTINGS, "set", offsetof(cli_film_options, learner_settings), .value = "NAME=VALUE",
     .help = "A setting of the learner; may be repeated"},
    {CLI_ARGUMENT_READ, "episodes", offsetof(cli_film_options, stages), .value = "N", .read = read_episodes,
     .help = "Number of rollouts before the film (default 160)"},
    {CLI_ARGUMENT_READ, "stages", offsetof(cli_film_options, stages), .value = "N,N,...", .read = read_stages,
     .help = "Show the same context after each of these numbers of rollouts"},
    {CLI_ARGUMENT_TEXT, "target", offsetof(cli_film_options, target), .value = "NAME=VALUE,...",
     .help = "The target (default: that of the first evaluation context)"},
    {CLI_ARGUMENT_TEXT, "environment", offsetof(cli_film_options, environment), .value = "NAME=VALUE,...",
     .help = "The environment (default: that of the first evaluation context)"},
    {CLI_ARGUMENT_TEXT, "parameters", offsetof(cli_film_options, parameters), .value = "NAME=VALUE,...",
     .help = "Show a rollout with these parameters, without learning"},
    {CLI_ARGUMENT_READ, "size", offsetof(cli_film_options, frame), .value = "WIDTHxHEIGHT", .read = read_size,
     .help = "Size of a frame (default 640x480)"},
    {CLI_ARGUMENT_READ, "moments", offsetof(cli_film_options, moments), .value = "N", .read = read_moments,
     .help = "Number of frames of a rollout that stand side by side in a .png (default 1: the last frame)"},
    {CLI_ARGUMENT_READ, "slow", offsetof(cli_film_options, slow), .value = "N", .read = read_slow,
     .help = "Show the film N times slower than the rollout (default 1; a rollout under two seconds is stretched to "
             "three)"},
    {0}};

/* -- The film -- */

/* A rollout with fewer than SHORT frames is shown in slow motion, which makes about LONG frames of it. */
enum { FRAMES_PER_SECOND = 25, CAPTION = 1024, ROOMY = 480, SHORT = 50, LONG = 75, SLOWEST_SHOWN = 10 };

/* A film that is being made. */
typedef struct session {
  fcps_task *task;
  const cli_film_options *film;
  fcps_study *study; /* NULL if the user gave parameters, so that nothing is learnt */
  cli_frames *frames;
  cli_progress progress;
  cli_points at;       /* the context and parameters of the rollout that is shown */
  unsigned char *last; /* the last frame of that rollout, with a caption that says how it ended */
  bool is_picture;     /* the output is a picture, not a film */
  fcps_error *error;
} session;

/* Chooses the context that is shown: the values in the options, and for all others the first evaluation context. */
static fcps_status choose_context(session *s)
{
  const fcps_problem *problem = fcps_task_problem(s->task);
  const fcps_evaluation *evaluation = fcps_task_evaluation(s->task);
  memcpy(s->at.target, evaluation->targets, (size_t)problem->target.count * sizeof(double));
  if (problem->environment.count > 0)
    memcpy(s->at.environment, evaluation->environments, (size_t)problem->environment.count * sizeof(double));
  fcps_status status =
      cli_values_read(problem, &problem->target, "--target", s->film->target, false, s->at.target, s->error);
  if (status == FCPS_OK)
    status = cli_values_read(problem, &problem->environment, "--environment", s->film->environment, false,
                             s->at.environment, s->error);
  if (status == FCPS_OK && s->film->parameters != NULL)
    status = cli_values_read(problem, &problem->parameters, "--parameters", s->film->parameters, true, s->at.parameters,
                             s->error);
  return status;
}

static fcps_status on_episode(void *user, const fcps_episode *episode)
{
  if (!episode->is_earlier) cli_progress_episode(&((session *)user)->progress, episode);
  return FCPS_OK;
}

/* Learns until the study has `stage` results, and asks the policy for parameters in the context that is shown. */
static fcps_status learn(session *s, int64_t stage)
{
  const fcps_run_options options = {
      .episodes = stage, .evaluate_every = -1, .stop = cli_interrupt_stops, .on_episode = on_episode, .user = s};
  cli_progress_begin(&s->progress, stage, false);
  fcps_status status = fcps_run(s->study, s->task, &options, s->error);
  cli_progress_clear(&s->progress);
  if (status != FCPS_OK) return status;

  fcps_policy *policy = NULL;
  status = fcps_study_policy(s->study, &policy, s->error);
  if (status != FCPS_OK) return status;
  status = fcps_policy_query(policy, s->at.target, s->at.environment, s->at.parameters, NULL);
  if (status != FCPS_OK) *s->error = *fcps_policy_error(policy);
  fcps_policy_destroy(policy);
  return status;
}

/* Appends "name value  name value" and a line end. */
static void write_point(char *caption, const fcps_space *space, const double *values)
{
  for (int i = 0; i < space->count; i++) {
    const size_t used = strlen(caption);
    snprintf(caption + used, CAPTION - used, "%s %.3f%s", space->dims[i].name, values[i],
             i + 1 < space->count ? "  " : "\n");
  }
}

/* Writes how far from the target the rollout ended. */
static fcps_status write_distance(session *s, const fcps_rollout *rollout, size_t size, char *text)
{
  const fcps_problem *problem = fcps_task_problem(s->task);
  const bool is_present = rollout->outcome != NULL;
  if (!is_present) {
    snprintf(text, size, "%s", fcps_rollout_status_text(rollout->status));
    return FCPS_OK;
  }
  double reward;
  const fcps_status status = problem->reward(problem->user, 1, s->at.target, s->at.environment, s->at.parameters,
                                             s->at.outcome, &is_present, &reward);
  if (status != FCPS_OK) return fcps_error_set(s->error, status, NULL, "the reward could not be computed");
  snprintf(text, size, "distance %.3f m", -reward);
  return FCPS_OK;
}

/* Writes the caption: a line or two if frames are small, everything if there is room. `ending` is added at the end of
 * the rollout. */
static fcps_status describe(session *s, int64_t stage, char caption[CAPTION], char ending[CAPTION])
{
  const fcps_problem *problem = fcps_task_problem(s->task);
  fcps_rollout rollout;
  fcps_status status = fcps_task_run(s->task, -1, s->at.environment, s->at.parameters, s->at.outcome, &rollout);
  if (status != FCPS_OK) {
    *s->error = *fcps_task_error(s->task);
    return status;
  }
  char distance[64];
  status = write_distance(s, &rollout, sizeof distance, distance);
  if (status != FCPS_OK) return status;

  caption[0] = 0;
  if (s->study != NULL) snprintf(caption, CAPTION, "%s, %lld rollouts\n", s->film->learner, (long long)stage);
  if (s->film->frame.width >= ROOMY) {
    write_point(caption, &problem->target, s->at.target);
    write_point(caption, &problem->environment, s->at.environment);
    write_point(caption, &problem->parameters, s->at.parameters);
  }
  snprintf(ending, CAPTION, "%.*s%s", CAPTION - (int)sizeof distance, caption, distance);
  if (s->study != NULL)
    fprintf(stderr, "fcps: after %lld rollouts: %s\n", (long long)stage, distance);
  else
    fprintf(stderr, "fcps: %s\n", distance);
  return FCPS_OK;
}

static fcps_status take_frame(void *user, double time, const unsigned char *rgb)
{
  (void)time;
  session *s = user;
  return cli_frames_add(s->frames, rgb, s->error);
}

static fcps_status take_last(void *user, double time, const unsigned char *rgb)
{
  (void)time;
  session *s = user;
  memcpy(s->last, rgb, 3 * (size_t)s->film->frame.width * (size_t)s->film->frame.height);
  return FCPS_OK;
}

/* Films the rollout in slow motion: `slow` seconds of film for a second of simulated time. */
static fcps_status film(session *s, int slow, const char *caption,
                        fcps_status (*take)(void *user, double time, const unsigned char *rgb))
{
  const fcps_film made = {s->film->frame.width, s->film->frame.height, FRAMES_PER_SECOND * slow, caption, take, s};
  fcps_rollout rollout;
  const fcps_status status =
      fcps_task_film(s->task, s->at.target, s->at.environment, s->at.parameters, &made, s->at.outcome, &rollout);
  /* the task's own error says more than the error that no frame arrived */
  if (status != FCPS_OK && s->error->status == FCPS_OK) *s->error = *fcps_task_error(s->task);
  return status;
}

/* Films the rollout, in slow motion if the options say so or if it is very short. */
static fcps_status film_whole(session *s, const char *caption)
{
  char slowly[CAPTION];
  int slow = s->film->slow > 0 ? (int)s->film->slow : 1;
  fcps_status status = FCPS_OK;
  if (s->is_picture) return film(s, 1, caption, take_frame);
  if (s->film->slow == 0) {
    status = film(s, 1, caption, take_frame);
    const int count = (int)cli_frames_count(s->frames);
    if (status != FCPS_OK || count >= SHORT || count == 0) return status;
    slow = LONG / count < SLOWEST_SHOWN ? LONG / count : SLOWEST_SHOWN;
    if (slow <= 1) return FCPS_OK;
    cli_frames_forget(s->frames);
  }
  snprintf(slowly, sizeof slowly, slow > 1 ? "%.*s%d times slower\n" : "%.*s", CAPTION - 32, caption, slow);
  return film(s, slow, slowly, take_frame);
}

/* Does one stage: learns, runs a rollout, and films it. */
static fcps_status show(session *s, int64_t stage)
{
  char caption[CAPTION], ending[CAPTION];
  fcps_status status = s->study != NULL ? learn(s, stage) : FCPS_OK;
  if (status == FCPS_OK) status = describe(s, stage, caption, ending);
  if (status == FCPS_OK) status = film_whole(s, caption);
  if (status == FCPS_OK) status = film(s, 1, ending, take_last);
  if (status != FCPS_OK) return status;
  cli_frames_replace_last(s->frames, s->last);
  return cli_frames_end_rollout(s->frames, s->error);
}

static fcps_status make(session *s, const char *output)
{
  const cli_film_options *film = s->film;
  const fcps_study_setup setup = {.problem = fcps_task_problem(s->task),
                                  .learner = film->learner,
                                  .settings = film->learner_settings.items,
                                  .seed = film->seed};
  fcps_status status = choose_context(s);
  if (status == FCPS_OK && film->parameters == NULL)
    status = fcps_study_create(&s->study, NULL, &setup, NULL, s->error);
  const int rows = film->parameters != NULL ? 1 : film->stages.count;
  if (status == FCPS_OK)
    status = cli_frames_create(&s->frames, output, film->frame.width, film->frame.height, FRAMES_PER_SECOND, rows,
                               (int)film->moments, s->error);
  for (int i = 0; i < rows && status == FCPS_OK; i++)
    status = show(s, film->stages.rollouts[i]);
  fcps_error closing = {0};
  const fcps_status closed = cli_frames_close(s->frames, status == FCPS_OK, &closing);
  /* if ffmpeg stopped early, its own message says more than the error of the broken pipe */
  if (closed != FCPS_OK && (status == FCPS_OK || status == FCPS_ERR_PROGRAM)) {
    *s->error = closing;
    status = closed;
  }
  return status;
}

fcps_status cli_render_film(fcps_task *task, const cli_film_options *film, const char *output, fcps_error *error)
{
  session s = {.task = task, .film = film, .is_picture = fcps_file_ends_with(output, ".png"), .error = error};
  fcps_status status = cli_points_create(&s.at, fcps_task_problem(task), 1, error);
  s.last = fcps_allocate(3 * (size_t)film->frame.width * (size_t)film->frame.height, 1);
  if (status == FCPS_OK && s.last == NULL) status = fcps_error_memory(error);
  cli_interrupt_watch();
  if (status == FCPS_OK) status = make(&s, output);
  fcps_study_close(s.study);
  cli_points_destroy(&s.at);
  free(s.last);
  return status;
}
