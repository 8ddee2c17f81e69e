/* SPDX-License-Identifier: Apache-2.0 */
/* An outcome that was the same in every trial, wherever the trials were: a dead sensor, a plug that was pulled.
 *
 * A model of it is certain, and wrong. It is said at as many results as are doubted once the sensor lives
 * (FCPS_STUCK_LEAST). An outcome that the reward does not feel, such as a flag that was never raised, may stay as it
 * is, as long as another outcome lives. Who has confirmed one of the results has said that it is right. */
#include "model/structures/doubts.h"
#include "problem/problem.h"
#include "study/remarks.h"
#include "study/study_impl.h"
#include "study/word.h"

#include <math.h>
#include <string.h>

#define CODE "W_SAME_OUTCOME"

/* What is known of an outcome that has not changed yet. */
typedef struct sameness {
  int results, places;
  bool is_same, is_confirmed;
  const fcps_stored_result *last;
} sameness;

/* another environment or other parameters, which stand side by side */
static bool is_elsewhere(const fcps_study *s, const fcps_stored_result *a, const fcps_stored_result *b)
{
  for (int i = fcps_study_environment_offset(s); i < fcps_study_outcome_offset(s); i++)
    if (a->result.rollout.target[i] != b->result.rollout.target[i]) return true;
  return false;
}

static sameness compare_results(const fcps_study *s, int outcome)
{
  sameness found = {.is_same = true};
  for (size_t i = 0; i < s->result_count && found.is_same; i++) {
    const fcps_stored_result *stored = &s->results[i];
    if (!fcps_study_has_outcome(s, stored)) continue;
    found.places += found.last == NULL || is_elsewhere(s, stored, found.last);
    found.is_same =
        found.last == NULL || stored->result.rollout.outcome[outcome] == found.last->result.rollout.outcome[outcome];
    found.is_confirmed = found.is_confirmed || stored->result.rollout.is_confirmed;
    found.results++;
    found.last = stored;
  }
  if (found.last == NULL) return (sameness){0};
  found.is_same = found.is_same && found.places >= FCPS_STUCK_LEAST;
  return found;
}

/* Whether the reward of the last result changes when the outcome moves a little. */
static bool is_felt(const fcps_study *s, const fcps_stored_result *last, int outcome)
{
  const fcps_rollout *r = &last->result.rollout;
  const fcps_dimension *dim = s->problem.outcome.dims + outcome;
  const double size = dim->lower < dim->upper ? dim->upper - dim->lower : fmax(fabs(r->outcome[outcome]), 1.0);
  double moved[FCPS_SPACE_MAX], rewards[2];
  const bool is_present = true;
  memcpy(moved, r->outcome, (size_t)s->problem.outcome.count * sizeof(double));
  for (int i = 0; i < 2; i++) {
    moved[outcome] = r->outcome[outcome] + (i == 0 ? 1e-3 : -1e-3) * size;
    if (fcps_problem_score(&s->guarded, 1, r->target, r->environment, r->parameters, moved, &is_present, rewards + i,
                           NULL) != FCPS_OK)
      return false;
  }
  return rewards[0] != rewards[1];
}

void fcps_study_look_for_same_outcomes(fcps_study *s)
{
  const fcps_space *outcomes = &s->problem.outcome;
  int same = 0;
  fcps_study_withdraw_remarks(s, CODE);
  if (s->problem.reward == NULL) return; /* the outcome decides nothing */
  for (int o = 0; o < outcomes->count; o++)
    same += compare_results(s, o).is_same;
  for (int o = 0; o < outcomes->count && same > 0; o++) {
    const sameness found = compare_results(s, o);
    char name[STUDY_RESULT_NAME_SIZE];
    if (!found.is_same || found.is_confirmed || (same < outcomes->count && !is_felt(s, found.last, o))) continue;
    fcps_study_name_result(found.last, name);
    fcps_study_make_remark(
        s, CODE, outcomes->dims[o].name, true,
        "outcome %.100s was %.6g in all %d results, though they differ in what was done: a dead sensor? "
        "Check it, and take out what it told (fcps study amend %.200s --drop %s, and so on); if it is right, --confirm "
        "%s",
        outcomes->dims[o].name, found.last->result.rollout.outcome[o], found.results, fcps_study_word(s), name, name);
  }
}
