/* SPDX-License-Identifier: Apache-2.0 */
/* A code that several outcomes share is named once. */
#include "wire/remarks.h"

#include <stdio.h>
#include <string.h>

/* The next code that holds "enough" back and was not named yet, from *index on; NULL: there is none. */
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
