/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include "format/json.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *benchmark;
static bool head_printed;

static double read_clock(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double measure_seconds(void)
{
  return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double measure_clock(void)
{
  return read_clock(CLOCK_MONOTONIC);
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

measure_summary measure_summarize(int count, double *values)
{
  qsort(values, (size_t)count, sizeof *values, ascending);
  return (measure_summary){values[count / 2], values[(3 * count) / 4] - values[count / 4]};
}

/* The model name of the first processor, as the system says it. */
static void processor(size_t size, char *name)
{
  char line[256];
  snprintf(name, size, "unknown processor");
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
    snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    break;
  }
  if (file != NULL) fclose(file);
}

static void write_line(fcps_json *json)
{
  const char *path = getenv("FCPS_BENCH_JSON");
  FILE *file = path != NULL && json != NULL ? fopen(path, "a") : NULL;
  if (file != NULL) {
    char *text = fcps_json_write(json);
    if (text != NULL) fprintf(file, "%s\n", text);
    fcps_free(text);
    fclose(file);
  }
  fcps_json_destroy(json);
}

void measure_begin(const char *name, const char *what)
{
  char machine[128];
  processor(sizeof machine, machine);
  benchmark = name;
  head_printed = false;
  printf("\n%s: %s\n%s, %s, OpenBLAS kernels %s, fcps %s at %s\n", name, what, machine, __VERSION__, fcps_blas_core(),
         fcps_version(), FCPS_COMMIT);
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "benchmark", fcps_json_from_text(name));
  fcps_json_put(&json, "machine", fcps_json_from_text(machine));
  fcps_json_put(&json, "compiler", fcps_json_from_text(__VERSION__));
  fcps_json_put(&json, "blas", fcps_json_from_text(fcps_blas_core()));
  fcps_json_put(&json, "version", fcps_json_from_text(fcps_version()));
  fcps_json_put(&json, "commit", fcps_json_from_text(FCPS_COMMIT));
  write_line(json);
}

void measure_row(const char *label, const measure_value *values)
{
  if (!head_printed) {
    printf("%-22s", "");
    for (const measure_value *v = values; v->name != NULL; v++)
      printf(" %14s", v->name);
    printf("\n");
    head_printed = true;
  }
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "benchmark", fcps_json_from_text(benchmark));
  fcps_json_put(&json, "row", fcps_json_from_text(label));
  printf("%-22s", label);
  for (const measure_value *v = values; v->name != NULL; v++) {
    if (isnan(v->value))
      printf(" %14s", "-");
    else
      printf(" %14.4g", v->value);
    fcps_json_put(&json, v->name, isnan(v->value) ? fcps_json_null() : fcps_json_from_number(v->value));
  }
  printf("\n");
  fflush(stdout);
  write_line(json);
}

void measure_require(fcps_status status, const char *what)
{
  if (status == FCPS_OK) return;
  fprintf(stderr, "%s: %s: %s\n", benchmark, what, fcps_status_text(status));
  exit(1);
}
