/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of requests: accepted and refused ones, and a million mutations of both, up to their route. hostile.py has the
 * requests that are sent to a whole server. */
#include "check.h"

#include "serve/http/head.h"
#include "serve/route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the status of a refusal, 0, or -1 if more bytes are needed */
static int read_text(const char *bytes, size_t length, char *text, fcps_head *head)
{
  size_t seen = 0, end = 0;
  const int status = fcps_head_find_end(bytes, length, &seen, &end);
  if (status != 0) return status;
  if (end == 0) return -1;
  memcpy(text, bytes, end);
  return fcps_head_read(text, end, head);
}

static void a_head_is_read(void **state)
{
  static const char bytes[] = "POST /v1/studies/throw/ask?a=1 HTTP/1.1\r\nhost:\t127.0.0.1:80 \r\nX-Empty:\r\n"
                              "Content-Length: 12\r\nconnection: close\r\n\r\n{}";
  char text[FCPS_HEAD_MAX];
  fcps_head head;
  (void)state;
  assert_int_equal(read_text(bytes, sizeof bytes - 1, text, &head), 0);
  assert_int_equal(head.method, FCPS_HEAD_POST);
  assert_string_equal(head.target, "/v1/studies/throw/ask?a=1");
  assert_string_equal(fcps_head_get(&head, "Host"), "127.0.0.1:80");
  assert_string_equal(fcps_head_get(&head, "x-empty"), "");
  assert_null(fcps_head_get(&head, "Origin"));
  assert_int_equal(head.content_length, 12);
  assert_true(head.is_last);
}

static void bytes_that_drip_are_looked_at_once(void **state)
{
  static const char bytes[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  size_t seen = 0, end = 0;
  (void)state;
  for (size_t i = 1; i < sizeof bytes; i++) {
    assert_int_equal(fcps_head_find_end(bytes, i, &seen, &end), 0);
    assert_int_equal(end, i == sizeof bytes - 1 ? i : 0);
  }
}

static void what_can_be_misunderstood_is_refused(void **state)
{
  static const struct {
    int status;
    const char *bytes;
  } rows[] = {{400, "GET / HTTP/1.1\nHost: a\n\n"},
              {400, "GET / HTTP/1.1\r\n\r\n"},
              {400, "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n"},
              {400, "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"},
              {400, "GET / HTTP/1.1\r\nHost : a\r\n\r\n"},
              {400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\n"},
              {400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\n"},
              {411, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n"},
              {400, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n"},
              {400, "GET //a HTTP/1.1\r\nHost: a\r\n\r\n"},
              {400, "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"},
              {505, "GET / HTTP/1.2\r\nHost: a\r\n\r\n"},
              {417, "GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n"}};
  char text[FCPS_HEAD_MAX];
  fcps_head head;
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_int_equal(read_text(rows[i].bytes, strlen(rows[i].bytes), text, &head), rows[i].status);
}

static void paths_are_found_by_their_words(void **state)
{
  const fcps_operation *route = NULL;
  const char *study = NULL;
  fcps_query query;
  (void)state;
  assert_int_equal(fcps_query_read(&query, "/v1/studies/a%20b/rollouts?after=7"), 0);
  assert_int_equal(fcps_route_find(FCPS_HEAD_GET, &query, &route, &study), 0);
  assert_string_equal(route->name, "rollouts");
  assert_string_equal(study, "a b");
  assert_string_equal(fcps_query_get(&query, "after"), "7");
  assert_int_equal(fcps_route_find(FCPS_HEAD_POST, &query, &route, &study), 405);
  fcps_query_destroy(&query);
  assert_int_equal(fcps_query_read(&query, "/v1/studies/../x"), 400);
  fcps_query_destroy(&query);
}

static void the_token_is_compared_as_a_whole(void **state)
{
  const char token[FCPS_TOKEN_SIZE] = "0123456789abcdef0123456789abcdef0123456789abcdef";
  char other[FCPS_TOKEN_SIZE + 1];
  (void)state;
  assert_true(fcps_token_is(token, token));
  for (int i = 0; i < FCPS_TOKEN_LENGTH; i++) {
    memcpy(other, token, FCPS_TOKEN_SIZE);
    other[i] = 'x';
    assert_false(fcps_token_is(token, other));
    other[i] = '\0';
    assert_false(fcps_token_is(token, other));
  }
  snprintf(other, sizeof other, "%s0", token);
  assert_false(fcps_token_is(token, other));
}

/* -- Mutations -- */

static uint64_t next_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static size_t mutate(uint64_t *rng, char *bytes, size_t length, size_t size)
{
  static const char *const pieces[] = {"\r\n", "\r\n\r\n", "\n",  ":",      " ",     "\t", "Content-Length: 2\r\n",
                                       "%2e",  "//",       "\\x", "\x7f\r", "Host:", "0",  "Transfer-Encoding: x\r\n"};
  for (uint64_t i = 0, count = 1 + next_random(rng) % 5; i < count; i++) {
    const size_t at = next_random(rng) % (length + 1), left = length - at;
    const char *piece = pieces[next_random(rng) % (sizeof pieces / sizeof *pieces)];
    const size_t added = strlen(piece), gone = next_random(rng) % 6 < left ? next_random(rng) % 6 % (left + 1) : 0;
    if (next_random(rng) % 3 == 0 && left > 0) {
      bytes[at] = (char)next_random(rng);
    } else if (length - gone + added < size) {
      memmove(bytes + at + added, bytes + at + gone, left - gone);
      memcpy(bytes + at, piece, added);
      length = length - gone + added;
    }
  }
  return length;
}

static void mutated_heads_are_read_or_refused(void **state)
{
  static const char seed[] = "POST /v1/studies/throw/ask?after=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\n"
                             "Authorization: Bearer x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n";
  const int count = getenv("FCPS_TEST_LONG") != NULL ? 5000000 : 1000000;
  uint64_t rng = 88172645463325252u;
  int accepted = 0, refused = 0, routed = 0;
  (void)state;
  for (int i = 0; i < count; i++) {
    char bytes[512], text[FCPS_HEAD_MAX];
    fcps_head head;
    memcpy(bytes, seed, sizeof seed - 1);
    const int status = read_text(bytes, mutate(&rng, bytes, sizeof seed - 1, sizeof bytes), text, &head);
    accepted += status == 0;
    refused += status > 0;
    assert_true(status <= 0 || (status >= 400 && status < 600));
    if (status != 0) continue;
    assert_true(head.target[0] == '/' && head.target[1] != '/');
    assert_null(strpbrk(head.target, " \t\r\n"));
    for (int f = 0; f < head.count; f++)
      assert_true(head.fields[f].name[0] != '\0' && strpbrk(head.fields[f].value, "\r\n") == NULL);
    fcps_query query;
    const fcps_operation *route = NULL;
    const char *study = NULL;
    if (fcps_query_read(&query, head.target) == 0 && fcps_route_find(head.method, &query, &route, &study) == 0) {
      routed++;
      assert_true(((route->flags & FCPS_OPERATION_BY_GET) != 0) == (head.method == FCPS_HEAD_GET) &&
                  (study == NULL || strchr(study, '/') == NULL));
    }
    for (int w = 0; w < query.word_count; w++)
      assert_true(query.words[w][0] != '\0' && strchr(query.words[w], '/') == NULL &&
                  strcmp(query.words[w], "..") != 0);
    fcps_query_destroy(&query);
  }
  /* all ends were tried */
  assert_true(accepted > count / 100 && refused > count / 10 && routed > count / 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_head_is_read),
      cmocka_unit_test(bytes_that_drip_are_looked_at_once),
      cmocka_unit_test(what_can_be_misunderstood_is_refused),
      cmocka_unit_test(paths_are_found_by_their_words),
      cmocka_unit_test(the_token_is_compared_as_a_whole),
      cmocka_unit_test(mutated_heads_are_read_or_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
