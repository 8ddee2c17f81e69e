/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes from a client: the head, the guard and the way to a route. A head that is accepted is the same after it is
 * written again, and without the token only the page is given out. */
#include "fuzz.h"

#include "serve/assets.h"
#include "serve/http/head.h"
#include "serve/route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char token[] = "0123456789abcdef0123456789abcdef0123456789abcdef";

/* a head, as bytes again */
static size_t write_head(const fcps_head *head, size_t size, char *text)
{
  static const char *const methods[] = {"GET", "POST", "OTHER"};
  int length = snprintf(text, size, "%s %s HTTP/1.1\r\n", methods[head->method], head->target);
  for (int i = 0; i < head->count; i++)
    length += snprintf(text + length, size - (size_t)length, "%s: %s\r\n", head->fields[i].name, head->fields[i].value);
  return (size_t)(length + snprintf(text + length, size - (size_t)length, "\r\n"));
}

static void check_again(const fcps_head *head)
{
  static char text[3 * FCPS_HEAD_MAX];
  fcps_head again;
  size_t seen = 0, end = 0;
  const size_t length = write_head(head, sizeof text, text);
  if (length > FCPS_HEAD_MAX) return; /* blanks were added */
  if (fcps_head_find_end(text, length, &seen, &end) != 0 || end != length) abort();
  if (fcps_head_read(text, length, &again) != 0) abort();
  if (again.count != head->count || again.content_length != head->content_length || again.method != head->method ||
      strcmp(again.target, head->target) != 0)
    abort();
}

static void check_query(const fcps_head *head)
{
  const fcps_operation *route = NULL;
  const char *study = NULL;
  fcps_query query;
  const int status = fcps_query_read(&query, head->target);
  if (status == 0 && fcps_route_find(head->method, &query, &route, &study) == 0) {
    if (route == NULL || ((route->flags & FCPS_OPERATION_BY_GET) != 0) != (head->method == FCPS_HEAD_GET)) abort();
    if (study != NULL && (strchr(study, '/') != NULL || study[0] == '\0' || strcmp(study, "..") == 0)) abort();
  }
  fcps_query_destroy(&query);
}

static void check_guard(const fcps_head *head)
{
  fcps_guard guard = {0};
  memcpy(guard.token, token, sizeof token);
  fcps_guard_add_host(&guard, "127.0.0.1:80");
  const bool is_page = fcps_asset_find(head->target) != NULL;
  const fcps_refusal *refusal = fcps_guard_judge(&guard, head, is_page);
  if (refusal != NULL) {
    if (refusal->status < 400 || refusal->text[0] == '\0') abort();
    return;
  }
  const char *given = fcps_head_get(head, "Authorization"), *host = fcps_head_get(head, "Host");
  if (host == NULL || strcmp(host, "127.0.0.1:80") != 0) abort();
  if (!is_page && (given == NULL || strstr(given, token) == NULL)) abort();
  if (head->content_length > FCPS_GUARD_BODY_MAX) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  size_t seen = 0, end = 0;
  fcps_head head;
  if (size > 2 * FCPS_HEAD_MAX || fcps_head_find_end((const char *)data, size, &seen, &end) != 0 || end == 0) return 0;
  if (end > FCPS_HEAD_MAX) abort();
  char *text = malloc(end); /* of exactly this size, so that a step beyond it is seen */
  if (text == NULL) return 0;
  memcpy(text, data, end);
  if (fcps_head_read(text, end, &head) == 0) {
    check_again(&head);
    check_query(&head);
    check_guard(&head);
  }
  free(text);
  return 0;
}
