/* SPDX-License-Identifier: Apache-2.0 */
/* A study is opened with the built-in tasks at hand and with its warnings on stderr; of one behind a server, a copy. */
#include "cli/support/open_study.h"

#include "base/error.h"
#include "base/study_file.h"
#include "cli/support/lab.h"
#include "cli/support/log.h"
#include "cli/support/named_files.h"
#include "cli/support/near_address.h"
#include "cli/support/near_file.h"
#include "cli/support/remote.h"
#include "wire/address.h"

#include <fcps/run.h>

#include <stdio.h>
#include <string.h>

/* Whether a file is one of `fcps policy export`. */
static bool is_policy(const char *path)
{
  static const char beginning[] = "{\"fcps_policy";
  char text[sizeof beginning] = "";
  FILE *file = fopen(path, "rb");
  if (file == NULL) return false;
  const size_t length = fread(text, 1, sizeof beginning - 1, file);
  fclose(file);
  return length == sizeof beginning - 1 && strcmp(text, beginning) == 0;
}

/* Whether a name is that of a problem file or a table: somebody has changed the order of two arguments. */
static bool is_other_kind(const char *path)
{
  static const char *const endings[] = {".csv", ".yaml", ".yml"};
  const char *end = strrchr(path, '.');
  for (size_t i = 0; end != NULL && i < sizeof endings / sizeof *endings; i++)
    if (strcmp(end, endings[i]) == 0) return true;
  return false;
}

/* Whether a file is a text that is not even called like a study. The head of a study has zeros, also where it is
 * damaged. */
static bool is_text(const char *path)
{
  char head[FCPS_STUDY_FILE_HEAD];
  FILE *file = fcps_recognize_file(path) == FCPS_RECOGNIZED_OTHER ? fopen(path, "rb") : NULL;
  if (file == NULL) return false;
  const size_t length = fread(head, 1, sizeof head, file);
  fclose(file);
  return length > 0 && memchr(head, '\0', length) == NULL;
}

bool cli_open_study_never(const char *path)
{
  return is_policy(path) || is_other_kind(path) || is_text(path);
}

fcps_status cli_open_study(fcps_study **study, const char *path, fcps_error *error)
{
  const fcps_study_options options = {.log = cli_log, .maker = cli_lab_maker()};
  const fcps_status mistyped = cli_near_address_check(path, error);
  if (mistyped != FCPS_OK) return mistyped;
  const char *address = cli_remote_is(path) ? path : NULL;
  if (address != NULL) {
    const fcps_status copied = cli_remote_copy(path, &path, error);
    if (copied != FCPS_OK) return copied;
  }
  fcps_status status = fcps_study_open(study, path, &options, error);
  if (status == FCPS_OK && address != NULL) status = fcps_wire_name_study(*study, address, error);
  if (status == FCPS_OK && (status = cli_named_files_check_study(*study, error)) != FCPS_OK) {
    fcps_study_close(*study);
    *study = NULL;
    return status;
  }
  if (status == FCPS_ERR_IO) cli_near_file_hint(path, ".fcps", error);
  if (status != FCPS_ERR_DAMAGED) return status;
  if (is_policy(path))
    return fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                         "is a policy file, not a study; `fcps policy query` reads it");
  if (cli_open_study_never(path))
    return fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                         "is not a study; a study comes first, and `fcps study new` or `fcps run FILE.yaml` makes one");
  return status;
}
