/* SPDX-License-Identifier: Apache-2.0 */
/* The Gaussian processes of a model: one that serves all outputs with one factorization, or, if each output has
 * hyper-parameters of its own, one per output over the same rows.
 *
 * Beside sn^2 a row may have extra noise: the sum over several sources. Each source gives every GP a variance per row,
 * in the GP's unit scale, and a usual variance for the rows that the source does not know yet.
 *
 * Invariants: all GPs have the same rows, in the same order. A source knows nothing of the others. While no source has
 * given noise, `parts` is NULL, and results have the same bits as without sources. */
#ifndef FCPS_MODEL_GPS_H
#define FCPS_MODEL_GPS_H

#include "base/rng.h"
#include "format/json.h"
#include "gp/fit.h"
#include "gp/query.h"

/* The noise that one source gives the rows of one GP. */
typedef struct fcps_noise_part {
  int rows;         /* number of rows that the source knows */
  double *variance; /* of each of these rows */
  double usual;     /* variance of all other rows */
} fcps_noise_part;

typedef struct fcps_gps {
  int count;
  fcps_gp **gp;
  fcps_noise_part *parts; /* sources x GPs; NULL: no row has extra noise */
} fcps_gps;

/* A source of noise is a structure; its number is the structure's index (structure.h). */
enum { FCPS_NOISE_SOURCES = 16 };

/* Makes `count` GPs of `dim` inputs without rows, all with the same hyper-parameters. */
fcps_status fcps_gps_create(fcps_gps *gps, int count, int dim, const fcps_kernel *kernel, const fcps_tables *tables,
                            const double *hyper);
fcps_status fcps_gps_copy(const fcps_gps *gps, fcps_gps *copy);
void fcps_gps_destroy(fcps_gps *gps);

/* Each calls the function fcps_gp_... of that name for all GPs. A row is added to all GPs or to none. */
fcps_status fcps_gps_add(fcps_gps *gps, const double *input);
void fcps_gps_truncate(fcps_gps *gps, int count);
fcps_status fcps_gps_grow(fcps_gps *gps);
fcps_status fcps_gps_factorize(fcps_gps *gps, int rows);
fcps_status fcps_gps_fit(fcps_gps *gps, const fcps_gp_data *data, fcps_fit_settings settings, fcps_rng rng,
                         fcps_fit_result *result);
fcps_status fcps_gps_condition(const fcps_gps *gps, fcps_gp_norm norm, int rows, int outputs, const double *y,
                               fcps_gp_outputs *result);

/* Returns the columns of the outputs that GP `index` serves (borrowed). */
fcps_gp_outputs fcps_gps_outputs(const fcps_gps *gps, const fcps_gp_outputs *outputs, int index);

/* Answers a query for all outputs: mean[i*outputs + o], variance[i*GPs + g], and gradients in the same order, each of
 * `dim` numbers. Points are inputs as the GPs see them. The query's `whitened` is only filled if there is one GP. */
fcps_status fcps_gps_reserve(fcps_gp_work *work, const fcps_gps *gps, int points);
void fcps_gps_predict(const fcps_gps *gps, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                      fcps_gp_work *work);

/* -- Noise of rows -- */

/* Replaces the noise that a source gives GP `gp`: the variances of the first `rows` rows, and the usual variance. Drops
 * the GP's factor unless the noise of all rows in it is unchanged. */
fcps_status fcps_gps_set_noise(fcps_gps *gps, int source, int gp, int rows, const double *variance, double usual);

/* Return the variance that a source gives a row, that of rows it does not know, and how many rows it knows. */
double fcps_gps_noise_at(const fcps_gps *gps, int source, int gp, int row);
double fcps_gps_noise_usual(const fcps_gps *gps, int source, int gp);
int fcps_gps_noise_known(const fcps_gps *gps, int source, int gp);

/* Adds to `variance` the noise of the first `rows` rows from all sources except `source`. */
void fcps_gps_add_other_noise(const fcps_gps *gps, int source, int gp, int rows, double *variance);

/* Makes all sources forget the rows from number `count` on. */
void fcps_gps_truncate_noise(fcps_gps *gps, int count);

/* Write and read the noise of a source as JSON: [usual, [variances]] for each GP; NULL if the source gives none.
 * Reading sets the noise of the rows; FCPS_ERR_FORMAT if the JSON does not fit `rows` rows. */
fcps_json *fcps_gps_write_noise(const fcps_gps *gps, int source);
fcps_status fcps_gps_read_noise(fcps_gps *gps, int source, int rows, const fcps_json *json);

#endif
