/* SPDX-License-Identifier: Apache-2.0 */
/* A cannon that loses powder: the gain from learning that outcomes change with the order of trials, and the cost of
 * looking for it if they do not. It is the toy cannon with its hills and its noise; shot n is fired with a share (1 -
 * LOSS)^n of the energy.
 *
 *   bench_drift [FIRST LAST [SHOTS]]      seeds 1001 to 1008, 100 shots
 *   bench_drift rival SEED SHOTS LOSS     the same shots for a rival (bench/peers/drift.py): writes a line with the
 *                                         target of each shot, then answers each line "N TURN TILT SPEED" on stdin
 *                                         with the landing of shot N; from N = SHOTS on without noise, with the energy
 *                                         left after all shots
 *
 * The table has cumulative rewards, the mean reward of the policy for the next shot (50 targets, without noise), and
 * how often a drift was claimed, with drift=off, with drift=auto, and with bo-fcps, which does not know drifts. */
#include "measure.h"

#include <fcps/fcps.h>
#include <fcps/lab/task.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKS = 50, LATER = 1000000 };

typedef struct world {
  fcps_task *task;
  const fcps_problem *problem;
  double loss; /* share of the energy lost with each shot */
  int shots;
} world;

static world open_world(uint64_t seed, int shots, double loss)
{
  world w = {.loss = loss, .shots = shots};
  measure_require(fcps_task_create(&w.task, "cannon", NULL, seed, NULL), "cannon");
  w.problem = fcps_task_problem(w.task);
  return w;
}

/* Fires shot n. From the last one on there is no noise. */
static void shoot(const world *w, int n, const double *asked, double *landing)
{
  const int fired = n < w->shots ? n : w->shots;
  fcps_rollout rollout;
  double p[3];
  memcpy(p, asked, sizeof p);
  p[2] = fmax(w->problem->parameters.dims[2].lower, p[2] * sqrt(pow(1 - w->loss, fired)));
  measure_require(fcps_task_run(w->task, n < w->shots ? n : -1, NULL, p, landing, &rollout), "shot");
}

static double score(const world *w, const double *target, const double *asked, const double *landing)
{
  const bool present = true;
  double reward;
  measure_require(w->problem->reward(w->problem->user, 1, target, NULL, asked, landing, &present, &reward), "reward");
  return reward;
}

typedef struct result {
  double online, offline, claimed;
} result;

static void judge(const world *w, fcps_learner *learner, result *r)
{
  fcps_policy *policy = NULL;
  fcps_health health = {0};
  double target[2], p[3], landing[2];
  measure_require(fcps_learner_policy(learner, &policy), "policy");
  for (int i = 0; i < CHECKS; i++) {
    fcps_task_context(w->task, LATER + i, target, NULL);
    measure_require(fcps_policy_query(policy, target, NULL, p, NULL), "query");
    shoot(w, w->shots, p, landing);
    r->offline += score(w, target, p, landing) / CHECKS;
  }
  if (fcps_policy_health(policy, 0, &health))
    for (int i = 0; i < health.finding_count; i++)
      r->claimed += strcmp(health.findings[i].name, "drift") == 0 && health.findings[i].is_claimed;
  fcps_policy_destroy(policy);
}

static result run(const char *name, const char *drift, uint64_t seed, int shots, double loss)
{
  const fcps_setting settings[] = {{"drift", drift}, {NULL, NULL}};
  const world w = open_world(seed, shots, loss);
  fcps_learner *learner = NULL;
  result r = {0};
  measure_require(fcps_learner_create(&learner, w.problem, name, drift != NULL ? settings : NULL, seed, NULL), name);
  for (int n = 0; n < shots; n++) {
    double target[2], p[3], landing[2];
    int64_t id;
    fcps_task_context(w.task, n, target, NULL);
    measure_require(fcps_learner_ask(learner, target, NULL, p, &id), "ask");
    shoot(&w, n, p, landing);
    const fcps_rollout rollout = {
        .target = target, .parameters = p, .outcome = landing, .reward = score(&w, target, p, landing)};
    measure_require(fcps_learner_tell(learner, id, &rollout), "tell");
    r.online += rollout.reward;
  }
  judge(&w, learner, &r);
  fcps_learner_destroy(learner);
  fcps_task_destroy(w.task);
  return r;
}

/* -- Rows -- */

static const struct {
  const char *name, *learner, *drift;
} rows[] = {{"drift=off", "outcome", "off"}, {"drift=auto", "outcome", "auto"}, {"bo-fcps", "bo-fcps", NULL}};

/* A mean over seeds and its standard error. */
typedef struct spread {
  double sum, squares;
} spread;

static void add(spread *s, double value)
{
  s->sum += value;
  s->squares += value * value;
}

static void print(const spread *s, int count)
{
  const double mean = s->sum / count;
  printf(" %9.3f +- %6.3f", mean, sqrt(fmax(0.0, s->squares / count - mean * mean) / (count > 1 ? count - 1 : 1)));
}

static void compare(double loss, int first, int last, int shots)
{
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    spread online = {0}, offline = {0};
    double claimed = 0;
    for (int seed = first; seed <= last; seed++) {
      const result r = run(rows[k].learner, rows[k].drift, (uint64_t)seed, shots, loss);
      add(&online, r.online);
      add(&offline, r.offline);
      claimed += 100 * r.claimed / (last - first + 1);
    }
    printf("%5.1f %%  %-10s", 100 * loss, rows[k].name);
    print(&online, last - first + 1);
    print(&offline, last - first + 1);
    printf(" %6.0f %%\n", claimed);
    fflush(stdout);
  }
}

static int serve(uint64_t seed, int shots, double loss)
{
  const world w = open_world(seed, shots, loss);
  double target[2], p[3], landing[2];
  int n;
  for (int i = 0; i < shots + CHECKS; i++) {
    fcps_task_context(w.task, i < shots ? i : LATER + i - shots, target, NULL);
    printf("%s%.17g %.17g", i > 0 ? " " : "", target[0], target[1]);
  }
  printf("\n");
  fflush(stdout);
  while (scanf("%d %lf %lf %lf", &n, p, p + 1, p + 2) == 4) {
    shoot(&w, n, p, landing);
    printf("%.17g %.17g\n", landing[0], landing[1]);
    fflush(stdout);
  }
  fcps_task_destroy(w.task);
  return 0;
}

int main(int argc, char **argv)
{
  if (argc == 5 && strcmp(argv[1], "rival") == 0)
    return serve(strtoull(argv[2], NULL, 10), atoi(argv[3]), atof(argv[4]));
  const int first = argc > 2 ? atoi(argv[1]) : 1001, last = argc > 2 ? atoi(argv[2]) : 1008;
  const int shots = argc > 3 ? atoi(argv[3]) : 100;
  printf("%d shots, seeds %d to %d\n%-19s %19s %19s %8s\n", shots, first, last, "loss", "cumulative", "policy",
         "claimed");
  for (int k = 0; k < 3; k++)
    compare((const double[]){0, 0.001, 0.005}[k], first, last, shots);
  return 0;
}
