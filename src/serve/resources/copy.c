/* SPDX-License-Identifier: Apache-2.0 */
/* The study itself, as a file: a copy of one state of it, whatever store it is in. Who has it can look at it with every
 * command that only reads. */
#include "base/error.h"
#include "format/file.h"
#include "serve/resources/resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_LIMIT = 1 << 30 };

/* Whether "DEVICE:NUMBER" is the study's own file: who writes a copy there would lose what is stored meanwhile. */
static bool is_the_study(const char *path, const char *file)
{
  struct stat own;
  unsigned long long device = 0, number = 0;
  return file != NULL && sscanf(file, "%llu:%llu", &device, &number) == 2 && stat(path, &own) == 0 &&
         own.st_dev == device && own.st_ino == number;
}

fcps_status fcps_resource_file(fcps_call *call, fcps_error *error)
{
  char folder[] = "/tmp/fcps-serve-XXXXXX", path[64];
  const char *url = fcps_study_url(call->study);
  if (url == NULL) return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "this study has no file");
  if (is_the_study(url, fcps_query_get(call->query, "not")))
    return fcps_error_set(error, FCPS_ERR_CONFLICT, "",
                          "this is the very file that the server serves, not a copy of it; choose another name");
  if (mkdtemp(folder) == NULL) return fcps_error_set(error, FCPS_ERR_IO, "", "there is no folder for a copy in /tmp");
  snprintf(path, sizeof path, "%s/study.fcps", folder);
  fcps_status status = fcps_study_copy(url, path, NULL, error);
  if (status == FCPS_OK) status = fcps_file_read(path, COPY_LIMIT, &call->text, &call->length, error);
  unlink(path);
  rmdir(folder);
  call->type = "application/octet-stream";
  call->file_ending = ".fcps";
  return status;
}
