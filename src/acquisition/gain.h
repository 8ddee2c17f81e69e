/* SPDX-License-Identifier: Apache-2.0 */
/* What the acquisitions that ask how much a trial tells have in common: a belief about the maximum in the context of the
 * ask, trials seen from there, and a search that needs no gradient. Each of them is the gain of a trial. */
#ifndef FCPS_ACQUISITION_GAIN_H
#define FCPS_ACQUISITION_GAIN_H

#include "acquisition/acquisition.h"
#include "acquisition/entropy.h"

/* Everything in unit scale, as in entropy.h. */
typedef struct fcps_question {
  fcps_entropy entropy;
  const fcps_model *model;
  const fcps_gp_outputs *outputs;
  const double *context; /* features */
  fcps_belief belief;
  double *beta; /* L' alpha: the mean of a point is the product with its whitened covariances */
  double *mu;   /* means of the representers */
  fcps_trials trials;
  double *mean;  /* of the trials */
  void *scratch; /* the acquisition's own, freed with free */
} fcps_question;

typedef struct fcps_gain {
  /* Scratch for `most` trials at once, from the belief; NULL when there is no memory. */
  void *(*prepare)(const fcps_question *question, int most);

  /* The gains of question->trials. */
  void (*gains)(const fcps_question *question, double *gains);
} fcps_gain;

/* A question about one context with room for `most` trials; a failure leaves nothing to close. */
fcps_status fcps_question_open(fcps_question *question, const fcps_gain *gain, const fcps_entropy_settings *settings,
                               fcps_view *view, int most, fcps_rng rng);
void fcps_question_close(fcps_question *question);

/* Makes `count` parameter vectors (rows, unit cube) the trials. */
void fcps_question_ask(fcps_question *question, int count, const double *unit);

/* The parameters with the largest gain. */
fcps_status fcps_gain_select(const fcps_decision *decision, const fcps_gain *gain, double *unit);

/* What entropy search and its kin use in one context. */
extern const fcps_entropy_settings fcps_gain_settings;

/* The gain of each, for tests. */
extern const fcps_gain fcps_gain_es;
extern const fcps_gain fcps_gain_kg;
extern const fcps_gain fcps_gain_mes;
extern const fcps_gain fcps_gain_jes;

#endif
