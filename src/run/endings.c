/* SPDX-License-Identifier: Apache-2.0 */
/* When a run is given up because its trials lead to nothing.
 *
 * - More than half of at least five trials failed. If trials of earlier calls ended well, a few of them count as well: a
 *   learner that looks for an edge finds failures there, although its machine works. They are so few that a machine that
 *   breaks is still noticed after eleven trials.
 * - At least five trials have an outcome, but none of them a reward that can be used. Then the formula of the reward, or
 *   the program that measures, is wrong, and another trial tells nothing. Results of earlier calls count as well, as
 *   long as none of them is usable: so a wrong amended formula is noticed before the first trial.
 * - More than half of at least five trials have an outcome that is not finite. They are as useless as failed ones.
 * - The run is over, and no result of the study has a usable reward: none of those with an outcome, or none of at least
 *   five.
 *
 * Trials without an outcome do not end a run: if outcomes are rare, the next trial may have the first one. If none of
 * five trials has an outcome, the user is told. */
#include "run/loop.h"

#include "base/error.h"
#include "study/inside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ENOUGH = 5, MOST_EARLIER = 10 };

/* Returns a sentence that says that all results are stored. For a study in memory it is empty, because nothing is
 * stored there. */
static const char *describe_keeping(const fcps_study *study)
{
  return fcps_study_url(study) != NULL ? "All are stored. " : "";
}

/* -- No usable reward -- */

/* Whether the reason says that the reward has no value. If not, it says that a measured number is not usable. */
static bool is_reward(const char *why)
{
  return strncmp(why, "reward ", strlen("reward ")) == 0 || strstr(why, "reward function") != NULL;
}

/* Stops a run because of results that cannot be used. `example` is one of these results; NULL means any of them. */
static fcps_status refuse_unusable(const fcps_study *study, const fcps_stored_result *example, int64_t unusable,
                                   int64_t all, fcps_error *error)
{
  char why[400];
  fcps_study_explain(study, example, sizeof why, why);
  const bool is_formula = is_reward(why);
  return fcps_error_set(
      error, FCPS_ERR_NO_REWARD, is_formula ? "reward" : "outcome",
      "%lld of %lld results with an outcome cannot be used, so the run stops: %.250s. %s%s: fcps study amend %s %s",
      (long long)unusable, (long long)all, why, describe_keeping(study),
      is_formula ? "Change the reward" : "Repair what measures it, then take them out", fcps_study_word(study),
      is_formula ? "--reward FORMULA" : "--drop not-finite");
}

static fcps_status refuse_absent(const fcps_study *study, const fcps_study_counts *counts, fcps_error *error)
{
  char why[400];
  fcps_study_explain(study, NULL, sizeof why, why);
  return fcps_error_set(error, FCPS_ERR_NO_REWARD, "reward",
                        "none of the %d results has a reward, because none has an outcome: %.160s. Look at the program "
                        "or robot first. To learn from trials without an outcome, give them a reward: fcps study amend "
                        "%s --reward 'present ? FORMULA : NUMBER'",
                        counts->results, why, fcps_study_word(study));
}

/* -- The run -- */

/* Whether all numbers of an outcome are finite. */
static bool is_measured(const fcps_problem *problem, const fcps_rollout *rollout)
{
  for (int o = 0; rollout->outcome != NULL && o < problem->outcome.count; o++)
    if (!isfinite(rollout->outcome[o])) return false;
  return true;
}

/* Whether the trial ran and has an outcome, if this problem has outcomes. A trial without an outcome does not count,
 * because its reward may come from a part of the formula that says nothing about the rest. */
static bool has_outcome(const fcps_study *study, const fcps_rollout *rollout)
{
  return rollout->status == FCPS_ROLLOUT_OK &&
         (rollout->outcome != NULL || fcps_study_problem(study)->outcome.count == 0);
}

/* Counts the results that ended well. */
static int64_t count_good(const fcps_study *study)
{
  int64_t count = 0;
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    count += stored.is_used && !stored.is_flagged && has_outcome(study, &stored.result.rollout);
  }
  return count;
}

fcps_status fcps_run_endings_begin(fcps_run_endings *endings, const fcps_study *study, fcps_error *error)
{
  *endings = (fcps_run_endings){0};
  /* Only results with a finite outcome count, because only for these the reward formula is to blame. The other results
   * may come from a sensor that has been repaired since. */
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    const fcps_rollout *rollout = &stored.result.rollout;
    endings->unusable += stored.is_used && stored.is_flagged && !stored.is_misplaced && rollout->outcome != NULL &&
                         is_measured(fcps_study_problem(study), rollout);
  }
  endings->earlier = count_good(study);
  if (endings->earlier > 0) endings->unusable = 0;
  return endings->unusable >= ENOUGH ? refuse_unusable(study, NULL, endings->unusable, endings->unusable, error)
                                     : FCPS_OK;
}

/* Returns the message of the last trial that failed. If it has no message, returns how it ended. */
static const char *last_failure(const fcps_study *study)
{
  for (int i = fcps_study_result_count(study) - 1; i >= 0; i--) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    const fcps_rollout_status ending = stored.result.rollout.status;
    if (ending == FCPS_ROLLOUT_OK) continue;
    return stored.result.message != NULL && *stored.result.message ? stored.result.message
                                                                   : fcps_rollout_status_text(ending);
  }
  return "failed";
}

static bool fails_often(const fcps_run_endings *endings)
{
  const int64_t earlier = endings->earlier < MOST_EARLIER ? endings->earlier : MOST_EARLIER;
  return 2 * endings->failures > endings->trials + earlier;
}

/* Stops a run because of many failures. If other trials ended well, the cause may be the parameters as well as the
 * machine. */
static fcps_status refuse_failures(const fcps_run_endings *endings, const fcps_study *study, fcps_error *error)
{
  char others[200] = "";
  if (endings->earlier > 0)
    snprintf(others, sizeof others,
             "The study has %lld from before that ended well: did something break, or do trials like these fail? ",
             (long long)endings->earlier);
  return fcps_error_set(error, FCPS_ERR_FAILURE_RATE, "",
                        "%lld of %lld rollouts failed, so the run stops. %s%sThe last that failed: %.200s",
                        (long long)endings->failures, (long long)endings->trials, describe_keeping(study), others,
                        last_failure(study));
}

static fcps_status check_failures(const fcps_run_endings *endings, const fcps_study *study, fcps_error *error)
{
  char why[480];
  const long long failures = endings->failures, trials = endings->trials;
  if (endings->trials < ENOUGH || !fails_often(endings)) return FCPS_OK;
  if (failures == trials && fcps_study_complain(study, sizeof why, why))
    return fcps_error_set(error, FCPS_ERR_FAILURE_RATE, "", "%lld of %lld rollouts failed, so the run stops: %s",
                          failures, trials, why);
  return refuse_failures(endings, study, error);
}

static void complain_once(fcps_run_endings *endings, const fcps_study *study, const fcps_log *log)
{
  char words[480];
  if (endings->has_complained || !fcps_study_complain(study, sizeof words, words)) return;
  endings->has_complained = true;
  fcps_log_say(log, FCPS_LOG_WARNING, "W_NOTHING_ENDS_WELL", "%s", words);
}

fcps_status fcps_run_endings_add(fcps_run_endings *endings, const fcps_study *study, const fcps_stored_result *stored,
                                 const fcps_log *log, fcps_error *error)
{
  const fcps_rollout *rollout = &stored->result.rollout;
  const bool has_failed = rollout->status != FCPS_ROLLOUT_OK;
  endings->trials++;
  endings->failures += has_failed;
  const bool is_present = has_outcome(study, rollout);
  endings->has_usable |= is_present && !stored->is_flagged;
  endings->unusable += is_present && stored->is_flagged;
  endings->unmeasured += is_present && !is_measured(fcps_study_problem(study), rollout);
  if (endings->goes_on) return FCPS_OK;
  const fcps_status status = check_failures(endings, study, error);
  if (status != FCPS_OK) return status;
  if (!endings->has_usable && endings->unusable >= ENOUGH)
    return refuse_unusable(study, stored, endings->unusable, endings->unusable, error);
  if (endings->trials >= ENOUGH && 2 * endings->unmeasured > endings->trials)
    return refuse_unusable(study, stored, endings->unmeasured, endings->trials - endings->failures, error);
  if (endings->trials == ENOUGH) complain_once(endings, study, log);
  return FCPS_OK;
}

fcps_status fcps_run_endings_finish(fcps_run_endings *endings, const fcps_study *study, const fcps_log *log,
                                    fcps_error *error)
{
  if (endings->trials == 0 || endings->has_usable || endings->goes_on) return FCPS_OK;
  fcps_study_counts counts;
  fcps_study_count(study, &counts);
  if (counts.usable > 0 || counts.results == 0 || counts.failed == counts.results) return FCPS_OK;
  complain_once(endings, study, log);
  if (endings->unusable > 0) return refuse_unusable(study, NULL, endings->unusable, endings->unusable, error);
  return counts.results >= ENOUGH ? refuse_absent(study, &counts, error) : FCPS_OK;
}

fcps_status fcps_run_endings_all_failed(const fcps_study *study, int64_t failures, fcps_error *error)
{
  char why[480];
  const fcps_run_endings endings = {.trials = failures, .failures = failures, .earlier = count_good(study)};
  if (!fails_often(&endings)) return FCPS_OK;
  if (fcps_study_complain(study, sizeof why, why))
    return fcps_error_set(error, FCPS_ERR_FAILURE_RATE, "", "every rollout of this run failed (%lld): %s",
                          (long long)failures, why);
  return fcps_error_set(error, FCPS_ERR_FAILURE_RATE, "",
                        "every rollout of this run failed (%lld). %sThe last that failed: %.300s", (long long)failures,
                        describe_keeping(study), last_failure(study));
}
