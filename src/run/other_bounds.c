/* SPDX-License-Identifier: Apache-2.0 */
/* A run asks within the bounds of the study. Where its file was edited back, because a machine jams below 200, a trial
 * outside of what the file says must not come as a surprise. */
#include "run/other_bounds.h"

#include "base/error.h"
#include "base/number.h"
#include "study/word.h"

#include <stdio.h>

/* A range in words; outcomes may have none. */
static const char *describe(const fcps_dimension *dim, char text[3 * FCPS_NUMBER_SIZE])
{
  char lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE];
  if (!(dim->lower < dim->upper)) return "no range";
  snprintf(text, 3 * FCPS_NUMBER_SIZE, "%s to %s", fcps_number_show(dim->lower, lower),
           fcps_number_show(dim->upper, upper));
  return text;
}

/* What the difference means for the trials of a run. */
static const char *describe_danger(const char *label, const fcps_dimension *kept, const fcps_dimension *read)
{
  const bool is_narrower = read->lower > kept->lower || read->upper < kept->upper;
  if (label[0] == 'p' && is_narrower) return ": trials may be asked for outside of what the file says";
  return "";
}

/* The command that takes the bounds of the file; an outcome cannot lose its range. */
static void advise(const fcps_study *study, const fcps_dimension *read, char text[360])
{
  char lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE];
  text[0] = '\0';
  if (read->lower < read->upper)
    snprintf(text, 360, ". To take the bounds of the file: fcps study amend %.200s --bounds %.63s=%s,%s",
             fcps_study_word(study), read->name, fcps_number_write(read->lower, lower),
             fcps_number_write(read->upper, upper));
}

static void warn_of_space(const fcps_study *study, const char *file, const char *label, const fcps_space *kept,
                          const fcps_space *read, const fcps_log *log)
{
  for (int i = 0; i < kept->count && i < read->count; i++) {
    const fcps_dimension *old = &kept->dims[i], *new = &read->dims[i];
    char is[3 * FCPS_NUMBER_SIZE], says[3 * FCPS_NUMBER_SIZE], advice[360];
    if (old->lower == new->lower && old->upper == new->upper) continue;
    advise(study, new, advice);
    fcps_log_say(log, FCPS_LOG_WARNING, "W_BOUNDS_DIFFER",
                 "%s.%.63s is %s in the study, which goes on with it, and %s in %.200s%s%s", label, old->name,
                 describe(old, is), describe(new, says), file, describe_danger(label, old, new), advice);
  }
}

void fcps_run_warn_of_bounds(const fcps_study *study, const fcps_problem_file *file, const fcps_log *log)
{
  const fcps_problem *kept = fcps_study_problem(study), *read = &file->problem;
  warn_of_space(study, file->file, "target", &kept->target, &read->target, log);
  warn_of_space(study, file->file, "environment", &kept->environment, &read->environment, log);
  warn_of_space(study, file->file, "parameters", &kept->parameters, &read->parameters, log);
  warn_of_space(study, file->file, "outcome", &kept->outcome, &read->outcome, log);
}
