/* SPDX-License-Identifier: Apache-2.0 */
/* What matters: Sobol indices [sobol2001]. Inputs are uniform in the unit cube. Of the variance of an output the first-order
 * index of an input is the share that it explains alone, E and V being mean and variance,
 *
 *   S_d = V(E(f | x_d)) / V(f),      T_d = 1 - V(E(f | all but x_d)) / V(f),
 *
 * and the total index T_d the share that is left when all others are known. Where inputs do not act together, both are the same. */
#ifndef FCPS_INSIGHT_SOBOL_H
#define FCPS_INSIGHT_SOBOL_H

#include "model/model.h"

/* A function of points in the unit cube: values[i*outputs + o]. */
typedef struct fcps_sobol_function {
  int inputs, outputs;
  fcps_status (*values)(void *user, int count, const double *points, double *values);
  void *user;
} fcps_sobol_function;

/* first[o*inputs + d] and total[o*inputs + d] from `count` (inputs + 2) values, by the estimators of [saltelli2010, Table 2 (c)
 * and (f)] on a Halton sequence. Values that are not finite leave their pairs out. NaN of an output that hardly varies. */
fcps_status fcps_sobol_sample(const fcps_sobol_function *function, int count, double *first, double *total);

/* The same of the means that a model predicts, over environment, target (if it is an input) and parameters. With the squared
 * exponential kernel they are a closed form: all integrals are products over the inputs. If a structure changes
 * what the processes see, or the model has split, they are sampled. */
int fcps_sobol_inputs(const fcps_model *model);
const fcps_dimension *fcps_sobol_input(const fcps_model *model, int index);
fcps_status fcps_sobol_model(const fcps_model *model, double *first, double *total, bool *is_closed, fcps_error *error);

/* The means that a model predicts at points of the unit cube of its inputs, in that order; for outputs per target, those for
 * `target`. */
fcps_status fcps_sobol_means(const fcps_model *model, const double *target, int count, const double *points,
                             double *means, fcps_error *error);

#endif
