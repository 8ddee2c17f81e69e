/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program gnuplot. It reads a script, which contains its data, and writes picture files. */
#ifndef FCPS_REPORT_GNUPLOT_H
#define FCPS_REPORT_GNUPLOT_H

#include "format/file.h"

#include <stdio.h>

/* Runs a script, without a shell and without the user's start-up files. Fails with FCPS_ERR_UNAVAILABLE if gnuplot is
 * not installed, with FCPS_ERR_IO if gnuplot cannot write the pictures, and otherwise with FCPS_ERR_PROGRAM and
 * gnuplot's message. */
fcps_status fcps_gnuplot_run(const char *script, size_t length, fcps_error *error);

enum { FCPS_GNUPLOT_OUTPUTS = 4 };

/* A script that is being written, and the paths of its pictures. */
typedef struct fcps_gnuplot_script {
  FILE *stream;
  char *text;
  size_t length;
  int output_count;
  fcps_draft *outputs[FCPS_GNUPLOT_OUTPUTS];
} fcps_gnuplot_script;

/* Begin and finish a script. If beginning fails, the script must not be finished. `status` says whether writing the
 * script succeeded; if it is FCPS_OK, finishing runs the script. Returns the first failure; after a failure the old
 * pictures still exist. */
fcps_status fcps_gnuplot_begin(fcps_gnuplot_script *script, fcps_error *error);
fcps_status fcps_gnuplot_finish(fcps_gnuplot_script *script, fcps_status status, fcps_error *error);

/* Write a text as a gnuplot string without markup, and a number. NaN is written as a missing value. Characters that SVG
 * does not allow become U+FFFD. */
void fcps_gnuplot_text(FILE *script, const char *text);
void fcps_gnuplot_number(FILE *script, double value);

/* fcps_gnuplot_check_path checks the path of a picture: its ending, .svg or .png, decides the format, and other endings
 * are refused. fcps_gnuplot_output checks it too, and adds the picture to a script, which has at most
 * FCPS_GNUPLOT_OUTPUTS. */
fcps_status fcps_gnuplot_check_path(const char *path, fcps_error *error);
fcps_status fcps_gnuplot_output(fcps_gnuplot_script *script, const char *path, int width, int height,
                                fcps_error *error);

/* The style of all figures: colours that colour-blind people can distinguish, thin grey frames, one font. */

/* Colours of lines and points [okabe2008], and greys for everything that is not data. */
#define FCPS_COLOUR_BLUE   "#0072b2"
#define FCPS_COLOUR_ORANGE "#d55e00"
#define FCPS_COLOUR_INK    "#303030"
#define FCPS_COLOUR_FAINT  "#b4b4b4"

/* Line styles differ in colour and in the shape of their points. After the last style the first one follows again. */
enum { FCPS_LINE_STYLES = 10 };
typedef struct fcps_line_style {
  const char *colour;
  int point;
} fcps_line_style;
const fcps_line_style *fcps_style_line(int index);

/* Writes the commands that set fonts, frame, grid and the palette viridis. */
void fcps_style_write(FILE *script);

#endif
