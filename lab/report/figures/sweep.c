/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep: the last reward of each learner over the values of a setting of the task, or its difference to another
 * learner, seed by seed. Error bars are standard errors of the mean. */
#include "lab/report/figures/experiment_figures.h"
#include "report/gnuplot.h"
#include "report/style.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void fcps_sweep_figure_size(const fcps_json *figure, int size[2])
{
  (void)figure;
  size[0] = 980;
  size[1] = 480;
}

/* Writes the data block $lineI: x, mean, standard error. Widens [least, most] to contain its x. */
static void write_points(FILE *script, int index, const fcps_json *line, double *least, double *most)
{
  const fcps_json *points = fcps_json_get(line, "points");
  fprintf(script, "$line%d << EOD\n", index);
  for (int i = 0; i < fcps_json_count(points); i++) {
    double values[3];
    if (!fcps_json_numbers(fcps_json_at(points, i), 3, values)) continue;
    *least = fmin(*least, values[0]);
    *most = fmax(*most, values[0]);
    for (int j = 0; j < 3; j++) {
      fputc(' ', script);
      fcps_gnuplot_number(script, j == 2 && isnan(values[j]) ? 0.0 : values[j]);
    }
    fputc('\n', script);
  }
  fputs("EOD\n", script);
}

/* A mark at each value that was tried. */
static void write_tics(FILE *script, const fcps_json *line)
{
  const fcps_json *points = fcps_json_get(line, "points");
  fputs("\nset xtics (", script);
  for (int i = 0; i < fcps_json_count(points); i++) {
    double x = NAN;
    fcps_json_number(fcps_json_at(fcps_json_at(points, i), 0), &x);
    if (i > 0) fputs(", ", script);
    fcps_gnuplot_number(script, x);
  }
  fputc(')', script);
}

static void write_axes(FILE *script, const fcps_json *figure, double least, double most)
{
  const char *against = fcps_saved_experiment_text(figure, "against");
  const bool is_offline = strcmp(fcps_saved_experiment_text(figure, "measure"), "offline") == 0;
  const double room = 0.05 * (most - least);
  fputs("set title ", script);
  fcps_gnuplot_text(script, fcps_saved_experiment_text(figure, "title"));
  fputs(" font 'DejaVu Sans,13' offset 0,-0.2 textcolor rgb '" FCPS_COLOUR_INK "'\nset xlabel ", script);
  fcps_gnuplot_text(script, fcps_saved_experiment_text(figure, "axis"));
  fprintf(script, "\nset xrange [%g:%g]", least - room, most + room);
  write_tics(script, fcps_json_at(fcps_json_get(figure, "lines"), 0));
  fputs("\nset ylabel ", script);
  char words[256];
  snprintf(words, sizeof words, "%s%s%s", is_offline ? "reward of the learnt policy" : "cumulative reward",
           *against ? ", beyond that of " : "", against);
  fcps_gnuplot_text(script, words);
  fputs(" offset 1,0\nset key outside right center reverse Left samplen 2.5 spacing 1.4\n", script);
  if (*against) fputs("set xzeroaxis linetype 1 linewidth 1.2 linecolor rgb '" FCPS_COLOUR_INK "'\n", script);
}

fcps_status fcps_sweep_figure_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
                                    fcps_error *error)
{
  (void)saved, (void)error;
  const fcps_json *lines = fcps_json_get(figure, "lines");
  const int count = fcps_json_count(lines);
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < count; i++)
    write_points(script, i, fcps_json_at(lines, i), &least, &most);
  write_axes(script, figure, least, most);
  for (int i = 0; i < count; i++) {
    const fcps_json *line = fcps_json_at(lines, i);
    const fcps_line_style *style = fcps_style_line((int)fcps_saved_experiment_integer(line, "place"));
    fprintf(script,
            "%s$line%d using 1:2:3 with yerrorlines linewidth 2.2 pointtype %d pointsize 1 linecolor rgb '%s' title ",
            i == 0 ? "plot " : ", ", i, style->point, style->colour);
    fcps_gnuplot_text(script, fcps_saved_experiment_text(line, "title"));
  }
  fputc('\n', script);
  return FCPS_OK;
}
