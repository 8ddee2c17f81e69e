/* SPDX-License-Identifier: Apache-2.0 */
/* How often a study makes false claims, and from how many rows on it makes the true ones.
 *
 *   bench_calibration [NAME=VALUE]...
 *   bench_calibration table FILE...      prints the tables of earlier runs together
 *
 *   kinds=healthy                healthy, structured, textbook, or names: noise,smooth,...
 *   rows=20                      10,20,40,80
 *   outcomes=2                   1,2,8
 *   inputs=uniform,converging    also asked: the learner chooses, one trial after the other
 *   first=1001 seeds=3           seeds from 1001 on are for development, 1 to 100 for reports
 *   jobs=1                       number of processes
 *   out=FILE                     a CSV to which one line per study is added; without it only the tables are printed
 *
 * Textbook functions have one outcome and no target; their inputs are always asked. */
#include "calibration/run.h"
#include "calibration/table.h"
#include "measure.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_VALUES = 8, MOST_JOBS = 64 };

typedef struct plan {
  char kinds[300];
  int rows[MOST_VALUES], row_counts, outcomes[MOST_VALUES], outcome_counts, inputs; /* inputs: bits */
  int first, seeds, jobs;
  char path[300];
} plan;

/* -- One study -- */

static void run_study(calibration_row *r)
{
  fcps_error error = {0};
  const double start = measure_seconds();
  if (calibration_run(r->kind, r->inputs, r->rows, r->outcomes, r->seed, &r->claims, &error) != FCPS_OK) {
    fprintf(stderr, "%s, seed %llu: %s %s\n", r->kind->name, (unsigned long long)r->seed, error.field, error.message);
    exit(1);
  }
  r->seconds = measure_seconds() - start;
}

/* -- All studies -- */

/* Whether `name` is in a list of names with commas. */
static bool names(const char *list, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = strstr(list, name); at != NULL; at = strstr(at + 1, name))
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

static bool is_wanted(const plan *p, const calibration_kind *kind)
{
  static const char *const groups[] = {"healthy", "structured", "textbook"};
  return names(p->kinds, kind->name) || names(p->kinds, groups[kind->group]);
}

/* Finds the study with this number among those of one seed; false past the last. */
static bool study_at(const plan *p, int index, calibration_row *r)
{
  const calibration_kind *kind;
  for (int k = 0; (kind = calibration_kind_at(k)) != NULL; k++)
    for (int o = 0; o < p->outcome_counts; o++)
      for (int n = 0; n < p->row_counts; n++)
        for (int i = 0; i < 3; i++) {
          const bool is_asked = i == INPUTS_ASKED, is_textbook = kind->group == GROUP_TEXTBOOK;
          const int outcomes = is_textbook ? 1 : p->outcomes[o];
          if (!is_wanted(p, kind) || !calibration_kind_has(kind, outcomes)) continue;
          if (is_textbook ? !is_asked || o > 0 : !(p->inputs & 1 << i)) continue;
          if (index-- > 0) continue;
          *r = (calibration_row){.kind = kind, .inputs = i, .rows = p->rows[n], .outcomes = outcomes};
          return true;
        }
  return false;
}

/* Does the studies of every `jobs`-th seed. Each line is one write, so lines of several processes do not mix. */
static void run_seeds(const plan *p, int job, int file)
{
  for (int seed = p->first + job; seed < p->first + p->seeds; seed += p->jobs) {
    calibration_row r;
    for (int i = 0; study_at(p, i, &r); i++) {
      char line[1024];
      r.seed = (uint64_t)seed;
      run_study(&r);
      calibration_table_write(&r, sizeof line, line);
      if (write(file, line, strlen(line)) != (ssize_t)strlen(line)) measure_require(FCPS_ERR_STORE, "CSV");
    }
    fprintf(stderr, "seed %d\n", seed);
  }
}

static bool run_all(const plan *p, int file)
{
  bool is_well = true;
  for (int job = 1; job < p->jobs; job++)
    if (fork() == 0) {
      run_seeds(p, job, file);
      _exit(0);
    }
  run_seeds(p, 0, file);
  for (int ended; wait(&ended) > 0;)
    is_well = is_well && ended == 0;
  return is_well;
}

/* -- The command line -- */

static int read_numbers(const char *text, int *values)
{
  int count = 0;
  for (char *end; *text != '\0' && count < MOST_VALUES; text = *end == ',' ? end + 1 : end) {
    values[count] = (int)strtol(text, &end, 10);
    if (end == text || values[count] < 1 || values[count] > CALIBRATION_ROWS) return 0;
    count++;
  }
  return count;
}

static bool read_value(plan *p, const char *name, const char *value)
{
  if (strcmp(name, "kinds") == 0) {
    snprintf(p->kinds, sizeof p->kinds, "%s", value);
  } else if (strcmp(name, "out") == 0) {
    snprintf(p->path, sizeof p->path, "%s", value);
  } else if (strcmp(name, "rows") == 0) {
    p->row_counts = read_numbers(value, p->rows);
    return p->row_counts > 0;
  } else if (strcmp(name, "outcomes") == 0) {
    p->outcome_counts = read_numbers(value, p->outcomes);
    for (int i = 0; i < p->outcome_counts; i++)
      if (p->outcomes[i] > 2 && p->outcomes[i] != 8) return false;
    return p->outcome_counts > 0;
  } else if (strcmp(name, "inputs") == 0) {
    p->inputs = 0;
    for (int i = 0; i < 3; i++)
      p->inputs |= names(value, calibration_inputs_name((calibration_inputs)i)) << i;
    return p->inputs != 0;
  } else {
    int *number = strcmp(name, "first") == 0   ? &p->first
                  : strcmp(name, "seeds") == 0 ? &p->seeds
                  : strcmp(name, "jobs") == 0  ? &p->jobs
                                               : NULL;
    if (number == NULL) return false;
    *number = atoi(value);
    return *number > 0;
  }
  return true;
}

static bool read_arguments(plan *p, int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (equals == NULL) return false;
    *equals = '\0';
    if (!read_value(p, argv[i], equals + 1)) return false;
  }
  calibration_row unused;
  return p->jobs <= MOST_JOBS && study_at(p, 0, &unused);
}

int main(int argc, char **argv)
{
  plan p = {.kinds = "healthy",
            .rows = {20},
            .row_counts = 1,
            .outcomes = {2},
            .outcome_counts = 1,
            .inputs = 1 << INPUTS_UNIFORM | 1 << INPUTS_CONVERGING,
            .first = 1001,
            .seeds = 3,
            .jobs = 1};
  if (argc > 2 && strcmp(argv[1], "table") == 0) return calibration_table_print(argc - 2, argv + 2) ? 0 : 1;
  if (!read_arguments(&p, argc, argv)) {
    fprintf(stderr, "bench_calibration: there is no such argument, or no such study; bench_calibration.c lists them\n");
    return 2;
  }
  const bool is_kept = p.path[0] != '\0';
  if (!is_kept) strcpy(p.path, "/tmp/fcps-calibration-XXXXXX");
  const int file = is_kept ? open(p.path, O_WRONLY | O_CREAT | O_APPEND, 0644) : mkstemp(p.path);
  if (file < 0) measure_require(FCPS_ERR_STORE, p.path);
  if (!is_kept && fcntl(file, F_SETFL, O_APPEND) != 0) measure_require(FCPS_ERR_STORE, p.path);
  const char *head = calibration_table_head();
  if (lseek(file, 0, SEEK_END) == 0 && write(file, head, strlen(head)) < 0) measure_require(FCPS_ERR_STORE, p.path);
  bool is_well = run_all(&p, file);
  close(file);
  char *path = p.path;
  is_well = calibration_table_print(1, &path) && is_well;
  if (!is_kept) unlink(p.path);
  return is_well ? 0 : 1;
}
