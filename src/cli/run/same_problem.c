/* SPDX-License-Identifier: Apache-2.0 */
/* A study keeps the problem that it was made with, and what was amended since; the file beside it says what it said then.
 * Nobody should learn that from the rewards. (A file that was edited since is refused by the run itself.) */
#include "cli/run/same_problem.h"

#include "cli/support/log.h"
#include "cli/support/shown.h"

#include <string.h>

static const char *reward_of(const fcps_problem_file *file)
{
  return file->reward != NULL ? file->reward : "told";
}

/* Whether the file has the reward that the study was made with. */
static bool is_first_reward(const fcps_problem_file *file, const fcps_problem_file *kept)
{
  fcps_problem_file *first = NULL;
  const fcps_status status = fcps_problem_file_parse(&first, kept->text, strlen(kept->text), kept->file, NULL, NULL);
  const bool is_first = status == FCPS_OK && strcmp(reward_of(file), reward_of(first)) == 0;
  fcps_problem_file_destroy(first);
  return is_first;
}

void cli_run_warn_of_reward(const char *path, const fcps_problem_file *file, const fcps_study *study)
{
  const fcps_problem_file *kept = fcps_study_file(study);
  if (kept == NULL || strcmp(reward_of(file), reward_of(kept)) == 0 || !is_first_reward(file, kept)) return;
  cli_warn("W_REWARD_DIFFERS",
           "the study has the reward %.300s, and goes on with it; %.200s says %.300s, which is not used. To use it: "
           "fcps study amend %.200s --reward %.300s",
           reward_of(kept), path, reward_of(file), cli_shown_word(fcps_study_url(study)),
           cli_shown_word(reward_of(file)));
}
