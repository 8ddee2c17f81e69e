/* SPDX-License-Identifier: Apache-2.0 */
/* The style of all figures: colours that colour-blind people can distinguish, thin grey frames, one font. */
#ifndef FCPS_REPORT_FIGURES_STYLE_H
#define FCPS_REPORT_FIGURES_STYLE_H

#include <stdio.h>

/* Colours of lines and points [okabe2008], and greys for everything that is not data. */
#define FCPS_COLOUR_BLUE   "#0072b2"
#define FCPS_COLOUR_ORANGE "#d55e00"
#define FCPS_COLOUR_INK    "#303030"
#define FCPS_COLOUR_FAINT  "#b4b4b4"

/* Line styles that differ in colour and in the shape of their points. After the last style the first comes again. */
enum { FCPS_LINE_STYLES = 10 };
typedef struct fcps_line_style {
  const char *colour;
  int point;
} fcps_line_style;
const fcps_line_style *fcps_style_line(int index);

/* Sets fonts, frame, grid and the viridis palette for the commands that follow. */
void fcps_style_write(FILE *script);

#endif
