/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a study for the rooms above. A name that was set (fcps_study_set_word) has precedence over the name
 * by which the store knows the study. The number of the last record is that of the index, which every call brings up
 * to date. */
#include "study/inside.h"

#include "base/error.h"
#include "base/memory.h"
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

fcps_status fcps_study_stand_in(fcps_study *s, const char *url, const char *identity, fcps_error *error)
{
  char *url_copy = fcps_copy_text(url), *identity_copy = fcps_copy_text(identity);
  if (url_copy == NULL || identity_copy == NULL) {
    free(url_copy);
    free(identity_copy);
    return fcps_error_memory(error);
  }
  free(s->stand_in_url);
  free(s->stand_in_identity);
  s->stand_in_url = url_copy;
  s->stand_in_identity = identity_copy;
  return fcps_study_set_address(s, url, error);
}

fcps_status fcps_study_beside(const fcps_study *s, const char *end, char **path, fcps_error *error)
{
  if (s->stand_in_identity == NULL) return fcps_store_beside(s->store, end, path, error);
  *path = fcps_store_state_path(s->stand_in_identity, end);
  return *path != NULL ? FCPS_OK : fcps_error_memory(error);
}

int64_t fcps_study_sequence(const fcps_study *study)
{
  return study->sequence;
}

void fcps_study_share_seen(fcps_study *study, fcps_store_seen *latest)
{
  fcps_store_share_seen(study->store, latest);
}

int fcps_study_hold_file(const fcps_study *s)
{
  return fcps_store_hold_file(s->store);
}

int fcps_study_claimed_file(const fcps_study *s)
{
  return fcps_store_claimed_file(s->store);
}

int64_t fcps_study_ask_sequence(const fcps_study *s, int64_t ask)
{
  const study_ask *found = fcps_study_find_ask(s, ask);
  return found != NULL ? found->sequence : 0;
}
