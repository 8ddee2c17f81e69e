/* SPDX-License-Identifier: Apache-2.0 */
/* The noise of single rows of a model's GPs beyond sn^2: the sum of what several sources say.
 *
 * A source knows nothing of the others. It gives each GP a variance per row, in the GP's unit scale, and the variance
 * to expect of rows that it does not know yet. The GP gets the sum, and its factor is dropped, so that the likelihood,
 * the fit and every prediction see it.
 *
 * Invariants: variances are finite and not negative. A model to which nobody gave noise has no parts, and its GPs have
 * the bits of a model without this file. What a model saves has the variances themselves, because a source may have
 * computed them from a state that is gone.
 */
#ifndef FCPS_MODEL_ROW_NOISE_H
#define FCPS_MODEL_ROW_NOISE_H

#include "format/json.h"

#include <fcps/base.h>

typedef struct fcps_model fcps_model;

/* Who says that a row is noisy. */
typedef enum fcps_noise_source {
  FCPS_NOISE_TOLD,    /* the deviations that were told with a result (told_noise.h) */
  FCPS_NOISE_INPUT,   /* parameters that are executed inexactly (composite/input_noise.h) */
  FCPS_NOISE_SUSPECT, /* results that are doubted */
  FCPS_NOISE_REST,    /* results in which nothing moved (composite/contact.h) */
  FCPS_NOISE_PLACE,   /* places where outcomes vary more than elsewhere (composite/uneven_noise.h) */
  FCPS_NOISE_SOURCES
} fcps_noise_source;

/* What one source says about the rows of one GP. */
typedef struct fcps_noise_part {
  int rows;         /* that it knows */
  double *variance; /* of each */
  double usual;     /* of all others */
} fcps_noise_part;

typedef struct fcps_row_noise {
  fcps_noise_part *parts; /* sources x GPs; NULL: there is no noise of rows */
} fcps_row_noise;

fcps_status fcps_row_noise_copy(const fcps_model *model, fcps_model *copy);
void fcps_row_noise_destroy(fcps_model *model);

/* Takes back what is known about rows from `count` on. */
void fcps_row_noise_truncate(fcps_model *model, int count);

/* Replaces what a source says about GP `gp`: the variances of the first `rows` rows, and the usual one. Drops the
 * factor of the GP unless its rows keep the variances that they have. */
fcps_status fcps_row_noise_set(fcps_model *model, fcps_noise_source source, int gp, int rows, const double *variance,
                               double usual);

/* What a source says about a row, and what it expects of rows to come. */
double fcps_row_noise_at(const fcps_model *model, fcps_noise_source source, int gp, int row);
double fcps_row_noise_usual(const fcps_model *model, fcps_noise_source source, int gp);

/* How many rows a source knows of GP `gp`. */
int fcps_row_noise_known(const fcps_model *model, fcps_noise_source source, int gp);

/* Adds what all sources but one say about the first `rows` rows to `variance`. */
void fcps_row_noise_add_others(const fcps_model *model, fcps_noise_source source, int gp, int rows, double *variance);

/* All sources as JSON, but for inexact inputs, which save their own; and whether there is anything to save. Reading
 * gives the rows their noise before anything is factorized. */
bool fcps_row_noise_is_saved(const fcps_model *model);
fcps_json *fcps_row_noise_write(const fcps_model *model);
fcps_status fcps_row_noise_read(fcps_model *model, const fcps_json *json);

#endif
