/* SPDX-License-Identifier: Apache-2.0 */
/* Studies whose truth is known: healthy ones without any structure, ones with a single structure, and functions of
 * textbooks. A row depends on the seed and its number alone, so the study with ten rows begins the one with twenty. */
#ifndef FCPS_BENCH_CALIBRATION_STUDY_H
#define FCPS_BENCH_CALIBRATION_STUDY_H

#include <stdbool.h>
#include <stdint.h>

/* What may be claimed of a study. The order is that of the columns of the tables. */
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

/* Where the inputs come from: anywhere; around the best row so far, closer and closer; or the learner asks for them. */
typedef enum calibration_inputs { INPUTS_UNIFORM, INPUTS_CONVERGING, INPUTS_ASKED } calibration_inputs;

enum { CALIBRATION_MOST = 16, CALIBRATION_ROWS = 1000, CALIBRATION_WAVES = 96, CALIBRATION_TEXT = 2000 };

/* Waves of random direction: a smooth random function. */
typedef struct calibration_function {
  double direction[CALIBRATION_WAVES][8], phase[CALIBRATION_WAVES];
} calibration_function;

typedef struct calibration_world calibration_world;

typedef struct calibration_kind {
  const char *name;
  calibration_group group;
  int least_outcomes, most_outcomes;
  /* what happens; `row` of a study that will have `rows` */
  void (*happen)(calibration_world *world, int row, const double *unit, double *outcome);
  unsigned right;  /* bits of the claims that are true of it */
  unsigned wanted; /* of them, those of which one should be made */
  int inputs;      /* of a function from a textbook: its number of parameters */
  double lower, upper;
  double (*value)(const double *x); /* the function */
} calibration_kind;

struct calibration_world {
  const calibration_kind *kind;
  uint64_t seed;
  int rows, targets, environments, parameters, outcomes;
  double lower[CALIBRATION_MOST], upper[CALIBRATION_MOST]; /* of the inputs: environment, then parameters */
  calibration_function functions[8];
  double stuck;                    /* what a sensor showed when it died */
  bool is_wrong[CALIBRATION_ROWS]; /* rows of which a number is not what was measured */
  char problem[CALIBRATION_TEXT];  /* as YAML */
};

/* The kind with this number, or with this name; NULL: there is none. */
const calibration_kind *calibration_kind_at(int index);
const calibration_kind *calibration_kind_named(const char *name);

/* Whether there is a study of this kind with so many outcomes. */
bool calibration_kind_has(const calibration_kind *kind, int outcomes);

/* A world is large: keep it in static memory. */
void calibration_world_create(calibration_world *world, const calibration_kind *kind, int outcomes, int rows,
                              uint64_t seed);

/* The target of a row, uniform, and its inputs (environment, then parameters): uniform, or around `best`, which may be
 * NULL, closer with each row. */
void calibration_draw(const calibration_world *world, int row, bool is_converging, const double *best, double *target,
                      double *inputs);

/* What happens in a row. */
void calibration_happen(calibration_world *world, int row, const double *inputs, double *outcome);

/* How far the result is from the target: what a converging row goes by. */
double calibration_miss(const calibration_world *world, const double *target, const double *outcome);

#endif
