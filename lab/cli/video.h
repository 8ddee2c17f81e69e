/* SPDX-License-Identifier: Apache-2.0 */
/* Films, by ffmpeg as a program: frames go in through a pipe, a file comes out. */
#ifndef FCPS_CLI_RENDER_VIDEO_H
#define FCPS_CLI_RENDER_VIDEO_H

#include <fcps/base.h>

typedef struct cli_video cli_video;

/* Starts a film; the ending of `path` (.mp4, .gif, .webm) says which kind. Fails with FCPS_ERR_UNAVAILABLE where ffmpeg
 * is not installed. */
fcps_status cli_video_create(cli_video **video, const char *path, int width, int height, int frames_per_second,
                             fcps_error *error);

/* Adds a frame: 3 width height bytes, top row first. */
fcps_status cli_video_add(cli_video *video, const unsigned char *rgb, fcps_error *error);

/* Ends the film, which gets its name if it is whole and wanted; FCPS_ERR_PROGRAM, with ffmpeg's own last words, where it
 * did not write it. `error` may be NULL. */
fcps_status cli_video_close(cli_video *video, bool is_wanted, fcps_error *error);

#endif
