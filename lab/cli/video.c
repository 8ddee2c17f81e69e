/* SPDX-License-Identifier: Apache-2.0 */
/* A child process, ffmpeg, fed through a pipe; its messages go to a temporary file and are read when it failed. */
#include "lab/cli/video.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/draft.h"
#include "format/file.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct cli_video {
  pid_t child;
  int pipe;
  size_t size; /* of a frame */
  FILE *words; /* what ffmpeg said */
  fcps_draft *draft;
  char path[4096]; /* what ffmpeg writes to */
};

/* Starts ffmpeg with the pipe as its input. Returns 0 or an error number. */
static int spawn(cli_video *video, const int ends[2], const char *size, const char *rate)
{
  /* GIFs get a palette of their own; everything else what every player shows */
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
  fcps_draft_finish(video->draft, FCPS_ERR_STOPPED, NULL); /* what was not published is not wanted */
  free(video);
}

fcps_status cli_video_create(cli_video **result, const char *path, int width, int height, int frames_per_second,
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
  /* "./" keeps ffmpeg from taking a name for an option or a protocol */
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
                                "films need ffmpeg (Debian: apt-get install ffmpeg); .png needs nothing")
               : fcps_error_set(error, FCPS_ERR_IO, NULL, "ffmpeg was not started: %s", strerror(failure));
  }
  *result = video;
  return FCPS_OK;
}

fcps_status cli_video_add(cli_video *video, const unsigned char *rgb, fcps_error *error)
{
  for (size_t done = 0; done < video->size;) {
    const ssize_t count = write(video->pipe, rgb + done, video->size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return fcps_error_set(error, FCPS_ERR_PROGRAM, NULL, "ffmpeg stopped reading: %s", strerror(errno));
    done += (size_t)count;
  }
  return FCPS_OK;
}

fcps_status cli_video_close(cli_video *video, bool is_wanted, fcps_error *error)
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
