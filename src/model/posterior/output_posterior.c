/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts outputs in a context: embeds points behind the context's features and passes them to the GPs. */
#include "model/posterior/posterior_ops.h"

#include "base/memory.h"
#include "gp/query.h"

#include <stdlib.h>
#include <string.h>

int fcps_posterior_block(int left)
{
  return left < FCPS_POSTERIOR_BLOCK ? left : FCPS_POSTERIOR_BLOCK;
}

static bool allocate(fcps_output_posterior *o)
{
  const fcps_model *model = o->model;
  const size_t dim = (size_t)model->layout.features, outputs = (size_t)model->layout.outputs;
  const size_t parameters = (size_t)model->layout.parameters.count, gps = (size_t)fcps_model_gp_count(model);
  o->features = fcps_allocate((dim + 2 * outputs + gps) * FCPS_POSTERIOR_BLOCK +
                                  (outputs + gps) * (dim * FCPS_POSTERIOR_GRADIENTS + parameters),
                              sizeof(double));
  if (o->features == NULL) return false;
  o->means = o->features + dim * FCPS_POSTERIOR_BLOCK;
  o->variances = o->means + outputs * FCPS_POSTERIOR_BLOCK;
  o->widened = o->variances + gps * FCPS_POSTERIOR_BLOCK;
  o->gradients = o->widened + outputs * FCPS_POSTERIOR_BLOCK;
  o->slopes = o->gradients + (outputs + gps) * dim * FCPS_POSTERIOR_GRADIENTS;
  return true;
}

fcps_status fcps_output_posterior_create(fcps_output_posterior *posterior, const fcps_model *model,
                                         const double *target, const double *environment, fcps_error *error)
{
  *posterior = (fcps_output_posterior){.model = model};
  fcps_status status = allocate(posterior) ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_model_reserve(&posterior->work, model, FCPS_POSTERIOR_BLOCK);
  if (status == FCPS_OK) status = fcps_output_posterior_set_environments(posterior, target, 1, environment);
  return status == FCPS_OK ? fcps_model_condition(model, 1, target, &posterior->outputs, error) : status;
}

void fcps_output_posterior_destroy(fcps_output_posterior *posterior)
{
  fcps_gp_outputs_destroy(&posterior->outputs);
  fcps_gp_work_destroy(&posterior->work);
  free(posterior->contexts);
  free(posterior->features);
}

/* -- Contexts -- */

fcps_status fcps_output_posterior_set_environments(fcps_output_posterior *posterior, const double *target, int count,
                                                   const double *environments)
{
  const fcps_model *model = posterior->model;
  const size_t width = (size_t)model->layout.context.width, e = (size_t)model->problem->environment.count;
  double *contexts = fcps_allocate((size_t)count * width, sizeof(double));
  fcps_status status = contexts != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (size_t i = 0; i < (size_t)count && status == FCPS_OK; i++)
    fcps_layout_context(&model->layout, target, e > 0 ? environments + i * e : NULL, contexts + i * width);
  if (status != FCPS_OK) {
    free(contexts);
    return status;
  }
  free(posterior->contexts);
  posterior->contexts = contexts;
  fcps_output_posterior_select(posterior, 0);
  return FCPS_OK;
}

void fcps_output_posterior_select(fcps_output_posterior *posterior, int environment_index)
{
  posterior->context = posterior->contexts + (size_t)environment_index * (size_t)posterior->model->layout.context.width;
}

double *fcps_output_posterior_embed(fcps_output_posterior *posterior, int row, const double *x)
{
  const fcps_model *model = posterior->model;
  double *features = posterior->features + (size_t)row * (size_t)model->layout.features;
  memcpy(features, posterior->context, (size_t)model->layout.context.width * sizeof(double));
  fcps_embed(&model->layout.parameters, x, features + model->layout.context.width);
  return features;
}

void fcps_output_posterior_embed_all(fcps_output_posterior *posterior, int count, const double *x)
{
  for (int i = 0; i < count; i++)
    fcps_output_posterior_embed(posterior, i, x + (size_t)i * (size_t)posterior->model->layout.parameters.count);
}

/* -- Predictions -- */

bool fcps_output_posterior_has_pending(const fcps_output_posterior *posterior)
{
  return posterior->model->gps.gp[0]->factored > posterior->outputs.count;
}

/* Replaces the usual noise by the noise at each point's own place. */
static void add_places(fcps_output_posterior *posterior, int first, int count)
{
  const fcps_model *model = posterior->model;
  const int gps = fcps_model_gp_count(model), features = model->layout.features;
  double *inputs = posterior->work.inputs;
  for (int i = first; i < first + count; i++) {
    fcps_model_see(model, posterior->features + (size_t)i * (size_t)features, inputs);
    for (int g = 0; g < gps; g++)
      posterior->variances[i * gps + g] += fcps_description_noise_at(&model->description, g, inputs) -
                                           fcps_description_usual_places(&model->description, &model->gps, g);
  }
}

void fcps_output_posterior_add_noise(fcps_output_posterior *posterior, int first, int count)
{
  const int gps = fcps_model_gp_count(posterior->model);
  for (int g = 0; g < gps; g++) {
    const double noise = fcps_gp_noise(fcps_model_gp(posterior->model, g));
    for (int i = first; i < first + count; i++)
      posterior->variances[i * gps + g] += noise;
  }
  if (posterior->model->description.has_places) add_places(posterior, first, count);
}

void fcps_output_posterior_widen(fcps_output_posterior *posterior, int first, int count)
{
  const int gps = fcps_model_gp_count(posterior->model), q = posterior->outputs.outputs;
  for (int i = first; i < first + count; i++)
    for (int o = 0; o < q; o++)
      posterior->widened[i * q + o] =
          posterior->variances[i * gps + (gps > 1 ? o : 0)] * posterior->widening[o] * posterior->widening[o];
}

void fcps_output_posterior_predict(fcps_output_posterior *posterior, fcps_gp_variance_kind kind, int count,
                                   double *means, double *variances)
{
  const fcps_gp_query query = {.count = count,
                               .points = posterior->features,
                               .has_results_only = posterior->has_results_only,
                               .variance_kind = kind,
                               .mean = means,
                               .variance = variances};
  fcps_model_predict(posterior->model, &posterior->outputs, &query, &posterior->work);
}

/* Returns the gradients of the variances with respect to features, which stand behind those of the outputs. */
static double *variance_gradients(const fcps_output_posterior *posterior)
{
  return posterior->gradients +
         (size_t)posterior->outputs.outputs * (size_t)posterior->model->layout.features * FCPS_POSTERIOR_GRADIENTS;
}

void fcps_output_posterior_gradients(fcps_output_posterior *posterior, int count, bool with_variances)
{
  const fcps_gp_query query = {.count = count,
                               .points = posterior->features,
                               .has_results_only = posterior->has_results_only,
                               .mean = posterior->means,
                               .variance = with_variances ? posterior->variances : NULL,
                               .mean_gradient = posterior->gradients,
                               .variance_gradient = with_variances ? variance_gradients(posterior) : NULL};
  fcps_model_predict(posterior->model, &posterior->outputs, &query, &posterior->work);
}

void fcps_output_posterior_slopes(fcps_output_posterior *posterior, int index, const double *x, bool with_variances)
{
  const fcps_model *model = posterior->model;
  const int dim = model->layout.features, first = model->layout.context.width, p = model->layout.parameters.count;
  const int outputs = posterior->outputs.outputs, gps = with_variances ? fcps_model_gp_count(model) : 0;
  const double *gradients = posterior->gradients + (size_t)index * (size_t)(outputs * dim);
  for (int o = 0; o < outputs; o++)
    fcps_embed_gradient(&model->layout.parameters, x, gradients + o * dim + first, posterior->slopes + o * p);
  gradients = variance_gradients(posterior) + (size_t)index * (size_t)(gps * dim);
  for (int i = 0; i < gps; i++)
    fcps_embed_gradient(&model->layout.parameters, x, gradients + i * dim + first,
                        posterior->slopes + (outputs + i) * p);
}

const double *fcps_output_posterior_variance_slopes(const fcps_output_posterior *posterior)
{
  return posterior->slopes + posterior->outputs.outputs * posterior->model->layout.parameters.count;
}

/* -- Draws -- */

static fcps_status draw_outputs(const fcps_output_posterior *posterior, int count, const double *features,
                                const double *normals, double *column, double *rows)
{
  const int outputs = posterior->outputs.outputs;
  for (int o = 0; o < outputs; o++) {
    const int gp = fcps_model_gp_count(posterior->model) > 1 ? o : 0;
    const fcps_gp_outputs columns = fcps_gps_outputs(&posterior->model->gps, &posterior->outputs, gp);
    const fcps_status status = fcps_gp_draw(fcps_model_gp(posterior->model, gp), &columns, o - gp, count, features, 1,
                                            normals + (size_t)o * (size_t)count, column);
    if (status != FCPS_OK) return status;
    for (int i = 0; i < count; i++)
      rows[(size_t)i * (size_t)outputs + (size_t)o] = column[i];
  }
  return FCPS_OK;
}

fcps_status fcps_output_posterior_draw(fcps_output_posterior *posterior, int count, const double *x,
                                       const double *normals, double *rows)
{
  const fcps_model *model = posterior->model;
  const size_t n = (size_t)count, dim = (size_t)model->description.inputs, p = (size_t)model->layout.parameters.count;
  double *inputs = fcps_allocate(n * (dim + 1), sizeof(double));
  if (inputs == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < n; i++)
    fcps_model_see(model, fcps_output_posterior_embed(posterior, 0, x + i * p), inputs + i * dim);
  const fcps_status status = draw_outputs(posterior, count, inputs, normals, inputs + n * dim, rows);
  for (size_t i = 0; i < n && model->description.changes_outputs; i++)
    fcps_model_unsee_outcomes(model, fcps_output_posterior_embed(posterior, 0, x + i * p), 1, 1,
                              rows + i * (size_t)posterior->outputs.outputs);
  free(inputs);
  return status;
}
