/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the ground as a shaded surface, seen obliquely from above, with the paths above it. Targets, and the places
 * where trials ended, lie on the surface. */
#include "lab/report/figures.h"

#include "base/error.h"
#include "format/csv.h"
#include "format/file.h"
#include "lab/report/saved.h"
#include "report/gnuplot.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 900, HEIGHT = 620 };

/* Reads one file of the sketch. */
static fcps_status read_table(fcps_csv *table, const char *directory, const char *name, fcps_error *error)
{
  char path[4096];
  const fcps_status status = fcps_file_join(directory, name, sizeof path, path, error);
  return status == FCPS_OK ? fcps_csv_read_file(table, path, error) : status;
}

/* Writes x, y and z of the rows whose first column is `kind` (NULL: all rows). `gap` is written between rows whose
 * first columns differ: in gnuplot one empty line ends a line of a surface, and two empty lines end a curve. */
static fcps_status write_block(FILE *script, const char *block, const fcps_csv *table, const char *kind,
                               const char *gap, fcps_error *error)
{
  int columns[3];
  const char *const names[3] = {"x", "y", "z"};
  for (int i = 0; i < 3; i++) {
    const fcps_status status = fcps_csv_require(table, names[i], &columns[i], error);
    if (status != FCPS_OK) return status;
  }
  const char *previous = NULL;
  fprintf(script, "$%s << EOD\n", block);
  for (int row = 0; row < table->rows; row++) {
    const char *group = fcps_csv_cell(table, row, 0);
    if (kind != NULL && strcmp(group, kind) != 0) continue;
    if (previous != NULL && strcmp(group, previous) != 0) fputs(gap, script);
    previous = group;
    for (int i = 0; i < 3; i++) {
      double value;
      const fcps_status status = fcps_saved_run_number(table, row, columns[i], &value, error);
      if (status != FCPS_OK) return status;
      fcps_gnuplot_number(script, value);
      fputc(i < 2 ? ' ' : '\n', script);
    }
  }
  fputs("EOD\n", script);
  return FCPS_OK;
}

static fcps_status write_tables(FILE *script, const fcps_csv *surface, const fcps_csv *marks, const fcps_csv *paths,
                                fcps_error *error)
{
  fcps_status status = write_block(script, "surface", surface, NULL, "\n", error);
  if (status == FCPS_OK) status = write_block(script, "paths", paths, NULL, "\n\n", error);
  if (status == FCPS_OK) status = write_block(script, "start", marks, "start", "", error);
  if (status == FCPS_OK) status = write_block(script, "targets", marks, "target", "", error);
  if (status == FCPS_OK) status = write_block(script, "ends", marks, "end", "", error);
  return status;
}

static fcps_status write_data(FILE *script, const char *directory, fcps_error *error)
{
  fcps_csv surface = {0}, marks = {0}, paths = {0};
  fcps_status status = read_table(&surface, directory, "surface.csv", error);
  if (status == FCPS_OK) status = read_table(&marks, directory, "marks.csv", error);
  if (status == FCPS_OK) status = read_table(&paths, directory, "paths.csv", error);
  if (status == FCPS_OK) status = write_tables(script, &surface, &marks, &paths, error);
  fcps_csv_destroy(&surface);
  fcps_csv_destroy(&marks);
  fcps_csv_destroy(&paths);
  return status;
}

static void write_plot(FILE *script)
{
  fcps_style_write(script);
  fputs(
      "set border 0\nunset grid\nset view 54,32,0.94,0.62\nset view equal xy\nset xyplane at 0\n"
      "set autoscale xfix\nset autoscale yfix\nunset ztics\n"
      "set xlabel 'x (m)' offset 0,-0.5\nset ylabel 'y (m)' offset 1,-0.5\n"
      "set lmargin at screen 0.02\nset rmargin at screen 0.9\nset bmargin at screen 0.16\nset tmargin at screen 0.98\n"
      "set key at screen 0.03,0.95 top left Left reverse samplen 2 spacing 1.25\n",
      script);
  /* the colour of the surface shows its height; a flat surface needs a given range, because its own would be empty */
  fputs("set pm3d scansautomatic lighting primary 0.55 specular 0.1\n"
        "set palette defined (0 '#e3eadf', 0.35 '#a9c39b', 0.7 '#9a9560', 1 '#6b5a3e')\n"
        "set colorbox user origin screen 0.9,0.5 size screen 0.014,0.42 noborder\n"
        "set cblabel 'height of the ground (m)' offset 0.5,0\nset cbtics scale 0.4\n"
        "stats $surface using 3 nooutput\n"
        "set cbrange [STATS_min:(STATS_max > STATS_min ? STATS_max : STATS_min + 1)]\n",
        script);
  fputs("splot $surface using 1:2:3 with pm3d notitle, "
        "$paths using 1:2:3 with lines linewidth 1.8 linecolor rgb '" FCPS_COLOUR_BLUE "' title 'shots', "
        "$targets using 1:2:3 with points pointtype 2 pointsize 1.6 linewidth 2.5 linecolor rgb '" FCPS_COLOUR_ORANGE
        "' title 'targets', "
        "$ends using 1:2:3 with points pointtype 7 pointsize 0.7 linecolor rgb '" FCPS_COLOUR_INK "' title 'landings', "
        "$start using 1:2:3 with points pointtype 13 pointsize 2.2 linecolor rgb 'black' title 'cannon'\n",
        script);
}

static fcps_status write_script(fcps_gnuplot_script *made, const char *directory, const char *path, fcps_error *error)
{
  FILE *script = made->stream;
  fcps_status status = fcps_gnuplot_output(made, path, WIDTH, HEIGHT, error);
  if (status == FCPS_OK) status = write_data(script, directory, error);
  if (status == FCPS_OK) write_plot(script);
  return status;
}

fcps_status fcps_sketch_figure_draw(const char *directory, const char *path, fcps_error *error)
{
  fcps_gnuplot_script script;
  const fcps_status status = fcps_gnuplot_begin(&script, error);
  if (status != FCPS_OK) return status;
  return fcps_gnuplot_finish(&script, write_script(&script, directory, path, error), error);
}
