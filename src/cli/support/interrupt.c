/* SPDX-License-Identifier: Apache-2.0 */
/* Signals: the program handles them, the library never does. The noted signal is the program's only global.
 *
 * A terminal that goes away often sends SIGHUP twice, through the shell and through the kernel, so a hang-up never
 * ends the program at once. It stays ignored if our parent ignores it, as nohup does. */
#include "cli/support/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_bool interrupted; /* several threads may read it */

static void note(int number)
{
  (void)number;
  atomic_store(&interrupted, true);
}

static void watch(int flags)
{
  struct sigaction action = {.sa_handler = note};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | flags;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  struct sigaction before = {.sa_handler = SIG_DFL};
  action.sa_flags = SA_RESTART;
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
}

void cli_interrupt_watch(void)
{
  watch((int)SA_RESETHAND); /* a second signal ends the program at once, as by default */
}

void cli_interrupt_watch_all(void)
{
  watch(0);
}

bool cli_interrupt_stops(void *unused)
{
  (void)unused;
  return atomic_load(&interrupted);
}

/* -- Temporary folders -- */

/* A signal handler may only call safe functions, so it needs the names beforehand. If the program notes signals
 * itself (cli_interrupt_watch), it ends in order, and atexit removes the folders. */

/* A folder, its file, and the file while it is being written (format/file.h). */
typedef struct passing {
  char folder[64], file[128], draft[192];
} passing;

static passing places[CLI_PASSING_COUNT];
static pid_t owner; /* the process that removes them; a forked one must not */

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

static void watch_to_remove(void)
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
  if (owner == 0) watch_to_remove();
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
