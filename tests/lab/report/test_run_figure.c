/* SPDX-License-Identifier: Apache-2.0 */
/* The figure of a run: it is drawn only from result files, it is the same each time, and broken files are named. */
#include "folder.h"
#include "lab/report/figures.h"
#include "report/gnuplot.h"

static const char summary[] =
    "{\"source\":{\"task\":\"cannon\",\"learner\":\"bo-fcps\",\"seed\":4},"
    "\"spaces\":{\"target\":[[\"x\",-1,1,0,0,\"m\"],[\"y\",-1,1,0,0,\"m\"]]},\"episodes\":3,\"optimum\":-0.5}";
static const char episodes[] =
    "episode,target.x,target.y,reward,status\n1,0,0.5,-3,ok\n2,-0.5,0.5,,failed\n3,0,0,-1,ok\n";
static const char offline[] = "episode,mean\n3,-1.5\n";
static const char map[] = "target.x,target.y,reward\n-1,-1,-2\n-1,1,-1\n1,-1,\n1,1,-0.6\n";

static bool is_gnuplot_here(void)
{
  return fcps_gnuplot_run("", 0, NULL) == FCPS_OK;
}

static void write_results(const test_folder *folder)
{
  file_write(folder_file(folder, "summary.json"), summary);
  file_write(folder_file(folder, "episodes.csv"), episodes);
  file_write(folder_file(folder, "offline.csv"), offline);
  file_write(folder_file(folder, "map.csv"), map);
}

static void draw_run(const test_folder *folder)
{
  fcps_error error = {0};
  if (fcps_report_run_figure_draw(folder->path, &error) != FCPS_OK) fail_msg("%s", error.message);
}

/* The two files exist and have the format of their names. */
static void assert_pictures(const test_folder *folder)
{
  char *svg = file_text(folder_file(folder, "figure.svg")), *png = file_text(folder_file(folder, "figure.png"));
  assert_non_null(svg);
  assert_non_null(png);
  assert_non_null(strstr(svg, "bo-fcps on cannon, seed 4, 3 episodes"));
  assert_non_null(strstr(svg, "best possible policy"));
  assert_memory_equal(png, "\x89PNG", 4);
  free(svg);
  free(png);
}

static void a_run_is_drawn_the_same_each_time(void **state)
{
  (void)state;
  if (!is_gnuplot_here()) skip_because("gnuplot is missing (Debian: gnuplot-nox)");
  test_folder first = folder_create(), second = folder_create();
  write_results(&first);
  write_results(&second);
  draw_run(&first);
  draw_run(&second);
  assert_pictures(&first);
  assert_same_file(folder_file(&first, "figure.svg"), folder_file(&second, "figure.svg"));
  folder_remove(&first);
  folder_remove(&second);
}

static void a_run_without_evaluation_has_a_curve_alone(void **state)
{
  (void)state;
  if (!is_gnuplot_here()) skip_because("gnuplot is missing (Debian: gnuplot-nox)");
  test_folder folder = folder_create();
  write_results(&folder);
  file_write(folder_file(&folder, "offline.csv"), "episode,mean\n");
  remove(folder_file(&folder, "map.csv"));
  draw_run(&folder);
  assert_pictures(&folder);
  char *svg = file_text(folder_file(&folder, "figure.svg"));
  assert_null(strstr(svg, "by target"));
  free(svg);
  folder_remove(&folder);
}

static void broken_result_files_are_named(void **state)
{
  (void)state;
  test_folder folder = folder_create();
  fcps_error error = {0};
  assert_status(fcps_report_run_figure_draw(folder.path, &error), FCPS_ERR_IO);

  write_results(&folder);
  file_write(folder_file(&folder, "episodes.csv"), "episode,target.x,target.y\n1,2,3\n");
  assert_status(fcps_report_run_figure_draw(folder.path, &error), FCPS_ERR_FORMAT);
  assert_string_equal(error.field, "reward");
  file_write(folder_file(&folder, "episodes.csv"), "episode,target.x,target.y,reward\n1,2,3,much\n");
  assert_status(fcps_report_run_figure_draw(folder.path, &error), FCPS_ERR_FORMAT);
  assert_int_equal(error.line, 2);
  file_write(folder_file(&folder, "summary.json"), "{");
  assert_status(fcps_report_run_figure_draw(folder.path, &error), FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.file, "summary.json"));
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_is_drawn_the_same_each_time),
      cmocka_unit_test(a_run_without_evaluation_has_a_curve_alone),
      cmocka_unit_test(broken_result_files_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
