/* SPDX-License-Identifier: Apache-2.0 */
/* Told against expected, with 95 % intervals. */
#include "cli/study/study.h"

#include "base/error.h"
#include "base/memory.h"
#include "report/study.h"

#include <stdio.h>
#include <stdlib.h>

/* The panels of all outputs; their numbers are in one array. */
typedef struct panels {
  fcps_check_panel *list;
  char (*texts)[2][256];
  double *numbers;
} panels;

static void fill_panel(const fcps_study_check *check, int o, panels *p)
{
  const int n = check->result_count;
  const fcps_checked_output *output = check->outputs + o;
  double *told = p->numbers + (size_t)o * 3 * (size_t)n, *expected = told + n, *half = expected + n;
  for (int i = 0; i < n; i++) {
    told[i] = check->results[i].told[o];
    expected[i] = check->results[i].expected[o];
    half[i] = FCPS_STUDY_CHECK_WIDTH * check->results[i].deviation[o];
  }
  char *title = p->texts[o][0], *label = p->texts[o][1];
  snprintf(title, sizeof p->texts[o][0], "%.200s: %d of %d covered", output->name, output->covered, output->predicted);
  snprintf(label, sizeof p->texts[o][1], *output->unit != '\0' ? "%.200s [%.40s]" : "%.200s", output->name,
           output->unit);
  p->list[o] = (fcps_check_panel){title, label, n, told, expected, half};
}

fcps_status cli_check_figure_draw(const fcps_study_check *check, const char *path, fcps_error *error)
{
  const size_t outputs = (size_t)check->output_count;
  panels p = {.list = fcps_allocate(outputs, sizeof *p.list),
              .texts = fcps_allocate(outputs, sizeof *p.texts),
              .numbers = fcps_allocate(outputs * 3 * (size_t)check->result_count, sizeof(double))};
  fcps_status status = FCPS_ERR_MEMORY;
  if (p.list != NULL && p.texts != NULL && p.numbers != NULL) {
    for (int o = 0; o < check->output_count; o++)
      fill_panel(check, o, &p);
    status = fcps_report_check_figure_draw(path, "each result as expected from all others, with 95 % intervals",
                                           check->output_count, p.list, error);
  } else {
    fcps_error_memory(error);
  }
  free(p.list);
  free(p.texts);
  free(p.numbers);
  return status;
}
