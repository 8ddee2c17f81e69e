/* SPDX-License-Identifier: Apache-2.0 */
/* Journals that do not belong to the study beside them, or that no fcps has written.
 *
 * A process that is killed during a commit leaves PATH-journal, and SQLite rolls it back into PATH at the next opening.
 * That is right for the file that the process was writing to, and ruins any other: a backup that was copied to PATH
 * meanwhile, for example. SQLite's journal does not say which file it belongs to. But it has a copy of page 1 as it was
 * before the commit, with its change counter c [sqliteformat2022, Sec. 1.3.7 and 3], and a commit adds one. So the counter
 * of the file that it belongs to is c or c + 1. A journal without page 1 comes from a commit that had not written to
 * the file yet: SQLite copies page 1 before the first new page, and only commits with many new pages write before their
 * end. Then the file has as many pages as the journal says, and each page of the journal is equal to the file's.
 *
 * Invariants: a journal is set aside only where the file is a whole study without it, and its counter says that the
 * journal is another's. Where the head of the file is torn, as a power cut may leave it, nothing is judged: SQLite
 * rolls back. A journal is judged only while nobody reads or writes the file, so it is never that of a living writer.
 * Nothing is deleted: a stale journal is renamed.
 *
 * A journal may end with the name of another file: SQLite writes such a name where one commit concerns several databases,
 * and after rolling back deletes the named file [sqliteformat2022, Sec. 3]. fcps has no second database, so somebody made
 * that journal to delete a file of whoever reads the study. The study is refused, whoever is writing to it.
 *
 * What cannot be told: two copies of one study that were each continued by the same number of commits.
 */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "base/error.h"
#include "base/memory.h"
#include "store/sqlite/sqlite_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* -- The journal -- */

/* what a journal says of the file that it belongs to */
typedef struct journal {
  uint32_t pages; /* of the file before the commit */
  bool has_head;
  unsigned char head[FCPS_SQLITE_HEAD]; /* of page 1 before the commit */
  bool is_different;                    /* a page before page 1 is not as it is in the file */
} journal;

enum { MAGIC = 8, HEADER = 28, WITHOUT_SYNC = 0x7fffffff, LARGEST_PAGE = 65536 };

static const unsigned char magic[MAGIC] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

/* One section of the journal: a header, padded to a sector, then its records. */
typedef struct section {
  uint32_t records, nonce, pages, sector, page_size;
} section;

static bool read_section(int file, off_t at, section *s)
{
  unsigned char bytes[HEADER];
  if (pread(file, bytes, sizeof bytes, at) != HEADER || memcmp(bytes, magic, MAGIC) != 0) return false;
  *s = (section){fcps_sqlite_number(bytes + 8), fcps_sqlite_number(bytes + 12), fcps_sqlite_number(bytes + 16),
                 fcps_sqlite_number(bytes + 20), fcps_sqlite_number(bytes + 24)};
  const bool has_size =
      s->page_size >= 512 && s->page_size <= LARGEST_PAGE && s->sector >= 32 && s->sector <= LARGEST_PAGE;
  return has_size;
}

/* a record is the number of a page, the page as it was, and a sum over every 200th byte */
static bool read_record(int file, off_t at, const section *s, unsigned char *bytes)
{
  const size_t size = s->page_size + 8;
  if (pread(file, bytes, size, at) != (ssize_t)size) return false;
  uint32_t sum = s->nonce;
  for (int i = (int)s->page_size - 200; i > 0; i -= 200)
    sum += bytes[4 + i];
  return sum == fcps_sqlite_number(bytes + 4 + s->page_size);
}

/* whether a record has the page as it is in the file `study`; `page` is room for it */
static bool is_as_in_file(int study, const unsigned char *bytes, uint32_t page_size, unsigned char *page)
{
  const off_t number = (off_t)fcps_sqlite_number(bytes);
  return number > 0 && pread(study, page, page_size, (number - 1) * (off_t)page_size) == (ssize_t)page_size &&
         memcmp(page, bytes + 4, page_size) == 0;
}

/* looks for page 1, as far as SQLite would roll back: to the first record or section that is not whole */
static void find_head(int file, int study, unsigned char *bytes, section s, journal *j)
{
  off_t at = 0;
  const uint32_t page_size = s.page_size;
  do {
    off_t record = at + (off_t)s.sector;
    uint32_t left = s.records < WITHOUT_SYNC ? s.records : WITHOUT_SYNC;
    for (; left > 0 && read_record(file, record, &s, bytes); left--, record += (off_t)page_size + 8) {
      if (fcps_sqlite_number(bytes) != 1) {
        j->is_different |= !is_as_in_file(study, bytes, page_size, bytes + page_size + 8);
        continue;
      }
      memcpy(j->head, bytes + 4, sizeof j->head);
      j->has_head = true;
      return;
    }
    if (left > 0) return;
    at = (record + (off_t)s.sector - 1) / (off_t)s.sector * (off_t)s.sector;
  } while (read_section(file, at, &s) && s.page_size == page_size);
}

/* false where there is no journal that SQLite would roll back */
static bool read_journal(const char *journal_path, int study, journal *j)
{
  section first;
  *j = (journal){0};
  const int file = open(journal_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  const bool is_journal = read_section(file, 0, &first);
  if (is_journal) {
    j->pages = first.pages;
    unsigned char *bytes = fcps_allocate(2 * (size_t)first.page_size + 8, 1);
    if (bytes != NULL) find_head(file, study, bytes, first, j);
    free(bytes);
  }
  close(file);
  return is_journal;
}

/* -- A journal that names another file -- */

enum { NAME_END = 16 /* length of the name, its sum, magic */, SHOWN = 200 };

/* The name at the journal's end, the first SHOWN bytes of it; false: there is none. SQLite also asks that the sum is
 * right. Whether it is does not matter here: no journal of ours ends in this way. */
static bool read_other_name(const char *journal_path, char *name)
{
  struct stat info;
  unsigned char end[NAME_END];
  const int file = open(journal_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  const bool has_end = fstat(file, &info) == 0 && info.st_size >= NAME_END &&
                       pread(file, end, sizeof end, info.st_size - NAME_END) == NAME_END;
  const off_t length = has_end ? (off_t)fcps_sqlite_number(end) : 0;
  const bool is_named =
      has_end && memcmp(end + 8, magic, MAGIC) == 0 && length > 0 && length <= info.st_size - NAME_END;
  memset(name, 0, SHOWN + 1);
  if (is_named && pread(file, name, length < SHOWN ? (size_t)length : SHOWN, info.st_size - NAME_END - length) < 0)
    name[0] = '\0';
  close(file);
  return is_named;
}

fcps_status fcps_sqlite_refuse_other_name(const sqlite_store *s, fcps_error *error)
{
  char name[SHOWN + 1];
  char *journal_path = fcps_sqlite_beside(s->path, "-journal");
  if (journal_path == NULL) return fcps_error_memory(error);
  fcps_status status = FCPS_OK;
  if (read_other_name(journal_path, name))
    status = fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                            "%s names another file, %s, which would be deleted if %s were opened. fcps writes no such "
                            "journal: somebody made it. Nothing was changed. Ask whoever gave you the study for a "
                            "backup of it (fcps study backup). Or move the journal away and repeat the command: then "
                            "what is in the study may be half written.",
                            journal_path, name, s->base.name);
  free(journal_path);
  return status;
}

bool fcps_sqlite_journal_empties(const char *path)
{
  journal j;
  unsigned char head[FCPS_SQLITE_HEAD];
  char *journal_path = fcps_sqlite_beside(path, "-journal");
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const bool is_first = file >= 0 && pread(file, head, sizeof head, 0) == sizeof head && fcps_sqlite_counter(head) <= 1;
  const bool is_empty = is_first && journal_path != NULL && read_journal(journal_path, file, &j) && j.pages == 0;
  if (file >= 0) close(file);
  free(journal_path);
  return is_empty;
}

/* -- The judgement -- */

/* whether the file passes SQLite's check when its journal is left alone */
static bool is_whole(const char *path)
{
  bool is_ok = false;
  sqlite3 *db = NULL;
  sqlite3_stmt *q = NULL;
  char *uri = sqlite3_mprintf("file:%s?immutable=1", path);
  /* a path with these characters would be read as something else: then nothing is judged */
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

static bool is_of_another(int file, const journal *j)
{
  struct stat info;
  unsigned char head[FCPS_SQLITE_HEAD];
  if (pread(file, head, sizeof head, 0) != sizeof head || !fcps_sqlite_head_is_valid(head)) return false;
  const uint32_t counter = fcps_sqlite_counter(head);
  const uint32_t before = j->has_head ? fcps_sqlite_counter(j->head) : 0;
  if (j->has_head || j->pages == 0) return counter != before && counter != before + 1;
  const uint32_t page_size = fcps_sqlite_page_size(head);
  if (fstat(file, &info) != 0 || page_size == 0) return false;
  return j->is_different || (off_t)j->pages != info.st_size / (off_t)page_size;
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

/* whether somebody is writing: then the journal is that writer's */
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
    status = fcps_error_set(error, FCPS_ERR_STORE, "",
                            "%s belongs to another file than %s, which was put there later. It cannot be renamed (%s); "
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
                        "You may not write there: let somebody who may run `fcps study status` on it, or copy both "
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

fcps_status fcps_sqlite_check_journal(sqlite_store *s, fcps_error *error)
{
  enum { TRIES = 50, PAUSE_MS = 5 };
  journal j;
  fcps_status status = fcps_sqlite_refuse_other_name(s, error);
  if (status != FCPS_OK) return status;
  char *journal_path = fcps_sqlite_beside(s->path, "-journal");
  if (journal_path == NULL) return fcps_error_memory(error);
  for (int i = 0; i < TRIES && read_journal(journal_path, s->open_file.file, &j) && !has_writer(s->open_file.file);
       i++) {
    if (!may_write(s)) {
      status = refuse_unwritable(s, journal_path, error);
      break;
    }
    if (fcps_sqlite_lock_alone(s->open_file.file, true)) {
      /* again, now that nobody can change either file */
      const bool is_stale = read_journal(journal_path, s->open_file.file, &j) && is_of_another(s->open_file.file, &j) &&
                            is_whole(s->path);
      if (is_stale) status = set_aside(s, journal_path, error);
      fcps_sqlite_lock_alone(s->open_file.file, false);
      break;
    }
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL); /* others are reading */
  }
  free(journal_path);
  return status;
}
