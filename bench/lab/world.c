/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/world.h"

#include "measure.h"

#include <math.h>
#include <string.h>

/* The generator splitmix64 (Steele, Lea & Flood, 2014): a number in [0, 1). */
static double uniform(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

const lab_problem *lab_problem_find(const char *name)
{
  const lab_problem *const tables[] = {lab_problems, lab_more};
  for (int t = 0; t < 2; t++)
    for (const lab_problem *p = tables[t]; p->name != NULL; p++)
      if (strcmp(name, p->name) == 0) return p;
  return NULL;
}

lab_world lab_world_begin(const lab_problem *problem, const fcps_problem *spaces, uint64_t seed)
{
  return (lab_world){.problem = problem, .spaces = spaces, .draws = seed * 1000003u};
}

lab_world lab_world_after(const lab_world *world)
{
  lab_world after = *world;
  after.draws = 77;
  return after;
}

static void draw(lab_world *w, const fcps_space *space, double *values)
{
  for (int i = 0; i < space->count; i++)
    values[i] =
        space->dims[i].lower + (space->dims[i].upper - space->dims[i].lower) * (w->is_one ? 0.5 : uniform(&w->draws));
}

void lab_world_context(lab_world *world, double *target, double *environment)
{
  draw(world, &world->spaces->target, target);
  draw(world, &world->spaces->environment, environment);
}

double lab_world_noise(lab_world *world)
{
  const double radius = sqrt(-2.0 * log(1.0 - uniform(&world->draws)));
  return radius * cos(2.0 * 3.14159265358979323846 * uniform(&world->draws));
}

double lab_world_score(const lab_world *world, const double *target, const double *environment,
                       const double *parameters)
{
  const fcps_problem *s = world->spaces;
  const bool present = true;
  double outcome[FCPS_SPACE_MAX], reward;
  world->problem->run(environment, parameters, 0.0, outcome);
  measure_require(s->reward(s->user, 1, target, environment, parameters, outcome, &present, &reward), "reward");
  return reward;
}
