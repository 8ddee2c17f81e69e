/* SPDX-License-Identifier: Apache-2.0 */
/* Amendments change a reward, bound, limit, constraint or word, choose one of several results of a trial, take a result
 * out, confirm a result, or add a note.
 *
 * Each is one more record of the journal, so no old record is lost and every amendment can be taken back. A change of
 * the problem is stored only if the changed problem can be read and the study's learner can work with it. An amendment
 * that changes nothing is not stored. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "format/json.h"
#include "space/space.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

fcps_status fcps_study_amend(fcps_study *s, const char *what, const char *value, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (what == NULL) return fcps_error_null(error, "what");
  if (value == NULL) return fcps_error_null(error, "value");
  if (s->text == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, what, "only a study made from a problem file can be amended.");
  status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  const fcps_setting change = {what, value};
  fcps_learner *learner = NULL;
  /* Checks that the learner can go on with the new problem. */
  status = fcps_study_read_problem(s, &change, error);
  if (status == FCPS_OK)
    status = fcps_learner_create(&learner, &s->guarded, s->learner_name, s->settings, s->seed, error);
  fcps_learner_destroy(learner);
  fcps_journal_record record = {.kind = FCPS_JOURNAL_CHANGE, .client = what, .text = value};
  if (status == FCPS_OK) status = fcps_study_write(s, &record, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK)
    fcps_study_look_again(s, fcps_study_look_at_reward, NULL);
  else if (fcps_study_refresh(s, NULL) == FCPS_OK)
    /* Goes back to the stored problem. The user sees the first error, not an error of going back. */
    fcps_study_read_problem(s, NULL, NULL);
  fcps_study_drop_old_files(s); /* The files must not be freed earlier, because `value` may be a text of an old file. */
  return status;
}

static bool adds_word(const char *what)
{
  return strncmp(what, "choices.", strlen("choices.")) == 0;
}

/* Writes "LOWER,UPPER" of the dimension with this name, or "none" for an outcome without bounds. */
static char *bounds_text(const fcps_problem *p, const char *name)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < spaces[s]->count; i++) {
      const fcps_dimension *dim = &spaces[s]->dims[i];
      if (strcmp(dim->name, name) != 0) continue;
      if (dim->lower == 0 && dim->upper == 0) return fcps_copy_text("none");
      char lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE], both[2 * FCPS_NUMBER_SIZE];
      snprintf(both, sizeof both, "%s,%s", fcps_number_write(dim->lower, lower), fcps_number_write(dim->upper, upper));
      return fcps_copy_text(both);
    }
  return fcps_copy_text("");
}

/* Writes the words that a dimension had before change number `index` added one, as in "tab, pin". */
static char *words_text(const fcps_study *s, const fcps_problem *p, const char *what, int index)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters};
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (stream == NULL) return NULL;
  for (int k = 0; k < 3; k++) {
    const int d = fcps_space_find(spaces[k], what + strlen("choices."));
    const fcps_choices *choices = d >= 0 ? spaces[k]->dims[d].choices : NULL;
    for (int i = 0; choices != NULL && i < choices->count; i++)
      fprintf(stream, "%s%s", i > 0 ? ", " : "", choices->words[i]);
  }
  for (int i = 0; i < index; i++)
    if (s->events[i].is_change && strcmp(s->events[i].code, what) == 0) fprintf(stream, ", %s", s->events[i].text);
  return fclose(stream) == 0 ? text : NULL;
}

/* Writes the limits as JSON, as in {"apex": {"at_most": "1.2", "chance": 0.95}}. */
static char *limits_text(const fcps_problem *p)
{
  fcps_json *json = fcps_json_object();
  for (int i = 0; i < p->limit_count; i++) {
    const fcps_limit *l = &p->limits[i];
    fcps_json *one = fcps_json_object();
    if (l->of != NULL) fcps_json_put(&one, "of", fcps_json_from_text(l->of));
    if (l->at_most != NULL) fcps_json_put(&one, "at_most", fcps_json_from_text(l->at_most));
    if (l->at_least != NULL) fcps_json_put(&one, "at_least", fcps_json_from_text(l->at_least));
    fcps_json_put(&one, "chance", fcps_json_from_number(l->chance));
    fcps_json_put(&json, l->name, one);
  }
  return fcps_json_finish(json);
}

/* Writes the constraints as a JSON list, as in ["a + b <= 1"]. */
static char *constraints_text(const fcps_problem *p)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < p->constraint_count; i++)
    fcps_json_add(&json, fcps_json_from_text(p->constraints[i]));
  return fcps_json_finish(json);
}

/* Writes the safe trials as JSON, as in [{"speed": 2, "tilt": 0.5}]. */
static char *safe_text(const fcps_problem *p)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < p->safe_count; i++) {
    const fcps_space *spaces[] = {&p->target, &p->environment, &p->parameters};
    const double *values[] = {p->safe[i].target, p->safe[i].environment, p->safe[i].parameters};
    fcps_json *one = fcps_json_object();
    for (int s = 0; s < 3; s++)
      for (int d = 0; d < spaces[s]->count; d++) {
        const fcps_dimension *dim = &spaces[s]->dims[d];
        if (isnan(values[s][d])) continue;
        const char *word = dim->choices != NULL ? fcps_dimension_word(dim, values[s][d]) : NULL;
        fcps_json_put(&one, dim->name, word != NULL ? fcps_json_from_text(word) : fcps_json_from_number(values[s][d]));
      }
    fcps_json_add(&json, one);
  }
  return fcps_json_finish(json);
}

char *fcps_study_rule_text(const fcps_problem_file *file, const char *what)
{
  const fcps_problem *p = &file->problem;
  if (strcmp(what, "limits") == 0) return limits_text(p);
  if (strcmp(what, "constraints") == 0) return constraints_text(p);
  if (strcmp(what, "safe") == 0) return safe_text(p);
  if (strcmp(what, "cost") == 0) return fcps_copy_text(p->cost != NULL ? p->cost : "none");
  return fcps_copy_text(file->reward != NULL ? file->reward : "told");
}

/* Reads from the original problem file the value that `what` had before all changes. */
static fcps_status original_text(const fcps_study *s, const char *what, int index, char **text, fcps_error *error)
{
  static const char bounds[] = "bounds.";
  fcps_problem_file *file = NULL;
  const fcps_status status = fcps_problem_file_parse(&file, s->text, strlen(s->text), s->text_name, NULL, error);
  if (status != FCPS_OK) return status;
  if (adds_word(what))
    *text = words_text(s, &file->problem, what, index);
  else if (strncmp(what, bounds, strlen(bounds)) == 0)
    *text = bounds_text(&file->problem, what + strlen(bounds));
  else
    *text = fcps_study_rule_text(file, what);
  fcps_problem_file_destroy(file);
  return *text ? FCPS_OK : fcps_error_memory(error);
}

fcps_status fcps_study_replaced(const fcps_study *s, int index, char **text, fcps_error *error)
{
  if (text == NULL) return fcps_error_null(error, "text");
  *text = NULL;
  if (s == NULL) return fcps_error_null(error, "study");
  if (index < 0 || (size_t)index >= s->event_count || !s->events[index].is_change) return FCPS_OK;
  const char *what = s->events[index].code;
  if (fcps_study_is_learner_change(what)) return fcps_study_replaced_learner(s, index, text, error);
  for (int i = index - 1; i >= 0 && !adds_word(what); i--) {
    if (!s->events[i].is_change || strcmp(s->events[i].code, what) != 0) continue;
    *text = fcps_copy_text(s->events[i].text);
    return *text ? FCPS_OK : fcps_error_memory(error);
  }
  return original_text(s, what, index, text, error);
}

fcps_status fcps_study_use(fcps_study *s, int64_t ask, int result_number, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  const fcps_stored_result *chosen = fcps_study_find_numbered_result(s, ask, result_number);
  fcps_journal_record record = {.kind = FCPS_JOURNAL_USE, .ask = ask, .other = result_number};
  if (chosen == NULL || ask == FCPS_NOT_ASKED)
    status = fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "use",
                            "ask %lld has no result %d; `fcps study log` lists them.", (long long)ask, result_number);
  else if (!chosen->is_used)
    status = fcps_study_write(s, &record, error);
  return fcps_study_end(s, status, error);
}

fcps_status fcps_study_use_result(fcps_study *s, int64_t sequence, bool is_used, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  const fcps_stored_result *stored = fcps_study_find_result(s, sequence);
  fcps_journal_record record = {.kind = FCPS_JOURNAL_DROP, .other = sequence};
  if (stored != NULL && is_used)
    record = (fcps_journal_record){.kind = FCPS_JOURNAL_USE,
                                   .ask = stored->ask,
                                   .other = stored->ask == FCPS_NOT_ASKED ? sequence : stored->result_number};
  if (stored == NULL)
    status = fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, is_used ? "use" : "drop",
                            "there is no result %lld; `fcps study log` lists them.", (long long)sequence);
  else if (stored->is_used != is_used)
    status = fcps_study_write(s, &record, error);
  return fcps_study_end(s, status, error);
}

fcps_status fcps_study_confirm(fcps_study *s, int64_t sequence, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  char name[STUDY_RESULT_NAME_SIZE] = "";
  const fcps_stored_result *stored = fcps_study_find_result(s, sequence);
  if (stored != NULL) fcps_study_name_result(stored, name);
  fcps_journal_record record = {
      .kind = FCPS_JOURNAL_NOTE, .other = sequence, .client = STUDY_CONFIRMED_CODE, .text = name};
  if (stored == NULL)
    status = fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "confirm",
                            "there is no result %lld; `fcps study log` lists them.", (long long)sequence);
  else if (!stored->result.rollout.is_confirmed)
    status = fcps_study_write(s, &record, error);
  return fcps_study_end(s, status, error);
}

fcps_status fcps_study_note(fcps_study *s, const char *code, const char *text, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (code == NULL) return fcps_error_null(error, "code");
  if (*code == '\0') return fcps_error_set(error, FCPS_ERR_ARGUMENT, "code", "must not be empty");
  if (text == NULL) return fcps_error_null(error, "text");
  status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  fcps_journal_record record = {.kind = FCPS_JOURNAL_NOTE, .client = code, .text = text};
  status = fcps_study_write(s, &record, error);
  return fcps_study_end(s, status, error);
}
