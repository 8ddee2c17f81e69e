/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol indices: how much each input matters [sobol2001]. Inputs are uniform in the unit cube. The first-order index
 * of an input is the share of an output's variance that it explains alone. With mean E and variance V,
 *
 *   S_d = V(E(f | x_d)) / V(f),      T_d = 1 - V(E(f | all but x_d)) / V(f),
 *
 * The total index T_d is the share that remains if all other inputs are known. If inputs do not interact, both indices
 * are the same. */
#ifndef FCPS_INSIGHT_SOBOL_H
#define FCPS_INSIGHT_SOBOL_H

#include "model/model.h"

/* A function of points in the unit cube: values[i*outputs + o]. */
typedef struct fcps_sobol_function {
  int inputs, outputs;
  fcps_status (*values)(void *user, int count, const double *points, double *values);
  void *user;
} fcps_sobol_function;

/* Estimates first[o*inputs + d] and total[o*inputs + d] from count * (inputs + 2) values of the function, by the
 * estimators of [saltelli2010, Table 2 (c) and (f)] on a Halton sequence. Pairs with values that are not finite are
 * left out. The indices of an output that hardly varies are NaN. */
fcps_status fcps_sobol_sample(const fcps_sobol_function *function, int count, double *first, double *total);

/* Computes the indices of a model's predicted means, over environment, target (if it is an input) and parameters.
 * With the squared exponential kernel they have a closed form: all integrals are products over the inputs. The indices
 * are sampled with other kernels, if a structure changes what the GPs see, and if the model has split. `inputs` returns
 * the number of inputs, `input` each of them. */
int fcps_sobol_inputs(const fcps_model *model);
const fcps_dimension *fcps_sobol_input(const fcps_model *model, int index);
fcps_status fcps_sobol_model(const fcps_model *model, double *first, double *total, bool *is_closed, fcps_error *error);

/* Computes the means that a model predicts at points of the unit cube of its inputs, in the order of
 * fcps_sobol_input; if outputs depend on the target, the means are those for `target`. */
fcps_status fcps_sobol_means(const fcps_model *model, const double *target, int count, const double *points,
                             double *means, fcps_error *error);

#endif
