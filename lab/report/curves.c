/* SPDX-License-Identifier: Apache-2.0 */
/* Learning curves: the mean over the seeds with a band of one standard deviation, and the paper's numbers if it gives
 * them. All bands are drawn before the lines, so that no band hides a line. */
#include "base/error.h"
#include "base/number.h"
#include "format/file.h"
#include "lab/report/figures.h"
#include "report/gnuplot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { POINT_EVERY = 10, MOST_CURVES = 64 };

/* If several rows have numbers of the paper, the numbers of neighbouring rows are drawn PAPER_SHIFT episodes apart.
 * PAPER_ROOM is the room in episodes for the last of them. */
enum { PAPER_SHIFT = 2, PAPER_ROOM = 6 };

/* The style of a learner's curve. It follows from the learner's index among the rows, so it is the same in all figures
 * of an experiment. If the experiment has more rows than there are styles, it follows from the index in the figure, so
 * that no two lines of the figure look alike. */
static const fcps_line_style *style_of(const fcps_saved_experiment *saved, const fcps_json *row, int index)
{
  if (fcps_saved_experiment_row(saved, FCPS_LINE_STYLES) != NULL) return fcps_style_line(index);
  int row_index = 0;
  while (fcps_saved_experiment_row(saved, row_index) != NULL && fcps_saved_experiment_row(saved, row_index) != row)
    row_index++;
  return fcps_style_line(row_index);
}

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

/* Writes the data block $curveI with the columns episode, mean, mean - sd and mean + sd. Leaves out episodes without a
 * value. */
static fcps_status write_curve(FILE *script, const fcps_saved_experiment *saved, int index, const char *label,
                               const char *measure, fcps_error *error)
{
  const fcps_csv *table = &saved->curves;
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

/* Writes the data block $paperI with the paper's episode, mean and sd. The episode is shifted if several rows have
 * numbers. */
static void write_paper(FILE *script, int index, double shift, const fcps_json *row)
{
  fprintf(script, "$paper%d << EOD\n", index);
  for (int i = 0; i < fcps_saved_experiment_mark_count(row); i++) {
    const fcps_saved_experiment_mark mark = fcps_saved_experiment_mark_at(row, i);
    if (isnan(mark.paper_mean)) continue;
    write_numbers(script, 3, (const double[]){mark.episode + shift, mark.paper_mean, mark.paper_sd});
  }
  fputs("EOD\n", script);
}

/* Writes axes and title. The title is a label in the middle of the figure: a long title beside a wide key would begin
 * outside the figure. */
static void write_axes(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure, bool is_offline)
{
  fputs("set tmargin 3\nset label 1 ", script);
  fcps_gnuplot_text(script, fcps_json_get_text(figure, "title", ""));
  fprintf(script,
          " at screen 0.5,0.95 center font 'DejaVu Sans,13' textcolor rgb '" FCPS_COLOUR_INK "'\n"
          "set xlabel 'episode'\nset ylabel '%s' offset 1,0\nset xrange [0:%lld]\nset yrange [*:0]\n"
          "set key outside right center reverse Left samplen 2.5 spacing 1.4\n",
          is_offline ? "mean reward of the learnt policy, without noise" : "cumulative reward",
          (long long)fcps_json_get_integer(saved->summary, "episodes", 0) + (is_offline ? 0 : PAPER_ROOM));
}

/* Writes the gnuplot command for a band. */
static void write_band(FILE *script, int index, const fcps_line_style *style)
{
  fprintf(script,
          "%s$curve%d using 1:3:4 with filledcurves fillcolor rgb '%s' fillstyle transparent solid 0.13 notitle",
          index == 0 ? "plot " : ", ", index, style->colour);
}

static void write_line(FILE *script, int index, const fcps_line_style *style, const char *title, bool with_points)
{
  fprintf(
      script,
      ", $curve%d using 1:2 with linespoints linewidth 2.2 pointtype %d pointsize 0.7 pointinterval %d linecolor rgb "
      "'%s' title ",
      index, style->point, with_points ? 1 : POINT_EVERY, style->colour);
  fcps_gnuplot_text(script, title);
}

static void write_paper_points(FILE *script, int index, const fcps_line_style *style)
{
  fprintf(script,
          ", $paper%d using 1:2:3 with yerrorbars linewidth 2 pointtype 6 pointsize 1.1 linecolor rgb '%s' notitle",
          index, style->colour);
}

/* The rows of a figure, and whether one of them has numbers of the paper. */
typedef struct curve_rows {
  int count;
  const fcps_json *rows[MOST_CURVES];
  bool has_paper;
} curve_rows;

static void find_rows(curve_rows *found, const fcps_saved_experiment *saved, const fcps_json *figure, bool is_offline)
{
  const fcps_json *labels = fcps_json_get(figure, "rows");
  for (int i = 0; i < fcps_json_count(labels) && found->count < MOST_CURVES; i++) {
    const char *label = fcps_json_text(fcps_json_at(labels, i));
    const fcps_json *row = label != NULL ? fcps_saved_experiment_row_labelled(saved, label) : NULL;
    if (row == NULL) continue;
    found->rows[found->count++] = row;
    found->has_paper = found->has_paper || (!is_offline && fcps_saved_experiment_has_paper(row));
  }
}

/* Returns the lowest point of the bands of these rows. */
static double lowest_of(const fcps_saved_experiment *saved, const curve_rows *found)
{
  const fcps_csv *table = &saved->curves;
  int learner, mean, sd;
  double lowest = 0;
  if (fcps_csv_require(table, "learner", &learner, NULL) != FCPS_OK ||
      fcps_csv_require(table, "offline_mean", &mean, NULL) != FCPS_OK ||
      fcps_csv_require(table, "offline_sd", &sd, NULL) != FCPS_OK)
    return lowest;
  for (int row = 0; row < table->rows; row++)
    for (int i = 0; i < found->count; i++) {
      if (strcmp(fcps_csv_cell(table, row, learner), fcps_json_get_text(found->rows[i], "label", "")) != 0) continue;
      const double deviation = number_at(table, row, sd);
      lowest = fmin(lowest, number_at(table, row, mean) - (isnan(deviation) ? 0.0 : deviation));
    }
  return lowest;
}

/* Draws the levels to compare the curves with; the last one always has the same dashes. If a level is so low that the
 * curves would look flat beside it, the legend lists it with its number, but it is not drawn. */
static void write_lines(FILE *script, const fcps_saved_experiment *saved, const curve_rows *found)
{
  static const char *const dashes[] = {"'. '", "'- .'", "'-'"};
  const fcps_json *line;
  double value, least = 2 * lowest_of(saved, found);
  int count = 0;
  while (fcps_saved_experiment_line(saved, count, &value) != NULL)
    count++;
  for (int i = 0; (line = fcps_saved_experiment_line(saved, i, &value)) != NULL; i++) {
    const bool is_far = value < least;
    char title[128];
    snprintf(title, sizeof title, is_far ? "%s: %.2f" : "%s", fcps_json_get_text(line, "title", ""), value);
    fputs(", ", script);
    fcps_gnuplot_number(script, is_far ? NAN : value);
    fprintf(script, " with lines dashtype %s linewidth 1.6 linecolor rgb '" FCPS_COLOUR_INK "' title ",
            dashes[(count - 1 - i) % 3]);
    fcps_gnuplot_text(script, title);
  }
}

/* Draws the reward of the best possible policy, if all rows have the same world. */
static void write_optimum(FILE *script, const curve_rows *found)
{
  double optimum = NAN;
  for (int i = 0; i < found->count; i++) {
    double own = NAN;
    fcps_json_number(fcps_json_get(found->rows[i], "optimum"), &own);
    if (isnan(own) || (i > 0 && own != optimum)) return;
    optimum = own;
  }
  if (isnan(optimum)) return;
  fputs(", ", script);
  fcps_gnuplot_number(script, optimum);
  fputs(" with lines dashtype 2 linewidth 1.6 linecolor rgb '" FCPS_COLOUR_INK "' title 'best possible policy'",
        script);
}

fcps_status fcps_curves_data_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
                                   fcps_error *error)
{
  const char *measure = fcps_json_get_text(figure, "measure", "");
  curve_rows found = {0};
  find_rows(&found, saved, figure, strcmp(measure, "offline") == 0);
  for (int i = 0; i < found.count; i++) {
    const fcps_status status =
        write_curve(script, saved, i, fcps_json_get_text(found.rows[i], "label", ""), measure, error);
    if (status != FCPS_OK) return status;
    write_paper(script, i, PAPER_SHIFT * (i - (found.count - 1) / 2.0), found.rows[i]);
  }
  return FCPS_OK;
}

void fcps_curves_plot_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure)
{
  const bool is_offline = strcmp(fcps_json_get_text(figure, "measure", ""), "offline") == 0;
  curve_rows found = {0};
  find_rows(&found, saved, figure, is_offline);
  for (int i = 0; i < found.count; i++)
    write_band(script, i, style_of(saved, found.rows[i], i));
  for (int i = 0; i < found.count; i++) {
    const fcps_line_style *style = style_of(saved, found.rows[i], i);
    write_line(script, i, style, fcps_json_get_text(found.rows[i], "title", ""), is_offline);
    if (!is_offline && fcps_saved_experiment_has_paper(found.rows[i])) write_paper_points(script, i, style);
  }
  if (is_offline) write_optimum(script, &found);
  if (is_offline) write_lines(script, saved, &found);
  if (found.has_paper) {
    fputs(", NaN with points linewidth 2 pointtype 6 pointsize 1.1 linecolor rgb '" FCPS_COLOUR_INK
          "' title 'the paper (± sd)'",
          script);
  }
  fputc('\n', script);
}

fcps_status fcps_curves_figure_write(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure,
                                     fcps_error *error)
{
  const fcps_status status = fcps_curves_data_write(script, saved, figure, error);
  if (status != FCPS_OK) return status;
  write_axes(script, saved, figure, strcmp(fcps_json_get_text(figure, "measure", ""), "offline") == 0);
  fcps_curves_plot_write(script, saved, figure);
  return FCPS_OK;
}

/* -- Panels side by side --
 *
 * Each panel has the picture of a task above its learning curves. All panels share one legend. */

/* Sizes in pixels. A picture is as wide as the curves below it and three quarters as high; the legend is at the
 * bottom. */
enum { EDGE = 70, PANEL = 420, GAP = 60, PICTURE = 315, TITLE = 34, CURVES = 300, LEGEND = 120, MOST_PANELS = 6 };

/* The experiments that share a figure. */
typedef struct panels {
  int count;
  const fcps_saved_experiment *items[MOST_PANELS];
} panels;

const char *fcps_panels_figure_of(const fcps_saved_experiment *saved)
{
  const char *name = fcps_json_get_text(fcps_json_get(saved->summary, "panel"), "figure", "");
  return *name ? name : NULL;
}

bool fcps_panels_figure_begins(const fcps_saved_experiments *all, size_t index)
{
  const char *name = fcps_panels_figure_of(&all->items[index]);
  for (size_t i = 0; i < index; i++) {
    const char *other = fcps_panels_figure_of(&all->items[i]);
    if (name != NULL && other != NULL && strcmp(name, other) == 0) return false;
  }
  return name != NULL;
}

static int total_width(const panels *shown)
{
  return EDGE + shown->count * (PANEL + GAP);
}

static int total_height(void)
{
  return TITLE + PICTURE + CURVES + LEGEND;
}

/* The curves of a panel: the experiment's first figure of offline rewards. */
static const fcps_json *curves_of(const fcps_saved_experiment *saved)
{
  const fcps_json *figure;
  for (int i = 0; (figure = fcps_saved_experiment_figure(saved, i)) != NULL; i++) {
    if (strcmp(fcps_json_get_text(figure, "kind", ""), "curves") == 0 &&
        strcmp(fcps_json_get_text(figure, "measure", ""), "offline") == 0)
      return figure;
  }
  return NULL;
}

/* Writes the margins of a part of panel number `index`, in pixels from the top of the figure. */
static void write_margins(FILE *script, const panels *shown, int index, int top, int bottom)
{
  const double width = total_width(shown), height = total_height(), left = EDGE + index * (PANEL + GAP);
  fprintf(script,
          "set lmargin at screen %g\nset rmargin at screen %g\nset tmargin at screen %g\nset bmargin at screen %g\n",
          left / width, (left + PANEL) / width, 1 - top / height, 1 - bottom / height);
}

static fcps_status write_picture(FILE *script, const panels *shown, int index, fcps_error *error)
{
  char path[FCPS_SAVED_EXPERIMENT_PATH];
  const fcps_status status = fcps_saved_experiment_path(shown->items[index], FCPS_PANEL_PICTURE, path, error);
  if (status != FCPS_OK || access(path, R_OK) != 0) return status;
  fputs("unset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nunset key\nunset grid\n"
        "set xrange [*:*]\nset yrange [*:*]\nset autoscale fix\n",
        script);
  write_margins(script, shown, index, TITLE, TITLE + PICTURE);
  fputs("plot ", script);
  fcps_gnuplot_text(script, path);
  fputs(" binary filetype=png with rgbimage notitle\n", script);
  return FCPS_OK;
}

static fcps_status write_curves(FILE *script, const panels *shown, int index, fcps_error *error)
{
  const fcps_saved_experiment *saved = shown->items[index];
  const fcps_json *figure = curves_of(saved);
  if (figure == NULL) return FCPS_OK;
  fcps_style_write(script);
  fprintf(script,
          "unset key\nset xtics nomirror\nset ytics nomirror\nset xlabel 'rollouts'\nset autoscale\nset xrange "
          "[0:%lld]\nset yrange [*:0]\n",
          (long long)fcps_json_get_integer(saved->summary, "episodes", 0));
  if (index == 0) fputs("set ylabel 'mean reward of the learnt policy' offset 1,0\n", script);
  write_margins(script, shown, index, TITLE + PICTURE + GAP / 2, TITLE + PICTURE + CURVES);
  const fcps_status status = fcps_curves_data_write(script, saved, figure, error);
  if (status == FCPS_OK) fcps_curves_plot_write(script, saved, figure);
  return status;
}

/* Draws one legend for all panels, by plotting the curves of the first panel again outside the visible range. */
static void write_legend(FILE *script, const panels *shown)
{
  const fcps_json *figure = curves_of(shown->items[0]);
  if (figure == NULL) return;
  fprintf(script,
          "unset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\nset xrange [-2:-1]\nset yrange [1:2]\n"
          "set lmargin at screen 0.02\nset rmargin at screen 0.98\nset bmargin at screen 0\nset tmargin at screen %g\n"
          "set key center center horizontal reverse Left samplen 2.5 width 2 maxrows 2\n",
          (LEGEND - 50.0) / total_height());
  fcps_curves_plot_write(script, shown->items[0], figure);
}

static void write_title(FILE *script, const panels *shown, int index)
{
  const fcps_json *panel = fcps_json_get(shown->items[index]->summary, "panel");
  fprintf(script, "set label %d ", index + 1);
  fcps_gnuplot_text(script, fcps_json_get_text(panel, "title", ""));
  fprintf(script, " at screen %g,screen %g center font 'DejaVu Sans,14' textcolor rgb '" FCPS_COLOUR_INK "'\n",
          (EDGE + index * (PANEL + GAP) + PANEL / 2.0) / total_width(shown), 1 - TITLE / 2.0 / total_height());
}

static fcps_status write_script(fcps_gnuplot_script *made, const panels *shown, const char *path, fcps_error *error)
{
  FILE *script = made->stream;
  fcps_status status = fcps_gnuplot_output(made, path, total_width(shown), total_height(), error);
  if (status != FCPS_OK) return status;
  fputs("reset\nset multiplot\n", script);
  for (int i = 0; i < shown->count && status == FCPS_OK; i++) {
    write_title(script, shown, i);
    status = write_picture(script, shown, i, error);
    if (status == FCPS_OK) status = write_curves(script, shown, i, error);
    fputs("unset label\n", script);
  }
  if (status == FCPS_OK) write_legend(script, shown);
  fputs("unset multiplot\nset output\n", script);
  return status;
}

static fcps_status draw(const panels *shown, const char *directory, const char *name, fcps_error *error)
{
  static const char *const endings[] = {"svg", "png"};
  fcps_gnuplot_script script;
  fcps_status status = fcps_gnuplot_begin(&script, error);
  if (status != FCPS_OK) return status;
  for (int i = 0; i < 2 && status == FCPS_OK; i++) {
    char file[128], path[FCPS_SAVED_EXPERIMENT_PATH];
    snprintf(file, sizeof file, "%s.%s", name, endings[i]);
    status = fcps_file_join(directory, file, sizeof path, path, error);
    if (status == FCPS_OK) status = write_script(&script, shown, path, error);
  }
  return fcps_gnuplot_finish(&script, status, error);
}

fcps_status fcps_panels_figures_draw(const char *directory, fcps_error *error)
{
  fcps_saved_experiments all;
  fcps_status status = fcps_saved_experiments_read(&all, directory, error);
  if (status != FCPS_OK) return status;
  for (size_t i = 0; i < all.count && status == FCPS_OK; i++) {
    if (!fcps_panels_figure_begins(&all, i)) continue;
    const char *name = fcps_panels_figure_of(&all.items[i]);
    panels shown = {0};
    for (size_t j = i; j < all.count && shown.count < MOST_PANELS; j++) {
      const char *other = fcps_panels_figure_of(&all.items[j]);
      if (other != NULL && strcmp(name, other) == 0) shown.items[shown.count++] = &all.items[j];
    }
    status = draw(&shown, directory, name, error);
  }
  fcps_saved_experiments_destroy(&all);
  return status;
}
