/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar is that of RFC 9110 and RFC 9112, without its obsolete and its optional parts. */
#include "serve/http/head.h"

#include <string.h>
#include <strings.h>

/* -- The end of a head -- */

int fcps_head_find_end(const char *bytes, size_t length, size_t *seen, size_t *end)
{
  *end = 0;
  for (; *seen < length; ++*seen) {
    const size_t i = *seen;
    const unsigned char c = (unsigned char)bytes[i];
    if (i >= FCPS_HEAD_MAX) return 431;
    if (c == '\n') {
      if (i == 0 || bytes[i - 1] != '\r') return 400;
      if (i == 1) return 400; /* a head does not begin with an empty line */
      if (i >= 3 && bytes[i - 2] == '\n') {
        *end = i + 1;
        return 0;
      }
    } else if (i > 0 && bytes[i - 1] == '\r') {
      return 400;
    } else if ((c < ' ' && c != '\r' && c != '\t') || c >= 127) {
      return 400;
    }
  }
  return 0;
}

/* -- Characters -- */

static bool is_token(char c)
{
  if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) return true;
  return c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL;
}

/* Tells whether a character may stand in a path and a query [RFC 3986, section 3.3]; a fragment is never sent. */
static bool is_target(char c)
{
  if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) return true;
  return c != '\0' && strchr("-._~!$&'()*+,;=:@%/?", c) != NULL;
}

/* -- The first line -- */

static int read_method(char *word, fcps_head *head)
{
  if (*word == '\0') return 400;
  for (const char *c = word; *c != '\0'; c++)
    if (*c < 'A' || *c > 'Z' || c - word > 20) return 400;
  head->method = strcmp(word, "GET") == 0    ? FCPS_HEAD_GET
                 : strcmp(word, "POST") == 0 ? FCPS_HEAD_POST
                                             : FCPS_HEAD_OTHER;
  return 0;
}

static int read_target(char *word, fcps_head *head)
{
  if (strlen(word) > FCPS_HEAD_TARGET_MAX) return 414;
  if (word[0] != '/' || word[1] == '/') return 400; /* neither another host nor "*" */
  for (const char *c = word; *c != '\0'; c++)
    if (!is_target(*c)) return 400;
  head->target = word;
  return 0;
}

static int read_version(const char *word, fcps_head *head)
{
  if (strcmp(word, "HTTP/1.0") == 0) head->is_last = true;
  if (strcmp(word, "HTTP/1.1") == 0 || head->is_last) return 0;
  return strncmp(word, "HTTP/", 5) == 0 ? 505 : 400;
}

/* Reads METHOD TARGET VERSION, with one blank between them. */
static int read_request_line(char *line, fcps_head *head)
{
  char *target = strchr(line, ' '), *version = target != NULL ? strchr(target + 1, ' ') : NULL;
  if (version == NULL) return 400;
  *target++ = '\0';
  *version++ = '\0';
  int status = read_method(line, head);
  if (status == 0) status = read_version(version, head);
  if (status == 0) status = read_target(target, head);
  return status;
}

/* -- The other lines -- */

static int read_field(char *line, fcps_head *head)
{
  if (head->count == FCPS_HEAD_FIELDS_MAX) return 431;
  char *colon = line;
  while (is_token(*colon))
    colon++;
  if (colon == line || *colon != ':') return 400; /* also a folded line, which begins with a blank */
  *colon = '\0';
  char *value = colon + 1 + strspn(colon + 1, " \t"), *end = value + strlen(value);
  while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
    end--;
  *end = '\0';
  head->fields[head->count++] = (fcps_head_field){line, value};
  return 0;
}

const char *fcps_head_get(const fcps_head *head, const char *name)
{
  for (int i = 0; i < head->count; i++)
    if (strcasecmp(head->fields[i].name, name) == 0) return head->fields[i].value;
  return NULL;
}

/* -- What the fields mean together -- */

static bool has_doubles(const fcps_head *head)
{
  static const char *const single[] = {"Host",   "Content-Length",    "Content-Type", "Authorization",   "Origin",
                                       "Expect", "Transfer-Encoding", "Accept",       "Content-Encoding"};
  for (size_t s = 0; s < sizeof single / sizeof *single; s++) {
    int count = 0;
    for (int i = 0; i < head->count; i++)
      count += strcasecmp(head->fields[i].name, single[s]) == 0;
    if (count > 1) return true;
  }
  return false;
}

static int read_length(fcps_head *head)
{
  const char *text = fcps_head_get(head, "Content-Length");
  if (text == NULL) return 0;
  const size_t digits = strspn(text, "0123456789");
  if (digits == 0 || text[digits] != '\0') return 400;
  if (digits > 15) return 413;
  for (; *text != '\0'; text++)
    head->content_length = 10 * head->content_length + (size_t)(*text - '0');
  return 0;
}

static int read_meaning(fcps_head *head)
{
  if (has_doubles(head)) return 400;
  if (fcps_head_get(head, "Transfer-Encoding") != NULL)
    return fcps_head_get(head, "Content-Length") != NULL ? 400 : 411;
  if (fcps_head_get(head, "Host") == NULL) return 400;
  const char *expect = fcps_head_get(head, "Expect"), *connection = fcps_head_get(head, "Connection");
  if (expect != NULL && strcasecmp(expect, "100-continue") != 0) return 417;
  head->expects_continue = expect != NULL && !head->is_last;
  if (connection != NULL && strcasecmp(connection, "close") == 0) head->is_last = true;
  return read_length(head);
}

int fcps_head_read(char *text, size_t length, fcps_head *head)
{
  *head = (fcps_head){.method = FCPS_HEAD_OTHER};
  int status = 0;
  bool is_first = true;
  for (char *line = text, *end = text + length - 2; status == 0 && line < end;) { /* up to the empty line */
    char *next = memchr(line, '\r', (size_t)(end - line));
    if (next == NULL) return 400;
    *next = '\0';
    status = is_first ? read_request_line(line, head) : read_field(line, head);
    is_first = false;
    line = next + 2;
  }
  if (status == 0 && is_first) status = 400;
  return status == 0 ? read_meaning(head) : status;
}
