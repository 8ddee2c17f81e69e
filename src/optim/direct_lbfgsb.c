/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's pair of optimizers [pinsler2019]: DIRECT-L finds the hill, L-BFGS-B climbs to its top. */
#include "optim/optim.h"

fcps_status fcps_direct_lbfgsb_maximize(const fcps_objective *objective, int direct_budget, int local_budget, double *x,
                                        fcps_optimum *optimum)
{
  const fcps_status status = fcps_direct_maximize(objective, direct_budget, x, optimum);
  if (status != FCPS_OK || local_budget < 1 || objective->n == 0) return status;

  fcps_optimum local;
  const fcps_status local_status = fcps_lbfgsb_maximize(objective, local_budget, FCPS_OPTIM_TOLERANCE, x, &local);
  if (local_status != FCPS_OK) return local_status;
  optimum->value = local.value;
  optimum->evaluations += local.evaluations;
  return FCPS_OK;
}
