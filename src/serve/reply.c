/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is cached, since everything may change; nothing may be framed, sniffed or sent elsewhere; scripts and styles
 * come from this server alone, and none stands within the page (Content-Security-Policy). */
#include "serve/server_impl.h"

#include <stdio.h>
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

/* what some answers have beside the others */
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

/* a name that every system takes: other characters become _ */
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

size_t fcps_reply_stream_head(char text[FCPS_REPLY_HEAD_SIZE])
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
