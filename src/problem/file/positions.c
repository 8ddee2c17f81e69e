/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of a text's bytes in the file. YAML changes line breaks and blanks of a text but no other byte, so a walk
 * over file and text together finds any other byte again. */
#include "problem/file/positions.h"

#include "problem/file/reader.h"

#include <ctype.h>
#include <string.h>

/* A character of the file, with its line and column. */
typedef struct position {
  const char *at;
  int line, column;
} position;

static void step(position *p)
{
  const bool ends_line = *p->at == '\n';
  p->at++;
  while (((unsigned char)*p->at & 0xC0) == 0x80) /* the rest of the same character */
    p->at++;
  p->line += ends_line;
  p->column = ends_line ? 1 : p->column + 1;
}

static void skip_blanks(position *p)
{
  while (isspace((unsigned char)*p->at))
    step(p);
}

/* The first character of a node's text: after a quote, or below the line of a `|` or `>`. */
static position text_start(const char *source, const fcps_yaml_node *node)
{
  position p = {source, 1, 1};
  while (*p.at && (p.line < node->line || (p.line == node->line && p.column < node->column)))
    step(&p);
  const bool is_block = *p.at == '|' || *p.at == '>';
  if (*p.at == '"' || *p.at == '\'') step(&p);
  for (const int line = p.line; is_block && *p.at && p.line == line;)
    step(&p);
  return p;
}

/* Passes the bytes before `byte` that are not blank one by one. */
void fcps_problem_file_text_position(const fcps_problem_file_reader *r, const fcps_yaml_node *node, int byte, int *line,
                                     int *column)
{
  *line = node->line;
  *column = node->column;
  position p = text_start(r->text, node);
  const char *text = node->text, *end = text + strnlen(text, byte > 0 ? (size_t)byte : 0);
  for (; text < end; text++) {
    if (isspace((unsigned char)*text) || ((unsigned char)*text & 0xC0) == 0x80) continue;
    skip_blanks(&p);
    if (*p.at != *text) return; /* an escape: the start of the node is the answer */
    step(&p);
  }
  if (*end && !isspace((unsigned char)*end)) skip_blanks(&p);
  *line = p.line;
  *column = p.column;
}

bool fcps_problem_file_learner_position(const fcps_problem_file *file, const char *key, int *line, int *column)
{
  const fcps_problem_file_reader *r = (const fcps_problem_file_reader *)file; /* the handle is its first member */
  const fcps_yaml_node *learner = fcps_yaml_get(fcps_yaml_root(r->yaml), "learner");
  const bool is_name_alone = learner != NULL && learner->kind == FCPS_YAML_TEXT && strcmp(key, "name") == 0;
  const fcps_yaml_node *node = is_name_alone ? learner : fcps_yaml_get(learner, key);
  if (node == NULL) return false;
  *line = node->line;
  *column = node->column;
  return true;
}
