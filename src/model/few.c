/* SPDX-License-Identifier: Apache-2.0 */
/* A Gaussian process takes its fitted scale, lengths and noise for known. With few results they are not: beside the
 * d + 1 numbers of a plane over d inputs, n results leave n - d - 1 to say how far off it is. So deviations are those of
 * Student's t distribution with as many degrees of freedom: multiplied by the ratio of its 97.5 % quantile to that of
 * the normal distribution, they become intervals of 95 % again. Two degrees are left to three results or more, whatever
 * d is, because a process does not fit a plane freely: its prior leans towards what hardly changes.
 *
 * Of one or two results nothing follows about lengths and noise. What was seen around the prediction counts in full, and
 * of a single result its own size, which at least has the right unit.
 *
 * From MANY results on their leave-one-out errors say how wide deviations must be (gp/leave_one_out.h). Means and parameters
 * know nothing of all this, and neither do asks. (Cannon, reactor, reach and dosing, seeds 1000 to 1007: of outcomes
 * 36 % lay inside their 95 % intervals after one result, 41 % after two, 84 % after three, 82 % after eight; with this
 * 100, 98, 98 and 92 %.) */
#include "model/few.h"

#include <math.h>

enum { SOME = 3, LEAST_DEGREES = 2 };

/* The 97.5 % quantile of Student's t over that of the normal distribution. */
static double student_factor(int degrees)
{
  static const double normal = 1.959963984540054;
  static const double quantiles[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622,
                                     2.2281,  2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009};
  static const int known = sizeof quantiles / sizeof *quantiles;
  return degrees <= known ? quantiles[degrees - 1] / normal : 1.0;
}

/* How far `count` numbers, `stride` apart, lie from what is predicted: the root of the mean square. A single one is what
 * is predicted, and its size has to do. */
static double spread_around(double predicted, int count, int stride, const double *values)
{
  double squares = 0.0;
  if (count == 1) return fabs(predicted);
  for (int i = 0; i < count; i++)
    squares += (values[i * stride] - predicted) * (values[i * stride] - predicted) / count;
  return isfinite(squares) ? sqrt(squares) : 0.0;
}

fcps_few fcps_few_of(int count, int inputs)
{
  const int left = count - inputs - 1, degrees = count < SOME ? 1 : LEAST_DEGREES;
  const bool are_few = count > 0 && count < FCPS_FEW_MANY;
  return (fcps_few){count, are_few ? student_factor(left > degrees ? left : degrees) : 1.0};
}

double fcps_few_widen(const fcps_few *few, double predicted, int stride, const double *seen, double deviation)
{
  if (!isfinite(deviation) || !(few->count > 0)) return deviation;
  return few->factor * hypot(deviation, few->count < SOME ? spread_around(predicted, few->count, stride, seen) : 0.0);
}

void fcps_few_widen_outcomes(const fcps_few *few, const fcps_rollouts *seen, const double *outcome, double *deviation)
{
  for (int o = 0; o < seen->outcome_width; o++)
    deviation[o] =
        fcps_few_widen(few, outcome != NULL ? outcome[o] : 0.0, seen->outcome_width, seen->outcomes + o, deviation[o]);
}
