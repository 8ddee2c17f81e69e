/* SPDX-License-Identifier: Apache-2.0 */
/* One block holds the pointers and, behind them, the texts. */
#include "run/program/environment.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

extern char **environ;

enum { WORKER_SIZE = 32 };

/* whether a variable is the one that is set here */
static bool is_worker(const char *variable)
{
  static const char name[] = FCPS_PROGRAM_WORKER "=";
  return strncmp(variable, name, sizeof name - 1) == 0;
}

char **fcps_program_environment(int worker)
{
  size_t count = 0, bytes = WORKER_SIZE;
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
    count++;
    bytes += strlen(*variable) + 1;
  }
  char **block = fcps_allocate((count + 2) * sizeof *block + bytes, 1), **place = block;
  if (block == NULL) return NULL;
  char *text = (char *)(block + count + 2);
  snprintf(text, WORKER_SIZE, FCPS_PROGRAM_WORKER "=%d", worker);
  *place++ = text;
  text += WORKER_SIZE;
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
    if (is_worker(*variable)) continue;
    const size_t size = strlen(*variable) + 1;
    *place++ = memcpy(text, *variable, size);
    text += size;
  }
  return block; /* zeroed, so it ends with NULL */
}
