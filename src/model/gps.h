/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a model (layout) and the Gaussian processes over them. */
#ifndef FCPS_MODEL_GPS_H
#define FCPS_MODEL_GPS_H

#include "base/rng.h"
#include "format/json.h"
#include "gp/fit.h"
#include "gp/query.h"
#include "problem/rollouts.h"
#include "space/space.h"

/* -- Layout --
 *
 * A layout says how rollouts become rows of a Gaussian process. It follows from the problem's spaces alone.
 *
 * A row has the features of the environment, of the target if it is an input, and of the parameters, all in the unit
 * cube; angles may lie on a circle. A layout never changes while its model lives. */

typedef struct fcps_layout {
  const fcps_problem *problem; /* borrowed */
  bool has_target;             /* the target is an input */
  bool predicts_outcomes;      /* the outputs are outcomes; if false, they are rewards */
  int outputs;                 /* number of outputs for one target */
  fcps_embedding context, parameters;
  int features;          /* number of features of a row: those of the context, then those of the parameters */
  double *weights;       /* weights that make outcomes comparable (reward/expected_reward.h), or NULL */
  double *lower, *upper; /* bounds that outcomes are clipped to; infinite: there is no bound */
} fcps_layout;

/* Computes the other members from the first four, which the caller has set. The others must be zero before the call. */
fcps_status fcps_layout_create(fcps_layout *layout, bool is_circular, bool has_metric);
void fcps_layout_destroy(fcps_layout *layout);

/* Returns the number of features of the environment; they are the first features of a row. */
int fcps_layout_environment_features(const fcps_layout *layout);

/* Writes the features of a context, which are the first of a row. `target` may be NULL if it is not an input. */
void fcps_layout_context(const fcps_layout *layout, const double *target, const double *environment, double *features);

/* The first function writes all features of a trial, the second those of rollout `index` of a list. */
void fcps_layout_row(const fcps_layout *layout, const double *target, const double *environment,
                     const double *parameters, double *features);
void fcps_layout_rollout(const fcps_layout *layout, const fcps_rollouts *rollouts, int index, double *features);

/* The features of the place of a trial are those of the environment and the parameters, never of the target. The first
 * function returns their number, the second writes them. */
int fcps_layout_place_features(const fcps_layout *layout);
void fcps_layout_place(const fcps_layout *layout, const double *environment, const double *parameters,
                       double *features);

/* Writes the outcome of a rollout, clipped to its bounds and to the range that the reward can distinguish
 * (problem/judge/judge.h). A huge outcome then only says "far": unclipped it would hide the differences that matter. */
void fcps_layout_outcome(const fcps_layout *layout, const fcps_rollouts *rollouts, int index, double *outcome);

/* Whether a value is one of the two bounds to which an output is clipped. */
bool fcps_layout_is_end(const fcps_layout *layout, int output, double value);

/* Makes the tables of distances between words that hold before anything is learnt about the words, for the features of
 * places or of rows. `tables` starts zeroed. Unordered words are all equally far apart. The distance of ordered words
 * is that of their positions. Words that are declared alike are nearer. */
fcps_status fcps_layout_tables(const fcps_layout *layout, bool of_places, fcps_tables *tables);

/* Returns the name of the dimension that a feature belongs to. */
const char *fcps_layout_feature_name(const fcps_layout *layout, int feature);

/* -- GPs --
 *
 * The Gaussian processes of a model: one that serves all outputs with one factorization, or, if each output has
 * hyper-parameters of its own, one per output over the same rows.
 *
 * Beside sn^2 a row may have extra noise: the sum over several sources. Each source gives every GP a variance per row,
 * in the GP's unit scale, and a usual variance for the rows that the source does not know yet.
 *
 * Invariants: all GPs have the same rows, in the same order. A source knows nothing of the others. While no source has
 * given noise, `parts` is NULL, and results have the same bits as without sources. */

/* The noise that one source gives the rows of one GP. */
typedef struct fcps_noise_part {
  int rows;         /* number of rows that the source knows */
  double *variance; /* noise variance of each row that the source knows */
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

/* Each of these calls the function fcps_gp_... of the same name for all GPs. A row is added to all GPs or to none. */
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

/* `predict` answers a query for all outputs: mean[i*outputs + o], variance[i*GPs + g], and gradients in the same order,
 * each of `dim` numbers. Points are inputs as the GPs see them. The query's `whitened` is only filled if there is one
 * GP. `reserve` first makes room in `work` for `points` points. */
fcps_status fcps_gps_reserve(fcps_gp_work *work, const fcps_gps *gps, int points);
void fcps_gps_predict(const fcps_gps *gps, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                      fcps_gp_work *work);

/* -- Noise of rows -- */

/* Replaces the noise that a source gives GP `gp`: the variances of the first `rows` rows, and the usual variance. Drops
 * the GP's factor if the noise of a row in it has changed. */
fcps_status fcps_gps_set_noise(fcps_gps *gps, int source, int gp, int rows, const double *variance, double usual);

/* `noise_at` returns the variance that a source gives a row, `noise_usual` the variance that it gives all rows that it
 * does not know. `noise_known` returns how many rows it knows. */
double fcps_gps_noise_at(const fcps_gps *gps, int source, int gp, int row);
double fcps_gps_noise_usual(const fcps_gps *gps, int source, int gp);
int fcps_gps_noise_known(const fcps_gps *gps, int source, int gp);

/* Adds to `variance` the noise of the first `rows` rows from all sources except `source`. */
void fcps_gps_add_other_noise(const fcps_gps *gps, int source, int gp, int rows, double *variance);

/* Makes all sources forget the rows from number `count` on. */
void fcps_gps_truncate_noise(fcps_gps *gps, int count);

/* Write and read the noise of a source as JSON: [usual, [variances]] for each GP; NULL if the source gives none.
 * Reading sets the noise of the rows, and returns FCPS_ERR_FORMAT if the JSON does not fit `rows` rows. */
fcps_json *fcps_gps_write_noise(const fcps_gps *gps, int source);
fcps_status fcps_gps_read_noise(fcps_gps *gps, int source, int rows, const fcps_json *json);

#endif
