/* SPDX-License-Identifier: Apache-2.0 */
/* A reel keeps the frames of one rollout, and at its end hands them on: all to ffmpeg, or some to a picture. */
#include "cli/render/frames.h"

#include "base/error.h"
#include "base/memory.h"
#include "cli/render/video.h"
#include "cli/support/png.h"
#include "format/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* a film stays on the last frame of a rollout for this long */
enum { HOLD_FRAMES = 25, GAP = 4 };

struct cli_frames {
  char path[4096];
  int width, height, rows, moments;
  unsigned char *frames; /* of the rollout being taken */
  size_t count, capacity;
  cli_video *video;       /* of a film */
  unsigned char *picture; /* of a picture */
  int row;                /* rollouts done */
};

static size_t frame_size(const cli_frames *reel)
{
  return 3 * (size_t)reel->width * (size_t)reel->height;
}

static int picture_width(const cli_frames *reel)
{
  return reel->moments * (reel->width + GAP) - GAP;
}

static int picture_height(const cli_frames *reel)
{
  return reel->rows * (reel->height + GAP) - GAP;
}

static fcps_status open_output(cli_frames *reel, int frames_per_second, fcps_error *error)
{
  if (fcps_file_ends_with(reel->path, ".png")) {
    const size_t size = 3 * (size_t)picture_width(reel) * (size_t)picture_height(reel);
    reel->picture = fcps_allocate(size, 1);
    if (reel->picture == NULL) return fcps_error_memory(error);
    memset(reel->picture, 255, size);
    return FCPS_OK;
  }
  if (fcps_file_ends_with(reel->path, ".mp4") || fcps_file_ends_with(reel->path, ".gif") ||
      fcps_file_ends_with(reel->path, ".webm"))
    return cli_video_create(&reel->video, reel->path, reel->width, reel->height, frames_per_second, error);
  return fcps_error_at(error, FCPS_ERR_ARGUMENT, reel->path, 0, 0, NULL, "must end with .png, .mp4, .gif or .webm");
}

fcps_status cli_frames_create(cli_frames **result, const char *path, int width, int height, int frames_per_second,
                              int rows, int moments, fcps_error *error)
{
  *result = NULL;
  cli_frames *reel = fcps_allocate(1, sizeof *reel);
  if (reel == NULL) return fcps_error_memory(error);
  snprintf(reel->path, sizeof reel->path, "%s", path);
  reel->width = width;
  reel->height = height;
  reel->rows = rows;
  reel->moments = moments;
  const fcps_status status = open_output(reel, frames_per_second, error);
  if (status != FCPS_OK) {
    free(reel);
    return status;
  }
  *result = reel;
  return FCPS_OK;
}

fcps_status cli_frames_add(cli_frames *reel, const unsigned char *rgb, fcps_error *error)
{
  const size_t size = frame_size(reel);
  if (!fcps_reserve((void **)&reel->frames, &reel->capacity, (reel->count + 1) * size, 1))
    return fcps_error_memory(error);
  memcpy(reel->frames + reel->count++ * size, rgb, size);
  return FCPS_OK;
}

static const unsigned char *frame(const cli_frames *reel, size_t index)
{
  return reel->frames + index * frame_size(reel);
}

/* Copies a frame to a place of the picture. */
static void paste(cli_frames *reel, int column, const unsigned char *rgb)
{
  const size_t line = 3 * (size_t)reel->width, stride = 3 * (size_t)picture_width(reel);
  unsigned char *corner =
      reel->picture + (size_t)(reel->row * (reel->height + GAP)) * stride + (size_t)column * (line + 3 * GAP);
  for (int y = 0; y < reel->height; y++)
    memcpy(corner + (size_t)y * stride, rgb + (size_t)y * line, line);
}

fcps_status cli_frames_end_rollout(cli_frames *reel, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  if (reel->count == 0) return FCPS_OK;
  if (reel->picture != NULL) {
    for (int i = 0; i < reel->moments; i++) {
      const size_t last = reel->count - 1;
      paste(reel, i, frame(reel, reel->moments > 1 ? last * (size_t)i / (size_t)(reel->moments - 1) : last));
    }
  } else {
    for (size_t i = 0; i < reel->count + HOLD_FRAMES && status == FCPS_OK; i++)
      status = cli_video_add(reel->video, frame(reel, i < reel->count ? i : reel->count - 1), error);
  }
  reel->count = 0;
  reel->row++;
  return status;
}

fcps_status cli_frames_close(cli_frames *reel, bool is_wanted, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  if (reel == NULL) return FCPS_OK;
  if (reel->picture != NULL && is_wanted)
    status = cli_png_write(reel->path, picture_width(reel), picture_height(reel), reel->picture, error);
  if (reel->video != NULL) {
    status = cli_video_close(reel->video, error);
    if (!is_wanted) remove(reel->path);
  }
  free(reel->frames);
  free(reel->picture);
  free(reel);
  return status;
}
