/* SPDX-License-Identifier: Apache-2.0 */
/* Acquisitions: what makes a trial worth doing, given a model. One a file; the registry is in acquisition.c. */
#ifndef FCPS_ACQUISITION_ACQUISITION_H
#define FCPS_ACQUISITION_ACQUISITION_H

#include "model/model.h"
#include "search/search.h"

typedef enum fcps_kappa_schedule {
  FCPS_KAPPA_CONSTANT,
  FCPS_KAPPA_GP_UCB, /* sqrt(4 (D+1) log T) */
  FCPS_KAPPA_GP_UCB2 /* sqrt(2 log(T^(D/2+2) pi^2/(3 delta))), delta = 1/2 */
} fcps_kappa_schedule;

/* Their names, in the order of the enumeration; NULL past the end. */
const char *fcps_kappa_schedule_name(int index);

typedef struct fcps_acquisition_settings {
  double kappa;
  fcps_kappa_schedule schedule;
  fcps_search_settings search;
} fcps_acquisition_settings;

/* One decision: parameters (unit cube) for the context of `view`. */
typedef struct fcps_decision {
  const fcps_acquisition_settings *settings;
  fcps_posterior *posterior; /* NULL where the acquisition needs no model */
  int n;                     /* parameters */
  fcps_rng rng;
} fcps_decision;

typedef struct fcps_acquisition {
  const char *name;
  bool needs_model;
  fcps_status (*select)(const fcps_decision *decision, double *x);
  /* What a trial tells (gain.h), which can be summed over contexts; NULL where it is not about that. A gain reads the
   * model's outputs as rewards: it is no use with a model of outcomes. */
  const struct fcps_gain *gain;
} fcps_acquisition;

extern const fcps_acquisition fcps_acquisition_ucb;
extern const fcps_acquisition fcps_acquisition_random;
extern const fcps_acquisition fcps_acquisition_es;
extern const fcps_acquisition fcps_acquisition_ei;
extern const fcps_acquisition fcps_acquisition_thompson;
extern const fcps_acquisition fcps_acquisition_kg;
extern const fcps_acquisition fcps_acquisition_mes;
extern const fcps_acquisition fcps_acquisition_jes;

/* The acquisitions in the order in which they are listed; NULL past the end. */
const fcps_acquisition *fcps_acquisition_at(int index);

#endif
