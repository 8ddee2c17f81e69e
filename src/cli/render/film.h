/* SPDX-License-Identifier: Apache-2.0 */
/* Films of a robot that has learnt: as a film, or as a picture of some of its moments. */
#ifndef FCPS_CLI_RENDER_FILM_H
#define FCPS_CLI_RENDER_FILM_H

#include "cli/support/cli.h"

enum { FCPS_FILM_STAGES = 16 };

/* The keys of its options, and the options themselves as rows of a table. */
enum {
  FCPS_FILM_KEY_LEARNER = 300,
  FCPS_FILM_KEY_SET,
  FCPS_FILM_KEY_EPISODES,
  FCPS_FILM_KEY_STAGES,
  FCPS_FILM_KEY_TARGET,
  FCPS_FILM_KEY_ENVIRONMENT,
  FCPS_FILM_KEY_PARAMETERS,
  FCPS_FILM_KEY_SIZE,
  FCPS_FILM_KEY_MOMENTS
};
#define FCPS_FILM_OPTIONS                                                                                              \
  {"learner", FCPS_FILM_KEY_LEARNER, "NAME", 0, "Of robots: who learns first (default bo-fcps)", 1},                   \
      {"set", FCPS_FILM_KEY_SET, "NAME=VALUE", 0, "A setting of the learner; may be repeated", 1},                     \
      {"episodes", FCPS_FILM_KEY_EPISODES, "N", 0, "After how many rollouts (default 160)", 1},                        \
      {"stages", FCPS_FILM_KEY_STAGES, "N,N,...", 0, "After each of these numbers of rollouts", 1},                    \
      {"target", FCPS_FILM_KEY_TARGET, "NAME=VALUE,...", 0, "What is wished (default: the first evaluated)", 1},       \
      {"environment", FCPS_FILM_KEY_ENVIRONMENT, "NAME=VALUE,...", 0, "Where it starts", 1},                           \
      {"parameters", FCPS_FILM_KEY_PARAMETERS, "NAME=VALUE,...", 0, "Show these, learn nothing", 1},                   \
      {"size", FCPS_FILM_KEY_SIZE, "WIDTHxHEIGHT", 0, "Of a frame (default 640x480)", 1},                              \
  {                                                                                                                    \
    "moments", FCPS_FILM_KEY_MOMENTS, "N", 0, "Frames of a rollout side by side in a .png (default 1: the end)", 1     \
  }

typedef struct fcps_film_options {
  const char *learner;
  fcps_setting_list learner_settings;
  uint64_t seed;
  int stage_count; /* one rollout is shown after each of these numbers of rollouts, ascending */
  int64_t stages[FCPS_FILM_STAGES];
  const char *target, *environment; /* "x=1.3,y=0.8", over the task's first evaluation context; may be NULL */
  const char *parameters;           /* all of them: shows these, and learns nothing; may be NULL */
  int width, height;                /* of a frame */
  int moments;                      /* of a picture: frames of a rollout side by side */
} fcps_film_options;

fcps_film_options fcps_film_options_default(void);
void fcps_film_options_destroy(fcps_film_options *wish);

/* Takes an option whose key is one of the above; false for another key. */
bool fcps_film_options_take(fcps_film_options *wish, int key, const char *text, fcps_status *status, fcps_error *error);

/* Learns, and writes `output`: .png a picture with a row for each stage; .mp4, .gif or .webm a film with one stage
 * after the other. */
fcps_status fcps_render_film(fcps_task *task, const fcps_film_options *wish, const char *output, fcps_error *error);

#endif
