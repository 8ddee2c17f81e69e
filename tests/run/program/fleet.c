/* SPDX-License-Identifier: Apache-2.0 */
/* One of several programs of a run. It writes into the file of its first argument which ask it begins, and which of the
 * programs it is ("begin 7 3 PID"), and answers. At the ask of its third argument it does what the second one says:
 * crash, hang, garbage, other (a second answer that differs), slow (a minute), key (one that is not used); at all
 * asks from it on: mute (ends without an answer), gate (waits until there is a file with the name of the first argument
 * and "-go"); in program 2 alone: dead (ends without an answer). */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void nap(long ms)
{
  nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static double number_after(const char *line, const char *key)
{
  const char *place = strstr(line, key);
  return place != NULL ? strtod(place + strlen(key), NULL) : 0.0;
}

static void trace(const char *path, const char *what, long number)
{
  const char *worker = getenv("FCPS_WORKER");
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
  dprintf(file, "%s %ld %s %ld\n", what, number, worker != NULL ? worker : "none", (long)getpid());
  close(file);
}

/* an output that is not an answer, or too much output */
static void misbehave(const char *how, long ask)
{
  if (strcmp(how, "crash") == 0 || strcmp(how, "mute") == 0 || strcmp(how, "dead") == 0) exit(3);
  if (strcmp(how, "hang") == 0) nap(60000);
  if (strcmp(how, "garbage") == 0) printf("{\"ask\": %ld, \"outcome\": 7\n", ask);
  if (strcmp(how, "other") == 0) printf("{\"ask\": %ld, \"outcome\": {\"land\": 99}}\n", ask);
  if (strcmp(how, "slow") == 0) nap(60000);
}

static void wait_at_gate(const char *path)
{
  char gate[4096];
  snprintf(gate, sizeof gate, "%s-go", path);
  while (access(gate, F_OK) != 0)
    nap(10);
}

static bool is_bad(const char *how, long ask, long from)
{
  const char *worker = getenv("FCPS_WORKER");
  if (strcmp(how, "mute") == 0) return ask >= from;
  if (strcmp(how, "dead") == 0) return worker != NULL && strcmp(worker, "2") == 0;
  return ask == from;
}

int main(int count, char **arguments)
{
  static char line[65536];
  if (count < 4) return 2;
  const char *path = arguments[1], *how = arguments[2];
  const long from = strtol(arguments[3], NULL, 10);
  while (fgets(line, sizeof line, stdin) != NULL) {
    const long context = (long)number_after(line, "\"context\":"), ask = (long)number_after(line, "\"ask\":");
    if (context > 0) {
      trace(path, "context", context);
      printf("{\"context\": %ld, \"target\": {\"x\": %g}}\n", context, 0.01 * (double)(context % 100));
      fflush(stdout);
      continue;
    }
    trace(path, "begin", ask);
    nap(10 + ask * 7 % 20);
    if (strcmp(how, "gate") == 0 && ask >= from) wait_at_gate(path);
    if (is_bad(how, ask, from)) misbehave(how, ask);
    printf("{\"ask\": %ld, \"outcome\": {\"land\": %.17g}%s}\n", ask, number_after(line, "\"speed\":") / 2,
           strcmp(how, "key") == 0 ? ", \"colour\": 1" : "");
    fflush(stdout);
  }
  return 0;
}
