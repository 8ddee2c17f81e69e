/* SPDX-License-Identifier: Apache-2.0 */
#include "study/remarks/name_list.h"

#include "study/study_impl.h"

#include <stdio.h>
#include <string.h>

/* The numbers of a range: asks (with one number of the result), or sequences. */
static int64_t place_of(const fcps_stored_result *r)
{
  return r->ask != FCPS_NOT_ASKED ? r->ask : r->sequence;
}

static bool is_same_kind(const fcps_stored_result *a, const fcps_stored_result *b)
{
  return (a->ask != FCPS_NOT_ASKED) == (b->ask != FCPS_NOT_ASKED) &&
         (a->ask == FCPS_NOT_ASKED || a->result_number == b->result_number);
}

/* Whether a range from one result to the next names nobody else. */
static bool may_join(const fcps_study *s, const fcps_stored_result *from, const fcps_stored_result *to)
{
  if (!is_same_kind(from, to) || place_of(from) >= place_of(to)) return false;
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_stored_result *r = &s->results[i];
    if (is_same_kind(from, r) && place_of(r) > place_of(from) && place_of(r) < place_of(to)) return false;
  }
  return true;
}

static void append(size_t size, char *text, const char *mark, const fcps_stored_result *stored)
{
  char name[STUDY_RESULT_NAME_SIZE];
  const size_t used = strlen(text);
  fcps_study_name_result(stored, name);
  snprintf(text + used, size - used, "%s%s", mark, name);
}

int fcps_study_list_names(const fcps_study *s, fcps_study_is_named *is_named, const void *user, int most, size_t size,
                          char *text)
{
  const fcps_stored_result *begin = NULL, *end = NULL;
  int parts = 0, count = 0;
  text[0] = '\0';
  for (size_t i = 0; i < s->result_count; i++) {
    const fcps_stored_result *stored = &s->results[i];
    if (!is_named(user, stored)) continue;
    if (begin == NULL || !may_join(s, end, stored)) {
      if (parts == most || strlen(text) + 2 * FCPS_STUDY_NAME_PART > size) break;
      if (begin != end) append(size, text, "-", end);
      append(size, text, parts++ > 0 ? "," : "", stored);
      begin = stored;
    }
    end = stored;
    count++;
  }
  if (begin != end) append(size, text, "-", end);
  return count;
}
