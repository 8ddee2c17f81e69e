/* SPDX-License-Identifier: Apache-2.0 */
/* The contexts and the noise of a run on a problem. They are the same for all learners with the same seed. */
#ifndef FCPS_BENCH_LAB_WORLD_H
#define FCPS_BENCH_LAB_WORLD_H

#include "lab/problems.h"

#include <fcps/problem.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct lab_world {
  const lab_problem *problem;
  const fcps_problem *spaces;
  bool is_one;    /* the only context is the one in the middle */
  uint64_t draws; /* the state of the random numbers */
} lab_world;

/* The number of contexts in which a policy is evaluated; they are the same for all seeds. */
enum { LAB_CONTEXTS = 40 };

/* The problem with this name; NULL if there is none. */
const lab_problem *lab_problem_find(const char *name);

lab_world lab_world_begin(const lab_problem *problem, const fcps_problem *spaces, uint64_t seed);

/* The world that draws the contexts in which a policy is evaluated. */
lab_world lab_world_after(const lab_world *world);

/* Draw the next context, and then the noise of the trial in it. */
void lab_world_context(lab_world *world, double *target, double *environment);
double lab_world_noise(lab_world *world);

/* The reward of the parameters without noise. */
double lab_world_score(const lab_world *world, const double *target, const double *environment,
                       const double *parameters);

#endif
