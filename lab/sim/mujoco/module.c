/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the module (fcps_sim_ops). Each sim has its own state on a shared model, and moves one control
 * period at a time. Every call of MuJoCo is guarded (see Guard), and after each call the state is checked for signs of
 * instability. */
#include "base/error.h"
#include "base/memory.h"
#include "lab/sim/mujoco/robots.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of a function that runs under the guard. */
typedef struct call {
  fcps_sim *sim;
  const double *first, *second; /* for reset: the object's position; for follow: position and velocity of the hand */
} call;

static void make_data(void *argument)
{
  call *c = argument;
  c->sim->data = mj_makeData(c->sim->shared->m);
}

static void destroy(fcps_sim *sim)
{
  if (sim == NULL) return;
  mj_deleteData(sim->data);
  if (sim->shared != NULL) fcps_mujoco_model_release(sim->shared);
  free(sim);
}

static fcps_status create(fcps_sim **sim, fcps_sim_robot kind, const char *models, fcps_error *error)
{
  *sim = NULL;
  if (mj_version() != mjVERSION_HEADER)
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL,
                          "MuJoCo has version %d, but the robot module was built for %d; build fcps again",
                          mj_version(), mjVERSION_HEADER);
  fcps_sim *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return fcps_error_memory(error);
  const fcps_status status = fcps_mujoco_model_acquire(&made->shared, kind, models, error);
  if (status != FCPS_OK) {
    free(made);
    return status;
  }
  if (!fcps_mujoco_guard(make_data, &(call){.sim = made}, made->trouble) || made->data == NULL) {
    destroy(made);
    return fcps_error_memory(error);
  }
  *sim = made;
  return FCPS_OK;
}

static const fcps_sim_facts *facts(const fcps_sim *sim)
{
  return &sim->shared->facts;
}

/* Notes the first sign of instability. If the state is not finite, mj_step silently resets it and continues. Two signs
 * reveal that: MuJoCo's warnings, and a clock that does not show the expected time. */
static void watch(fcps_sim *sim)
{
  static const struct {
    mjtWarning warning;
    const char *words;
  } serious[] = {
      {mjWARN_BADQPOS, "a position is not finite or too large"},
      {mjWARN_BADQVEL, "a velocity is not finite or too large"},
      {mjWARN_BADQACC, "an acceleration is not finite or too large"},
      {mjWARN_CONTACTFULL, "too many contacts"},
      {mjWARN_CNSTRFULL, "too many constraints"},
  };
  if (sim->trouble[0]) return;
  const mjData *d = sim->data;
  for (size_t i = 0; i < sizeof serious / sizeof *serious; i++)
    if (d->warning[serious[i].warning].number > 0) {
      snprintf(sim->trouble, sizeof sim->trouble, "the simulation became unstable before %.3f s: %s", sim->time_due,
               serious[i].words);
      return;
    }
  if (!(fabs(d->time - sim->time_due) < 1e-9))
    snprintf(sim->trouble, sizeof sim->trouble, "the simulation restarted itself before %.3f s", sim->time_due);
}

static void observe(const fcps_sim *sim, fcps_sim_view *view)
{
  *view = (fcps_sim_view){
      .time = sim->data->time - sim->shared->time, .is_stable = !sim->trouble[0], .trouble = sim->trouble};
  sim->shared->robot->observe(sim->shared, sim->data, view->hand, view->object);
}

static void reset_body(void *argument)
{
  const call *c = argument;
  const model *shared = c->sim->shared;
  mjData *d = c->sim->data;

  /* the full reset also clears the solver's warm start and the warnings, so every rollout starts from the same bits */
  mj_resetData(shared->m, d);
  d->time = shared->time;
  memcpy(d->qpos, shared->qpos, (size_t)shared->m->nq * sizeof *d->qpos);
  memcpy(d->qvel, shared->qvel, (size_t)shared->m->nv * sizeof *d->qvel);
  shared->robot->reset(shared, d, c->first);
}

static void reset(fcps_sim *sim, const double *object, fcps_sim_view *view)
{
  sim->trouble[0] = 0;
  sim->time_due = sim->shared->time;
  if (fcps_mujoco_guard(reset_body, &(call){sim, object, NULL}, sim->trouble)) watch(sim);
  observe(sim, view);
}

static void follow_body(void *argument)
{
  const call *c = argument;
  c->sim->shared->robot->follow(c->sim->shared, c->sim->data, c->first, c->second);
}

static void follow(fcps_sim *sim, const double *position, const double *velocity, fcps_sim_view *view)
{
  sim->time_due += sim->shared->facts.period;
  /* NaN is refused here, because clipping to the reach would turn it into a number */
  for (int i = 0; i < 3 && !sim->trouble[0]; i++)
    if (!isfinite(position[i]) || !isfinite(velocity[i]))
      snprintf(sim->trouble, sizeof sim->trouble, "the desired position of the hand is not finite at %.3f s",
               sim->time_due);
  if (!sim->trouble[0] && fcps_mujoco_guard(follow_body, &(call){sim, position, velocity}, sim->trouble)) watch(sim);
  observe(sim, view);
}

FCPS_API extern const fcps_sim_ops fcps_robots;
const fcps_sim_ops fcps_robots = {
    .interface = FCPS_SIM_INTERFACE,
    .create = create,
    .destroy = destroy,
    .facts = facts,
    .reset = reset,
    .follow = follow,
    .camera_create = fcps_camera_create,
    .camera_destroy = fcps_camera_destroy,
    .draw = fcps_camera_draw,
};

/* -- Guard -- */

/* MuJoCo's errors as return values.
 *
 * By default an error of MuJoCo writes MUJOCO_LOG.TXT, prints and exits. An error handler may not return, so ours jumps
 * back to the beginning of the guarded call. The mjData of that call must then be reset before it is used again. MuJoCo
 * is C, so the jump skips only its own clean-up. mj_loadXML has its own handler and is not guarded.
 */

/* where this thread continues after an error, and MuJoCo's message */
static _Thread_local jmp_buf *rescue;
static _Thread_local char words[TROUBLE_SIZE];

static void on_error(const char *message)
{
  if (rescue == NULL) return; /* the call was not guarded, so there is no place to jump to */
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
