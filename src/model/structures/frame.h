/* SPDX-License-Identifier: Apache-2.0 */
/* A frame that turns: outcomes as they look from where the trial went.
 *
 * A throw to the left is a throw to the right, turned. A model that learns outcomes as they were told learns both; one
 * that learns them turned back by the angle of the throw learns one skill. A frame says by which angle t of a trial,
 * which pairs of outcomes are planar vectors that turn with it, which pairs of inputs do as well (the stroke of a
 * hand), and which pair of inputs a pair of outcomes is measured from (where the object was):
 *
 *   z = R(-t) (o - base),   inputs := R(-t) inputs        what the GP sees
 *   o = R(t) z + base                                      what is predicted, in the user's frame
 *
 * The angle is a periodic dimension, which has two features on a circle, or the direction of a planar vector among the
 * inputs. Rotations and shifts keep volumes, so that the likelihoods of outcomes in different frames compare directly
 * (evidence.h).
 *
 * Rows are those of a model: features of the context, then of the parameters, as they are before they are turned. A pair
 * of outputs shares its scale, so that with one GP its uncertainty is the same in all directions and turns into itself.
 * With one GP per output the variances turn, and what both outcomes of a pair have in common is left out.
 *
 * Invariant: pairs have no member in common. */
#ifndef FCPS_MODEL_STRUCTURES_FRAME_H
#define FCPS_MODEL_STRUCTURES_FRAME_H

#include "model/description.h"

/* The most pairs of a kind that turn. */
enum { FCPS_FRAME_PAIRS = FCPS_DESCRIPTION_PAIRS };

/* Two features that are a planar vector: (row[first] - origin[0]) span[0], (row[second] - origin[1]) span[1]. */
typedef struct fcps_frame_vector {
  int first, second;
  double origin[2], span[2];
} fcps_frame_vector;

typedef enum fcps_frame_angle {
  FCPS_FRAME_CIRCLE,   /* with the dimension whose cosine and sine are features */
  FCPS_FRAME_DIRECTION /* with the direction of a vector */
} fcps_frame_angle;

/* A pair of outcomes, measured from a vector where it is relative. */
typedef struct fcps_frame_pair {
  int first, second;
  bool is_relative;
  fcps_frame_vector base;
} fcps_frame_pair;

typedef struct fcps_frame {
  fcps_frame_angle angle;
  int sign;                 /* +1: with the angle; -1: against it */
  int cosine;               /* CIRCLE: the feature cos/2; sin/2 is behind it */
  double phase[2];          /* CIRCLE: cosine and sine of the angle where the features say 0 */
  fcps_frame_vector vector; /* DIRECTION */
  int pair_count, input_count;
  fcps_frame_pair pairs[FCPS_FRAME_PAIRS];
  fcps_frame_vector inputs[FCPS_FRAME_PAIRS];
} fcps_frame;

/* -- Functions of the structure, whose state is a frame -- */

/* Turns `count` outcomes of one row back, each `stride` numbers after the one before: the turn is found once. */
void fcps_frame_unsee_outcomes(const void *frame, const fcps_layout *layout, const double *row, size_t count,
                               size_t stride, double *outcomes);

/* -- Rows -- */

/* Turns those of the inputs that do; `inputs` may be `row`. */
void fcps_frame_turn_inputs(const fcps_frame *frame, const double *row, double *inputs);

/* The outcome of a row as the GP sees it; in place. */
void fcps_frame_turn_outcome(const fcps_frame *frame, const double *row, double *outcome);

/* Writes ", or: A; B", with as many frames of a problem as fit, into `text`; nothing if there is none. Returns `text`. */
char *fcps_frame_list(const fcps_layout *layout, size_t size, char *text);

#endif
