/* SPDX-License-Identifier: Apache-2.0 */
/* PNG by libpng's simplified interface. libpng is optional: the program can be built without it, and then cannot write
 * pictures. */
#include "lab/cli/png.h"

#include "base/error.h"
#include "format/file.h"

#ifdef FCPS_HAVE_PNG

#include <errno.h>
#include <png.h>
#include <string.h>

fcps_status cli_png_write(const char *path, int width, int height, const unsigned char *rgb, fcps_error *error)
{
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)width,
                     .height = (png_uint_32)height,
                     .format = PNG_FORMAT_RGB};
  fcps_draft *draft = NULL;
  fcps_status status = fcps_draft_open(&draft, path, error);
  if (status != FCPS_OK) return status;
  errno = 0;
  if (!png_image_write_to_stdio(&image, fcps_draft_stream(draft), 0, rgb, 0, NULL))
    status = fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, NULL, "the picture was not written: %s",
                           errno ? strerror(errno) : image.message);
  return fcps_draft_finish(draft, status, error);
}

#else

fcps_status cli_png_write(const char *path, int width, int height, const unsigned char *rgb, fcps_error *error)
{
  (void)width;
  (void)height;
  (void)rgb;
  return fcps_error_at(error, FCPS_ERR_UNAVAILABLE, path, 0, 0, NULL,
                       "fcps was built without libpng (Debian: apt-get install libpng-dev, then build again)");
}

#endif
