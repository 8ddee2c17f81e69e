/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the figures of an experiment. One gnuplot script draws a figure twice, as SVG and as PNG. The kinds of figures
 * are a table: name, size and function. */
#include "base/error.h"
#include "base/number.h"
#include "lab/report/figures.h"
#include "report/gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct figure_kind {
  const char *name;
  fcps_status (*write)(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure, fcps_error *error);
  void (*size)(const fcps_json *figure, int size[2]);
} figure_kind;

/* -- Maps -- */

/* Maps: the reward of the learnt policies at each target. One panel per learner, one colour scale for all. */

enum { PANEL = 430, COLOURS = 90, EDGE = 75, HEIGHT = 542 };

static void maps_figure_size(const fcps_json *figure, int size[2])
{
  size[0] = EDGE + PANEL * fcps_json_count(fcps_json_get(figure, "rows")) + COLOURS;
  size[1] = HEIGHT;
}

/* Whether the table is a map over two target dimensions, with the columns learner, target.x, target.y, ..., reward. */
static bool is_plane(const fcps_csv *map)
{
  return map->rows > 0 && map->columns >= 4 && strncmp(map->header[1], "target.", 7) == 0 &&
         strncmp(map->header[2], "target.", 7) == 0 && strncmp(map->header[3], "target.", 7) != 0;
}

static void write_panel_data(FILE *script, const fcps_csv *map, int index, const char *label, double *least)
{
  fprintf(script, "$map%d << EOD\n", index);
  for (int row = 0; row < map->rows; row++) {
    if (strcmp(fcps_csv_cell(map, row, 0), label) != 0) continue;
    const char *reward = fcps_csv_cell(map, row, map->columns - 1);
    double value;
    if (fcps_number_read(reward, &value) && value < *least) *least = value;
    fprintf(script, "%s %s %s\n", fcps_csv_cell(map, row, 1), fcps_csv_cell(map, row, 2), *reward ? reward : "NaN");
  }
  fputs("EOD\n", script);
}

/* Draws the boxes of the training contexts as frames. */
static void write_boxes(FILE *script, const fcps_saved_experiment *saved)
{
  const fcps_json *boxes = fcps_json_get(saved->summary, "boxes");
  for (int i = 0; i < fcps_json_count(boxes); i++) {
    double sides[4];
    if (!fcps_json_numbers(fcps_json_at(boxes, i), 4, sides)) continue;
    fprintf(script,
            "set object %d rectangle from %g,%g to %g,%g front fillstyle empty border linecolor rgb 'white' dashtype "
            "(8,6) linewidth 2\n",
            i + 1, sides[0], sides[2], sides[1], sides[3]);
  }
}

static void write_panel(FILE *script, const fcps_saved_experiment *saved, int index, int count, const char *label)
{
  const double width = EDGE + PANEL * count + COLOURS;
  const double left = (EDGE + PANEL * index) / width, right = left + (PANEL - 45) / width;
  const bool is_last = index + 1 == count;
  fprintf(script, "set lmargin at screen %g\nset rmargin at screen %g\n", left, right);
  fputs("set title ", script);
  fcps_gnuplot_text(script, fcps_json_get_text(fcps_saved_experiment_row_labelled(saved, label), "title", ""));
  fputs(" offset 0,-0.5\n", script);
  if (index > 0) fputs("unset ylabel\n", script);
  fprintf(script,
          is_last ? "set colorbox user origin screen %g,0.13 size screen %g,0.71 noborder\n" : "unset colorbox\n",
          right + 12 / width, 16 / width);
  fprintf(script, "plot $map%d using 1:2:3 with image pixels\nunset label 1\n", index);
}

static fcps_status maps_figure_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
                                     fcps_error *error)
{
  const fcps_csv *map = &saved->map;
  if (!is_plane(map)) {
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "figures",
                          "a map needs two target dimensions and the same evaluation contexts for all seeds");
  }
  const fcps_json *labels = fcps_json_get(figure, "rows");
  const int count = fcps_json_count(labels);
  double least = 0.0;
  for (int i = 0; i < count; i++)
    write_panel_data(script, map, i, fcps_json_text(fcps_json_at(labels, i)), &least);

  fputs("set multiplot\nset label 1 ", script);
  fcps_gnuplot_text(script, fcps_json_get_text(figure, "title", ""));
  fputs(" at screen 0.5,0.955 center font 'DejaVu Sans,14' textcolor rgb '" FCPS_COLOUR_INK "'\n"
        "set bmargin at screen 0.13\nset tmargin at screen 0.84\nset border 0\nunset grid\nunset key\n"
        "set autoscale xfix\nset autoscale yfix\nset cbtics scale 0.4\n",
        script);
  fprintf(script, "set cbrange [%g:0]\nset xlabel '%s'\nset ylabel '%s' offset 1,0\n", floor(least), map->header[1] + 7,
          map->header[2] + 7);
  write_boxes(script, saved);
  for (int i = 0; i < count; i++)
    write_panel(script, saved, i, count, fcps_json_text(fcps_json_at(labels, i)));
  fputs("unset multiplot\n", script);
  return FCPS_OK;
}

/* -- Sweeps -- */

/* A sweep shows the last reward of each learner over the values of a setting of the task, or its difference from
 * another learner's reward, seed by seed. Error bars are standard errors of the mean. */

static void sweep_figure_size(const fcps_json *figure, int size[2])
{
  (void)figure;
  size[0] = 980;
  size[1] = 480;
}

/* Writes the data block $lineI with the columns x, mean and standard error. Widens [least, most] to contain all x. */
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

/* Puts a mark on the axis at each value of the setting. */
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
  const char *against = fcps_json_get_text(figure, "against", "");
  const bool is_offline = strcmp(fcps_json_get_text(figure, "measure", ""), "offline") == 0;
  const double room = 0.05 * (most - least);
  fputs("set title ", script);
  fcps_gnuplot_text(script, fcps_json_get_text(figure, "title", ""));
  fputs(" font 'DejaVu Sans,13' offset 0,-0.2 textcolor rgb '" FCPS_COLOUR_INK "'\nset xlabel ", script);
  fcps_gnuplot_text(script, fcps_json_get_text(figure, "axis", ""));
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

static fcps_status sweep_figure_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
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
    const fcps_line_style *style = fcps_style_line((int)fcps_json_get_integer(line, "place", 0));
    fprintf(script,
            "%s$line%d using 1:2:3 with yerrorlines linewidth 2.2 pointtype %d pointsize 1 linecolor rgb '%s' title ",
            i == 0 ? "plot " : ", ", i, style->point, style->colour);
    fcps_gnuplot_text(script, fcps_json_get_text(line, "title", ""));
  }
  fputc('\n', script);
  return FCPS_OK;
}

/* -- All kinds -- */

static const figure_kind kinds[] = {
    {"curves", fcps_curves_figure_write, fcps_curves_figure_size},
    {"maps", maps_figure_write, maps_figure_size},
    {"sweep", sweep_figure_write, sweep_figure_size},
};

static const figure_kind *kind_of(const fcps_json *figure)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, fcps_json_get_text(figure, "kind", "")) == 0) return &kinds[i];
  }
  return NULL;
}

static fcps_status write_script(fcps_gnuplot_script *made, const fcps_saved_experiment *saved, const fcps_json *figure,
                                const figure_kind *kind, fcps_error *error)
{
  static const char *const endings[] = {"svg", "png"};
  FILE *script = made->stream;
  fcps_status status = FCPS_OK;
  int size[2];
  kind->size(figure, size);
  for (int i = 0; i < 2 && status == FCPS_OK; i++) {
    char name[128], path[FCPS_SAVED_EXPERIMENT_PATH];
    snprintf(name, sizeof name, "%s.%s", fcps_json_get_text(figure, "name", ""), endings[i]);
    status = fcps_saved_experiment_path(saved, name, path, error);
    if (status == FCPS_OK) status = fcps_gnuplot_output(made, path, size[0], size[1], error);
    if (status != FCPS_OK) return status;
    fputs("reset\n", script);
    fcps_style_write(script);
    status = kind->write(script, saved, figure, error);
    fputs("set output\n", script);
  }
  return status;
}

static fcps_status draw(const fcps_saved_experiment *saved, const fcps_json *figure, fcps_error *error)
{
  const figure_kind *kind = kind_of(figure);
  if (kind == NULL) {
    return fcps_error_set(error, FCPS_ERR_FORMAT, "figures", "\"%s\" is not a kind of figure",
                          fcps_json_get_text(figure, "kind", ""));
  }
  fcps_gnuplot_script script;
  const fcps_status status = fcps_gnuplot_begin(&script, error);
  if (status != FCPS_OK) return status;
  return fcps_gnuplot_finish(&script, write_script(&script, saved, figure, kind, error), error);
}

fcps_status fcps_report_figures_draw(const char *folder, fcps_error *error)
{
  fcps_saved_experiment saved;
  fcps_status status = fcps_saved_experiment_read(&saved, folder, error);
  if (status != FCPS_OK) return status;
  const fcps_json *figure;
  for (int i = 0; status == FCPS_OK && (figure = fcps_saved_experiment_figure(&saved, i)) != NULL; i++)
    status = draw(&saved, figure, error);
  fcps_saved_experiment_destroy(&saved);
  return status;
}
