/* SPDX-License-Identifier: Apache-2.0 */
/* The cannon's picture as data files: a grid of ground heights, the targets with their landings, and the flights. Each
 * file is written in memory and replaced at once. */
#include "lab/task/cannon/sketch.h"

#include "base/error.h"
#include "format/csv.h"
#include "format/file.h"

#include <stdio.h>
#include <stdlib.h>

enum { GROUND_POINTS = 101, FLIGHT_POINTS = 60 };

/* The contents of the three files. */
typedef struct trial_set {
  const fcps_cannon *cannon;
  int count;
  const double *targets;
  const double *parameters; /* NULL: the best shots */
} trial_set;

typedef void rows_fn(const trial_set *trials, fcps_csv_writer *csv);

static void write_point(fcps_csv_writer *csv, double x, double y, double z)
{
  fcps_csv_write_number(csv, x);
  fcps_csv_write_number(csv, y);
  fcps_csv_write_number(csv, z);
  fcps_csv_end_row(csv);
}

static void write_ground(const trial_set *trials, fcps_csv_writer *csv)
{
  const double step = 2.0 * FCPS_CANNON_REACH / (GROUND_POINTS - 1);
  for (int i = 0; i < GROUND_POINTS; i++) {
    for (int j = 0; j < GROUND_POINTS; j++) {
      const double x = -FCPS_CANNON_REACH + step * i, y = -FCPS_CANNON_REACH + step * j;
      write_point(csv, x, y, fcps_cannon_ground(trials->cannon, x, y));
    }
  }
}

static void shot_at(const trial_set *trials, int index, double *parameters)
{
  if (trials->parameters == NULL) {
    fcps_cannon_best_shot(trials->cannon, trials->targets + 2 * index, parameters);
    return;
  }
  for (int i = 0; i < FCPS_CANNON_PARAMETERS; i++) {
    parameters[i] = trials->parameters[FCPS_CANNON_PARAMETERS * index + i];
  }
}

static void write_mark(const trial_set *trials, fcps_csv_writer *csv, const char *kind, const double *point)
{
  fcps_csv_write_text(csv, kind);
  write_point(csv, point[0], point[1], fcps_cannon_ground(trials->cannon, point[0], point[1]));
}

static void write_marks(const trial_set *trials, fcps_csv_writer *csv)
{
  const double origin[2] = {0.0, 0.0};
  write_mark(trials, csv, "start", origin);
  for (int i = 0; i < trials->count; i++) {
    double parameters[FCPS_CANNON_PARAMETERS], landing[2];
    shot_at(trials, i, parameters);
    fcps_cannon_shoot(trials->cannon, parameters, landing);
    write_mark(trials, csv, "target", trials->targets + 2 * i);
    write_mark(trials, csv, "end", landing);
  }
}

static void write_flights(const trial_set *trials, fcps_csv_writer *csv)
{
  for (int i = 0; i < trials->count; i++) {
    double parameters[FCPS_CANNON_PARAMETERS], points[3 * FLIGHT_POINTS];
    shot_at(trials, i, parameters);
    fcps_cannon_flight(trials->cannon, parameters, FLIGHT_POINTS, points);
    for (int j = 0; j < FLIGHT_POINTS; j++) {
      fcps_csv_write_integer(csv, i + 1);
      write_point(csv, points[3 * j], points[3 * j + 1], points[3 * j + 2]);
    }
  }
}

static fcps_status write_file(const trial_set *trials, const char *directory, const char *name,
                              const char *first_column, rows_fn *write_rows, fcps_error *error)
{
  char path[4096];
  const fcps_status joined = fcps_file_join(directory, name, sizeof path, path, error);
  if (joined != FCPS_OK) return joined;

  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (stream == NULL) return fcps_error_memory(error);

  fcps_csv_writer csv = {.stream = stream};
  if (first_column != NULL) fcps_csv_write_text(&csv, first_column);
  fcps_csv_write_text(&csv, "x");
  fcps_csv_write_text(&csv, "y");
  fcps_csv_write_text(&csv, "z");
  fcps_csv_end_row(&csv);
  write_rows(trials, &csv);

  const bool is_written = !ferror(stream);
  const fcps_status status =
      fclose(stream) == 0 && is_written ? fcps_file_replace(path, text, length, error) : fcps_error_memory(error);
  free(text);
  return status;
}

fcps_status fcps_cannon_sketch(const fcps_cannon *cannon, int count, const double *targets, const double *parameters,
                               const char *directory, fcps_error *error)
{
  const trial_set trials = {cannon, count, targets, parameters};
  fcps_status status = write_file(&trials, directory, "surface.csv", NULL, write_ground, error);
  if (status == FCPS_OK) status = write_file(&trials, directory, "marks.csv", "kind", write_marks, error);
  if (status == FCPS_OK) status = write_file(&trials, directory, "paths.csv", "path", write_flights, error);
  return status;
}
