/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as memory streams: the text grows in memory, and fcps_file_replace makes it a file. */
#include "lab/experiment/table_file.h"

#include "base/error.h"
#include "format/file.h"

#include <stdlib.h>

fcps_status fcps_table_file_begin(fcps_table_file *file, const char *const *names, fcps_error *error)
{
  *file = (fcps_table_file){0};
  file->csv.stream = open_memstream(&file->text, &file->length);
  if (file->csv.stream == NULL) return fcps_error_memory(error);
  if (names != NULL) fcps_csv_write_names(&file->csv, names);
  return FCPS_OK;
}

fcps_status fcps_table_file_end(fcps_table_file *file, const fcps_experiment *experiment, const char *directory,
                                const char *name, fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH];
  const bool is_whole = !ferror(file->csv.stream);
  fcps_status status = fclose(file->csv.stream) == 0 && is_whole ? FCPS_OK : fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_experiment_path(experiment, directory, name, path, error);
  if (status == FCPS_OK) status = fcps_file_replace(path, file->text, file->length, error);
  free(file->text);
  return status;
}
