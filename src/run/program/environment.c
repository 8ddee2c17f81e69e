/* SPDX-License-Identifier: Apache-2.0 */
/* One block holds the pointers and, behind them, the texts. */
#include "run/program/environment.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

extern char **environ;

enum { WORKER_SIZE = 32, MOST_ADDED = 2 };

/* Python keeps what it prints to a pipe in a buffer, so that a forgotten flush would look like a program that hangs. */
static const char unbuffered[] = "PYTHONUNBUFFERED=1";

/* whether a variable has the name of a setting NAME=VALUE */
static bool is_of(const char *variable, const char *setting)
{
  const size_t length = strcspn(setting, "=") + 1;
  return strncmp(variable, setting, length) == 0;
}

static bool is_set(const char *setting)
{
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
    if (is_of(*variable, setting)) return true;
  return false;
}

char **fcps_program_environment(int worker)
{
  char number[WORKER_SIZE];
  const char *added[MOST_ADDED] = {number,
                                   is_set(unbuffered) ? NULL : unbuffered}; /* the user's own wish comes first */
  size_t count = 0, bytes = sizeof number + sizeof unbuffered;
  snprintf(number, sizeof number, FCPS_PROGRAM_WORKER "=%d", worker);
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
    count++;
    bytes += strlen(*variable) + 1;
  }
  char **block = fcps_allocate((count + MOST_ADDED + 1) * sizeof *block + bytes, 1), **place = block;
  if (block == NULL) return NULL;
  char *text = (char *)(block + count + MOST_ADDED + 1);
  for (int i = 0; i < MOST_ADDED; i++) {
    if (added[i] == NULL) continue;
    const size_t size = strlen(added[i]) + 1;
    *place++ = memcpy(text, added[i], size);
    text += size;
  }
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
    if (is_of(*variable, number)) continue;
    const size_t size = strlen(*variable) + 1;
    *place++ = memcpy(text, *variable, size);
    text += size;
  }
  return block; /* zeroed, so it ends with NULL */
}
