/* SPDX-License-Identifier: Apache-2.0 */
/* The folder in which clients make studies: a server that is started again serves those that it has. */
#ifndef FCPS_SERVE_FOLDER_H
#define FCPS_SERVE_FOLDER_H

#include <fcps/base.h>

/* The study files (*.fcps) of a folder by name, as paths; freed with fcps_folder_free. Fails if the folder is none, or
 * nothing can be made in it. */
fcps_status fcps_folder_list(const char *folder, int *count, char ***paths, fcps_error *error);
void fcps_folder_free(int count, char **paths);

#endif
