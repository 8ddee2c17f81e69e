/* SPDX-License-Identifier: Apache-2.0 */
/* Learning curves: the mean over the seeds with a band of one standard deviation, and the paper's numbers where it
 * gives them. */
#include "report/experiment_figures.h"
#include "report/gnuplot.h"
#include "report/style.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Lines that can be told apart by colour [okabe2008] and, without it, by their points. */
typedef struct line_style {
  const char *colour;
  int point;
} line_style;
static const line_style lines[] = {{FCPS_COLOUR_BLUE, 7}, {FCPS_COLOUR_ORANGE, 5}, {"#009e73", 9},
                                   {"#cc79a7", 13},       {"#e69f00", 11},         {"#56b4e9", 6},
                                   {FCPS_COLOUR_INK, 4},  {"#8c6d31", 8}};
enum { LINES = sizeof lines / sizeof *lines, POINT_EVERY = 10 };

void fcps_curves_figure_size(const fcps_json *figure, int size[2])
{
  (void)figure;
  size[0] = 980;
  size[1] = 520;
}

static double number_at(const fcps_csv *table, int row, int column)
{
  double value = NAN;
  fcps_number_read(fcps_csv_cell(table, row, column), &value);
  return value;
}

static void write_numbers(FILE *script, int count, const double *values)
{
  for (int i = 0; i < count; i++) {
    fputc(' ', script);
    fcps_gnuplot_number(script, values[i]);
  }
  fputc('\n', script);
}

/* $curveI: episode, mean, mean - sd, mean + sd; episodes without a value are left out. */
static fcps_status write_curve(FILE *script, const fcps_findings *findings, int index, const char *label,
                               const char *measure, fcps_error *error)
{
  const fcps_csv *table = &findings->curves;
  char name[64];
  int learner, episode, mean, sd;
  snprintf(name, sizeof name, "%s_mean", measure);
  fcps_status status = fcps_csv_require(table, "learner", &learner, error);
  if (status == FCPS_OK) status = fcps_csv_require(table, "episode", &episode, error);
  if (status == FCPS_OK) status = fcps_csv_require(table, name, &mean, error);
  snprintf(name, sizeof name, "%s_sd", measure);
  if (status == FCPS_OK) status = fcps_csv_require(table, name, &sd, error);
  if (status != FCPS_OK) return status;

  fprintf(script, "$curve%d << EOD\n", index);
  for (int row = 0; row < table->rows; row++) {
    const double centre = number_at(table, row, mean);
    if (isnan(centre) || strcmp(fcps_csv_cell(table, row, learner), label) != 0) continue;
    const double deviation = number_at(table, row, sd), half = isnan(deviation) ? 0.0 : deviation;
    write_numbers(script, 4, (const double[]){number_at(table, row, episode), centre, centre - half, centre + half});
  }
  fputs("EOD\n", script);
  return FCPS_OK;
}

/* $paperI: episode, mean, sd of the paper. */
static void write_paper(FILE *script, int index, const fcps_json *row)
{
  fprintf(script, "$paper%d << EOD\n", index);
  for (int i = 0; i < fcps_findings_mark_count(row); i++) {
    const fcps_findings_mark mark = fcps_findings_mark_at(row, i);
    if (!isnan(mark.paper_mean))
      write_numbers(script, 3, (const double[]){mark.episode, mark.paper_mean, mark.paper_sd});
  }
  fputs("EOD\n", script);
}

/* Bands first, so that no line is hidden behind one. */
static void write_bands(FILE *script, int count)
{
  for (int i = 0; i < count; i++) {
    fprintf(script,
            "%s$curve%d using 1:3:4 with filledcurves fillcolor rgb '%s' fillstyle transparent solid 0.13 notitle",
            i == 0 ? "plot " : ", ", i, lines[i % LINES].colour);
  }
}

static void write_line(FILE *script, int index, const char *title, bool with_points)
{
  const line_style *style = &lines[index % LINES];
  fprintf(script,
          ", $curve%d using 1:2 with linespoints linewidth 2.2 pointtype %d pointsize 0.7 pointinterval %d "
          "linecolor rgb '%s' title ",
          index, style->point, with_points ? 1 : POINT_EVERY, style->colour);
  fcps_gnuplot_text(script, title);
}

static void write_axes(FILE *script, const fcps_json *figure, bool is_offline)
{
  fputs("set title ", script);
  fcps_gnuplot_text(script, fcps_findings_text(figure, "title"));
  fprintf(script,
          " font 'DejaVu Sans,14' offset 0,-0.2 textcolor rgb '" FCPS_COLOUR_INK "'\n"
          "set xlabel 'episode'\nset ylabel '%s' offset 1,0\nset xrange [0:*]\nset yrange [*:0]\n"
          "set key outside right center reverse Left samplen 2.5 spacing 1.4\n",
          is_offline ? "mean reward of the learnt policy, without noise" : "cumulative reward");
}

fcps_status fcps_curves_figure_write(FILE *script, const fcps_findings *findings, const fcps_json *figure,
                                     fcps_error *error)
{
  const fcps_json *labels = fcps_json_get(figure, "rows");
  const char *measure = fcps_findings_text(figure, "measure");
  const bool is_offline = strcmp(measure, "offline") == 0;
  const int count = fcps_json_count(labels);
  for (int i = 0; i < count; i++) {
    const char *label = fcps_json_text(fcps_json_at(labels, i));
    const fcps_status status = write_curve(script, findings, i, label ? label : "", measure, error);
    if (status != FCPS_OK) return status;
  }

  bool has_paper = false;
  for (int i = 0; i < count && !is_offline; i++) {
    const fcps_json *row = fcps_findings_row_labelled(findings, fcps_json_text(fcps_json_at(labels, i)));
    write_paper(script, i, row);
    has_paper = has_paper || fcps_findings_has_paper(row);
  }
  write_axes(script, figure, is_offline);
  write_bands(script, count);
  for (int i = 0; i < count; i++) {
    const fcps_json *row = fcps_findings_row_labelled(findings, fcps_json_text(fcps_json_at(labels, i)));
    write_line(script, i, fcps_findings_text(row, "title"), is_offline);
    if (has_paper && fcps_findings_has_paper(row)) {
      fprintf(script,
              ", $paper%d using 1:2:3 with yerrorbars linewidth 1.6 pointtype 65 pointsize 1.3 linecolor rgb '%s' "
              "notitle",
              i, lines[i % LINES].colour);
    }
  }
  if (has_paper) {
    fputs(", NaN with yerrorbars linewidth 1.6 pointtype 65 pointsize 1.3 linecolor rgb '" FCPS_COLOUR_INK
          "' title 'the paper'",
          script);
  }
  fputc('\n', script);
  return FCPS_OK;
}
