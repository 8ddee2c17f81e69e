/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads errors and warnings, and writes remarks. A code is the name of its status, so there is no second list of names. */
#include "base/error.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* the code replaces this prefix by "E_": FCPS_ERR_BOUNDS is "E_BOUNDS" */
static const char prefix[] = "FCPS_ERR_";

static const char *status_word(fcps_status status)
{
  static const char *const names[] = {
#define FCPS_STATUS_NAME(name, text) #name,
      FCPS_STATUS_LIST(FCPS_STATUS_NAME)
#undef FCPS_STATUS_NAME
  };
  if ((int)status <= 0 || status >= FCPS_STATUS_COUNT) return "INTERNAL";
  return names[status] + strlen(prefix);
}

char *fcps_wire_failure_code(fcps_status status, char code[FCPS_WIRE_CODE_SIZE])
{
  const char *word = status_word(status);
  const size_t length = strlen(word) < FCPS_WIRE_CODE_SIZE - 3 ? strlen(word) : FCPS_WIRE_CODE_SIZE - 3;
  memcpy(code, "E_", 2);
  memcpy(code + 2, word, length);
  code[2 + length] = '\0';
  return code;
}

fcps_json *fcps_wire_failure_write(const fcps_error *error)
{
  char code[FCPS_WIRE_CODE_SIZE];
  fcps_json *inner = fcps_json_object(), *object = fcps_json_object();
  fcps_json_put(&inner, "code", fcps_json_from_text(fcps_wire_failure_code(error->status, code)));
  fcps_json_put(&inner, "field", fcps_json_from_text(error->field));
  fcps_json_put(&inner, "message", fcps_json_from_text(error->message));
  if (error->file[0] != '\0') fcps_json_put(&inner, "file", fcps_json_from_text(error->file));
  if (error->line > 0) fcps_json_put(&inner, "line", fcps_json_from_integer(error->line));
  if (error->column > 0) fcps_json_put(&inner, "column", fcps_json_from_integer(error->column));
  fcps_json_put(&object, "error", inner);
  return object;
}

bool fcps_wire_failure_read(const fcps_json *json, fcps_error *error)
{
  const fcps_json *inner = fcps_json_get(json, "error");
  const char *code = fcps_json_text(fcps_json_get(inner, "code"));
  const char *field = fcps_json_text(fcps_json_get(inner, "field"));
  const char *message = fcps_json_text(fcps_json_get(inner, "message"));
  fcps_status status = FCPS_ERR_IO;
  if (code == NULL || message == NULL) return false;
  for (int i = 1; i < FCPS_STATUS_COUNT; i++) {
    char known[FCPS_WIRE_CODE_SIZE];
    if (strcmp(fcps_wire_failure_code((fcps_status)i, known), code) == 0) status = (fcps_status)i;
  }
  const char *file = fcps_json_text(fcps_json_get(inner, "file"));
  int64_t line = 0, column = 0;
  (void)fcps_json_integer(fcps_json_get(inner, "line"), &line);
  (void)fcps_json_integer(fcps_json_get(inner, "column"), &column);
  if (file != NULL)
    fcps_error_at(error, status, file, (int)line, (int)column, field != NULL ? field : "", "%s", message);
  else
    fcps_error_set(error, status, field != NULL ? field : "", "%s", message);
  return true;
}

void fcps_wire_warning_add(fcps_json **list, const char *code, const char *message)
{
  fcps_json *warning = fcps_json_object();
  fcps_json_put(&warning, "code", fcps_json_from_text(code));
  fcps_json_put(&warning, "message", fcps_json_from_text(message));
  if (*list == NULL) *list = fcps_json_array();
  fcps_json_add(list, warning);
}

void fcps_wire_warnings_put(fcps_json **answer, fcps_json **list)
{
  if (*answer == NULL || *list == NULL || fcps_json_get(*answer, "warnings") != NULL) return;
  fcps_json_put(answer, "warnings", *list);
  *list = NULL;
}

/* -- Remarks: findings that look wrong in a study; a code that several outcomes share is written once -- */

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
      "stored, but the model uses nothing of it, not even its other outcomes.",
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
