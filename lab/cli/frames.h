/* SPDX-License-Identifier: Apache-2.0 */
/* Where frames go: a film, or a picture with a row for each rollout and some of its moments side by side. */
#ifndef FCPS_LAB_CLI_FRAMES_H
#define FCPS_LAB_CLI_FRAMES_H

#include <fcps/base.h>

typedef struct cli_frames cli_frames;

/* The ending of `path` decides: .png, or what ffmpeg writes (.mp4, .gif, .webm). `rows` rollouts will come; a picture
 * shows `moments` frames of each, evenly spread, the last one among them. */
fcps_status cli_frames_create(cli_frames **frames, const char *path, int width, int height, int frames_per_second,
                              int rows, int moments, fcps_error *error);

fcps_status cli_frames_add(cli_frames *frames, const unsigned char *rgb, fcps_error *error);
fcps_status cli_frames_end_rollout(cli_frames *frames, fcps_error *error);

/* The frames of the rollout that is being taken: how many, none of them, another last one. */
size_t cli_frames_count(const cli_frames *frames);
void cli_frames_forget(cli_frames *frames);
void cli_frames_replace_last(cli_frames *frames, const unsigned char *rgb);

/* Writes what was taken, unless not `is_wanted`; frees the frames, which may be NULL. */
fcps_status cli_frames_close(cli_frames *frames, bool is_wanted, fcps_error *error);

#endif
