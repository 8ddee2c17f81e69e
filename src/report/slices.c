/* SPDX-License-Identifier: Apache-2.0 */
/* Panels stand side by side, up to four in a row. A dimension of words is drawn as points without a line, because there
 * is nothing between two words. */
#include "report/slices.h"

#include "base/error.h"
#include "report/gnuplot.h"

#include <math.h>
#include <string.h>

enum { PANEL_WIDTH = 340, PANEL_HEIGHT = 300, COLUMNS = 4, LETTERS = 34 }; /* LETTERS fit below a panel */

/* Tells whether a point of a line has a place. gnuplot refuses a line without one. */
static bool has_point(const fcps_slice_panel *p, const double *ys)
{
  for (int i = 0; i < p->count && ys != NULL; i++)
    if (isfinite(p->xs[i]) && isfinite(ys[i])) return true;
  return false;
}

/* Writes the table $dN: x, y, lower and upper end of the band, second line. */
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

/* Writes the commands for an axis: words are ticks at 0, 1, .... They replace all settings of the panel before. */
static void write_axis(FILE *script, char name, const fcps_slice_axis *axis)
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

static void write_panel(FILE *script, int number, const fcps_slice_panel *p)
{
  const bool has_words = p->x.word_count > 0, has_line = !has_words && p->y.word_count == 0;
  write_text(script, "title", p->title);
  write_axis(script, 'x', &p->x);
  write_axis(script, 'y', &p->y);
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
  if (drawn == 0) return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "figure", "there is nothing to draw");
  const int columns = drawn < COLUMNS ? drawn : COLUMNS, rows = (drawn + columns - 1) / columns;
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
      if (has_point(panels + i, panels[i].ys)) write_panel(made.stream, i, panels + i);
    fputs("unset multiplot\n", made.stream);
  }
  return fcps_gnuplot_finish(&made, status, error);
}
