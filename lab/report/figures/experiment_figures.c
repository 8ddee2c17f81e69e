/* SPDX-License-Identifier: Apache-2.0 */
/* One gnuplot script draws a figure twice, as SVG and as PNG. The kinds of figures are a table: name, size and
 * function. */
#include "lab/report/figures/experiment_figures.h"

#include "base/error.h"
#include "report/gnuplot.h"
#include "report/style.h"

#include <string.h>

typedef struct figure_kind {
  const char *name;
  fcps_status (*write)(FILE *script, const fcps_saved_experiment *saved, const fcps_json *figure, fcps_error *error);
  void (*size)(const fcps_json *figure, int size[2]);
} figure_kind;

static const figure_kind kinds[] = {
    {"curves", fcps_curves_figure_write, fcps_curves_figure_size},
    {"maps", fcps_maps_figure_write, fcps_maps_figure_size},
    {"sweep", fcps_sweep_figure_write, fcps_sweep_figure_size},
};

static const figure_kind *kind_of(const fcps_json *figure)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, fcps_saved_experiment_text(figure, "kind")) == 0) return &kinds[i];
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
    snprintf(name, sizeof name, "%s.%s", fcps_saved_experiment_text(figure, "name"), endings[i]);
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
                          fcps_saved_experiment_text(figure, "kind"));
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
