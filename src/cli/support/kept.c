/* SPDX-License-Identifier: Apache-2.0 */
/* Without libevent no address can be opened, so there is no copy either. */
#include "cli/support/kept.h"

#include "cli/support/remote.h"
#ifdef FCPS_HAS_SERVE
#include "door/client_kept.h"
#endif

fcps_status cli_kept_find(fcps_study *study, const char *path, fcps_error *error)
{
#ifdef FCPS_HAS_SERVE
  if (cli_remote_is(path)) return fcps_client_find_kept(study, path, error);
#endif
  (void)study, (void)path, (void)error;
  return FCPS_OK;
}

int cli_kept_count(const fcps_study *study, const char *path)
{
  int apart = 0;
#ifdef FCPS_HAS_SERVE
  if (!cli_remote_is(path)) apart = fcps_client_count_kept(study);
#endif
  (void)path;
  return fcps_run_kept_count(study) + apart;
}

fcps_status cli_kept_tell(fcps_study *study, const char *path, const fcps_run_patience *patience, int *stored,
                          fcps_error *error)
{
#ifdef FCPS_HAS_SERVE
  if (cli_remote_is(path)) return fcps_client_tell_kept(study, path, cli_remote_token(path), patience, stored, error);
#endif
  (void)path;
  return fcps_run_tell_kept(study, patience, stored, error);
}

fcps_status cli_kept_tell_apart(fcps_study *study, const char *path, const fcps_run_patience *patience, int *stored,
                                fcps_error *error)
{
  int more = 0;
  fcps_status status = FCPS_OK;
#ifdef FCPS_HAS_SERVE
  if (!cli_remote_is(path)) status = fcps_client_tell_kept_to(study, patience, &more, error);
#endif
  (void)study, (void)path, (void)patience, (void)error;
  *stored += more;
  return status;
}
