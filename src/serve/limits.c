/* SPDX-License-Identifier: Apache-2.0 */
/* Divides the file descriptors of the process. A served study needs one file descriptor for its file and one for each
 * of its three lanes. While a lane stores or copies, four more files may be open: the journal, the folder, the reserve
 * and the copy. */
#include "serve/limits.h"

#include "base/error.h"

#include <sys/resource.h>

/* Descriptors that are not for connections: those of the program itself, and those of each study. */
enum { OWN_FILES = 48, STUDY_FILES = 8 };

/* CONNECTIONS_LEAST: connections always have this many descriptors. CONNECTIONS_PART: if studies may be made,
 * connections have one part in this many. FILES_MAX: more descriptors are of no use. */
enum { CONNECTIONS_LEAST = 64, CONNECTIONS_PART = 4, FILES_MAX = 65536 };

static int least(int a, int b)
{
  return a < b ? a : b;
}

static int most(int a, int b)
{
  return a > b ? a : b;
}

/* Returns how many descriptors the connections and the studies share. */
static int shared(const fcps_limits *limits)
{
  return most(limits->files - OWN_FILES, 0);
}

/* Returns how many descriptors are reserved for connections. */
static int set_aside(const fcps_limits *limits)
{
  const int part = limits->is_growing ? most(shared(limits) / CONNECTIONS_PART, CONNECTIONS_LEAST) : CONNECTIONS_LEAST;
  const int wanted = limits->connections > 0 ? limits->connections : FCPS_LIMITS_CONNECTIONS;
  return least(part, wanted);
}

void fcps_limits_divide(fcps_limits *limits, int files, int connections_wanted, bool is_growing)
{
  *limits = (fcps_limits){.files = files, .connections = connections_wanted, .is_growing = is_growing};
  limits->studies = most(shared(limits) - set_aside(limits), 0) / STUDY_FILES;
}

void fcps_limits_find(fcps_limits *limits, int connections_wanted, bool is_growing)
{
  struct rlimit limit;
  int files = FILES_MAX;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    const rlim_t before = limit.rlim_cur, useful = limit.rlim_max < FILES_MAX ? limit.rlim_max : FILES_MAX;
    if (limit.rlim_cur < useful) {
      limit.rlim_cur = useful;
      if (setrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = before;
    }
    if (limit.rlim_cur < FILES_MAX) files = (int)limit.rlim_cur;
  }
  fcps_limits_divide(limits, files, connections_wanted, is_growing);
}

int fcps_limits_connections(const fcps_limits *limits, int studies)
{
  const int left = limits->is_growing ? set_aside(limits) : shared(limits) - studies * STUDY_FILES;
  const int wanted = limits->connections > 0 ? limits->connections : FCPS_LIMITS_CONNECTIONS;
  return most(least(left, least(wanted, FCPS_LIMITS_CONNECTIONS)), 1);
}

fcps_status fcps_limits_check(const fcps_limits *limits, int studies, fcps_error *error)
{
  if (studies <= limits->studies) return FCPS_OK;
  const int part = studies * STUDY_FILES, room = limits->is_growing ? part / (CONNECTIONS_PART - 1) + 1 : 0;
  const int needed = OWN_FILES + part + most(room, CONNECTIONS_LEAST);
  return fcps_error_set(
      error, FCPS_ERR_ARGUMENT, limits->is_growing ? "--make" : "STUDY",
      "there are %d studies, and %d fit: each needs %d open files, and the limit is %d. Raise it to at "
      "least %d (ulimit -Hn and ulimit -n, or LimitNOFILE= of a systemd unit), or serve fewer studies "
      "with each server",
      studies, limits->studies, (int)STUDY_FILES, limits->files, needed);
}
