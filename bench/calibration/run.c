/* SPDX-License-Identifier: Apache-2.0 */
/* The study is in memory. Only the table that is imported is a temporary file. */
#include "calibration/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static calibration_world world;

static void print_numbers(FILE *file, int count, const double *values)
{
  for (int i = 0; i < count; i++)
    fprintf(file, ",%.17g", values[i]);
}

/* Writes all rows as a table. */
static void write_table(FILE *file, bool is_converging)
{
  static const char *const heads[] = {
      "x,wind,turn,speed,land", "x,y,wind,turn,speed,land_x,land_y",
      "x,y,wind,turn,speed,push_x,push_y,land_x,land_y,stop_x,stop_y,height,force,heat,duration"};
  const int count = world.environments + world.parameters;
  double best[CALIBRATION_MOST], least = INFINITY;
  fprintf(file, "status,%s\n", heads[world.outcomes == 1 ? 0 : world.outcomes == 2 ? 1 : 2]);
  for (int row = 0; row < world.rows; row++) {
    double target[2], inputs[CALIBRATION_MOST], outcome[CALIBRATION_MOST];
    calibration_draw(&world, row, is_converging, least < INFINITY ? best : NULL, target, inputs);
    calibration_happen(&world, row, inputs, outcome);
    const double miss = calibration_miss(&world, target, outcome);
    if (miss < least) {
      least = miss;
      memcpy(best, inputs, (size_t)count * sizeof *best);
    }
    fprintf(file, "ok");
    print_numbers(file, world.targets, target);
    print_numbers(file, count, inputs);
    print_numbers(file, world.outcomes, outcome);
    fprintf(file, "\n");
  }
}

static fcps_status import_rows(fcps_study *study, bool is_converging, fcps_error *error)
{
  char path[] = "/tmp/fcps-calibration-XXXXXX";
  const int descriptor = mkstemp(path);
  FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
  if (file == NULL) return FCPS_ERR_STORE;
  write_table(file, is_converging);
  const bool is_written = fclose(file) == 0;
  const fcps_status status = is_written ? fcps_study_import_again(study, path, NULL, NULL, error) : FCPS_ERR_STORE;
  unlink(path);
  return status;
}

/* Lets the learner ask, as in `fcps run`. */
static fcps_status ask_rows(fcps_study *study, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  for (int row = 0; row < world.rows && status == FCPS_OK; row++) {
    double target[2], inputs[CALIBRATION_MOST], outcome[CALIBRATION_MOST];
    fcps_ask ask;
    calibration_draw(&world, row, false, NULL, target, inputs);
    status = fcps_study_ask(study, NULL, target, inputs, &ask, error);
    if (status != FCPS_OK) break;
    memcpy(inputs + world.environments, ask.parameters, (size_t)world.parameters * sizeof *inputs);
    calibration_happen(&world, row, inputs, outcome);
    const fcps_result result = {.rollout.outcome = outcome};
    status = fcps_study_tell(study, ask.id, &result, NULL, error);
  }
  return status;
}

fcps_status calibration_run(const calibration_kind *kind, calibration_inputs inputs, int rows, int outcomes,
                            uint64_t seed, calibration_claims *claims, fcps_error *error)
{
  fcps_study *study = NULL;
  calibration_world_create(&world, kind, outcomes, rows, seed);
  const fcps_study_setup setup = {.text = world.problem, .text_name = kind->name, .seed = seed};
  const fcps_study_options options = {.log = {calibration_claims_hear, claims}};
  fcps_status status = fcps_study_create(&study, NULL, &setup, &options, error);
  if (status != FCPS_OK) return status;
  status = inputs == INPUTS_ASKED ? ask_rows(study, error) : import_rows(study, inputs == INPUTS_CONVERGING, error);
  if (status == FCPS_OK) status = calibration_claims_read(claims, study, &world, error);
  fcps_study_close(study);
  return status;
}
