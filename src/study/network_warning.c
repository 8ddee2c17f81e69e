/* SPDX-License-Identifier: Apache-2.0 */
/* The warning that a study lies on a network file system. Said once by each handle that writes, and outside
 * transactions. */
#include "base/error.h"
#include "store/store.h"
#include "study/study_impl.h"

void fcps_study_warn_of_network(fcps_study *s)
{
  const char *network = s->is_place_known ? NULL : fcps_store_network(s->store->name);
  s->is_place_known = true;
  if (network == NULL) return;
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_NETWORK_FILE_SYSTEM",
               "%s is on a network file system (%s), where locks and stored results may be lost. Keep the study on a "
               "local disk and copy it with a backup",
               s->store->name, network);
}
