/* SPDX-License-Identifier: Apache-2.0 */
/* Panels side by side: each has the picture of a task above its learning curves. All panels share one legend. */

#include "base/error.h"
#include "format/file.h"
#include "lab/report/figures.h"
#include "report/gnuplot.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Sizes in pixels. A picture is as wide as the curves below it and three quarters as high; the legend is at the
 * bottom. */
enum { EDGE = 70, PANEL = 420, GAP = 60, PICTURE = 315, TITLE = 34, CURVES = 300, LEGEND = 120, MOST_PANELS = 6 };

/* The experiments of one figure. */
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

/* Writes the margins of a part of panel `index`, in pixels from the top. */
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
