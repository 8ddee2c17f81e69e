/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a model predicts each result from all others (model/leave_one_out.h). Results are named as in the study.
 *
 * The rows of a model are the usable results in the order in which they were told, and with hindsight there is a second
 * row behind each. A row belongs to the next result with the same numbers; if there is none, it is such a second row.
 *
 * A model is called overconfident, here and by status, if its intervals cover clearly too few results. Sound models are
 * seldom called overconfident: in 76 runs of tasks, of stubs and of processes with noise (seeds 1 to 6), with 20, 30,
 * 45, 60, 90 and 120 results, it happened at 5 of 441 checks, and at the end of 1 run. Errors up to a hundredth of the
 * spread do not count: if most results are the same, as those of shots that are not fired, the intervals are narrow,
 * and such errors do no harm. Coverage above 95 % is judged by a normal approximation of the binomial distribution, two
 * deviations and half a result away from the expected count.
 *
 * A model is called blind if its errors are hardly smaller than the distances of the results from their middle, both by
 * their medians and by their squares. This happened at none of the 441 checks, and at 33 of 36 checks of an outcome
 * that is pure noise.
 *
 * Noise grows with the output if the squared errors, in units of their own deviations, rise with the expected value.
 * Both are taken as ranks, so that a single wild result cannot decide: Spearman's correlation r of n independent pairs
 * is about normal with deviation 1/sqrt(n - 1). */
#include "base/error.h"
#include "base/memory.h"
#include "model/leave_one_out.h"
#include "model/model.h"
#include "model/surprises.h"
#include "policy/policy_impl.h"
#include "problem/judge/judge.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <fcps/study_check.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With fewer than LEAST_RESULTS results the hyper-parameters are those of the prior, and the coverage means nothing.
 * LEAST_RANKED results are needed to judge whether noise grows. */
enum { LEAST_RESULTS = 5, LEAST_RANKED = 20 };

/* From this number of results on, the model is overconfident if a smaller share of the results lies within its
 * intervals. */
static const struct coverage_limit {
  int results;
  double share;
} limits[] = {{20, 0.75}, {40, 0.85}};
static const double trifle = 0.01, blind_share = 0.9;

/* A check, and the memory that its arrays point into. */
typedef struct owned_check {
  fcps_study_check check;
  fcps_model_left_out left_out;
  fcps_checked_result *results;
  bool *is_explained; /* for each result: whether W_UNIT already explains why it is wrong */
  fcps_checked_output *outputs;
  char **texts; /* the name and unit of each output */
} owned_check;

/* Whether a row of a model seems to be in another unit. The warning W_UNIT already explains this row (suspects.c), so
 * the row is no evidence against the model. */
static bool is_row_in_other_unit(const fcps_model *model, int row)
{
  int count;
  const fcps_doubt *doubts = fcps_doubts_of(&model->description, &count);
  for (int i = 0; i < count; i++)
    if (doubts[i].row == row) return doubts[i].spell.factor > 0.0;
  return false;
}

void fcps_study_check_destroy(fcps_study_check *check)
{
  if (check == NULL) return;
  owned_check *owned = (owned_check *)(void *)check; /* The check is the first member of owned_check. */
  fcps_model_left_out_destroy(&owned->left_out);
  for (int i = 0; owned->texts != NULL && i < 2 * owned->check.output_count; i++)
    free(owned->texts[i]);
  free(owned->texts);
  free(owned->results);
  free(owned->is_explained);
  free(owned->outputs);
  free(owned);
}

/* -- Results -- */

static bool is_same(int count, const double *a, const double *b)
{
  return count == 0 || (a != NULL && b != NULL ? memcmp(a, b, (size_t)count * sizeof(double)) == 0 : a == b);
}

static bool is_row_of(const fcps_problem *p, const fcps_rollout *row, const fcps_stored_result *stored)
{
  const fcps_rollout *r = &stored->result.rollout;
  return stored->is_used && !stored->is_misplaced && r->status == FCPS_ROLLOUT_OK &&
         is_same(p->target.count, row->target, r->target) &&
         is_same(p->environment.count, row->environment, r->environment) &&
         is_same(p->parameters.count, row->parameters, r->parameters) &&
         is_same(p->outcome.count, row->outcome, r->outcome);
}

/* The distance of a result from its expected values, in deviations; the largest over all outputs. */
static double surprise_of(int outputs, const double *told, const double *expected, const double *deviation)
{
  double largest = NAN;
  for (int o = 0; o < outputs; o++)
    largest = fmax(largest, fabs(told[o] - expected[o]) / deviation[o]);
  return largest;
}

const fcps_stored_result *fcps_study_result_of_row(const fcps_study *s, const fcps_rollout *row, size_t *next)
{
  size_t found = *next;
  while (found < s->result_count && !is_row_of(&s->problem, row, &s->results[found]))
    found++;
  if (found == s->result_count) return NULL;
  *next = found + 1;
  return s->results + found;
}

/* Finds the result to which each row of the model belongs. */
static void list_results(const fcps_study *s, const fcps_model *model, owned_check *owned)
{
  const fcps_model_left_out *l = &owned->left_out;
  size_t next = 0;
  for (int i = 0; i < l->rows; i++) {
    const fcps_rollout row = fcps_rollouts_at(&model->training, i);
    const fcps_stored_result *found = fcps_study_result_of_row(s, &row, &next);
    if (found == NULL) continue;
    const size_t place = (size_t)i * (size_t)l->outputs;
    owned->is_explained[owned->check.result_count] = is_row_in_other_unit(model, i);
    fcps_checked_result *checked = owned->results + owned->check.result_count++;
    *checked = (fcps_checked_result){.sequence = found->sequence,
                                     .ask = found->ask,
                                     .result_number = found->result_number,
                                     .told = l->told + place,
                                     .expected = l->mean + place,
                                     .deviation = l->deviation + place};
    checked->surprise = surprise_of(l->outputs, checked->told, checked->expected, checked->deviation);
  }
}

/* -- Outputs -- */

static int compare_numbers(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The median of |values - centre|; sorts and changes `values`. */
static double median_distance(int count, double *values, double centre)
{
  for (int i = 0; i < count; i++)
    values[i] = fabs(values[i] - centre);
  qsort(values, (size_t)count, sizeof *values, compare_numbers);
  return values[count / 2];
}

/* Whether a model is blind for an output. Medians are compared, because one wild result must not hide what all others
 * say. Squares are compared as well, because most results may be equal, which makes the medians zero. */
static bool is_blind(const fcps_checked_output *o, double *told)
{
  if (o->predicted < LEAST_RESULTS || !(o->error > blind_share * o->spread)) return false;
  qsort(told, (size_t)o->predicted, sizeof *told, compare_numbers);
  const double spread = median_distance(o->predicted, told, told[o->predicted / 2]);
  return spread > 0 && o->median_error > blind_share * spread;
}

typedef struct ranked {
  double value;
  int index;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
  const ranked *x = a, *y = b;
  return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : x->index - y->index;
}

/* ranks[i] := the rank of value i among `count`, from 0 */
static void rank(int count, ranked *values, double *ranks)
{
  qsort(values, (size_t)count, sizeof *values, compare_ranked);
  for (int i = 0; i < count; i++)
    ranks[values[i].index] = i;
}

/* Whether larger expected values come with larger errors. */
static bool is_noise_growing(const owned_check *owned, int o)
{
  static const double beyond_chance = 3.0; /* in deviations; by chance one output in seven hundred exceeds it */
  const int most = owned->check.result_count;
  int n = 0;
  double sum = 0.0;
  ranked *expected = fcps_allocate(2 * (size_t)most, sizeof *expected), *errors = expected + most;
  double *ranks = fcps_allocate(2 * (size_t)most, sizeof *ranks);
  for (int i = 0; i < most && expected != NULL && ranks != NULL; i++) {
    const fcps_checked_result *r = owned->results + i;
    if (isnan(r->expected[o]) || owned->is_explained[i]) continue;
    expected[n] = (ranked){fabs(r->expected[o]), n};
    errors[n] = (ranked){fabs(r->told[o] - r->expected[o]) / r->deviation[o], n};
    n++;
  }
  if (n >= LEAST_RANKED) {
    rank(n, expected, ranks);
    rank(n, errors, ranks + n);
    for (int i = 0; i < n; i++)
      sum += (ranks[i] - ranks[n + i]) * (ranks[i] - ranks[n + i]);
  }
  free(expected);
  free(ranks);
  const double correlation = 1.0 - 6.0 * sum / ((double)n * ((double)n * n - 1.0));
  return n >= LEAST_RANKED && correlation * sqrt(n - 1.0) > beyond_chance;
}

/* Judges how the deviations of an output fit its errors. Results in another unit are counted, but they are no evidence
 * against the model. */
static void judge(const owned_check *owned, int o, fcps_checked_output *output)
{
  int count = 0, covered = 0, right = 0;
  for (int i = 0; i < owned->check.result_count; i++) {
    const fcps_checked_result *r = owned->results + i;
    if (isnan(r->expected[o]) || owned->is_explained[i]) continue;
    const double error = fabs(r->told[o] - r->expected[o]), width = FCPS_STUDY_CHECK_WIDTH * r->deviation[o];
    count++;
    covered += error <= width;
    right += error <= fmax(width, trifle * output->spread);
  }
  const double n = count, expected = 0.95 * n, slack = 2.0 * sqrt(n * 0.95 * 0.05) + 0.5;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    output->is_overconfident |= count >= limits[i].results && right < limits[i].share * n;
  output->is_careful = covered > expected + slack;
}

/* Counts how many results of an output lie within their intervals. `errors` and `told` have room for one number of each
 * result. */
static void count_output(const owned_check *owned, int o, double *errors, double *told, fcps_checked_output *output)
{
  double mean = 0.0, squares = 0.0, sum = 0.0;
  for (int i = 0; i < owned->check.result_count; i++) {
    const fcps_checked_result *r = owned->results + i;
    if (isnan(r->expected[o])) continue;
    const double error = r->told[o] - r->expected[o], step = r->told[o] - mean;
    errors[output->predicted] = error;
    told[output->predicted++] = r->told[o];
    output->covered += fabs(error) <= FCPS_STUDY_CHECK_WIDTH * r->deviation[o];
    sum += error * error;
    mean += step / output->predicted;
    squares += step * (r->told[o] - mean);
  }
  const int n = output->predicted;
  output->error = n > 0 ? sqrt(sum / n) : NAN;
  output->spread = n > 1 ? sqrt(squares / (n - 1)) : NAN;
  output->median_error = n > 0 ? median_distance(n, errors, 0.0) : NAN;
  output->is_blind = is_blind(output, told);
  output->is_noise_growing = is_noise_growing(owned, o);
  judge(owned, o, output);
}

static fcps_status list_outputs(const fcps_problem *problem, const fcps_model *model, owned_check *owned)
{
  const int count = owned->left_out.outputs;
  owned->check.output_count = count;
  owned->texts = fcps_allocate(2 * (size_t)count, sizeof *owned->texts);
  owned->outputs = fcps_allocate((size_t)count, sizeof *owned->outputs);
  double *errors = fcps_allocate(2 * (size_t)owned->left_out.rows, sizeof *errors);
  fcps_status status = owned->texts != NULL && owned->outputs != NULL && errors != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int o = 0; o < count && status == FCPS_OK; o++) {
    const fcps_dimension *dim = model->ops->predicts_outcomes ? problem->outcome.dims + o : NULL;
    char **name = owned->texts + 2 * o, **unit = name + 1;
    *name = fcps_copy_text(dim != NULL ? dim->name : "reward");
    *unit = fcps_copy_text(dim != NULL && dim->unit != NULL ? dim->unit : "");
    if (*name == NULL || *unit == NULL) status = FCPS_ERR_MEMORY;
    owned->outputs[o] = (fcps_checked_output){.name = *name, .unit = *unit};
    count_output(owned, o, errors, errors + owned->left_out.rows, owned->outputs + o);
  }
  free(errors);
  return status;
}

/* -- The check -- */

static fcps_status refuse(const fcps_study *s, const fcps_model *model, fcps_error *error)
{
  if (model == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "learner",
                          "%s has no Gaussian process that could be checked. Learners with one are outcome, "
                          "outcome-active, bo-fcps, bo-cps, faces and aces.",
                          s->learner_name);
  if (model->training.count >= LEAST_RESULTS) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "model",
                        "%d result%s can be learnt from; a check needs at least %d. Tell more results first.",
                        model->training.count, model->training.count == 1 ? "" : "s", LEAST_RESULTS);
}

static fcps_status fill(const fcps_study *s, const fcps_model *model, owned_check *owned, fcps_error *error)
{
  fcps_status status = fcps_model_leave_one_out(model, &owned->left_out, error);
  if (status != FCPS_OK) return status;
  owned->results = fcps_allocate((size_t)owned->left_out.rows, sizeof *owned->results);
  owned->is_explained = fcps_allocate((size_t)owned->left_out.rows, sizeof *owned->is_explained);
  if (owned->results == NULL || owned->is_explained == NULL) return FCPS_ERR_MEMORY;
  list_results(s, model, owned);
  status = list_outputs(&s->problem, model, owned);
  owned->check.model = model->ops->name;
  owned->check.results = owned->results;
  owned->check.outputs = owned->outputs;
  return status;
}

/* Checks a model that has learnt from results of the study. */
static fcps_status make_check(const fcps_study *s, const fcps_model *model, fcps_study_check **check, fcps_error *error)
{
  *check = NULL;
  owned_check *owned = fcps_allocate(1, sizeof *owned);
  const fcps_status status = owned != NULL ? fill(s, model, owned, error) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK)
    *check = &owned->check;
  else if (owned != NULL)
    fcps_study_check_destroy(&owned->check);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

fcps_status fcps_study_check_model(fcps_study *s, fcps_policy *policy, fcps_study_check **check, fcps_error *error)
{
  if (check == NULL) return fcps_error_null(error, "check");
  *check = NULL;
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (policy == NULL) return fcps_error_null(error, "policy");
  const fcps_model *model = policy->ops->model != NULL ? policy->ops->model(policy) : NULL;
  status = refuse(s, model, error);
  if (status == FCPS_OK) status = fcps_callbacks_begin(&policy->callbacks, "policy", error);
  return status == FCPS_OK ? make_check(s, model, check, error) : status;
}

/* -- Whether the model explains the results that it does not doubt --
 *
 * A few wrong numbers are suspects (suspects.c). But if more than a tenth are wrong, the model becomes wrong: its noise
 * grows, or its lengths shrink, until it explains them. So the model is fitted without the two fifths of the results
 * that surprise most, and the results that this fit does not explain are counted (model/structures/doubts.h). On the
 * tasks of the program this was at most one result in fifty (seeds 1001 and 1002, 50 to 150 trials). In two processes
 * in which an eighth to three tenths of the results were made wrong, it was at least one in twenty-one. Whether a model
 * is too sure, or predicts nothing, is judged from its prediction of each result (above). */

/* With fewer than LEAST_SPLIT results nothing can be said. With more than MANY_RESULTS this check is slow, and is made
 * only if it is wanted. */
enum { LEAST_SPLIT = 20, MANY_RESULTS = 500, LEAST_HIDDEN = 3, LEAST_PER_INPUT = 10 };

/* If a larger share of the results is unexplained, the study makes a remark. */
static const double too_many = 0.04;

static int count_in_other_unit(const fcps_model *model)
{
  int count = 0;
  for (int i = 0; i < model->training.count; i++)
    count += is_row_in_other_unit(model, i);
  return count;
}

/* Makes a remark if too many results are unexplained. Results in another unit do not count here, because W_UNIT
 * explains them. */
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

/* Whether the reward uses an outcome. If not, it does not matter how good the model of this outcome is. */
static bool matters(const fcps_study *s, int outcome)
{
  const fcps_reward_formula *formula = s->problem.reward != NULL ? fcps_reward_formula_of(&s->problem) : NULL;
  return formula == NULL || fcps_reward_uses(formula, formula->outcome + outcome);
}

/* Makes remarks about the model's predictions of single results. An overconfident model keeps the study from being
 * called good enough. An outcome that seems to be pure chance does not, because no trial would change it. */
static void look_at_outputs(fcps_study *s, const fcps_model *model)
{
  const fcps_problem *p = &s->problem;
  fcps_study_check *check = NULL;
  if (make_check(s, model, &check, NULL) != FCPS_OK) return;
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
  if (model == NULL || !model->ops->predicts_outcomes || model->training.count < LEAST_SPLIT) return;
  if (model->training.count > MANY_RESULTS && !is_wanted) return;
  if (!look_for_hidden(s, model)) look_at_outputs(s, model);
}
