/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a robot that has learnt: as a film, or as a picture of some moments. */
#ifndef FCPS_LAB_CLI_FILM_H
#define FCPS_LAB_CLI_FILM_H

#include "cli/support/arguments.h"

#include <fcps/base.h>
#include <fcps/lab/run.h>

/* The options of `fcps render` that are for films alone. */

enum { CLI_FILM_STAGES = 16 };

/* One rollout is shown after each of these numbers of rollouts, which ascend. */
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
  const char *target, *environment; /* "x=1.3,y=0.8", over the task's first evaluation context; may be NULL */
  const char *parameters;           /* all of them: shows these, and learns nothing; may be NULL */
  cli_film_frame frame;
  int64_t moments; /* of a picture: frames of a rollout side by side */
  int64_t slow;    /* of a film: so many times slower than the rollout; 0: as it needs */
} cli_film_options;

/* The rows that fill it. */
extern const cli_argument cli_film_arguments[];

cli_film_options cli_film_options_default(void);
void cli_film_options_destroy(cli_film_options *options);

/* Learns, and writes `output`: .png a picture with a row for each stage; .mp4, .gif or .webm a film with one stage
 * after the other. */
fcps_status cli_render_film(fcps_task *task, const cli_film_options *film, const char *output, fcps_error *error);

/* -- Where frames go: a film, or a picture with a row for each rollout and some of its moments side by side -- */

typedef struct cli_frames cli_frames;

/* The ending of `path` decides: .png, or what ffmpeg writes (.mp4, .gif, .webm). `rows` rollouts will come; a picture
 * shows `moments` frames of each, evenly spread, the last one among them. */
fcps_status cli_frames_create(cli_frames **frames, const char *path, int width, int height, int frames_per_second,
                              int rows, int moments, fcps_error *error);

fcps_status cli_frames_add(cli_frames *frames, const unsigned char *rgb, fcps_error *error);
fcps_status cli_frames_end_rollout(cli_frames *frames, fcps_error *error);

/* The frames of the rollout that is being taken: how many, none of them, another last one. */
size_t cli_frames_count(const cli_frames *frames);
void cli_frames_forget(cli_frames *frames);
void cli_frames_replace_last(cli_frames *frames, const unsigned char *rgb);

/* Writes what was taken, unless not `is_wanted`; frees the frames, which may be NULL. */
fcps_status cli_frames_close(cli_frames *frames, bool is_wanted, fcps_error *error);

#endif
