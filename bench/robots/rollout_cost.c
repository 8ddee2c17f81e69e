/* SPDX-License-Identifier: Apache-2.0 */
/* What a rollout costs beyond the simulation: rollouts of a task against their own recorded controls, replayed through the
 * same calls of mj_step and mj_forward.
 *
 * This program defines mj_step, mj_forward and mj_resetData, which the robot module then finds before MuJoCo's own, so the
 * controls can be recorded without a change of the module. Rounds of both alternate; CPU time is compared.
 *
 *   bench_rollout_cost [rollouts]
 */
#include <fcps/task.h>

#include <mujoco/mujoco.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 7, CONTROLS = 16, STATE = 32 };

typedef struct event {
  enum { RESET, FORWARD, STEP } kind;
  double controls[CONTROLS]; /* mocap place and quaternion, then ctrl */
  double time, qpos[STATE], qvel[STATE];
} event;

static struct {
  bool is_on;
  event *events;
  size_t count, capacity;
  const mjModel *m; /* as last seen */
} record;

static void (*real_step)(const mjModel *, mjData *), (*real_forward)(const mjModel *, mjData *);
static void (*real_reset)(const mjModel *, mjData *);

static void find(const char *name, void *slot)
{
  void *symbol = dlsym(RTLD_NEXT, name);
  if (!symbol) exit(2);
  memcpy(slot, &symbol, sizeof symbol);
}

static void note(int kind, const mjModel *m, const mjData *d)
{
  if (!record.is_on) return;
  if (record.count == record.capacity) {
    record.capacity = 2 * record.capacity + 1024;
    record.events = realloc(record.events, record.capacity * sizeof *record.events);
    if (!record.events) exit(2);
  }
  event *e = &record.events[record.count++];
  e->kind = (unsigned)kind;
  e->time = d->time;
  memcpy(e->controls, d->mocap_pos, (size_t)(3 * m->nmocap) * sizeof(double));
  memcpy(e->controls + 3, d->mocap_quat, (size_t)(4 * m->nmocap) * sizeof(double));
  memcpy(e->controls + 7, d->ctrl, (size_t)m->nu * sizeof(double));
  memcpy(e->qpos, d->qpos, (size_t)m->nq * sizeof(double));
  memcpy(e->qvel, d->qvel, (size_t)m->nv * sizeof(double));
  record.m = m;
}

void mj_step(const mjModel *m, mjData *d)
{
  note(STEP, m, d);
  real_step(m, d);
}

void mj_forward(const mjModel *m, mjData *d)
{
  note(FORWARD, m, d);
  real_forward(m, d);
}

void mj_resetData(const mjModel *m, mjData *d)
{
  note(RESET, m, d);
  real_reset(m, d);
}

static void replay(mjData *d)
{
  const mjModel *m = record.m;
  for (size_t i = 0; i < record.count; i++) {
    const event *e = &record.events[i];
    if (e->kind == RESET) {
      real_reset(m, d);
    } else if (e->kind == FORWARD) {
      d->time = e->time;
      memcpy(d->qpos, e->qpos, (size_t)m->nq * sizeof(double));
      memcpy(d->qvel, e->qvel, (size_t)m->nv * sizeof(double));
      real_forward(m, d);
    } else {
      memcpy(d->mocap_pos, e->controls, (size_t)(3 * m->nmocap) * sizeof(double));
      memcpy(d->mocap_quat, e->controls + 3, (size_t)(4 * m->nmocap) * sizeof(double));
      memcpy(d->ctrl, e->controls + 7, (size_t)m->nu * sizeof(double));
      real_step(m, d);
    }
  }
}

static void run(fcps_task *task, int rollouts)
{
  const fcps_space *space = &fcps_task_problem(task)->parameters;
  for (int i = 0; i < rollouts; i++) {
    double target[2], object[2], parameters[6], outcome[3];
    fcps_task_context(task, i, target, object);
    for (int j = 0; j < space->count; j++)
      parameters[j] = space->dims[j].lower +
                      fmod(0.37 + 0.618 * (i + 1) * (j + 1), 1) * (space->dims[j].upper - space->dims[j].lower);
    fcps_result result = {.outcome = outcome};
    if (fcps_task_run(task, i, object, parameters, &result) != FCPS_OK) exit(2);
  }
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int measure(const char *name, int rollouts)
{
  fcps_task *task;
  fcps_error error;
  if (fcps_task_create(&task, name, NULL, 1, &error) != FCPS_OK) {
    fprintf(stderr, "%s: %s\n", name, error.message);
    return 1;
  }
  record.count = 0;
  record.is_on = true;
  run(task, rollouts);
  record.is_on = false;

  mjData *d = mj_makeData(record.m);
  double own[ROUNDS], replayed[ROUNDS], ratio[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    double start = now();
    run(task, rollouts);
    own[i] = (now() - start) / rollouts;
    start = now();
    replay(d);
    replayed[i] = (now() - start) / rollouts;
    ratio[i] = own[i] / replayed[i];
  }
  qsort(own, ROUNDS, sizeof *own, by_size);
  qsort(replayed, ROUNDS, sizeof *replayed, by_size);
  qsort(ratio, ROUNDS, sizeof *ratio, by_size);
  printf("%-12s rollout %8.3f ms, replay %8.3f ms, ratio %.3f (%.3f to %.3f in %d rounds)\n", name,
         1e3 * own[ROUNDS / 2], 1e3 * replayed[ROUNDS / 2], ratio[ROUNDS / 2], ratio[0], ratio[ROUNDS - 1], ROUNDS);
  mj_deleteData(d);
  fcps_task_destroy(task);
  return 0;
}

int main(int argc, char **argv)
{
  find("mj_step", &real_step);
  find("mj_forward", &real_forward);
  find("mj_resetData", &real_reset);
  const int rollouts = argc > 1 ? atoi(argv[1]) : 40;
  if (rollouts < 1) return 2;
  return measure("fetch-push", rollouts) || measure("fetch-slide", rollouts) || measure("thrower", 20 * rollouts);
}
