/* SPDX-License-Identifier: Apache-2.0 */
/* MuJoCo's errors as return values.
 *
 * By default an error of MuJoCo writes MUJOCO_LOG.TXT, prints and exits. Its handler may not return, so it jumps back
 * to where the guarded call began; the mjData of that call must then be reset before it is used again. MuJoCo is C, so
 * nothing is skipped by the jump but its own clean-up. mj_loadXML has a handler of its own and is not guarded.
 */
#include "sim/mujoco/robots.h"

#include <setjmp.h>
#include <stdio.h>

/* where the running thread goes on after an error, and MuJoCo's words for it */
static _Thread_local jmp_buf *rescue;
static _Thread_local char words[TROUBLE_SIZE];

static void on_error(const char *message)
{
  if (rescue == NULL) return; /* not from a call of ours */
  snprintf(words, sizeof words, "%s", message);
  longjmp(*rescue, 1);
}

static void on_warning(const char *message)
{
  (void)message; /* counted in mjData.warning, where module.c looks */
}

void fcps_mujoco_guard_install(void)
{
  mju_user_error = on_error;
  mju_user_warning = on_warning;
}

bool fcps_mujoco_guard(void (*body)(void *argument), void *argument, char trouble[TROUBLE_SIZE])
{
  jmp_buf place;
  rescue = &place;
  if (setjmp(place) == 0) {
    body(argument);
    rescue = NULL;
    return true;
  }
  rescue = NULL;
  snprintf(trouble, TROUBLE_SIZE, "%s", words);
  return false;
}
