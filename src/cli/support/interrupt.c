/* SPDX-License-Identifier: Apache-2.0 */
/* Signals belong to the program, never to the library. What was noted is the program's only global.
 *
 * A terminal that goes away often hangs up twice, through the shell and through the kernel: so a hang-up is noted
 * as often as it comes. It stays ignored if our parent ignores it, as nohup does. */
#include "cli/support/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_bool interrupted; /* several threads may ask */

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
  watch((int)SA_RESETHAND); /* the second time the default is back: the end, at once */
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
