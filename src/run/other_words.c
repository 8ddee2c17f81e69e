/* SPDX-License-Identifier: Apache-2.0 */
/* Only words differ, so the study may go on: a unit may have been mistyped. But a program that now answers in the new unit
 * would ruin the model, and what the study shows says the old one. */
#include "run/other_words.h"

#include "base/error.h"

#include <string.h>

static const char *text_of(const char *text)
{
  return text != NULL ? text : "";
}

static void warn_of_units(const char *file, const fcps_space *kept, const fcps_space *read, const fcps_log *log)
{
  for (int i = 0; i < kept->count && i < read->count; i++) {
    const char *old = text_of(kept->dims[i].unit), *new = text_of(read->dims[i].unit);
    if (old[0] == '\0' || strcmp(old, new) == 0) continue; /* a unit that nobody has said yet contradicts nothing */
    fcps_log_say(
        log, FCPS_LOG_WARNING, "W_WORDS_DIFFER",
        "%.200s says %s%.40s for %.60s, and the study says %.40s: nothing is converted, and the study keeps "
        "its unit. If the numbers are in another unit from now on, begin a new study (--store NEW.fcps); if not, "
        "change the word back",
        file, new[0] != '\0' ? "" : "no unit", new, kept->dims[i].name, old);
  }
}

void fcps_run_warn_of_words(const fcps_study *study, const fcps_problem_file *file, const fcps_log *log)
{
  const fcps_problem_file *first = fcps_study_file(study);
  const fcps_problem *kept = fcps_study_problem(study), *read = &file->problem;
  warn_of_units(file->file, &kept->target, &read->target, log);
  warn_of_units(file->file, &kept->environment, &read->environment, log);
  warn_of_units(file->file, &kept->parameters, &read->parameters, log);
  warn_of_units(file->file, &kept->outcome, &read->outcome, log);
  if (first == NULL || strcmp(text_of(first->name), text_of(file->name)) == 0) return;
  fcps_log_say(log, FCPS_LOG_WARNING, "W_WORDS_DIFFER",
               "%.200s is called '%.60s', and the study '%.60s', which it keeps; the problem is the same otherwise. "
               "For another problem begin a new study: --store NEW.fcps",
               file->file, text_of(file->name), text_of(first->name));
}
