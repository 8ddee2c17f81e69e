/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as tools. Operations for workers and pages (FCPS_OPERATION_OF_PROGRAMS), for files and for changes of a study are not
 * tools.
 *
 * A request is built key by key from the fields of a row, which are also the schema that the client sees: a new row
 * is a tool by itself, and is safe if its right is true. The name of the client is not an argument, or an assistant
 * could take the ask of a robot. No tool describes its answer by a schema: a number may be the text "nan", and
 * strict clients would refuse it. */
#include "mcp/mcp_impl.h"

#include <stdio.h>
#include <string.h>

static bool is_tool(const fcps_mcp *mcp, const fcps_operation *o)
{
  return (o->flags & FCPS_OPERATION_OF_PROGRAMS) == 0 && o->type == NULL && o->right <= mcp->options.may &&
         o->right < FCPS_RIGHT_MANAGE;
}

const fcps_operation *fcps_mcp_find_tool(const fcps_mcp *mcp, const char *name)
{
  const fcps_operation *o = fcps_operation_find(name);
  return o != NULL && is_tool(mcp, o) ? o : NULL;
}

/* -- Fields -- */

/* Tells whether a client may say a field. The client is called by its program's name, and answers are JSON; there is
 * no key and no target, so that only the result of an ask can be told. */
static bool is_kept(const fcps_operation *tool, const fcps_field *f)
{
  const bool is_tell = strcmp(tool->name, "tell") == 0;
  if ((f->flags & FCPS_FIELD_UNSAID) != 0 || strcmp(f->name, "client") == 0 || strcmp(f->name, "format") == 0)
    return false;
  return !is_tell || (strcmp(f->name, "key") != 0 && strcmp(f->name, "target") != 0);
}

static void limit_field(const fcps_operation *tool, fcps_field *f)
{
  static const fcps_field context[] = {{.name = "target", .type = FCPS_FIELD_NUMBERS},
                                       {.name = "environment", .type = FCPS_FIELD_NUMBERS},
                                       {.name = NULL}};
  if (f->type == FCPS_FIELD_CONTEXTS) { /* a list, never the text of a table */
    f->type = FCPS_FIELD_LIST;
    f->of = context;
    f->help = "One for each of these contexts, at most 200: [{\"target\": {...}, \"environment\": {...}}, ...]";
    f->most = MCP_ROWS_MAX;
  }
  if (strcmp(f->name, "limit") == 0 || strcmp(f->name, "latest") == 0 || strcmp(f->name, "count") == 0)
    f->most = MCP_ROWS_MAX;
  if (strcmp(f->name, "limit") == 0) f->initial = "50"; /* MCP_ROWS_USUAL */
  if (strcmp(tool->name, "tell") == 0 && strcmp(f->name, "ask") == 0) {
    f->flags |= FCPS_FIELD_NEEDED;
    f->help = "The number of the ask whose trial it was";
  }
  if (strcmp(f->name, "executed") == 0)
    f->help = "The executed parameters, if they differ from the ask; within their bounds";
}

void fcps_mcp_fields(const fcps_mcp *mcp, const fcps_operation *tool, fcps_field fields[MCP_FIELDS_MAX])
{
  int count = 0;
  if (mcp->options.study_count > 1)
    fields[count++] = (fcps_field){.name = "study",
                                   .type = FCPS_FIELD_TEXT,
                                   .flags = FCPS_FIELD_NEEDED,
                                   .help = "Of which study",
                                   .choices = mcp->names};
  for (const fcps_field *f = tool->request; f->name != NULL && count < MCP_FIELDS_MAX - 1; f++) {
    if (!is_kept(tool, f)) continue;
    fields[count] = *f;
    limit_field(tool, &fields[count++]);
  }
  fields[count] = (fcps_field){.name = NULL};
}

/* -- The list -- */

/* Writes hints for the client. Repeating a call changes nothing more: a client gets its unfinished ask again, a result
 * is stored once, and an ask is given up once. Nothing that is stored is ever removed. */
static fcps_json *write_annotations(const fcps_operation *o)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "readOnlyHint", fcps_json_from_bool(o->right == FCPS_RIGHT_READ));
  fcps_json_put(&object, "destructiveHint", fcps_json_from_bool(false));
  fcps_json_put(&object, "idempotentHint", fcps_json_from_bool(true));
  fcps_json_put(&object, "openWorldHint", fcps_json_from_bool(false));
  return object;
}

/* Writes what a tool does: "The spaces and the reward. Of ..." */
static fcps_json *write_description(const fcps_operation *o)
{
  char text[1000];
  snprintf(text, sizeof text, "%s.%s%s", o->summary, o->help != NULL ? " " : "", o->help != NULL ? o->help : "");
  return fcps_json_from_text(text);
}

static fcps_json *write_tool(const fcps_mcp *mcp, const fcps_operation *o)
{
  fcps_field fields[MCP_FIELDS_MAX];
  fcps_json *object = fcps_json_object();
  fcps_mcp_fields(mcp, o, fields);
  fcps_json_put(&object, "name", fcps_json_from_text(o->name));
  fcps_json_put(&object, "title", fcps_json_from_text(o->summary));
  fcps_json_put(&object, "description", write_description(o));
  fcps_json_put(&object, "inputSchema", fcps_operation_schema(fields));
  fcps_json_put(&object, "annotations", write_annotations(o));
  return object;
}

/* Lists the tools, without an outputSchema: a number may be the text "nan", and a client that compares would refuse a
 * good answer. */
fcps_json *fcps_mcp_write_tools(const fcps_mcp *mcp)
{
  fcps_json *list = fcps_json_array();
  const fcps_operation *o;
  for (int i = 0; (o = fcps_operation_at(i)) != NULL; i++)
    if (is_tool(mcp, o)) fcps_json_add(&list, write_tool(mcp, o));
  return list;
}
