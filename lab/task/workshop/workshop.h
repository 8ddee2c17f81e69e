/* SPDX-License-Identifier: Apache-2.0 */
/* The common parts of the workshop's tasks: three small machines of ordinary kinds, in which the usual mishaps of a lab
 * can be switched on.
 *
 *   reactor   a batch process: two outcomes in different units; beyond a limit nothing comes out
 *   reach     an arm among posts: a collision is a failed trial
 *   dosing    two liquids in a vessel: without enough of them the probe reads nothing
 *
 * Failures and typos happen only in training. A wrong unit also holds in the evaluation, and the reward allows for it.
 * Mishaps are settings, so every run with a mishap can be compared with the same run without it: the same world,
 * contexts and noise. */
#ifndef FCPS_LAB_TASK_WORKSHOP_WORKSHOP_H
#define FCPS_LAB_TASK_WORKSHOP_WORKSHOP_H

#include "lab/task/task_impl.h"

typedef struct fcps_mishaps {
  int failures; /* this many trials at the start fail, whatever their parameters */
  /* the trial, counted from 1, whose first outcome loses its decimal point; if it has no outcome, the next trial with
   * one. 0: there is no typo */
  int typo;
  int unit;         /* the first outcome is recorded in 10^-unit of its unit: a wrong unit */
  int64_t mistyped; /* not a setting: the trial, counted from 1, that had the typo; 0: no trial had it yet */
} fcps_mishaps;

/* The settings of every task of the workshop: they fill an fcps_mishaps. */
extern const fcps_setting_table fcps_mishap_settings;

/* The factor by which a wrong unit multiplies the first outcome. */
double fcps_mishaps_unit(const fcps_mishaps *mishaps);

/* Lets mishaps happen to a trial that ended with `outcome`: a mishap may make the trial fail, or change its record. */
void fcps_mishaps_happen(fcps_mishaps *mishaps, fcps_task *task, int64_t episode, double *outcome,
                         fcps_rollout *rollout);

/* Finds the trial of an earlier run that had the typo; see `recall` in fcps_task_ops. The state of the task must begin
 * with its mishaps. */
void fcps_workshop_recall(fcps_task *task, int count, const int64_t *episodes);

enum { FCPS_WORKSHOP_EVALUATIONS = 60 };

/* Places the contexts of a workshop's evaluation: a fixed sequence, which is the same for every seed. `targets` and
 * `environments` are the task's own arrays. A failed trial counts as `failure_reward`. */
void fcps_workshop_place_evaluations(fcps_task *task, double *targets, double *environments, double failure_reward);

/* Finds the best reward, by a search in every context of the evaluation. */
double fcps_workshop_optimum(fcps_task *task);

#endif
