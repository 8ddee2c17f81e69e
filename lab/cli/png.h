/* SPDX-License-Identifier: Apache-2.0 */
/* Writes pictures as PNG files, for films and for the figures of experiments. */
#ifndef FCPS_LAB_CLI_PNG_H
#define FCPS_LAB_CLI_PNG_H

#include <fcps/base.h>

/* Writes a picture of 3 * width * height bytes: red, green, blue; top row first. Fails with FCPS_ERR_UNAVAILABLE if the
 * program was built without libpng, with FCPS_ERR_IO if the file cannot be written. */
fcps_status cli_png_write(const char *path, int width, int height, const unsigned char *rgb, fcps_error *error);

#endif
