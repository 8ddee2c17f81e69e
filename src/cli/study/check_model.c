/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study check-model`: says how far the model can be believed, by predicting each result from all others. It
 * changes nothing in the study. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/study/study.h"
#include "cli/support/arguments.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"
#include "format/csv.h"
#include "format/file.h"
#include "report/gnuplot.h"
#include "report/study.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arguments {
  const char *path, *figure, *csv;
  bool as_json;
  fcps_error error;
} arguments;

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path), .file = CLI_FILE_READ},
    {CLI_ARGUMENT_SWITCH, "json", offsetof(arguments, as_json), 'j', .help = "Print one JSON object"},
    {CLI_ARGUMENT_TEXT, "csv", offsetof(arguments, csv), 'c', "FILE.csv", .file = CLI_FILE_WRITTEN,
     .endings = "csv tsv txt", .help = "Write what was told and expected, a row for each result"},
    {CLI_ARGUMENT_TEXT, "figure", offsetof(arguments, figure), 'f', "FILE", .file = CLI_FILE_WRITTEN,
     .endings = "svg png", .help = "Draw expected against told with 95 % intervals, as .svg or .png"},
    {0}};

static const char doc[] =
    "Predicts each result from all others: how many lie within their 95 % intervals, which are the most surprising, "
    "and which dimensions matter.\vExample:\n  fcps study check-model throw.fcps --figure check.svg\n";

/* At most LISTED surprising results are listed. With MANY_RESULTS results or more the check is so slow that it is
 * announced. */
enum { LISTED = 5, MANY_RESULTS = 1500 };

/* -- Coverage -- */

static const char *unit_before(const char *unit)
{
  return *unit != '\0' ? " " : "";
}

static void print_warnings(const fcps_checked_output *o)
{
  if (o->is_overconfident)
    printf("  W_OVERCONFIDENT  far fewer than 95 %% of the intervals cover their results: do not trust the deviations "
           "of %s. Look at the surprising results below; the usual reason is an outlier, a cliff, or noise that the "
           "model cannot see\n",
           cli_shown(o->name));
  if (o->is_careful)
    printf("  W_CAREFUL        more than 95 %% of the intervals cover their results: %s is known better than the "
           "deviations say\n",
           cli_shown(o->name));
  if (o->is_blind)
    printf("  W_BLIND          the model predicts hardly better than the mean of all results: an outlier may spoil "
           "it (see below), %s may depend on something that is neither a parameter nor in the environment, or more "
           "results are needed\n",
           cli_shown(o->name));
  if (o->is_noise_growing)
    printf("  W_NOISE_GROWS    errors grow with the expected %s: the model has one noise for all results, too much for "
           "small values and too little for large ones. Tell how exact each result is (--outcome-sd), or make log(%s) "
           "the outcome, and use its exp in the reward\n",
           cli_shown(o->name), cli_shown(o->name));
}

static void print_outputs(const fcps_study_check *check)
{
  printf("model              %s, %d results, each predicted from all others\n", cli_shown(check->model),
         check->result_count);
  for (int i = 0; i < check->output_count; i++) {
    const fcps_checked_output *o = check->outputs + i;
    printf("%-18s %d of %d (%.0f %%) within their 95 %% intervals; half of the errors are below %.3g%s%s (root mean "
           "square %.3g); results spread by %.3g\n",
           cli_shown(o->name), o->covered, o->predicted, o->predicted > 0 ? 100.0 * o->covered / o->predicted : 0.0,
           o->median_error, unit_before(o->unit), cli_shown(o->unit), o->error, o->spread);
    print_warnings(o);
  }
}

/* -- Surprises -- */

static int compare_surprise(const void *a, const void *b)
{
  const fcps_checked_result *const *x = a, *const *y = b;
  const double sx = isnan((*x)->surprise) ? -1.0 : (*x)->surprise, sy = isnan((*y)->surprise) ? -1.0 : (*y)->surprise;
  if (sx != sy) return sx < sy ? 1 : -1;
  return (*x)->sequence < (*y)->sequence ? -1 : 1;
}

/* Prints the outputs that lie outside their intervals; if there are none, the most surprising one. */
static void print_surprise(const fcps_study_check *check, const fcps_checked_result *r)
{
  char number[48];
  const double least = fmin(r->surprise, FCPS_STUDY_CHECK_WIDTH);
  const char *before = "";
  if (r->ask != FCPS_NOT_ASKED)
    snprintf(number, sizeof number, "%lld.%d", (long long)r->ask, r->result_number);
  else
    snprintf(number, sizeof number, "unasked %lld", (long long)r->sequence);
  printf("  %-16s ", number);
  for (int o = 0; o < check->output_count; o++) {
    if (!(fabs(r->told[o] - r->expected[o]) / r->deviation[o] >= least)) continue;
    printf("%s%s=%.6g, but %.4g +- %.2g was expected", before, cli_shown(check->outputs[o].name),
           cli_values_plain(r->told[o]), r->expected[o], r->deviation[o]);
    before = ", ";
  }
  printf("; %.1f deviations\n", r->surprise);
}

static fcps_status print_surprises(const fcps_study_check *check, const char *path, fcps_error *error)
{
  const size_t count = (size_t)check->result_count;
  const fcps_checked_result **order = fcps_allocate(count, sizeof *order);
  if (order == NULL) return fcps_error_memory(error);
  for (size_t i = 0; i < count; i++)
    order[i] = check->results + i;
  qsort(order, count, sizeof *order, compare_surprise);
  printf("most surprising    (if one is a mistake: fcps study amend %s --drop RESULT)\n", cli_shown_word(path));
  for (size_t i = 0; i < count && i < LISTED && !isnan(order[i]->surprise); i++)
    print_surprise(check, order[i]);
  free(order);
  return FCPS_OK;
}

/* -- Files -- */

static void write_cells(const fcps_study_check *check, fcps_csv_writer *writer, const fcps_checked_result *r)
{
  for (int o = 0; o < check->output_count; o++) {
    fcps_csv_write_number(writer, r->told[o]);
    fcps_csv_write_number(writer, r->expected[o]);
    fcps_csv_write_number(writer, r->deviation[o]);
  }
}

static fcps_status write_csv(const fcps_study_check *check, const char *path, fcps_error *error)
{
  fcps_draft *draft = NULL;
  fcps_status status = fcps_draft_open(&draft, path, error);
  if (status != FCPS_OK) return status;
  fcps_csv_writer writer = {.stream = fcps_draft_stream(draft)};
  fcps_csv_write_text(&writer, "sequence");
  fcps_csv_write_text(&writer, "ask");
  fcps_csv_write_text(&writer, "result");
  for (int o = 0; o < check->output_count; o++) {
    static const char *const ends[] = {"", "_expected", "_deviation"};
    char name[256];
    for (int e = 0; e < 3; e++) {
      snprintf(name, sizeof name, "%s%s", check->outputs[o].name, ends[e]);
      fcps_csv_write_text(&writer, name);
    }
  }
  fcps_csv_write_text(&writer, "surprise");
  fcps_csv_end_row(&writer);
  for (int i = 0; i < check->result_count; i++) {
    const fcps_checked_result *r = check->results + i;
    fcps_csv_write_integer(&writer, r->sequence);
    if (r->ask != FCPS_NOT_ASKED)
      fcps_csv_write_integer(&writer, r->ask);
    else
      fcps_csv_write_text(&writer, "");
    fcps_csv_write_integer(&writer, r->result_number);
    write_cells(check, &writer, r);
    fcps_csv_write_number(&writer, r->surprise);
    fcps_csv_end_row(&writer);
  }
  return fcps_draft_finish(draft, FCPS_OK, error);
}

/* -- The command -- */

static fcps_status print_all(fcps_study *study, const fcps_policy *policy, const fcps_study_check *check, arguments *a)
{
  const fcps_problem *p = fcps_study_problem(study);
  if (a->as_json) {
    fcps_json *object = fcps_wire_check_write(check);
    fcps_json_put(&object, "processes", fcps_wire_health_write(p, policy));
    return cli_print_json(stdout, object, &a->error);
  }
  print_outputs(check);
  return print_surprises(check, a->path, &a->error);
}

int cli_study_check_model(int argc, char **argv)
{
  arguments a = {0};
  fcps_door *door = NULL;
  fcps_study *study = NULL;
  fcps_policy *policy = NULL;
  fcps_study_check *check = NULL;
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK && a.figure != NULL) status = fcps_gnuplot_check_path(a.figure, &a.error);
  if (status == FCPS_OK) status = cli_open_study(&door, &study, a.path, &a.error);
  if (status == FCPS_OK && fcps_study_result_count(study) > MANY_RESULTS)
    fprintf(stderr, "predicting each of %d results from all others; this can take minutes\n",
            fcps_study_result_count(study));
  if (status == FCPS_OK) status = fcps_study_policy(study, &policy, &a.error);
  if (status == FCPS_OK) status = fcps_study_check_model(study, policy, &check, &a.error);
  if (status == FCPS_OK && a.csv != NULL) status = write_csv(check, a.csv, &a.error);
  if (status == FCPS_OK && a.figure != NULL) status = cli_check_figure_draw(check, a.figure, &a.error);
  if (status == FCPS_OK) status = print_all(study, policy, check, &a);
  fcps_study_check_destroy(check);
  fcps_policy_destroy(policy);
  fcps_door_close(door);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

/* -- The figure: told values against expected ones -- */

/* The panels of the figure, one for each output. Their numbers share one array. */
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
