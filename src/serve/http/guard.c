/* SPDX-License-Identifier: Apache-2.0 */
/* The order of the checks: whom is it for, who sent it, may they, is it ours. A refusal says nothing that a stranger
 * could use: if the token is wrong, not even whether a path exists. */
#include "serve/http/guard.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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
static const fcps_refusal wrong_token = {401, "E_TOKEN",
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

/* Tells whether it is the page's own origin, also behind a proxy that speaks TLS. */
static bool is_origin(const fcps_guard *guard, const char *text)
{
  if (strncmp(text, "http://", 7) == 0) return is_host(guard, text + 7);
  return strncmp(text, "https://", 8) == 0 && is_host(guard, text + 8);
}

/* Tells whether a page of another site sent the request: browsers say so, others send nothing. */
static bool is_foreign_site(const fcps_head *head, bool is_open)
{
  const char *site = fcps_head_get(head, "Sec-Fetch-Site");
  if (site == NULL || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0) return false;
  const char *mode = fcps_head_get(head, "Sec-Fetch-Mode");
  return !is_open || mode == NULL || strcmp(mode, "navigate") != 0; /* a link to the page may be anywhere */
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
  if (!is_open && !has_token(guard, head)) return &wrong_token;
  if (head->method == FCPS_HEAD_OTHER) return fcps_refusal_of(405);
  if (head->method == FCPS_HEAD_GET && head->content_length > 0) return fcps_refusal_of(400);
  if (head->method == FCPS_HEAD_POST && fcps_head_get(head, "Content-Length") == NULL) return fcps_refusal_of(411);
  if (head->content_length > FCPS_GUARD_BODY_MAX) return fcps_refusal_of(413);
  if (head->method == FCPS_HEAD_POST && !is_json(fcps_head_get(head, "Content-Type"))) return fcps_refusal_of(415);
  if (is_coded(fcps_head_get(head, "Content-Encoding"))) return &coded;
  return NULL;
}
