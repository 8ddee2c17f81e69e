/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings: one line each on stderr, "fcps: W_CODE: words", never mixed with results. */
#ifndef FCPS_CLI_SUPPORT_LOG_H
#define FCPS_CLI_SUPPORT_LOG_H

#include <fcps/study.h>

/* Prints the warnings of the library. */
extern const fcps_log cli_log;

/* Lets a command hear what the library says beside warnings, by its code; NULL: nobody listens any more. */
void cli_log_listen(void (*hear)(const char *code));

/* Prints a warning of the program. */
__attribute__((format(printf, 2, 3))) void cli_warn(const char *code, const char *format, ...);

#endif
