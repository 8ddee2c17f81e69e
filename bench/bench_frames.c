/* SPDX-License-Identifier: Apache-2.0 */
/* The gain from frame=auto if outcomes turn with an angle, and its cost if they turn in a way that it cannot express,
 * or do not turn.
 *
 *   bench_frames [FIRST LAST [TRIALS]]      seeds 1001 to 1010, 50 trials
 *
 * Throws with a turn, a tilt and a speed; the distance of a throw is that of a ball. Each target is the place where
 * some throw lands; the reward of a trial is minus the distance to it. For each problem the table has the cumulative
 * reward with frame=off and frame=auto; the difference with its standard error over seeds, as a share of the gap
 * between random throws and hits; the same for the policy at the end; and how often a frame was believed then. */
#include "measure.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKS = 60 };
static const double pi = 3.14159265358979323846;
static const double noise = 0.1;

/* -- Problems -- */

static double range_of(const double *p)
{
  return p[2] * p[2] * sin(2 * p[1]) / 0.981;
}

static void turned(double angle, double x, double y, double *o)
{
  o[0] = cos(angle) * x - sin(angle) * y;
  o[1] = sin(angle) * x + cos(angle) * y;
}

static void turns(const double *p, double *o)
{
  turned(p[0], range_of(p), 0, o);
}
static void turns_backwards(const double *p, double *o)
{
  turned(-p[0], range_of(p), 0, o);
}
static void turns_twice_as_fast(const double *p, double *o)
{
  turned(2 * p[0], range_of(p), 0, o);
}
static void turns_elsewhere(const double *p, double *o)
{
  turned(p[0], range_of(p), 0, o);
  o[0] += 6;
  o[1] -= 4;
}
static void turns_partly(const double *p, double *o)
{
  turned(p[0], range_of(p), 0, o);
  o[0] += 6 * p[1];
  o[1] *= 0.4;
}
/* Half of the circle is a slope, on which balls roll to one side. */
static void breaks_half_way(const double *p, double *o)
{
  turned(p[0], range_of(p), 0, o);
  if (p[0] < pi) return;
  o[0] = 0.5 * o[0] + 5;
  o[1] = 0.6 * o[1];
}
static void has_hills(const double *p, double *o)
{
  turned(p[0], range_of(p) * (1 + 0.15 * sin(3 * p[0])), 0, o);
}
static void does_not_turn(const double *p, double *o)
{
  o[0] = range_of(p);
  o[1] = 3 * p[1] + 2 * p[2];
}
static void slides(const double *p, double *o)
{
  o[0] = range_of(p) + 6 * cos(p[0]);
  o[1] = 2 * sin(p[0]) * p[2] + 5 * p[1];
}
static void swings(const double *p, double *o)
{
  o[0] = 5 * sin(p[0]) + 2 * p[2];
  o[1] = 4 * cos(2 * p[0]) * p[1] - p[2];
}
static void folds(const double *p, double *o)
{
  o[0] = 8 * cos(p[0]) * p[1];
  o[1] = 3 * p[2] * (1 + 0.5 * sin(p[0]));
}
static void leans(const double *p, double *o)
{
  o[0] = 2 * p[2] + 3 * cos(p[0]);
  o[1] = 6 * p[1] + 3 * sin(2 * p[0]);
}
/* A gripper on an arm with two joints, of which the first turns everything. */
static void reaches(const double *p, double *o)
{
  turned(p[0], 5 + 3 * cos(2 * p[1]) + p[2], 3 * sin(2 * p[1]), o);
}

typedef struct control {
  const char *name;
  void (*throw_at)(const double *parameters, double *outcome);
} control;

static const control controls[] = {{"turns", turns},
                                   {"turns, with hills", has_hills},
                                   {"reaches", reaches},
                                   {"turns backwards", turns_backwards},
                                   {"turns twice as fast", turns_twice_as_fast},
                                   {"turns elsewhere", turns_elsewhere},
                                   {"turns partly", turns_partly},
                                   {"breaks half-way", breaks_half_way},
                                   {"does not turn", does_not_turn},
                                   {"slides", slides},
                                   {"swings", swings},
                                   {"folds", folds},
                                   {"leans", leans}};

static const fcps_dimension target_dims[] = {{"x", -30, 30, 0, FCPS_SCALE_LINEAR, "m"},
                                             {"y", -30, 30, 0, FCPS_SCALE_LINEAR, "m"}};
static const fcps_dimension parameter_dims[] = {
    {"turn", 0, 6.283185307179586, 6.283185307179586, FCPS_SCALE_LINEAR, "rad"},
    {"tilt", 0.01, 1.3708, 0, FCPS_SCALE_LINEAR, "rad"},
    {"speed", 0.1, 5, 0, FCPS_SCALE_LINEAR, "m/s"}};
static const fcps_dimension outcome_dims[] = {{"land_x", 0, 0, 0, FCPS_SCALE_LINEAR, "m"},
                                              {"land_y", 0, 0, 0, FCPS_SCALE_LINEAR, "m"}};

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -hypot(target[0] - outcomes[2 * i], target[1] - outcomes[2 * i + 1]);
  return FCPS_OK;
}

static fcps_status achieved(void *user, int count, const double *environments, const double *outcomes, double *targets)
{
  (void)user, (void)environments;
  memcpy(targets, outcomes, 2 * (size_t)count * sizeof(double));
  return FCPS_OK;
}

static const fcps_problem problem = {.target = {2, target_dims},
                                     .parameters = {3, parameter_dims},
                                     .outcome = {2, outcome_dims},
                                     .reward = reward,
                                     .achieved = achieved,
                                     .is_distance = true};

/* Draws random parameters, number `index`. */
static void draw(uint64_t seed, int index, double *parameters)
{
  for (int d = 0; d < 3; d++) {
    const fcps_dimension *dim = parameter_dims + d;
    parameters[d] = dim->lower + measure_uniform_at(seed, (uint64_t)(4 * index + d)) * (dim->upper - dim->lower);
  }
}

/* -- Runs -- */

typedef struct score {
  double online, offline, has_frame;
} score;

static double miss(const double *a, const double *b)
{
  return hypot(a[0] - b[0], a[1] - b[1]);
}

/* The rewards of random throws at the targets. */
static score run_random(const control *c, uint64_t seed, int trials)
{
  score s = {0};
  for (int i = 0; i < trials; i++) {
    double p[3], target[2], o[2];
    draw(seed, i, p);
    c->throw_at(p, target);
    draw(seed + 7777, i, p);
    c->throw_at(p, o);
    s.online -= miss(target, o);
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
    double p[3], target[2], o[2];
    draw(seed, 100000 + i, p);
    c->throw_at(p, target);
    measure_require(fcps_policy_query(policy, target, NULL, p, NULL), "query");
    c->throw_at(p, o);
    sum -= miss(target, o) / CHECKS;
  }
  fcps_policy_destroy(policy);
  return sum;
}

static score run(const control *c, const char *frame, uint64_t seed, int trials)
{
  const fcps_setting settings[] = {{"frame", frame}, {NULL, NULL}};
  fcps_learner *learner = NULL;
  score s = {0};
  measure_require(fcps_learner_create(&learner, &problem, "outcome", settings, seed, NULL), "learner");
  for (int i = 0; i < trials; i++) {
    double p[3], target[2], o[2];
    int64_t id;
    draw(seed, i, p);
    c->throw_at(p, target);
    measure_require(fcps_learner_ask(learner, target, NULL, p, &id), "ask");
    c->throw_at(p, o);
    s.online -= miss(target, o);
    for (int j = 0; j < 2; j++)
      o[j] += noise * measure_normal_at(seed, (uint64_t)(2 * i + j));
    const fcps_rollout rollout = {.target = target, .parameters = p, .outcome = o};
    measure_require(fcps_learner_tell(learner, id, &rollout), "tell");
  }
  s.offline = evaluate(c, learner, seed);
  s.has_frame = measure_believes(learner, "frame");
  fcps_learner_destroy(learner);
  return s;
}

int main(int argc, char **argv)
{
  const int first = argc > 2 ? atoi(argv[1]) : 1001, last = argc > 2 ? atoi(argv[2]) : 1010;
  const int trials = argc > 3 ? atoi(argv[3]) : 50, count = last - first + 1;
  printf("%d trials, seeds %d to %d\n", trials, first, last);
  printf("%-22s %9s %9s %9s %14s %14s %7s\n", "", "random", "off", "auto", "of the gap %", "policy %", "frames");
  for (size_t k = 0; k < sizeof controls / sizeof *controls; k++) {
    double sums[3] = {0}, online = 0, online2 = 0, offline = 0, offline2 = 0, frames = 0;
    for (int seed = first; seed <= last; seed++) {
      const score r = run_random(controls + k, (uint64_t)seed, trials);
      const score off = run(controls + k, "off", (uint64_t)seed, trials);
      const score on = run(controls + k, "auto", (uint64_t)seed, trials);
      const double a = 100 * (on.online - off.online) / -r.online, b = 100 * (on.offline - off.offline) / -r.offline;
      sums[0] += r.online / count, sums[1] += off.online / count, sums[2] += on.online / count;
      online += a / count, online2 += a * a / count, offline += b / count, offline2 += b * b / count;
      frames += on.has_frame / count;
    }
    printf("%-22s %9.1f %9.1f %9.1f %7.2f +- %.2f %7.2f +- %.2f %6.0f%%\n", controls[k].name, sums[0], sums[1], sums[2],
           online, sqrt(fmax(0, online2 - online * online) / (count - 1)), offline,
           sqrt(fmax(0, offline2 - offline * offline) / (count - 1)), 100 * frames);
    fflush(stdout);
  }
  return 0;
}
