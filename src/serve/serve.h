/* SPDX-License-Identifier: Apache-2.0 */
/* Studies over HTTP: one process that owns the studies, an API of JSON, and a page. */
#ifndef FCPS_SERVE_SERVE_H
#define FCPS_SERVE_SERVE_H

#include <fcps/study.h>

typedef struct fcps_server fcps_server;

typedef struct fcps_server_options {
  int study_count;
  const char *const *studies; /* paths; a study is called by its file's name without its ending */
  const char *folder;         /* in which studies may be made, and whose studies are served; NULL: none */
  const char *listen;         /* "127.0.0.1:0" */
  bool is_remote_allowed;     /* others than this machine may reach it */
  int host_count;
  const char *const *hosts;      /* further names by which it may be called, such as that of a reverse proxy */
  const char *token_file;        /* NULL: the usual place */
  int connections_max;           /* 0: as many as the limit of open files allows, at most 4096 */
  const fcps_study_maker *maker; /* of studies that were made from an origin; NULL: they are refused */
  fcps_log log;                  /* may be called from several threads */
} fcps_server_options;

/* Opens the studies and listens. SIGTERM and SIGINT belong to the server from now on, and SIGHUP unless it is ignored. */
fcps_status fcps_server_create(fcps_server **server, const fcps_server_options *options, fcps_error *error);

/* Where it listens: "http://127.0.0.1:8017/#token=...", or "unix:PATH" of a socket in the file system. */
const char *fcps_server_url(const fcps_server *server);

/* Serves until SIGTERM, SIGINT or SIGHUP. Before it returns, all acknowledged results are stored and calls that had
 * begun are answered. */
fcps_status fcps_server_run(fcps_server *server, fcps_error *error);
void fcps_server_destroy(fcps_server *server);

#endif
