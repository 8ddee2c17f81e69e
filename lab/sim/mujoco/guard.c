/* SPDX-License-Identifier: Apache-2.0 */
/* MuJoCo's errors as return values.
 *
 * By default an error of MuJoCo writes MUJOCO_LOG.TXT, prints and exits. An error handler may not return, so ours jumps
 * back to the beginning of the guarded call. The mjData of that call must then be reset before it is used again. MuJoCo
 * is C, so the jump skips only its own clean-up. mj_loadXML has its own handler and is not guarded.
 */
#include "lab/sim/mujoco/robots.h"

#include <setjmp.h>
#include <stdio.h>

/* where the thread continues after an error, and MuJoCo's message */
static _Thread_local jmp_buf *rescue;
static _Thread_local char words[TROUBLE_SIZE];

static void on_error(const char *message)
{
  if (rescue == NULL) return; /* not from a guarded call */
  snprintf(words, sizeof words, "%s", message);
  longjmp(*rescue, 1);
}

static void on_warning(const char *message)
{
  (void)message; /* MuJoCo counts warnings in mjData.warning, which module.c reads */
}

void fcps_mujoco_guard_install(void)
{
  mju_user_error = on_error;
  mju_user_warning = on_warning;
}

bool fcps_mujoco_guard(void (*body)(void *argument), void *argument, char trouble[TROUBLE_SIZE])
{
  jmp_buf here;
  rescue = &here;
  if (setjmp(here) == 0) {
    body(argument);
    rescue = NULL;
    return true;
  }
  rescue = NULL;
  snprintf(trouble, TROUBLE_SIZE, "%s", words);
  return false;
}
