/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of a rollout beyond its simulation: compares rollouts of a task with their recorded controls, replayed
 * through the same calls of mj_step and mj_forward.
 *
 *   rollout, replay   processor milliseconds per rollout; rounds of both alternate, and `ratio` is the median of their
 *                     ratios
 *   simulated s/s     simulated seconds per processor second, and per second on the clock with two threads
 *
 * This program defines mj_step, mj_forward and mj_resetData. The robot module finds them before those of MuJoCo, so the
 * controls can be recorded without a change to the module.
 *
 *   bench_rollout_cost [rollouts]
 */
#include "measure.h"

#include <fcps/lab/task.h>

#include <mujoco/mujoco.h>

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7, CONTROLS = 16, STATE = 32 };

typedef struct event {
  enum { RESET, FORWARD, STEP } kind;
  double controls[CONTROLS]; /* mocap position and quaternion, then ctrl */
  double time, qpos[STATE], qvel[STATE];
} event;

static struct {
  bool is_on;
  event *events;
  size_t count, capacity;
  const mjModel *m; /* from the last call */
} record;

static void (*real_step)(const mjModel *, mjData *), (*real_forward)(const mjModel *, mjData *);
static void (*real_reset)(const mjModel *, mjData *);

static void find(const char *name, void *slot)
{
  void *symbol = dlsym(RTLD_NEXT, name);
  if (symbol == NULL) exit(2);
  memcpy(slot, &symbol, sizeof symbol);
}

static void note(int kind, const mjModel *m, const mjData *d)
{
  if (!record.is_on) return;
  if (record.count == record.capacity) {
    record.capacity = 2 * record.capacity + 1024;
    record.events = realloc(record.events, record.capacity * sizeof *record.events);
    if (record.events == NULL) exit(2);
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
    fcps_rollout result;
    if (fcps_task_run(task, i, object, parameters, outcome, &result) != FCPS_OK) exit(2);
  }
}

/* A share of the rollouts, for one thread. */
typedef struct share {
  fcps_task *task;
  int rollouts;
} share;

static void *run_share(void *user)
{
  const share *s = user;
  run(s->task, s->rollouts);
  return NULL;
}

/* The seconds on the clock for `rollouts` rollouts on each of two threads, each with its own task. */
static double two_threads(fcps_task *task, const char *name, int rollouts)
{
  fcps_task *other;
  fcps_error error;
  pthread_t thread;
  measure_require(fcps_task_create(&other, name, NULL, 1, &error), name);
  share first = {task, rollouts}, second = {other, rollouts};
  run(other, 1);
  const double start = measure_clock();
  if (pthread_create(&thread, NULL, run_share, &second) != 0) measure_require(FCPS_ERR_INTERNAL, "thread");
  run_share(&first);
  pthread_join(thread, NULL);
  const double seconds = measure_clock() - start;
  fcps_task_destroy(other);
  return seconds;
}

/* The simulated seconds of a recorded rollout. */
static double simulated_seconds(int rollouts)
{
  size_t steps = 0;
  for (size_t i = 0; i < record.count; i++)
    steps += record.events[i].kind == STEP;
  return (double)steps * record.m->opt.timestep / rollouts;
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
    double start = measure_seconds();
    run(task, rollouts);
    own[i] = (measure_seconds() - start) / rollouts;
    start = measure_seconds();
    replay(d);
    replayed[i] = (measure_seconds() - start) / rollouts;
    ratio[i] = own[i] / replayed[i];
  }
  const measure_summary cost = measure_summarize(ROUNDS, own), bare = measure_summarize(ROUNDS, replayed);
  const double simulated = simulated_seconds(rollouts);
  measure_row(name,
              (const measure_value[]){{"rollout ms", 1e3 * cost.median},
                                      {"spread ms", 1e3 * cost.spread},
                                      {"replay ms", 1e3 * bare.median},
                                      {"ratio", measure_summarize(ROUNDS, ratio).median},
                                      {"rollouts/s", 1.0 / cost.median},
                                      {"simulated s/s", simulated / cost.median},
                                      {"two threads", 2 * rollouts * simulated / two_threads(task, name, rollouts)},
                                      {NULL, 0}});
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
  measure_begin("rollout", "rollouts of the robot tasks, and their recorded controls replayed");
  return measure("fetch-push", rollouts) || measure("fetch-slide", rollouts) || measure("thrower", 20 * rollouts);
}
