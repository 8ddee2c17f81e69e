/* SPDX-License-Identifier: Apache-2.0 */
/* Writes remarks: findings that look wrong in a study. A code that several outcomes share is written once. */

#include "base/error.h"
#include "wire/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns the code of the next remark, from *index on, that prevents the verdict "enough" and was not returned yet;
 * NULL if there is no such remark. */
static const char *next_code(const fcps_study *study, int *index)
{
  const fcps_study_remark *remark;
  while ((remark = fcps_study_remark_at(study, (*index)++)) != NULL) {
    bool is_named = !remark->holds_back;
    for (int i = 0; i < *index - 1 && !is_named; i++) {
      const fcps_study_remark *earlier = fcps_study_remark_at(study, i);
      is_named = earlier->holds_back && strcmp(earlier->code, remark->code) == 0;
    }
    if (!is_named) return remark->code;
  }
  return NULL;
}

char *fcps_wire_remarks_text(const char *before, const fcps_study *study, size_t size, char *text)
{
  int index = 0, count = 0;
  const char *code = next_code(study, &index);
  snprintf(text, size, "%s", before);
  while (code != NULL) {
    const char *next = next_code(study, &index), *between = count == 0 ? "" : next == NULL ? " and " : ", ";
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", between, code);
    code = next;
    count++;
  }
  const size_t used = strlen(text);
  snprintf(text + used, size - used, count == 1 ? " stands: see the warning" : " stand: see the warnings");
  return text;
}

fcps_json *fcps_wire_remarks_write(const fcps_study *study)
{
  if (fcps_study_remark_at(study, 0) == NULL) return NULL;
  fcps_json *list = fcps_json_array();
  const fcps_study_remark *remark;
  for (int i = 0; (remark = fcps_study_remark_at(study, i)) != NULL; i++) {
    fcps_json *object = fcps_json_object();
    fcps_json_put(&object, "code", fcps_json_from_text(remark->code));
    fcps_json_put(&object, "text", fcps_json_from_text(remark->text));
    fcps_json_add(&list, object);
  }
  return list;
}

/* -- Warnings -- */

void fcps_wire_warn_no_reward(const fcps_log *log)
{
  fcps_log_say(log, FCPS_LOG_WARNING, "W_NO_REWARD",
               "the reward has no value without an outcome. The result counts all the same: the model learns where "
               "there is no outcome, and takes the worst reward seen for this one. To choose another reward for it, "
               "write a formula such as `present ? -distance : -10`.");
}

void fcps_wire_warn_unusable(const fcps_log *log, const char *name, const fcps_study *study,
                             const fcps_stored_result *stored)
{
  char why[300];
  fcps_study_explain(study, stored, sizeof why, why);
  fcps_log_say(
      log, FCPS_LOG_WARNING, "W_REWARD_NOT_FINITE",
      "the outcome or the reward of %s cannot be used: it is NaN, infinite or beyond 1e100%s%s%s. The result is "
      "stored, but the model does not use it.",
      name, why[0] != '\0' ? " (" : "", why, why[0] != '\0' ? ")" : "");
}

void fcps_wire_warn_if_empty(const fcps_log *log, const fcps_study *study, const fcps_policy *policy)
{
  const bool is_lacking = policy != NULL && fcps_wire_policy_lacks(policy) != NULL;
  for (int i = 0; i < fcps_study_result_count(study) && !is_lacking; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    if (stored.is_used && !stored.is_flagged && isfinite(stored.result.rollout.reward)) return;
  }
  fcps_log_say(log, FCPS_LOG_WARNING, "W_NO_RESULTS",
               "the study has no result that can be learnt from yet; this answer is a guess.");
}
