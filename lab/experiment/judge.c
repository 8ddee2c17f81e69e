/* SPDX-License-Identifier: Apache-2.0 */
/* One function per kind of claim computes our number and its standard error; from these follows the verdict. A claim is
 * not judged if runs or episodes are missing; a quick run judges no claim.
 *
 * Orders, differences and levels of the paper must hold by two standard errors, paired by seed; otherwise they are
 * `undecided`. Levels that we set ourselves are aims: the mean reaches the aim or does not, and the detail says if it
 * is within two standard errors of the aim. A claim is ours unless it says where it stands in the paper. */
#include "lab/experiment/judge.h"

#include "lab/experiment/experiment_impl.h"
#include "lab/experiment/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *fcps_verdict_text(fcps_verdict verdict)
{
  static const char *const texts[] = {[FCPS_VERDICT_BETTER] = "better",
                                      [FCPS_VERDICT_REPRODUCED] = "reproduced",
                                      [FCPS_VERDICT_UNDECIDED] = "undecided",
                                      [FCPS_VERDICT_NOT_REPRODUCED] = "not reproduced",
                                      [FCPS_VERDICT_MET] = "met",
                                      [FCPS_VERDICT_NOT_MET] = "not met",
                                      [FCPS_VERDICT_NOT_JUDGED] = "not judged"};
  return texts[verdict];
}

fcps_verdict fcps_verdict_of_number(double difference, double se)
{
  if (isnan(difference) || isnan(se)) return FCPS_VERDICT_NOT_JUDGED;
  if (difference > 2.0 * se) return FCPS_VERDICT_BETTER;
  return difference < -2.0 * se ? FCPS_VERDICT_NOT_REPRODUCED : FCPS_VERDICT_REPRODUCED;
}

fcps_verdict fcps_verdict_of_gap(double gap, double se, bool is_ours)
{
  if (isnan(gap) || isnan(se)) return FCPS_VERDICT_NOT_JUDGED;
  if (gap == 0.0 || fabs(gap) < 2.0 * se) return FCPS_VERDICT_UNDECIDED;
  if (is_ours) return gap > 0.0 ? FCPS_VERDICT_MET : FCPS_VERDICT_NOT_MET;
  return gap > 0.0 ? FCPS_VERDICT_REPRODUCED : FCPS_VERDICT_NOT_REPRODUCED;
}

fcps_verdict fcps_verdict_of_own_level(double margin)
{
  if (isnan(margin)) return FCPS_VERDICT_NOT_JUDGED;
  return margin >= 0.0 ? FCPS_VERDICT_MET : FCPS_VERDICT_NOT_MET;
}

/* -- Words for numbers -- */

/* The number of decimals to print: 0 for rewards of hundreds, 2 for offline means, 3 for the small distances of robots
 * in metres. */
static int decimals(double value)
{
  return fabs(value) >= 100.0 ? 0 : fabs(value) >= 0.1 ? 2 : 3;
}

static const char *title_of(const fcps_experiment_results *results, int row)
{
  return results->experiment->rows[row].title;
}

/* Appends words to a text that has room for `size` bytes. */
static void add(char *text, size_t size, const char *words)
{
  const size_t length = strlen(text);
  snprintf(text + length, size - length, "%s", words);
}

static void add_number(char *text, size_t size, double value)
{
  char words[64];
  snprintf(words, sizeof words, "%.*f", decimals(value), value);
  add(text, size, words);
}

/* Writes the means of all rows of a claim, as in "BO-CPS -8.30, FACES -2.32". */
static void describe_means(const fcps_experiment_results *results, const fcps_claim *claim, double *values,
                           fcps_judgement *judgement)
{
  const size_t size = sizeof judgement->detail;
  for (int i = 0; i < claim->row_count; i++) {
    fcps_experiment_results_measure(results, claim->rows[i], claim->measure, claim->episode, values);
    if (i > 0) add(judgement->detail, size, ", ");
    add(judgement->detail, size, title_of(results, claim->rows[i]));
    add(judgement->detail, size, " ");
    add_number(judgement->detail, size, fcps_statistics_of(results->experiment->seed_count, values).mean);
  }
}

/* -- The kinds -- */

/* Writes the paper's number: "-303 ± 34", or "+4.0" if the paper gives no deviation. */
static void describe_paper(const fcps_claim *claim, const char *sign, fcps_judgement *judgement)
{
  char words[64] = "";
  snprintf(words, sizeof words, "%.*f", decimals(claim->paper_mean), claim->paper_mean);
  add(judgement->paper, sizeof judgement->paper, claim->paper_mean > 0 ? sign : "");
  add(judgement->paper, sizeof judgement->paper, words);
  if (isnan(claim->paper_sd)) return;
  snprintf(words, sizeof words, " ± %.*f", decimals(claim->paper_mean), claim->paper_sd);
  add(judgement->paper, sizeof judgement->paper, words);
}

/* Compares our mean with the paper's. Both are uncertain; the standard error of the paper's mean is its deviation over
 * the root of ten runs. */
static void judge_number(const fcps_claim *claim, fcps_statistics ours, const char *sign, fcps_judgement *judgement)
{
  const double paper_se = isnan(claim->paper_sd) ? 0.0 : claim->paper_sd / sqrt(FCPS_PAPER_RUNS);
  const double difference = ours.mean - claim->paper_mean, se = hypot(ours.se, paper_se);
  describe_paper(claim, sign, judgement);
  judgement->ours = ours.mean;
  judgement->se = ours.se;
  judgement->verdict = fcps_verdict_of_number(difference, se);
  if (judgement->verdict == FCPS_VERDICT_NOT_JUDGED) return;
  snprintf(judgement->detail, sizeof judgement->detail, "%+.*f, %.1f standard errors of the difference",
           decimals(difference), difference, difference / se);
}

static void judge_value(const fcps_experiment_results *results, const fcps_claim *claim, double *a,
                        fcps_judgement *judgement)
{
  fcps_experiment_results_measure(results, claim->rows[0], claim->measure, claim->episode, a);
  judge_number(claim, fcps_statistics_of(results->experiment->seed_count, a), "", judgement);
}

/* Judges a difference. If our runs cannot distinguish it from zero, it is undecided. */
static void judge_difference(const fcps_experiment_results *results, const fcps_claim *claim, double *a, double *b,
                             fcps_judgement *judgement)
{
  const int count = results->experiment->seed_count;
  fcps_experiment_results_measure(results, claim->rows[0], claim->measure, claim->episode, a);
  fcps_experiment_results_measure(results, claim->rows[1], claim->measure, claim->episode, b);
  judge_number(claim, fcps_statistics_of_differences(count, a, b), "+", judgement);
  if (judgement->verdict == FCPS_VERDICT_NOT_JUDGED) return;
  if (fabs(judgement->ours) < 2.0 * judgement->se) judgement->verdict = FCPS_VERDICT_UNDECIDED;
  add(judgement->detail, sizeof judgement->detail, "; ");
  describe_means(results, claim, a, judgement);
}

/* The distance of a gap from zero, in standard errors. */
static double standard_errors(fcps_statistics gap)
{
  if (gap.se > 0.0) return gap.mean / gap.se;
  return gap.mean == 0.0 ? 0.0 : copysign(INFINITY, gap.mean);
}

/* Computes the gaps between neighbours of an order, seed by seed. Returns the gap that supports the order least: it
 * decides. */
static fcps_statistics weakest_gap(const fcps_experiment_results *results, const fcps_claim *claim, double *a,
                                   double *b)
{
  const int count = results->experiment->seed_count;
  fcps_statistics weakest = {.mean = NAN, .se = NAN};
  for (int i = 0; i + 1 < claim->row_count; i++) {
    fcps_experiment_results_measure(results, claim->rows[i], claim->measure, claim->episode, a);
    fcps_experiment_results_measure(results, claim->rows[i + 1], claim->measure, claim->episode, b);
    const fcps_statistics gap = fcps_statistics_of_differences(count, a, b);
    if (isnan(gap.mean)) return gap;
    if (i == 0 || standard_errors(gap) < standard_errors(weakest)) weakest = gap;
  }
  return weakest;
}

static void judge_order(const fcps_experiment_results *results, const fcps_claim *claim, double *a, double *b,
                        fcps_judgement *judgement)
{
  const fcps_statistics weakest = weakest_gap(results, claim, a, b);
  for (int i = 0; i < claim->row_count; i++) {
    if (i > 0) add(judgement->paper, sizeof judgement->paper, " > ");
    add(judgement->paper, sizeof judgement->paper, title_of(results, claim->rows[i]));
  }
  judgement->ours = weakest.mean;
  judgement->se = weakest.se;
  judgement->verdict = fcps_verdict_of_gap(weakest.mean, weakest.se, fcps_claim_is_ours(claim));
  if (judgement->verdict == FCPS_VERDICT_NOT_JUDGED) return;

  describe_means(results, claim, a, judgement);
  char words[128];
  snprintf(words, sizeof words, "; %s %+.1f standard errors", claim->row_count > 2 ? "the weakest gap is" : "a gap of",
           standard_errors(weakest));
  add(judgement->detail, sizeof judgement->detail, words);
}

/* Judges a level. A level of the paper is judged like a gap. A level of ours is met or not, and the detail says if our
 * number is within two standard errors of it. */
static void judge_level(const fcps_claim *claim, double margin, fcps_judgement *judgement)
{
  const bool is_ours = fcps_claim_is_ours(claim);
  if (isnan(judgement->se)) return;
  judgement->verdict =
      is_ours ? fcps_verdict_of_own_level(margin) : fcps_verdict_of_gap(margin, judgement->se, is_ours);
  if (is_ours && fabs(margin) < 2.0 * judgement->se)
    add(judgement->detail, sizeof judgement->detail, "within two standard errors of the level");
}

static void judge_reaches(const fcps_experiment_results *results, const fcps_claim *claim, double *a,
                          fcps_judgement *judgement)
{
  fcps_experiment_results_measure(results, claim->rows[0], claim->measure, claim->episode, a);
  const fcps_statistics ours = fcps_statistics_of(results->experiment->seed_count, a);
  snprintf(judgement->paper, sizeof judgement->paper, "≥ %.*f", decimals(claim->level), claim->level);
  judgement->ours = ours.mean;
  judgement->se = ours.se;
  judge_level(claim, ours.mean - claim->level, judgement);
}

/* Judges whether our number is at most the level of the claim. */
static void judge_most(const fcps_claim *claim, fcps_statistics ours, fcps_judgement *judgement)
{
  snprintf(judgement->paper, sizeof judgement->paper, "≤ %.*f", decimals(claim->level), claim->level);
  judgement->ours = ours.mean;
  judgement->se = ours.se;
  judge_level(claim, claim->level - ours.mean, judgement);
}

static void judge_stays(const fcps_experiment_results *results, const fcps_claim *claim, double *a,
                        fcps_judgement *judgement)
{
  fcps_experiment_results_measure(results, claim->rows[0], claim->measure, claim->episode, a);
  judge_most(claim, fcps_statistics_of(results->experiment->seed_count, a), judgement);
}

/* Judges whether a measure lies between two levels. The measure is the mean over all rows of the claim, seed by
 * seed. */
static void judge_between(const fcps_experiment_results *results, const fcps_claim *claim, double *a, double *b,
                          fcps_judgement *judgement)
{
  const int count = results->experiment->seed_count;
  for (int i = 0; i < count; i++)
    b[i] = 0.0;
  for (int row = 0; row < claim->row_count; row++) {
    fcps_experiment_results_measure(results, claim->rows[row], claim->measure, claim->episode, a);
    for (int i = 0; i < count; i++)
      b[i] += a[i] / claim->row_count;
  }
  const fcps_statistics ours = fcps_statistics_of(count, b);
  snprintf(judgement->paper, sizeof judgement->paper, "%.*f to %.*f", decimals(claim->level), claim->level,
           decimals(claim->most), claim->most);
  judgement->ours = ours.mean;
  judgement->se = ours.se;
  judge_level(claim, fmin(ours.mean - claim->level, claim->most - ours.mean), judgement);
  if (judgement->verdict == FCPS_VERDICT_NOT_JUDGED || claim->row_count < 2) return;
  if (judgement->detail[0] != '\0') add(judgement->detail, sizeof judgement->detail, "; ");
  describe_means(results, claim, a, judgement);
}

/* Judges how much the first row loses against the second, as a share of what the second gains over random parameters:
 * (second - first)/(second - random), of means. The denominator is taken as exact, so the standard error is that of the
 * numerator. */
static void judge_costs(const fcps_experiment_results *results, const fcps_claim *claim, double *a, double *b,
                        fcps_judgement *judgement)
{
  const int count = results->experiment->seed_count;
  for (int i = 0; i < count; i++)
    b[i] = fcps_experiment_results_run(results, claim->rows[1], i)->random;
  const double random = fcps_statistics_of(count, b).mean;
  fcps_experiment_results_measure(results, claim->rows[0], claim->measure, claim->episode, a);
  fcps_experiment_results_measure(results, claim->rows[1], claim->measure, claim->episode, b);
  const double gap = fcps_statistics_of(count, b).mean - random;
  fcps_statistics loss = fcps_statistics_of_differences(count, b, a);
  loss.mean = gap > 0.0 ? loss.mean / gap : NAN;
  loss.se = gap > 0.0 ? loss.se / gap : NAN;
  judge_most(claim, loss, judgement);
  if (judgement->verdict == FCPS_VERDICT_NOT_JUDGED) return;
  if (judgement->detail[0] != '\0') add(judgement->detail, sizeof judgement->detail, "; ");
  describe_means(results, claim, a, judgement);
  add(judgement->detail, sizeof judgement->detail, ", random parameters ");
  add_number(judgement->detail, sizeof judgement->detail, random);
}

/* Judges the ratio of two standard deviations. */
static void judge_spread(const fcps_experiment_results *results, const fcps_claim *claim, double *a, double *b,
                         fcps_judgement *judgement)
{
  const int count = results->experiment->seed_count;
  fcps_experiment_results_measure(results, claim->rows[0], claim->measure, claim->episode, a);
  fcps_experiment_results_measure(results, claim->rows[1], claim->measure, claim->episode, b);
  fcps_statistics_spread(count, a, b, &judgement->ours, &judgement->se);
  snprintf(judgement->paper, sizeof judgement->paper, "≥ %.*f", decimals(claim->level), claim->level);
  judge_level(claim, judgement->ours - claim->level, judgement);
  if (judgement->verdict == FCPS_VERDICT_NOT_JUDGED) return;
  char words[128];
  snprintf(words, sizeof words, "%sstandard deviations %.3g and %.3g", judgement->detail[0] != '\0' ? "; " : "",
           fcps_statistics_of(count, a).sd, fcps_statistics_of(count, b).sd);
  add(judgement->detail, sizeof judgement->detail, words);
}

/* Judges how soon a level is reached. Our number is the median over the seeds of the first evaluation at or above the
 * level. A seed that never reaches the level counts as infinite. */
static void judge_within(const fcps_experiment_results *results, const fcps_claim *claim, double *a,
                         fcps_judgement *judgement)
{
  const int count = results->experiment->seed_count;
  snprintf(judgement->paper, sizeof judgement->paper, "≤ %lld", (long long)claim->episode);
  if (claim->episode > fcps_experiment_episodes(results->experiment)) return;
  int arrived = 0, in_time = 0;
  for (int i = 0; i < count; i++) {
    const fcps_experiment_run_result *run = fcps_experiment_results_run(results, claim->rows[0], i);
    int64_t first = 0;
    while (first < run->episodes && !(run->offline[first] >= claim->level)) /* NaN: no evaluation */
      first++;
    a[i] = first < run->episodes ? (double)(first + 1) : INFINITY;
    arrived += isfinite(a[i]);
    in_time += a[i] <= (double)claim->episode;
  }
  judgement->ours = fcps_statistics_median(count, a);
  /* half of the seeds should be in time; the deviation of their number is that of a fair coin */
  judgement->verdict = fcps_claim_is_ours(claim) ? fcps_verdict_of_own_level((double)claim->episode - judgement->ours)
                                                 : fcps_verdict_of_gap(in_time - 0.5 * count, 0.5 * sqrt(count), false);
  snprintf(judgement->detail, sizeof judgement->detail, "median over the seeds; %d of %d reach %.2f in %lld episodes",
           arrived, count, claim->level, (long long)fcps_experiment_episodes(results->experiment));
}

/* Judges the slope over the swept values of the difference between two series, seed by seed. */
static void judge_trend(const fcps_experiment_results *results, const fcps_claim *claim, double *a, double *b,
                        fcps_judgement *judgement)
{
  const fcps_experiment *experiment = results->experiment;
  const int points = experiment->sweep.count, count = experiment->seed_count;
  double centre = 0.0, spread = 0.0;
  for (int p = 0; p < points; p++)
    centre += experiment->rows[claim->rows[0] + p].x / points;
  for (int p = 0; p < points; p++)
    spread += pow(experiment->rows[claim->rows[0] + p].x - centre, 2);
  for (int i = 0; i < count; i++)
    b[i] = 0.0;
  for (int p = 0; p < points; p++) {
    const double weight = (experiment->rows[claim->rows[0] + p].x - centre) / spread;
    for (int side = 0; side < 2; side++) {
      fcps_experiment_results_measure(results, claim->rows[side] + p, claim->measure, claim->episode, a);
      for (int i = 0; i < count; i++)
        b[i] += (side == 0 ? weight : -weight) * a[i];
    }
  }
  const fcps_statistics slope = fcps_statistics_of(count, b);
  snprintf(judgement->paper, sizeof judgement->paper, "> 0");
  judgement->ours = slope.mean;
  judgement->se = slope.se;
  judgement->verdict = fcps_verdict_of_gap(slope.mean, slope.se, fcps_claim_is_ours(claim));
  if (judgement->verdict == FCPS_VERDICT_NOT_JUDGED) return;
  snprintf(judgement->detail, sizeof judgement->detail,
           "the difference grows by %.3g per step of %s, %+.1f standard errors from zero", slope.mean,
           experiment->sweep.setting, standard_errors(slope));
}

void fcps_judge(const fcps_experiment_results *results, const fcps_claim *claim, double *a, double *b,
                fcps_judgement *judgement)
{
  *judgement = (fcps_judgement){.ours = NAN, .se = NAN, .verdict = FCPS_VERDICT_NOT_JUDGED};
  fcps_definition_claim_text(results->experiment, claim, sizeof judgement->claim, judgement->claim);
  switch (claim->kind) {
  case FCPS_CLAIM_VALUE:
    judge_value(results, claim, a, judgement);
    break;
  case FCPS_CLAIM_ORDER:
    judge_order(results, claim, a, b, judgement);
    break;
  case FCPS_CLAIM_REACHES:
    judge_reaches(results, claim, a, judgement);
    break;
  case FCPS_CLAIM_DIFFERENCE:
    judge_difference(results, claim, a, b, judgement);
    break;
  case FCPS_CLAIM_SPREAD:
    judge_spread(results, claim, a, b, judgement);
    break;
  case FCPS_CLAIM_WITHIN:
    judge_within(results, claim, a, judgement);
    break;
  case FCPS_CLAIM_TREND:
    judge_trend(results, claim, a, b, judgement);
    break;
  case FCPS_CLAIM_STAYS:
    judge_stays(results, claim, a, judgement);
    break;
  case FCPS_CLAIM_COSTS:
    judge_costs(results, claim, a, b, judgement);
    break;
  case FCPS_CLAIM_BETWEEN:
    judge_between(results, claim, a, b, judgement);
    break;
  }
  if (results->experiment->is_quick) judgement->verdict = FCPS_VERDICT_NOT_JUDGED;
}
