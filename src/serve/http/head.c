/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the head of a request and the query of its path, and judges whether the request may come in. The grammar is that of
 * RFC 9110 and RFC 9112, without its obsolete and its optional parts. */
#include "serve/http/head.h"

#include "base/memory.h"
#include "base/number.h"
#include "format/text.h"

#include <stdio.h>
#include <stdlib.h>
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
      if (i == 1) return 400; /* A head must not begin with an empty line. */
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

/* Whether a character may stand in a path or a query [RFC 3986, section 3.3]. Fragments are never sent. */
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
  if (word[0] != '/' || word[1] == '/') return 400; /* The target must be neither at another host nor "*". */
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
  if (colon == line || *colon != ':') return 400; /* This also refuses a folded line, which begins with a blank. */
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
  for (char *line = text, *end = text + length - 2; status == 0 && line < end;) { /* until the empty line */
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

/* -- Queries --
 *
 * A query is first split and then decoded, once and in place. Decoding never makes a text longer. */

/* Decodes %41 to A, in place. Returns false if the result is not a text. */
static bool decode(char *text, bool plus_is_blank)
{
  char *to = text;
  for (const char *from = text; *from != '\0'; from++) {
    char c = *from;
    if (c == '%') {
      const int byte = fcps_percent_read(from);
      if (byte < 0) return false;
      c = (char)byte;
      from += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    }
    if ((unsigned char)c < ' ' || c == 127) return false;
    *to++ = c;
  }
  *to = '\0';
  for (size_t length; *text != '\0'; text += length)
    if ((length = fcps_utf8_length(text)) == 0) return false;
  return true;
}

static bool is_plain_word(const char *word)
{
  return *word != '\0' && strcmp(word, ".") != 0 && strcmp(word, "..") != 0 && strpbrk(word, "/\\") == NULL;
}

static int read_words(fcps_query *q, char *path)
{
  if (strcmp(path, "/") == 0) return 0;
  for (char *word = path + 1; word != NULL;) {
    char *slash = strchr(word, '/');
    if (slash != NULL) *slash++ = '\0';
    if (q->word_count == FCPS_QUERY_WORDS_MAX) return 404;
    if (*word == '\0' && slash == NULL) return 404; /* a slash at the end of the path */
    if (!decode(word, false) || !is_plain_word(word)) return 400;
    q->words[q->word_count++] = word;
    word = slash;
  }
  return 0;
}

static int read_values(fcps_query *q, char *text)
{
  while (text != NULL && *text != '\0') {
    char *next = strchr(text, '&');
    if (next != NULL) *next++ = '\0';
    char *value = strchr(text, '=');
    if (value == NULL || q->value_count == FCPS_QUERY_VALUES_MAX) return 400;
    *value++ = '\0';
    if (!decode(text, true) || !decode(value, true) || fcps_query_get(q, text) != NULL) return 400;
    q->values[q->value_count++] = (fcps_query_value){text, value};
    text = next;
  }
  return 0;
}

int fcps_query_read(fcps_query *q, const char *target)
{
  *q = (fcps_query){.text = fcps_copy_text(target)};
  if (q->text == NULL) return 503;
  if (q->text[0] != '/') return 400;
  char *values = strchr(q->text, '?');
  if (values != NULL) *values++ = '\0';
  const int status = read_words(q, q->text);
  return status == 0 ? read_values(q, values) : status;
}

void fcps_query_destroy(fcps_query *q)
{
  free(q->text);
  *q = (fcps_query){0};
}

const char *fcps_query_get(const fcps_query *q, const char *name)
{
  for (int i = 0; i < q->value_count; i++)
    if (strcmp(q->values[i].name, name) == 0) return q->values[i].value;
  return NULL;
}

/* -- The guard --
 *
 * The guard checks in this order: for whom the request is, who sent it, whether the sender may, and whether the page is
 * ours. A refusal says nothing that a stranger could use: if the token is wrong, it does not even say whether a path
 * exists. */

static const fcps_refusal refusals[] = {
    {400, "E_REQUEST",
     "this request is not valid HTTP/1.1, or could be read in two ways; check its lines and its headers"},
    {404, "E_PATH", "there is nothing under this path; openapi.json lists all paths"},
    {405, "E_METHOD", "this path is not for this method; openapi.json says which it is for"},
    {408, "E_SLOW", "the request did not arrive in time"},
    {411, "E_LENGTH", "give the length of the body (Content-Length); transfer codings are not accepted"},
    {413, "E_TOO_LARGE", "the body is larger than 1 MiB, or than 64 MiB of an import; send it in parts"},
    {414, "E_TOO_LARGE", "the path is longer than 2048 bytes"},
    {415, "E_CONTENT_TYPE", "the body must be JSON: send Content-Type: application/json"},
    {417, "E_REQUEST", "of Expect only 100-continue is known"},
    {429, "E_RATE", "too many requests on this connection; wait a second"},
    {431, "E_TOO_LARGE", "the headers are larger than 8 KiB, or more than 64"},
    {503, "E_BUSY", "the server has too much to do, or is about to end; try again in a second"},
    {505, "E_REQUEST", "only HTTP/1.1 and HTTP/1.0 are spoken here"},
};
static const fcps_refusal coded = {415, "E_CONTENT_TYPE", "send the body as it is: no Content-Encoding is known here"};
static const fcps_refusal wrong_host = {403, "E_HOST",
                                        "this server does not go by that name (Host); use the address that it printed, "
                                        "or start it with --host NAME"};
static const fcps_refusal wrong_origin = {403, "E_ORIGIN", "pages of other sites may not use this server"};
static const fcps_refusal other_token = {401, "E_TOKEN",
                                         "the token is not that of this server. The right one is in its token file; a "
                                         "server that was started with another file has another token"};
static const fcps_refusal no_token = {401, "E_TOKEN",
                                      "send the token of the server: Authorization: Bearer TOKEN; its token file "
                                      "has it (fcps itself takes it from FCPS_TOKEN_FILE, or "
                                      "from #token=... of the address)"};

const fcps_refusal *fcps_refusal_of(int status)
{
  const size_t count = sizeof refusals / sizeof *refusals;
  for (size_t i = 0; i < count; i++)
    if (refusals[i].status == status) return refusals + i;
  return refusals;
}

bool fcps_guard_add_host(fcps_guard *guard, const char *host)
{
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]";
  const size_t length = strlen(host);
  if (guard->host_count == FCPS_GUARD_HOSTS_MAX || length == 0 || length >= sizeof guard->hosts[0] ||
      strspn(host, allowed) != length)
    return false;
  memcpy(guard->hosts[guard->host_count++], host, length + 1);
  return true;
}

static bool is_host(const fcps_guard *guard, const char *text)
{
  for (int i = 0; i < guard->host_count; i++)
    if (strcasecmp(guard->hosts[i], text) == 0) return true;
  return false;
}

bool fcps_guard_is_named(const fcps_guard *guard, const char *host)
{
  for (int i = guard->own_count; i < guard->host_count; i++)
    if (strcasecmp(guard->hosts[i], host) == 0) return true;
  return false;
}

/* Whether an origin is that of the page, also behind a proxy that speaks TLS. */
static bool is_origin(const fcps_guard *guard, const char *text)
{
  if (strncmp(text, "http://", 7) == 0) return is_host(guard, text + 7);
  return strncmp(text, "https://", 8) == 0 && is_host(guard, text + 8);
}

/* Whether a page of another site sent the request. Browsers say so; other clients send nothing about it. */
static bool is_foreign_site(const fcps_head *head, bool is_open)
{
  const char *site = fcps_head_get(head, "Sec-Fetch-Site");
  if (site == NULL || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0) return false;
  const char *mode = fcps_head_get(head, "Sec-Fetch-Mode");
  return !is_open || mode == NULL || strcmp(mode, "navigate") != 0; /* A link to the page may be on any site. */
}

static bool has_token(const fcps_guard *guard, const fcps_head *head)
{
  const char *given = fcps_head_get(head, "Authorization");
  return given != NULL && strncasecmp(given, "Bearer ", 7) == 0 && fcps_token_is(guard->token, given + 7);
}

static bool is_json(const char *type)
{
  static const char *const names[] = {"application/json", "application/json; charset=utf-8",
                                      "application/json;charset=utf-8"};
  for (int i = 0; type != NULL && i < 3; i++)
    if (strcasecmp(type, names[i]) == 0) return true;
  return false;
}

static bool is_coded(const char *coding)
{
  return coding != NULL && strcasecmp(coding, "identity") != 0;
}

const fcps_refusal *fcps_guard_judge(const fcps_guard *guard, const fcps_head *head, bool is_open)
{
  const char *host = fcps_head_get(head, "Host"), *origin = fcps_head_get(head, "Origin");
  if (host == NULL || !is_host(guard, host)) return &wrong_host;
  if (origin != NULL && !is_origin(guard, origin)) return &wrong_origin;
  if (is_foreign_site(head, is_open)) return &wrong_origin;
  if (!is_open && !has_token(guard, head))
    return fcps_head_get(head, "Authorization") == NULL ? &no_token : &other_token;
  if (head->method == FCPS_HEAD_OTHER) return fcps_refusal_of(405);
  if (head->method == FCPS_HEAD_GET && head->content_length > 0) return fcps_refusal_of(400);
  if (head->method == FCPS_HEAD_POST && fcps_head_get(head, "Content-Length") == NULL) return fcps_refusal_of(411);
  if (head->content_length > FCPS_GUARD_BODY_MAX) return fcps_refusal_of(413);
  if (head->method == FCPS_HEAD_POST && !is_json(fcps_head_get(head, "Content-Type"))) return fcps_refusal_of(415);
  if (is_coded(fcps_head_get(head, "Content-Encoding"))) return &coded;
  return NULL;
}
