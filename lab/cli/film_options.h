/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `fcps render` that are for films alone. */
#ifndef FCPS_CLI_RENDER_FILM_OPTIONS_H
#define FCPS_CLI_RENDER_FILM_OPTIONS_H

#include "cli/support/arguments.h"

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

#endif
