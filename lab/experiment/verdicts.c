/* SPDX-License-Identifier: Apache-2.0 */
/* From finished runs to verdicts: writes the tables, the claims, the summary that the report reads, and the times. */
#include "base/error.h"
#include "base/memory.h"
#include "lab/experiment/definition.h"
#include "lab/experiment/judge.h"
#include "lab/experiment/summary.h"
#include "lab/experiment/table_file.h"
#include "lab/experiment/times.h"

#include <stdio.h>
#include <stdlib.h>

/* "the paper, Table I" or "ours" */
static void write_source(fcps_csv_writer *csv, const fcps_claim *claim)
{
  char text[256];
  if (fcps_claim_is_ours(claim)) {
    fcps_csv_write_text(csv, "ours");
    return;
  }
  snprintf(text, sizeof text, "the paper%s%s", claim->where != NULL ? ", " : "",
           claim->where != NULL ? claim->where : "");
  fcps_csv_write_text(csv, text);
}

/* The labels of its rows, separated by spaces. */
static void write_labels(fcps_csv_writer *csv, const fcps_experiment *experiment, const fcps_claim *claim)
{
  char text[FCPS_EXPERIMENT_MAX_ROWS * 128] = "";
  size_t length = 0;
  for (int i = 0; i < claim->row_count; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i > 0 ? " " : "",
                               experiment->rows[claim->rows[i]].label);
  fcps_csv_write_text(csv, text);
}

static fcps_status write_judgement(fcps_csv_writer *csv, const fcps_experiment_results *results, int index,
                                   const fcps_judgement *judgement)
{
  const fcps_claim *claim = &results->experiment->claims[index];
  char *was = fcps_definition_claim_was(results->kept, results->experiment, index);
  if (was == NULL) return FCPS_ERR_MEMORY;
  fcps_csv_write_text(csv, judgement->claim);
  fcps_csv_write_text(csv, judgement->paper);
  fcps_csv_write_number(csv, judgement->ours);
  fcps_csv_write_number(csv, judgement->se);
  fcps_csv_write_text(csv, fcps_verdict_text(judgement->verdict));
  fcps_csv_write_text(csv, judgement->detail);
  fcps_csv_write_text(csv, claim->note != NULL ? claim->note : "");
  write_source(csv, claim);
  write_labels(csv, results->experiment, claim);
  fcps_csv_write_text(csv, was);
  fcps_csv_end_row(csv);
  fcps_free(was);
  return FCPS_OK;
}

/* Judges every claim and writes claims.csv. */
static fcps_status write_claims(const fcps_experiment_results *results, const char *directory, double *a, double *b,
                                fcps_error *error)
{
  static const char *const names[] = {"claim", "paper", "ours", "standard_error", "verdict", "detail", "note", "source",
                                      "rows",  "was",   NULL};
  const fcps_experiment *experiment = results->experiment;
  fcps_table_file file;
  fcps_status status = fcps_table_file_begin(&file, names, error), written = FCPS_OK;
  if (status != FCPS_OK) return status;

  for (int i = 0; i < experiment->claim_count && written == FCPS_OK; i++) {
    fcps_judgement judgement;
    fcps_judge(results, &experiment->claims[i], a, b, &judgement);
    written = write_judgement(&file.csv, results, i, &judgement);
  }
  status = fcps_table_file_end(&file, experiment, directory, "claims.csv", error);
  return written == FCPS_OK ? status : fcps_error_memory(error);
}

fcps_status fcps_experiment_judge(const fcps_experiment *experiment, const char *directory, fcps_error *error)
{
  if (experiment == NULL) return fcps_error_null(error, "experiment");
  if (directory == NULL) return fcps_error_null(error, "directory");
  fcps_experiment_results results;
  fcps_status status = fcps_experiment_results_read(&results, experiment, directory, error);
  if (status != FCPS_OK) return status;

  double *scratch = fcps_allocate(2 * (size_t)experiment->seed_count, sizeof *scratch);
  status = scratch != NULL ? fcps_experiment_results_write(&results, directory, error) : fcps_error_memory(error);
  if (status == FCPS_OK) {
    status = write_claims(&results, directory, scratch, scratch + experiment->seed_count, error);
  }
  if (status == FCPS_OK) status = fcps_experiment_summary_write(&results, directory, error);
  if (status == FCPS_OK) status = fcps_times_write(experiment, directory, error);
  free(scratch);
  fcps_experiment_results_destroy(&results);
  return status;
}
