/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted ridge regression: W = (Phi' D Phi + gamma I)^-1 Phi' D Y. */
#ifndef FCPS_LEARNER_POLICY_SEARCH_RIDGE_H
#define FCPS_LEARNER_POLICY_SEARCH_RIDGE_H

#include <fcps/base.h>

/* `phi` (count x features) and `y` (count x outputs) are rows, d the weights of the rows; writes `weights` (features x
 * outputs, column-major). Fails with FCPS_ERR_MEMORY, or as fcps_chol_factor does. */
fcps_status fcps_ridge_fit(int count, int features, const double *phi, int outputs, const double *y, const double *d,
                           double gamma, double *weights);

#endif
