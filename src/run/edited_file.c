/* SPDX-License-Identifier: Apache-2.0 */
/* What a study keeps cannot be changed by its file: it says so, with the dimension that differs and the commands that bring
 * the trials under the file as it is now. Bounds, reward and learner of a study can be amended; names, steps and scales
 * cannot, but its results can be taken into a new one. */
#include "run/edited_file.h"

#include "base/error.h"
#include "base/number.h"
#include "base/settings.h"
#include "base/shell_word.h"
#include "problem/file/file.h"
#include "problem/problem.h"
#include "problem/quantity.h"
#include "space/space.h"
#include "study/word.h"

#include <stdio.h>
#include <string.h>

enum { ADVICE_SIZE = 360 };

static const fcps_space *space_of(const fcps_problem *p, int index)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  return spaces[index];
}

static bool has_name(const fcps_problem *p, const char *name)
{
  bool has = false;
  for (int s = 0; s < 4; s++)
    has |= fcps_space_find(space_of(p, s), name) >= 0;
  return has;
}

/* The first dimension of `p` that `other` lacks; NULL: none. */
static const char *find_lacking(const fcps_problem *p, const fcps_problem *other)
{
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < space_of(p, s)->count; i++)
      if (!has_name(other, space_of(p, s)->dims[i].name)) return space_of(p, s)->dims[i].name;
  return NULL;
}

/* How the results of a study come into a new one that is made from the file. */
static const char *advise_export(const fcps_study *study, const fcps_problem_file *file, const char *edit,
                                 char advice[ADVICE_SIZE])
{
  char room[160];
  if (fcps_study_result_count(study) == 0)
    snprintf(advice, ADVICE_SIZE, "The study has no result yet; use a new one: --store NEW.fcps");
  else
    snprintf(advice, ADVICE_SIZE,
             "To keep its %d results: fcps study export %.70s -o old.csv; %sfcps study new NEW.fcps --problem %.70s; "
             "fcps study import NEW.fcps old.csv; then run with --store NEW.fcps",
             fcps_study_result_count(study), fcps_study_word(study), edit,
             fcps_shell_word(file->file, sizeof room, room));
  return advice;
}

static fcps_status refuse_names(const fcps_study *study, const fcps_problem_file *file, fcps_error *error)
{
  const fcps_problem *kept = fcps_study_problem(study);
  const char *gone = find_lacking(kept, &file->problem), *added = find_lacking(&file->problem, kept);
  char what[200] = "they are ordered otherwise", edit[120] = "", advice[ADVICE_SIZE];
  if (gone != NULL && added != NULL) {
    snprintf(what, sizeof what, "the study has '%.63s', which the file lacks, and the file '%.63s'", gone, added);
    snprintf(edit, sizeof edit, "if it is the same by another name, rename that column; ");
  } else if (gone != NULL)
    snprintf(what, sizeof what, "the study has '%.63s', which the file lacks", gone);
  else if (added != NULL) {
    snprintf(what, sizeof what, "the file has '%.63s', which the study lacks", added);
    snprintf(edit, sizeof edit, "give it a column for '%.63s'; ", added);
  }
  return fcps_error_at(error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, "",
                       "has other dimensions than the study %.60s: %s. %s", fcps_study_word(study), what,
                       advise_export(study, file, edit, advice));
}

/* What differs between a dimension of the study and that of the file, in words; NULL where only bounds do. */
static const char *describe_other_kind(const fcps_dimension *kept, const fcps_dimension *read, char text[120])
{
  char old[FCPS_NUMBER_SIZE], new[FCPS_NUMBER_SIZE];
  if (kept->scale != read->scale)
    snprintf(text, 120, "the scale %s, and the study %s", fcps_scale_name((int)read->scale),
             fcps_scale_name((int)kept->scale));
  else if (kept->step != read->step)
    snprintf(text, 120, "the step %s, and the study %s", fcps_number_show(read->step, new),
             fcps_number_show(kept->step, old));
  else if (kept->period != read->period)
    snprintf(text, 120, "the period %s, and the study %s", fcps_number_show(read->period, new),
             fcps_number_show(kept->period, old));
  else
    return NULL;
  return text;
}

static bool has_other_unit(const fcps_dimension *kept, const fcps_dimension *read)
{
  const bool are_said = kept->unit != NULL && *kept->unit != '\0' && read->unit != NULL && *read->unit != '\0';
  return are_said && strcmp(kept->unit, read->unit) != 0;
}

/* What is to be done to a column before it is in the unit of the file. */
static void describe_conversion(const fcps_dimension *kept, const fcps_dimension *read, char text[120])
{
  fcps_quantity from, to;
  char number[FCPS_NUMBER_SIZE];
  const bool is_known = fcps_quantity_read(&from, kept->unit) && fcps_quantity_read(&to, read->unit) &&
                        fcps_quantity_differs(&from, &to) && from.shift == 0.0 && to.shift == 0.0;
  if (is_known)
    snprintf(text, 120, "multiply its column %.63s by %s; ", kept->name,
             fcps_number_show(from.factor / to.factor, number));
  else
    snprintf(text, 120, "convert its column %.63s to %.20s; ", kept->name, read->unit);
}

/* A range in another unit is another range, but to amend the bounds would mix the units. */
static fcps_status refuse_unit(const fcps_study *study, const fcps_problem_file *file, const char *field,
                               const fcps_dimension *kept, const fcps_dimension *read, fcps_error *error)
{
  char edit[120], advice[ADVICE_SIZE];
  describe_conversion(kept, read, edit);
  return fcps_error_at(error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, field,
                       "the file says %.20s, and the study %.20s: a study keeps its unit. To go on in %.20s, put unit "
                       "and range back. %s",
                       read->unit, kept->unit, kept->unit, advise_export(study, file, edit, advice));
}

static fcps_status refuse_dimension(const fcps_study *study, const fcps_problem_file *file, const char *key,
                                    const fcps_dimension *kept, const fcps_dimension *read, fcps_error *error)
{
  char field[100], kind[120], advice[ADVICE_SIZE], n[4][FCPS_NUMBER_SIZE];
  snprintf(field, sizeof field, "%s.%s", key, kept->name);
  if (has_other_unit(kept, read)) return refuse_unit(study, file, field, kept, read, error);
  if (describe_other_kind(kept, read, kind) != NULL)
    return fcps_error_at(error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, field,
                         "differs from the study: the file has %s, which no study can change. %s", kind,
                         advise_export(study, file, "", advice));
  fcps_number_write(read->lower, n[2]);
  fcps_number_write(read->upper, n[3]);
  return fcps_error_at(error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, field,
                       "differs from the study, which has %s to %s; the file has %s to %s. To change the study: fcps "
                       "study amend %.100s --bounds %s=%s,%s; or use a new study: --store NEW.fcps",
                       fcps_number_show(kept->lower, n[0]), fcps_number_show(kept->upper, n[1]), n[2], n[3],
                       fcps_study_word(study), kept->name, n[2], n[3]);
}

/* Says how the study itself can be changed, where it can. */
static fcps_status refuse_edited(const fcps_study *study, const fcps_problem_file *file, const char *key,
                                 fcps_error *error)
{
  static const char *const spaces[] = {"target", "environment", "parameters", "outcome"};
  for (int s = 0; s < 4; s++)
    for (int i = 0; strcmp(key, spaces[s]) == 0 && i < space_of(&file->problem, s)->count; i++) {
      const fcps_dimension *kept = &space_of(fcps_study_problem(study), s)->dims[i];
      const fcps_dimension *read = &space_of(&file->problem, s)->dims[i];
      const fcps_space one = {1, kept}, other = {1, read};
      if (!fcps_space_alike(&one, &other)) return refuse_dimension(study, file, key, kept, read, error);
    }
  if (strcmp(key, "achieved") == 0)
    return fcps_error_at(
        error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, key,
        "differs from the study, which keeps its own value; change it back, or use a new study: --store NEW.fcps");
  return fcps_error_at(error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, key,
                       "differs from the study, which keeps its own value; to change the study: fcps study amend %s "
                       "%s; or use a new study: --store NEW.fcps",
                       fcps_study_word(study),
                       strcmp(key, "reward") == 0 ? "--reward FORMULA" : "--learner NAME --set NAME=VALUE");
}

/* Whether the file names the learner that the study was amended to, with its settings. */
static bool is_present_learner(const fcps_study *study, const char *key, const fcps_problem_file *file)
{
  if (strcmp(key, "learner") != 0 || file->learner == NULL || strcmp(file->learner, fcps_study_learner(study)) != 0)
    return false;
  const fcps_setting *const lists[] = {file->settings, fcps_study_settings(study)};
  for (int l = 0; l < 2; l++)
    for (const fcps_setting *setting = lists[l]; setting != NULL && setting->name != NULL; setting++) {
      const char *other = fcps_setting_value(lists[1 - l], setting->name);
      if (other == NULL || strcmp(other, setting->value) != 0) return false;
    }
  return true;
}

fcps_status fcps_run_check_file(const fcps_study *study, const fcps_problem_file *file, fcps_error *error)
{
  const fcps_problem_file *present = fcps_study_file(study);
  fcps_problem_file *first = NULL;
  if (!fcps_problem_same_names(fcps_study_problem(study), &file->problem)) return refuse_names(study, file, error);
  if (present == NULL) return FCPS_OK;
  fcps_status status =
      fcps_problem_file_parse(&first, present->text, strlen(present->text), present->file, NULL, error);
  for (const char *const *key = fcps_problem_file_kept_keys; status == FCPS_OK && *key; key++)
    if (!fcps_problem_file_same(*key, file, first) && !fcps_problem_file_same(*key, file, present) &&
        !is_present_learner(study, *key, file))
      status = refuse_edited(study, file, *key, error);
  fcps_problem_file_destroy(first);
  return status;
}
