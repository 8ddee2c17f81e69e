/* SPDX-License-Identifier: Apache-2.0 */
/* Where a study is kept: a journal of records that only grows, and a few named texts that are replaced.
 *
 * A store is named by a URL, and its scheme chooses the back-end (the table in store.c):
 *
 *   PATH         one file, the same as sqlite:PATH
 *   sqlite:PATH  one SQLite file, also for several processes
 *   postgresql://HOST/DATABASE#NAME   one of the studies in a PostgreSQL database, also for several machines
 *   memory:      a new store in memory, gone when it is closed; no URL (NULL) means the same
 *
 * A name is a URL only if it begins with SCHEME: and SCHEME is in the table, or if it begins with SCHEME:// (a scheme is
 * a letter, then letters, digits, '+', '.' and '-'; before :// its case does not matter). A scheme that is not in the
 * table is refused together with the list of those that are, and what follows it is not repeated: it may have a
 * password. Every other name is a path: `a:b.fcps` and `C:x` are, and ./NAME always is.
 *
 * What every back-end promises, and tests/store/test_store.c checks for each:
 *   - Nothing in the journal is ever changed or deleted. A result that is not used, a change of the reward and a choice
 *     between two results are records like any other.
 *   - All writing happens between begin and commit. After commit returned FCPS_OK it is there whole, and it outlives
 *     what the back-end says that it outlives; before, or after a rollback, nothing of it is seen by anybody.
 *   - One writer at a time, from begin to commit. Records become visible in the order of their sequences, so a reader
 *     that has seen all up to N needs only `each` after N to see what others have stored since.
 *   - A reading transaction sees one state, and readers never wait for a writer that has not reached its commit.
 *   - A long run holds a store: the second holder is refused and told who the first is. The hold ends with the store's
 *     handle, or with its process and the programs that have inherited it.
 *   - A store that is replaced by another while it is open is noticed: the next call fails with FCPS_ERR_DAMAGED.
 *   - Only what is recognized as a study is removed. What is damaged is refused, never changed. A record or a text
 *     that is read is the one that was written, and no record is missing, unless a repair has noted it as lost.
 *
 * Users of a store know its URL and nothing else: that there are files, and which, is known to the back-end.
 */
#ifndef FCPS_STORE_STORE_H
#define FCPS_STORE_STORE_H

#include <fcps/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers are written to files: append, never renumber. */
typedef enum fcps_journal_kind {
  FCPS_JOURNAL_ASK = 1,    /* parameters handed out; `other` is the learner's id, `outcome` what it expects */
  FCPS_JOURNAL_TELL = 2,   /* a result; `other` counts the results of one ask from 1 */
  FCPS_JOURNAL_FORGET = 3, /* an ask that will not be told */
  FCPS_JOURNAL_USE = 4, /* use result number `other` of the ask; without an ask, the result with the sequence `other` */
  FCPS_JOURNAL_CHANGE = 5, /* the problem is amended: `client` names what, `text` is the new value */
  FCPS_JOURNAL_NOTE = 6,   /* something worth knowing: `client` is a stable code, `text` the words */
  FCPS_JOURNAL_DROP = 7    /* the result with sequence `other` no longer counts */
} fcps_journal_kind;

typedef struct fcps_numbers {
  int count;
  const double *values; /* NULL: absent */
} fcps_numbers;

/* One line of the journal. Texts are "" if there is none. */
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

/* The text that tells a store from all others but its own copies, made with it. */
#define FCPS_STORE_ID "id"

/* Called for each named text; its pointers live during the call. */
typedef fcps_status fcps_text_fn(void *user, const char *key, const char *text, fcps_error *error);

/* Is called for each record in order. The pointers of the record are valid during the call. If it returns another
 * status than FCPS_OK, the reading ends. */
typedef fcps_status fcps_journal_fn(void *user, const fcps_journal_record *record, fcps_error *error);

/* If `is_relaxed`, a commit does not wait for the disk: it survives a killed process, but not a power cut. Calls wait
 * up to `wait_ms` for other processes. */
typedef struct fcps_store_options {
  bool is_relaxed;
  int wait_ms;
} fcps_store_options;

typedef struct fcps_store_ops fcps_store_ops;

/* The last record that a handle has read or stored; sequence 0: none yet. */
typedef struct fcps_store_seen {
  int64_t sequence;
  uint64_t checksum;
} fcps_store_seen;

/* A URL, taken apart. */
typedef struct fcps_store_url {
  const fcps_store_ops *ops;
  const char *name;    /* the URL as it was given: for messages, and for the commands that they suggest */
  const char *address; /* what follows the scheme; of a plain path, all of it */
} fcps_store_url;

/* A back-end. It may leave out (NULL) open, recognize, remove, repair, backup and restore: they then fail with
 * FCPS_ERR_UNSUPPORTED. It may also leave out check, time and wait. */
struct fcps_store_ops {
  const char *scheme, *other_scheme; /* the other name may be NULL */
  const char *form;                  /* how its URLs look: "sqlite:PATH" */
  const char *about;                 /* the words after "this kind of store ..." that say why it cannot do something */
  bool is_shared;                    /* it outlives its handle, and several processes may open it */
  bool has_address;                  /* true: something must follow the scheme; false: nothing may */

  /* refuses an address before anything is done with it, and before it is repeated in any words */
  fcps_status (*check)(const fcps_store_url *url, fcps_error *error);

  /* how a study is called within its address; NULL: by the name of its file */
  const char *(*study_name)(const fcps_store_url *url);

  /* on a store that need not be open; see the functions of the same names below */
  fcps_status (*create)(fcps_store **store, const fcps_store_url *url, fcps_store_options options, fcps_error *error);
  fcps_status (*open)(fcps_store **store, const fcps_store_url *url, fcps_store_options options, fcps_error *error);
  fcps_status (*exists)(bool *exists, const fcps_store_url *url, fcps_error *error);
  fcps_status (*recognize)(const fcps_store_url *url, fcps_error *error);
  fcps_status (*remove)(const fcps_store_url *url, fcps_error *error); /* holds it meanwhile */
  fcps_status (*repair)(const fcps_store_url *url, const fcps_store_url *to, int64_t *saved, fcps_error *error);
  fcps_status (*backup)(const fcps_store_url *url, const fcps_store_url *to, bool may_replace, int64_t *records,
                        fcps_error *error);
  fcps_status (*restore)(const fcps_store_url *from, const fcps_store_url *url, bool may_replace, char **kept,
                         int64_t *records, fcps_error *error);

  /* on an open store */
  fcps_status (*hold)(fcps_store *store, fcps_error *error); /* NULL: nobody else can have it */
  bool (*is_held)(fcps_store *store, fcps_error *who);       /* NULL: nobody else can hold it */
  int (*hold_file)(const fcps_store *store);                 /* NULL: it has none */
  int (*claimed_file)(const fcps_store *store);              /* NULL: it has none */
  fcps_status (*begin)(fcps_store *store, bool writing, fcps_error *error);
  fcps_status (*commit)(fcps_store *store, fcps_error *error);
  void (*rollback)(fcps_store *store);
  fcps_status (*append)(fcps_store *store, const fcps_journal_record *record, int64_t *sequence, fcps_error *error);
  fcps_status (*insert)(fcps_store *store, const fcps_journal_record *record, fcps_error *error);
  fcps_status (*each)(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user, fcps_error *error);
  fcps_status (*each_text)(fcps_store *store, fcps_text_fn *visit, void *user, fcps_error *error);
  fcps_status (*set)(fcps_store *store, const char *key, const char *text, fcps_error *error);
  fcps_status (*get)(fcps_store *store, const char *key, char **text, fcps_error *error);
  fcps_status (*reserve)(fcps_store *store, size_t bytes, fcps_error *error); /* NULL: it keeps its own space */
  fcps_status (*time)(fcps_store *store, int64_t *time_ms, fcps_error *error);
  fcps_status (*wait)(fcps_store *store, int wait_ms, fcps_error *error);
  char *(*beside)(
      const fcps_store *store,
      const char *
          end); /* the path of a companion file, the study's path with `end`; NULL: this kind of store has no such files */
  void (*close)(fcps_store *store); /* ends the hold */
};

/* The head of every back-end's own struct. */
struct fcps_store {
  const fcps_store_ops *ops;
  char *name;                    /* the URL as it was given */
  char *word;                    /* the same as a shell takes it, for commands that messages suggest */
  char *notice;                  /* something that was done and that the user should know, in words; NULL: nothing */
  char *id;                      /* what tells it from all others but its own copies, freed with free; NULL: nothing */
  fcps_store_seen seen, pending; /* the last record that is known; the same in the transaction that is open */
  bool is_open;                  /* between begin and commit or rollback */
  bool is_writing;
  bool is_broken; /* a write failed in a way that must not be retried: read-only until opened again */
};

/* The back-ends, in the order of the table; NULL past the end. The first is the one of plain paths. */
const fcps_store_ops *fcps_store_at(int index);

/* Splits a URL into its parts (NULL means memory:). Refuses unknown schemes, and addresses that the back-end cannot
 * use. The parts point into `text`. */
fcps_status fcps_store_read_url(fcps_store_url *url, const char *text, fcps_error *error);

/* The name of the study at a URL: throw.fcps in any folder is throw, and so is postgresql://HOST/DATABASE#throw. Freed with
 * free; NULL without memory. */
char *fcps_store_study_name(const char *url);

/* Fills the head of a back-end's struct. It may be closed also after a failure. */
fcps_status fcps_store_prepare(fcps_store *store, const fcps_store_url *url, fcps_error *error);

/* Makes a store, but never replaces one. The new store has a writing transaction open, and exists once that is
 * committed. If it is closed or its process is killed before, nothing remains. */
fcps_status fcps_store_create(fcps_store **store, const char *url, fcps_store_options options, fcps_error *error);

/* Opens a store that exists, after a check that it is whole. */
fcps_status fcps_store_open(fcps_store **store, const char *url, fcps_store_options options, fcps_error *error);

/* Tells whether anything exists under a name, be it a study or not; `create` would then fail. A study whose making
 * was interrupted does not count. */
fcps_status fcps_store_exists(bool *exists, const char *url, fcps_error *error);

/* Refuses with FCPS_ERR_FORMAT if what exists under a name is not marked as a study. Succeeds if nothing exists, or
 * only a study whose making was interrupted. Only the head is read: the rest may be damaged. */
fcps_status fcps_store_recognize(const char *url, fcps_error *error);

/* Deletes a store and all files that belong to it, even if it is damaged. Succeeds if nothing exists. Refuses while
 * somebody holds the store or this process has it open, and, unless `is_ours`, if it is not marked as a study. */
fcps_status fcps_store_remove(const char *url, bool is_ours, fcps_error *error);

/* Copies the undamaged records and texts of a store into a new one of the same kind, and counts the records. The text
 * FCPS_LOST_KEY of the new store has the numbers of the records that were lost. */
fcps_status fcps_store_repair(const char *url, const char *to, int64_t *saved, fcps_error *error);

/* Copies a store to another of the same kind, even while others write: the copy has one consistent state. Counts its
 * records. An existing store is replaced only if `may_replace`, only if it is a study, and never by a copy of itself. */
fcps_status fcps_store_backup(const char *url, const char *to, bool may_replace, int64_t *records, fcps_error *error);

/* Makes `url` a copy of the backup `from`, which is checked first. What was there gets another name, which *kept says
 * (freed with free; NULL: nothing was there). Refused while somebody holds `url` or this process has it open, and if
 * another study is there, unless `may_replace`. */
fcps_status fcps_store_restore(const char *from, const char *url, bool may_replace, char **kept, int64_t *records,
                               fcps_error *error);

/* Holds the store until it is closed. Fails with FCPS_ERR_LOCKED, and names the holder, if another handle of this or
 * another process holds it. A handle that already holds the store may call this again. */
fcps_status fcps_store_hold(fcps_store *store, fcps_error *error);

/* Tells whether another handle holds the store now; `who` then names the holder as above. Nothing is locked by
 * asking. */
bool fcps_store_is_held(fcps_store *store, fcps_error *who);

/* The descriptor by which the store is held; -1 if it is not held, or is held without a descriptor. If a program
 * inherits it, the store stays held until that program has ended too. */
int fcps_store_hold_file(const fcps_store *store);

/* The descriptor of the store's own file, which is locked while it is held as well; -1 if there is none. A guardian
 * that is forked keeps it; programs must not have it. */
int fcps_store_claimed_file(const fcps_store *store);

/* Begins a transaction. Reading happens in one as well, so that it sees one state. */
fcps_status fcps_store_begin(fcps_store *store, bool writing, fcps_error *error);

/* Commits a transaction. After a failure nothing was stored, or it is unknown whether it was; in both cases the
 * caller must not acknowledge it. */
fcps_status fcps_store_commit(fcps_store *store, fcps_error *error);
void fcps_store_rollback(fcps_store *store); /* does nothing if no transaction is open */

fcps_status fcps_store_append(fcps_store *store, const fcps_journal_record *record, int64_t *sequence,
                              fcps_error *error);

/* Visits the records with a sequence above `after`. */
fcps_status fcps_store_each(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user, fcps_error *error);

/* Named texts; *text is NULL if there is none, else freed with free. */
fcps_status fcps_store_set(fcps_store *store, const char *key, const char *text, fcps_error *error);
fcps_status fcps_store_get(fcps_store *store, const char *key, char **text, fcps_error *error);

/* The time in milliseconds since 1970, by a clock that all users of the store share: that of the database, otherwise
 * that of this machine. Only within a transaction. */
fcps_status fcps_store_time(fcps_store *store, int64_t *time_ms, fcps_error *error);

/* Waits until another handle may have stored something since the last call, or until the time is over. Only between
 * transactions. */
fcps_status fcps_store_wait(fcps_store *store, int wait_ms, fcps_error *error);

/* Copies one state of a store to a new one, of whatever kind: what it answers is the same. Says how many records. */
fcps_status fcps_store_copy(const char *url, const char *to, fcps_store_options options, int64_t *records,
                            fcps_error *error);

/* Reserves space for one more commit of `bytes`; 0 frees it. If a commit finds the disk full, free the space and
 * repeat the commit. */
fcps_status fcps_store_reserve(fcps_store *store, size_t bytes, fcps_error *error);

/* Handles of one process on the same store share how many records they have seen: afterwards `store` and `latest`
 * both know the later one. A handle that knows of a record notices if the store is replaced by a state without that
 * record. Only between transactions. */
void fcps_store_share_seen(fcps_store *store, fcps_store_seen *latest);

/* For back-ends: notes that a record was read or added in the transaction that is open. */
void fcps_store_saw(fcps_store *store, const fcps_journal_record *record);

/* For back-ends: gives a new store its id within its first transaction, unless one was copied into it. */
fcps_status fcps_store_give_id(fcps_store *store, fcps_error *error);

/* What tells this store from all others but its own copies; NULL if there is nothing. */
const char *fcps_store_identity(const fcps_store *store);

/* Results that wait to be stored are files beside the store, numbered from 1. They are removed with the store. There
 * are enough names for all trials that a run may have under way, and some more. */
enum { FCPS_STORE_KEPT_COUNT = 320 };
#define FCPS_STORE_KEPT_END "-kept-%d.json"

/* The path of a file that belongs to the store and lies beside it, freed with free; it is the same under all names of
 * the store. *path is NULL if nothing can be kept beside it. */
fcps_status fcps_store_beside(const fcps_store *store, const char *end, char **path, fcps_error *error);

/* Where a file lies that belongs to a study elsewhere, FOLDER/fcps/ID and the end; freed with free. NULL without memory. */
char *fcps_store_state_path(const char *id, const char *end);

void fcps_store_close(fcps_store *store); /* may be NULL; rolls back what is open */

/* -- Network file systems -- */

/* Whether a store lies on a network file system, where SQLite's locks and syncs cannot be trusted. */

/* The name of the network file system that a store is kept on; NULL if it is on none, or if that is not known. */
const char *fcps_store_network(const char *url);

/* The name of a network file system by the number with which Linux marks it (statfs(2)); NULL for all others. */
const char *fcps_store_network_name(int64_t magic);

/* -- Checksums and lost records --
 *
 * By checksums a store notices that records were changed. A list names the records that may be missing.
 *
 * Checksums are written to files: what they cover, and in which order, never changes.
 *
 * The checksum is in the row, not in the page, so a changed record can be refused by its number and all others
 * saved; SQLite itself notices damage to its structure, not to a number. FNV-1a notices every change within one
 * byte. Numbers of records have no gaps, so a missing one is noticed too. */

/* The checksum of everything in a record, its sequence included. Rewards must be as they are read again: NaN for none,
 * and no -0. */
uint64_t fcps_store_record_checksum(const fcps_journal_record *record);

/* The checksum of a named text and its name. */
uint64_t fcps_store_text_checksum(const char *key, const char *text);

/* -- Lost records -- */

/* The numbers of records that a repair could not save, as a text: "3, 7-9". They grow from left to right. Only these
 * records may be missing from a journal. */

/* The name under which a store keeps the text. */
#define FCPS_LOST_KEY "lost"

/* Tells whether all of first ... last are in the list; NULL is the empty list. */
bool fcps_lost_has(const char *list, int64_t first, int64_t last);

/* The last number of the list; 0: none. */
int64_t fcps_lost_end(const char *list);

/* How many numbers are in the list. */
int64_t fcps_lost_count(const char *list);

/* A list that is being written; freed by freeing its text, which is NULL while it is empty. */
typedef struct fcps_lost_list {
  char *text;
  size_t length, capacity;
} fcps_lost_list;

/* Appends first ... last, which are above all others; false without memory. */
bool fcps_lost_add(fcps_lost_list *list, int64_t first, int64_t last);

#endif
