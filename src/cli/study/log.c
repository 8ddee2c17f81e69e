/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study log` and `export`: show every stored result, in the order in which results were stored. `fcps study import` can read the
 * CSV of `export`. */
#include "base/error.h"
#include "base/number.h"
#include "cli/study/study.h"
#include "cli/support/arguments.h"
#include "cli/support/exit.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"
#include "format/file.h"
#include "format/text.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct arguments {
  const char *path, *format, *output;
  bool as_json;
  fcps_error error;
} arguments;

static const cli_argument log_table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path), .file = CLI_FILE_READ},
    {CLI_ARGUMENT_SWITCH, "json", offsetof(arguments, as_json), 'j',
     .help = "Print one JSON object per result, without the changes"},
    {0}};
static const cli_argument export_table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path), .file = CLI_FILE_READ},
    {CLI_ARGUMENT_TEXT, "format", offsetof(arguments, format), 'f', "csv|jsonl",
     .help = "The format: CSV (default), which can be imported again, or JSON lines"},
    {CLI_ARGUMENT_TEXT, "output", offsetof(arguments, output), 'o', "FILE", .file = CLI_FILE_WRITTEN,
     .endings = "csv jsonl json tsv txt", .help = "Write to this file instead of standard output"},
    {0}};

static const char log_doc[] = "Shows every stored result, used or not, and every change, old -> new.\v"
                              "Example:\n"
                              "  fcps study log throw.fcps --json\n";
static const char export_doc[] = "Writes the stored results as CSV or JSON lines.\v"
                                 "Example:\n  fcps study export throw.fcps --format csv -o throw.csv\n";

static void write_text(const fcps_study *study, const fcps_stored_result *stored)
{
  const fcps_problem *p = fcps_study_problem(study);
  const fcps_rollout *r = &stored->result.rollout;
  const char *message = stored->result.message;
  char number[FCPS_NUMBER_SIZE], surprise[FCPS_SURPRISE_SIZE];
  if (stored->ask)
    printf("%lld.%d", (long long)stored->ask, stored->result_number);
  else
    printf("unasked %lld", (long long)stored->sequence);
  printf("  %s%s%s%s  %s%s\n", fcps_rollout_ending_text(p, r), stored->is_used ? "" : " (not used)",
         stored->is_flagged ? " (flagged: no usable value)" : "", r->is_confirmed ? " (confirmed)" : "",
         isnan(r->reward) ? "no reward" : "reward ", isnan(r->reward) ? "" : fcps_number_show(r->reward, number));
  fcps_study_surprise_text(study, stored, surprise);
  if (stored->is_suspect) printf("  suspect: %s\n", cli_shown(surprise));
  printf("  target ");
  cli_values_print(stdout, &p->target, r->target);
  printf("   environment ");
  cli_values_print(stdout, &p->environment, r->environment);
  printf("\n  parameters ");
  cli_parameters_print(stdout, p, r->target, r->environment, r->parameters);
  printf("\n  outcome ");
  cli_values_print(stdout, &p->outcome, r->outcome);
  if (r->outcome_deviation != NULL) printf("   sd ");
  if (r->outcome_deviation != NULL) cli_values_print(stdout, &p->outcome, r->outcome_deviation);
  if (*message) printf("\n  ");
  fcps_shown_write_lines(stdout, message);
  printf("\n");
}

static fcps_status write_all(const fcps_study *study, bool as_json, FILE *stream, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  if (!as_json) fcps_wire_table_write(stream, study);
  for (int i = 0; as_json && status == FCPS_OK && i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    status = cli_print_json(stream, fcps_wire_stored_result_write(fcps_study_problem(study), &stored), error);
  }
  return status;
}

/* Prints a change with the value before it, or a note; *index becomes the index of the next event. */
static fcps_status print_event(const fcps_study *study, int *index, fcps_error *error)
{
  const fcps_study_event *event = fcps_study_event_at(study, *index);
  char *old = NULL;
  const fcps_status status = fcps_study_replaced(study, (*index)++, &old, error);
  if (status == FCPS_OK) {
    printf("%s: ", cli_shown(event->code));
    fcps_shown_write_lines(stdout, old != NULL ? old : "");
    if (old != NULL) printf(" -> ");
    fcps_shown_write_lines(stdout, event->text);
    printf("\n");
  }
  fcps_free(old);
  return status;
}

static fcps_status print_log(const fcps_study *study, fcps_error *error)
{
  const fcps_study_event *event;
  fcps_status status = FCPS_OK;
  int events = 0;
  for (int i = 0; status == FCPS_OK && i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    while (status == FCPS_OK && (event = fcps_study_event_at(study, events)) != NULL &&
           event->sequence < stored.sequence)
      status = print_event(study, &events, error);
    if (status == FCPS_OK) write_text(study, &stored);
  }
  while (status == FCPS_OK && fcps_study_event_at(study, events) != NULL)
    status = print_event(study, &events, error);
  return status;
}

/* Marks suspects. If there is no model, or if the model fails, no result is marked. */
static void mark_suspects(fcps_study *study)
{
  (void)fcps_study_find_suspects(study, NULL, NULL);
}

int cli_study_log(int argc, char **argv)
{
  arguments a = {0};
  fcps_door *door = NULL;
  fcps_study *study = NULL;
  fcps_status status = cli_arguments_parse(log_table, log_doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = cli_open_study(&door, &study, a.path, &a.error);
  if (status == FCPS_OK) mark_suspects(study);
  if (status == FCPS_OK && a.as_json)
    status = write_all(study, true, stdout, &a.error);
  else if (status == FCPS_OK)
    status = print_log(study, &a.error);
  fcps_door_close(door);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}

static fcps_status show_table(const fcps_study *study, fcps_error *error)
{
  cli_shown_output output;
  cli_shown_output_open(&output);
  const fcps_status status = output.stream != NULL ? write_all(study, false, output.stream, error) : FCPS_OK;
  return cli_shown_output_finish(&output, status, error);
}

static fcps_status export_to(const fcps_study *study, arguments *a)
{
  const bool as_json = a->format != NULL && strcmp(a->format, "jsonl") == 0;
  if (a->output == NULL && as_json) return write_all(study, true, stdout, &a->error);
  if (a->output == NULL) return show_table(study, &a->error);
  fcps_draft *draft = NULL;
  fcps_status status = fcps_draft_open(&draft, a->output, &a->error);
  if (status != FCPS_OK) return status;
  status = write_all(study, as_json, fcps_draft_stream(draft), &a->error);
  return fcps_draft_finish(draft, status, &a->error);
}

int cli_study_export(int argc, char **argv)
{
  arguments a = {0};
  fcps_door *door = NULL;
  fcps_study *study = NULL;
  fcps_status status = cli_arguments_parse(export_table, export_doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK && a.format != NULL && strcmp(a.format, "csv") != 0 && strcmp(a.format, "jsonl") != 0)
    status = fcps_error_set(&a.error, FCPS_ERR_ARGUMENT, "--format", "\"%s\" is not a format; choose csv or jsonl",
                            a.format);
  if (status == FCPS_OK) status = cli_open_study(&door, &study, a.path, &a.error);
  if (status == FCPS_OK) mark_suspects(study);
  if (status == FCPS_OK) status = export_to(study, &a);
  fcps_door_close(door);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
