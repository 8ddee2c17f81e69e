/* SPDX-License-Identifier: Apache-2.0 */
/* What the tasks of the workshop share: three small machines of ordinary kinds, on which the usual mishaps of a lab can
 * be ordered.
 *
 *   reactor   a batch process: two outcomes in different units; beyond a limit nothing comes out
 *   reach     an arm among posts: a collision is a failed trial
 *   dosing    two liquids in a vessel: without enough of them the probe reads nothing
 *
 * Mishaps happen in training alone, never in the evaluation. They are settings, so that every run with a mishap has its
 * clean twin: the same world, contexts and noise. */
#ifndef FCPS_LAB_TASK_WORKSHOP_WORKSHOP_H
#define FCPS_LAB_TASK_WORKSHOP_WORKSHOP_H

#include "lab/task/task_impl.h"

typedef struct fcps_mishaps {
  int failures;     /* so many trials at the start fail, whatever their parameters */
  int typo;         /* the first outcome of this trial, counted from 1, loses its decimal point; if the trial has none,
                   that of the next one that has. 0: none */
  int unit;         /* the first outcome is measured in 10^-unit of its unit */
  int64_t mistyped; /* not a setting: the trial, counted from 1, that it happened to; 0: not yet */
} fcps_mishaps;

/* The settings of every task of the workshop: they fill an fcps_mishaps. */
extern const fcps_setting_table fcps_mishap_settings;

/* The factor of the first outcome. */
double fcps_mishaps_unit(const fcps_mishaps *mishaps);

/* What happens to a trial that ended with `outcome`: may let it fail, or change what was written down. */
void fcps_mishaps_happen(fcps_mishaps *mishaps, fcps_task *task, int64_t episode, double *outcome,
                         fcps_rollout *rollout);

/* Finds out to which trial of an earlier run a typo has happened; see fcps_task_ops. The state of the task begins with
 * its mishaps. */
void fcps_workshop_recall(fcps_task *task, int count, const int64_t *episodes);

enum { FCPS_WORKSHOP_EVALUATIONS = 60 };

/* Contexts of a workshop's evaluation: a fixed sequence, the same for every seed; `targets` and `environments` are the
 * task's own arrays. What a failed trial counts there is `failure_reward`. */
void fcps_workshop_place_evaluations(fcps_task *task, double *targets, double *environments, double failure_reward);

/* The best reward, by a search in every context of the evaluation. */
double fcps_workshop_optimum(fcps_task *task);

#endif
