/* SPDX-License-Identifier: Apache-2.0 */
/* Two names that go before those of the store. */
#include "study/stand_in.h"

#include "base/error.h"
#include "base/memory.h"
#include "study/study_impl.h"
#include "study/word.h"

#include <stdlib.h>

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
