/* SPDX-License-Identifier: Apache-2.0 */
/* Where a study is kept: a journal of records that only grows, and a few named texts that are replaced.
 *
 * Nothing is ever changed or deleted in the journal: a result that is not used, a change of the reward and a choice
 * between two results are records like any other. All writing happens between begin and commit, and is there whole
 * after commit returned FCPS_OK, or not at all. A back-end is an fcps_store_ops; tests/store has the test body that
 * each must pass.
 */
#ifndef FCPS_STORE_STORE_H
#define FCPS_STORE_STORE_H

#include <fcps/problem.h>

/* Numbers are written to files: append, never renumber. */
typedef enum fcps_journal_kind {
  FCPS_JOURNAL_ASK = 1,    /* parameters handed out; `other` is the learner's id */
  FCPS_JOURNAL_TELL = 2,   /* a result; `other` counts the results of one ask from 1 */
  FCPS_JOURNAL_FORGET = 3, /* an ask that will not be told */
  FCPS_JOURNAL_USE =
      4, /* of several results of an ask, use number `other`; without an ask the one with that sequence */
  FCPS_JOURNAL_CHANGE = 5, /* the problem is amended: `client` names what, `text` is the new value */
  FCPS_JOURNAL_NOTE = 6,   /* something worth knowing: `client` is a stable code, `text` the words */
  FCPS_JOURNAL_DROP = 7    /* the result with sequence `other` no longer counts */
} fcps_journal_kind;

typedef struct fcps_numbers {
  int count;
  const double *values; /* NULL: absent */
} fcps_numbers;

/* One line of the journal. Texts are "" where there is none. */
typedef struct fcps_journal_record {
  int64_t sequence; /* from 1, set by the store */
  fcps_journal_kind kind;
  int64_t ask;                     /* the ask concerned; 0 for none */
  int64_t other;                   /* see the kinds */
  int64_t time_ms;                 /* of the wall clock; for people, never for order */
  int status;                      /* of a tell: fcps_rollout_status; of a forget 0 */
  double reward, hindsight_reward; /* NaN: none */
  fcps_numbers target, environment, parameters, outcome;
  const char *client, *text;
} fcps_journal_record;

typedef struct fcps_store fcps_store;

/* Called for each record in order; its pointers live during the call. Another status than FCPS_OK ends the reading. */
typedef fcps_status fcps_journal_fn(void *user, const fcps_journal_record *record, fcps_error *error);

typedef struct fcps_store_ops {
  fcps_status (*begin)(fcps_store *store, bool writing, fcps_error *error);
  fcps_status (*commit)(fcps_store *store, fcps_error *error);
  void (*rollback)(fcps_store *store);
  fcps_status (*append)(fcps_store *store, const fcps_journal_record *record, int64_t *sequence, fcps_error *error);
  fcps_status (*each)(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user, fcps_error *error);
  fcps_status (*set)(fcps_store *store, const char *key, const char *text, fcps_error *error);
  fcps_status (*get)(fcps_store *store, const char *key, char **text, fcps_error *error);
  fcps_status (*reserve)(fcps_store *store, size_t bytes, fcps_error *error);
  void (*close)(fcps_store *store);
} fcps_store_ops;

/* The head of every back-end's own struct. */
struct fcps_store {
  const fcps_store_ops *ops;
  bool is_open; /* between begin and commit or rollback */
  bool is_writing;
  bool is_broken; /* a write failed in a way that must not be retried: read-only until opened again */
};

/* A store that lives as long as the process. */
fcps_status fcps_store_memory(fcps_store **store, fcps_error *error);

/* One SQLite file. `create` makes it and refuses one that exists. With `is_relaxed` a commit does not wait for the
 * disk: it survives a killed process, not a power cut. Waits up to `wait_ms` for other processes. */
typedef struct fcps_store_options {
  bool is_relaxed;
  int wait_ms;
} fcps_store_options;
fcps_status fcps_store_sqlite_create(fcps_store **store, const char *path, fcps_store_options options,
                                     fcps_error *error);
fcps_status fcps_store_sqlite_open(fcps_store **store, const char *path, fcps_store_options options, fcps_error *error);

/* Whether a file says of itself that it is a study; also fine where it is empty or not there. Reads no more than its
 * head: what follows may be damaged. */
fcps_status fcps_store_sqlite_recognize(const char *path, fcps_error *error);

/* Copies what can be read of a damaged file into a new one; says how many records were saved. */
fcps_status fcps_store_sqlite_repair(const char *path, const char *to, int64_t *saved, fcps_error *error);

/* Reading happens in a transaction too, so that it sees one state. */
fcps_status fcps_store_begin(fcps_store *store, bool writing, fcps_error *error);

/* On failure nothing was stored, or it is unknown whether it was; in both cases it must not be acknowledged. */
fcps_status fcps_store_commit(fcps_store *store, fcps_error *error);
void fcps_store_rollback(fcps_store *store); /* fine without begin */

fcps_status fcps_store_append(fcps_store *store, const fcps_journal_record *record, int64_t *sequence,
                              fcps_error *error);

/* Visits the records with a sequence above `after`. */
fcps_status fcps_store_each(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user, fcps_error *error);

/* Named texts; *text is NULL where there is none, else freed with free. */
fcps_status fcps_store_set(fcps_store *store, const char *key, const char *text, fcps_error *error);
fcps_status fcps_store_get(fcps_store *store, const char *key, char **text, fcps_error *error);

/* Keeps space for one more commit of `bytes`, which is given back when a commit finds the disk full; 0 gives it back
 * now. */
fcps_status fcps_store_reserve(fcps_store *store, size_t bytes, fcps_error *error);

void fcps_store_close(fcps_store *store); /* may be NULL; rolls back what is open */

#endif
