/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a problem file with the study that was made from it. A study has its own copy of the problem, so an edited
 * file is refused. The error names the dimension that differs, and the commands with which the old trials can be used
 * together with the edited file. Bounds, reward and learner of a study can be amended. Names, steps and scales cannot
 * be amended, but a new study can import the results. If the file is unchanged but the study was amended, or if only
 * texts such as units differ, the run uses what the study has, and warns, so that the user does not learn it from the
 * trials. */
#include "run/loop.h"

#include "base/error.h"
#include "base/number.h"
#include "base/settings.h"
#include "problem/problem.h"
#include "problem/quantity.h"
#include "space/space.h"
#include "study/inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ADVICE_SIZE = 360 };

static const char *const space_names[] = {"target", "environment", "parameters", "outcome"};

/* The keys of the file that a study keeps. Other keys may differ: the name, units, and where trials happen (contexts,
 * run). */
static const char *const kept_keys[] = {"target",      "environment", "parameters", "outcome", "achieved", "reward",
                                        "constraints", "limits",      "safe",       "cost",    "learner"};

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

/* Returns the first dimension of `p` that `other` does not have; NULL if it has all. */
static const char *find_lacking(const fcps_problem *p, const fcps_problem *other)
{
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < space_of(p, s)->count; i++)
      if (!has_name(other, space_of(p, s)->dims[i].name)) return space_of(p, s)->dims[i].name;
  return NULL;
}

/* Writes how the user can import the results of a study into a new study that is made from the file. */
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

static const char *text_of(const char *text)
{
  return text != NULL ? text : "";
}

static const char *describe_other_words(const fcps_choices *kept, const fcps_choices *read)
{
  if (kept == NULL) return "words";
  if (read == NULL) return "no words";
  bool has_all = kept->count == read->count, has_order = true;
  for (int i = 0; i < kept->count && has_all; i++) {
    has_all = fcps_choices_find(read, kept->words[i]) >= 0;
    has_order = has_order && strcmp(kept->words[i], read->words[i]) == 0;
  }
  if (!has_all) return "other words";
  if (!has_order) return "the same words in another order";
  if (kept->is_ordered != read->is_ordered) return read->is_ordered ? "ordered words" : "words without an order";
  if (kept->is_alike != read->is_alike) return read->is_alike ? "words that are alike" : "words that are not alike";
  return "other known properties of its words";
}

/* Writes how a dimension of the study differs from that of the file. Returns NULL if at most the bounds differ. */
static const char *describe_other_kind(const fcps_dimension *kept, const fcps_dimension *read, char text[120])
{
  char old[FCPS_NUMBER_SIZE], new[FCPS_NUMBER_SIZE];
  if (!fcps_choices_equal(kept->choices, read->choices))
    snprintf(text, 120, "%s", describe_other_words(kept->choices, read->choices));
  else if (kept->scale != read->scale)
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

/* Whether the file has all words of the study in the same order, and further words after them. */
static bool has_more_words(const fcps_dimension *kept, const fcps_dimension *read)
{
  const fcps_choices *old = kept->choices, *new = read->choices;
  bool has = old != NULL && new != NULL &&new->count > old->count;
  for (int i = 0; has && i < old->count; i++)
    has = strcmp(old->words[i], new->words[i]) == 0;
  return has;
}

static bool has_other_unit(const fcps_dimension *kept, const fcps_dimension *read)
{
  const bool are_said = kept->unit != NULL && *kept->unit != '\0' && read->unit != NULL && *read->unit != '\0';
  return are_said && strcmp(kept->unit, read->unit) != 0;
}

/* Writes how to convert the numbers of a column to the unit of the file. */
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

/* Refuses another unit. If the user amended only the bounds instead, the study would mix both units. */
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
  if (strcmp(text_of(kept->when), text_of(read->when)) != 0)
    return fcps_error_at(
        error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, field,
        "applies %s%.200s in the study, and %s%.200s in the file: a study keeps its conditions. Write the "
        "condition of the study into the file, or use a new study: --store NEW.fcps",
        kept->when != NULL ? "when " : "always", text_of(kept->when), read->when != NULL ? "when " : "always",
        text_of(read->when));
  if (has_more_words(kept, read))
    return fcps_error_at(
        error, FCPS_ERR_UNSUPPORTED, file->file, 0, 0, field,
        "has the word \"%.60s\", which the study lacks. To add it: fcps study amend %.100s --add-choice "
        "%s=%s",
        read->choices->words[kept->choices->count], fcps_study_word(study), kept->name,
        fcps_shell_word(read->choices->words[kept->choices->count], sizeof advice, advice));
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

/* Refuses a key that was edited. The error says how the study itself can be changed, if that is possible. */
static fcps_status refuse_edited(const fcps_study *study, const fcps_problem_file *file, const char *key,
                                 fcps_error *error)
{
  for (int s = 0; s < 4; s++)
    for (int i = 0; strcmp(key, space_names[s]) == 0 && i < space_of(&file->problem, s)->count; i++) {
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
                       strcmp(key, "reward") == 0        ? "--reward FORMULA"
                       : strcmp(key, "constraints") == 0 ? "--constraints LIST"
                       : strcmp(key, "limits") == 0      ? "--limits LIMITS"
                       : strcmp(key, "safe") == 0        ? "--safe LIST"
                       : strcmp(key, "cost") == 0        ? "--cost FORMULA"
                                                         : "--learner NAME --set NAME=VALUE");
}

/* Whether the file names the learner, with its settings, that the study has now after amendments. */
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
  for (size_t i = 0; status == FCPS_OK && i < sizeof kept_keys / sizeof *kept_keys; i++)
    if (!fcps_problem_file_same(kept_keys[i], file, first) && !fcps_problem_file_same(kept_keys[i], file, present) &&
        !is_present_learner(study, kept_keys[i], file))
      status = refuse_edited(study, file, kept_keys[i], error);
  fcps_problem_file_destroy(first);
  return status;
}

/* -- Bounds: a file may have been edited back, because a machine jams below 200 -- */

/* Writes a range in words. An outcome may have no range. */
static const char *describe(const fcps_dimension *dim, char text[3 * FCPS_NUMBER_SIZE])
{
  char lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE];
  if (!(dim->lower < dim->upper)) return "no range";
  snprintf(text, 3 * FCPS_NUMBER_SIZE, "%s to %s", fcps_number_show(dim->lower, lower),
           fcps_number_show(dim->upper, upper));
  return text;
}

/* Returns what the different range means for the trials of a run. */
static const char *describe_danger(const char *label, const fcps_dimension *kept, const fcps_dimension *read)
{
  const bool is_narrower = read->lower > kept->lower || read->upper < kept->upper;
  if (label[0] == 'p' && is_narrower) return ": trials may be asked for outside of what the file says";
  return "";
}

/* Writes the command that takes over the bounds of the file. The range of an outcome can be changed but not removed. */
static void advise(const fcps_study *study, const fcps_dimension *read, char text[360])
{
  char lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE];
  text[0] = '\0';
  if (read->lower < read->upper)
    snprintf(text, 360, ". To take the bounds of the file: fcps study amend %.200s --bounds %.63s=%s,%s",
             fcps_study_word(study), read->name, fcps_number_write(read->lower, lower),
             fcps_number_write(read->upper, upper));
}

static void warn_of_bounds(const fcps_study *study, const char *file, const char *label, const fcps_dimension *kept,
                           const fcps_dimension *read, const fcps_log *log)
{
  char is[3 * FCPS_NUMBER_SIZE], says[3 * FCPS_NUMBER_SIZE], advice[ADVICE_SIZE];
  if ((kept->lower == read->lower && kept->upper == read->upper) || kept->choices != NULL) return;
  advise(study, read, advice);
  fcps_log_say(log, FCPS_LOG_WARNING, "W_BOUNDS_DIFFER",
               "%s.%.63s is %s in the study, which goes on with it, and %s in %.200s%s%s", label, kept->name,
               describe(kept, is), describe(read, says), file, describe_danger(label, kept, read), advice);
}

/* -- Rules -- */

static void warn_of_rule(const fcps_study *study, const fcps_problem_file *file, const char *key, const char *code,
                         const fcps_log *log)
{
  char room[700], *has = fcps_study_rule_text(fcps_study_file(study), key), *says = fcps_study_rule_text(file, key);
  const char *word = says != NULL ? fcps_shell_word(says, sizeof room, room) : NULL;
  if (has != NULL && word != NULL)
    fcps_log_say(log, FCPS_LOG_WARNING, code,
                 "the study goes on with its own %s, %.150s; %.150s says %.100s. To change the study: fcps study amend "
                 "%.150s --%s %s",
                 key, has, file->file, says, fcps_study_word(study), key, strlen(word) <= 300 ? word : "...");
  free(has);
  free(says);
}

/* Warns of the reward, constraints, limits, safe trials or cost in the file if the study was made with them but amended
 * since. */
static void warn_of_rules(const fcps_study *study, const fcps_problem_file *file, const fcps_log *log)
{
  static const char *const rules[][2] = {{"reward", "W_REWARD_DIFFERS"},
                                         {"constraints", "W_CONSTRAINTS_DIFFER"},
                                         {"limits", "W_LIMITS_DIFFER"},
                                         {"safe", "W_SAFE_DIFFERS"},
                                         {"cost", "W_COST_DIFFERS"}};
  const fcps_problem_file *kept = fcps_study_file(study);
  fcps_problem_file *first = NULL;
  if (kept == NULL) return;
  (void)fcps_problem_file_parse(&first, kept->text, strlen(kept->text), kept->file, NULL, NULL);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (!fcps_problem_file_same(rules[i][0], file, kept) && fcps_problem_file_same(rules[i][0], file, first))
      warn_of_rule(study, file, rules[i][0], rules[i][1], log);
  fcps_problem_file_destroy(first);
}

/* -- Words: a unit may have been mistyped, but a program that now answers in the new one would ruin the model -- */

static void warn_of_unit(const char *file, const fcps_dimension *kept, const fcps_dimension *read, const fcps_log *log)
{
  const char *old = text_of(kept->unit), *new = text_of(read->unit);
  /* If the study has no unit yet, the unit in the file does not contradict it. */
  if (old[0] == '\0' || strcmp(old, new) == 0) return;
  fcps_log_say(
      log, FCPS_LOG_WARNING, "W_WORDS_DIFFER",
      "%.200s says %s%.40s for %.60s, and the study says %.40s: nothing is converted, and the study keeps "
      "its unit. If the numbers are in another unit from now on, begin a new study (--store NEW.fcps); if not, "
      "change the word back",
      file, new[0] != '\0' ? "" : "no unit", new, kept->name, old);
}

static void warn_of_name(const fcps_study *study, const fcps_problem_file *file, const fcps_log *log)
{
  const fcps_problem_file *first = fcps_study_file(study);
  if (first == NULL || strcmp(text_of(first->name), text_of(file->name)) == 0) return;
  fcps_log_say(log, FCPS_LOG_WARNING, "W_WORDS_DIFFER",
               "%.200s is called '%.60s', and the study '%.60s', which it keeps; the problem is the same otherwise. "
               "For another problem begin a new study: --store NEW.fcps",
               file->file, text_of(file->name), text_of(first->name));
}

void fcps_run_warn_of_file(const fcps_study *study, const fcps_problem_file *file, bool is_given, const fcps_log *log)
{
  if (is_given) warn_of_rules(study, file, log);
  warn_of_name(study, file, log);
  for (int s = 0; s < 4; s++) {
    const fcps_space *kept = space_of(fcps_study_problem(study), s), *read = space_of(&file->problem, s);
    for (int i = 0; i < kept->count && i < read->count; i++) {
      warn_of_unit(file->file, &kept->dims[i], &read->dims[i], log);
      if (is_given) warn_of_bounds(study, file->file, space_names[s], &kept->dims[i], &read->dims[i], log);
    }
  }
}
