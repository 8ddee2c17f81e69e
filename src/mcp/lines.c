/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes lines. Neither blocks in a system call that a signal could not interrupt: poll waits for at most a
 * second, and each write is small enough for a pipe that is ready. */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "base/memory.h"
#include "mcp/mcp_impl.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 1000, READ_SIZE = 1 << 16 };

typedef struct stream {
  fcps_mcp *mcp;
  int in, out;
  char *bytes; /* the beginning of a line that is not complete */
  size_t count, capacity;
  bool is_skipping; /* the line was too long, and the rest of it is skipped */
  bool has_ended;
} stream;

static bool is_stopped(const stream *s)
{
  const fcps_mcp_options *o = &s->mcp->options;
  return o->stop != NULL && o->stop(o->user);
}

/* Waits for a descriptor. Returns false when it is time to end. Even then a descriptor that is ready at once is used,
 * so that an answer is not lost. */
static bool wait_for(const stream *s, int descriptor, short events)
{
  struct pollfd one = {.fd = descriptor, .events = events};
  for (int wait_ms = 0;; wait_ms = WAIT_MS) {
    const int ready = poll(&one, 1, wait_ms);
    if (ready > 0) return true;
    if ((ready < 0 && errno != EINTR && errno != EAGAIN) || is_stopped(s)) return false;
  }
}

static bool is_passing(void)
{
  return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
}

static fcps_status write_bytes(stream *s, const char *bytes, size_t length, fcps_error *error)
{
  while (length > 0 && !s->has_ended) {
    if (!wait_for(s, s->out, POLLOUT)) {
      s->has_ended = true;
      break;
    }
    const ssize_t written = write(s->out, bytes, length < PIPE_BUF ? length : PIPE_BUF);
    if (written > 0) {
      bytes += written;
      length -= (size_t)written;
    } else if (written < 0 && errno == EPIPE) {
      s->has_ended = true; /* The client has gone away. */
    } else if (written < 0 && !is_passing()) {
      return fcps_error_set(error, FCPS_ERR_IO, "", "an answer could not be written: %s", strerror(errno));
    }
  }
  return FCPS_OK;
}

/* Answers a line. NULL means that the line was too long. */
static fcps_status answer(stream *s, const char *line, size_t length, fcps_error *error)
{
  char *text = line != NULL ? fcps_mcp_answer(s->mcp, line, length) : fcps_mcp_refuse_line();
  if (text == NULL) return FCPS_OK;
  fcps_status status = write_bytes(s, text, strlen(text), error);
  if (status == FCPS_OK) status = write_bytes(s, "\n", 1, error);
  fcps_free(text);
  return status;
}

/* Takes a complete line: the part that was kept before, and its end. */
static fcps_status take_line(stream *s, const char *end, size_t length, fcps_error *error)
{
  const bool is_skipped = s->is_skipping;
  const size_t count = s->count;
  s->is_skipping = false;
  s->count = 0;
  if (is_skipped) return answer(s, NULL, 0, error);
  if (count == 0) return answer(s, end, length, error);
  if (!fcps_reserve((void **)&s->bytes, &s->capacity, count + length, 1)) return fcps_error_memory(error);
  memcpy(s->bytes + count, end, length);
  return answer(s, s->bytes, count + length, error);
}

static fcps_status keep(stream *s, const char *bytes, size_t length, fcps_error *error)
{
  if (s->is_skipping || length == 0) return FCPS_OK;
  if (s->count + length > MCP_LINE_MAX) {
    s->is_skipping = true;
    s->count = 0;
    return FCPS_OK;
  }
  if (!fcps_reserve((void **)&s->bytes, &s->capacity, s->count + length, 1)) return fcps_error_memory(error);
  memcpy(s->bytes + s->count, bytes, length);
  s->count += length;
  return FCPS_OK;
}

static fcps_status take_bytes(stream *s, const char *bytes, size_t length, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  const char *newline;
  while (status == FCPS_OK && !s->has_ended && !is_stopped(s) && (newline = memchr(bytes, '\n', length)) != NULL) {
    const size_t size = (size_t)(newline - bytes);
    status = take_line(s, bytes, size, error);
    bytes = newline + 1;
    length -= size + 1;
  }
  return status == FCPS_OK ? keep(s, bytes, length, error) : status;
}

fcps_status fcps_mcp_run(fcps_mcp *mcp, int in, int out, fcps_error *error)
{
  char bytes[READ_SIZE];
  stream s = {.mcp = mcp, .in = in, .out = out};
  fcps_status status = FCPS_OK;
  while (status == FCPS_OK && !s.has_ended && !is_stopped(&s) && wait_for(&s, in, POLLIN)) {
    const ssize_t length = read(in, bytes, sizeof bytes);
    if (length > 0) {
      status = take_bytes(&s, bytes, (size_t)length, error);
    } else if (length == 0) { /* The last line may have no line end. Whether it is complete, JSON shows. */
      if (s.count > 0 || s.is_skipping) status = take_line(&s, "", 0, error);
      break;
    } else if (!is_passing()) {
      status = fcps_error_set(error, FCPS_ERR_IO, "", "standard input could not be read: %s", strerror(errno));
    }
  }
  free(s.bytes);
  return status;
}
