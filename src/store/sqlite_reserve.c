/* SPDX-License-Identifier: Apache-2.0 */
/* Space for the next commit, kept by the file PATH-reserve: blocks that are allocated there are free again when it is
 * removed. Invariants: what was kept stays where more cannot be had; a link is never written to. */
#include "base/error.h"
#include "store/sqlite_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static fcps_status refuse_file(const sqlite_store *s, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_STORE, "",
                        "%s is a link or no plain file; fcps does not write to it. Remove it, then repeat the command.",
                        s->reserve_path);
}

static fcps_status grow(sqlite_store *s, int file, off_t before, size_t bytes, fcps_error *error)
{
  const int reason = posix_fallocate(file, 0, (off_t)bytes);
  if (reason == 0) return FCPS_OK;
  if (before == 0)
    unlink(s->reserve_path);
  else if (ftruncate(file, before) != 0)
    return fcps_error_set(error, FCPS_ERR_STORE, "", "cannot keep %s: %s.", s->reserve_path, strerror(errno));
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG) return fcps_sqlite_full(s, error);
  return fcps_error_set(error, FCPS_ERR_STORE, "", "cannot reserve space in %s: %s.", s->reserve_path,
                        strerror(reason));
}

fcps_status fcps_sqlite_reserve(fcps_store *store, size_t bytes, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  struct stat info;
  if (s->options.is_relaxed) return FCPS_OK; /* such a trial can be repeated */
  if (bytes == 0) {
    unlink(s->reserve_path);
    return FCPS_OK;
  }
  if (lstat(s->reserve_path, &info) == 0 && S_ISREG(info.st_mode) && (size_t)info.st_size >= bytes) return FCPS_OK;
  const int file = open(s->reserve_path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0 && (errno == ENOSPC || errno == EDQUOT)) return fcps_sqlite_full(s, error);
  if (file < 0 && (errno == ELOOP || errno == ENXIO)) return refuse_file(s, error);
  if (file < 0)
    return fcps_error_set(error, FCPS_ERR_STORE, "", "cannot make %s: %s.", s->reserve_path, strerror(errno));
  const bool is_plain = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink <= 1;
  const fcps_status status = is_plain ? grow(s, file, info.st_size, bytes, error) : refuse_file(s, error);
  close(file);
  return status;
}
