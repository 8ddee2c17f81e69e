/* SPDX-License-Identifier: Apache-2.0 */
/* Maps: the reward of the learnt policies at each target. One panel per learner, one colour scale for all. */
#include "lab/report/figures/experiment_figures.h"
#include "report/gnuplot.h"
#include "report/style.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PANEL = 430, COLOURS = 90, EDGE = 75, HEIGHT = 542 };

void fcps_maps_figure_size(const fcps_json *figure, int size[2])
{
  size[0] = EDGE + PANEL * fcps_json_count(fcps_json_get(figure, "rows")) + COLOURS;
  size[1] = HEIGHT;
}

/* Whether the map is over two target dimensions: learner, target.x, target.y, ..., reward. */
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
  fcps_gnuplot_text(script, fcps_saved_experiment_text(fcps_saved_experiment_row_labelled(saved, label), "title"));
  fputs(" offset 0,-0.5\n", script);
  if (index > 0) fputs("unset ylabel\n", script);
  fprintf(script,
          is_last ? "set colorbox user origin screen %g,0.13 size screen %g,0.71 noborder\n" : "unset colorbox\n",
          right + 12 / width, 16 / width);
  fprintf(script, "plot $map%d using 1:2:3 with image pixels\nunset label 1\n", index);
}

fcps_status fcps_maps_figure_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
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
  fcps_gnuplot_text(script, fcps_saved_experiment_text(figure, "title"));
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
