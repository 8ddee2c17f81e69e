/* SPDX-License-Identifier: Apache-2.0 */
/* Each row is printed at once and, with FCPS_BENCH_JSON, appended to that file as one JSON object. */
#include "measure.h"

#include "base/number.h"
#include "base/process.h"
#include "format/json.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *benchmark;
static bool head_printed;

double measure_seconds(void)
{
  return fcps_clock_processor_seconds();
}

double measure_clock(void)
{
  return fcps_clock_seconds();
}

measure_summary measure_summarize(int count, double *values)
{
  qsort(values, (size_t)count, sizeof *values, fcps_number_compare);
  return (measure_summary){values[count / 2], values[(3 * count) / 4] - values[count / 4]};
}

double measure_uniform_at(uint64_t seed, uint64_t number)
{
  uint64_t x = seed * UINT64_C(0x9E3779B97F4A7C15) + number * UINT64_C(0xBF58476D1CE4E5B9) + 1;
  x ^= x >> 30, x *= UINT64_C(0xBF58476D1CE4E5B9), x ^= x >> 27, x *= UINT64_C(0x94D049BB133111EB), x ^= x >> 31;
  return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

double measure_normal_at(uint64_t seed, uint64_t number)
{
  static const double pi = 3.14159265358979323846;
  return sqrt(-2 * log(measure_uniform_at(seed, 2 * number))) * cos(2 * pi * measure_uniform_at(seed, 2 * number + 1));
}

bool measure_believes(const fcps_learner *learner, const char *structure)
{
  char *text = NULL, entry[64];
  fcps_error error;
  measure_require(fcps_learner_save(learner, &text, &error), "save");
  snprintf(entry, sizeof entry, "{\"name\":\"%s\",", structure);
  const bool answer = strstr(text, entry) != NULL;
  free(text);
  return answer;
}

/* The model name of the first processor, from /proc/cpuinfo. */
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
