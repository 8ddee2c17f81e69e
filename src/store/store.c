/* SPDX-License-Identifier: Apache-2.0 */
/* The table of back-ends, the reading of URLs, and what all back-ends share, such as checksums.
 *
 * This file keeps these promises for all back-ends: records and texts are written only between begin and commit, and
 * read only between begin and the end of the transaction; a failed commit is rolled back; after a write has failed in
 * a way that must not be tried again, the store accepts nothing more; closing a store rolls an open transaction back. */
#include "store/store.h"

#include "base/checksum.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/process.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

extern const fcps_store_ops fcps_store_sqlite;     /* in sqlite.c */
extern const fcps_store_ops fcps_store_memory;     /* in memory.c */
extern const fcps_store_ops fcps_store_postgresql; /* in postgresql.c */

/* The table of back-ends. A new one needs a line here. The first one is used for plain paths. */
static const fcps_store_ops *const backends[] = {&fcps_store_sqlite, &fcps_store_memory, &fcps_store_postgresql};
enum { BACKENDS = sizeof backends / sizeof *backends };

/* -- URLs -- */

const fcps_store_ops *fcps_store_at(int index)
{
  return index >= 0 && index < BACKENDS ? backends[index] : NULL;
}

/* Returns the length of the scheme at the beginning of `text`, without its colon; 0 if there is none. */
static size_t scheme_length(const char *text)
{
  static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-";
  if (!isalpha((unsigned char)*text)) return 0;
  const size_t length = strspn(text, rest);
  return text[length] == ':' ? length : 0;
}

static bool is_scheme(const char *scheme, const char *text, size_t length, bool in_any_case)
{
  if (scheme == NULL || strlen(scheme) != length) return false;
  return (in_any_case ? strncasecmp(scheme, text, length) : strncmp(scheme, text, length)) == 0;
}

/* Finds the back-end of a scheme. A text with :// is hardly a path, so its scheme may have capital letters, as in all
 * URLs. */
static const fcps_store_ops *find_scheme(const char *text, size_t length)
{
  const bool is_address = strncmp(text + length, "://", 3) == 0;
  for (int i = 0; i < BACKENDS; i++)
    if (is_scheme(backends[i]->scheme, text, length, is_address) ||
        (is_address && is_scheme(backends[i]->other_scheme, text, length, true)))
      return backends[i];
  return NULL;
}

static fcps_status refuse_scheme(const char *text, size_t length, fcps_error *error)
{
  char forms[160] = "PATH";
  for (int i = 0; i < BACKENDS; i++) {
    const size_t used = strlen(forms);
    snprintf(forms + used, sizeof forms - used, ", %s", backends[i]->form);
  }
  /* The rest of the address may contain a password, so it is not repeated. */
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "",
                        "there is no store \"%.*s:\". Choose from: %s. A path that looks like this one is "
                        "written ./PATH.",
                        length < 40 ? (int)length : 40, text, forms);
}

/* Tells whether a path is probably an address whose scheme is missing: USER:PASSWORD@HOST/DATABASE or
 * USER:PASSWORD@HOST#NAME. */
static bool is_bare_address(const char *text)
{
  const char *at = strrchr(text, '@');
  const char *colon = strchr(text, ':');
  return strchr("./", *text) == NULL && at != NULL && colon != NULL && colon < at && strpbrk(at, "/#") != NULL;
}

static fcps_status refuse_bare_address(fcps_error *error)
{
  return fcps_error_set(
      error, FCPS_ERR_ARGUMENT, "",
      "this is read neither as a path nor as an address. It has a colon before an @, as an address with a "
      "password has, so it is not repeated here. A study in PostgreSQL is written "
      "postgresql://USER@HOST/DATABASE#NAME, without a password; a path is written ./PATH.");
}

fcps_status fcps_store_read_url(fcps_store_url *url, const char *text, fcps_error *error)
{
  if (text == NULL) text = "memory:";
  if (*text == '\0')
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "",
                          "the name of the study is empty; give a path, as in throw.fcps.");
  const size_t length = scheme_length(text);
  const fcps_store_ops *ops = find_scheme(text, length);
  if (ops == NULL && length > 0 && strncmp(text + length, "://", 3) == 0) return refuse_scheme(text, length, error);
  if (ops == NULL && is_bare_address(text)) return refuse_bare_address(error);
  const bool is_path = ops == NULL;
  *url = (fcps_store_url){is_path ? backends[0] : ops, text, is_path ? text : text + length + 1};
  if (is_path) return FCPS_OK;
  if (ops->check != NULL) return ops->check(url, error);
  /* Some users write sqlite://x for x. It would be a file of the root folder. */
  const bool has_host = strncmp(url->address, "//", 2) == 0 && strstr(url->ops->form, "://") == NULL;
  if (url->ops->has_address == (*url->address != '\0') && !has_host) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "",
                        "\"%.200s\": such a store is written %s; a path is written ./PATH.", text, url->ops->form);
}

char *fcps_store_study_name(const char *text)
{
  fcps_store_url url;
  if (fcps_store_read_url(&url, text, NULL) == FCPS_OK && url.ops->study_name != NULL)
    return fcps_copy_text(url.ops->study_name(&url));
  const char *slash = strrchr(text, '/');
  char *name = fcps_copy_text(slash != NULL ? slash + 1 : text);
  char *dot = name != NULL ? strrchr(name, '.') : NULL;
  if (dot != NULL && dot != name) *dot = '\0';
  return name;
}

/* -- Stores by URL -- */

static fcps_status refuse_operation(const fcps_store_url *url, const char *done, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "%s cannot be %s: this kind of store %s.", url->name, done,
                        url->ops->about);
}

fcps_status fcps_store_prepare(fcps_store *store, const fcps_store_url *url, fcps_error *error)
{
  store->ops = url->ops;
  store->name = fcps_copy_text(url->name);
  const size_t size = 4 * strlen(url->name) + 3;
  char *room = fcps_allocate(size, 1);
  if (room != NULL) store->word = fcps_copy_text(fcps_shell_word(url->name, size, room));
  free(room);
  return store->name != NULL && store->word != NULL ? FCPS_OK : fcps_error_memory(error);
}

fcps_status fcps_store_create(fcps_store **store, const char *text, fcps_store_options options, fcps_error *error)
{
  *store = NULL;
  fcps_store_url url;
  const fcps_status status = fcps_store_read_url(&url, text, error);
  return status != FCPS_OK ? status : url.ops->create(store, &url, options, error);
}

fcps_status fcps_store_open(fcps_store **store, const char *text, fcps_store_options options, fcps_error *error)
{
  *store = NULL;
  fcps_store_url url;
  const fcps_status status = fcps_store_read_url(&url, text, error);
  if (status != FCPS_OK) return status;
  if (url.ops->open == NULL) return refuse_operation(&url, "opened", error);
  return url.ops->open(store, &url, options, error);
}

fcps_status fcps_store_exists(bool *exists, const char *text, fcps_error *error)
{
  *exists = false;
  fcps_store_url url;
  const fcps_status status = fcps_store_read_url(&url, text, error);
  return status != FCPS_OK ? status : url.ops->exists(exists, &url, error);
}

fcps_status fcps_store_recognize(const char *text, fcps_error *error)
{
  fcps_store_url url;
  const fcps_status status = fcps_store_read_url(&url, text, error);
  if (status != FCPS_OK) return status;
  if (url.ops->recognize == NULL) return refuse_operation(&url, "recognized", error);
  return url.ops->recognize(&url, error);
}

fcps_status fcps_store_remove(const char *text, bool is_ours, fcps_error *error)
{
  fcps_store_url url;
  fcps_status status = fcps_store_read_url(&url, text, error);
  if (status != FCPS_OK) return status;
  if (url.ops->remove == NULL) return refuse_operation(&url, "removed", error);
  if (!is_ours) status = fcps_store_recognize(text, error);
  return status != FCPS_OK ? status : url.ops->remove(&url, error);
}

fcps_status fcps_store_repair(const char *text, const char *to_text, int64_t *saved, fcps_error *error)
{
  *saved = 0;
  fcps_store_url url, to;
  fcps_status status = fcps_store_read_url(&url, text, error);
  if (status == FCPS_OK) status = fcps_store_read_url(&to, to_text, error);
  if (status != FCPS_OK) return status;
  if (url.ops->repair == NULL) return refuse_operation(&url, "repaired", error);
  if (url.ops != to.ops)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "%s can be repaired only into another %s; %s is not one.",
                          url.name, url.ops->form, to.name);
  return url.ops->repair(&url, &to, saved, error);
}

/* Reads both URLs. They must be of the same kind of store, and this kind must make backups. */
static fcps_status read_pair(const char *text, const char *to_text, fcps_store_url *url, fcps_store_url *to,
                             fcps_error *error)
{
  const fcps_status status = fcps_store_read_url(url, text, error);
  if (status != FCPS_OK) return status;
  if (url->ops->backup == NULL || url->ops->restore == NULL) return refuse_operation(url, "backed up", error);
  const fcps_status other = fcps_store_read_url(to, to_text, error);
  if (other != FCPS_OK || url->ops == to->ops) return other;
  return fcps_error_set(
      error, FCPS_ERR_UNSUPPORTED, "",
      "%s can be backed up or restored only to another %s; %s is not one. Between kinds of store: fcps study copy.",
      url->name, url->ops->form, to->name);
}

fcps_status fcps_store_backup(const char *text, const char *to_text, bool may_replace, int64_t *records,
                              fcps_error *error)
{
  *records = 0;
  fcps_store_url url, to;
  const fcps_status status = read_pair(text, to_text, &url, &to, error);
  return status != FCPS_OK ? status : url.ops->backup(&url, &to, may_replace, records, error);
}

fcps_status fcps_store_restore(const char *from_text, const char *text, bool may_replace, char **kept, int64_t *records,
                               fcps_error *error)
{
  *records = 0;
  *kept = NULL;
  fcps_store_url from, url;
  const fcps_status status = read_pair(from_text, text, &from, &url, error);
  return status != FCPS_OK ? status : url.ops->restore(&from, &url, may_replace, kept, records, error);
}

/* -- Open stores -- */

fcps_status fcps_store_hold(fcps_store *store, fcps_error *error)
{
  return store->ops->hold != NULL ? store->ops->hold(store, error) : FCPS_OK;
}

bool fcps_store_is_held(fcps_store *store, fcps_error *who)
{
  return store->ops->is_held != NULL && store->ops->is_held(store, who);
}

int fcps_store_hold_file(const fcps_store *store)
{
  return store->ops->hold_file != NULL ? store->ops->hold_file(store) : -1;
}

int fcps_store_claimed_file(const fcps_store *store)
{
  return store->ops->claimed_file != NULL ? store->ops->claimed_file(store) : -1;
}

fcps_status fcps_store_begin(fcps_store *store, bool writing, fcps_error *error)
{
  assert(!store->is_open);
  if (writing && store->is_broken)
    return fcps_error_set(error, FCPS_ERR_STORE, "",
                          "an earlier write failed, so nothing more is written; open the study again.");
  store->pending = store->seen;
  const fcps_status status = store->ops->begin(store, writing, error);
  store->is_open = status == FCPS_OK;
  store->is_writing = store->is_open && writing;
  return status;
}

fcps_status fcps_store_commit(fcps_store *store, fcps_error *error)
{
  assert(store->is_open);
  const fcps_status status = store->ops->commit(store, error);
  if (status != FCPS_OK) {
    fcps_store_rollback(store);
    return status;
  }
  if (store->is_writing) store->seen = store->pending;
  store->is_open = store->is_writing = false;
  return FCPS_OK;
}

void fcps_store_rollback(fcps_store *store)
{
  if (!store->is_open) return;
  store->ops->rollback(store);
  store->is_open = store->is_writing = false;
}

fcps_status fcps_store_append(fcps_store *store, const fcps_journal_record *record, int64_t *sequence,
                              fcps_error *error)
{
  assert(store->is_writing);
  return store->ops->append(store, record, sequence, error);
}

fcps_status fcps_store_time(fcps_store *store, int64_t *time_ms, fcps_error *error)
{
  assert(store->is_open);
  if (store->ops->time != NULL) return store->ops->time(store, time_ms, error);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *time_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
  return FCPS_OK;
}

/* Waits for news. A store without its own way to wait is checked at intervals. */
fcps_status fcps_store_wait(fcps_store *store, int wait_ms, fcps_error *error)
{
  enum { LONGEST_MS = 100 };
  assert(!store->is_open);
  if (store->ops->wait != NULL) return store->ops->wait(store, wait_ms, error);
  fcps_clock_pause(wait_ms < LONGEST_MS ? wait_ms : LONGEST_MS);
  return FCPS_OK;
}

fcps_status fcps_store_each(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user, fcps_error *error)
{
  assert(store->is_open);
  return store->ops->each(store, after, visit, user, error);
}

fcps_status fcps_store_set(fcps_store *store, const char *key, const char *text, fcps_error *error)
{
  assert(store->is_writing);
  return store->ops->set(store, key, text, error);
}

fcps_status fcps_store_get(fcps_store *store, const char *key, char **text, fcps_error *error)
{
  assert(store->is_open);
  *text = NULL;
  return store->ops->get(store, key, text, error);
}

fcps_status fcps_store_reserve(fcps_store *store, size_t bytes, fcps_error *error)
{
  return store->ops->reserve != NULL ? store->ops->reserve(store, bytes, error) : FCPS_OK;
}

void fcps_store_saw(fcps_store *store, const fcps_journal_record *record)
{
  if (record->sequence <= store->pending.sequence) return;
  store->pending = (fcps_store_seen){record->sequence, fcps_store_record_checksum(record)};
  if (!store->is_writing) store->seen = store->pending;
}

fcps_status fcps_store_give_id(fcps_store *store, fcps_error *error)
{
  enum { BYTES = 16 };
  char id[2 * BYTES + 1];
  free(store->id);
  store->id = NULL;
  const fcps_status status = fcps_store_get(store, FCPS_STORE_ID, &store->id, error);
  if (status != FCPS_OK || store->id != NULL) return status;
  if (!fcps_hex_draw(BYTES, id)) return fcps_error_set(error, FCPS_ERR_IO, "", "the system gave no random numbers");
  store->id = fcps_copy_text(id);
  return store->id != NULL ? fcps_store_set(store, FCPS_STORE_ID, id, error) : fcps_error_memory(error);
}

void fcps_store_share_seen(fcps_store *store, fcps_store_seen *latest)
{
  assert(!store->is_open);
  if (latest->sequence > store->seen.sequence)
    store->seen = *latest;
  else
    *latest = store->seen;
}

const char *fcps_store_identity(const fcps_store *store)
{
  return store->id;
}

fcps_status fcps_store_beside(const fcps_store *store, const char *end, char **path, fcps_error *error)
{
  *path = NULL;
  if (store->ops->beside == NULL) return FCPS_OK;
  *path = store->ops->beside(store, end);
  return *path != NULL ? FCPS_OK : fcps_error_memory(error);
}

void fcps_store_close(fcps_store *store)
{
  if (store == NULL) return;
  fcps_store_rollback(store);
  char *name = store->name, *word = store->word, *notice = store->notice, *id = store->id;
  store->ops->close(store);
  free(notice);
  free(id);
  free(word);
  free(name);
}

/* -- Copies -- */

/* Copies a store into a new one of any kind: all records under their numbers, and all texts. They are read in one
 * transaction and written in one, so a reader sees no copy or a complete one. Unlike a backup, a copy can go from a
 * file to a database or back. */

static fcps_status copy_text(void *user, const char *key, const char *text, fcps_error *error)
{
  return fcps_store_set(user, key, text, error);
}

typedef struct copying {
  fcps_store *to;
  int64_t count;
} copying;

static fcps_status copy_record(void *user, const fcps_journal_record *record, fcps_error *error)
{
  copying *c = user;
  c->count++;
  return c->to->ops->insert(c->to, record, error);
}

fcps_status fcps_store_copy(const char *text, const char *to_text, fcps_store_options options, int64_t *records,
                            fcps_error *error)
{
  *records = 0;
  fcps_store *from = NULL, *to = NULL;
  fcps_store_url url;
  fcps_status status = fcps_store_read_url(&url, to_text, error);
  if (status != FCPS_OK) return status;
  if (!url.ops->is_shared)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "nothing can be copied to %s: this kind of store %s.",
                          url.name, url.ops->about);
  status = fcps_store_open(&from, text, options, error);
  if (status == FCPS_OK) status = fcps_store_create(&to, to_text, options, error);
  if (status == FCPS_OK) status = fcps_store_begin(from, false, error);
  copying copied = {to, 0};
  if (status == FCPS_OK) status = from->ops->each_text(from, copy_text, to, error);
  if (status == FCPS_OK) status = fcps_store_each(from, 0, copy_record, &copied, error);
  if (status == FCPS_OK) status = fcps_store_commit(to, error);
  fcps_store_close(to);
  fcps_store_close(from);
  *records = status == FCPS_OK ? copied.count : 0;
  return status;
}

/* -- The folder of a user -- */

/* Files on this machine that belong to a study on another machine. They are in the folder for files that programs keep
 * for their user. */

char *fcps_store_state_path(const char *id, const char *end)
{
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  const bool has_state = state != NULL && *state == '/';
  const char *folder = has_state ? state : home != NULL && *home == '/' ? home : ".";
  const size_t size = strlen(folder) + strlen(id) + strlen(end) + 32;
  char *path = fcps_allocate(size, 1);
  if (path != NULL) snprintf(path, size, "%s%s/fcps/%s%s", folder, has_state ? "" : "/.local/state", id, end);
  return path;
}

/* -- Checksums of records and named texts --
 *
 * Every value has a fixed size, or its length stands before it, so that no two records are the same bytes. Integers and
 * numbers are little-endian, 8 bytes each. A row of numbers that is absent has the length -1; a reward that is absent
 * is a NaN, of which all count as the same. */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "checksums are over little-endian numbers");

static uint64_t add_integer(uint64_t checksum, int64_t value)
{
  return fcps_checksum_add(checksum, &value, sizeof value);
}

static uint64_t add_reward(uint64_t checksum, double value)
{
  checksum = add_integer(checksum, isnan(value));
  return isnan(value) ? checksum : fcps_checksum_add(checksum, &value, sizeof value);
}

static uint64_t add_numbers(uint64_t checksum, const fcps_numbers *numbers)
{
  if (numbers->values == NULL) return add_integer(checksum, -1);
  checksum = add_integer(checksum, numbers->count);
  return fcps_checksum_add(checksum, numbers->values, (size_t)numbers->count * sizeof *numbers->values);
}

static uint64_t add_text(uint64_t checksum, const char *text)
{
  const size_t length = strlen(text);
  checksum = add_integer(checksum, (int64_t)length);
  return fcps_checksum_add(checksum, text, length);
}

uint64_t fcps_store_record_checksum(const fcps_journal_record *record)
{
  uint64_t checksum = add_integer(FCPS_CHECKSUM_START, record->sequence);
  checksum = add_integer(checksum, record->kind);
  checksum = add_integer(checksum, record->ask);
  checksum = add_integer(checksum, record->other);
  checksum = add_integer(checksum, record->time_ms);
  checksum = add_integer(checksum, record->status);
  checksum = add_reward(checksum, record->reward);
  checksum = add_reward(checksum, record->hindsight_reward);
  checksum = add_numbers(checksum, &record->target);
  checksum = add_numbers(checksum, &record->environment);
  checksum = add_numbers(checksum, &record->parameters);
  checksum = add_numbers(checksum, &record->outcome);
  checksum = add_text(checksum, record->client);
  return add_text(checksum, record->text);
}

uint64_t fcps_store_text_checksum(const char *key, const char *text)
{
  return add_text(add_text(FCPS_CHECKSUM_START, key), text);
}

/* -- Records that a repair lost -- */

/* Reads the text of lost records. If the text is malformed from some place on, only the part before it counts, so
 * fewer records may be missing. */

/* Reads a number of at most 18 digits at *text, and moves *text past it. */
static bool read_number(const char **text, int64_t *number)
{
  const size_t digits = strspn(*text, "0123456789");
  if (digits == 0 || digits > 18) return false;
  *number = strtoll(*text, NULL, 10);
  *text += digits;
  return true;
}

/* Reads the next range of the list, and moves *list past it. Returns false at the end. */
static bool read_range(const char **list, int64_t *first, int64_t *last)
{
  if (*list == NULL) return false;
  *list += strspn(*list, ", ");
  if (!read_number(list, first)) return false;
  *last = *first;
  if (**list != '-') return true;
  ++*list;
  return read_number(list, last) && *last >= *first;
}

bool fcps_lost_has(const char *list, int64_t first, int64_t last)
{
  int64_t from, to;
  while (first <= last && read_range(&list, &from, &to))
    if (from <= first && first <= to) first = to + 1;
  return first > last;
}

int64_t fcps_lost_end(const char *list)
{
  int64_t from, to, end = 0;
  while (read_range(&list, &from, &to))
    end = to;
  return end;
}

int64_t fcps_lost_count(const char *list)
{
  int64_t from, to, count = 0;
  while (read_range(&list, &from, &to))
    count += to - from + 1;
  return count;
}

bool fcps_lost_add(fcps_lost_list *list, int64_t first, int64_t last)
{
  char range[64];
  const char *comma = list->length > 0 ? ", " : "";
  if (first == last)
    snprintf(range, sizeof range, "%s%" PRId64, comma, first);
  else
    snprintf(range, sizeof range, "%s%" PRId64 "-%" PRId64, comma, first, last);
  const size_t size = strlen(range);
  void *text = list->text;
  if (!fcps_reserve(&text, &list->capacity, list->length + size + 1, 1)) return false;
  list->text = text;
  memcpy(list->text + list->length, range, size + 1);
  list->length += size;
  return true;
}
