/* SPDX-License-Identifier: Apache-2.0 */
/* gnuplot as a program: refused paths, a missing program, and quoting. */
#include "report/gnuplot.h"

#include "folder.h"

static fcps_status run_script(const char *script, fcps_error *error)
{
  return fcps_gnuplot_run(script, strlen(script), error);
}

static bool is_gnuplot_here(void)
{
  return run_script("", NULL) == FCPS_OK;
}

static void a_script_is_carried_out(void **state)
{
  (void)state;
  if (!is_gnuplot_here()) skip_because("gnuplot is missing (Debian: gnuplot-nox)");
  test_folder folder = folder_create();
  char script[256];
  snprintf(script, sizeof script, "set print '%s'\nprint 6*7\n", folder_file(&folder, "answer"));
  assert_ok(run_script(script, NULL));
  char *text = file_text(folder_file(&folder, "answer"));
  assert_string_equal(text, "42\n");
  free(text);
  folder_remove(&folder);
}

static void a_wrong_script_is_refused_with_gnuplots_words(void **state)
{
  (void)state;
  if (!is_gnuplot_here()) skip_because("gnuplot is missing (Debian: gnuplot-nox)");
  fcps_error error = {0};
  assert_status(run_script("set output\nplot nonsense with lines\n", &error), FCPS_ERR_PROGRAM);
  assert_non_null(strstr(error.message, "nonsense"));
  assert_status(run_script("set terminal svg\nset output '/nonexistent/x.svg'\n", &error), FCPS_ERR_IO);
}

static void a_missing_gnuplot_is_said_with_what_to_do(void **state)
{
  (void)state;
  char *path = strdup(getenv("PATH"));
  assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
  fcps_error error = {0};
  const fcps_status status = run_script("", &error);
  assert_int_equal(setenv("PATH", path, 1), 0);
  free(path);
  assert_status(status, FCPS_ERR_UNAVAILABLE);
  assert_non_null(strstr(error.message, "gnuplot-nox"));
}

static char *written(void (*write)(FILE *))
{
  static char text[256];
  memset(text, 0, sizeof text);
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  assert_non_null(stream);
  write(stream);
  fclose(stream);
  return text;
}

static void write_odd_text(FILE *stream)
{
  fcps_gnuplot_text(stream, "it's \"quoted\" `date`\n\\n");
}

static void write_controls(FILE *stream)
{
  fcps_gnuplot_text(stream, "a\033b\001, \xFF");
}

static void write_numbers(FILE *stream)
{
  fcps_gnuplot_number(stream, NAN);
  fcps_gnuplot_number(stream, -0.1);
}

static void texts_cannot_break_out_of_their_quotes(void **state)
{
  (void)state;
  assert_string_equal(written(write_odd_text), "'it''s \"quoted\" `date`\\n'");
  assert_string_equal(written(write_controls), "'a\uFFFDb\uFFFD, \uFFFD'");
  assert_string_equal(written(write_numbers), "NaN-0.1");
}

static void only_svg_and_png_are_drawn(void **state)
{
  (void)state;
  test_folder folder = folder_create();
  fcps_gnuplot_script script;
  fcps_error error = {0};
  assert_ok(fcps_gnuplot_begin(&script, &error));
  assert_ok(fcps_gnuplot_output(&script, folder_file(&folder, "a.svg"), 10, 10, &error));
  assert_ok(fcps_gnuplot_output(&script, folder_file(&folder, "a.png"), 10, 10, &error));
  assert_status(fcps_gnuplot_output(&script, folder_file(&folder, "a.jpg"), 10, 10, &error), FCPS_ERR_ARGUMENT);
  assert_status(fcps_gnuplot_output(&script, ".png", 10, 10, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "output");
  assert_status(fcps_gnuplot_output(&script, folder_file(&folder, "a\nb.svg"), 10, 10, &error), FCPS_ERR_ARGUMENT);
  assert_non_null(strstr(error.message, "line break"));
  assert_status(fcps_gnuplot_finish(&script, FCPS_ERR_ARGUMENT, &error), FCPS_ERR_ARGUMENT);
  assert_int_equal(rmdir(folder.path), 0); /* nothing is left in it */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_script_is_carried_out),
      cmocka_unit_test(a_wrong_script_is_refused_with_gnuplots_words),
      cmocka_unit_test(a_missing_gnuplot_is_said_with_what_to_do),
      cmocka_unit_test(texts_cannot_break_out_of_their_quotes),
      cmocka_unit_test(only_svg_and_png_are_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
