/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the model explains the results that it believes.
 *
 * One wrong number is a suspect (surprise.c). More than a tenth of them are none: they make the model wrong, and its noise
 * grows, or its lengths shrink, until it explains them. So fits without the two fifths that surprise most say how many
 * the rest does not explain (model/composite/suspects.h). On the tasks of the program that was at most one result in
 * fifty (seeds 1001 and 1002, 50 to 150 trials); of two processes in which an eighth to three tenths of the results
 * were made wrong, from one in twenty-one up. A model that is too sure shows it by its intervals as well: they
 * cover too few results. On those tasks at least 85 % were covered. */
#include "base/memory.h"
#include "model/leave_one_out.h"
#include "model/model.h"
#include "model/surprises.h"
#include "policy/policy_impl.h"
#include "study/other_unit.h"
#include "study/remarks.h"
#include "study/study_impl.h"
#include "study/word.h"

#include <math.h>

#define CODE "W_MODEL"

/* Fewer results say nothing; more make the look slow. */
enum { LEAST_RESULTS = 20, MANY_RESULTS = 500, LEAST_HIDDEN = 3 };

/* The share of results that the others do not explain which is too much, and the share within 95 % intervals that is too
 * little. */
static const double too_many = 0.04, too_few = 0.75;

static int count_in_other_unit(const fcps_model *model)
{
  int count = 0;
  for (int i = 0; i < model->training.count; i++)
    count += fcps_study_is_row_in_other_unit(model, i);
  return count;
}

/* Rows in another unit are among those that the rest does not explain: they are said by W_UNIT. */
static bool look_for_hidden(fcps_study *s, const fcps_model *model)
{
  int hidden = 0;
  const int explained = count_in_other_unit(model), count = model->training.count - explained;
  if (fcps_model_count_hidden(model, &hidden, NULL) != FCPS_OK) return false;
  hidden -= explained;
  if (hidden < LEAST_HIDDEN || !(hidden > too_many * count)) return false;
  fcps_study_make_remark(
      s, CODE, "", true,
      "about %d of %d results do not agree with the others, too many to be doubted one by one: results "
      "are wrong, or an outcome jumps, or depends on something that is not told. Look at the most "
      "surprising ones: fcps study check-model %.200s",
      hidden, count, fcps_study_word(s));
  return true;
}

static void look_at_intervals(fcps_study *s, const fcps_model *model)
{
  static const double width = 1.959963984540054;
  fcps_model_left_out l = {0};
  if (fcps_model_leave_one_out(model, &l, NULL) != FCPS_OK) return;
  for (int o = 0; o < l.outputs; o++) {
    const char *name = s->problem.outcome.dims[o].name;
    int count = 0, covered = 0;
    for (int i = 0; i < l.rows; i++) {
      const size_t at = (size_t)i * (size_t)l.outputs + (size_t)o;
      if (!isfinite(l.mean[at]) || fcps_study_is_row_in_other_unit(model, i)) continue;
      count++;
      covered += fabs(l.told[at] - l.mean[at]) <= width * l.deviation[at];
    }
    if (count < LEAST_RESULTS || !(covered < too_few * count)) continue;
    fcps_study_make_remark(
        s, CODE, name, true,
        "only %d of %d results of %.100s lie within their 95 %% intervals: the model is surer than it "
        "may be. Look at the most surprising ones: fcps study check-model %.200s",
        covered, count, name, fcps_study_word(s));
  }
  fcps_model_left_out_destroy(&l);
}

void fcps_study_look_at_model(fcps_study *s, const fcps_policy *policy, bool is_wanted)
{
  fcps_study_withdraw_remarks(s, CODE);
  const fcps_model *model = policy->ops->model != NULL ? policy->ops->model(policy) : NULL;
  if (model == NULL || !model->ops->predicts_outcomes || model->training.count < LEAST_RESULTS) return;
  if (model->training.count > MANY_RESULTS && !is_wanted) return;
  if (!look_for_hidden(s, model)) look_at_intervals(s, model);
}
