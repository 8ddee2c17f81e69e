/* SPDX-License-Identifier: Apache-2.0 */
/* The files that `fcps init` writes: a problem and, in one of several languages, the program that does its trials. In
 * all texts "@" stands for the name that the user gives. */
#ifndef FCPS_CLI_INIT_STUBS_H
#define FCPS_CLI_INIT_STUBS_H

/* A language of programs. */
typedef struct cli_stub {
  const char *language, *suffix; /* "python", ".py" */
  const char *command;           /* how the problem file starts the program */
  const char *text;              /* the program */
  const char *note;              /* what has to be there before it runs; "": nothing */
} cli_stub;

enum { CLI_STUBS = 4 };
extern const cli_stub cli_stubs[CLI_STUBS];

/* The problem file; "%" stands for the command of the language. */
extern const char cli_stub_problem[];

#endif
