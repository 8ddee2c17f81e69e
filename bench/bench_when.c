/* SPDX-License-Identifier: Apache-2.0 */
/* The gain from saying when a parameter applies, compared with the same problem in which all parameters always do.
 *
 *   bench_when [FIRST LAST]     seeds 1001 to 1016
 *
 * A part is made with a mill, a drill or a laser, of steel or of brass. Only a mill is cooled, by mist or a flood, which flows;
 * only a drill pecks; only a laser has a power and a focus. Each seed has its own best values, costs of tools and effects of
 * coolants. The outcome is the roughness. Two rows of numbers: what the policy loses against the best, in the mean over both
 * materials, after 16 and after 32 trials; and in how many of them it has the best tool. */
#include "measure.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOOL, FEED, COOLANT, FLOW, PECK, POWER, FOCUS, PARAMETERS };
enum { MILL, DRILL, LASER, TOOLS };
enum { NONE, COOLANTS = 3, STOCKS = 2, ROUNDS = 2 };
static const int trials[ROUNDS] = {16, 32};

static double uniform_at(uint64_t a, uint64_t b)
{
  uint64_t x = a * UINT64_C(0x9E3779B97F4A7C15) + b * UINT64_C(0xBF58476D1CE4E5B9) + 1;
  x ^= x >> 30, x *= UINT64_C(0xBF58476D1CE4E5B9), x ^= x >> 27, x *= UINT64_C(0x94D049BB133111EB), x ^= x >> 31;
  return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

static double normal_at(uint64_t a, uint64_t b)
{
  return sqrt(-2 * log(uniform_at(a, 2 * b))) * cos(6.283185307179586 * uniform_at(a, 2 * b + 1));
}

/* A best value of this seed. */
static double best_at(uint64_t seed, int which, int tool, int stock)
{
  return 0.15 + 0.7 * uniform_at(seed + 5000, (uint64_t)(1 + which + 10 * tool)) +
         0.15 * (stock - 0.5) * (tool == DRILL ? -1 : 1);
}

static double square_from(uint64_t seed, const double *p, int which, int tool, int stock)
{
  const double off = p[which] - best_at(seed, which, tool, stock);
  return off * off;
}

static double roughness(uint64_t seed, int stock, const double *p)
{
  const int tool = (int)(p[TOOL] + 0.5), coolant = (int)(p[COOLANT] + 0.5);
  double rough = 0.4 * uniform_at(seed + 6000, (uint64_t)(1 + tool + 3 * stock));
  rough += 1.5 * square_from(seed, p, FEED, tool, stock);
  if (tool == MILL) {
    rough += 0.4 * uniform_at(seed + 7000, (uint64_t)(1 + coolant));
    if (coolant != NONE) rough += 1.5 * square_from(seed, p, FLOW, tool, stock);
  }
  if (tool == DRILL) rough += 2.0 * square_from(seed, p, PECK, tool, stock);
  if (tool == LASER) {
    const double a = p[POWER] - best_at(seed, POWER, tool, stock), b = p[FOCUS] - best_at(seed, FOCUS, tool, stock);
    rough += 2.0 * (a * a + b * b + a * b);
  }
  return rough;
}

/* The least roughness with one tool: the best values are within the bounds, and nothing else matters. */
static double least_with(uint64_t seed, int stock, int tool)
{
  double least = INFINITY, p[PARAMETERS] = {[TOOL] = tool};
  for (int d = FEED; d < PARAMETERS; d++)
    p[d] = fmin(fmax(best_at(seed, d, tool, stock), 0.0), 1.0);
  for (int coolant = 0; coolant < COOLANTS; coolant++) {
    p[COOLANT] = coolant;
    least = fmin(least, roughness(seed, stock, p));
  }
  return least;
}

static fcps_status smooth(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -outcomes[i];
  return FCPS_OK;
}

static void judge(fcps_learner *learner, uint64_t seed, double *regret, double *right)
{
  fcps_policy *policy = NULL;
  measure_require(fcps_learner_policy(learner, &policy), "policy");
  *regret = *right = 0;
  for (int stock = 0; stock < STOCKS; stock++) {
    double p[PARAMETERS], least[TOOLS], most = INFINITY;
    const double e = stock;
    for (int tool = 0; tool < TOOLS; tool++)
      most = fmin(most, least[tool] = least_with(seed, stock, tool));
    measure_require(fcps_policy_query(policy, NULL, &e, p, NULL), "query");
    *regret += (roughness(seed, stock, p) - most) / STOCKS;
    *right += (least[(int)(p[TOOL] + 0.5)] == most) / (double)STOCKS;
  }
  fcps_policy_destroy(policy);
}

static void run(bool says_when, uint64_t seed, double scores[2 * ROUNDS])
{
  static const char *const tools[] = {"mill", "drill", "laser"}, *const coolants[] = {"none", "mist", "flood"},
                           *const stocks[] = {"steel", "brass"};
  static const fcps_choices of_tools = {.count = TOOLS, .words = tools},
                            of_coolants = {.count = COOLANTS, .words = coolants},
                            of_stocks = {.count = STOCKS, .words = stocks};
  fcps_dimension parameters[PARAMETERS] = {
      {.name = "tool", .upper = TOOLS - 1, .scale = FCPS_SCALE_INTEGER, .choices = &of_tools},
      {.name = "feed", .upper = 1},
      {.name = "coolant",
       .upper = COOLANTS - 1,
       .scale = FCPS_SCALE_INTEGER,
       .choices = &of_coolants,
       .when = "tool == mill"},
      {.name = "flow", .upper = 1, .when = "coolant != none"},
      {.name = "peck", .upper = 1, .when = "tool == drill"},
      {.name = "power", .upper = 1, .when = "tool == laser"},
      {.name = "focus", .upper = 1, .when = "tool == laser"}};
  const fcps_dimension environment = {
      .name = "stock", .upper = STOCKS - 1, .scale = FCPS_SCALE_INTEGER, .choices = &of_stocks};
  const fcps_dimension outcome = {.name = "rough"};
  for (int d = 0; d < PARAMETERS && !says_when; d++)
    parameters[d].when = NULL;
  const fcps_problem problem = {.environment = {1, &environment},
                                .parameters = {PARAMETERS, parameters},
                                .outcome = {1, &outcome},
                                .reward = smooth};
  fcps_learner *learner = NULL;
  measure_require(fcps_learner_create(&learner, &problem, "outcome", NULL, seed, NULL), "learner");
  for (int i = 0, round = 0; round < ROUNDS; i++) {
    double p[PARAMETERS], e = uniform_at(seed + 1, (uint64_t)i) < 0.5, rough;
    int64_t id;
    measure_require(fcps_learner_ask(learner, NULL, &e, p, &id), "ask");
    rough = roughness(seed, (int)e, p) + 0.02 * normal_at(seed + 77, (uint64_t)i);
    const fcps_rollout rollout = {.environment = &e, .parameters = p, .outcome = &rough};
    measure_require(fcps_learner_tell(learner, id, &rollout), "tell");
    if (i + 1 != trials[round]) continue;
    judge(learner, seed, &scores[2 * round], &scores[2 * round + 1]);
    round++;
  }
  fcps_learner_destroy(learner);
}

int main(int argc, char **argv)
{
  const int first = argc > 2 ? atoi(argv[1]) : 1001, last = argc > 2 ? atoi(argv[2]) : 1016, count = last - first + 1;
  double sum[3][2 * ROUNDS] = {{0}}, squares[3][2 * ROUNDS] = {{0}};
  static const char *const names[] = {"when", "always", "difference"};
  for (int seed = first; seed <= last; seed++) {
    double scores[3][2 * ROUNDS];
    run(true, (uint64_t)seed, scores[0]);
    run(false, (uint64_t)seed, scores[1]);
    for (int i = 0; i < 2 * ROUNDS; i++) {
      scores[2][i] = scores[0][i] - scores[1][i];
      for (int k = 0; k < 3; k++) {
        sum[k][i] += scores[k][i] / count;
        squares[k][i] += scores[k][i] * scores[k][i] / count;
      }
    }
  }
  printf("seeds %d to %d\n%-12s %20s %20s %20s %20s\n", first, last, "", "regret at 16", "right tool", "regret at 32",
         "right tool");
  for (int k = 0; k < 3; k++) {
    printf("%-12s", names[k]);
    for (int i = 0; i < 2 * ROUNDS; i++)
      printf(" %9.4f +- %7.4f", sum[k][i],
             count > 1 ? sqrt(fmax(0, squares[k][i] - sum[k][i] * sum[k][i]) / (count - 1)) : 0.0);
    printf("\n");
  }
  return 0;
}
