/* SPDX-License-Identifier: Apache-2.0 */
/* A fan's inside, for fan.c (what targets share) and fan_climb.c (searches side by side). */
#ifndef FCPS_MODEL_FAN_IMPL_H
#define FCPS_MODEL_FAN_IMPL_H

#include "gp/separable.h"
#include "gp/slopes.h"
#include "model/fan.h"
#include "model/view_impl.h"

struct fcps_fan {
  const fcps_model *model;
  fcps_error *error;
  fcps_view *view; /* of the target that was asked for last */
  int candidates, targets_count;
  const double *unit, *targets;   /* borrowed */
  double worst[FCPS_FAN_TARGETS]; /* reward of the evidence, for each target */
  double *means;                  /* reward outputs: candidates x targets; outcomes: candidates x width */
  double *variances;              /* of the outcomes of candidates */
  bool has_variances;             /* for a few targets they are not worth their triangular solves */
  const fcps_model *separated_of; /* the model, or its leaf, that `separated` belongs to */
  double *separated;              /* covariances of rows and candidates, without the context's factor */
  double *terms;                  /* of candidates, where rewards are closed distances and beyond doubt; else NULL */
  fcps_gp_outputs outputs;        /* reward outputs: a column each target */
  fcps_gp_slopes slopes;          /* outcomes: of all points of a round; empty until a climb */
};

/* Turns the fan's view to target `index`. */
void fcps_fan_turn(fcps_fan *fan, int index);

#endif
