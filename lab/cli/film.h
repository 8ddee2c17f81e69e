/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a robot that has learnt: as a film, or as a picture of some moments. */
#ifndef FCPS_CLI_RENDER_FILM_H
#define FCPS_CLI_RENDER_FILM_H

#include "lab/cli/film_options.h"

#include <fcps/lab/run.h>

/* Learns, and writes `output`: .png a picture with a row for each stage; .mp4, .gif or .webm a film with one stage
 * after the other. */
fcps_status cli_render_film(fcps_task *task, const cli_film_options *film, const char *output, fcps_error *error);

#endif
