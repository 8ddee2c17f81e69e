/* SPDX-License-Identifier: Apache-2.0 */
/* What a trial is worth per unit of its cost. A gain is divided by the cost. A value that is not a gain, such as that of UCB, is
 * first taken above a floor: what the best trial so far has already. Below the floor nothing is gained, and the value stays as it is,
 * so that a search still finds the way up. */
#ifndef FCPS_SEARCH_PRICE_H
#define FCPS_SEARCH_PRICE_H

#include "optim/optim.h"
#include "problem/cost.h"

typedef struct fcps_price {
  fcps_cost *cost; /* in the context that is searched */
  double floor;
} fcps_price;

/* values[i] := what the point with that value is worth. NULL: there is no price, and values stay. */
void fcps_price_apply(const fcps_price *price, int n, int count, const double *x, double *values);

/* An objective whose values are those of another per unit of cost. */
typedef struct fcps_priced {
  const fcps_price *price;
  const fcps_objective *objective;
  double *slope; /* of the cost; room for n numbers */
} fcps_priced;

/* Makes `inside` that objective; without a price it is the other one itself. The room is to be freed. */
fcps_status fcps_price_enter(const fcps_price *price, const fcps_objective *objective, fcps_priced *priced,
                             fcps_objective *inside);
void fcps_price_leave(fcps_priced *priced);

#endif
