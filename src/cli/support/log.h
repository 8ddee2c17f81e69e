/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings: one line each on stderr, "fcps: W_CODE: words", never mixed with results. */
#ifndef FCPS_CLI_SUPPORT_LOG_H
#define FCPS_CLI_SUPPORT_LOG_H

#include <fcps/study.h>

/* Prints the warnings of the library. */
extern const fcps_log cli_log;

/* Prints a warning of the program. */
__attribute__((format(printf, 2, 3))) void cli_warn(const char *code, const char *format, ...);

/* A result without an outcome has no reward; says what would give it one. */
void cli_warn_no_reward(void);

/* Warns that a result was told numbers that cannot be used, and says why; `name` is how it is called ("this result"). */
void cli_warn_unusable(const char *name, const fcps_study *study, const fcps_stored_result *stored);

/* Warns where no stored result can be learnt from, or where the policy lacks one (may be NULL): an answer from such a
 * study is a guess. */
void cli_warn_if_empty(const fcps_study *study, const fcps_policy *policy);

#endif
