/* SPDX-License-Identifier: Apache-2.0 */
/* Without libevent no address can be opened, so there is no copy either. */
#include "cli/support/kept.h"

#include "cli/support/remote.h"
#ifdef FCPS_HAS_SERVE
#include "serve/client_kept.h"
#endif

fcps_status cli_kept_find(fcps_study *study, const char *path, fcps_error *error)
{
#ifdef FCPS_HAS_SERVE
  if (cli_remote_is(path)) return fcps_client_find_kept(study, path, error);
#endif
  (void)study, (void)path, (void)error;
  return FCPS_OK;
}

fcps_status cli_kept_tell(fcps_study *study, const char *path, const fcps_run_patience *patience, int *stored,
                          fcps_error *error)
{
#ifdef FCPS_HAS_SERVE
  if (cli_remote_is(path)) return fcps_client_tell_kept(study, path, patience, stored, error);
#endif
  (void)path;
  return fcps_run_tell_kept(study, patience, stored, error);
}
