/* SPDX-License-Identifier: Apache-2.0 */
/* Problems with limits of outcomes and constraints of parameters. A setting decides what a learner sees of the limits:
 * the limits themselves, a penalty in the reward, or nothing. A trial breaks something if its recorded outcome breaks a
 * limit of the world, or its parameters break a constraint. */
#include "base/error.h"
#include "base/memory.h"
#include "lab/task/task_impl.h"
#include "space/points.h"
#include "space/space.h"

#include <fcps/problem_file.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* -- The worlds --
 *
 * A throw below a ceiling; a process near a peak that ruins a batch, once for the largest gain and once for a wished
 * gain; the Hartmann function above a level; a pendulum that must not fall; three engineering designs [coello2000]
 * whose constraints only a trial shows; and mixtures. Each world is a problem, written as in a problem file, and the
 * function that does a trial. */

enum { WORLD_LIMITS = 11 };

typedef struct world_limit {
  const char *name, *at_most, *at_least; /* the limits are formulas; NULL: no limit on this side */
} world_limit;

typedef struct limited_world {
  const char *name, *spaces, *reward; /* `spaces`: these lines of a problem file */
  const char *safe;                   /* parameters that keep all limits; NULL: the world has no limits */
  /* the reward of a trial that breaks a limit, if a penalty stands for the limits */
  double penalty;
  world_limit limits[WORLD_LIMITS];
  /* Computes the outcome. `normals` are standard normal numbers for the noise, all 0 without noise. */
  void (*run)(const double *environment, const double *parameters, const double *normals, double *outcome);
} limited_world;

static double square(double x)
{
  return x * x;
}

static void throw_ball(const double *e, const double *p, const double *noise, double *o)
{
  const double g = 9.81;
  (void)e, (void)noise;
  o[0] = p[0] * p[0] * sin(2.0 * p[1]) / g;
  o[1] = square(p[0] * sin(p[1])) / (2.0 * g);
}

/* A batch is heated and fed. The faster it is heated and fed, the higher its temperature peaks. */
static void run_process(const double *e, const double *p, const double *noise, double *o)
{
  const double heat = p[0], feed = p[1], hold = p[2];
  const double rate = 1.0 - exp(-(0.02 * heat - 0.4) * (0.5 + 0.5 * hold));
  o[0] = 100.0 * rate * feed * (1.5 - 0.5 * feed) - 8.0 * hold + 1.0 * noise[0];
  o[1] = 0.75 * heat + 22.0 * feed * feed * (1.0 + 0.3 * e[0]) + 4.0 * sin(3.0 * hold) + 1.5 * noise[1];
}

static void hartmann(const double *e, const double *p, const double *noise, double *o)
{
  static const double weights[] = {1.0, 1.2, 3.0, 3.2};
  static const double a[4][6] = {
      {10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}};
  static const double c[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                 {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                 {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                 {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
  (void)e;
  o[0] = 0.02 * noise[0];
  for (int i = 0; i < 4; i++) {
    double sum = 0.0;
    for (int j = 0; j < 6; j++)
      sum += a[i][j] * square(p[j] - c[i][j]);
    o[0] += weights[i] * exp(-sum);
  }
}

/* An inverted pendulum is pushed, and a controller with two gains catches it. The motor's force is limited. If the
 * pendulum falls, its sway ends at the floor. */
static void balance(const double *e, const double *p, const double *noise, double *o)
{
  const double dt = 0.01, most = 12.0, floor = 1.6;
  double angle = 0.15 + 0.1 * e[0], speed = 0.0, sway = 0.0, cost = 0.0;
  for (int i = 0; i < 400; i++) {
    const double torque = fmin(fmax(-p[0] * angle - p[1] * speed, -most), most);
    const double kick = i == 150 ? 1.0 : 0.0;
    speed += dt * (9.81 * sin(angle) + torque - 0.1 * speed) + kick;
    angle += dt * speed;
    sway = fmax(sway, fabs(angle));
    cost += dt * (square(angle) * 2.0 + 0.05 * square(torque));
    if (!(fabs(angle) < floor)) break;
  }
  o[0] = fmin(cost, 20.0) * exp(0.02 * noise[0]);
  o[1] = fmin(sway, floor) * exp(0.02 * noise[1]);
}

/* The pressure vessel: the outcomes are its cost, how much too thin its shell and its heads are, and its volume in
 * cubic feet. */
static void press(const double *e, const double *p, const double *noise, double *o)
{
  const double shell = p[0], head = p[1], radius = p[2], length = p[3], pi = 3.14159265358979323846;
  (void)e, (void)noise;
  o[0] = 0.6224 * shell * radius * length + 1.7781 * head * square(radius) + 3.1661 * square(shell) * length +
         19.84 * square(shell) * radius;
  o[1] = 0.0193 * radius - shell;
  o[2] = 0.00954 * radius - head;
  o[3] = (pi * square(radius) * length + 4.0 / 3.0 * pi * pow(radius, 3.0)) / 1728.0;
}

/* The welded beam: the outcomes are cost, stresses, deflection, and the load at which the bar buckles. */
static void weld(const double *e, const double *p, const double *noise, double *o)
{
  const double load = 6000.0, h = p[0], l = p[1], t = p[2], b = p[3], length = 14.0, young = 30e6, shear = 12e6;
  const double tau1 = load / (sqrt(2.0) * h * l), moment = load * (length + 0.5 * l);
  const double r = sqrt(0.25 * l * l + square(0.5 * (h + t)));
  const double j = 2.0 * sqrt(2.0) * h * l * (l * l / 12.0 + square(0.5 * (h + t)));
  const double tau2 = moment * r / j;
  (void)e, (void)noise;
  o[0] = 1.10471 * h * h * l + 0.04811 * t * b * (length + l);
  o[1] = log(sqrt(tau1 * tau1 + tau1 * tau2 * l / r + tau2 * tau2));
  o[2] = log(6.0 * load * length / (b * t * t));
  o[3] = log(4.0 * load * length * length * length / (young * t * t * t * b));
  o[4] = log(4.013 * young * t * b * b * b / (6.0 * length * length) *
             (1.0 - t / (2.0 * length) * sqrt(young / (4.0 * shear))));
}

/* The speed reducer: the outcomes are its weight, and the loads of its teeth and shafts as shares of the loads that
 * these can bear. */
static void reduce(const double *e, const double *p, const double *noise, double *o)
{
  const double face = p[0], module = p[1], teeth = p[2], l1 = p[3], l2 = p[4], d1 = p[5], d2 = p[6];
  (void)e, (void)noise;
  o[0] = 0.7854 * face * square(module) * (3.3333 * square(teeth) + 14.9334 * teeth - 43.0934) -
         1.508 * face * (square(d1) + square(d2)) + 7.4777 * (pow(d1, 3.0) + pow(d2, 3.0)) +
         0.7854 * (l1 * square(d1) + l2 * square(d2));
  o[1] = 27.0 / (face * square(module) * teeth);
  o[2] = 397.5 / (face * square(module) * square(teeth));
  o[3] = 1.93 * pow(l1, 3.0) / (module * teeth * pow(d1, 4.0));
  o[4] = 1.93 * pow(l2, 3.0) / (module * teeth * pow(d2, 4.0));
  o[5] = sqrt(square(745.0 * l1 / (module * teeth)) + 16.9e6) / (110.0 * pow(d1, 3.0));
  o[6] = sqrt(square(745.0 * l2 / (module * teeth)) + 157.5e6) / (85.0 * pow(d2, 3.0));
}

/* A mixture, given by the shares of its ingredients: each ingredient has its own taste, and some pairs weaken each
 * other. */
static void mix(int count, const double *p, double noise, double *o)
{
  *o = 0.02 * noise;
  for (int i = 0; i < count; i++) {
    *o += p[i] * (0.2 + 0.6 * i / (count - 1));
    if (i > 0) *o -= 0.8 * p[i] * p[i - 1];
  }
}

static void mix_three(const double *e, const double *p, const double *noise, double *o)
{
  (void)e;
  mix(3, p, noise[0], o);
}

static void mix_ten(const double *e, const double *p, const double *noise, double *o)
{
  (void)e;
  mix(10, p, noise[0], o);
}

static const limited_world worlds[] = {
    {.name = "throw",
     .spaces = "target: {x: [0.2, 4]}\n"
               "parameters: {speed: [1, 8], tilt: [0.1, 1.5]}\n"
               "outcome: [land, apex]\n",
     .reward = "-abs(land - x)",
     .safe = "{speed: 2, tilt: 0.5}",
     .penalty = -50.0,
     .limits = {{.name = "apex", .at_most = "1.2"}},
     .run = throw_ball},
    {.name = "process",
     .spaces = "environment: {age: [0, 1]}\n"
               "parameters: {heat: [20, 100], feed: [0.2, 1.5], hold: [0, 2]}\n"
               "outcome: [gain, peak]\n",
     .reward = "gain",
     .safe = "{heat: 40, feed: 0.5, hold: 1}",
     .penalty = -50.0,
     .limits = {{.name = "peak", .at_most = "80"}},
     .run = run_process},
    {.name = "set-point",
     .spaces = "target: {wish: [10, 60]}\n"
               "environment: {age: [0, 1]}\n"
               "parameters: {heat: [20, 100], feed: [0.2, 1.5], hold: [0, 2]}\n"
               "outcome: [gain, peak]\n",
     .reward = "-abs(gain - wish)",
     .safe = "{heat: 40, feed: 0.5, hold: 1}",
     .penalty = -50.0,
     .limits = {{.name = "peak", .at_most = "80"}},
     .run = run_process},
    {.name = "hartmann",
     .spaces = "parameters: {a: [0, 1], b: [0, 1], c: [0, 1], d: [0, 1], e: [0, 1], f: [0, 1]}\n"
               "outcome: [height]\n",
     .reward = "height",
     .safe = "{a: 0.4, b: 0.3, c: 0.6, d: 0.45, e: 0.3, f: 0.4}",
     .penalty = -5.0,
     .limits = {{.name = "height", .at_least = "0.5"}},
     .run = hartmann},
    {.name = "pendulum",
     .spaces = "environment: {push: [0, 1]}\n"
               "parameters: {gain: [5, 60], damping: [0, 20]}\n"
               "outcome: [cost, sway]\n",
     .reward = "-cost",
     .safe = "{gain: 45, damping: 12}",
     .penalty = -30.0,
     .limits = {{.name = "sway", .at_most = "0.35"}},
     .run = balance},
    {.name = "vessel",
     .spaces =
         "parameters: {shell: {range: [0.0625, 6.1875], step: 0.0625}, head: {range: [0.0625, 6.1875], step: 0.0625},\n"
         "             radius: [10, 200], length: [10, 200]}\n"
         "outcome: [cost, thin, flat, volume]\n",
     .reward = "-cost/1000",
     .safe = "{shell: 3, head: 2, radius: 70, length: 100}",
     .penalty = -500.0,
     .limits = {{.name = "thin", .at_most = "0"},
                {.name = "flat", .at_most = "0"},
                {.name = "volume", .at_least = "750"}},
     .run = press},
    {.name = "beam",
     .spaces = "parameters: {weld: [0.125, 5], joint: [0.1, 10], height: [0.1, 10], width: [0.1, 5]}\n"
               "outcome: [cost, shear, bending, deflection, buckling]\n"
               "constraints: [weld <= width]\n",
     .reward = "-cost",
     .safe = "{weld: 1.5, joint: 6, height: 9, width: 2}",
     .penalty = -200.0,
     .limits = {{.name = "shear", .at_most = "log(13600)"},
                {.name = "bending", .at_most = "log(30000)"},
                {.name = "deflection", .at_most = "log(0.25)"},
                {.name = "buckling", .at_least = "log(6000)"}},
     .run = weld},
    {.name = "reducer",
     .spaces = "parameters: {face: [2.6, 3.6], module: [0.7, 0.8], teeth: {range: [17, 28], scale: integer}, l1: [7.3, "
               "8.3],\n"
               "             l2: [7.8, 8.3], d1: [2.9, 3.9], d2: [5, 5.5]}\n"
               "outcome: [weight, bend, press, turn1, turn2, stress1, stress2]\n"
               "constraints: [module*teeth <= 40, face/module >= 5, face/module <= 12, 1.5*d1 + 1.9 <= l1,\n"
               "              1.1*d2 + 1.9 <= l2]\n",
     .reward = "-weight/1000",
     .safe = "{face: 3.6, module: 0.72, teeth: 20, l1: 7.9, l2: 8.1, d1: 3.7, d2: 5.45}",
     .penalty = -20.0,
     .limits = {{.name = "bend", .at_most = "1"},
                {.name = "press", .at_most = "1"},
                {.name = "turn1", .at_most = "1"},
                {.name = "turn2", .at_most = "1"},
                {.name = "stress1", .at_most = "1"},
                {.name = "stress2", .at_most = "1"}},
     .run = reduce},
    {.name = "mixture",
     .spaces = "target: {sour: [0.2, 0.7]}\n"
               "parameters: {acid: [0, 1], salt: [0, 1], water: [0, 1]}\n"
               "outcome: [taste]\n"
               "constraints: [acid + salt + water == 1]\n",
     .reward = "-abs(taste - sour)",
     .run = mix_three},
    {.name = "large-mixture",
     .spaces = "target: {sour: [0.2, 0.7]}\n"
               "parameters: {a: [0, 1], b: [0, 1], c: [0, 1], d: [0, 1], e: [0, 1], f: [0, 1], g: [0, 1], h: [0, 1], "
               "i: [0, 1],\n"
               "             j: [0, 1]}\n"
               "outcome: [taste]\n"
               "constraints: [a + b + c + d + e + f + g + h + i + j == 1]\n",
     .reward = "-abs(taste - sour)",
     .run = mix_ten},
};

/* The world number `index`; NULL past the last. */
static const limited_world *world_at(int index)
{
  return index >= 0 && index < (int)(sizeof worlds / sizeof *worlds) ? &worlds[index] : NULL;
}

/* -- The tasks -- */

enum { EVALUATIONS = 20, TEXT = 4096 };

typedef enum keeping { KEEP_LIMITS, KEEP_PENALTY, KEEP_NOTHING } keeping;

typedef struct limited_settings {
  int world;
  keeping keep;
  double chance;
  bool safe;
} limited_settings;

static const char *world_choice(int index)
{
  const limited_world *world = world_at(index);
  return world != NULL ? world->name : NULL;
}

static const char *keep_choice(int index)
{
  static const char *const names[] = {[KEEP_LIMITS] = "limits", [KEEP_PENALTY] = "penalty", [KEEP_NOTHING] = "nothing"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static const fcps_setting_row setting_rows[] = {
    FCPS_CHOICE_ROW("world", limited_settings, world, "throw", world_choice, "the problem"),
    FCPS_CHOICE_ROW("keep", limited_settings, keep, "limits", keep_choice,
                    "how a learner meets the limits: as limits, as a penalty in the reward, or not at all"),
    FCPS_NUMBER_ROW("chance", limited_settings, chance, "0.95", 0.5, 1.0,
                    "the probability with which each limit must be kept"),
    FCPS_SWITCH_ROW("safe", limited_settings, safe, "on",
                    "learners begin at parameters that are known to keep the limits"),
    {.spec.name = NULL},
};

static const fcps_setting_table table = {.size = sizeof(limited_settings), .parts = {{setting_rows, 0}}};

typedef struct limited {
  const limited_world *world;
  fcps_problem_file *file;   /* the problem as the learner sees it */
  fcps_problem_file *judges; /* the same problem with its limits, for judging trials */
  double *contexts;
} limited;

/* -- The problem file -- */

static void add(char *text, const char *words)
{
  const size_t length = strlen(text);
  snprintf(text + length, TEXT - length, "%s", words);
}

static void add_reward(const limited_world *w, bool is_penalty, char *text)
{
  char words[64];
  add(text, "reward: \"");
  for (const world_limit *l = w->limits; is_penalty && l->name != NULL; l++) {
    const bool is_most = l->at_most != NULL;
    add(text, l == w->limits ? "" : " || ");
    add(text, l->name);
    add(text, is_most ? " > " : " < ");
    add(text, is_most ? l->at_most : l->at_least);
  }
  snprintf(words, sizeof words, " ? %g : ", w->penalty);
  if (is_penalty) add(text, words);
  add(text, w->reward);
  add(text, "\"\n");
}

static void add_limits(const limited_world *w, double chance, bool is_safe, char *text)
{
  char words[128];
  add(text, "limits:\n");
  for (const world_limit *l = w->limits; l->name != NULL; l++) {
    const bool is_most = l->at_most != NULL;
    snprintf(words, sizeof words, "  %s: {%s: %s, chance: %g}\n", l->name, is_most ? "at_most" : "at_least",
             is_most ? l->at_most : l->at_least, chance);
    add(text, words);
  }
  if (!is_safe) return;
  add(text, "safe: [");
  add(text, w->safe);
  add(text, "]\n");
}

static fcps_status read_file(fcps_problem_file **file, const limited_world *world, const limited_settings *given,
                             fcps_error *error)
{
  char text[TEXT] = "";
  add(text, "name: limited\n");
  add(text, world->spaces);
  const bool has_limits = world->limits[0].name != NULL;
  add_reward(world, has_limits && given->keep == KEEP_PENALTY, text);
  if (has_limits && given->keep == KEEP_LIMITS) add_limits(world, given->chance, given->safe, text);
  return fcps_problem_file_parse(file, text, strlen(text), world->name, NULL, error);
}

/* -- The task -- */

static void destroy(void *state)
{
  limited *l = state;
  fcps_problem_file_destroy(l->file);
  fcps_problem_file_destroy(l->judges);
  fcps_free(l->contexts);
}

/* Places the contexts of the evaluation: a fixed sequence, which is the same for every seed. A world without contexts
 * has a single one. */
static fcps_status place_evaluations(fcps_task *task, limited *l)
{
  const fcps_space *target = &task->problem.target, *environment = &task->problem.environment;
  const int width = target->count + environment->count, count = width > 0 ? EVALUATIONS : 1;
  l->contexts = fcps_allocate((size_t)(count * width), sizeof *l->contexts);
  if (l->contexts == NULL) return FCPS_ERR_MEMORY;
  double *targets = l->contexts, *environments = targets + count * target->count;
  for (int i = 0; i < count && width > 0; i++) {
    double x[FCPS_SPACE_MAX];
    fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 0);
    fcps_points_halton(&rng, width, i + 1, 1, x);
    fcps_space_from_unit(target, x, targets + i * target->count);
    fcps_space_from_unit(environment, x + target->count, environments + i * environment->count);
  }
  task->evaluation = (fcps_evaluation){.count = count, .targets = targets, .environments = environments};
  return FCPS_OK;
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  const limited_settings *given = settings, as_they_are = {.keep = KEEP_LIMITS, .chance = 0.95};
  limited *l = task->state;
  l->world = world_at(given->world);
  fcps_status status = read_file(&l->file, l->world, given, error);
  if (status == FCPS_OK) status = read_file(&l->judges, l->world, &as_they_are, error);
  if (status != FCPS_OK) return status;
  task->problem = l->file->problem;
  return place_evaluations(task, l) == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  const limited *l = task->state;
  double normals[WORLD_LIMITS];
  fcps_rng rng = fcps_task_noise(task, episode);
  for (int i = 0; i < WORLD_LIMITS; i++)
    normals[i] = episode < 0 ? 0.0 : fcps_rng_normal(&rng);
  l->world->run(environment, parameters, normals, outcome);
  rollout->outcome = outcome;
  return FCPS_OK;
}

static bool breaks(const fcps_task *task, const fcps_rollout *rollout)
{
  const fcps_problem *p = &((const limited *)task->state)->judges->problem;
  double all = 1.0;
  int broken = -1;
  if (fcps_problem_find_broken(p, rollout->target, rollout->environment, rollout->parameters, &broken, NULL) != FCPS_OK)
    return true;
  if (broken >= 0) return true;
  const fcps_status status = fcps_problem_limit_chances(p, rollout->target, rollout->environment, rollout->parameters,
                                                        rollout->outcome, NULL, NULL, &all, NULL);
  return status != FCPS_OK || all < 0.5;
}

const fcps_task_ops fcps_task_limited = {
    .info = {.name = "limited",
             .summary = "a throw, a process, a pendulum, designs and mixtures in which something must not happen",
             .settings = &table},
    .state_size = sizeof(limited),
    .create = create,
    .destroy = destroy,
    .run = run,
    .breaks = breaks,
};
