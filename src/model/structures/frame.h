/* SPDX-License-Identifier: Apache-2.0 */
/* A frame: outcomes in coordinates that turn with an angle of the trial.
 *
 * A throw to the left is a throw to the right, turned. A model of the reported outcomes has to learn both; a model of
 * outcomes that are turned back by the angle of the throw only has to learn one. A frame defines the angle t of a
 * trial, the pairs of outcomes that are planar vectors and turn with it, the pairs of inputs that turn as well (the
 * stroke of a hand), and the pair of inputs from which outcomes are measured (the position of the object):
 *
 *   z = R(-t) (o - base),   inputs := R(-t) inputs        the outcomes and inputs of the GP ("seen")
 *   o = R(t) z + base                                      the prediction in the user's frame ("unseen")
 *
 * The angle is a periodic dimension, which has two features on a circle, or the direction of a planar vector among the
 * inputs. Rotations and shifts keep volumes, so the likelihoods of outcomes in different frames can be compared
 * directly (evidence.h).
 *
 * `row` below is a row of a model before it is turned: features of the context, then of the parameters. The two outputs
 * of a pair share a scale. With one GP, the uncertainty of a pair is therefore the same in all directions, and a
 * rotation does not change it. With one GP per output the variances turn, and the covariance between the outcomes of a
 * pair is neglected.
 *
 * Invariant: no output or input belongs to two pairs. */
#ifndef FCPS_MODEL_STRUCTURES_FRAME_H
#define FCPS_MODEL_STRUCTURES_FRAME_H

#include "model/description.h"

/* The largest number of pairs of outcomes, and of pairs of inputs, that turn. */
enum { FCPS_FRAME_PAIRS = FCPS_DESCRIPTION_PAIRS };

/* Two features that form a planar vector: (row[first] - origin[0]) span[0], (row[second] - origin[1]) span[1]. */
typedef struct fcps_frame_vector {
  int first, second;
  double origin[2], span[2];
} fcps_frame_vector;

typedef enum fcps_frame_angle {
  FCPS_FRAME_CIRCLE,   /* a periodic dimension with cosine and sine as features */
  FCPS_FRAME_DIRECTION /* the direction of a planar vector */
} fcps_frame_angle;

/* A pair of outcomes that turns. If `is_relative`, the pair is measured from the vector `base`. */
typedef struct fcps_frame_pair {
  int first, second;
  bool is_relative;
  fcps_frame_vector base;
} fcps_frame_pair;

typedef struct fcps_frame {
  fcps_frame_angle angle;
  int sign;                 /* +1: outcomes turn with the angle; -1: against it */
  int cosine;               /* CIRCLE: index of the feature cosine/2; the next feature is sine/2 */
  double phase[2];          /* CIRCLE: cosine and sine of the dimension's lower bound */
  fcps_frame_vector vector; /* DIRECTION: the vector whose direction is the angle */
  int pair_count, input_count;
  fcps_frame_pair pairs[FCPS_FRAME_PAIRS];
  fcps_frame_vector inputs[FCPS_FRAME_PAIRS];
} fcps_frame;

/* -- Functions of the structure, whose state is a frame -- */

/* Turns `count` outcomes of one row to the user's frame, in place. Successive outcomes are `stride` numbers apart. The
 * angle is computed once for all of them. */
void fcps_frame_unsee_outcomes(const void *frame, const fcps_layout *layout, const double *row, size_t count,
                               size_t stride, double *outcomes);

/* -- Rows -- */

/* Turns the pairs of inputs that belong to the frame; `inputs` may be `row`. */
void fcps_frame_turn_inputs(const fcps_frame *frame, const double *row, double *inputs);

/* Turns an outcome of the user to the frame of the GP, in place. */
void fcps_frame_turn_outcome(const fcps_frame *frame, const double *row, double *outcome);

/* Writes ", or: A; B" with as many of the problem's frames, in words, as fit into `size` bytes; an empty text if there
 * is no frame. Returns `text`. */
char *fcps_frame_list(const fcps_layout *layout, size_t size, char *text);

#endif
