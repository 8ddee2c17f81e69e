/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes, errors, the log callback and the version: what every other header builds on.
 *
 * A function that can fail returns an fcps_status. Its message is in an fcps_error, which the caller gives or the
 * handle keeps (fcps_learner_error). The library never prints, exits or catches signals.
 *
 * Every argument is checked. A function refuses with FCPS_ERR_ARGUMENT, and names the argument in `field`, if a
 * pointer is NULL although no comment allows it, a count is negative, or a number is outside its enumeration. A
 * function without a status then does nothing and returns 0, false, NaN or NULL. An fcps_error may always be NULL.
 *
 *   if (fcps_study_open(&study, "throw.fcps", NULL, &error) != FCPS_OK)
 *     puts(fcps_error_format(&error, sizeof text, text));
 *
 * Callbacks. The library calls your function only within a call of yours, in the same thread. A callback must return:
 * it must not jump out (longjmp, C++ exceptions). It may use other handles. Of the handle whose call it runs in, it may
 * call only functions that read: they take the handle as const and return no status. Other functions refuse with
 * FCPS_ERR_BUSY, and destroy or close do nothing. If a callback may do more, its comment says so. After a callback has
 * failed, the library does not call it again until your next call.
 */
#ifndef FCPS_BASE_H
#define FCPS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FCPS_API __attribute__((visibility("default")))
#else
#define FCPS_API
#endif

/* All status codes, with name and text. FCPS_OK is 0, the others are positive. New ones are added at the end, so
 * that old ones keep their numbers. */
#define FCPS_STATUS_LIST(X)                                                                                            \
  X(FCPS_OK, "ok")                                                                                                     \
  X(FCPS_ERR_ARGUMENT, "invalid argument")                                                                             \
  X(FCPS_ERR_MEMORY, "out of memory")                                                                                  \
  X(FCPS_ERR_NOT_FINITE, "a number is NaN or infinite")                                                                \
  X(FCPS_ERR_BOUNDS, "a value lies outside its bounds")                                                                \
  X(FCPS_ERR_UNKNOWN_NAME, "unknown name")                                                                             \
  X(FCPS_ERR_UNSUPPORTED, "not possible for this problem")                                                             \
  X(FCPS_ERR_UNAVAILABLE, "an optional part is missing")                                                               \
  X(FCPS_ERR_FORMAT, "malformed text or file")                                                                         \
  X(FCPS_ERR_IO, "reading or writing a file failed")                                                                   \
  X(FCPS_ERR_NOT_POSITIVE, "a matrix is not positive definite")                                                        \
  X(FCPS_ERR_UNKNOWN_ASK, "no pending ask has this id")                                                                \
  X(FCPS_ERR_CALLBACK, "a callback of the problem failed")                                                             \
  X(FCPS_ERR_STOPPED, "stopped on request")                                                                            \
  X(FCPS_ERR_STORE, "the store failed; nothing was acknowledged")                                                      \
  X(FCPS_ERR_STORE_FULL, "no space left for the store; nothing was acknowledged")                                      \
  X(FCPS_ERR_LOCKED, "another process holds the study")                                                                \
  X(FCPS_ERR_DAMAGED, "the study file is damaged")                                                                     \
  X(FCPS_ERR_CONFLICT, "a different result is already stored")                                                         \
  X(FCPS_ERR_PROGRAM, "the external program failed")                                                                   \
  X(FCPS_ERR_FAILURE_RATE, "more than half of the rollouts failed")                                                    \
  X(FCPS_ERR_INTERNAL, "internal error")                                                                               \
  X(FCPS_ERR_BUSY, "a callback used the handle that called it")                                                        \
  X(FCPS_ERR_NO_REWARD, "no rollout has a reward that can be used")

typedef enum fcps_status {
#define FCPS_STATUS_ENUM(name, text) name,
  FCPS_STATUS_LIST(FCPS_STATUS_ENUM)
#undef FCPS_STATUS_ENUM
      FCPS_STATUS_COUNT
} fcps_status;

/* The text of a status; "unknown status" for any other number. */
FCPS_API const char *fcps_status_text(fcps_status status);

/* What went wrong, where, and what to do. A plain value: it owns nothing and may be copied. */
typedef struct fcps_error {
  fcps_status status;
  char field[64];    /* the field or setting concerned, e.g. "target.x"; may be empty */
  char file[256];    /* the user's file concerned; may be empty */
  int line, column;  /* position in `file`, counted from 1; 0 if there is no position */
  char message[512]; /* one or two sentences: what happened and what to do */
} fcps_error;

/* Writes "file:line:column: field: message" (the parts that exist) into `text`. Returns `text`. */
FCPS_API char *fcps_error_format(const fcps_error *error, size_t size, char *text);

typedef enum fcps_log_level { FCPS_LOG_DEBUG, FCPS_LOG_INFO, FCPS_LOG_WARNING } fcps_log_level;

/* Receives the messages of the library. `code` is stable (e.g. "W_GP_JITTER"); `message` lives during the call. The
 * function must not use the handle that sends the message (FCPS_ERR_BUSY). */
typedef void fcps_log_fn(void *user, fcps_log_level level, const char *code, const char *message);

/* The receiver of messages; if `write` is NULL, they are dropped. */
typedef struct fcps_log {
  fcps_log_fn *write;
  void *user;
} fcps_log;

/* A setting: a name and a value as text. They are the same in C, in problem files and on the command line. A list of
 * settings ends with {NULL, NULL}. */
typedef struct fcps_setting {
  const char *name;
  const char *value;
} fcps_setting;

typedef enum fcps_setting_kind {
  FCPS_SETTING_NUMBER,  /* a real number in [lower, upper] */
  FCPS_SETTING_INTEGER, /* a whole number in [lower, upper] */
  FCPS_SETTING_SWITCH,  /* on | off (also true | false, yes | no, 1 | 0) */
  FCPS_SETTING_CHOICE,  /* one of the names that `choice` lists */
  FCPS_SETTING_WORDS    /* such a name, or free words; the help says which words */
} fcps_setting_kind;

/* A list of names to choose from: returns name `index`, counted from 0, or NULL past the end. */
typedef const char *fcps_choice_fn(int index);

/* The description of a setting. Its default and range are written nowhere else. */
typedef struct fcps_setting_spec {
  const char *name;
  fcps_setting_kind kind;
  const char *initial;    /* the default, as text */
  double lower, upper;    /* the range of a number or integer */
  fcps_choice_fn *choice; /* for FCPS_SETTING_CHOICE and FCPS_SETTING_WORDS, else NULL */
  const char *help;       /* one line */
} fcps_setting_spec;

/* The settings of a learner or a task. */
typedef struct fcps_setting_table fcps_setting_table;

/* The description of setting `index`, which counts from 0; NULL past the end. */
FCPS_API const fcps_setting_spec *fcps_setting_at(const fcps_setting_table *table, int index);

/* Frees text that the library returned. `memory` may be NULL. */
FCPS_API void fcps_free(void *memory);

/* Version of the library, "major.minor.patch". */
FCPS_API const char *fcps_version(void);

#ifdef __cplusplus
}
#endif
#endif
