/* SPDX-License-Identifier: Apache-2.0 */
/* The list of remarks. One that no longer stands keeps its place, so that it is not said again when it comes back. */
#include "study/remarks.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "study/study_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct study_remark {
  fcps_study_remark remark;
  char *subject, *text;
  bool stands;
};

bool fcps_study_has_outcome(const fcps_study *s, const fcps_stored_result *stored)
{
  const fcps_rollout *r = &stored->result.rollout;
  return stored->is_used && !stored->is_misplaced && r->status == FCPS_ROLLOUT_OK && r->outcome != NULL &&
         fcps_rollout_values_usable(s->problem.outcome.count, r->outcome);
}

void fcps_study_withdraw_remarks(fcps_study *s, const char *code)
{
  for (size_t i = 0; i < s->remark_count; i++)
    if (strcmp(s->remarks[i].remark.code, code) == 0) s->remarks[i].stands = false;
}

static study_remark *find_remark(const fcps_study *s, const char *code, const char *subject)
{
  for (size_t i = 0; i < s->remark_count; i++)
    if (strcmp(s->remarks[i].remark.code, code) == 0 && strcmp(s->remarks[i].subject, subject) == 0)
      return &s->remarks[i];
  return NULL;
}

/* NULL: no memory */
static study_remark *add_remark(fcps_study *s, const char *code, const char *subject)
{
  char *own = fcps_copy_text(subject);
  if (own == NULL ||
      !fcps_reserve((void **)&s->remarks, &s->remark_capacity, s->remark_count + 1, sizeof *s->remarks)) {
    free(own);
    return NULL;
  }
  study_remark *r = &s->remarks[s->remark_count++];
  *r = (study_remark){.remark = {.code = code, .text = ""}, .subject = own};
  return r;
}

bool fcps_study_make_remark(fcps_study *s, const char *code, const char *subject, bool holds_back, const char *format,
                            ...)
{
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  study_remark *r = find_remark(s, code, subject);
  const bool is_new = r == NULL;
  if (is_new) r = add_remark(s, code, subject);
  char *own = r != NULL ? fcps_copy_text(text) : NULL;
  if (own != NULL) {
    free(r->text);
    r->text = own;
    r->remark.text = own;
    r->remark.holds_back = holds_back;
    r->stands = true;
  }
  if (is_new) fcps_log_say(&s->options.log, FCPS_LOG_WARNING, code, "%s", text);
  return is_new;
}

void fcps_study_repeat_remark(const fcps_study *s, const char *code, const char *subject)
{
  const study_remark *r = find_remark(s, code, subject);
  if (r != NULL) fcps_log_say(&s->options.log, FCPS_LOG_WARNING, code, "%s", r->remark.text);
}

const fcps_study_remark *fcps_study_remark_at(const fcps_study *s, int index)
{
  for (size_t i = 0; s != NULL && index >= 0 && i < s->remark_count; i++)
    if (s->remarks[i].stands && index-- == 0) return &s->remarks[i].remark;
  return NULL;
}

int fcps_study_count_remarks(const fcps_study *s)
{
  int count = 0;
  for (size_t i = 0; i < s->remark_count; i++)
    count += s->remarks[i].stands && s->remarks[i].remark.holds_back;
  return count;
}

void fcps_study_free_remarks(fcps_study *s)
{
  for (size_t i = 0; i < s->remark_count; i++) {
    free(s->remarks[i].subject);
    free(s->remarks[i].text);
  }
  free(s->remarks);
}
