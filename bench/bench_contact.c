/* SPDX-License-Identifier: Apache-2.0 */
/* The gain from contact=auto if trials may move nothing, and its cost if outcomes only look like that.
 *
 *   bench_contact [FIRST LAST [TRIALS]]      seeds 1001 to 1008, 60 trials
 *
 * Each target is the place where some trial that moves something ends; the reward of a trial is minus the distance to
 * it. For each problem the table has the cumulative reward with contact=off and contact=auto; the difference with its
 * standard error over seeds, as a share of the gap between random trials and hits; the same for the policy at the end;
 * and how often contact was believed then. */
#include "measure.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKS = 60, PARAMETERS = 3, MOST = 2 };

/* -- Problems -- */

static const double radius = 0.15;

/* Where a hand that starts at (-1, height) and leans meets a disc: the offset of its path from the centre, and its way
 * until it touches the disc. False if it misses. */
static bool meets(const double *disc, double height, double lean, double *offset, double *way)
{
  const double x = disc[0] + 1, y = disc[1] - height;
  *offset = cos(lean) * y - sin(lean) * x;
  if (fabs(*offset) >= radius) return false;
  *way = cos(lean) * x + sin(lean) * y - sqrt(radius * radius - *offset * *offset);
  return true;
}

/* A hand pushes a disc, which slips off to the side on which it is hit. The places of the disc before and after are
 * given in the same coordinates. */
static bool push(const double *disc, const double *p, double *o)
{
  double offset, way;
  memcpy(o, disc, 2 * sizeof(double));
  if (!meets(disc, p[0], p[2], &offset, &way) || p[1] <= way) return false;
  const double along = p[1] - way, aside = 0.5 * along * offset / radius;
  o[0] += cos(p[2]) * along - sin(p[2]) * aside;
  o[1] += sin(p[2]) * along + cos(p[2]) * aside;
  return true;
}

/* A kick moves the disc by a distance that depends on the speed. The outcome is how far. */
static bool kick(const double *disc, const double *p, double *o)
{
  double offset, way;
  o[0] = o[1] = 0;
  if (!meets(disc, p[0], p[2], &offset, &way)) return false;
  const double far = 0.2 + 0.5 * p[1] * p[1], angle = p[2] + 0.8 * offset / radius;
  o[0] = far * cos(angle);
  o[1] = far * sin(angle);
  return true;
}

/* A bolt gives way at a force that depends on the angle of the force. */
static bool give_way(const double *environment, const double *p, double *o)
{
  (void)environment;
  const double force = p[1] - 0.9 - 0.3 * cos(4 * p[2]) - 0.4 * p[0];
  o[0] = force > 0 ? 0.5 + force * (1 + 0.3 * p[0]) : 0;
  return force > 0;
}

/* A sensor shows 0 at the end of its range, and is smooth elsewhere. */
static bool saturate(const double *environment, const double *p, double *o)
{
  (void)environment;
  o[0] = fmax(0, p[1] - 0.9 - 0.3 * cos(4 * p[2]) - 0.4 * p[0]);
  return o[0] > 0;
}

/* Nothing ever rests. */
static bool flow(const double *environment, const double *p, double *o)
{
  (void)environment;
  o[0] = p[1] - 0.9 - 0.3 * cos(4 * p[2]) - 0.4 * p[0];
  return true;
}

typedef struct control {
  const char *name;
  int environments, outcomes;
  bool (*run)(const double *environment, const double *parameters, double *outcome); /* whether something moves */
} control;

static const control controls[] = {{"push", 2, 2, push},
                                   {"kick", 2, 2, kick},
                                   {"gives way", 0, 1, give_way},
                                   {"sensor saturates", 0, 1, saturate},
                                   {"nothing rests", 0, 1, flow}};

static const fcps_dimension target_dims[] = {{"x", -3, 3, 0, FCPS_SCALE_LINEAR, "m", 0},
                                             {"y", -3, 3, 0, FCPS_SCALE_LINEAR, "m", 0}};
static const fcps_dimension environment_dims[] = {{"disc_x", -0.3, 0.3, 0, FCPS_SCALE_LINEAR, "m", 0},
                                                  {"disc_y", -0.3, 0.3, 0, FCPS_SCALE_LINEAR, "m", 0}};
static const fcps_dimension parameter_dims[] = {{"height", -0.6, 0.6, 0, FCPS_SCALE_LINEAR, "m", 0},
                                                {"length", 0.2, 1.6, 0, FCPS_SCALE_LINEAR, "m", 0},
                                                {"lean", -0.5, 0.5, 0, FCPS_SCALE_LINEAR, "rad", 0}};
static const fcps_dimension outcome_dims[] = {{"end_x", 0, 0, 0, FCPS_SCALE_LINEAR, "m", 0},
                                              {"end_y", 0, 0, 0, FCPS_SCALE_LINEAR, "m", 0}};

static double miss(int count, const double *a, const double *b)
{
  return count == 1 ? fabs(a[0] - b[0]) : hypot(a[0] - b[0], a[1] - b[1]);
}

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  const control *c = user;
  (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -miss(c->outcomes, target, outcomes + i * c->outcomes);
  return FCPS_OK;
}

static fcps_status achieved(void *user, int count, const double *environments, const double *outcomes, double *targets)
{
  const control *c = user;
  (void)environments;
  memcpy(targets, outcomes, (size_t)(count * c->outcomes) * sizeof(double));
  return FCPS_OK;
}

static void draw(int count, const fcps_dimension *dims, uint64_t seed, uint64_t index, double *values)
{
  for (int d = 0; d < count; d++)
    values[d] = dims[d].lower + measure_uniform_at(seed, 4 * index + (uint64_t)d) * (dims[d].upper - dims[d].lower);
}

/* Draws an environment and a target: the place where some trial that moves something ends in this environment. */
static void draw_context(const control *c, uint64_t seed, int index, double *environment, double *target)
{
  double p[PARAMETERS];
  draw(c->environments, environment_dims, seed, (uint64_t)index, environment);
  for (int i = 0; i < 10000; i++) {
    draw(PARAMETERS, parameter_dims, seed + 5555, (uint64_t)(10000 * index + i), p);
    if (c->run(environment, p, target)) return;
  }
}

/* -- Runs -- */

typedef struct score {
  double online, offline, has_contact;
} score;

static score run_random(const control *c, uint64_t seed, int trials)
{
  score s = {0};
  for (int i = 0; i < trials; i++) {
    double p[PARAMETERS], environment[MOST], target[MOST], o[MOST];
    draw_context(c, seed, i, environment, target);
    draw(PARAMETERS, parameter_dims, seed + 7777, (uint64_t)i, p);
    c->run(environment, p, o);
    s.online -= miss(c->outcomes, target, o);
  }
  s.offline = s.online / trials;
  return s;
}

static double evaluate(const control *c, fcps_learner *learner, uint64_t seed)
{
  fcps_policy *policy = NULL;
  double sum = 0;
  measure_require(fcps_learner_policy(learner, &policy), "policy");
  for (int i = 0; i < CHECKS; i++) {
    double p[PARAMETERS], environment[MOST], target[MOST], o[MOST];
    draw_context(c, seed, 1000 + i, environment, target);
    measure_require(fcps_policy_query(policy, target, environment, p, NULL), "query");
    c->run(environment, p, o);
    sum -= miss(c->outcomes, target, o) / CHECKS;
  }
  fcps_policy_destroy(policy);
  return sum;
}

static score run(const control *c, const char *contact, uint64_t seed, int trials)
{
  const fcps_problem problem = {.target = {c->outcomes, target_dims},
                                .environment = {c->environments, environment_dims},
                                .parameters = {PARAMETERS, parameter_dims},
                                .outcome = {c->outcomes, outcome_dims},
                                .reward = reward,
                                .achieved = achieved,
                                .is_distance = true,
                                .user = (void *)c};
  const fcps_setting settings[] = {{"contact", contact}, {NULL, NULL}};
  static const double noise = 0.005;
  fcps_learner *learner = NULL;
  score s = {0};
  measure_require(fcps_learner_create(&learner, &problem, "outcome", settings, seed, NULL), "learner");
  for (int i = 0; i < trials; i++) {
    double p[PARAMETERS], environment[MOST], target[MOST], o[MOST];
    int64_t id;
    draw_context(c, seed, i, environment, target);
    measure_require(fcps_learner_ask(learner, target, environment, p, &id), "ask");
    const bool moves = c->run(environment, p, o);
    s.online -= miss(c->outcomes, target, o);
    for (int j = 0; j < c->outcomes && moves; j++)
      o[j] += noise * measure_normal_at(seed, (uint64_t)(2 * i + j));
    const fcps_rollout rollout = {.target = target, .environment = environment, .parameters = p, .outcome = o};
    measure_require(fcps_learner_tell(learner, id, &rollout), "tell");
  }
  s.offline = evaluate(c, learner, seed);
  s.has_contact = measure_believes(learner, "contact");
  fcps_learner_destroy(learner);
  return s;
}

int main(int argc, char **argv)
{
  const int first = argc > 2 ? atoi(argv[1]) : 1001, last = argc > 2 ? atoi(argv[2]) : 1008;
  const int trials = argc > 3 ? atoi(argv[3]) : 60, count = last - first + 1;
  printf("%d trials, seeds %d to %d\n", trials, first, last);
  printf("%-18s %8s %8s %8s %15s %8s %8s %15s %8s\n", "", "random", "off", "auto", "of the gap %", "off", "auto",
         "policy %", "contact");
  for (size_t k = 0; k < sizeof controls / sizeof *controls; k++) {
    double sums[5] = {0}, online = 0, online2 = 0, offline = 0, offline2 = 0, contacts = 0;
    for (int seed = first; seed <= last; seed++) {
      const score r = run_random(controls + k, (uint64_t)seed, trials);
      const score off = run(controls + k, "off", (uint64_t)seed, trials);
      const score on = run(controls + k, "auto", (uint64_t)seed, trials);
      const double a = 100 * (on.online - off.online) / -r.online, b = 100 * (on.offline - off.offline) / -r.offline;
      sums[0] += r.online / count, sums[1] += off.online / count, sums[2] += on.online / count;
      sums[3] += off.offline / count, sums[4] += on.offline / count;
      online += a / count, online2 += a * a / count, offline += b / count, offline2 += b * b / count;
      contacts += on.has_contact / count;
    }
    printf("%-18s %8.2f %8.2f %8.2f %7.2f +- %4.2f %8.4f %8.4f %7.2f +- %4.2f %7.0f%%\n", controls[k].name, sums[0],
           sums[1], sums[2], online, sqrt(fmax(0, online2 - online * online) / (count - 1)), sums[3], sums[4], offline,
           sqrt(fmax(0, offline2 - offline * offline) / (count - 1)), 100 * contacts);
    fflush(stdout);
  }
  return 0;
}
