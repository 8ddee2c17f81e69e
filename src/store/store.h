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

/* These numbers are written to files: new kinds are added at the end, and none is ever renumbered. */
typedef enum fcps_journal_kind {
  /* parameters were given out; `other` is the learner's id, `outcome` is what the ask expects */
  FCPS_JOURNAL_ASK = 1,
  FCPS_JOURNAL_TELL = 2,   /* a result; `other` counts the results of one ask from 1 */
  FCPS_JOURNAL_FORGET = 3, /* an ask was given up */
  /* result number `other` of the ask counts; without an ask, the result with the sequence `other` */
  FCPS_JOURNAL_USE = 4,
  FCPS_JOURNAL_CHANGE = 5, /* the problem was amended: `client` says what, `text` is the new value */
  FCPS_JOURNAL_NOTE = 6,   /* a note: `client` is a stable code, `text` is in words */
  FCPS_JOURNAL_DROP = 7    /* the result with sequence `other` no longer counts */
} fcps_journal_kind;

typedef struct fcps_numbers {
  int count;
  const double *values; /* NULL if absent */
} fcps_numbers;

/* One record of the journal. A text is "" if there is none. */
typedef struct fcps_journal_record {
  int64_t sequence; /* number of the record, from 1; the store sets it */
  fcps_journal_kind kind;
  int64_t ask;                     /* the ask to which the record belongs; 0: none */
  int64_t other;                   /* depends on the kind, see above */
  int64_t time_ms;                 /* by the wall clock; shown to people, never used to order records */
  int status;                      /* for a result its fcps_rollout_status; for an ask that was given up 0 */
  double reward, hindsight_reward; /* NaN if there is none */
  fcps_numbers target, environment, parameters, outcome;
  const char *client, *text;
} fcps_journal_record;

typedef struct fcps_store fcps_store;

/* The key of the text that differs between any two stores, except between a store and its copies. */
#define FCPS_STORE_ID "id"

/* A function that is called for each named text. Its pointers are valid during the call. */
typedef fcps_status fcps_text_fn(void *user, const char *key, const char *text, fcps_error *error);

/* A function that is called for each record in order. The pointers of the record are valid during the call. If it
 * returns a status other than FCPS_OK, reading ends. */
typedef fcps_status fcps_journal_fn(void *user, const fcps_journal_record *record, fcps_error *error);

/* If `is_relaxed`, a commit does not wait for the disk: it survives a killed process, but not a power cut. Calls wait
 * up to `wait_ms` for other processes. */
typedef struct fcps_store_options {
  bool is_relaxed;
  int wait_ms;
} fcps_store_options;

typedef struct fcps_store_ops fcps_store_ops;

/* The last record that a handle has read or stored. If its sequence is 0, there is none yet. */
typedef struct fcps_store_seen {
  int64_t sequence;
  uint64_t checksum;
} fcps_store_seen;

/* The parts of a URL. */
typedef struct fcps_store_url {
  const fcps_store_ops *ops;
  const char *name;    /* the URL as it was given: for messages, and for the commands that they suggest */
  const char *address; /* what follows the scheme; for a plain path, the whole path */
} fcps_store_url;

/* A back-end. It may leave out (NULL) open, recognize, remove, repair, backup and restore: they then fail with
 * FCPS_ERR_UNSUPPORTED. It may also leave out check, time and wait. */
struct fcps_store_ops {
  const char *scheme, *other_scheme; /* `other_scheme` may be NULL */
  const char *form;                  /* how its URLs look: "sqlite:PATH" */
  /* ends the sentence "this kind of store ...", which says why it cannot do something */
  const char *about;
  bool is_shared;   /* the study outlives its handle, and several processes may open it */
  bool has_address; /* whether something must follow the scheme; if not, nothing may */

  /* refuses an address before it is used, and before any message repeats it */
  fcps_status (*check)(const fcps_store_url *url, fcps_error *error);

  /* returns the name of the study in its address; NULL: the name of its file */
  const char *(*study_name)(const fcps_store_url *url);

  /* These functions need no open store; the functions of the same names below describe them. */
  fcps_status (*create)(fcps_store **store, const fcps_store_url *url, fcps_store_options options, fcps_error *error);
  fcps_status (*open)(fcps_store **store, const fcps_store_url *url, fcps_store_options options, fcps_error *error);
  fcps_status (*exists)(bool *exists, const fcps_store_url *url, fcps_error *error);
  fcps_status (*recognize)(const fcps_store_url *url, fcps_error *error);
  fcps_status (*remove)(const fcps_store_url *url, fcps_error *error); /* holds the study meanwhile */
  fcps_status (*repair)(const fcps_store_url *url, const fcps_store_url *to, int64_t *saved, fcps_error *error);
  fcps_status (*backup)(const fcps_store_url *url, const fcps_store_url *to, bool may_replace, int64_t *records,
                        fcps_error *error);
  fcps_status (*restore)(const fcps_store_url *from, const fcps_store_url *url, bool may_replace, char **kept,
                         int64_t *records, fcps_error *error);

  /* These functions need an open store. */
  fcps_status (*hold)(fcps_store *store, fcps_error *error); /* NULL: no other handle can have the study */
  bool (*is_held)(fcps_store *store, fcps_error *who);       /* NULL: no other handle can hold it */
  int (*hold_file)(const fcps_store *store);                 /* NULL: there is no such descriptor */
  int (*claimed_file)(const fcps_store *store);              /* NULL: there is no such descriptor */
  fcps_status (*begin)(fcps_store *store, bool writing, fcps_error *error);
  fcps_status (*commit)(fcps_store *store, fcps_error *error);
  void (*rollback)(fcps_store *store);
  fcps_status (*append)(fcps_store *store, const fcps_journal_record *record, int64_t *sequence, fcps_error *error);
  fcps_status (*insert)(fcps_store *store, const fcps_journal_record *record, fcps_error *error);
  fcps_status (*each)(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user, fcps_error *error);
  fcps_status (*each_text)(fcps_store *store, fcps_text_fn *visit, void *user, fcps_error *error);
  fcps_status (*set)(fcps_store *store, const char *key, const char *text, fcps_error *error);
  fcps_status (*get)(fcps_store *store, const char *key, char **text, fcps_error *error);
  /* NULL: the store needs no reserved space */
  fcps_status (*reserve)(fcps_store *store, size_t bytes, fcps_error *error);
  fcps_status (*time)(fcps_store *store, int64_t *time_ms, fcps_error *error);
  fcps_status (*wait)(fcps_store *store, int wait_ms, fcps_error *error);
  char *(*beside)(
      const fcps_store *store,
      const char *
          end); /* the path of a companion file, the study's path with `end`; NULL: this kind of store has no such files */
  void (*close)(fcps_store *store); /* also ends the hold */
};

/* The first member of every back-end's own struct. */
struct fcps_store {
  const fcps_store_ops *ops;
  char *name; /* the URL as it was given */
  char *word; /* the URL quoted for a shell, for commands that messages suggest */
  /* a message about something that was done, and that the user should know; NULL: none */
  char *notice;
  char *id; /* the text under FCPS_STORE_ID, freed with free; NULL: none */
  /* the last record that is known to be stored, and the last one in the open transaction */
  fcps_store_seen seen, pending;
  bool is_open; /* a transaction is open */
  bool is_writing;
  bool is_broken; /* a write failed and must not be tried again; the store can only be read until it is opened again */
};

/* Returns back-end `index` of the table; NULL after the last one. The first is used for plain paths. */
const fcps_store_ops *fcps_store_at(int index);

/* Splits a URL into its parts (NULL means memory:). Refuses unknown schemes, and addresses that the back-end cannot
 * use. The parts point into `text`. */
fcps_status fcps_store_read_url(fcps_store_url *url, const char *text, fcps_error *error);

/* Returns the name of the study at a URL: "throw" for throw.fcps in any folder, and for
 * postgresql://HOST/DATABASE#throw. The caller frees it with free; NULL if memory ran out. */
char *fcps_store_study_name(const char *url);

/* Fills in the first member of a back-end's struct. It may be closed even after a failure. */
fcps_status fcps_store_prepare(fcps_store *store, const fcps_store_url *url, fcps_error *error);

/* Makes a store, but never replaces one. The new store has an open writing transaction, and exists as soon as that is
 * committed. If it is closed or its process is killed before, nothing remains. */
fcps_status fcps_store_create(fcps_store **store, const char *url, fcps_store_options options, fcps_error *error);

/* Opens an existing store, after checking that it is complete. */
fcps_status fcps_store_open(fcps_store **store, const char *url, fcps_store_options options, fcps_error *error);

/* Whether anything has this name, a study or not. If so, `create` would fail. A study whose making was interrupted does
 * not count. */
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

/* Makes `url` a copy of the backup `from`, which is checked first. What had this name gets another name, which is
 * returned in *kept (freed with free; NULL if there was nothing). Fails while somebody holds `url` or this process has
 * it open, and if another study is there, unless `may_replace`. */
fcps_status fcps_store_restore(const char *from, const char *url, bool may_replace, char **kept, int64_t *records,
                               fcps_error *error);

/* Holds the store until it is closed. Fails with FCPS_ERR_LOCKED, and names the holder, if another handle of this or
 * another process holds it. A handle that already holds the store may call this again. */
fcps_status fcps_store_hold(fcps_store *store, fcps_error *error);

/* Whether another handle holds the store now. If so, `who` names the holder. Nothing is locked. */
bool fcps_store_is_held(fcps_store *store, fcps_error *who);

/* The descriptor by which the store is held; -1 if it is not held, or is held without a descriptor. If a program
 * inherits it, the store stays held until that program has ended too. */
int fcps_store_hold_file(const fcps_store *store);

/* The descriptor of the store's own file, which is locked while it is held as well; -1 if there is none. A guardian
 * that is forked keeps it; programs must not have it. */
int fcps_store_claimed_file(const fcps_store *store);

/* Begins a transaction. Reading needs one as well, so that it sees a single state. */
fcps_status fcps_store_begin(fcps_store *store, bool writing, fcps_error *error);

/* Commits a transaction. After a failure nothing was stored, or it is unknown whether it was; in both cases the
 * caller must not acknowledge it. */
fcps_status fcps_store_commit(fcps_store *store, fcps_error *error);
void fcps_store_rollback(fcps_store *store); /* does nothing if no transaction is open */

fcps_status fcps_store_append(fcps_store *store, const fcps_journal_record *record, int64_t *sequence,
                              fcps_error *error);

/* Visits the records with a sequence above `after`. */
fcps_status fcps_store_each(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user, fcps_error *error);

/* Write and read named texts. *text is NULL if there is none; otherwise the caller frees it with free. */
fcps_status fcps_store_set(fcps_store *store, const char *key, const char *text, fcps_error *error);
fcps_status fcps_store_get(fcps_store *store, const char *key, char **text, fcps_error *error);

/* Returns the time in milliseconds since 1970. The clock is the same for all users of the store: that of the database,
 * or, for a file, that of this machine. Only within a transaction. */
fcps_status fcps_store_time(fcps_store *store, int64_t *time_ms, fcps_error *error);

/* Waits until another handle may have stored something since the last call, or until the time is over. Only between
 * transactions. */
fcps_status fcps_store_wait(fcps_store *store, int wait_ms, fcps_error *error);

/* Copies one state of a store to a new store of any kind, which then answers the same. Returns how many records there
 * are. */
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

/* Returns the text under FCPS_STORE_ID, which only copies of this store share; NULL if there is none. */
const char *fcps_store_identity(const fcps_store *store);

/* Results that wait to be stored are files beside the store, numbered from 1. They are removed with the store. There
 * are enough names for all trials that a run may have under way, and some more. */
enum { FCPS_STORE_KEPT_COUNT = 320 };
#define FCPS_STORE_KEPT_END "-kept-%d.json"

/* Returns the path of a file beside the store that belongs to it. The path is the same under all names of the store.
 * The caller frees it with free; it is NULL if no file can be kept beside the store. */
fcps_status fcps_store_beside(const fcps_store *store, const char *end, char **path, fcps_error *error);

/* Returns the path of a file that belongs to a study on another machine: FOLDER/fcps/ID followed by `end`. The caller
 * frees it with free; NULL if memory ran out. */
char *fcps_store_state_path(const char *id, const char *end);

void fcps_store_close(fcps_store *store); /* `store` may be NULL; rolls back an open transaction */

/* -- Network file systems -- */

/* Whether a store lies on a network file system, where SQLite's locks and syncs cannot be trusted. */

/* Returns the name of the network file system on which a store lies; NULL if it lies on none, or if this is not
 * known. */
const char *fcps_store_network(const char *url);

/* Returns the name of a network file system by the number with which Linux marks it (statfs(2)); NULL for all other
 * file systems. */
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

/* Returns the checksum of everything in a record, including its sequence. Rewards must be as they are when they are
 * read again: NaN for none, and no -0. */
uint64_t fcps_store_record_checksum(const fcps_journal_record *record);

/* Returns the checksum of a named text and of its name. */
uint64_t fcps_store_text_checksum(const char *key, const char *text);

/* -- Lost records -- */

/* The numbers of records that a repair could not save, in ascending order, as in "3, 7-9". Only these records may be
 * missing from a journal. */

/* The name under which a store keeps the text. */
#define FCPS_LOST_KEY "lost"

/* Whether the list contains all numbers from `first` to `last`. NULL is the empty list. */
bool fcps_lost_has(const char *list, int64_t first, int64_t last);

/* Returns the last number of the list; 0 if the list is empty. */
int64_t fcps_lost_end(const char *list);

/* Returns how many numbers the list contains. */
int64_t fcps_lost_count(const char *list);

/* A list that is being written. It is freed by freeing its text, which is NULL as long as the list is empty. */
typedef struct fcps_lost_list {
  char *text;
  size_t length, capacity;
} fcps_lost_list;

/* Appends the numbers from `first` to `last`, which must be above all others. Returns false if memory ran out. */
bool fcps_lost_add(fcps_lost_list *list, int64_t first, int64_t last);

#endif
