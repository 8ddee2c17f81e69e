/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of answers: nothing is cached, because everything may change; no other site may show an answer in a frame;
 * the browser must not guess types; scripts and styles come only from files of this server (Content-Security-Policy). */
#include "serve/server_impl.h"

#include <event2/buffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char defences[] =
    "Cache-Control: no-store\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Permissions-Policy: camera=(), geolocation=(), microphone=()\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n";

static const char *status_text(int status)
{
  static const struct {
    int status;
    const char *text;
  } texts[] = {{200, "OK"},
               {201, "Created"},
               {400, "Bad Request"},
               {401, "Unauthorized"},
               {403, "Forbidden"},
               {404, "Not Found"},
               {405, "Method Not Allowed"},
               {408, "Request Timeout"},
               {409, "Conflict"},
               {411, "Length Required"},
               {413, "Content Too Large"},
               {414, "URI Too Long"},
               {415, "Unsupported Media Type"},
               {417, "Expectation Failed"},
               {422, "Unprocessable Content"},
               {429, "Too Many Requests"},
               {431, "Request Header Fields Too Large"},
               {500, "Internal Server Error"},
               {501, "Not Implemented"},
               {503, "Service Unavailable"},
               {505, "HTTP Version Not Supported"},
               {507, "Insufficient Storage"}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (texts[i].status == status) return texts[i].text;
  return "Unknown";
}

/* Returns the headers that only some answers have. */
static const char *extra(int status)
{
  if (status == 401) return "WWW-Authenticate: Bearer\r\n";
  if (status == 405) return "Allow: GET, POST\r\n";
  return status == 429 || status == 503 ? "Retry-After: 1\r\n" : "";
}

static void write_date(char text[64])
{
  static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const time_t now = time(NULL);
  struct tm utc;
  if (gmtime_r(&now, &utc) == NULL) utc = (struct tm){.tm_mday = 1, .tm_year = 70, .tm_wday = 4};
  snprintf(text, 64, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[utc.tm_wday], utc.tm_mday, months[utc.tm_mon],
           utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

/* Writes under which name the browser saves the file. Characters that some systems do not allow become _. */
static void write_disposition(const fcps_answer *answer, const char *study, size_t size, char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  char name[65] = "study";
  *text = '\0';
  if (answer->file_ending == NULL) return;
  if (study != NULL) snprintf(name, sizeof name, "%.64s", study);
  for (char *c = name; *c != '\0'; c++)
    if (strchr(plain, *c) == NULL) *c = '_';
  snprintf(text, size, "Content-Disposition: attachment; filename=\"%s%s\"\r\n", name, answer->file_ending);
}

size_t fcps_reply_head(const fcps_answer *answer, const char *study, bool is_last, char text[FCPS_REPLY_HEAD_SIZE])
{
  char date[64], disposition[160], identity[FCPS_CLIENT_IDENTITY_SIZE + 16] = "";
  write_date(date);
  write_disposition(answer, study, sizeof disposition, disposition);
  if (*answer->identity != '\0') snprintf(identity, sizeof identity, "Fcps-Study: %s\r\n", answer->identity);
  const int length = snprintf(
      text, FCPS_REPLY_HEAD_SIZE,
      "HTTP/1.1 %d %s\r\nDate: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%s%s%s%s\r\n", answer->status,
      status_text(answer->status), date, answer->type != NULL ? answer->type : "application/json", answer->length,
      is_last ? "Connection: close\r\n" : "", extra(answer->status), disposition, identity, defences);
  return length > 0 && length < FCPS_REPLY_HEAD_SIZE ? (size_t)length : 0;
}

/* -- Changes -- */

/* The stream of changes, as server-sent events: which study has how many records now. A client that misses one loses
 * nothing: the next has a larger number, and what was stored is asked for by `after`. So a stream needs no memory of
 * its own.
 *
 *   event: change
 *   data: {"study": "throw", "sequence": 12}
 */

static size_t write_stream_head(char text[FCPS_REPLY_HEAD_SIZE])
{
  char date[64];
  write_date(date);
  const int length =
      snprintf(text, FCPS_REPLY_HEAD_SIZE,
               "HTTP/1.1 200 OK\r\nDate: %s\r\nContent-Type: text/event-stream\r\nX-Accel-Buffering: no\r\n"
               "Connection: close\r\n%s\r\n",
               date, defences);
  return length > 0 && length < FCPS_REPLY_HEAD_SIZE ? (size_t)length : 0;
}

/* A listener that leaves more bytes than this unread is disconnected. */
enum { UNREAD_MAX = 1 << 16 };

static void send_text(fcps_peer *peer, const char *text)
{
  if (evbuffer_get_length(bufferevent_get_output(peer->stream)) > UNREAD_MAX)
    fcps_peer_close(peer);
  else
    bufferevent_write(peer->stream, text, strlen(text));
}

static char *write_change(const fcps_served *served)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "study", fcps_json_from_text(served->name));
  fcps_json_put(&object, "sequence", fcps_json_from_integer(served->sequence));
  char *data = fcps_json_finish(object), *text = NULL;
  const size_t size = data != NULL ? strlen(data) + 32 : 0;
  if (data != NULL) text = malloc(size);
  if (text != NULL) snprintf(text, size, "event: change\ndata: %s\n\n", data);
  fcps_free(data);
  return text;
}

static void send_all(fcps_server *s, const char *text)
{
  for (fcps_peer *peer = s->first, *after; peer != NULL; peer = after) {
    after = peer->after;
    if (peer->state == PEER_STREAM) send_text(peer, text);
  }
}

void fcps_changes_begin(fcps_peer *peer)
{
  char head[FCPS_REPLY_HEAD_SIZE];
  fcps_server *s = peer->server;
  const size_t length = write_stream_head(head);
  peer->state = PEER_STREAM;
  peer->is_last = true;
  atomic_fetch_add(&s->listeners, 1);
  evtimer_del(peer->timer);
  bufferevent_write(peer->stream, head, length);
  for (size_t i = 0; i < s->served_count; i++) { /* Send the present state of every study. */
    char *text = write_change(s->served[i]);
    if (text != NULL) bufferevent_write(peer->stream, text, strlen(text));
    free(text);
  }
}

void fcps_changes_announce(fcps_server *s, const fcps_served *served)
{
  char *text = write_change(served);
  if (text != NULL) send_all(s, text);
  free(text);
}

/* Sends a sign of life to listeners. Proxies need it, and a listener that has vanished is noticed by it. */
void fcps_changes_beat(fcps_server *s)
{
  send_all(s, ":\n\n");
}
