/* SPDX-License-Identifier: Apache-2.0 */
/* A token is made once and then stays, so that a page and a robot find their server again after it was started anew.
 * The file is created for its owner alone from the first moment, and never followed through a link. */
#include "door/token.h"

#include "base/error.h"
#include "format/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
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

static bool is_token(const char *text)
{
  return strlen(text) == FCPS_TOKEN_LENGTH && strspn(text, "0123456789abcdef") == FCPS_TOKEN_LENGTH;
}

/* What is not a token may be something that its owner needs: nobody is told to remove it. */
static fcps_status read_open_file(int file, const char *path, char token[FCPS_TOKEN_SIZE], fcps_error *error)
{
  struct stat about;
  char text[FCPS_TOKEN_SIZE + 2] = "";
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid())
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, "token",
                         "this is not a token file of yours; name another one with --token-file or FCPS_TOKEN_FILE");
  const ssize_t length = read(file, text, sizeof text - 1);
  if (length > 0 && text[length - 1] == '\n') text[length - 1] = '\0';
  if (length < 0 || !is_token(text))
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

static bool draw(char token[FCPS_TOKEN_SIZE])
{
  unsigned char bytes[FCPS_TOKEN_LENGTH / 2];
  if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf(token + 2 * i, 3, "%02x", bytes[i]);
  return true;
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
  const bool is_drawn = draw(token);
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
