/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files through POSIX calls. A file is replaced by a draft (format/file.h), so a crash or a power cut leaves
 * either the old file or the new one. */
#define _XOPEN_SOURCE 700
#include "format/file.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/study_file.h"

#include <fcps/format.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes an error from an errno, as in "cannot be read: No such file or directory". */
static fcps_status refuse(fcps_error *error, const char *path, const char *what, int number)
{
  char reason[128] = "";
  if (strerror_r(number, reason, sizeof reason)) snprintf(reason, sizeof reason, "error %d", number);
  return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, NULL, "%s: %s", what, reason);
}

/* -- Reading -- */

/* Reads to the end of `descriptor`. It does not ask for the size, because a pipe has none. */
static fcps_status read_all(int descriptor, const char *path, size_t limit, char **text, size_t *length,
                            fcps_error *error)
{
  size_t capacity = 0, used = 0;
  for (;;) {
    /* room for one more piece and for the 0 at the end */
    if (!fcps_reserve((void **)text, &capacity, used + 4096 + 1, 1)) return fcps_error_memory(error);
    const ssize_t got = read(descriptor, *text + used, capacity - used - 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse(error, path, "cannot be read", errno);
    used += (size_t)got;
    if (used > limit)
      return fcps_error_at(error, FCPS_ERR_FORMAT, path, 0, 0, NULL,
                           "is larger than %zu bytes, the most that is read here", limit);
    if (got == 0) break;
  }
  (*text)[used] = 0;
  *length = used;
  return FCPS_OK;
}

static fcps_status read_descriptor(int descriptor, const char *path, size_t limit, char **text, size_t *length,
                                   fcps_error *error)
{
  char *contents = NULL;
  size_t size = 0;
  const fcps_status status = read_all(descriptor, path, limit, &contents, &size, error);
  close(descriptor);
  if (status != FCPS_OK) {
    free(contents);
    return status;
  }
  *text = contents;
  *length = size;
  return FCPS_OK;
}

/* Tells whether a path is a named pipe: reading it would wait until somebody writes, perhaps for ever. Pipes of the
 * shell, such as /dev/stdin and <(...), are in /dev and /proc and do not count. */
static bool is_named_pipe(const char *path)
{
  struct stat there;
  if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) return false;
  return stat(path, &there) == 0 && S_ISFIFO(there.st_mode);
}

fcps_status fcps_file_read(const char *path, size_t limit, char **text, size_t *length, fcps_error *error)
{
  if (is_named_pipe(path))
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, NULL,
                         "is a named pipe, which might wait for ever; give a file, or /dev/stdin");
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return refuse(error, path, "cannot be opened", errno);
  return read_descriptor(descriptor, path, limit, text, length, error);
}

fcps_status fcps_file_read_regular(const char *path, size_t limit, char **text, size_t *length, fcps_error *error)
{
  struct stat there;
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return refuse(error, path, "cannot be opened", errno);
  if (fstat(descriptor, &there) == 0 && S_ISREG(there.st_mode))
    return read_descriptor(descriptor, path, limit, text, length, error);
  close(descriptor);
  return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, NULL, "is not a regular file");
}

/* -- Replacing -- */

static fcps_status write_draft(const char *path, const char *text, size_t length, fcps_error *error)
{
  fcps_draft *draft = NULL;
  const fcps_status status = fcps_draft_open(&draft, path, error);
  if (status != FCPS_OK) return status;
  fwrite(text, 1, length, fcps_draft_stream(draft)); /* fcps_draft_finish reports a failure */
  return fcps_draft_finish(draft, FCPS_OK, error);
}

fcps_status fcps_file_replace(const char *path, const char *text, size_t length, fcps_error *error)
{
  struct stat old;
  if (stat(path, &old) == 0 && !S_ISREG(old.st_mode))
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, NULL, "is not a regular file; choose another name");
  return write_draft(path, text, length, error);
}

fcps_status fcps_file_write(const char *path, const char *text, fcps_error *error)
{
  if (path == NULL || text == NULL) return fcps_error_null(error, path == NULL ? "path" : "text");
  /* a study is not opened: closing it would drop the locks that this process may have on it */
  if (fcps_recognize_file(path) == FCPS_RECOGNIZED_OTHER && fcps_source_file_is_written(path))
    return fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                         "its ending or its beginning says that it is a program or a text of yours, so it was not "
                         "replaced. Choose another name");
  return write_draft(path, text, strlen(text), error);
}

/* -- Making -- */

static bool write_all(int file, const char *text, size_t length)
{
  for (size_t done = 0; done < length;) {
    const ssize_t put = write(file, text + done, length - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    done += (size_t)put;
  }
  return fsync(file) == 0;
}

/* Gives a file a second name, which must be free. Unlike a renaming, this never replaces a file. */
static bool give_name(const char *beside, const char *path)
{
  if (link(beside, path) == 0) return true;
  if (errno != EPERM && errno != EOPNOTSUPP) return false;
  /* the file system has no hard links: reserve the name, then rename */
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file >= 0 && rename(beside, path) == 0;
}

fcps_status fcps_file_create(const char *path, const char *text, size_t length, bool *is_taken, fcps_error *error)
{
  char beside[PATH_MAX];
  *is_taken = false;
  const int file = fcps_new_file_open(path, beside);
  if (file < 0) return refuse(error, path, "cannot be created", errno);
  bool is_made = write_all(file, text, length);
  int number = errno;
  if (is_made && !give_name(beside, path)) {
    is_made = false;
    number = errno;
  }
  unlink(beside);
  close(file); /* closing releases the lock; before that, the file's final name must exist */
  *is_taken = !is_made && number == EEXIST;
  return is_made || *is_taken ? FCPS_OK : refuse(error, path, "cannot be created", number);
}

/* -- Directories -- */

fcps_status fcps_file_join(const char *directory, const char *name, size_t size, char *path, fcps_error *error)
{
  if ((size_t)snprintf(path, size, "%s/%s", directory, name) < size) return FCPS_OK;
  return refuse(error, name, "cannot be a file of this folder", ENAMETOOLONG);
}

fcps_status fcps_file_make_directory(const char *path, fcps_error *error)
{
  char part[PATH_MAX];
  const size_t length = strlen(path);
  if (length == 0 || length >= sizeof part)
    return refuse(error, path, "cannot be created", length == 0 ? ENOENT : ENAMETOOLONG);

  /* creates each parent in turn, then the directory itself */
  for (size_t i = 1; i <= length; i++) {
    if (path[i] != '/' && path[i] != 0) continue;
    memcpy(part, path, i);
    part[i] = 0;
    struct stat there;
    if (fcps_recognize_companion(part))
      return fcps_error_at(error, FCPS_ERR_ARGUMENT, part, 0, 0, NULL,
                           "is a name that fcps itself uses for the study beside it; choose another name");
    if (mkdir(part, 0777) == 0 || (errno == EEXIST && stat(part, &there) == 0 && S_ISDIR(there.st_mode))) continue;
    return refuse(error, part, "cannot be created as a directory", errno);
  }
  return FCPS_OK;
}

bool fcps_file_ends_with(const char *path, const char *ending)
{
  const size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcmp(path + length - tail, ending) == 0;
}

/* -- Files that somebody has written by hand -- */

/* A file is a problem file if the key `parameters` and one more key of problem files stand at the beginning of lines.
 * That distinguishes it from all that fcps writes, even if a mistake makes it unreadable as YAML. */

enum { HEAD = 1 << 16 };

/* Reads the first bytes of a regular file, and ends them with a 0. Returns their number; 0 for other kinds of files. */
static size_t read_head(const char *path, char head[HEAD])
{
  struct stat there;
  size_t length = 0;
  head[0] = '\0';
  const int file = stat(path, &there) == 0 && S_ISREG(there.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return 0;
  for (ssize_t got = 1; got > 0 && length<HEAD - 1; length += got> 0 ? (size_t)got : 0)
    got = read(file, head + length, HEAD - 1 - length);
  close(file);
  head[length] = '\0';
  return length;
}

/* Tells whether a line of the text begins with this key and a colon. */
static bool has_key(const char *text, const char *key)
{
  const size_t length = strlen(key);
  for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, length) == 0 && line[length] == ':') return true;
  }
  return false;
}

bool fcps_source_file_is_problem(const char *path)
{
  char head[HEAD];
  return read_head(path, head) > 0 && has_key(head, "parameters") &&
         (has_key(head, "outcome") || has_key(head, "reward") || has_key(head, "target") || has_key(head, "run"));
}

static bool has_ending(const char *path, int count, const char *const *endings)
{
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash != NULL ? slash : path, '.');
  for (int i = 0; dot != NULL && i < count; i++)
    if (strcasecmp(dot + 1, endings[i]) == 0) return true;
  return false;
}

/* Tells whether a path has one of the endings. For a link, its own name counts, and also the name of the file that it
 * leads to. */
static bool has_ending_of(const char *path, int count, const char *const *endings)
{
  char target[PATH_MAX];
  return has_ending(path, count, endings) || (realpath(path, target) != NULL && has_ending(target, count, endings));
}

bool fcps_source_file_is_written(const char *path)
{
  static const char *const programs[] = {
      "py",  "pyx",  "ipynb", "m",   "mlx", "slx", "c",   "h",  "cc",  "cpp",  "cxx", "hpp", "cu",  "rs",  "go",
      "cs",  "java", "jar",   "kt",  "jl",  "r",   "rb",  "pl", "js",  "ts",   "lua", "sh",  "bat", "ps1", "f",
      "f90", "tcl",  "ino",   "exe", "so",  "dll", "tex", "md", "rst", "toml", "ini", "cfg", "conf"};
  static const char *const problems[] = {"yaml", "yml"};
  char head[HEAD];
  if (read_head(path, head) == 0) return false;
  if (strncmp(head, "#!", 2) == 0 || strncmp(head,
                                             "\x7f"
                                             "ELF",
                                             4) == 0)
    return true;
  if (has_ending_of(path, (int)(sizeof problems / sizeof *problems), problems))
    return head[0] != '{'; /* a policy file begins with a brace */
  return has_ending_of(path, (int)(sizeof programs / sizeof *programs), programs);
}
