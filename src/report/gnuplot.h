/* SPDX-License-Identifier: Apache-2.0 */
/* gnuplot as a program: it reads a script that contains its data, and writes picture files. */
#ifndef FCPS_REPORT_FIGURES_GNUPLOT_H
#define FCPS_REPORT_FIGURES_GNUPLOT_H

#include "format/draft.h"

#include <stdio.h>

/* Runs a script, without a shell and without the user's start-up files. Fails with FCPS_ERR_UNAVAILABLE where gnuplot
 * is not installed, with FCPS_ERR_IO where it cannot write, and else with FCPS_ERR_PROGRAM and gnuplot's message. */
fcps_status fcps_gnuplot_run(const char *script, size_t length, fcps_error *error);

enum { FCPS_GNUPLOT_OUTPUTS = 4 };

/* A script while it is written, with the pictures that it draws. */
typedef struct fcps_gnuplot_script {
  FILE *stream;
  char *text;
  size_t length;
  int output_count;
  fcps_draft *outputs[FCPS_GNUPLOT_OUTPUTS];
} fcps_gnuplot_script;

/* Begins a script; after a failure there is nothing to finish. Finishing runs it where `status`, that of writing it, is
 * FCPS_OK, and returns the first failure. After a failure the old pictures are still there. */
fcps_status fcps_gnuplot_begin(fcps_gnuplot_script *script, fcps_error *error);
fcps_status fcps_gnuplot_finish(fcps_gnuplot_script *script, fcps_status status, fcps_error *error);

/* Write a text as a gnuplot string without markup, and a number; NaN is a missing value. What may not stand in an SVG
 * becomes U+FFFD. */
void fcps_gnuplot_text(FILE *script, const char *text);
void fcps_gnuplot_number(FILE *script, double value);

/* A picture of a script, of which there are at most FCPS_GNUPLOT_OUTPUTS. The ending of `path`, .svg or .png, decides the format; other endings are refused. */
fcps_status fcps_gnuplot_check_path(const char *path, fcps_error *error);
fcps_status fcps_gnuplot_output(fcps_gnuplot_script *script, const char *path, int width, int height,
                                fcps_error *error);

#endif
