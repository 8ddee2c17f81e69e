/* SPDX-License-Identifier: Apache-2.0 */
/* Panels stand side by side, up to four in a row. */
#include "report/slices.h"

#include "report/gnuplot.h"

#include <math.h>

enum { PANEL_WIDTH = 340, PANEL_HEIGHT = 300, COLUMNS = 4 };

/* The table $dN: x, y, lower and upper end of the band, second line. */
static void write_table(FILE *script, int number, const fcps_slice_panel *p)
{
  fprintf(script, "$d%d << EOD\n", number);
  for (int i = 0; i < p->count; i++) {
    const double half = p->half_widths != NULL ? p->half_widths[i] : NAN;
    const double row[] = {p->xs[i], p->ys[i], p->ys[i] - half, p->ys[i] + half,
                          p->averages != NULL ? p->averages[i] : NAN};
    for (int c = 0; c < 5; c++) {
      fcps_gnuplot_number(script, row[c]);
      fputc(c < 4 ? ' ' : '\n', script);
    }
  }
  fputs("EOD\n", script);
}

static void write_text(FILE *script, const char *what, const char *text)
{
  fprintf(script, "set %s ", what);
  fcps_gnuplot_text(script, text);
  fputs(" textcolor rgb '" FCPS_COLOUR_INK "'\n", script);
}

static void write_panel(FILE *script, int number, const fcps_slice_panel *p)
{
  write_text(script, "title", p->title);
  write_text(script, "xlabel", p->x_label);
  write_text(script, "ylabel", p->y_label);
  fprintf(script, "plot ");
  if (p->half_widths != NULL)
    fprintf(script,
            "$d%d using 1:3:4 with filledcurves linecolor rgb '" FCPS_COLOUR_BLUE "' fillstyle solid 0.2 notitle, ",
            number);
  if (p->averages != NULL)
    fprintf(script, "$d%d using 1:5 with lines linecolor rgb '" FCPS_COLOUR_ORANGE "' dashtype 2 notitle, ", number);
  fprintf(script,
          "$d%d using 1:2 with linespoints linecolor rgb '" FCPS_COLOUR_BLUE "' pointtype 7 pointsize 0.3 notitle\n",
          number);
}

fcps_status fcps_report_slices_draw(const char *path, const char *title, int count, const fcps_slice_panel *panels,
                                    fcps_error *error)
{
  const int columns = count < COLUMNS ? count : COLUMNS, rows = (count + columns - 1) / columns;
  fcps_gnuplot_script made;
  fcps_status status = fcps_gnuplot_begin(&made, error);
  if (status != FCPS_OK) return status;
  status = fcps_gnuplot_output(&made, path, columns * PANEL_WIDTH, rows * PANEL_HEIGHT + 40, error);
  if (status == FCPS_OK) {
    fcps_style_write(made.stream);
    for (int i = 0; i < count; i++)
      write_table(made.stream, i, panels + i);
    fprintf(made.stream, "set multiplot layout %d,%d title ", rows, columns);
    fcps_gnuplot_text(made.stream, title);
    fputs("\nunset key\n", made.stream);
    for (int i = 0; i < count; i++)
      write_panel(made.stream, i, panels + i);
    fputs("unset multiplot\n", made.stream);
  }
  return fcps_gnuplot_finish(&made, status, error);
}
