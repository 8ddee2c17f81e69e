/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings of the library and of the program in one form. */
#include "cli/support/log.h"
#include "cli/support/no_file.h"
#include "cli/support/shown.h"
#include "cli/support/warnings.h"
#include "format/text.h"
#include "wire/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static void (*listener)(const char *code);

void cli_log_listen(void (*hear)(const char *code))
{
  listener = hear;
}

static void print_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)user;
  if (level == FCPS_LOG_WARNING) cli_warn(code, "%s", message);
  if (level == FCPS_LOG_INFO && listener != NULL) listener(code);
}

const fcps_log cli_log = {.write = print_warning};

void cli_warn(const char *code, const char *format, ...)
{
  char said[2048], room[2400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(said, sizeof said, format, arguments);
  va_end(arguments);
  const char *message = cli_no_file_text(said, sizeof room, room);
  cli_warnings_keep(code, message);
  fprintf(stderr, "fcps: %s: ", cli_shown(code));
  fcps_shown_write_lines(stderr, message);
  fputc('\n', stderr);
}

void cli_warn_no_reward(void)
{
  cli_warn("W_NO_REWARD",
           "the reward has no value without an outcome. The result counts: the model learns from it where "
           "there is no outcome, and takes the worst reward seen for it. To say what it is worth, write a "
           "reward like `present ? -distance : -10`.");
}

void cli_warn_unusable(const char *name, const fcps_study *study, const fcps_stored_result *stored)
{
  char why[300];
  fcps_study_explain(study, stored, sizeof why, why);
  cli_warn("W_REWARD_NOT_FINITE",
           "the outcome or the reward of %s cannot be used: it is NaN, infinite or beyond 1e100%s%s%s. The result is "
           "stored, but the model does not use it.",
           name, why[0] != '\0' ? " (" : "", why, why[0] != '\0' ? ")" : "");
}

void cli_warn_if_empty(const fcps_study *study, const fcps_policy *policy)
{
  const bool is_lacking = policy != NULL && fcps_wire_policy_lacks(policy) != NULL;
  for (int i = 0; i < fcps_study_result_count(study) && !is_lacking; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    if (stored.is_used && !stored.is_flagged && isfinite(stored.result.rollout.reward)) return;
  }
  cli_warn("W_NO_RESULTS", "the study has no result that can be learnt from yet; this answer is a guess.");
}
