/* SPDX-License-Identifier: Apache-2.0 */
/* A word that was set goes before that of the store. */
#include "study/word.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/shell_word.h"
#include "study/study_impl.h"

#include <stdlib.h>

const char *fcps_study_word(const fcps_study *s)
{
  if (s->word != NULL) return s->word;
  return s->store->ops->is_shared ? s->store->word : "STUDY";
}

fcps_status fcps_study_set_word(fcps_study *s, const char *word, fcps_error *error)
{
  char *copy = fcps_copy_text(word);
  if (copy == NULL) return fcps_error_memory(error);
  free(s->word);
  s->word = copy;
  return FCPS_OK;
}

fcps_status fcps_study_set_address(fcps_study *s, const char *address, fcps_error *error)
{
  char room[2000];
  return fcps_study_set_word(s, fcps_shell_word(address, sizeof room, room), error);
}
