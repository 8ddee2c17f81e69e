/* SPDX-License-Identifier: Apache-2.0 */
/* A program that misbehaves in the way that its first argument names, from the ask in the second argument on. In some
 * ways it keeps moving, and then writes to the file MISBEHAVE_TRACE fifty times a second: which process, when (by a
 * clock that all processes share), and how. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long number_after(const char *line, const char *key)
{
  const char *place = strstr(line, key);
  return place != NULL ? strtol(place + strlen(key), NULL, 10) : 0;
}

static void flood(const char *noise)
{
  for (;;)
    fputs(noise, stdout);
}

static void drip(const char *text)
{
  for (; *text; text++) {
    putchar(*text);
    fflush(stdout);
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
  }
}

static void move(double seconds, const char *how)
{
  const char *path = getenv("MISBEHAVE_TRACE");
  const int trace = path != NULL ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
  for (int i = 0; i < seconds * 50.0; i++) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (trace >= 0) dprintf(trace, "%d %ld.%09ld %s\n", getpid(), (long)now.tv_sec, now.tv_nsec, how);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
  }
  if (trace >= 0) close(trace);
}

/* Moves in a process of another session, which has no parent here. */
static void move_as_daemon(double seconds)
{
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  for (int file = 0; file < 64; file++)
    close(file);
  move(seconds, "daemon");
  _exit(0);
}

/* Starts a process that ends at once and has no parent here. */
static void leave_orphan(void)
{
  if (fork() != 0) {
    wait(NULL);
    return;
  }
  if (fork() != 0) _exit(0);
  _exit(0);
}

/* Joins the group of a child, so that its own group is empty. */
static void leave_group(void)
{
  const pid_t child = fork();
  if (child == 0) {
    sleep(20);
    _exit(0);
  }
  setpgid(child, child);
  setpgid(0, child);
}

static int open_files(void)
{
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder != NULL && readdir(folder) != NULL)
    count++;
  if (folder != NULL) closedir(folder);
  return count - 3; /* ".", ".." and the folder */
}

/* Starts a process that keeps the pipes open, and goes. */
static void leave_grandchild(void)
{
  if (fork() == 0) sleep(60);
  _exit(0);
}

/* Ways that move for a long time, and then answer. */
static void move_long(const char *how)
{
  if (strcmp(how, "move") == 0) move(20, how);
  if (strcmp(how, "stubborn") == 0) signal(SIGTERM, SIG_IGN), move(20, how);
  if (strcmp(how, "leave-group") == 0) leave_group(), move(20, how);
  if (strcmp(how, "daemon") == 0) move_as_daemon(20), sleep(20);
  if (strcmp(how, "other-user") == 0 && setresuid(0, 0, 0) == 0) move(6, how);
  if (strcmp(how, "orphans") == 0) leave_orphan();
  if (strcmp(how, "touch") == 0) move(0.02, how);
  if (strcmp(how, "a-second") == 0) move(1, how);
  if (strcmp(how, "child") == 0 && fork() == 0) move(20, how), _exit(0);
  if (strcmp(how, "child") == 0) sleep(20);
  while (strcmp(how, "last-word") == 0 && getchar() != EOF) /* the program answers when it is asked to end */
    continue;
  if (strcmp(how, "leave-daemon") == 0) move_as_daemon(20), nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}

/* Ways that never come to an answer. */
static void break_down(const char *how)
{
  if (strcmp(how, "exit-0") == 0) _exit(0);
  if (strcmp(how, "exit-3") == 0) fputs("cannot open the arm\n", stderr), _exit(3);
  if (strcmp(how, "segv") == 0) raise(SIGSEGV);
  if (strcmp(how, "sleep") == 0 || strcmp(how, "ignore-term") == 0) sleep(60);
  if (strcmp(how, "grandchild") == 0) leave_grandchild();
  if (strcmp(how, "flood") == 0) flood("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
  if (strcmp(how, "flood-lines") == 0) flood("noise\nnoise\nnoise\nnoise\nnoise\nnoise\nnoise\nnoise\n");
  if (strcmp(how, "half-line") == 0) printf("{\"ask\": 1, \"outco"), fflush(stdout), _exit(0);
  if (strcmp(how, "close") == 0) close(STDOUT_FILENO), sleep(60);
}

static void respond(const char *how, long ask, const char *line)
{
  char good[80];
  const char *speed = strstr(line, "\"speed\":");
  snprintf(good, sizeof good, "{\"land\": %.17g}",
           speed != NULL ? 2 * strtod(speed + strlen("\"speed\":"), NULL) : 0.0);
  if (strcmp(how, "of-another") == 0 && ask > 2) printf("{\"ask\": %ld, \"outcome\": {\"land\": 666}}\n", ask - 1);
  if (strcmp(how, "failed") == 0)
    printf("{\"ask\": %ld, \"failed\": \"gripper slipped\"}\n", ask);
  else if (strcmp(how, "absent") == 0)
    printf("{\"ask\": %ld, \"outcome\": null}\n", ask);
  else if (strcmp(how, "not-json") == 0)
    printf("{oops}\n");
  else if (strcmp(how, "nan") == 0)
    printf("{\"ask\": %ld, \"outcome\": {\"land\": NaN}}\n", ask);
  else if (strcmp(how, "nan-text") == 0)
    printf("{\"ask\": %ld, \"outcome\": {\"land\": \"nan\"}}\n", ask);
  else if (strcmp(how, "missing-name") == 0)
    printf("{\"ask\": %ld, \"outcome\": {\"fell\": 1}}\n", ask);
  else if (strcmp(how, "wrong-id") == 0)
    printf("{\"ask\": %ld, \"outcome\": %s}\n", ask + 1000, good);
  else if (strcmp(how, "executed") == 0)
    printf("{\"ask\": %ld, \"outcome\": %s, \"executed\": {\"speed\": 0.75}}\n", ask, good);
  else if (strcmp(how, "executed-failed") == 0)
    printf("{\"ask\": %ld, \"failed\": \"slipped\", \"executed\": {\"speed\": 0.75}}\n", ask);
  else if (strcmp(how, "executed-nan") == 0)
    printf("{\"ask\": %ld, \"outcome\": %s, \"executed\": {\"speed\": \"nan\"}}\n", ask, good);
  else if (strcmp(how, "executed-other") == 0)
    printf("{\"ask\": %ld, \"outcome\": %s, \"executed\": {\"sped\": 1}}\n", ask, good);
  else if (strcmp(how, "more-keys") == 0)
    printf("{\"ask\": %ld, \"outcome\": %s, \"reward\": 3, \"parameters\": {}, \"foo\": 1}\n", ask, good);
  else if (strcmp(how, "other-names") == 0)
    printf("{\"ask\": %ld, \"outcome\": {\"land\": 1, \"fell\": 2}, \"executed\": {\"speed\": 1, \"sped\": 1}}\n", ask);
  else if (strcmp(how, "failed-null") == 0)
    printf("{\"ask\": %ld, \"outcome\": %s, \"failed\": null}\n", ask, good);
  else if (strcmp(how, "failed-false") == 0)
    printf("{\"ask\": %ld, \"outcome\": %s, \"failed\": false}\n", ask, good);
  else if (strcmp(how, "early") == 0)
    printf("{\"ask\": %ld, \"outcome\": %s}\n{\"ask\": %ld, \"outcome\": {\"land\": 666}}\n", ask, good, ask + 1);
  else if (strcmp(how, "minus-one") == 0)
    printf("{\"ask\": -1, \"outcome\": %s}\n{\"ask\": %ld, \"outcome\": %s}\n", good, ask, good);
  else if (strcmp(how, "files") == 0)
    printf("{\"ask\": %ld, \"outcome\": {\"land\": %d}}\n", ask, open_files());
  else if (strcmp(how, "no-id") == 0)
    printf("{\"outcome\": %s}\n", good);
  else if (strcmp(how, "text-id") == 0)
    printf("{\"ask\": \"%ld\", \"outcome\": %s}\n", ask, good);
  else if (strcmp(how, "drip") == 0)
    drip("{\"ask\": 1, \"outcome\": null}");
  else
    printf("{\"ask\": %ld, \"outcome\": %s}\n", ask, good);
  while (strcmp(how, "again-and-again") == 0 && printf("{\"ask\": %ld, \"outcome\": %s}\nnoise\n", ask, good) > 0)
    continue;
  if (strcmp(how, "twice") == 0) printf("{\"ask\": %ld, \"outcome\": %s}\n", ask, good);
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "good";
  const long first = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
  char line[4096];
  if (strcmp(how, "ignore-term") == 0) signal(SIGTERM, SIG_IGN);
  if (strncmp(how, "unasked", 7) == 0) puts("{\"ask\": 1, \"outcome\": {\"land\": 666}}"), fflush(stdout);
  if (strcmp(how, "unasked-slow") == 0) nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  while (fgets(line, sizeof line, stdin) != NULL) {
    const long context = number_after(line, "\"context\":"), ask = number_after(line, "\"ask\":");
    const bool is_good = ask < first;
    if (!is_good) break_down(how), move_long(how);
    if (strcmp(how, "chatty") == 0) printf("about to throw\n"), fputs("warming up\n", stderr);
    if (context > 0)
      printf("{\"context\": %ld, \"target\": {\"x\": %.17g}, \"environment\": {}}\n", context, (double)context / 10);
    else
      respond(is_good ? "good" : how, ask, line);
    fflush(stdout);
  }
  return 0;
}
