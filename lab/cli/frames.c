/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of one rollout are kept, and handed on at its end: all to ffmpeg, or some to a picture. */
#include "lab/cli/frames.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "lab/cli/png.h"
#include "lab/cli/video.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a film stays on the last frame of a rollout for this long */
enum { HOLD_FRAMES = 25, GAP = 4 };

struct cli_frames {
  char path[4096];
  int width, height, rows, moments;
  unsigned char *pixels; /* of the rollout being taken */
  size_t count, capacity;
  cli_video *video;       /* of a film */
  unsigned char *picture; /* of a picture */
  int row;                /* rollouts done */
};

static size_t frame_size(const cli_frames *frames)
{
  return 3 * (size_t)frames->width * (size_t)frames->height;
}

static int picture_width(const cli_frames *frames)
{
  return frames->moments * (frames->width + GAP) - GAP;
}

static int picture_height(const cli_frames *frames)
{
  return frames->rows * (frames->height + GAP) - GAP;
}

static fcps_status open_output(cli_frames *frames, int frames_per_second, fcps_error *error)
{
  if (fcps_file_ends_with(frames->path, ".png")) {
    const size_t size = 3 * (size_t)picture_width(frames) * (size_t)picture_height(frames);
    frames->picture = fcps_allocate(size, 1);
    if (frames->picture == NULL) return fcps_error_memory(error);
    memset(frames->picture, 255, size);
    return FCPS_OK;
  }
  if (fcps_file_ends_with(frames->path, ".mp4") || fcps_file_ends_with(frames->path, ".gif") ||
      fcps_file_ends_with(frames->path, ".webm"))
    return cli_video_create(&frames->video, frames->path, frames->width, frames->height, frames_per_second, error);
  return fcps_error_at(error, FCPS_ERR_ARGUMENT, frames->path, 0, 0, NULL, "must end with .png, .mp4, .gif or .webm");
}

fcps_status cli_frames_create(cli_frames **result, const char *path, int width, int height, int frames_per_second,
                              int rows, int moments, fcps_error *error)
{
  *result = NULL;
  cli_frames *frames = fcps_allocate(1, sizeof *frames);
  if (frames == NULL) return fcps_error_memory(error);
  snprintf(frames->path, sizeof frames->path, "%s", path);
  frames->width = width;
  frames->height = height;
  frames->rows = rows;
  frames->moments = moments;
  const fcps_status status = open_output(frames, frames_per_second, error);
  if (status != FCPS_OK) {
    free(frames);
    return status;
  }
  *result = frames;
  return FCPS_OK;
}

fcps_status cli_frames_add(cli_frames *frames, const unsigned char *rgb, fcps_error *error)
{
  const size_t size = frame_size(frames);
  if (!fcps_reserve((void **)&frames->pixels, &frames->capacity, (frames->count + 1) * size, 1))
    return fcps_error_memory(error);
  memcpy(frames->pixels + frames->count++ * size, rgb, size);
  return FCPS_OK;
}

size_t cli_frames_count(const cli_frames *frames)
{
  return frames->count;
}

void cli_frames_forget(cli_frames *frames)
{
  frames->count = 0;
}

void cli_frames_replace_last(cli_frames *frames, const unsigned char *rgb)
{
  const size_t size = frame_size(frames);
  if (frames->count > 0) memcpy(frames->pixels + (frames->count - 1) * size, rgb, size);
}

static const unsigned char *frame(const cli_frames *frames, size_t index)
{
  return frames->pixels + index * frame_size(frames);
}

/* Copies a frame to a place of the picture. */
static void paste(cli_frames *frames, int column, const unsigned char *rgb)
{
  const size_t line = 3 * (size_t)frames->width, stride = 3 * (size_t)picture_width(frames);
  unsigned char *corner =
      frames->picture + (size_t)(frames->row * (frames->height + GAP)) * stride + (size_t)column * (line + 3 * GAP);
  for (int y = 0; y < frames->height; y++)
    memcpy(corner + (size_t)y * stride, rgb + (size_t)y * line, line);
}

fcps_status cli_frames_end_rollout(cli_frames *frames, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  if (frames->count == 0) return FCPS_OK;
  if (frames->picture != NULL) {
    for (int i = 0; i < frames->moments; i++) {
      const size_t last = frames->count - 1;
      paste(frames, i, frame(frames, frames->moments > 1 ? last * (size_t)i / (size_t)(frames->moments - 1) : last));
    }
  } else {
    for (size_t i = 0; i < frames->count + HOLD_FRAMES && status == FCPS_OK; i++)
      status = cli_video_add(frames->video, frame(frames, i < frames->count ? i : frames->count - 1), error);
  }
  frames->count = 0;
  frames->row++;
  return status;
}

fcps_status cli_frames_close(cli_frames *frames, bool is_wanted, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  if (frames == NULL) return FCPS_OK;
  if (frames->picture != NULL && is_wanted)
    status = cli_png_write(frames->path, picture_width(frames), picture_height(frames), frames->picture, error);
  if (frames->video != NULL) status = cli_video_close(frames->video, is_wanted, error);
  free(frames->pixels);
  free(frames->picture);
  free(frames);
  return status;
}
