/* SPDX-License-Identifier: Apache-2.0 */
/* The handler of a signal may only call what is safe there, so the names are made before. If the program notes signals itself
 * (cli/support/interrupt.h) it ends in order, and what atexit calls is enough. */
#include "cli/support/passing_folder.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder, its file, and the file while it is being written (format/draft.h). */
typedef struct passing {
  char folder[64], file[128], draft[192];
} passing;

static passing places[CLI_PASSING_COUNT];
static pid_t owner; /* a process that was forked off removes nothing */

static void remove_place(const passing *place)
{
  if (place->folder[0] == '\0') return;
  unlink(place->draft);
  unlink(place->file);
  rmdir(place->folder);
}

static void remove_all(void)
{
  for (int i = 0; i < CLI_PASSING_COUNT && getpid() == owner; i++)
    remove_place(&places[i]);
}

static void on_signal(int number)
{
  remove_all();
  signal(number, SIG_DFL);
  raise(number);
}

static void watch(void)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  owner = getpid();
  atexit(remove_all);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction before = {.sa_handler = SIG_IGN}, action = {.sa_handler = on_signal};
    sigfillset(&action.sa_mask);
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) sigaction(numbers[i], &action, NULL);
  }
}

const char *cli_passing_folder_make(cli_passing kind, const char *name)
{
  static const char *const words[CLI_PASSING_COUNT] = {"copy", "report"};
  const char *ending = strrchr(name, '.');
  char folder[sizeof places->folder], file[sizeof places->file];
  if (owner == 0) watch();
  cli_passing_folder_remove(kind);
  passing *place = &places[kind];
  snprintf(folder, sizeof folder, "/tmp/fcps-%s-XXXXXX", words[kind]);
  if (mkdtemp(folder) == NULL) return NULL;
  snprintf(file, sizeof file, "%s/%.40s", folder, name);
  snprintf(place->draft, sizeof place->draft, "%s.new-%ld-0%s", file, (long)getpid(), ending != NULL ? ending : "");
  memcpy(place->file, file, sizeof file);
  memcpy(place->folder, folder, sizeof folder);
  return place->file;
}

void cli_passing_folder_remove(cli_passing kind)
{
  remove_place(&places[kind]);
  places[kind] = (passing){.folder = ""};
}
