/* SPDX-License-Identifier: Apache-2.0 */
/* The average over posteriors: each question goes to every member, and the answers are added with the members' shares. A
 * failure of a member is a failure of the ensemble. */
#include "base/memory.h"
#include "model/posterior/posterior_ops.h"

#include <stdlib.h>
#include <string.h>

typedef struct ensemble {
  int count;
  fcps_posterior **members;                   /* one per sample, the newest first */
  double *shares;                             /* of the members */
  double mean[FCPS_POSTERIOR_BLOCK];          /* what one member answers */
  double deviation[FCPS_POSTERIOR_BLOCK];     /* the same */
  double *mean_gradient, *deviation_gradient; /* the same at one point */
} ensemble;

static void destroy(fcps_posterior *posterior)
{
  ensemble *e = posterior->state;
  for (int i = 0; i < e->count; i++)
    fcps_posterior_destroy(e->members[i]);
  free(e->members);
  free(e->shares);
  free(e->mean_gradient);
  free(e->deviation_gradient);
}

static void clear(int count, double *values)
{
  if (values != NULL) memset(values, 0, (size_t)count * sizeof(double));
}

/* sum += share values; nothing if `sum` is NULL. */
static void add(int count, double share, const double *values, double *sum)
{
  for (int i = 0; i < count && sum != NULL; i++)
    sum[i] += share * values[i];
}

static void moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  ensemble *e = posterior->state;
  clear(count, mean);
  clear(count, deviation);
  for (int i = 0; i < e->count; i++) {
    fcps_posterior_moments(e->members[i], count, x, e->mean, deviation != NULL ? e->deviation : NULL);
    fcps_posterior_note(posterior, fcps_posterior_failure(e->members[i]));
    add(count, e->shares[i], e->mean, mean);
    add(count, e->shares[i], e->deviation, deviation);
  }
}

static void gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation, double *mean_gradient,
                     double *deviation_gradient)
{
  ensemble *e = posterior->state;
  const int n = posterior->model->layout.parameters.count;
  clear(1, mean);
  clear(1, deviation);
  clear(n, mean_gradient);
  clear(n, deviation_gradient);
  for (int i = 0; i < e->count; i++) {
    fcps_posterior_gradient(e->members[i], x, e->mean, deviation != NULL ? e->deviation : NULL, e->mean_gradient,
                            deviation != NULL ? e->deviation_gradient : NULL);
    fcps_posterior_note(posterior, fcps_posterior_failure(e->members[i]));
    const double share = e->shares[i];
    add(1, share, e->mean, mean);
    add(1, share, e->deviation, deviation);
    add(n, share, e->mean_gradient, mean_gradient);
    add(n, share, e->deviation_gradient, deviation_gradient);
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
  ensemble *e = posterior->state;
  clear(count, values);
  for (int i = 0; i < e->count; i++) {
    fcps_posterior_expect(e->members[i], utility, count, x, e->mean);
    fcps_posterior_note(posterior, fcps_posterior_failure(e->members[i]));
    add(count, e->shares[i], e->mean, values);
  }
}

static double expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x,
                              double *value_gradient)
{
  const ensemble *e = posterior->state;
  const int n = posterior->model->layout.parameters.count;
  double value = 0.0;
  clear(n, value_gradient);
  for (int i = 0; i < e->count; i++) {
    value += e->shares[i] * fcps_posterior_expect_gradient(e->members[i], utility, x, e->mean_gradient);
    fcps_posterior_note(posterior, fcps_posterior_failure(e->members[i]));
    add(n, e->shares[i], e->mean_gradient, value_gradient);
  }
  return value;
}

static fcps_status draw(fcps_posterior *posterior, int count, const double *x, const double *normals, double *rewards)
{
  const ensemble *e = posterior->state;
  return fcps_posterior_draw(e->members[0], count, x, normals, rewards);
}

static bool outcome(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  const ensemble *e = posterior->state;
  return e->members[0]->ops->outcome != NULL && e->members[0]->ops->outcome(e->members[0], count, x, mean, deviation);
}

/* As the newest sample says. */
static bool has_value(fcps_posterior *posterior, const double *x)
{
  const ensemble *e = posterior->state;
  const bool answer = fcps_posterior_has_value(e->members[0], x);
  fcps_posterior_note(posterior, fcps_posterior_failure(e->members[0]));
  return answer;
}

static const fcps_posterior_ops ops = {.moments = moments,
                                       .gradients = gradients,
                                       .expect = expect,
                                       .expect_gradient = expect_gradient,
                                       .draw = draw,
                                       .outcome = outcome,
                                       .has_value = has_value,
                                       .destroy = destroy};

/* The posteriors of all samples, each linked to the next. */
static fcps_status create_members(fcps_posterior *posterior, const double *target, const double *environment)
{
  ensemble *e = posterior->state;
  const fcps_model *model = posterior->model;
  const size_t n = (size_t)model->layout.parameters.count, samples = (size_t)fcps_members_models(model);
  e->members = fcps_allocate(samples, sizeof(fcps_posterior *));
  e->mean_gradient = fcps_allocate(n, sizeof(double));
  e->deviation_gradient = fcps_allocate(n, sizeof(double));
  e->shares = fcps_allocate(samples, sizeof(double));
  if (e->members == NULL || e->shares == NULL || e->mean_gradient == NULL || e->deviation_gradient == NULL)
    return FCPS_ERR_MEMORY;
  for (fcps_posterior **next = NULL; e->count < (int)samples; e->count++) {
    fcps_posterior **member = e->members + e->count;
    const fcps_model *sample = fcps_members_model(model, e->count);
    const fcps_status status =
        sample->ops->create_posterior(member, posterior->parent, sample, target, environment, posterior->error);
    if (status != FCPS_OK) return status;
    e->shares[e->count] = fcps_members_share(model, e->count);
    if (next != NULL) *next = *member;
    next = &(*member)->next;
  }
  posterior->outputs = e->members[0]->outputs;
  posterior->penalty = e->members[0]->penalty;
  posterior->next = e->members[0]->next;
  return FCPS_OK;
}

fcps_status fcps_posterior_create_of_members(fcps_posterior **posterior, const fcps_model *parent,
                                             const fcps_model *model, const double *target, const double *environment,
                                             fcps_error *error)
{
  fcps_status status = fcps_posterior_begin(posterior, &ops, sizeof(ensemble), parent, model, error);
  if (status != FCPS_OK) return status;
  status = create_members(*posterior, target, environment);
  if (status == FCPS_OK) return FCPS_OK;
  fcps_posterior_destroy(*posterior);
  *posterior = NULL;
  return status;
}
