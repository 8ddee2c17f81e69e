/* SPDX-License-Identifier: Apache-2.0 */
/* w = (v - floor)/c for v above the floor, else v - floor. At the floor w is continuous with a kink. If the cost at a
 * point is not usable, the point is worth 0; an ask for it is refused with the reason. */
#include "search/search.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static double price_of(const fcps_price *price, const double *x, double value, double *cost)
{
  const double gain = value - price->floor;
  *cost = 1.0;
  if (!(gain > 0.0)) return gain;
  *cost = fcps_cost_at(price->cost, x);
  return isnan(*cost) ? 0.0 : gain / *cost;
}

void fcps_price_apply(const fcps_price *price, int n, int count, const double *x, double *values)
{
  double cost;
  for (int i = 0; i < count && price != NULL; i++)
    values[i] = price_of(price, x + (size_t)i * (size_t)n, values[i], &cost);
}

/* Computes w and its gradient: grad w = (grad v - w grad c)/c. */
static void price_slope(const fcps_priced *p, const double *x, double *value, double *gradient)
{
  double cost;
  *value = price_of(p->price, x, *value, &cost);
  if (!(*value > 0.0) && !isnan(cost)) return; /* below the floor: w has the gradient of v */
  if (!isnan(cost)) fcps_cost_gradient(p->price->cost, x, p->slope);
  for (int d = 0; d < p->objective->n; d++)
    gradient[d] = isnan(cost) ? 0.0 : (gradient[d] - *value * p->slope[d]) / cost;
}

static double priced_value(void *user, int n, const double *x, double *gradient)
{
  const fcps_priced *p = user;
  double value = p->objective->value(p->objective->user, n, x, gradient);
  if (gradient != NULL)
    price_slope(p, x, &value, gradient);
  else
    fcps_price_apply(p->price, n, 1, x, &value);
  return value;
}

static void priced_batch(void *user, int n, int count, const double *points, double *values)
{
  const fcps_priced *p = user;
  p->objective->batch(p->objective->user, n, count, points, values);
  fcps_price_apply(p->price, n, count, points, values);
}

static void priced_slopes(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  const fcps_priced *p = user;
  p->objective->slopes(p->objective->user, n, count, points, values, gradients);
  for (int i = 0; i < count; i++)
    price_slope(p, points + (size_t)i * (size_t)n, values + i, gradients + (size_t)i * (size_t)n);
}

/* Returns the scale of w for tolerances, from the cost in the middle of the cube. So a search does not depend on the
 * currency of the cost. */
static double scale_of(const fcps_priced *p)
{
  const double usual = p->objective->value_scale > 0.0 ? p->objective->value_scale : 1.0;
  for (int d = 0; d < p->objective->n; d++)
    p->slope[d] = 0.5;
  const double cost = fcps_cost_at_rest(p->price->cost, p->slope);
  return isnan(cost) ? usual : usual / cost;
}

fcps_status fcps_price_enter(const fcps_price *price, const fcps_objective *objective, fcps_priced *priced,
                             fcps_objective *inside)
{
  *priced = (fcps_priced){.price = price, .objective = objective};
  *inside = *objective;
  if (price == NULL) return FCPS_OK;
  priced->slope = fcps_allocate((size_t)objective->n, sizeof *priced->slope);
  if (priced->slope == NULL) return FCPS_ERR_MEMORY;
  inside->value = objective->value != NULL ? priced_value : NULL;
  inside->batch = objective->batch != NULL ? priced_batch : NULL;
  inside->slopes = objective->slopes != NULL ? priced_slopes : NULL;
  inside->value_scale = scale_of(priced);
  inside->user = priced;
  return FCPS_OK;
}

void fcps_price_leave(fcps_priced *priced)
{
  free(priced->slope);
  priced->slope = NULL;
}
