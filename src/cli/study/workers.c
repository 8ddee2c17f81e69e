/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the workers of a study: those at work, the others whose trials failed most often, and the sum of all
 * others, which a cluster has by the thousand. */
#include "cli/study/study.h"

#include "cli/support/shown.h"
#include "wire/status.h"

#include <limits.h>
#include <stdio.h>

/* The most workers without unfinished trials that are named. */
enum { MOST_FAILING = 8 };

static void print_worker(const fcps_wire_worker *w)
{
  printf("  %-16s %d result%s, %d failed", cli_shown(w->name), w->results, w->results == 1 ? "" : "s", w->failed);
  char rate[FCPS_WIRE_RATE_SIZE];
  if (fcps_wire_worker_rate(w) > 0) printf(", %s", fcps_wire_rate_text(fcps_wire_worker_rate(w), rate));
  if (w->leases > 0) printf("; %d under way", w->leases - w->ended_leases);
  if (w->ended_leases > 0) printf(", %d silent for too long, for the next worker", w->ended_leases);
  printf("\n");
}

/* Finds the worker without unfinished trials that has most failures below `most`, or equally many and a larger
 * number than `after`; -1 if there is none. */
static int find_failing(const fcps_wire_worker *workers, int count, int most, int after)
{
  int found = -1;
  for (int i = 0; i < count; i++) {
    const fcps_wire_worker *w = &workers[i];
    const bool is_next = w->failed < most || (w->failed == most && i > after);
    if (w->leases == 0 && w->failed > 0 && is_next && (found < 0 || w->failed > workers[found].failed)) found = i;
  }
  return found;
}

static void print_failing(const fcps_wire_worker *workers, int count)
{
  int most = INT_MAX, after = -1;
  for (int shown = 0; shown < MOST_FAILING; shown++) {
    after = find_failing(workers, count, most, after);
    if (after < 0) return;
    most = workers[after].failed;
    print_worker(&workers[after]);
  }
}

void cli_workers_print(const fcps_study *study)
{
  int count = 0, busy = 0, results = 0, failed = 0;
  fcps_wire_worker *workers = fcps_wire_workers_list(study, &count);
  for (int i = 0; i < count; i++) {
    busy += workers[i].leases > 0;
    if (workers[i].leases > 0) continue;
    results += workers[i].results;
    failed += workers[i].failed;
  }
  if (count > 0)
    printf("workers            %d with unfinished trials; %d others told %d results, %d failed\n", busy, count - busy,
           results, failed);
  for (int i = 0; i < count; i++)
    if (workers[i].leases > 0) print_worker(&workers[i]);
  print_failing(workers, count);
  fcps_free(workers);
}
