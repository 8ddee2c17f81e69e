/* SPDX-License-Identifier: Apache-2.0 */
/* A record with everything that is hard to keep, and what was read of a journal. */
#ifndef FCPS_TESTS_STORE_FIXTURE_H
#define FCPS_TESTS_STORE_FIXTURE_H

#include "store/store.h"

#include <fcps/problem.h>

#include "check.h"

#include <dirent.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const fcps_store_options options = {.wait_ms = 100};

/* Deletes a folder with the files in it. */
static inline int remove_folder(const char *name)
{
  DIR *folder = opendir(name);
  if (folder == NULL) return -1;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) unlink(path);
  }
  closedir(folder);
  return rmdir(name);
}

static const double odd_numbers[] = {0.1, -0.0, NAN, INFINITY, -INFINITY, DBL_MAX, 5e-324};

static inline fcps_journal_record a_tell(int64_t ask)
{
  return (fcps_journal_record){.kind = FCPS_JOURNAL_TELL,
                               .ask = ask,
                               .other = 1,
                               .time_ms = -5,
                               .status = FCPS_ROLLOUT_TIMEOUT,
                               .reward = -INFINITY,
                               .hindsight_reward = NAN,
                               .target = {7, odd_numbers},
                               .environment = {0, odd_numbers},
                               .parameters = {2, odd_numbers},
                               .client = "robot \"1\"",
                               .text = "gr\xc3\xbc\xc3\x9f"
                                       "e"};
}

typedef struct seen {
  int count; /* the first 64 are kept */
  int64_t asks[64], sequences[64];
  bool was_equal;
} seen;

static inline bool same_bits(const fcps_numbers *numbers, int count)
{
  if (numbers->count != count || numbers->values == NULL) return false;
  for (int i = 0; i < count; i++) {
    const bool nans = isnan(numbers->values[i]) && isnan(odd_numbers[i]);
    if (!nans && memcmp(&numbers->values[i], &odd_numbers[i], sizeof(double)) != 0) return false;
  }
  return true;
}

static inline fcps_status look(void *user, const fcps_journal_record *r, fcps_error *error)
{
  (void)error;
  seen *s = user;
  const fcps_journal_record wanted = a_tell(r->ask);
  s->was_equal = r->kind == wanted.kind && r->other == 1 && r->time_ms == -5 && r->status == wanted.status &&
                 isinf(r->reward) && isnan(r->hindsight_reward) && same_bits(&r->target, 7) &&
                 r->environment.count == 0 && r->environment.values != NULL && same_bits(&r->parameters, 2) &&
                 r->outcome.values == NULL && strcmp(r->client, wanted.client) == 0 &&
                 strcmp(r->text, wanted.text) == 0;
  if (s->count < 64) {
    s->asks[s->count] = r->ask;
    s->sequences[s->count] = r->sequence;
  }
  s->count++;
  return FCPS_OK;
}

static inline void append(fcps_store *store, int64_t ask)
{
  int64_t sequence = 0;
  const fcps_journal_record record = a_tell(ask);
  assert_ok(fcps_store_append(store, &record, &sequence, NULL));
}

static inline seen read_all(fcps_store *store, int64_t after)
{
  seen s = {0};
  assert_ok(fcps_store_begin(store, false, NULL));
  assert_ok(fcps_store_each(store, after, look, &s, NULL));
  assert_ok(fcps_store_commit(store, NULL));
  return s;
}

/* Appends a record in a transaction of its own. */
static inline void append_alone(fcps_store *store, int64_t ask)
{
  assert_ok(fcps_store_begin(store, true, NULL));
  append(store, ask);
  assert_ok(fcps_store_commit(store, NULL));
}

#endif
