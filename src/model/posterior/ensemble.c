/* SPDX-License-Identifier: Apache-2.0 */
/* The average over the posteriors of several models (members): each question goes to every member, and the answers are
 * summed with the members' shares. If a member fails, the ensemble fails. */
#include "model/posterior/posterior_ops.h"

#include <string.h>

static void clear(int count, double *values)
{
  if (values != NULL) memset(values, 0, (size_t)count * sizeof(double));
}

/* Adds the `values` of member `index`, times its share, to `sum` (may be NULL). Notes a failure of the member. */
static void add(fcps_posterior *posterior, int index, int count, const double *values, double *sum)
{
  fcps_posterior_note(posterior, fcps_posterior_failure(posterior->members[index]));
  for (int i = 0; i < count && sum != NULL; i++)
    sum[i] += posterior->shares[index] * values[i];
}

static void moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  double means[FCPS_POSTERIOR_BLOCK], deviations[FCPS_POSTERIOR_BLOCK];
  clear(count, mean);
  clear(count, deviation);
  for (int i = 0; i < posterior->member_count; i++) {
    fcps_posterior_moments(posterior->members[i], count, x, means, deviation != NULL ? deviations : NULL);
    add(posterior, i, count, means, mean);
    add(posterior, i, count, deviations, deviation);
  }
}

static void gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation, double *mean_gradient,
                     double *deviation_gradient)
{
  const int n = posterior->model->layout.parameters.count;
  double own_mean, own_deviation, own_gradient[FCPS_SPACE_MAX], own_deviation_gradient[FCPS_SPACE_MAX];
  const bool has_deviation = deviation != NULL;
  clear(1, mean);
  clear(1, deviation);
  clear(n, mean_gradient);
  clear(n, deviation_gradient);
  for (int i = 0; i < posterior->member_count; i++) {
    fcps_posterior_gradient(posterior->members[i], x, &own_mean, has_deviation ? &own_deviation : NULL, own_gradient,
                            has_deviation ? own_deviation_gradient : NULL);
    add(posterior, i, 1, &own_mean, mean);
    add(posterior, i, 1, &own_deviation, deviation);
    add(posterior, i, n, own_gradient, mean_gradient);
    add(posterior, i, n, own_deviation_gradient, deviation_gradient);
  }
}

static void gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                      double *mean_gradient, double *deviation_gradient)
{
  const size_t n = (size_t)posterior->model->layout.parameters.count;
  for (size_t i = 0; i < (size_t)count; i++)
    gradient(posterior, x + i * n, mean + i, deviation != NULL ? deviation + i : NULL, mean_gradient + i * n,
             deviation != NULL ? deviation_gradient + i * n : NULL);
}

static void expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x, double *values)
{
  double own[FCPS_POSTERIOR_BLOCK];
  clear(count, values);
  for (int i = 0; i < posterior->member_count; i++) {
    fcps_posterior_expect(posterior->members[i], utility, count, x, own);
    add(posterior, i, count, own, values);
  }
}

static double expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x,
                              double *value_gradient)
{
  const int n = posterior->model->layout.parameters.count;
  double value = 0.0, own_gradient[FCPS_SPACE_MAX];
  clear(n, value_gradient);
  for (int i = 0; i < posterior->member_count; i++) {
    const double own = fcps_posterior_expect_gradient(posterior->members[i], utility, x, own_gradient);
    add(posterior, i, 1, &own, &value);
    add(posterior, i, n, own_gradient, value_gradient);
  }
  return value;
}

/* -- Answers of the first member alone -- */

static fcps_status draw(fcps_posterior *posterior, int count, const double *x, const double *normals, double *rewards)
{
  return posterior->members[0]->ops->draw(posterior->members[0], count, x, normals, rewards);
}

static bool outcome(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  fcps_posterior *first = posterior->members[0];
  return first->ops->outcome != NULL && first->ops->outcome(first, count, x, mean, deviation);
}

static bool has_value(fcps_posterior *posterior, const double *x)
{
  const bool answer = fcps_posterior_has_value(posterior->members[0], x);
  fcps_posterior_note(posterior, fcps_posterior_failure(posterior->members[0]));
  return answer;
}

const fcps_posterior_ops fcps_posterior_of_members = {.moments = moments,
                                                      .gradients = gradients,
                                                      .expect = expect,
                                                      .expect_gradient = expect_gradient,
                                                      .draw = draw,
                                                      .outcome = outcome,
                                                      .has_value = has_value};
