/* SPDX-License-Identifier: Apache-2.0 */
/* One panel; the mean of the first results is over those that there are. */
#include "report/figures/learning.h"

#include "report/figures/gnuplot.h"
#include "report/figures/style.h"

#include <math.h>

enum { WIDTH = 900, HEIGHT = 420 };

static double running_mean(const double *rewards, int last, int span)
{
  const int first = last + 1 > span ? last + 1 - span : 0;
  double mean = 0;
  for (int i = first; i <= last; i++)
    mean += rewards[i] / (last + 1 - first);
  return mean;
}

static void write_data(FILE *script, int count, const double *rewards, int span)
{
  fputs("$rewards << EOD\n", script);
  for (int i = 0; i < count; i++) {
    fprintf(script, "%d ", i + 1);
    fcps_gnuplot_number(script, rewards[i]);
    fputc(' ', script);
    fcps_gnuplot_number(script, running_mean(rewards, i, span));
    fputc('\n', script);
  }
  fputs("EOD\n", script);
}

static void write_plot(FILE *script, int span, double predicted)
{
  fputs("set xlabel 'result' textcolor rgb '" FCPS_COLOUR_INK "'\nset ylabel 'reward' textcolor rgb '" FCPS_COLOUR_INK
        "'\nset key bottom right\nset autoscale xfix\n",
        script);
  fprintf(script,
          "plot $rewards using 1:2 with points pointtype 7 pointsize 0.6 linecolor rgb '" FCPS_COLOUR_BLUE
          "' title 'told', $rewards using 1:3 with lines linewidth 2 linecolor rgb '" FCPS_COLOUR_INK
          "' title 'mean of the last %d'",
          span);
  if (!isnan(predicted)) {
    fputs(", ", script);
    fcps_gnuplot_number(script, predicted);
    fputs(" with lines dashtype 2 linewidth 2 linecolor rgb '" FCPS_COLOUR_ORANGE
          "' title 'predicted mean of the policy'",
          script);
  }
  fputc('\n', script);
}

fcps_status fcps_report_learning_figure_draw(const char *path, int count, const double *rewards, int span,
                                             double predicted, fcps_error *error)
{
  fcps_gnuplot_script made;
  fcps_status status = fcps_gnuplot_begin(&made, error);
  if (status != FCPS_OK) return status;
  status = fcps_gnuplot_output(&made, path, WIDTH, HEIGHT, error);
  if (status == FCPS_OK) {
    fcps_style_write(made.stream);
    write_data(made.stream, count, rewards, span);
    write_plot(made.stream, span, predicted);
  }
  return fcps_gnuplot_finish(&made, status, error);
}
