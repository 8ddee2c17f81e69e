/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the model explains the results that it does not doubt.
 *
 * A few wrong numbers are suspects (suspects.c). But if more than a tenth are wrong, the model becomes wrong: its
 * noise grows, or its lengths shrink, until it explains them. So the model is fitted without the two fifths of the
 * results that surprise most, and the results that this fit does not explain are counted
 * (model/structures/doubts.h). On the tasks of the program this was at most one result in fifty (seeds 1001 and
 * 1002, 50 to 150 trials). In two processes in which an eighth to three tenths of the results were made wrong, it
 * was at least one in twenty-one. Whether a model is too sure, or predicts nothing, shows in what it expects of each
 * result from all others (check_model.c). */
#include "model/model.h"
#include "model/surprises.h"
#include "policy/policy_impl.h"
#include "problem/judge/judge.h"
#include "study/inside.h"
#include "study/remarks/check_model.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

/* Fewer than LEAST_RESULTS results say nothing; with more than MANY_RESULTS the look is slow, and is taken only if it
 * is wanted. */
enum { LEAST_RESULTS = 20, MANY_RESULTS = 500, LEAST_HIDDEN = 3, LEAST_PER_INPUT = 10 };

/* The share of unexplained results that calls for a remark. */
static const double too_many = 0.04;

static int count_in_other_unit(const fcps_model *model)
{
  int count = 0;
  for (int i = 0; i < model->training.count; i++)
    count += fcps_study_is_row_in_other_unit(model, i);
  return count;
}

/* Looks for too many unexplained results. Those in another unit do not count here: W_UNIT explains them. */
static bool look_for_hidden(fcps_study *s, const fcps_model *model)
{
  int hidden = 0;
  const int explained = count_in_other_unit(model), count = model->training.count - explained;
  if (fcps_model_count_hidden(model, &hidden, NULL) != FCPS_OK) return false;
  hidden -= explained;
  if (hidden < LEAST_HIDDEN || !(hidden > too_many * count)) return false;
  fcps_study_make_remark(s, "W_MODEL", "",
                         "about %d of %d results do not agree with the others, too many to be doubted one by one. "
                         "Either results are wrong, or an outcome jumps, or it depends on something that is not told. "
                         "Look at the most surprising ones: fcps study check-model %.200s",
                         hidden, count, fcps_study_word(s));
  return true;
}

/* Whether the reward uses an outcome; otherwise its model does not matter. */
static bool matters(const fcps_study *s, int outcome)
{
  const fcps_reward_formula *formula = s->problem.reward != NULL ? fcps_reward_formula_of(&s->problem) : NULL;
  return formula == NULL || fcps_reward_uses(formula, formula->outcome + outcome);
}

/* Looks at the model's predictions of single results. An overconfident model holds "enough" back. An outcome that
 * seems to be chance does not, for no trial would change it. */
static void look_at_outputs(fcps_study *s, const fcps_model *model)
{
  const fcps_problem *p = &s->problem;
  fcps_study_check *check = NULL;
  if (fcps_study_make_check(s, model, &check, NULL) != FCPS_OK) return;
  const int inputs = p->environment.count + p->parameters.count;
  for (int i = 0; i < check->output_count; i++) {
    const fcps_checked_output *o = check->outputs + i;
    if (!matters(s, i)) continue;
    if (o->is_overconfident)
      fcps_study_make_remark(
          s, "W_OVERCONFIDENT", o->name,
          "only %d of %d results of %.100s lie within their 95 %% intervals: trust its predicted values, not their "
          "deviations. Look at the most surprising ones: fcps study check-model %.200s",
          o->covered, o->predicted, o->name, fcps_study_word(s));
    if (o->is_blind && o->predicted >= LEAST_PER_INPUT * inputs)
      fcps_study_make_remark(s, "W_BLIND", o->name,
                             "after %d results %.100s is predicted hardly better than by their mean. It may depend on "
                             "something that is neither parameter nor environment, be noisy, or need more results. "
                             "Look at the most surprising ones: fcps study check-model %.200s",
                             o->predicted, o->name, fcps_study_word(s));
  }
  fcps_study_check_destroy(check);
}

void fcps_study_look_at_model(fcps_study *s, const fcps_policy *policy, bool is_wanted)
{
  fcps_study_withdraw_remarks(s, "W_MODEL");
  fcps_study_withdraw_remarks(s, "W_OVERCONFIDENT");
  fcps_study_withdraw_remarks(s, "W_BLIND");
  const fcps_model *model = policy->ops->model != NULL ? policy->ops->model(policy) : NULL;
  if (model == NULL || !model->ops->predicts_outcomes || model->training.count < LEAST_RESULTS) return;
  if (model->training.count > MANY_RESULTS && !is_wanted) return;
  if (!look_for_hidden(s, model)) look_at_outputs(s, model);
}
