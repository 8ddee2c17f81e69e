/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of src/mcp share. */
#ifndef FCPS_MCP_MCP_IMPL_H
#define FCPS_MCP_MCP_IMPL_H

#include "door/door.h"
#include "mcp/mcp.h"

/* bytes of a line and of an answer; contexts, asks and rows at once, and rows if a request does not say how many;
 * results that contradict stored ones, after which a client is no longer believed */
enum {
  MCP_LINE_MAX = 1 << 20,
  MCP_ANSWER_MAX = 1 << 20,
  MCP_ROWS_MAX = 200,
  MCP_ROWS_USUAL = 50,
  MCP_CONFLICTS_MAX = 20,
  MCP_FIELDS_MAX = 32,
  MCP_NAME_SIZE = 64,
  MCP_CLIENT_SIZE = MCP_NAME_SIZE + 4 /* "mcp:" */
};

typedef struct mcp_study {
  char name[MCP_NAME_SIZE];
  fcps_door *door;
} mcp_study;

struct fcps_mcp {
  fcps_mcp_options options;
  mcp_study *studies; /* options.study_count of them */
  char *names;        /* "push throw" */
  bool has_begun;     /* by `initialize`, as */
  char client[MCP_CLIENT_SIZE];
  int64_t asked; /* new asks so far */
  int conflicts; /* results so far that contradict what is stored */
};

/* Writes the answer to a line of more than MCP_LINE_MAX bytes. Freed with fcps_free; NULL without memory. */
char *fcps_mcp_refuse_line(void);

/* -- tools.c -- */

/* The tool of this name; NULL: there is none, or it is not allowed. */
const fcps_operation *fcps_mcp_find_tool(const fcps_mcp *mcp, const char *name);

/* What a client may say in a call: the fields of the row without those that the program fills in or that would break the
 * promises of mcp.h. Ends with a row without a name. */
void fcps_mcp_fields(const fcps_mcp *mcp, const fcps_operation *tool, fcps_field fields[MCP_FIELDS_MAX]);

/* The tools as an array. */
fcps_json *fcps_mcp_write_tools(const fcps_mcp *mcp);

/* -- Calls (tools.c) -- */

/* Calls a tool; `arguments` is an object or NULL. Returns the result for the client, also after a failure; NULL
 * without memory. */
fcps_json *fcps_mcp_call(fcps_mcp *mcp, const fcps_operation *tool, const char *client, const fcps_json *arguments);

#endif
