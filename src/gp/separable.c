/* SPDX-License-Identifier: Apache-2.0 */
/* mean_j = offset + scale sum_i alpha_i sf^2 e_i p_ij with e the factor that is the same for all points: the weights
 * alpha_i sf^2 e_i make it one product of matrices. Only for GPs whose kernel is_separable. */
#include "gp/separable.h"

#include "gp/kernels/covariance.h"
#include "linalg/dense.h"

void fcps_gp_separate(const fcps_gp *gp, int first, int width, int count, const double *points, fcps_gp_work *work,
                      double *factor)
{
  fcps_gp_squared_distances(gp, first, width, gp->factored, count, points, work->lengths, factor);
  gp->kernel->eval((size_t)gp->factored * (size_t)count, factor, factor, NULL);
}

void fcps_gp_separated_weights(const fcps_gp *gp, const fcps_gp_outputs *outputs, int output, const double *shared,
                               double *weights)
{
  const double sf2 = fcps_gp_signal_variance(gp);
  const double *alpha = outputs->alpha + (size_t)output * (size_t)outputs->count;
  for (int i = 0; i < outputs->count; i++)
    weights[i] = sf2 * shared[i] * alpha[i];
}

void fcps_gp_predict_separated(const fcps_gp *gp, const fcps_gp_outputs *outputs, int columns, const int *output,
                               const double *weights, int count, const double *own, double *mean)
{
  fcps_multiply_tn(columns, count, outputs->count, 1.0, weights, outputs->count, own, gp->factored, 0.0, mean, columns);
  for (int j = 0; j < count; j++, mean += columns)
    for (int c = 0; c < columns; c++)
      mean[c] = outputs->offset[output[c]] + outputs->scale[output[c]] * mean[c];
}
