/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes, errors, the log callback and the version: what every other header builds on.
 *
 * A function that can fail returns an fcps_status. The words that go with it are in an fcps_error, either given
 * by the caller or kept by the handle (fcps_learner_error). The library never prints, exits or catches signals.
 *
 * Values and texts are checked, NULL included, where a context, parameters or a result are given. Handles, and places
 * for new handles and other answers, must be there unless a comment says that they may be NULL; an fcps_error may
 * always be.
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

/* The only list of status codes: name and text. FCPS_OK is 0, the others are positive. */
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
  X(FCPS_ERR_INTERNAL, "internal error")

typedef enum fcps_status {
#define FCPS_STATUS_ENUM(name, text) name,
  FCPS_STATUS_LIST(FCPS_STATUS_ENUM)
#undef FCPS_STATUS_ENUM
      FCPS_STATUS_COUNT
} fcps_status;

/* Returns the text of a status; "unknown status" for a number that is none. */
FCPS_API const char *fcps_status_text(fcps_status status);

/* What went wrong, where, and what to do. A plain value: no ownership, safe to copy. */
typedef struct fcps_error {
  fcps_status status;
  char field[64];    /* the field or setting concerned, e.g. "target.x"; empty where there is none */
  char file[256];    /* the user's file concerned; empty where there is none */
  int line, column;  /* 1-based place in `file`; 0 where there is none */
  char message[512]; /* one or two sentences: what happened and what to do */
} fcps_error;

/* Writes "file:line:column: field: message" (the parts that exist) into `text`. Returns `text`. */
FCPS_API char *fcps_error_format(const fcps_error *error, size_t size, char *text);

typedef enum fcps_log_level { FCPS_LOG_DEBUG, FCPS_LOG_INFO, FCPS_LOG_WARNING } fcps_log_level;

/* Receives what the library has to say. `code` is stable (e.g. "W_GP_JITTER"); `message` lives during the call. */
typedef void fcps_log_fn(void *user, fcps_log_level level, const char *code, const char *message);

/* A log destination; with `write` NULL nothing is said. */
typedef struct fcps_log {
  fcps_log_fn *write;
  void *user;
} fcps_log;

/* A named value as text, the same in C, in YAML and on the command line. A list ends with {NULL, NULL}. */
typedef struct fcps_setting {
  const char *name;
  const char *value;
} fcps_setting;

typedef enum fcps_setting_kind {
  FCPS_SETTING_NUMBER,  /* a real number in [lower, upper] */
  FCPS_SETTING_INTEGER, /* a whole number in [lower, upper] */
  FCPS_SETTING_SWITCH,  /* on | off (also true | false, yes | no, 1 | 0) */
  FCPS_SETTING_CHOICE   /* one of the names that `choice` lists */
} fcps_setting_kind;

/* A list of names to choose from. `index` counts from 0; NULL past the end. */
typedef const char *fcps_choice_fn(int index);

/* The description of one setting: the only place where its default and range are written. */
typedef struct fcps_setting_spec {
  const char *name;
  fcps_setting_kind kind;
  const char *initial;    /* the default, as text */
  double lower, upper;    /* range of numbers and integers */
  fcps_choice_fn *choice; /* of FCPS_SETTING_CHOICE, else NULL */
  const char *help;       /* one line */
} fcps_setting_spec;

/* The settings that a learner or a task has. */
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
