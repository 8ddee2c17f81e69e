/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of one rollout are kept until its end. Then all are given to ffmpeg, or some are drawn in a picture. */
#include "lab/cli/film.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "lab/cli/png.h"

#include <fcps/base.h>

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct cli_video cli_video;

/* -- Video -- */

/* ffmpeg runs as a child process and reads frames from a pipe. Its messages go to a temporary file, which is read if
 * ffmpeg fails. */

extern char **environ;

struct cli_video {
  pid_t child;
  int pipe;
  size_t size; /* the size of a frame in bytes */
  FILE *words; /* ffmpeg's messages */
  fcps_draft *draft;
  char path[4096]; /* the file that ffmpeg writes */
};

/* Starts ffmpeg with the pipe as its input. Returns 0 or an error number. */
static int spawn(cli_video *video, const int ends[2], const char *size, const char *rate)
{
  /* a GIF gets its own palette; other films get the pixel format that every player shows */
  const char *filter = fcps_file_ends_with(video->path, ".gif")
                           ? "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse"
                           : "format=yuv420p";
  const char *const arguments[] = {"ffmpeg", "-nostdin", "-loglevel", "error",     "-f", "rawvideo", "-pix_fmt",
                                   "rgb24",  "-s",       size,        "-r",        rate, "-i",       "pipe:0",
                                   "-vf",    filter,     "-y",        video->path, NULL};
  posix_spawn_file_actions_t actions;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;
  failure = posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  if (!failure) failure = posix_spawn_file_actions_addclose(&actions, ends[1]);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(video->words), STDOUT_FILENO);
  if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(video->words), STDERR_FILENO);
  if (!failure)
    failure = posix_spawnp(&video->child, "ffmpeg", &actions, NULL, (char *const *)(size_t)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

static void free_video(cli_video *video)
{
  if (video->words != NULL) fclose(video->words);
  if (video->pipe >= 0) close(video->pipe);
  fcps_draft_finish(video->draft, FCPS_ERR_STOPPED, NULL); /* an unfinished film is dropped */
  free(video);
}

/* Starts a film, and ffmpeg to write it. The ending of `path` decides the kind of film (.mp4, .gif, .webm). Fails with
 * FCPS_ERR_UNAVAILABLE if ffmpeg is not installed. */
static fcps_status video_create(cli_video **result, const char *path, int width, int height, int frames_per_second,
                                fcps_error *error)
{
  *result = NULL;
  cli_video *video = fcps_allocate(1, sizeof *video);
  if (video == NULL) return fcps_error_memory(error);
  const fcps_status status = fcps_draft_open(&video->draft, path, error);
  if (status != FCPS_OK) {
    free(video);
    return status;
  }
  const char *place = fcps_draft_place(video->draft);
  char size[32], rate[16];
  snprintf(size, sizeof size, "%dx%d", width, height);
  snprintf(rate, sizeof rate, "%d", frames_per_second);
  /* "./" in front, so that ffmpeg does not take the name for an option or a protocol */
  snprintf(video->path, sizeof video->path, "%s%s", place[0] == '/' ? "" : "./", place);
  video->size = 3 * (size_t)width * (size_t)height;
  video->pipe = -1;
  video->words = tmpfile();

  int ends[2];
  int failure = video->words == NULL || pipe(ends) != 0 ? errno : 0;
  if (!failure) {
    failure = spawn(video, ends, size, rate);
    close(ends[0]);
    video->pipe = ends[1];
  }
  if (failure) {
    free_video(video);
    return failure == ENOENT
               ? fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL,
                                "a film needs ffmpeg: install it (Debian: apt-get install ffmpeg), or choose a name "
                                "that ends with .png")
               : fcps_error_set(error, FCPS_ERR_IO, NULL, "ffmpeg was not started: %s", strerror(failure));
  }
  *result = video;
  return FCPS_OK;
}

/* Adds a frame: 3 width height bytes, top row first. */
static fcps_status video_add(cli_video *video, const unsigned char *rgb, fcps_error *error)
{
  for (size_t done = 0; done < video->size;) {
    const ssize_t count = write(video->pipe, rgb + done, video->size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return fcps_error_set(error, FCPS_ERR_PROGRAM, NULL, "ffmpeg stopped reading: %s", strerror(errno));
    done += (size_t)count;
  }
  return FCPS_OK;
}

/* Ends the film. The file gets its final name if the film is complete and wanted. Fails with FCPS_ERR_PROGRAM and
 * ffmpeg's last message if ffmpeg could not write the film. `error` may be NULL. */
static fcps_status video_close(cli_video *video, bool is_wanted, fcps_error *error)
{
  if (video == NULL) return FCPS_OK;
  close(video->pipe);
  video->pipe = -1;
  int status = 0;
  pid_t waited;
  do
    waited = waitpid(video->child, &status, 0);
  while (waited < 0 && errno == EINTR);

  fcps_status result = FCPS_OK;
  if (waited < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    char words[300] = "";
    rewind(video->words);
    const size_t length = fread(words, 1, sizeof words - 1, video->words);
    words[length] = 0;
    words[strcspn(words, "\n")] = 0;
    result =
        fcps_error_at(error, FCPS_ERR_PROGRAM, video->path, 0, 0, NULL, "ffmpeg did not write the film: %s", words);
  }
  if (result == FCPS_OK && is_wanted) result = fcps_draft_publish(video->draft, error);
  free_video(video);
  return result;
}

/* -- Frames -- */

/* A film shows the last frame of a rollout for HOLD_FRAMES; pictures have a GAP of pixels between frames. */
enum { HOLD_FRAMES = 25, GAP = 4 };

struct cli_frames {
  char path[4096];
  int width, height, rows, moments;
  unsigned char *pixels; /* the frames of the present rollout */
  size_t count, capacity;
  cli_video *video;       /* for a film; else NULL */
  unsigned char *picture; /* the pixels of a picture; NULL for a film */
  int row;                /* the number of rollouts so far */
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
    return video_create(&frames->video, frames->path, frames->width, frames->height, frames_per_second, error);
  return fcps_error_at(error, FCPS_ERR_ARGUMENT, frames->path, 0, 0, NULL,
                       "the name must end with .png, .mp4, .gif or .webm");
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

/* Copies a frame into a column of the picture's present row. */
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
      status = video_add(frames->video, frame(frames, i < frames->count ? i : frames->count - 1), error);
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
  if (frames->video != NULL) status = video_close(frames->video, is_wanted, error);
  free(frames->pixels);
  free(frames->picture);
  free(frames);
  return status;
}
