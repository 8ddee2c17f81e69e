/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `fcps render` that are for films alone. */
#ifndef FCPS_CLI_RENDER_FILM_OPTIONS_H
#define FCPS_CLI_RENDER_FILM_OPTIONS_H

#include "cli/support/arguments.h"

enum { FCPS_FILM_STAGES = 16 };

/* One rollout is shown after each of these numbers of rollouts, which ascend. */
typedef struct fcps_film_stages {
  int count;
  int64_t rollouts[FCPS_FILM_STAGES];
} fcps_film_stages;

typedef struct fcps_film_frame {
  int width, height;
} fcps_film_frame;

typedef struct fcps_film_options {
  const char *learner;
  fcps_setting_list learner_settings;
  uint64_t seed;
  fcps_film_stages stages;
  const char *target, *environment; /* "x=1.3,y=0.8", over the task's first evaluation context; may be NULL */
  const char *parameters;           /* all of them: shows these, and learns nothing; may be NULL */
  fcps_film_frame frame;
  int64_t moments; /* of a picture: frames of a rollout side by side */
} fcps_film_options;

/* The rows that fill it. */
extern const fcps_argument fcps_film_arguments[];

fcps_film_options fcps_film_options_default(void);
void fcps_film_options_destroy(fcps_film_options *options);

#endif
