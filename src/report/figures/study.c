/* SPDX-License-Identifier: Apache-2.0 */
/* A map of two dimensions has two panels (mean and deviation of the predicted reward); one of one dimension is a curve
 * with a band of two deviations. A cross marks where a trial may go wrong. */
#include "report/figures/study.h"

#include "base/error.h"
#include "report/figures/gnuplot.h"
#include "report/figures/style.h"

enum { WIDTH = 1200, HEIGHT = 540, CURVE_WIDTH = 720 };

static void write_row(FILE *script, double x, double y, double reward, double deviation)
{
  const double values[] = {x, y, reward, deviation};
  for (int i = 0; i < 4; i++) {
    fcps_gnuplot_number(script, values[i]);
    fputc(i < 3 ? ' ' : '\n', script);
  }
}

static void write_data(FILE *script, const fcps_study_map *map)
{
  fputs("$map << EOD\n", script);
  for (int row = 0; row < map->rows; row++)
    for (int column = 0; column < map->columns; column++) {
      const int i = row * map->columns + column;
      write_row(script, map->xs[column], map->rows > 1 ? map->ys[row] : 0.0, map->rewards[i], map->deviations[i]);
    }
  fputs("EOD\n$marks << EOD\n", script);
  for (int i = 0; i < map->rows * map->columns && map->marks != NULL; i++)
    if (map->marks[i])
      write_row(script, map->xs[i % map->columns], map->rows > 1 ? map->ys[i / map->columns] : 0.0, map->rewards[i],
                map->deviations[i]);
  fputs("EOD\n", script);
}

static bool has_marks(const fcps_study_map *map)
{
  bool answer = false;
  for (int i = 0; i < map->rows * map->columns && map->marks != NULL; i++)
    answer = answer || map->marks[i];
  return answer;
}

static void write_label(FILE *script, const char *axis, const char *label)
{
  fprintf(script, "set %slabel ", axis);
  fcps_gnuplot_text(script, label);
  fputs(" textcolor rgb '" FCPS_COLOUR_INK "'\n", script);
}

static void write_panels(FILE *script, const fcps_study_map *map)
{
  static const char *const titles[] = {"predicted reward", "its deviation"};
  fputs("set multiplot layout 1,2 title ", script);
  fcps_gnuplot_text(script, map->title);
  fputs("\nset autoscale fix\nunset key\n", script);
  write_label(script, "x", map->x_label);
  write_label(script, "y", map->y_label);
  for (int panel = 0; panel < 2; panel++) {
    fputs("set title ", script);
    fcps_gnuplot_text(script, titles[panel]);
    fprintf(script, "\nplot $map using 1:2:%d with image%s\n", 3 + panel,
            has_marks(map) ? ", $marks using 1:2 with points pointtype 2 linecolor rgb '" FCPS_COLOUR_INK "'" : "");
  }
  fputs("unset multiplot\n", script);
}

static void write_curve(FILE *script, const fcps_study_map *map)
{
  fputs("set title ", script);
  fcps_gnuplot_text(script, map->title);
  fputs("\nset autoscale xfix\n", script);
  write_label(script, "x", map->x_label);
  write_label(script, "y", "predicted reward");
  fputs("plot $map using 1:($3-2*$4):($3+2*$4) with filledcurves fillcolor rgb '" FCPS_COLOUR_BLUE
        "' fillstyle transparent solid 0.2 noborder title 'two deviations', $map using 1:3 with lines linewidth 2 "
        "linecolor rgb '" FCPS_COLOUR_BLUE "' title 'mean'",
        script);
  if (has_marks(map))
    fputs(", $marks using 1:3 with points pointtype 2 linecolor rgb '" FCPS_COLOUR_INK "' title 'may go wrong'",
          script);
  fputs("\n", script);
}

fcps_status fcps_report_study_figure_draw(const char *path, const fcps_study_map *map, fcps_error *error)
{
  fcps_gnuplot_script made;
  fcps_status status = fcps_gnuplot_begin(&made, error);
  if (status != FCPS_OK) return status;
  FILE *script = made.stream;
  status = fcps_gnuplot_output(&made, path, map->rows > 1 ? WIDTH : CURVE_WIDTH, HEIGHT, error);
  if (status == FCPS_OK) {
    fcps_style_write(script);
    write_data(script, map);
    if (map->rows > 1)
      write_panels(script, map);
    else
      write_curve(script, map);
  }
  return fcps_gnuplot_finish(&made, status, error);
}
