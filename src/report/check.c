/* SPDX-License-Identifier: Apache-2.0 */
/* Panels stand side by side, up to three in a row. Both axes of a panel have the same range, so that the diagonal, on
 * which expectations would be exact, goes from corner to corner. */
#include "report/check.h"

#include "report/gnuplot.h"
#include "report/style.h"

#include <math.h>

enum { PANEL = 460, COLUMNS = 3 };

static bool is_inside(const fcps_check_panel *p, int i)
{
  return fabs(p->told[i] - p->expected[i]) <= p->half_widths[i];
}

/* The points inside and outside their intervals are two tables: $inN and $outN. */
static void write_data(FILE *script, int number, const fcps_check_panel *p)
{
  for (int inside = 1; inside >= 0; inside--) {
    fprintf(script, "$%s%d << EOD\n", inside == 1 ? "in" : "out", number);
    for (int i = 0; i < p->count; i++) {
      if (isnan(p->expected[i]) || is_inside(p, i) != (inside == 1)) continue;
      const double row[] = {p->told[i], p->expected[i], p->half_widths[i]};
      for (int c = 0; c < 3; c++) {
        fcps_gnuplot_number(script, row[c]);
        fputc(c < 2 ? ' ' : '\n', script);
      }
    }
    fputs("NaN NaN NaN\nEOD\n", script); /* a table must not be empty */
  }
}

static void write_range(FILE *script, const fcps_check_panel *p)
{
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < p->count; i++) {
    if (isnan(p->expected[i])) continue;
    least = fmin(least, fmin(p->told[i], p->expected[i] - p->half_widths[i]));
    most = fmax(most, fmax(p->told[i], p->expected[i] + p->half_widths[i]));
  }
  const double margin = 0.04 * (most - least);
  if (!(margin > 0)) {
    fputs("set autoscale\n", script);
    return;
  }
  for (int axis = 0; axis < 2; axis++) {
    fprintf(script, "set %crange [", axis == 0 ? 'x' : 'y');
    fcps_gnuplot_number(script, least - margin);
    fputc(':', script);
    fcps_gnuplot_number(script, most + margin);
    fputs("]\n", script);
  }
}

static void write_label(FILE *script, char axis, const char *before, const char *label)
{
  char text[256];
  snprintf(text, sizeof text, "%s %s", label, before);
  fprintf(script, "set %clabel ", axis);
  fcps_gnuplot_text(script, text);
  fputs(" textcolor rgb '" FCPS_COLOUR_INK "'\n", script);
}

static void write_panel(FILE *script, int number, const fcps_check_panel *p)
{
  fputs("set title ", script);
  fcps_gnuplot_text(script, p->title);
  fputc('\n', script);
  write_label(script, 'x', "told", p->label);
  write_label(script, 'y', "expected", p->label);
  write_range(script, p);
  fprintf(script,
          "plot x with lines linecolor rgb '" FCPS_COLOUR_FAINT "' notitle, "
          "$in%d using 1:2:3 with yerrorbars linecolor rgb '" FCPS_COLOUR_BLUE "' pointtype 7 pointsize 0.5 notitle, "
          "$out%d using 1:2:3 with yerrorbars linecolor rgb '" FCPS_COLOUR_ORANGE
          "' pointtype 5 pointsize 0.7 notitle\n",
          number, number);
}

fcps_status fcps_report_check_figure_draw(const char *path, const char *title, int count,
                                          const fcps_check_panel *panels, fcps_error *error)
{
  const int columns = count < COLUMNS ? count : COLUMNS, rows = (count + columns - 1) / columns;
  fcps_gnuplot_script made;
  fcps_status status = fcps_gnuplot_begin(&made, error);
  if (status != FCPS_OK) return status;
  FILE *script = made.stream;
  status = fcps_gnuplot_output(&made, path, columns * PANEL, rows * PANEL, error);
  if (status == FCPS_OK) {
    fcps_style_write(script);
    for (int i = 0; i < count; i++)
      write_data(script, i, panels + i);
    fprintf(script, "set multiplot layout %d,%d title ", rows, columns);
    fcps_gnuplot_text(script, title);
    fputs("\nunset key\n", script);
    for (int i = 0; i < count; i++)
      write_panel(script, i, panels + i);
    fputs("unset multiplot\n", script);
  }
  return fcps_gnuplot_finish(&made, status, error);
}
