/* SPDX-License-Identifier: Apache-2.0 */
/* How likely is a yes? A small model of yes/no labels over inputs in the unit cube: whether a trial will end well, and
 * whether it will have an outcome at all. A function of its labels alone: nothing of it needs to be saved. */
#ifndef FCPS_MODEL_CHANCE_H
#define FCPS_MODEL_CHANCE_H

#include <fcps/base.h>

typedef struct fcps_chance fcps_chance;

/* Learns from `count` rows of `dim` inputs and their labels; `count` may be 0. Far from all labels the chance is
 * `base`, in (0, 1). */
fcps_status fcps_chance_create(fcps_chance **chance, int dim, int count, const double *inputs, const bool *labels,
                               double base);
void fcps_chance_destroy(fcps_chance *chance);

/* Log evidence of the labels: higher explains them better. */
double fcps_chance_evidence(const fcps_chance *chance);

/* Probabilities at `count` points (rows), in (0, 1); the gradient at one. */
void fcps_chance_predict(fcps_chance *chance, int count, const double *points, double *probability);
void fcps_chance_gradient(fcps_chance *chance, const double *point, double *probability, double *gradient);

#endif
