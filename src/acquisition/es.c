/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy search in the context of the ask: the trial that is expected to tell most about the best parameters there
 * [hennig2012; pinsler2019, Sec. V-A]. */
#include "acquisition/gain.h"

static void *prepare(const fcps_question *question, int most)
{
  return fcps_gain_scratch(&question->entropy, most);
}

static void gains(const fcps_question *question, double *gains)
{
  for (int i = 0; i < question->trials.count; i++)
    gains[i] = 0.0;
  fcps_belief_gain(&question->entropy, question->model->gp, &question->belief, &question->trials, question->scratch,
                   gains);
}

const fcps_gain fcps_gain_es = {prepare, gains};

static fcps_status select_es(const fcps_decision *decision, double *unit)
{
  return fcps_gain_select(decision, &fcps_gain_es, unit);
}

const fcps_acquisition fcps_acquisition_es = {"es", true, select_es, true};
