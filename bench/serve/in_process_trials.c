/* SPDX-License-Identifier: Apache-2.0 */
/* Does in one process what bench/serve/load.py does over HTTP: clients ask and tell on several studies, with a thread
 * for each study. Prints the seconds of every ask and every tell, one per line, and then the total number of seconds.
 *
 *   in_process_trials SECONDS CLIENTS STUDY... */
#include "measure.h"

#include <fcps/fcps.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct worker {
  fcps_study *study;
  double until;
  int clients;
  size_t count, capacity;
  double (*times)[2]; /* the times of an ask and its tell */
  pthread_t thread;
} worker;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A number in [lower, upper) from a low-discrepancy sequence, which spreads contexts evenly. */
static double spread(size_t index, double step, double lower, double upper)
{
  return lower + (upper - lower) * fmod((double)(index + 1) * step, 1.0);
}

static void one_trial(worker *w)
{
  const size_t i = w->count;
  const double target[2] = {spread(i, 0.7548776662466927, -8, 8), spread(i, 0.5698402909980532, -8, 8)};
  const double wind = spread(i, 0.8191725133961645, -1, 1);
  char client[32];
  fcps_ask ask;
  snprintf(client, sizeof client, "robot %d", (int)(i % (size_t)w->clients));
  const double begin = now();
  measure_require(fcps_study_ask(w->study, client, target, &wind, &ask, NULL), "ask");
  const double asked = now();
  const double turn = ask.parameters[0] * 3.14159265358979323846 / 180, speed = ask.parameters[1];
  const double landing[2] = {speed * cos(turn) + wind, speed * sin(turn)};
  const fcps_result result = {.rollout.outcome = landing, .client = client};
  const double told = now();
  measure_require(fcps_study_tell(w->study, ask.id, &result, NULL, NULL), "tell");
  w->times[i][0] = asked - begin;
  w->times[i][1] = now() - told;
  w->count++;
}

static void *work(void *argument)
{
  worker *w = argument;
  while (now() < w->until) {
    if (w->count == w->capacity) {
      w->capacity = w->capacity > 0 ? 2 * w->capacity : 1024;
      w->times = realloc(w->times, w->capacity * sizeof *w->times);
      measure_require(w->times != NULL ? FCPS_OK : FCPS_ERR_MEMORY, "memory");
    }
    one_trial(w);
  }
  return NULL;
}

int main(int argc, char **argv)
{
  if (argc < 4) {
    fprintf(stderr, "in_process_trials SECONDS CLIENTS STUDY...\n");
    return 2;
  }
  const int count = argc - 3, clients = atoi(argv[2]);
  worker *workers = calloc((size_t)count, sizeof *workers);
  measure_require(workers != NULL ? FCPS_OK : FCPS_ERR_MEMORY, "memory");
  for (int i = 0; i < count; i++)
    measure_require(fcps_study_open(&workers[i].study, argv[3 + i], NULL, NULL), "open");
  const double begin = now();
  for (int i = 0; i < count; i++) {
    workers[i].until = begin + atof(argv[1]);
    workers[i].clients = (clients + count - 1) / count;
    measure_require(pthread_create(&workers[i].thread, NULL, work, workers + i) == 0 ? FCPS_OK : FCPS_ERR_MEMORY,
                    "thread");
  }
  for (int i = 0; i < count; i++)
    pthread_join(workers[i].thread, NULL);
  const double taken = now() - begin;
  for (int i = 0; i < count; i++) {
    for (size_t t = 0; t < workers[i].count; t++)
      printf("%.9f %.9f\n", workers[i].times[t][0], workers[i].times[t][1]);
    fcps_study_close(workers[i].study);
    free(workers[i].times);
  }
  printf("%.3f\n", taken);
  free(workers);
  return 0;
}
