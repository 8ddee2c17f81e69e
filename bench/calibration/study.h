/* SPDX-License-Identifier: Apache-2.0 */
/* Studies whose truth is known: healthy ones without any structure, ones with a single structure, and textbook
 * functions. A row depends only on the seed and its number, so the study with ten rows is the beginning of the one with
 * twenty. */
#ifndef FCPS_BENCH_CALIBRATION_STUDY_H
#define FCPS_BENCH_CALIBRATION_STUDY_H

#include <stdbool.h>
#include <stdint.h>

/* The claims that a study may make, in the order of the columns of the tables. */
typedef enum calibration_claim {
  CLAIM_FRAME,
  CLAIM_CONTACT,
  CLAIM_UNEVEN,
  CLAIM_SEPARATE,
  CLAIM_DRIFT,
  CLAIM_SUSPECT,
  CLAIM_SURPRISE,
  CLAIM_UNIT,
  CLAIM_MODEL,
  CLAIM_OVERCONFIDENT,
  CLAIM_BLIND,
  CLAIM_EXACT,
  CLAIM_SAME,
  CLAIM_TWO_VALUES,
  CLAIM_OTHER, /* any other warning or remark, by its code */
  CLAIM_COUNT
} calibration_claim;

typedef enum calibration_group { GROUP_HEALTHY, GROUP_STRUCTURED, GROUP_TEXTBOOK } calibration_group;

/* How inputs are chosen: anywhere; around the best row so far, closer and closer; or the learner asks for them. */
typedef enum calibration_inputs { INPUTS_UNIFORM, INPUTS_CONVERGING, INPUTS_ASKED } calibration_inputs;

enum { CALIBRATION_MOST = 16, CALIBRATION_ROWS = 1000, CALIBRATION_WAVES = 96, CALIBRATION_TEXT = 2000 };

/* A smooth random function: waves of random direction. */
typedef struct calibration_function {
  double direction[CALIBRATION_WAVES][8], phase[CALIBRATION_WAVES];
} calibration_function;

typedef struct calibration_world calibration_world;

typedef struct calibration_kind {
  const char *name;
  calibration_group group;
  int least_outcomes, most_outcomes;
  /* Computes the outcome of row `row`, in a study that will have `rows`. */
  void (*happen)(calibration_world *world, int row, const double *unit, double *outcome);
  unsigned right;  /* bits of the claims that are true for this kind */
  unsigned wanted; /* those of them of which one should be made */
  int inputs;      /* for a textbook function: its number of parameters */
  double lower, upper;
  double (*value)(const double *x); /* the function */
} calibration_kind;

struct calibration_world {
  const calibration_kind *kind;
  uint64_t seed;
  int rows, targets, environments, parameters, outcomes;
  double lower[CALIBRATION_MOST], upper[CALIBRATION_MOST]; /* bounds of the inputs: environment, then parameters */
  calibration_function functions[8];
  double stuck;                    /* the value that a dead sensor shows */
  bool is_wrong[CALIBRATION_ROWS]; /* rows in which a number is not the measured one */
  char problem[CALIBRATION_TEXT];  /* as YAML */
};

/* The kind with a number, and with a name; NULL if there is none. */
const calibration_kind *calibration_kind_at(int index);
const calibration_kind *calibration_kind_named(const char *name);

/* Whether there is a study of this kind with this many outcomes. */
bool calibration_kind_has(const calibration_kind *kind, int outcomes);

/* Creates a world. A world is large: keep it in static memory. */
void calibration_world_create(calibration_world *world, const calibration_kind *kind, int outcomes, int rows,
                              uint64_t seed);

/* Draws the target of a row uniformly, and its inputs (environment, then parameters) uniformly or around `best` (may be
 * NULL), closer with each row. */
void calibration_draw(const calibration_world *world, int row, bool is_converging, const double *best, double *target,
                      double *inputs);

/* Computes the outcome of a row. */
void calibration_happen(calibration_world *world, int row, const double *inputs, double *outcome);

/* The distance of the result from the target, by which a converging study chooses its best row. */
double calibration_miss(const calibration_world *world, const double *target, const double *outcome);

#endif
