/* SPDX-License-Identifier: Apache-2.0 */
/* Models: each model is loaded, edited and brought to its ready state once. Then it is constant, and all sims of its
 * kind share it.
 *
 * The table below is the only mutable global of the module. It counts the users of each model, under a lock, so that
 * many tasks (one per thread) share one mjModel. No result depends on it. */
#include "lab/sim/mujoco/robots.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const robot *const robots[FCPS_SIM_ROBOT_COUNT] = {&fcps_mujoco_fetch_push, &fcps_mujoco_fetch_slide,
                                                          &fcps_mujoco_thrower};

static struct {
  struct {
    model *made;
    int users;
  } of[FCPS_SIM_ROBOT_COUNT];
} shared_models;

fcps_status fcps_mujoco_model_find(const model *made, mjtObj type, const char *name, int *id, fcps_error *error)
{
  *id = mj_name2id(made->m, (int)type, name);
  if (*id >= 0) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL,
                        "the model %s has no %s \"%s\": run scripts/setup-robots again", made->robot->file,
                        mju_type2Str((int)type), name);
}

static void free_model(model *made)
{
  if (made == NULL) return;
  mj_deleteModel(made->m);
  free(made->qpos);
  free(made->qvel);
  free(made);
}

typedef struct preparation {
  model *made;
  mjData *data;
} preparation;

static void prepare(void *argument)
{
  preparation *p = argument;
  p->data = mj_makeData(p->made->m);
  p->made->robot->prepare(p->made, p->data);
}

/* Moves the robot to its start in an mjData of its own, and keeps the final state as the ready state. */
static fcps_status stand_ready(model *made, fcps_error *error)
{
  const size_t nq = (size_t)made->m->nq, nv = (size_t)made->m->nv;
  made->qpos = fcps_allocate(nq, sizeof *made->qpos);
  made->qvel = fcps_allocate(nv, sizeof *made->qvel);
  if (made->qpos == NULL || made->qvel == NULL) return fcps_error_memory(error);

  char trouble[TROUBLE_SIZE];
  preparation p = {.made = made};
  const bool is_ready = fcps_mujoco_guard(prepare, &p, trouble);
  if (is_ready) {
    made->time = p.data->time;
    memcpy(made->qpos, p.data->qpos, nq * sizeof *made->qpos);
    memcpy(made->qvel, p.data->qvel, nv * sizeof *made->qvel);
  }
  mj_deleteData(p.data);
  return is_ready ? FCPS_OK
                  : fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL, "the set-up of %s failed: %s", made->robot->file,
                                   trouble);
}

static fcps_status load(model **result, const robot *kind, const char *models, fcps_error *error)
{
  char path[4096], words[512] = "";
  snprintf(path, sizeof path, "%s/%s", models, kind->file);
  model *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return fcps_error_memory(error);
  made->robot = kind;
  made->m = mj_loadXML(path, NULL, words, sizeof words);
  fcps_status status = made->m != NULL
                           ? FCPS_OK
                           : fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL,
                                            "%s cannot be loaded: %.300s; run scripts/setup-robots", path, words);
  if (status == FCPS_OK) status = kind->edit(made, error);
  if (status == FCPS_OK) status = stand_ready(made, error);
  if (status != FCPS_OK) {
    free_model(made);
    return status;
  }
  *result = made;
  return FCPS_OK;
}

fcps_status fcps_mujoco_model_acquire(const model **shared, fcps_sim_robot kind, const char *models, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  fcps_lock_take(FCPS_LOCK_MODELS);
  fcps_mujoco_guard_install();
  if (shared_models.of[kind].made == NULL) status = load(&shared_models.of[kind].made, robots[kind], models, error);
  if (status == FCPS_OK) {
    shared_models.of[kind].users++;
    *shared = shared_models.of[kind].made;
  }
  fcps_lock_give(FCPS_LOCK_MODELS);
  return status;
}

void fcps_mujoco_model_release(const model *shared)
{
  fcps_lock_take(FCPS_LOCK_MODELS);
  for (int kind = 0; kind < FCPS_SIM_ROBOT_COUNT; kind++) {
    if (shared_models.of[kind].made != shared || --shared_models.of[kind].users > 0) continue;
    free_model(shared_models.of[kind].made);
    shared_models.of[kind].made = NULL;
  }
  fcps_lock_give(FCPS_LOCK_MODELS);
}
