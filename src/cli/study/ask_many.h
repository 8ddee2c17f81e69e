/* SPDX-License-Identifier: Apache-2.0 */
/* Several asks at once: `fcps study ask` with --count or --contexts. */
#ifndef FCPS_CLI_STUDY_ASK_MANY_H
#define FCPS_CLI_STUDY_ASK_MANY_H

#include <fcps/study.h>

/* What was given on the command line. */
typedef struct cli_asks_wanted {
  int64_t count;        /* negative: not given */
  const char *contexts; /* a CSV with one row per ask; NULL: one context for all */
  const char *target, *environment;
  bool as_json;
} cli_asks_wanted;

/* Whether several asks are wanted; one is not, and a count of one is. */
bool cli_asks_are_wanted(const cli_asks_wanted *wanted);

/* Reads --count: a cli_argument_reader. Everything that cannot be asked for is refused with the same words. */
fcps_status cli_asks_read_count(const char *option, const char *text, void *value, fcps_error *error);

/* Refuses options that contradict each other. */
fcps_status cli_asks_check(const cli_asks_wanted *wanted, fcps_error *error);

/* Stores all asks, or none, and prints them. `path` is that of the study. */
fcps_status cli_asks_make(fcps_study *study, const char *path, const cli_asks_wanted *wanted, fcps_error *error);

#endif
