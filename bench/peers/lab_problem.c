/* SPDX-License-Identifier: Apache-2.0 */
/* A test function of bench_lab for rivals in other languages, with the same contexts and noise as fcps for each seed.
 *
 *   lab_problem NAME SEED TRIALS
 *
 * Writes one line of JSON: the problem file, the spaces, and the contexts (target, then environment) of the trials and
 * of the evaluation of the policy. Then answers each line "TRIAL TARGET... ENVIRONMENT... PARAMETERS..." with a line
 * "REWARD OUTCOME..."; a negative trial is without noise. */
#include "lab/world.h"
#include "measure.h"

#include <fcps/fcps.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIALS = 1000 };

static void print_space(const char *name, const fcps_space *space)
{
  printf("\"%s\": [", name);
  for (int d = 0; d < space->count; d++)
    printf("%s{\"name\": \"%s\", \"lower\": %.17g, \"upper\": %.17g, \"step\": %.17g, \"scale\": \"%s\"}",
           d > 0 ? ", " : "", space->dims[d].name, space->dims[d].lower, space->dims[d].upper, space->dims[d].step,
           fcps_scale_name((int)space->dims[d].scale));
  printf("], ");
}

static void print_context(lab_world *world, int index)
{
  double context[2 * FCPS_SPACE_MAX];
  const int targets = world->spaces->target.count, all = targets + world->spaces->environment.count;
  lab_world_context(world, context, context + targets);
  printf("%s[", index > 0 ? ", " : "");
  for (int i = 0; i < all; i++)
    printf("%s%.17g", i > 0 ? ", " : "", context[i]);
  printf("]");
}

/* Writes the line of JSON, and keeps the noise of the trials. */
static void announce(lab_world world, int trials, double *noise)
{
  printf("{\"text\": \"");
  for (const char *c = world.problem->text; *c != '\0'; c++)
    printf(*c == '\n' ? "\\n" : *c == '"' ? "\\\"" : "%c", *c);
  printf("\", ");
  print_space("target", &world.spaces->target);
  print_space("environment", &world.spaces->environment);
  print_space("parameters", &world.spaces->parameters);
  print_space("outcome", &world.spaces->outcome);
  printf("\"trials\": [");
  for (int i = 0; i < trials; i++) {
    print_context(&world, i);
    noise[i] = lab_world_noise(&world);
  }
  printf("], \"evaluation\": [");
  lab_world after = lab_world_after(&world);
  for (int i = 0; i < LAB_CONTEXTS; i++)
    print_context(&after, i);
  printf("]}\n");
  fflush(stdout);
}

static bool read_numbers(int count, double *numbers)
{
  for (int i = 0; i < count; i++)
    if (scanf("%lf", &numbers[i]) != 1) return false;
  return true;
}

/* Answers one line; false after the last. */
static bool answer(const lab_world *world, int trials, const double *noise)
{
  const fcps_problem *s = world->spaces;
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX], parameters[FCPS_SPACE_MAX], outcome[FCPS_SPACE_MAX];
  double reward;
  const bool present = true;
  int trial;
  if (scanf("%d", &trial) != 1 || trial >= trials || !read_numbers(s->target.count, target) ||
      !read_numbers(s->environment.count, environment) || !read_numbers(s->parameters.count, parameters))
    return false;
  world->problem->run(environment, parameters, trial < 0 ? 0.0 : noise[trial], outcome);
  measure_require(s->reward(s->user, 1, target, environment, parameters, outcome, &present, &reward), "reward");
  printf("%.17g", reward);
  for (int i = 0; i < s->outcome.count; i++)
    printf(" %.17g", outcome[i]);
  printf("\n");
  fflush(stdout);
  return true;
}

int main(int count, char **arguments)
{
  const lab_problem *problem = count == 4 ? lab_problem_find(arguments[1]) : NULL;
  const int trials = problem != NULL ? atoi(arguments[3]) : 0;
  double noise[MOST_TRIALS];
  fcps_study *study;
  fcps_error error;
  if (trials < 1 || trials > MOST_TRIALS) return 2;
  const fcps_study_setup setup = {.text = problem->text, .text_name = problem->name, .learner = "random"};
  measure_require(fcps_study_create(&study, NULL, &setup, NULL, &error), problem->name);
  const lab_world world = lab_world_begin(problem, fcps_study_problem(study), strtoull(arguments[2], NULL, 10));
  announce(world, trials, noise);
  while (answer(&world, trials, noise)) {
  }
  fcps_study_close(study);
  return 0;
}
