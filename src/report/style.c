/* SPDX-License-Identifier: Apache-2.0 */
/* The style as gnuplot commands, and the table of lines. */
#include "report/style.h"

void fcps_style_write(FILE *script)
{
  fputs("set encoding utf8\n"
        "set border 3 linecolor rgb '#909090' linewidth 1\n"
        "set tics nomirror out scale 0.6 textcolor rgb '" FCPS_COLOUR_INK "'\n"
        "set grid linecolor rgb '#e4e4e4' linetype 1 linewidth 0.8\n"
        "set key textcolor rgb '" FCPS_COLOUR_INK "'\n"
        /* viridis [smith2015]: even steps of lightness, from dark to light */
        "set palette defined (0 '#440154', 1 '#482878', 2 '#3e4a89', 3 '#31688e', 4 '#26828e', 5 '#1f9e89', "
        "6 '#35b779', 7 '#6ece58', 8 '#b5de2b', 9 '#fde725')\n",
        script);
}

const fcps_line_style *fcps_style_line(int index)
{
  static const fcps_line_style styles[FCPS_LINE_STYLES] = {
      {FCPS_COLOUR_BLUE, 7}, {FCPS_COLOUR_ORANGE, 5}, {"#009e73", 9}, {"#cc79a7", 13},       {"#e69f00", 11},
      {"#56b4e9", 6},        {"#8c6d31", 8},          {"#8a8a8a", 4}, {FCPS_COLOUR_INK, 15}, {"#5e3c99", 12}};
  return &styles[(unsigned)index % FCPS_LINE_STYLES]; /* a number from a file may be negative */
}
