/* SPDX-License-Identifier: Apache-2.0 */
/* A private PostgreSQL server for a test, started and ended by it (postgresql-server.sh). */
#ifndef FCPS_TESTS_POSTGRESQL_FIXTURE_H
#define FCPS_TESTS_POSTGRESQL_FIXTURE_H

#include "store/store.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct postgresql_server {
  char folder[64];
  pid_t process; /* 0: none */
} postgresql_server;

static inline void server_url(const postgresql_server *server, const char *name, size_t size, char *url)
{
  snprintf(url, size, "postgresql:///postgres?host=%s&user=fcps#%s", server->folder, name);
}

/* whether it answers */
static inline bool server_is_ready(const postgresql_server *server)
{
  char url[160];
  bool exists;
  server_url(server, "none", sizeof url, url);
  return fcps_store_exists(&exists, url, NULL) == FCPS_OK;
}

static inline void server_pause(void)
{
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* As a power cut: nothing is put in order. */
static inline void server_end(postgresql_server *server)
{
  int how;
  if (server->process <= 0) return;
  kill(server->process, SIGQUIT);
  waitpid(server->process, &how, 0);
  server->process = 0;
}

/* Starts, or starts again, the server of a folder that was made. False: there is none. */
static inline bool server_run(postgresql_server *server)
{
  server->process = fork();
  if (server->process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    execl("/bin/sh", "sh", TEST_SOURCE_DIR "/tests/store/postgresql-server.sh", server->folder, (char *)NULL);
    _exit(77);
  }
  for (int i = 0; i < 6000; i++) { /* two minutes: a loaded machine makes the tables slowly */
    int how;
    if (waitpid(server->process, &how, WNOHANG) != 0) {
      server->process = 0;
      return false;
    }
    if (server_is_ready(server)) return true;
    server_pause();
  }
  server_end(server);
  return false;
}

/* Without libpq, only the parts of an address that fcps itself knows are read. */
static inline bool server_is_for_us(void)
{
  bool exists;
  return fcps_store_exists(&exists, "postgresql:///none?host=/none#x", NULL) != FCPS_ERR_UNAVAILABLE;
}

static inline bool server_start(postgresql_server *server)
{
  server->folder[0] = '\0';
  if (!server_is_for_us()) {
    puts("skipped: fcps was built without libpq (Debian: libpq-dev)");
    return false;
  }
  strcpy(server->folder, "/tmp/fcps-postgresql-XXXXXX");
  if (mkdtemp(server->folder) == NULL) return false;
  chmod(server->folder, 0755);
  return server_run(server);
}

static inline void server_remove(postgresql_server *server)
{
  server_end(server);
  if (server->folder[0] == '\0') return;
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", server->folder);
  if (system(command) != 0) puts("the folder of the server could not be removed");
}

#endif
