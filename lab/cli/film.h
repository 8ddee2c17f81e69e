/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a robot that has learnt: as a film, or as a picture with some moments. */
#ifndef FCPS_LAB_CLI_FILM_H
#define FCPS_LAB_CLI_FILM_H

#include "cli/support/arguments.h"

#include <fcps/base.h>
#include <fcps/lab/run.h>

/* The options of `fcps render` that are only for films. */

enum { CLI_FILM_STAGES = 16 };

/* Numbers of rollouts, ascending: one rollout of the policy is shown after each of them. */
typedef struct cli_film_stages {
  int count;
  int64_t rollouts[CLI_FILM_STAGES];
} cli_film_stages;

typedef struct cli_film_frame {
  int width, height;
} cli_film_frame;

typedef struct cli_film_options {
  const char *learner;
  cli_setting_list learner_settings;
  uint64_t seed;
  cli_film_stages stages;
  /* as in "x=1.3,y=0.8"; all other values come from the first evaluation context; may be NULL */
  const char *target, *environment;
  /* if given, all parameters: they are shown in one rollout, and nothing is learnt; may be NULL */
  const char *parameters;
  cli_film_frame frame;
  int64_t moments; /* for a picture: the number of frames of a rollout that stand side by side */
  int64_t slow;    /* for a film: how many times slower than the rollout; 0: chosen by the length of the rollout */
} cli_film_options;

/* The table of these options. */
extern const cli_argument cli_film_arguments[];

cli_film_options cli_film_options_default(void);
void cli_film_options_destroy(cli_film_options *options);

/* Learns, and writes `output`: a .png is a picture with a row for each stage; a .mp4, .gif or .webm is a film with one
 * stage after the other. */
fcps_status cli_render_film(fcps_task *task, const cli_film_options *film, const char *output, fcps_error *error);

/* -- Frames, which become a film, or a picture with a row for each rollout and some of its moments side by side -- */

typedef struct cli_frames cli_frames;

/* Begins the output. The ending of `path` decides its kind: .png is a picture; .mp4, .gif and .webm are films, which
 * ffmpeg writes. `rows` is the number of rollouts to come. A picture shows `moments` frames of each rollout, evenly
 * spread, including the last. */
fcps_status cli_frames_create(cli_frames **frames, const char *path, int width, int height, int frames_per_second,
                              int rows, int moments, fcps_error *error);

fcps_status cli_frames_add(cli_frames *frames, const unsigned char *rgb, fcps_error *error);
fcps_status cli_frames_end_rollout(cli_frames *frames, fcps_error *error);

/* About the rollout that is being filmed: returns the number of its frames so far; drops all its frames; replaces its
 * last frame. */
size_t cli_frames_count(const cli_frames *frames);
void cli_frames_forget(cli_frames *frames);
void cli_frames_replace_last(cli_frames *frames, const unsigned char *rgb);

/* Writes the output file if it `is_wanted`. Frees the frames; NULL is allowed. */
fcps_status cli_frames_close(cli_frames *frames, bool is_wanted, fcps_error *error);

#endif
