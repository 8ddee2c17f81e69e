/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a task's trials, drawn from the files that a task writes. */
#include "folder.h"
#include "lab/report/figures.h"
#include "report/gnuplot.h"

static void a_sketch_is_drawn(void **state)
{
  (void)state;
  if (fcps_gnuplot_run("", 0, NULL) != FCPS_OK) skip_because("gnuplot is missing (Debian: gnuplot-nox)");
  test_folder folder = folder_create();
  file_write(folder_file(&folder, "surface.csv"), "x,y,z\n0,0,0\n0,1,0.2\n1,0,0.1\n1,1,0\n");
  file_write(folder_file(&folder, "marks.csv"), "kind,x,y,z\nstart,0,0,0\ntarget,1,1,0\nend,1,0.9,0\n");
  file_write(folder_file(&folder, "paths.csv"), "path,x,y,z\n1,0,0,0\n1,0.5,0.5,1\n1,1,0.9,0\n");
  fcps_error error = {0};
  if (fcps_sketch_figure_draw(folder.path, folder_file(&folder, "a.svg"), &error) != FCPS_OK)
    fail_msg("%s", error.message);
  char *svg = file_text(folder_file(&folder, "a.svg"));
  assert_non_null(strstr(svg, "landings"));
  free(svg);

  /* flat ground has no range of heights */
  file_write(folder_file(&folder, "surface.csv"), "x,y,z\n0,0,0\n0,1,0\n1,0,0\n1,1,0\n");
  if (fcps_sketch_figure_draw(folder.path, folder_file(&folder, "b.svg"), &error) != FCPS_OK)
    fail_msg("%s", error.message);
  assert_status(fcps_sketch_figure_draw(folder.path, "c.gif", &error), FCPS_ERR_ARGUMENT);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sketch_is_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
