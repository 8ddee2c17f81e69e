/* SPDX-License-Identifier: Apache-2.0 */
/* The Model Context Protocol, through which an assistant program uses studies: the rows of the table of operations are
 * its tools. Revision 2026-07-28, in which every request says who sends it and nothing is kept between requests, and
 * those of 2025-06-18 and 2025-11-25, which begin with `initialize`.
 *
 * Whatever a client sends,
 *
 *  (1) nothing is done that `may` does not allow, and the study itself is never changed (FCPS_RIGHT_MANAGE);
 *  (2) parameters come from asks: a result belongs to an ask, and parameters that were executed instead lie within
 *      their bounds;
 *  (3) no more new asks are made than `trials`, nor beyond `budget`, and no client gives up what another kind of client asked for;
 *  (4) asks and results carry the client's name, "mcp:NAME", which the client does not choose freely;
 *  (5) no file is named or read and no program is run for it;
 *  (6) a request and an answer have a size that is bounded, and a line that cannot be read is answered and forgotten. */
#ifndef FCPS_MCP_MCP_H
#define FCPS_MCP_MCP_H

#include "operation/operation.h"

typedef struct fcps_mcp fcps_mcp;

typedef struct fcps_mcp_options {
  int study_count;
  const char *const *studies; /* addresses of the studies */
  const char *const *tokens;  /* a token for each study that is behind a server; NULL: as fcps_door_open finds them */
  fcps_operation_right may;   /* the right of the client: at most FCPS_RIGHT_TELL */
  int64_t trials;             /* the most new asks */
  /* the most that all trials of a study may cost; a new ask that would exceed it is refused; 0: no limit */
  double budget;
  fcps_log log;
  bool (*stop)(void *user); /* returns whether to end; may be NULL */
  void *user;
} fcps_mcp_options;

/* Opens the studies. The strings of `options` must stay valid until fcps_mcp_destroy. */
fcps_status fcps_mcp_create(fcps_mcp **mcp, const fcps_mcp_options *options, fcps_error *error);
void fcps_mcp_destroy(fcps_mcp *mcp);

/* Answers one line, which need not end with a 0. The caller frees the answer with fcps_free; NULL if the line needs no
 * answer. */
char *fcps_mcp_answer(fcps_mcp *mcp, const char *line, size_t length);

/* Reads lines from one descriptor and writes the answers to another, until the input ends, the reader of the answers
 * goes away, or `stop` returns true. */
fcps_status fcps_mcp_run(fcps_mcp *mcp, int in, int out, fcps_error *error);

#endif
