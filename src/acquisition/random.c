/* SPDX-License-Identifier: Apache-2.0 */
/* Uniformly random parameters: the paper's baseline [pinsler2019]. No model is asked; the policy still comes from
 * one. */
#include "acquisition/acquisition.h"

#include "space/points.h"

static fcps_status select_uniform(const fcps_decision *decision, double *x)
{
  fcps_rng rng = decision->rng;
  fcps_points_uniform(&rng, decision->n, 1, x);
  return FCPS_OK;
}

const fcps_acquisition fcps_acquisition_random = {.name = "random", .select = select_uniform};
