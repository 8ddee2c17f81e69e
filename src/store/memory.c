/* SPDX-License-Identifier: Apache-2.0 */
/* The store `memory:` keeps a study in memory until it is closed, for trials that need not be kept.
 *
 * Records and texts are only appended, so a rollback cuts both lists at the lengths that they had at the beginning of
 * the transaction. A text that a later one of the same key has replaced is removed at the commit, because no rollback
 * can need it any more. The record with sequence n is records[n - 1]. The store owns copies of all numbers and texts.
 * No other process can reach it, so it is never locked, and holding it always succeeds. */
#include "base/memory.h"
#include "base/error.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

typedef struct named_text {
  char *key, *text;
} named_text;

typedef struct memory_store {
  fcps_store base;
  fcps_journal_record *records; /* each owns copies of its numbers and texts */
  size_t record_count, record_capacity, record_mark;
  named_text *texts; /* if several have the same key, the last one counts */
  size_t text_count, text_capacity, text_mark;
} memory_store;

static void free_record(fcps_journal_record *record)
{
  /* copy_record has made these copies. */
  free((void *)(uintptr_t)record->target.values);
  free((void *)(uintptr_t)record->environment.values);
  free((void *)(uintptr_t)record->parameters.values);
  free((void *)(uintptr_t)record->outcome.values);
  free((void *)(uintptr_t)record->client);
  free((void *)(uintptr_t)record->text);
}

static bool copy_numbers(fcps_numbers *numbers)
{
  if (numbers->values == NULL) return true;
  numbers->values = fcps_copy(numbers->values, (size_t)numbers->count, sizeof *numbers->values);
  return numbers->values != NULL;
}

static bool copy_record(const fcps_journal_record *record, fcps_journal_record *copy)
{
  *copy = *record;
  /* All copies are tried, so that each is either NULL or must be freed. */
  const bool target = copy_numbers(&copy->target), environment = copy_numbers(&copy->environment);
  const bool parameters = copy_numbers(&copy->parameters), outcome = copy_numbers(&copy->outcome);
  copy->client = fcps_copy_text(record->client);
  copy->text = fcps_copy_text(record->text);
  if (target && environment && parameters && outcome && copy->client != NULL && copy->text != NULL) return true;
  free_record(copy);
  return false;
}

static void cut_texts(memory_store *m, size_t count)
{
  while (m->text_count > count) {
    m->text_count--;
    free(m->texts[m->text_count].key);
    free(m->texts[m->text_count].text);
  }
}

static void cut_records(memory_store *m, size_t count)
{
  while (m->record_count > count)
    free_record(&m->records[--m->record_count]);
}

static fcps_status memory_begin(fcps_store *store, bool writing, fcps_error *error)
{
  (void)writing;
  (void)error;
  memory_store *m = (memory_store *)store;
  m->record_mark = m->record_count;
  m->text_mark = m->text_count;
  return FCPS_OK;
}

/* Whether a later text has the same key as text `i`. */
static bool is_replaced(const memory_store *m, size_t i)
{
  bool is_found = false;
  for (size_t j = i + 1; j < m->text_count && !is_found; j++)
    is_found = strcmp(m->texts[i].key, m->texts[j].key) == 0;
  return is_found;
}

/* Removes texts that a later text with the same key has replaced. */
static fcps_status memory_commit(fcps_store *store, fcps_error *error)
{
  (void)error;
  memory_store *m = (memory_store *)store;
  size_t kept = 0;
  for (size_t i = 0; i < m->text_count; i++) {
    if (!is_replaced(m, i)) {
      m->texts[kept++] = m->texts[i];
      continue;
    }
    free(m->texts[i].key);
    free(m->texts[i].text);
  }
  m->text_count = kept;
  return FCPS_OK;
}

static void memory_rollback(fcps_store *store)
{
  memory_store *m = (memory_store *)store;
  cut_records(m, m->record_mark);
  cut_texts(m, m->text_mark);
}

static fcps_status memory_append(fcps_store *store, const fcps_journal_record *record, int64_t *sequence,
                                 fcps_error *error)
{
  memory_store *m = (memory_store *)store;
  fcps_journal_record copy;
  if (!fcps_reserve((void **)&m->records, &m->record_capacity, m->record_count + 1, sizeof *m->records) ||
      !copy_record(record, &copy))
    return fcps_error_memory(error);
  copy.sequence = (int64_t)m->record_count + 1;
  m->records[m->record_count++] = copy;
  *sequence = copy.sequence;
  return FCPS_OK;
}

static fcps_status memory_insert(fcps_store *store, const fcps_journal_record *record, fcps_error *error)
{
  int64_t sequence = 0;
  if (record->sequence != (int64_t)((const memory_store *)store)->record_count + 1)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "a store in memory cannot leave out a record.");
  return memory_append(store, record, &sequence, error);
}

static fcps_status memory_each(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user, fcps_error *error)
{
  const memory_store *m = (const memory_store *)store;
  fcps_status status = FCPS_OK;
  for (size_t i = after > 0 ? (size_t)after : 0; status == FCPS_OK && i < m->record_count; i++)
    status = visit(user, &m->records[i], error);
  return status;
}

static fcps_status memory_set(fcps_store *store, const char *key, const char *text, fcps_error *error)
{
  memory_store *m = (memory_store *)store;
  named_text copy = {fcps_copy_text(key), fcps_copy_text(text)};
  if (copy.key == NULL || copy.text == NULL ||
      !fcps_reserve((void **)&m->texts, &m->text_capacity, m->text_count + 1, sizeof *m->texts)) {
    free(copy.key);
    free(copy.text);
    return fcps_error_memory(error);
  }
  m->texts[m->text_count++] = copy;
  return FCPS_OK;
}

static fcps_status memory_get(fcps_store *store, const char *key, char **text, fcps_error *error)
{
  const memory_store *m = (const memory_store *)store;
  for (size_t i = m->text_count; i-- > 0;) {
    if (strcmp(m->texts[i].key, key) != 0) continue;
    *text = fcps_copy_text(m->texts[i].text);
    return *text ? FCPS_OK : fcps_error_memory(error);
  }
  return FCPS_OK;
}

static int compare_keys(const void *a, const void *b)
{
  return strcmp(((const named_text *)a)->key, ((const named_text *)b)->key);
}

/* Visits each key once. If a text was replaced in this transaction, the old one is still in the list, and the last one
 * counts. */
static fcps_status memory_each_text(fcps_store *store, fcps_text_fn *visit, void *user, fcps_error *error)
{
  const memory_store *m = (const memory_store *)store;
  named_text *sorted = fcps_allocate(m->text_count, sizeof *sorted);
  if (sorted == NULL) return fcps_error_memory(error);
  size_t count = 0;
  for (size_t i = 0; i < m->text_count; i++)
    if (!is_replaced(m, i)) sorted[count++] = m->texts[i];
  qsort(sorted, count, sizeof *sorted, compare_keys);
  fcps_status status = FCPS_OK;
  for (size_t i = 0; status == FCPS_OK && i < count; i++)
    status = visit(user, sorted[i].key, sorted[i].text, error);
  free(sorted);
  return status;
}

static void memory_close(fcps_store *store)
{
  memory_store *m = (memory_store *)store;
  cut_records(m, 0);
  cut_texts(m, 0);
  free(m->records);
  free(m->texts);
  free(m);
}

static fcps_status memory_exists(bool *exists, const fcps_store_url *url, fcps_error *error)
{
  (void)url;
  (void)error;
  *exists = false; /* Each store in memory is a new one. */
  return FCPS_OK;
}

static fcps_status memory_create(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                                 fcps_error *error)
{
  (void)options;
  memory_store *m = fcps_allocate(1, sizeof *m);
  if (m == NULL) return fcps_error_memory(error);
  fcps_status status = fcps_store_prepare(&m->base, url, error);
  if (status == FCPS_OK) status = fcps_store_begin(&m->base, true, error);
  if (status == FCPS_OK)
    *store = &m->base;
  else
    fcps_store_close(&m->base);
  return status;
}

const fcps_store_ops fcps_store_memory = {.scheme = "memory",
                                          .form = "memory:",
                                          .about = "lives only until it is closed",
                                          .create = memory_create,
                                          .exists = memory_exists,
                                          .begin = memory_begin,
                                          .commit = memory_commit,
                                          .rollback = memory_rollback,
                                          .append = memory_append,
                                          .insert = memory_insert,
                                          .each = memory_each,
                                          .each_text = memory_each_text,
                                          .set = memory_set,
                                          .get = memory_get,
                                          .close = memory_close};
