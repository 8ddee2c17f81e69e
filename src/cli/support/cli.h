/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: ends, options, interruption. */
#ifndef FCPS_CLI_SUPPORT_CLI_H
#define FCPS_CLI_SUPPORT_CLI_H

#include <fcps/fcps.h>

#include <argp.h>

/* The commands: each gets its own arguments (argv[0] is "fcps NAME") and returns the exit code. */
typedef int fcps_command_fn(int argc, char **argv);
fcps_command_fn fcps_command_run, fcps_command_reproduce, fcps_command_study, fcps_command_retarget,
    fcps_command_policy, fcps_command_tasks, fcps_command_learners, fcps_command_experiments, fcps_command_render,
    fcps_command_oracle;

/* -- Fail.c -- */

/* Exit codes beside 0. */
enum {
  FCPS_EXIT_USAGE = 2,
  FCPS_EXIT_DAMAGED = 3,
  FCPS_EXIT_STORAGE = 4,
  FCPS_EXIT_LOCKED = 5,
  FCPS_EXIT_SIMULATOR = 6,
  FCPS_EXIT_FAILURES = 7,
  FCPS_EXIT_INTERNAL = 70,
  FCPS_EXIT_INTERRUPT = 130
};

/* The exit code of a status. */
int fcps_cli_exit_code(fcps_status status);

/* Says an error on stderr, "fcps: E_BOUNDS: episodes: ...", and returns its exit code. */
int fcps_cli_fail(const fcps_error *error);

/* Flushes stdout; an error when what was printed did not arrive. */
fcps_status fcps_cli_flush(fcps_error *error);

/* -- Options.c -- */

/* A growing list of name=value, ended by {NULL, NULL}; owns its texts. */
typedef struct fcps_setting_list {
  fcps_setting *items; /* NULL while empty */
  size_t count, capacity;
} fcps_setting_list;

fcps_status fcps_setting_list_add(fcps_setting_list *list, const char *option, const char *text, fcps_error *error);
void fcps_setting_list_destroy(fcps_setting_list *list);

/* A whole number of an option in [lower, upper]. */
fcps_status fcps_option_integer(const char *option, const char *text, int64_t lower, int64_t upper, int64_t *value,
                                fcps_error *error);

/* Parses the arguments of a command. Options that do not exist are refused with the nearest one; `parse` gives what
 * it refuses by setting *error, which must be empty before. */
fcps_status fcps_options_parse(const struct argp *argp, int argc, char **argv, void *input, fcps_error *error);

/* -- Interrupt.c -- */

/* From now on Ctrl-C and a request to end are noted; the second one ends the program at once. */
void fcps_interrupt_watch(void);
bool fcps_interrupt_seen(void);
bool fcps_interrupt_stops(void *unused); /* the same, as the `stop` of a run */

#endif
