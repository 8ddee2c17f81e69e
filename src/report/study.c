/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of a study. A map of two dimensions has two panels: mean and deviation of the predicted reward. A map of
 * one dimension is a curve with a band of two deviations. The band ends at the reward of a trial without failure,
 * because a failure can only lower the reward. Dots show the trials; a cross marks a place where a trial may fail. The
 * last panel is the learning curve: the reward of each trial, and a running mean. */
#include "report/study.h"

#include "base/error.h"
#include "report/gnuplot.h"

#include <math.h>
#include <string.h>

enum { PANEL = 540, HEIGHT = 540, EDGE = 70, RUNNING_MEAN = 20 };

/* -- The data -- */

static void write_row(FILE *script, int count, const double *values)
{
  for (int i = 0; i < count; i++) {
    fcps_gnuplot_number(script, values[i]);
    fputc(i < count - 1 ? ' ' : '\n', script);
  }
}

static void write_cell(FILE *script, const fcps_study_map *map, int i)
{
  const double y = map->rows > 1 ? map->ys[i / map->columns] : 0.0;
  const double values[] = {map->xs[i % map->columns], y, map->rewards[i], map->deviations[i],
                           fmin(map->rewards[i] + 2 * map->deviations[i], map->tops != NULL ? map->tops[i] : NAN)};
  write_row(script, 5, values);
}

/* The mean reward of the last RUNNING_MEAN trials up to trial `last`; NaN if none of them has a reward. */
static double running_mean(const fcps_study_map *map, int last)
{
  double sum = 0;
  int count = 0;
  for (int i = last >= RUNNING_MEAN ? last - RUNNING_MEAN + 1 : 0; i <= last; i++)
    if (!isnan(map->told[i])) sum += map->told[i], count++;
  return count > 0 ? sum / count : NAN;
}

static void write_data(FILE *script, const fcps_study_map *map)
{
  fputs("$map << EOD\n", script);
  for (int i = 0; i < map->rows * map->columns; i++)
    write_cell(script, map, i);
  fputs("EOD\n$marks << EOD\n", script);
  for (int i = 0; i < map->rows * map->columns && map->marks != NULL; i++)
    if (map->marks[i]) write_cell(script, map, i);
  fputs("EOD\n$trials << EOD\n", script);
  for (int i = 0; i < map->trials; i++) {
    const double values[] = {i + 1, map->told[i], running_mean(map, i), map->trial_xs[i], map->trial_ys[i]};
    write_row(script, 5, values);
  }
  fputs("EOD\n", script);
}

static bool has_marks(const fcps_study_map *map)
{
  bool answer = false;
  for (int i = 0; i < map->rows * map->columns && map->marks != NULL; i++)
    answer = answer || map->marks[i];
  return answer;
}

/* -- The panels -- */

static int count_panels(const fcps_study_map *map)
{
  return map->rows == 0 ? 1 : map->rows > 1 ? 3 : 2;
}

static void write_titles(FILE *script, const fcps_study_map *map)
{
  fputs("set label 1 ", script);
  fcps_gnuplot_text(script, map->title);
  fputs(" at screen 0.5,0.965 center font 'DejaVu Sans,14' textcolor rgb '" FCPS_COLOUR_INK "'\nset label 2 ", script);
  fcps_gnuplot_text(script, map->subtitle);
  fputs(" at screen 0.5,0.92 center font 'DejaVu Sans,10' textcolor rgb '" FCPS_COLOUR_INK "'\n", script);
}

/* Writes the commands that begin a panel. `right` is the room for a colour box, in pixels. */
static void begin_panel(FILE *script, const fcps_study_map *map, int panel, int right, const char *title)
{
  const double width = PANEL * count_panels(map);
  fprintf(script,
          "set lmargin at screen %g\nset rmargin at screen %g\nset bmargin at screen 0.13\nset tmargin at screen "
          "0.83\nset title '%s' offset 0,-0.3 font 'DejaVu Sans,12'\nset autoscale\nset autoscale fix\n",
          (PANEL * panel + EDGE) / width, (PANEL * (panel + 1) - right) / width, title);
}

static void write_label(FILE *script, const char *axis, const char *label)
{
  fprintf(script, "set %slabel ", axis);
  fcps_gnuplot_text(script, label);
  fputs(" textcolor rgb '" FCPS_COLOUR_INK "'\n", script);
}

static void draw_maps(FILE *script, const fcps_study_map *map)
{
  static const char *const titles[] = {"predicted reward of the policy; dots: trials", "deviation of a trial from it"};
  write_label(script, "x", map->x_label);
  write_label(script, "y", map->y_label);
  for (int panel = 0; panel < 2; panel++) {
    begin_panel(script, map, panel, 80, titles[panel]);
    if (panel == 1) /* a large deviation is bad, so it has other colours than a large reward */
      fputs("set palette defined (0 '#fff7ec', 1 '#fdd49e', 2 '#fc8d59', 3 '#d7301f', 4 '#7f0000')\n", script);
    const double width = PANEL * 3;
    fprintf(script,
            "set border 0\nunset grid\nunset key\nset cbtics scale 0.4\n"
            "set colorbox user origin screen %g,0.13 size screen %g,0.70 noborder\nplot $map using 1:2:%d with image",
            (PANEL * (panel + 1) - 72) / width, 14 / width, 3 + panel);
    if (panel == 0)
      fputs(", $trials using 4:5 with points pointtype 7 pointsize 0.42 linecolor rgb 'black'"
            ", $trials using 4:5 with points pointtype 7 pointsize 0.24 linecolor rgb 'white'",
            script);
    if (has_marks(map)) fputs(", $marks using 1:2 with points pointtype 2 linecolor rgb '" FCPS_COLOUR_INK "'", script);
    fputs("\nunset label\nset border 3\nset grid\n", script);
  }
}

static void draw_band(FILE *script, const fcps_study_map *map)
{
  begin_panel(script, map, 0, 20, "predicted reward of the policy");
  write_label(script, "x", map->x_label);
  write_label(script, "y", "reward");
  fputs("set key bottom\nplot $map using 1:($3-2*$4):5 with filledcurves fillcolor rgb '" FCPS_COLOUR_BLUE
        "' fillstyle transparent solid 0.2 noborder title 'two deviations', $map using 1:3 with lines linewidth 2 "
        "linecolor rgb '" FCPS_COLOUR_BLUE "' title 'mean', $trials using 4:2 with points pointtype 7 pointsize 0.45 "
        "linecolor rgb '" FCPS_COLOUR_FAINT "' title 'trials'",
        script);
  if (has_marks(map))
    fputs(", $marks using 1:3 with points pointtype 2 linecolor rgb '" FCPS_COLOUR_INK "' title 'may go wrong'",
          script);
  fputs("\nunset label\n", script);
}

static void draw_learning(FILE *script, const fcps_study_map *map)
{
  begin_panel(script, map, count_panels(map) - 1, 20, "learning curve");
  write_label(script, "x", "trial");
  write_label(script, "y", "reward");
  fprintf(script,
          "set xrange [0:%d]\nset offsets graph 0,0,0.04,0.04\n"
          "set key at graph 0.98,0.04 bottom right reverse Left samplen 2 spacing 1.15 box linecolor rgb '#d8d8d8' "
          "opaque\nplot $trials using 1:2 with points pointtype 7 pointsize 0.45 linecolor rgb '" FCPS_COLOUR_FAINT
          "' title 'one trial', $trials using 1:3 with lines linewidth 2 linecolor rgb '" FCPS_COLOUR_BLUE
          "' title 'mean of %d trials'\n",
          map->trials + 1, RUNNING_MEAN);
}

static fcps_status draw(fcps_gnuplot_script *made, const fcps_study_map *map, const char *path, fcps_error *error)
{
  FILE *script = made->stream;
  const fcps_status status = fcps_gnuplot_output(made, path, PANEL * count_panels(map), HEIGHT, error);
  if (status != FCPS_OK) return status;
  fputs("reset\n", script);
  fcps_style_write(script);
  write_titles(script, map);
  fputs("set multiplot\n", script);
  if (map->rows > 1) draw_maps(script, map);
  if (map->rows == 1) draw_band(script, map);
  draw_learning(script, map);
  fputs("unset multiplot\nset output\n", script);
  return FCPS_OK;
}

fcps_status fcps_report_study_figure_draw(const fcps_study_map *map, int count, const char *const *paths,
                                          fcps_error *error)
{
  fcps_gnuplot_script made;
  fcps_status status = fcps_gnuplot_begin(&made, error);
  if (status != FCPS_OK) return status;
  write_data(made.stream, map);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = draw(&made, map, paths[i], error);
  return fcps_gnuplot_finish(&made, status, error);
}

/* -- A check of the model -- */

/* Panels stand side by side, up to three in a row. Both axes of a panel have the same range. So the diagonal, on which
 * expectations are exact, goes from corner to corner. */

enum { CHECK_PANEL = 460, COLUMNS = 3 };

static bool is_inside(const fcps_check_panel *p, int i)
{
  return fabs(p->told[i] - p->expected[i]) <= p->half_widths[i];
}

/* Writes two tables of points: those inside their intervals ($inN), and those outside ($outN). */
static void write_points(FILE *script, int number, const fcps_check_panel *p)
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
    fputs("NaN NaN NaN\nEOD\n", script); /* gnuplot refuses an empty table */
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

static void write_axis(FILE *script, char axis, const char *before, const char *label)
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
  write_axis(script, 'x', "told", p->label);
  write_axis(script, 'y', "expected", p->label);
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
  status = fcps_gnuplot_output(&made, path, columns * CHECK_PANEL, rows * CHECK_PANEL, error);
  if (status == FCPS_OK) {
    fcps_style_write(script);
    for (int i = 0; i < count; i++)
      write_points(script, i, panels + i);
    fprintf(script, "set multiplot layout %d,%d title ", rows, columns);
    fcps_gnuplot_text(script, title);
    fputs("\nunset key\n", script);
    for (int i = 0; i < count; i++)
      write_panel(script, i, panels + i);
    fputs("unset multiplot\n", script);
  }
  return fcps_gnuplot_finish(&made, status, error);
}

/* -- Slices --
 *
 * Panels stand side by side, up to four in a row. A dimension of words is drawn as points without a line, because there
 * is nothing between two words. */

/* LETTERS is the number of letters that fit below a panel */
enum { PANEL_WIDTH = 340, PANEL_HEIGHT = 300, SLICE_COLUMNS = 4, LETTERS = 34 };

/* Tells whether a line has at least one point that can be drawn: gnuplot refuses a line without points. */
static bool has_point(const fcps_slice_panel *p, const double *ys)
{
  for (int i = 0; i < p->count && ys != NULL; i++)
    if (isfinite(p->xs[i]) && isfinite(ys[i])) return true;
  return false;
}

/* Writes the table $dN, with the columns x, y, lower end of the band, upper end, and y of the second line. */
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

/* Writes the commands for an axis, on which words are ticks at 0, 1, .... They replace all settings of the axis in the
 * panel before. */
static void write_slice_axis(FILE *script, char name, const fcps_slice_axis *axis)
{
  char what[8];
  size_t letters = 0;
  snprintf(what, sizeof what, "%clabel", name);
  write_text(script, what, axis->label);
  fprintf(script, "set autoscale %c\nset %ctics norotate autofreq\n", name, name);
  if (axis->word_count == 0) return;
  for (int i = 0; i < axis->word_count; i++)
    letters += strlen(axis->words[i]) + 2;
  fprintf(script, "set %crange [-0.5:%d.5]\nset %ctics %s(", name, axis->word_count - 1, name,
          name == 'x' && letters > LETTERS ? "rotate by 40 right " : "");
  for (int i = 0; i < axis->word_count; i++) {
    fputs(i > 0 ? ", " : "", script);
    fcps_gnuplot_text(script, axis->words[i]);
    fprintf(script, " %d", i);
  }
  fputs(")\n", script);
}

static void write_slice(FILE *script, int number, const fcps_slice_panel *p)
{
  const bool has_words = p->x.word_count > 0, has_line = !has_words && p->y.word_count == 0;
  write_text(script, "title", p->title);
  write_slice_axis(script, 'x', &p->x);
  write_slice_axis(script, 'y', &p->y);
  fprintf(script, "plot ");
  if (has_point(p, p->half_widths))
    fprintf(script,
            has_words ? "$d%d using 1:2:3:4 with yerrorbars linecolor rgb '" FCPS_COLOUR_BLUE "' pointtype 7 notitle, "
                      : "$d%d using 1:3:4 with filledcurves linecolor rgb '" FCPS_COLOUR_BLUE
                        "' fillstyle solid 0.2 notitle, ",
            number);
  if (has_point(p, p->averages))
    fprintf(script,
            has_words ? "$d%d using 1:5 with points linecolor rgb '" FCPS_COLOUR_ORANGE "' pointtype 6 notitle, "
                      : "$d%d using 1:5 with lines linecolor rgb '" FCPS_COLOUR_ORANGE "' dashtype 2 notitle, ",
            number);
  fprintf(script, "$d%d using 1:2 with %s linecolor rgb '" FCPS_COLOUR_BLUE "' pointtype 7 pointsize %s notitle\n",
          number, has_line ? "linespoints" : "points", has_line ? "0.3" : "0.5");
}

fcps_status fcps_report_slices_draw(const char *path, const char *title, int count, const fcps_slice_panel *panels,
                                    fcps_error *error)
{
  int drawn = 0;
  for (int i = 0; i < count; i++)
    drawn += has_point(panels + i, panels[i].ys);
  if (drawn == 0)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "figure", "there is nothing to draw: no line has a value");
  const int columns = drawn < SLICE_COLUMNS ? drawn : SLICE_COLUMNS, rows = (drawn + columns - 1) / columns;
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
      if (has_point(panels + i, panels[i].ys)) write_slice(made.stream, i, panels + i);
    fputs("unset multiplot\n", made.stream);
  }
  return fcps_gnuplot_finish(&made, status, error);
}
