/* SPDX-License-Identifier: Apache-2.0 */
/* Two files beside a study: its journal, which may belong to another file, and the space that is kept for the next commit.
 *
 * A process that is killed during a commit leaves PATH-journal, and SQLite rolls it back into PATH at the next opening.
 * That is right for the file that the process was writing to, and ruins any other: a backup that was copied to PATH
 * meanwhile, for example. SQLite's journal does not say which file it belongs to. But it has a copy of page 1 as it was
 * before the commit, with its change counter c [sqliteformat2022, Sec. 1.3.7 and 3], and a commit adds one. So the counter
 * of the file that it belongs to is c or c + 1. New files begin with a random counter.
 *
 * A journal without page 1 comes from a commit that had not written to the file yet: SQLite copies page 1 before the
 * first new page, and only commits with many new pages write before their end. So no file needs it, and it is deleted.
 *
 * Invariants: a journal is taken away only if the file is a whole study without it, and the counter says that the journal
 * is not the file's. If the head of the file is torn, as a power cut may leave it, nothing is judged: SQLite rolls back.
 * A journal is judged only while nobody reads or writes the file, so it is never that of a living writer. A journal with
 * page 1 is never deleted, only renamed.
 *
 * A journal may end with the name of another file: SQLite writes such a name if one commit concerns several
 * databases, and after rolling back deletes the named file [sqliteformat2022, Sec. 3]. fcps has no second database,
 * so somebody made that journal to delete a file of the person who reads the study. The study is refused, also while
 * another process writes to it.
 *
 * Two copies of one study that were each continued by the same number of commits cannot be told apart.
 */
#define _GNU_SOURCE /* for F_OFD_SETLK */
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "store/sqlite/sqlite_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* -- The head of a study: 100 bytes [sqliteformat2022, Sec. 1.3] -- */

/* Offsets of these numbers in a file, each of four bytes, big-endian. */
enum { COUNTER = 24, VALID_FOR = 92 };

static uint32_t number_at(const unsigned char *bytes)
{
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
}

/* Reads the change counter. Returns false if the file is not a study, or if its head was written only in part. */
static bool read_counter(int file, uint32_t *counter)
{
  unsigned char head[FCPS_STUDY_FILE_HEAD];
  if (pread(file, head, sizeof head, 0) != sizeof head || !fcps_recognize_head(head)) return false;
  *counter = number_at(head + COUNTER);
  return number_at(head + VALID_FOR) == *counter;
}

bool fcps_sqlite_renumber(const char *path, bool is_synced)
{
  unsigned char counter[4];
  sqlite3_randomness(sizeof counter, counter);
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  const bool is_written = pwrite(file, counter, sizeof counter, COUNTER) == sizeof counter &&
                          pwrite(file, counter, sizeof counter, VALID_FOR) == sizeof counter &&
                          (!is_synced || fsync(file) == 0);
  close(file);
  return is_written;
}

/* -- The journal -- */

/* BEGINNING of a record: the number of its page, and the beginning of the page. */
enum { MAGIC = 8, HEADER = 28, BEGINNING = 4 + COUNTER + 4 };

static const unsigned char magic[MAGIC] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

/* Whether SQLite would roll a journal back, and whether the journal has page 1 of the file. */
typedef enum journal { NO_JOURNAL, WITHOUT_HEAD, WITH_HEAD } journal;

/* Looks for page 1 in a journal. It is among the records of the first section, which are synced before the file is
 * changed. A journal that was cut off has only some of these records. */
static journal look_for_head(int file, uint32_t *counter)
{
  unsigned char bytes[BEGINNING];
  if (pread(file, bytes, HEADER, 0) != HEADER || memcmp(bytes, magic, MAGIC) != 0) return NO_JOURNAL;
  const uint32_t records = number_at(bytes + 8), sector = number_at(bytes + 20), page_size = number_at(bytes + 24);
  if (page_size < 512 || page_size > 65536 || sector < 32 || sector > 65536) return NO_JOURNAL;
  off_t at = (off_t)sector;
  for (uint32_t i = 0; i < records && pread(file, bytes, BEGINNING, at) == BEGINNING; i++, at += (off_t)page_size + 8) {
    if (number_at(bytes) != 1) continue;
    *counter = number_at(bytes + 4 + COUNTER);
    return WITH_HEAD;
  }
  return WITHOUT_HEAD;
}

static journal read_journal(const char *journal_path, uint32_t *counter)
{
  const int file = open(journal_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return NO_JOURNAL;
  const journal found = look_for_head(file, counter);
  close(file);
  return found;
}

/* -- A journal that names another file -- */

enum { NAME_END = 16 /* the end of a journal: length of the name, its checksum, and a magic number */, SHOWN = 200 };

/* Reads the name at the end of the journal, at most SHOWN bytes of it. Returns false if there is no name. SQLite also
 * compares a checksum of the name; that is not needed here, because fcps never writes such a name. */
static bool read_other_name(const char *journal_path, char *name)
{
  struct stat info;
  unsigned char end[NAME_END];
  const int file = open(journal_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  const bool has_end = fstat(file, &info) == 0 && info.st_size >= NAME_END &&
                       pread(file, end, sizeof end, info.st_size - NAME_END) == NAME_END;
  const off_t length = has_end ? (off_t)number_at(end) : 0;
  const bool is_named =
      has_end && memcmp(end + 8, magic, MAGIC) == 0 && length > 0 && length <= info.st_size - NAME_END;
  memset(name, 0, SHOWN + 1);
  if (is_named && pread(file, name, length < SHOWN ? (size_t)length : SHOWN, info.st_size - NAME_END - length) < 0)
    name[0] = '\0';
  close(file);
  return is_named;
}

/* Refuses a journal that names another file, because SQLite would delete it. */
static fcps_status refuse_other_name(const sqlite_store *s, fcps_error *error)
{
  char name[SHOWN + 1];
  char *journal_path = fcps_sqlite_beside(s->path, "-journal");
  if (journal_path == NULL) return fcps_error_memory(error);
  fcps_status status = FCPS_OK;
  if (read_other_name(journal_path, name))
    status = fcps_error_set(
        error, FCPS_ERR_DAMAGED, "",
        "%s names another file, %s, which would be deleted if %s were opened. fcps writes no such journal: somebody "
        "made it. Nothing was changed. Ask the person who gave you the study for a backup of it (fcps study backup). "
        "Or move the journal away and repeat the command: then what is in the study may be half written.",
        journal_path, name, s->base.name);
  free(journal_path);
  return status;
}

/* -- The judgement -- */

/* Whether the file passes SQLite's check if its journal is ignored. */
static bool is_whole(const char *path)
{
  bool is_ok = false;
  sqlite3 *db = NULL;
  sqlite3_stmt *q = NULL;
  char *uri = sqlite3_mprintf("file:%s?immutable=1", path);
  /* SQLite would read a path with these characters in another way, so nothing is judged then. */
  const bool is_plain = uri != NULL && strpbrk(path, "?#%") == NULL;
  if (is_plain && sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) == SQLITE_OK) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    if (sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
      is_ok = strcmp((const char *)sqlite3_column_text(q, 0), "ok") == 0;
  }
  sqlite3_finalize(q);
  sqlite3_close(db);
  sqlite3_free(uri);
  return is_ok;
}

/* -- Locks of SQLite's kind, of the open file description -- */

enum { PENDING_BYTE = 0x40000000, RESERVED_BYTE = PENDING_BYTE + 1, LOCK_BYTES = 512 };

bool fcps_sqlite_lock_alone(int file, bool is_taken)
{
#ifdef F_OFD_SETLK
  struct flock lock = {
      .l_type = is_taken ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET, .l_start = PENDING_BYTE, .l_len = LOCK_BYTES};
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
#else
  (void)file;
  return !is_taken;
#endif
}

/* Whether somebody is writing to the file. If so, the journal belongs to that writer. */
static bool has_writer(int file)
{
#ifdef F_OFD_SETLK
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = RESERVED_BYTE, .l_len = 1};
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
#else
  (void)file;
  return true;
#endif
}

/* -- Setting it aside -- */

void fcps_sqlite_stamp(size_t size, char *text)
{
  const time_t now = time(NULL);
  struct tm parts;
  unsigned char more[2];
  char day[32] = "";
  sqlite3_randomness(sizeof more, more);
  if (gmtime_r(&now, &parts) != NULL) strftime(day, sizeof day, "%Y%m%d-%H%M%S", &parts);
  snprintf(text, size, "%s-%02x%02x", day, (unsigned)more[0], (unsigned)more[1]);
}

static fcps_status set_aside(sqlite_store *s, const char *journal_path, fcps_error *error)
{
  char stamp[48], aside[64];
  fcps_sqlite_stamp(sizeof stamp, stamp);
  snprintf(aside, sizeof aside, ".stale-%s", stamp);
  char *to = fcps_sqlite_beside(journal_path, aside);
  if (to == NULL) return fcps_error_memory(error);
  fcps_status status = FCPS_OK;
  if (!fcps_sqlite_move(journal_path, to))
    status = fcps_error_set(
        error, FCPS_ERR_STORE, "",
        "The journal %s belongs to a file that has since been replaced by %s. The journal cannot be renamed (%s); "
        "move it away, then repeat the command.",
        journal_path, s->base.name, strerror(errno));
  if (status == FCPS_OK && s->base.notice == NULL) {
    char *words = sqlite3_mprintf("%s-journal was left by a killed command and belongs to the file that was there "
                                  "before. It was not used, and is now %s. Delete it once the study is as you expect.",
                                  s->base.name, to);
    s->base.notice = words != NULL ? fcps_copy_text(words) : NULL;
    sqlite3_free(words);
  }
  free(to);
  return status;
}

static fcps_status refuse_unwritable(const sqlite_store *s, const char *journal_path, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_STORE, "",
                        "%s cannot be read yet: a command was killed while it wrote, and %s must first be rolled back. "
                        "You may not write there: ask somebody who may to run `fcps study status` on it, or copy both "
                        "files to a folder of your own and read them there.",
                        s->base.name, journal_path);
}

static bool may_write(const sqlite_store *s)
{
  char *folder = fcps_sqlite_folder(s->path);
  const bool may = folder != NULL && s->open_file.is_writable && access(folder, W_OK) == 0;
  free(folder);
  return may;
}

/* Renames a journal that belongs to another file. Nobody reads or writes the file meanwhile. */
static fcps_status judge(sqlite_store *s, const char *journal_path, fcps_error *error)
{
  uint32_t before = 0, counter;
  const journal found = read_journal(journal_path, &before);
  if (found == NO_JOURNAL || !read_counter(s->open_file.file, &counter)) return FCPS_OK;
  const bool is_own = found == WITH_HEAD && (counter == before || counter == before + 1);
  if (is_own || !is_whole(s->path)) return FCPS_OK;
  if (found == WITH_HEAD) return set_aside(s, journal_path, error);
  unlink(journal_path); /* If the file cannot be removed, SQLite reports it. */
  return FCPS_OK;
}

/* Whether there is a journal that no living process is writing. A process that ends its commit removes its journal. */
static bool is_left(const sqlite_store *s, const char *journal_path)
{
  uint32_t unused;
  return read_journal(journal_path, &unused) != NO_JOURNAL && !has_writer(s->open_file.file) &&
         read_journal(journal_path, &unused) != NO_JOURNAL;
}

fcps_status fcps_sqlite_check_journal(sqlite_store *s, fcps_error *error)
{
  enum { TRIES = 50, PAUSE_MS = 5 };
  fcps_status status = refuse_other_name(s, error);
  if (status != FCPS_OK) return status;
  char *journal_path = fcps_sqlite_beside(s->path, "-journal");
  if (journal_path == NULL) return fcps_error_memory(error);
  for (int i = 0; i < TRIES && is_left(s, journal_path); i++) {
    if (!may_write(s)) {
      status = refuse_unwritable(s, journal_path, error);
      break;
    }
    if (fcps_sqlite_lock_alone(s->open_file.file, true)) {
      status = judge(s, journal_path, error);
      fcps_sqlite_lock_alone(s->open_file.file, false);
      break;
    }
    fcps_clock_pause(PAUSE_MS); /* Others are reading the file. */
  }
  free(journal_path);
  return status;
}

/* -- Space for the next commit --
 *
 * The file PATH-reserve reserves disk space: its blocks are free again when the file is removed. It begins with the
 * id of its study, so it is recognized if the study is renamed. Invariants: if more space cannot be reserved, the
 * space that was reserved before stays; a symbolic link is never written to; among other files in the folder only one
 * is removed: the reserve of this study under a name that it no longer has. */

static fcps_status refuse_file(const sqlite_store *s, fcps_error *error)
{
  return fcps_error_set(
      error, FCPS_ERR_STORE, "",
      "%s is a symbolic link or not a regular file; fcps does not write to it. Remove it, then repeat the "
      "command.",
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

/* -- What a renamed study has left -- */

static bool is_kept_for(int folder, const char *name, const char *id)
{
  char begin[64];
  struct stat info;
  const size_t length = strlen(id);
  const int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  const bool is_ours = length > 0 && length <= sizeof begin && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                       read(file, begin, length) == (ssize_t)length && memcmp(begin, id, length) == 0;
  close(file);
  return is_ours;
}

static void remove_where_left(int folder, const char *name, const char *id)
{
  static const char end[] = "-reserve";
  char study[NAME_MAX + 1];
  struct stat info;
  const size_t length = strlen(name), tail = sizeof end - 1;
  if (length <= tail || length > NAME_MAX || strcmp(name + length - tail, end) != 0) return;
  snprintf(study, sizeof study, "%.*s", (int)(length - tail), name);
  if (fstatat(folder, study, &info, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT) return;
  if (is_kept_for(folder, name, id)) unlinkat(folder, name, 0);
}

/* Removes the reserve that the study has left under an earlier name. Looks for it only once, because an open study is
 * not renamed. */
static void remove_left(sqlite_store *s)
{
  if (s->has_looked_beside || s->base.id == NULL) return;
  s->has_looked_beside = true;
  char *path = fcps_sqlite_folder(s->path);
  DIR *folder = path != NULL ? opendir(path) : NULL;
  for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
    remove_where_left(dirfd(folder), entry->d_name, s->base.id);
  if (folder != NULL) closedir(folder);
  free(path);
}

/* -- Keeping space -- */

/* Writes the id of the study into the file. Without the id the space can still be used, but the file is not
 * recognized after the study is renamed. */
static void sign(const sqlite_store *s, int file)
{
  if (s->base.id != NULL && pwrite(file, s->base.id, strlen(s->base.id), 0) < 0) return;
}

fcps_status fcps_sqlite_reserve(fcps_store *store, size_t bytes, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  struct stat info;
  /* A trial of a relaxed study can be repeated, so no space is kept for its result. */
  if (s->options.is_relaxed) return FCPS_OK;
  remove_left(s);
  if (bytes == 0) {
    unlink(s->reserve_path);
    return FCPS_OK;
  }
  /* Nothing can be stored in such a study, so no space is kept. */
  if (s->has_links) return fcps_sqlite_refuse_links(s, error);
  if (lstat(s->reserve_path, &info) == 0 && S_ISREG(info.st_mode) && (size_t)info.st_size >= bytes) return FCPS_OK;
  const int file = open(s->reserve_path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0 && (errno == ENOSPC || errno == EDQUOT)) return fcps_sqlite_full(s, error);
  if (file < 0 && (errno == ELOOP || errno == ENXIO)) return refuse_file(s, error);
  if (file < 0)
    return fcps_error_set(error, FCPS_ERR_STORE, "", "cannot make %s: %s.", s->reserve_path, strerror(errno));
  const bool is_plain = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink <= 1;
  const fcps_status status = is_plain ? grow(s, file, info.st_size, bytes, error) : refuse_file(s, error);
  if (status == FCPS_OK) sign(s, file);
  close(file);
  return status;
}
