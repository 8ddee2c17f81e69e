/* SPDX-License-Identifier: Apache-2.0 */
/* From finished runs to verdicts: writes the tables, the claims, the summary that the report reads, and the times. */
#include "base/error.h"
#include "base/memory.h"
#include "experiment/judge.h"
#include "experiment/summary.h"
#include "experiment/table_file.h"
#include "experiment/times.h"

#include <stdlib.h>

static void write_judgement(fcps_csv_writer *csv, const fcps_claim *claim, const fcps_judgement *judgement)
{
  fcps_csv_write_text(csv, judgement->claim);
  fcps_csv_write_text(csv, judgement->paper);
  fcps_csv_write_number(csv, judgement->ours);
  fcps_csv_write_number(csv, judgement->se);
  fcps_csv_write_text(csv, fcps_verdict_text(judgement->verdict));
  fcps_csv_write_text(csv, judgement->detail);
  fcps_csv_write_text(csv, claim->note != NULL ? claim->note : "");
  fcps_csv_end_row(csv);
}

/* Judges every claim and writes claims.csv. */
static fcps_status write_claims(const fcps_experiment_results *results, const char *directory, double *a, double *b,
                                fcps_error *error)
{
  static const char *const names[] = {"claim", "paper", "ours", "standard_error", "verdict", "detail", "note", NULL};
  const fcps_experiment *experiment = results->experiment;
  fcps_table_file file;
  const fcps_status status = fcps_table_file_begin(&file, names, error);
  if (status != FCPS_OK) return status;

  for (int i = 0; i < experiment->claim_count; i++) {
    fcps_judgement judgement;
    fcps_judge(results, &experiment->claims[i], a, b, &judgement);
    write_judgement(&file.csv, &experiment->claims[i], &judgement);
  }
  return fcps_table_file_end(&file, experiment, directory, "claims.csv", error);
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
