/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of a run. Left: the reward of the final policy at each target, with the training targets as dots. Right:
 * the reward of each episode, its running mean, the offline mean, and the reward of the best possible policy. Without a
 * map only the right part is drawn. */
#include "lab/report/figures.h"

#include "base/error.h"
#include "format/file.h"
#include "lab/report/saved.h"
#include "report/gnuplot.h"

#include <math.h>
#include <string.h>

enum { RUNNING_MEAN = 20, WIDTH = 1200, HEIGHT = 540, CURVE_WIDTH = 720 };

/* -- The data -- */

static void write_row(FILE *script, int count, const double *values)
{
  for (int i = 0; i < count; i++) {
    if (i > 0) fputc(' ', script);
    fcps_gnuplot_number(script, values[i]);
  }
  fputc('\n', script);
}

/* Writes some columns of a table as a data block, which the script plots by its name. */
static fcps_status write_columns(FILE *script, const char *block, const fcps_csv *table, int count,
                                 const char *const *names, fcps_error *error)
{
  int columns[4];
  double values[4];
  for (int i = 0; i < count; i++) {
    const fcps_status status = fcps_csv_require(table, names[i], &columns[i], error);
    if (status != FCPS_OK) return status;
  }
  fprintf(script, "$%s << EOD\n", block);
  for (int row = 0; row < table->rows; row++) {
    for (int i = 0; i < count; i++) {
      const fcps_status status = fcps_saved_run_number(table, row, columns[i], &values[i], error);
      if (status != FCPS_OK) return status;
    }
    write_row(script, count, values);
  }
  fputs("EOD\n", script);
  return FCPS_OK;
}

/* Writes, for each episode, the mean reward of those among the last RUNNING_MEAN episodes that have a reward; NaN if no
 * episode among them has one. */
static fcps_status write_running_mean(FILE *script, const fcps_csv *episodes, fcps_error *error)
{
  int column;
  fcps_status status = fcps_csv_require(episodes, "reward", &column, error);
  if (status != FCPS_OK) return status;

  fputs("$running << EOD\n", script);
  for (int row = 0; row < episodes->rows; row++) {
    double sum = 0.0;
    int count = 0;
    for (int i = row >= RUNNING_MEAN ? row - RUNNING_MEAN + 1 : 0; i <= row; i++) {
      double reward;
      status = fcps_saved_run_number(episodes, i, column, &reward, error);
      if (status != FCPS_OK) return status;
      if (!isnan(reward)) sum += reward, count++;
    }
    const double point[2] = {row + 1, count > 0 ? sum / count : NAN};
    write_row(script, 2, point);
  }
  fputs("EOD\n", script);
  return FCPS_OK;
}

static bool has_map(const fcps_saved_run *results)
{
  return results->map.rows > 0 && fcps_saved_run_target_count(results) == 2;
}

/* Writes the map. Its first two columns are the target dimensions, for example "target.x" and "target.y". */
static fcps_status write_map_data(FILE *script, const fcps_saved_run *results, fcps_error *error)
{
  const char *const names[3] = {results->map.header[0], results->map.header[1], "reward"};
  const fcps_status status = write_columns(script, "map", &results->map, 3, names, error);
  if (status != FCPS_OK) return status;
  return write_columns(script, "targets", &results->episodes, 2, names, error);
}

static fcps_status write_data(FILE *script, const fcps_saved_run *results, fcps_error *error)
{
  const char *const rewards[] = {"episode", "reward"}, *const means[] = {"episode", "mean"};
  fcps_status status = write_columns(script, "episodes", &results->episodes, 2, rewards, error);
  if (status == FCPS_OK) status = write_running_mean(script, &results->episodes, error);
  if (status == FCPS_OK) status = write_columns(script, "offline", &results->offline, 2, means, error);
  if (status == FCPS_OK && has_map(results)) status = write_map_data(script, results, error);
  return status;
}

/* -- The drawing -- */

static void write_title(FILE *script, const fcps_saved_run *results, double middle)
{
  const int64_t seed = fcps_json_get_integer(fcps_json_get(results->summary, "source"), "seed", 0),
                episodes = fcps_json_get_integer(results->summary, "episodes", 0);
  char title[256];
  snprintf(title, sizeof title, "%s on %s, seed %lld, %lld episodes", fcps_saved_run_source(results, "learner"),
           fcps_saved_run_source(results, "task"), (long long)seed, (long long)episodes);
  fputs("set label 1 ", script);
  fcps_gnuplot_text(script, title);
  fprintf(script, " at screen %g,0.955 center font 'DejaVu Sans,14' textcolor rgb '" FCPS_COLOUR_INK "'\n", middle);
}

static void write_label(FILE *script, const char *axis, const fcps_saved_run *results, int dimension)
{
  char label[128];
  fprintf(script, "set %slabel ", axis);
  fcps_gnuplot_text(script, fcps_saved_run_target_label(results, dimension, sizeof label, label));
  fputs(" textcolor rgb '" FCPS_COLOUR_INK "'\n", script);
}

static void draw_map(FILE *script, const fcps_saved_run *results)
{
  fputs("set lmargin at screen 0.055\nset rmargin at screen 0.395\nset bmargin at screen 0.13\nset tmargin at screen "
        "0.86\nset title 'reward of the learnt policy, by target' offset 0,-0.3 font 'DejaVu Sans,12'\n"
        "set border 0\nunset grid\nunset key\nset autoscale xfix\nset autoscale yfix\n"
        "set colorbox user origin screen 0.408,0.13 size screen 0.012,0.73 noborder\n"
        "set cbtics scale 0.4\nset cbrange [*:0]\n",
        script);
  write_label(script, "x", results, 0);
  write_label(script, "y", results, 1);
  fputs("plot $map using 1:2:3 with image, "
        "$targets using 1:2 with points pointtype 7 pointsize 0.42 linecolor rgb 'black', "
        "$targets using 1:2 with points pointtype 7 pointsize 0.24 linecolor rgb 'white'\n"
        "unset label 1\nset border 3\nset grid\n",
        script);
}

static void draw_curve(FILE *script, const fcps_saved_run *results, double left)
{
  const double optimum = fcps_json_get_number(results->summary, "optimum", NAN);
  fprintf(
      script,
      "set lmargin at screen %g\nset rmargin at screen 0.98\nset bmargin at screen 0.13\nset tmargin at screen 0.86\n"
      "set title 'learning curve' offset 0,-0.3 font 'DejaVu Sans,12'\nset xlabel 'episode'\nset ylabel 'reward' "
      "offset 1,0\n"
      "set autoscale\nset xrange [0:%d]\nset yrange [*:0.5]\n"
      "set key at graph 0.98,0.04 bottom right reverse Left samplen 2 spacing 1.15 box linecolor rgb '#d8d8d8' "
      "opaque\n",
      left, results->episodes.rows + 2);
  fprintf(script,
          "plot $episodes using 1:2 with points pointtype 7 pointsize 0.45 linecolor rgb '" FCPS_COLOUR_FAINT
          "' title 'one episode', "
          "$running using 1:2 with lines linewidth 2 linecolor rgb '" FCPS_COLOUR_BLUE "' title 'mean of %d episodes'",
          RUNNING_MEAN);
  if (results->offline.rows > 0) {
    fputs(", $offline using 1:2 with linespoints linewidth 2.4 pointtype 7 pointsize 0.6 linecolor rgb "
          "'" FCPS_COLOUR_ORANGE "' title 'learnt policy, without noise'",
          script);
  }
  if (!isnan(optimum)) {
    fputs(", ", script);
    fcps_gnuplot_number(script, optimum);
    fputs(" with lines dashtype 2 linewidth 1.6 linecolor rgb '" FCPS_COLOUR_INK "' title 'best possible policy'",
          script);
  }
  fputc('\n', script);
}

static fcps_status draw(fcps_gnuplot_script *made, const fcps_saved_run *results, const char *path, fcps_error *error)
{
  FILE *script = made->stream;
  const bool with_map = has_map(results);
  const fcps_status status = fcps_gnuplot_output(made, path, with_map ? WIDTH : CURVE_WIDTH, HEIGHT, error);
  if (status != FCPS_OK) return status;
  fputs("reset\n", script);
  fcps_style_write(script);
  write_title(script, results, 0.5);
  fputs("set multiplot\n", script);
  if (with_map) draw_map(script, results);
  draw_curve(script, results, with_map ? 0.53 : 0.1);
  fputs("unset multiplot\nset output\n", script);
  return FCPS_OK;
}

static fcps_status write_script(fcps_gnuplot_script *script, const fcps_saved_run *results, const char *directory,
                                fcps_error *error)
{
  fcps_status status = write_data(script->stream, results, error);
  const char *const names[] = {"figure.svg", "figure.png"};
  for (int i = 0; i < 2 && status == FCPS_OK; i++) {
    char path[4096];
    status = fcps_file_join(directory, names[i], sizeof path, path, error);
    if (status == FCPS_OK) status = draw(script, results, path, error);
  }
  return status;
}

fcps_status fcps_report_run_figure_draw(const char *directory, fcps_error *error)
{
  fcps_saved_run results;
  fcps_status status = fcps_saved_run_read(&results, directory, error);
  if (status != FCPS_OK) return status;

  fcps_gnuplot_script script;
  status = fcps_gnuplot_begin(&script, error);
  if (status == FCPS_OK)
    status = fcps_gnuplot_finish(&script, write_script(&script, &results, directory, error), error);
  fcps_saved_run_destroy(&results);
  return status;
}
