/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of src/mcp share. */
#ifndef FCPS_MCP_MCP_IMPL_H
#define FCPS_MCP_MCP_IMPL_H

#include "door/door.h"
#include "mcp/mcp.h"

/* The most bytes of a line and of an answer; the most contexts, asks and rows in one call; how many rows if the request
 * gives no number; and after how many results that contradict stored ones a client is no longer believed. */
enum {
  MCP_LINE_MAX = 1 << 20,
  MCP_ANSWER_MAX = 1 << 20,
  MCP_ROWS_MAX = 200,
  MCP_ROWS_USUAL = 50,
  MCP_CONFLICTS_MAX = 20,
  MCP_FIELDS_MAX = 32,
  MCP_NAME_SIZE = 64,
  MCP_CLIENT_SIZE = MCP_NAME_SIZE + 4 /* with room for "mcp:" */
};

typedef struct mcp_study {
  char name[MCP_NAME_SIZE];
  fcps_door *door;
} mcp_study;

struct fcps_mcp {
  fcps_mcp_options options;
  mcp_study *studies; /* options.study_count studies */
  char *names;        /* the names of all studies: "push throw" */
  bool has_begun;     /* the client has begun with `initialize` */
  char client[MCP_CLIENT_SIZE];
  int64_t asked; /* number of new asks so far */
  int conflicts; /* number of results so far that contradict stored ones */
};

/* Writes the answer to a line of more than MCP_LINE_MAX bytes. Freed with fcps_free; NULL if memory ran out. */
char *fcps_mcp_refuse_line(void);

/* -- tools.c -- */

/* Returns the tool with this name; NULL if there is none, or if it is not allowed. */
const fcps_operation *fcps_mcp_find_tool(const fcps_mcp *mcp, const char *name);

/* Lists the fields that a client may give in a call: those of the row, except those that the program fills in and those
 * that would break the promises of mcp.h. The list ends with a row without a name. */
void fcps_mcp_fields(const fcps_mcp *mcp, const fcps_operation *tool, fcps_field fields[MCP_FIELDS_MAX]);

/* Returns the tools as a JSON array. */
fcps_json *fcps_mcp_write_tools(const fcps_mcp *mcp);

/* -- Calls (tools.c) -- */

/* Calls a tool. `arguments` is an object or NULL. Returns the result for the client, even after a failure; NULL if
 * memory ran out. */
fcps_json *fcps_mcp_call(fcps_mcp *mcp, const fcps_operation *tool, const char *client, const fcps_json *arguments);

#endif
