/* SPDX-License-Identifier: Apache-2.0 */
/* A problem file has the key `parameters` and one more of its keys at the beginning of lines; that is enough to tell it
 * from what fcps writes, also where it has a mistake and could not be read as YAML. */
#define _XOPEN_SOURCE 700
#include "format/source_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 1 << 16 };

/* The first bytes of a regular file, which end with a 0; the others have none. */
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

/* Whether a line begins with this key and a colon. */
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

/* A link has the ending of its own name and of what it leads to. */
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
    return head[0] != '{'; /* no policy file */
  return has_ending_of(path, (int)(sizeof programs / sizeof *programs), programs);
}
