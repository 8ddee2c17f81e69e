/* SPDX-License-Identifier: Apache-2.0 */
/* The primitive: its phase z, basis functions psi_i and weights w.
 *
 * The centres are equally spaced in time, c_i = exp(-decay i/(n-1)). The width is chosen so that a basis function has
 * the value 0.8 at the centre of the next one, h_i = -ln(0.8)/(c_{i+1} - c_i)^2; the last one is as wide as the one
 * before it. */
#include "primitive/primitive_impl.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

fcps_primitive_settings fcps_primitive_settings_default(int dimensions)
{
  return (fcps_primitive_settings){
      .dimensions = dimensions, .basis_count = 25, .gain = 25, .decay = log(100), .fades_in = true};
}

static fcps_status check_settings(const fcps_primitive_settings *s, fcps_error *error)
{
  if (s->dimensions < 1 || s->dimensions > 4096)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "dimensions", "is %d; it must be from 1 to 4096", s->dimensions);
  if (s->basis_count < 1 || s->basis_count > 4096)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "basis_count", "is %d; it must be from 1 to 4096", s->basis_count);
  if (!(s->gain > 0 && isfinite(s->gain)))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "gain", "is %g; it must be positive", s->gain);
  if (!(s->decay > 0 && isfinite(s->decay)))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "decay", "is %g; it must be positive", s->decay);
  return FCPS_OK;
}

static void place_basis(fcps_primitive *primitive)
{
  const int n = primitive->settings.basis_count;
  double *c = primitive->centres, *h = primitive->widths;

  for (int i = 0; i < n; i++)
    c[i] = n > 1 ? exp(-primitive->settings.decay * i / (n - 1)) : 1.0;
  for (int i = 0; i + 1 < n; i++)
    h[i] = -log(0.8) / ((c[i + 1] - c[i]) * (c[i + 1] - c[i]));
  h[n - 1] = n > 1 ? h[n - 2] : 1.0;
}

fcps_status fcps_primitive_create(fcps_primitive **primitive, const fcps_primitive_settings *settings,
                                  fcps_error *error)
{
  if (primitive == NULL) return fcps_error_null(error, "primitive");
  *primitive = NULL;
  if (settings == NULL) return fcps_error_null(error, "settings");
  const fcps_status status = check_settings(settings, error);
  if (status != FCPS_OK) return status;

  const size_t n = (size_t)settings->basis_count, dimensions = (size_t)settings->dimensions;
  fcps_primitive *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return fcps_error_memory(error);
  made->settings = *settings;
  made->centres = fcps_allocate(n, sizeof *made->centres);
  made->widths = fcps_allocate(n, sizeof *made->widths);
  made->weights = fcps_allocate(dimensions * n, sizeof *made->weights);
  if (made->centres == NULL || made->widths == NULL || made->weights == NULL) {
    fcps_primitive_destroy(made);
    return fcps_error_memory(error);
  }
  place_basis(made);
  *primitive = made;
  return FCPS_OK;
}

void fcps_primitive_destroy(fcps_primitive *primitive)
{
  if (primitive == NULL) return;
  free(primitive->centres);
  free(primitive->widths);
  free(primitive->weights);
  free(primitive);
}

const double *fcps_primitive_weights(const fcps_primitive *primitive)
{
  return primitive != NULL ? primitive->weights : NULL;
}

fcps_status fcps_primitive_set_weights(fcps_primitive *primitive, const double *weights, fcps_error *error)
{
  if (primitive == NULL) return fcps_error_null(error, "primitive");
  if (weights == NULL) return fcps_error_null(error, "weights");
  const int count = primitive->settings.dimensions * primitive->settings.basis_count;
  for (int i = 0; i < count; i++)
    if (!isfinite(weights[i]))
      return fcps_error_set(error, FCPS_ERR_NOT_FINITE, "weights", "number %d is NaN or infinite", i + 1);
  memcpy(primitive->weights, weights, (size_t)count * sizeof *weights);
  return FCPS_OK;
}

double fcps_primitive_phase(const fcps_primitive *primitive, double fraction)
{
  return exp(-primitive->settings.decay * fraction);
}

void fcps_primitive_basis(const fcps_primitive *primitive, double z, double *row)
{
  const int n = primitive->settings.basis_count;
  double sum = 0;

  for (int i = 0; i < n; i++) {
    const double offset = z - primitive->centres[i];
    row[i] = exp(-primitive->widths[i] * offset * offset);
    sum += row[i];
  }
  for (int i = 0; i < n; i++)
    row[i] *= z / sum;
}

double fcps_primitive_fade(const fcps_primitive *primitive, double z)
{
  return primitive->settings.fades_in ? 1 - z : 1;
}
