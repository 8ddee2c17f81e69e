/* SPDX-License-Identifier: Apache-2.0 */
/* A token is made once and then stays, so that a page and a robot find their server again after it was started anew.
 * The file is created for its owner alone from the first moment, and never followed through a link. */
#include "door/token.h"

#include "base/checksum.h"
#include "base/error.h"
#include "base/number.h"
#include "format/file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

fcps_status fcps_token_place(size_t size, char *path, fcps_error *error)
{
  const char *given = getenv("FCPS_TOKEN_FILE"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  int length = -1;
  if (given != NULL && *given != '\0')
    length = snprintf(path, size, "%s", given);
  else if (state != NULL && *state == '/')
    length = snprintf(path, size, "%s/fcps/token", state);
  else if (home != NULL && *home == '/')
    length = snprintf(path, size, "%s/.local/state/fcps/token", home);
  if (length > 0 && (size_t)length < size) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "--token-file",
                        "there is no home folder to keep the token in; give --token-file FILE or FCPS_TOKEN_FILE");
}

/* Reads a token from an open file. If something else is in the file, its owner may need it: nobody is told to remove
 * it. */
static fcps_status read_open_file(int file, const char *path, char token[FCPS_TOKEN_SIZE], fcps_error *error)
{
  struct stat about;
  char text[FCPS_TOKEN_SIZE + 2] = "";
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid())
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, "token",
                         "this is not a token file of yours; name another one with --token-file or FCPS_TOKEN_FILE");
  const ssize_t length = read(file, text, sizeof text - 1);
  if (length > 0 && text[length - 1] == '\n') text[length - 1] = '\0';
  if (length < 0 || !fcps_hex_is(text, FCPS_TOKEN_LENGTH))
    return fcps_error_at(error, FCPS_ERR_FORMAT, path, 0, 0, "token",
                         "this is not a token file, which has one line of %d digits 0-9a-f; name another file with "
                         "--token-file or FCPS_TOKEN_FILE (fcps serve makes one that is not there)",
                         (int)FCPS_TOKEN_LENGTH);
  if ((about.st_mode & 077) != 0)
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, "token",
                         "others may read this file, so its token is not secret; remove it, and a new one is made");
  memcpy(token, text, FCPS_TOKEN_SIZE);
  return FCPS_OK;
}

fcps_status fcps_token_read(const char *path, char token[FCPS_TOKEN_SIZE], fcps_error *error)
{
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, "token",
                         "the token cannot be read: %s; fcps serve makes it, and FCPS_TOKEN_FILE names another file",
                         strerror(errno));
  const fcps_status status = read_open_file(file, path, token, error);
  close(file);
  return status;
}

static fcps_status make_folder_of(const char *path, fcps_error *error)
{
  char folder[4096];
  const char *slash = strrchr(path, '/');
  if (slash == NULL || slash == path) return FCPS_OK;
  snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
  return fcps_file_make_directory(folder, error);
}

fcps_status fcps_token_take(const char *path, char token[FCPS_TOKEN_SIZE], fcps_error *error)
{
  fcps_status status = make_folder_of(path, error);
  if (status != FCPS_OK) return status;
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0 && errno == EEXIST) return fcps_token_read(path, token, error);
  if (file < 0)
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, "token", "the token cannot be kept: %s", strerror(errno));
  char line[FCPS_TOKEN_SIZE + 1];
  const bool is_drawn = fcps_hex_draw(FCPS_TOKEN_LENGTH / 2, token);
  snprintf(line, sizeof line, "%s\n", is_drawn ? token : "");
  const bool is_kept = is_drawn && write(file, line, strlen(line)) == (ssize_t)strlen(line) && fsync(file) == 0;
  close(file);
  if (is_kept) return FCPS_OK;
  unlink(path);
  return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, "token", "the token could not be %s",
                       is_drawn ? "written" : "drawn: the system has no random numbers");
}

bool fcps_token_is(const char token[FCPS_TOKEN_SIZE], const char *text)
{
  const size_t length = strlen(text);
  unsigned difference = (unsigned)(length ^ FCPS_TOKEN_LENGTH);
  for (size_t i = 0; i < FCPS_TOKEN_LENGTH; i++)
    difference |= (unsigned char)token[i] ^ (unsigned char)(i < length ? text[i] : 0);
  return difference == 0;
}

/* -- The proof: the lines of its message hold no line feed themselves, so that no two messages have the same bytes -- */

/* Writes an address as both ends see it: an IPv4 address within IPv6 (::ffff:127.0.0.1) without its IPv6 form, and no
 * zone, which the ends may name differently. */
static void write_address(const struct sockaddr_storage *end, char address[FCPS_PROOF_ADDRESS_SIZE])
{
  const struct sockaddr_in *four = (const struct sockaddr_in *)end;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)end;
  char host[INET6_ADDRSTRLEN] = "";
  *address = '\0';
  if (end->ss_family != AF_INET && end->ss_family != AF_INET6) return;
  if (end->ss_family == AF_INET)
    inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
  else if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
    inet_ntop(AF_INET, six->sin6_addr.s6_addr + 12, host, sizeof host);
  else
    inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
  snprintf(address, FCPS_PROOF_ADDRESS_SIZE, strchr(host, ':') != NULL ? "[%s]:%d" : "%s:%d", host,
           ntohs(end->ss_family == AF_INET ? four->sin_port : six->sin6_port));
}

void fcps_proof_address(int connection, bool is_own, char address[FCPS_PROOF_ADDRESS_SIZE])
{
  struct sockaddr_storage end = {0};
  struct sockaddr *generic = (struct sockaddr *)&end;
  socklen_t length = sizeof end;
  *address = '\0';
  const int failed = is_own ? getsockname(connection, generic, &length) : getpeername(connection, generic, &length);
  if (failed == 0) write_address(&end, address);
}

void fcps_proof_write(const char *token, const char *nonce, const char *address, const char *host,
                      char proof[FCPS_HMAC_SIZE])
{
  char message[512];
  snprintf(message, sizeof message, "fcps server\n%.40s\n%.64s\n%.300s\n", nonce, address, host);
  fcps_hmac(token, strlen(token), message, strlen(message), proof);
}
