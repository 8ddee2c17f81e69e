/* SPDX-License-Identifier: Apache-2.0 */
/* The Gaussian processes of a model. One serves all outputs with one factorization; with hyper-parameters of their own there
 * is one for each output, over the same rows. Beside sn^2 a row may have noise of its own: the sum of what several sources
 * say, each of which gives every GP a variance per row, in the GP's unit scale, and the variance to expect of rows that it
 * does not know yet.
 *
 * Invariants: all GPs have the same rows, in the same order. A source knows nothing of the others. GPs to which nobody gave
 * noise have no parts, and the bits of GPs without sources. */
#ifndef FCPS_MODEL_GPS_H
#define FCPS_MODEL_GPS_H

#include "base/rng.h"
#include "format/json.h"
#include "gp/fit.h"
#include "gp/query.h"

/* What one source says about the rows of one GP. */
typedef struct fcps_noise_part {
  int rows;         /* that it knows */
  double *variance; /* of each */
  double usual;     /* of all others */
} fcps_noise_part;

typedef struct fcps_gps {
  int count;
  fcps_gp **gp;
  fcps_noise_part *parts; /* sources x GPs; NULL: no row has noise of its own */
} fcps_gps;

/* Sources of noise are structures, by their index (structure.h). */
enum { FCPS_NOISE_SOURCES = 16 };

/* `count` GPs of `dim` inputs without rows, all with these hyper-parameters. */
fcps_status fcps_gps_create(fcps_gps *gps, int count, int dim, const fcps_kernel *kernel, const fcps_tables *tables,
                            const double *hyper);
fcps_status fcps_gps_copy(const fcps_gps *gps, fcps_gps *copy);
void fcps_gps_destroy(fcps_gps *gps);

/* What fcps_gp_... of the same name means for all of them; an added row is in all or in none. */
fcps_status fcps_gps_add(fcps_gps *gps, const double *input);
void fcps_gps_truncate(fcps_gps *gps, int count);
fcps_status fcps_gps_grow(fcps_gps *gps);
fcps_status fcps_gps_factorize(fcps_gps *gps, int rows);
fcps_status fcps_gps_fit(fcps_gps *gps, const fcps_gp_data *data, fcps_fit_settings settings, fcps_rng rng,
                         fcps_fit_result *result);
fcps_status fcps_gps_condition(const fcps_gps *gps, fcps_gp_norm norm, int rows, int outputs, const double *y,
                               fcps_gp_outputs *result);

/* The columns of the outputs that GP `index` serves (borrowed). */
fcps_gp_outputs fcps_gps_outputs(const fcps_gps *gps, const fcps_gp_outputs *outputs, int index);

/* Answers a query for all outputs: mean[i*outputs + o], variance[i*GPs + g], and gradients in the same order, each with dim
 * numbers. Several GPs do not answer `whitened`. Points are inputs as the GPs see them. */
fcps_status fcps_gps_reserve(fcps_gp_work *work, const fcps_gps *gps, int points);
void fcps_gps_predict(const fcps_gps *gps, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                      fcps_gp_work *work);

/* -- Noise of rows -- */

/* Replaces what a source says about GP `gp`: the variances of the first `rows` rows, and the usual one. Drops the factor of
 * the GP unless all its rows keep their variances. */
fcps_status fcps_gps_set_noise(fcps_gps *gps, int source, int gp, int rows, const double *variance, double usual);

/* What a source says about a row, what it expects of rows to come, and how many rows it knows. */
double fcps_gps_noise_at(const fcps_gps *gps, int source, int gp, int row);
double fcps_gps_noise_usual(const fcps_gps *gps, int source, int gp);
int fcps_gps_noise_known(const fcps_gps *gps, int source, int gp);

/* Adds what all sources but one say about the first `rows` rows to `variance`. */
void fcps_gps_add_other_noise(const fcps_gps *gps, int source, int gp, int rows, double *variance);

/* Takes back what sources know about rows from `count` on. */
void fcps_gps_truncate_noise(fcps_gps *gps, int count);

/* What a source says as JSON: for each GP [usual, [variances]]; NULL if it says nothing. Reading gives the rows their noise;
 * FCPS_ERR_FORMAT if it does not fit `rows` rows. */
fcps_json *fcps_gps_write_noise(const fcps_gps *gps, int source);
fcps_status fcps_gps_read_noise(fcps_gps *gps, int source, int rows, const fcps_json *json);

#endif
