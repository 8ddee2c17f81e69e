/* SPDX-License-Identifier: Apache-2.0 */
/* The gain from a dimension of words (one of several things), compared with ways to do without words.
 *
 *   bench_words [FIRST LAST [PROBLEM [CODING]]]     seeds 1001 to 1008, all problems, all codings
 *
 * Codings:
 *   words     choices of a dimension
 *   plain     the same, without learning which words are alike
 *   numbers   the places of the words in the list, as an integer
 *   flags     a number for each word, of which the largest counts
 *   truth     the hidden numbers by which the things differ, which no user would know
 *
 * Problems:
 *   balls     four balls fly differently; the target is the place where one should land. Loss of the policy after 16
 *             and 32 trials.
 *   many      twelve balls with different drags; loss after 48 and 96 trials.
 *   robots    four robots of one kind throw a little differently; loss after 16 and 32 trials.
 *   fifth     a fifth robot after 48 trials of four others and 3 of its own; `alone` is the fifth robot by itself after
 *             16 trials.
 *   process   three gates, two environments, four numeric parameters. How often the gate is the right one in new
 *             contexts, and the loss of the policy compared with the best, after 60 trials. */
#include "measure.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, CHECKS = 40, MOST_WORDS = 12 };
typedef enum coding { WORDS, PLAIN, NUMBERS, FLAGS, TRUTH, CODINGS } coding;
static const char *const coding_names[] = {"words", "plain", "numbers", "flags", "truth"};
static const fcps_setting settings_of[CODINGS][2] = {[PLAIN] = {{"words", "off"}}};

/* -- Throws -- */

/* The hidden numbers of a thing: its drag, its share of the wanted speed, the errors of tilt and turn. */
typedef struct thing {
  double drag, gain, lean, veer;
} thing;

enum { THROWN = 2, AIMED = 3 };

/* Computes the place where a throw from a height of 1 lands. */
static void fly(const thing *it, const double *p, double *land)
{
  static const double dt = 0.01;
  const double tilt = p[1] + it->lean, turn = p[2] + it->veer;
  double x = 0, y = 1, u = it->gain * p[0] * cos(tilt), v = it->gain * p[0] * sin(tilt);
  for (int i = 0; i < 1000 && y > 0; i++) {
    const double slowing = it->drag * sqrt(u * u + v * v);
    const double step = v < 0 && y + v * dt < 0 ? -y / v : dt;
    x += u * step;
    y += v * step;
    u -= slowing * u * step;
    v -= (9.81 + slowing * v) * step;
    if (step < dt) break;
  }
  land[0] = x * cos(turn);
  land[1] = x * sin(turn);
}

static const thing balls[] = {{0.12, 1, 0, 0.05}, {0.0, 1, 0, -0.1}, {0.3, 1, 0, 0.02}, {0.04, 1, 0, 0.15}};

/* Draws a robot; each seed has its own robots. */
static thing robot(uint64_t seed, int index)
{
  const uint64_t at = 900 + 3 * (uint64_t)index;
  return (thing){0.02, 1 + 0.05 * measure_normal_at(seed, at), 0.05 * measure_normal_at(seed, at + 1),
                 0.05 * measure_normal_at(seed, at + 2)};
}

/* -- The process -- */

/* Three gates fill a mould in different ways: each has its own best speed and place, and the environment decides which
 * gate is best. The outcomes are the missing weight and the warp. */
static void fill(int gate, const double *environment, const double *p, double *outcome)
{
  static const double best[3][4] = {{0.3, 0.7, 0.4, 0.5}, {0.6, 0.3, 0.6, 0.4}, {0.75, 0.55, 0.3, 0.7}};
  static const double cost[3] = {0.1, 0.0, 0.15};
  const double heat = environment[0], moisture = environment[1];
  const double shift = gate == 0 ? 0.25 * (heat - 0.5) : gate == 1 ? -0.3 * (heat - 0.5) : 0.2 * (moisture - 0.5);
  const double a = p[0] - best[gate][0] - shift, b = p[1] - best[gate][1] + 0.5 * shift, c = p[2] - best[gate][2],
               d = p[3] - best[gate][3] - 0.3 * (moisture - 0.5);
  outcome[0] = 2.0 * a + 1.2 * b + a * c;
  outcome[1] = cost[gate] + 1.5 * b * b + c * c + d * d +
               1.5 * (gate == 0   ? heat
                      : gate == 1 ? 1 - heat * moisture
                                  : moisture);
}

static double worth(const double *outcome)
{
  return -fabs(outcome[0]) - 2.0 * outcome[1];
}

static double worth_of(int gate, const double *environment, const double *p)
{
  double outcome[2];
  fill(gate, environment, p, outcome);
  return worth(outcome);
}

/* The smallest loss with one gate, found by changing one coordinate after the other, from the middle. */
static double best_of(int gate, const double *environment)
{
  double p[4] = {0.5, 0.5, 0.5, 0.5}, most = worth_of(gate, environment, p);
  for (double step = 0.25; step > 1e-5; step *= 0.5)
    for (int pass = 0; pass < 20; pass++) {
      bool has_moved = false;
      for (int move = 0; move < 81; move++) {
        double q[4];
        for (int d = 0, rest = move; d < 4; d++, rest /= 3)
          q[d] = fmin(1, fmax(0, p[d] + (rest % 3 - 1) * step));
        const double value = worth_of(gate, environment, q);
        if (!(value > most)) continue;
        most = value;
        memcpy(p, q, sizeof p);
        has_moved = true;
      }
      if (!has_moved) break;
    }
  return most;
}

/* -- Dimensions -- */

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};

/* Appends a dimension for the words of `count` things, in the given coding. Returns the number of dimensions so far. */
static int add_word(coding how, int count, bool is_alike, fcps_choices *choices, fcps_dimension *dims, int used)
{
  static const char *const flags[] = {"is_a", "is_b", "is_c", "is_d", "is_e", "is_f",
                                      "is_g", "is_h", "is_i", "is_j", "is_k", "is_l"};
  *choices = (fcps_choices){.count = count, .words = names, .is_alike = is_alike};
  if (how == WORDS || how == PLAIN)
    dims[used++] =
        (fcps_dimension){.name = "kind", .upper = count - 1, .scale = FCPS_SCALE_INTEGER, .choices = choices};
  else if (how == NUMBERS)
    dims[used++] = (fcps_dimension){.name = "kind", .upper = count - 1, .scale = FCPS_SCALE_INTEGER};
  else if (how == FLAGS)
    for (int i = 0; i < count; i++)
      dims[used++] = (fcps_dimension){.name = flags[i], .upper = 1};
  return used;
}

static void put_word(coding how, int count, int word, double *values)
{
  if (how != FLAGS && how != TRUTH) values[0] = word;
  for (int i = 0; i < count && how == FLAGS; i++)
    values[i] = i == word;
}

static int get_word(coding how, int count, const double *values)
{
  int best = 0;
  if (how != FLAGS) return (int)(values[0] + 0.5);
  for (int i = 1; i < count; i++)
    if (values[i] > values[best]) best = i;
  return best;
}

/* -- Throws: runs -- */

static fcps_status miss(void *user, int count, const double *target, const double *environments,
                        const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -hypot(outcomes[THROWN * i] - target[0], outcomes[THROWN * i + 1] - target[1]);
  return FCPS_OK;
}

static fcps_status landed(void *user, int count, const double *environments, const double *outcomes, double *targets)
{
  (void)user, (void)environments;
  memcpy(targets, outcomes, THROWN * (size_t)count * sizeof *targets);
  return FCPS_OK;
}

typedef struct throws {
  int count; /* number of things; 0: a single one, without a word */
  bool is_alike;
  const thing *things;
  coding how;
  uint64_t seed;
} throws;

static fcps_learner *begin_throws(const throws *t, fcps_choices *choices)
{
  static const fcps_dimension target[] = {{.name = "x", .lower = 2, .upper = 3},
                                          {.name = "y", .lower = -0.5, .upper = 0.5}};
  static const fcps_dimension parameters[] = {{.name = "speed", .lower = 3, .upper = 7},
                                              {.name = "tilt", .lower = 0.3, .upper = 1},
                                              {.name = "turn", .lower = -0.5, .upper = 0.5}};
  static const fcps_dimension outcome[] = {{.name = "land_x"}, {.name = "land_y"}};
  fcps_dimension environment[MOST];
  int used = t->count > 0 ? add_word(t->how, t->count, t->is_alike, choices, environment, 0) : 0;
  if (t->count > 0 && t->how == TRUTH) {
    if (!t->is_alike) environment[used++] = (fcps_dimension){.name = "drag", .upper = 0.35};
    if (t->is_alike) environment[used++] = (fcps_dimension){.name = "gain", .lower = 0.85, .upper = 1.15};
    if (t->is_alike) environment[used++] = (fcps_dimension){.name = "lean", .lower = -0.15, .upper = 0.15};
    environment[used++] = (fcps_dimension){.name = "veer", .lower = -0.3, .upper = 0.3};
  }
  const fcps_problem problem = {.target = {THROWN, target},
                                .environment = {used, environment},
                                .parameters = {AIMED, parameters},
                                .outcome = {THROWN, outcome},
                                .reward = miss,
                                .achieved = landed,
                                .is_distance = true};
  fcps_learner *learner = NULL;
  measure_require(fcps_learner_create(&learner, &problem, "outcome", settings_of[t->how], t->seed, NULL), "learner");
  return learner;
}

static double within(double value, double most)
{
  return fmin(most, fmax(-most, value));
}

static void put_thing(const throws *t, int word, double *environment)
{
  const thing *it = t->things + word;
  if (t->count == 0) return;
  put_word(t->how, t->count, word, environment);
  if (t->how != TRUTH) return;
  if (!t->is_alike) *environment++ = it->drag;
  if (t->is_alike) *environment++ = 1 + within(it->gain - 1, 0.15);
  if (t->is_alike) *environment++ = within(it->lean, 0.15);
  *environment++ = within(it->veer, 0.3);
}

static void throw_once(const throws *t, fcps_learner *learner, int trial, int word)
{
  const uint64_t at = 2 * (uint64_t)trial;
  double environment[MOST], p[AIMED], o[THROWN];
  const double target[] = {2 + measure_uniform_at(t->seed, at), -0.5 + measure_uniform_at(t->seed, at + 1)};
  int64_t id;
  put_thing(t, word, environment);
  measure_require(fcps_learner_ask(learner, target, environment, p, &id), "ask");
  fly(t->things + word, p, o);
  for (int d = 0; d < THROWN; d++)
    o[d] += 0.01 * measure_normal_at(t->seed + 77, at + (uint64_t)d);
  const fcps_rollout rollout = {.target = target, .environment = environment, .parameters = p, .outcome = o};
  measure_require(fcps_learner_tell(learner, id, &rollout), "tell");
}

/* The mean distance by which the policy misses with the things first ... last. */
static double lose_throws(const throws *t, fcps_learner *learner, int first, int last)
{
  fcps_policy *policy = NULL;
  double sum = 0;
  const int all = (last - first + 1) * CHECKS;
  measure_require(fcps_learner_policy(learner, &policy), "policy");
  for (int i = 0; i < all; i++) {
    const int word = first + i % (last - first + 1);
    const double target[] = {2 + measure_uniform_at(31, (uint64_t)i), -0.5 + measure_uniform_at(32, (uint64_t)i)};
    double environment[MOST], p[AIMED], o[THROWN];
    put_thing(t, word, environment);
    measure_require(fcps_policy_query(policy, target, environment, p, NULL), "query");
    fly(t->things + word, p, o);
    sum += hypot(o[0] - target[0], o[1] - target[1]) / all;
  }
  fcps_policy_destroy(policy);
  return sum;
}

static void run_throws(coding how, int count, bool are_robots, uint64_t seed, double *scores)
{
  thing things[MOST_WORDS];
  fcps_choices choices;
  const int first = 4 * count;
  for (int i = 0; i < count; i++)
    things[i] = are_robots  ? robot(seed, i)
                : count > 4 ? (thing){.drag = 0.35 * measure_uniform_at(seed, 700 + (uint64_t)i), .gain = 1}
                            : balls[i];
  const throws t = {.count = count, .is_alike = are_robots, .things = things, .how = how, .seed = seed};
  fcps_learner *learner = begin_throws(&t, &choices);
  for (int i = 0; i < 2 * first; i++) {
    throw_once(&t, learner, i, (int)(count * measure_uniform_at(seed + 5, (uint64_t)i)));
    if (i == first - 1) scores[0] = lose_throws(&t, learner, 0, count - 1);
  }
  scores[1] = lose_throws(&t, learner, 0, count - 1);
  fcps_learner_destroy(learner);
}

/* The fifth robot after 3 trials of its own, and a study of it alone after 16. */
static void run_fifth(coding how, uint64_t seed, double *scores)
{
  thing things[5];
  fcps_choices choices;
  for (int i = 0; i < 5; i++)
    things[i] = robot(seed, i);
  const throws all = {.count = 5, .is_alike = true, .things = things, .how = how, .seed = seed};
  const throws one = {.things = things + 4, .how = how, .seed = seed};
  fcps_learner *learner = begin_throws(&all, &choices);
  for (int i = 0; i < 51; i++)
    throw_once(&all, learner, i, i < 48 ? i % 4 : 4);
  scores[0] = lose_throws(&all, learner, 4, 4);
  fcps_learner_destroy(learner);
  learner = begin_throws(&one, &choices);
  for (int i = 0; i < 16; i++)
    throw_once(&one, learner, i, 0);
  scores[1] = lose_throws(&one, learner, 0, 0);
  fcps_learner_destroy(learner);
}

/* -- The process: runs -- */

static fcps_status score_process(void *user, int count, const double *target, const double *environments,
                                 const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = worth(outcomes + 2 * i);
  return FCPS_OK;
}

static void run_process(coding how, uint64_t seed, double *scores)
{
  static const fcps_dimension environment[] = {{.name = "heat", .upper = 1}, {.name = "moisture", .upper = 1}};
  static const fcps_dimension outcome[] = {{.name = "lack"}, {.name = "warp"}};
  fcps_dimension parameters[MOST] = {{.name = "speed", .upper = 1},
                                     {.name = "place", .upper = 1},
                                     {.name = "hold", .upper = 1},
                                     {.name = "cool", .upper = 1}};
  fcps_choices choices;
  const int used = add_word(how, 3, false, &choices, parameters, 4);
  const fcps_problem problem = {.environment = {2, environment},
                                .parameters = {used, parameters},
                                .outcome = {2, outcome},
                                .reward = score_process};
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  measure_require(fcps_learner_create(&learner, &problem, "outcome", settings_of[how], seed, NULL), "learner");
  for (int i = 0; i < 60; i++) {
    double p[MOST], o[2],
        e[2] = {measure_uniform_at(seed, 2 * (uint64_t)i), measure_uniform_at(seed, 2 * (uint64_t)i + 1)};
    int64_t id;
    measure_require(fcps_learner_ask(learner, NULL, e, p, &id), "ask");
    fill(get_word(how, 3, p + 4), e, p, o);
    o[0] += 0.02 * measure_normal_at(seed + 77, 2 * (uint64_t)i);
    o[1] += 0.02 * measure_normal_at(seed + 77, 2 * (uint64_t)i + 1);
    const fcps_rollout rollout = {.environment = e, .parameters = p, .outcome = o};
    measure_require(fcps_learner_tell(learner, id, &rollout), "tell");
  }
  measure_require(fcps_learner_policy(learner, &policy), "policy");
  scores[0] = scores[1] = 0;
  for (int i = 0; i < CHECKS; i++) {
    double p[MOST],
        e[2] = {measure_uniform_at(seed + 9, 2 * (uint64_t)i), measure_uniform_at(seed + 9, 2 * (uint64_t)i + 1)};
    double best[3], most = -INFINITY;
    for (int g = 0; g < 3; g++)
      most = fmax(most, best[g] = best_of(g, e));
    measure_require(fcps_policy_query(policy, NULL, e, p, NULL), "query");
    const int gate = get_word(how, 3, p + 4);
    scores[0] += (most - worth_of(gate, e, p)) / CHECKS;
    scores[1] += (best[gate] == most) / (double)CHECKS;
  }
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
}

/* -- The tables -- */

static const char *const problems[] = {"balls", "robots", "fifth", "process", "many"};
static const char *const columns[][2] = {{"loss at 16", "loss at 32"},
                                         {"loss at 16", "loss at 32"},
                                         {"loss at 3", "alone at 16"},
                                         {"regret", "right gate"},
                                         {"loss at 48", "loss at 96"}};

int main(int argc, char **argv)
{
  const int first = argc > 2 ? atoi(argv[1]) : 1001, last = argc > 2 ? atoi(argv[2]) : 1008, count = last - first + 1;
  printf("seeds %d to %d\n", first, last);
  for (int k = 0; k < 5; k++) {
    if (argc > 3 && strcmp(argv[3], problems[k]) != 0 && strcmp(argv[3], "all") != 0) continue;
    printf("%-10s %-10s %20s %20s\n", problems[k], "", columns[k][0], columns[k][1]);
    for (int how = 0; how < CODINGS; how++) {
      double sum[2] = {0}, squares[2] = {0};
      if ((argc > 4 && strcmp(argv[4], coding_names[how]) != 0) || (k == 3 && how == TRUTH)) continue;
      for (int seed = first; seed <= last; seed++) {
        double scores[2];
        if (k == 3)
          run_process((coding)how, (uint64_t)seed, scores);
        else if (k == 2)
          run_fifth((coding)how, (uint64_t)seed, scores);
        else
          run_throws((coding)how, k == 4 ? 12 : 4, k == 1, (uint64_t)seed, scores);
        for (int i = 0; i < 2; i++) {
          sum[i] += scores[i] / count;
          squares[i] += scores[i] * scores[i] / count;
        }
      }
      printf("%-10s %-10s", "", coding_names[how]);
      for (int i = 0; i < 2; i++)
        printf(" %9.4f +- %7.4f", sum[i], count > 1 ? sqrt(fmax(0, squares[i] - sum[i] * sum[i]) / (count - 1)) : 0.0);
      printf("\n");
      fflush(stdout);
    }
  }
  return 0;
}
