/* SPDX-License-Identifier: Apache-2.0 */
/* Where a server listens: "127.0.0.1:8017", "[::1]:8017", "unix:PATH"; port 0 stands for a free one. */
#ifndef FCPS_SERVE_HTTP_ADDRESS_H
#define FCPS_SERVE_HTTP_ADDRESS_H

#include <fcps/base.h>

#include <sys/socket.h>

typedef struct fcps_address {
  struct sockaddr_storage socket;
  socklen_t length;
  char host[64];    /* as it is written in a URL; "localhost" of a socket in the file system */
  int port;         /* 0: a free one, or a socket in the file system */
  const char *path; /* of a socket in the file system; NULL: it has a port. Points into what was read */
  bool is_local;    /* nobody outside this machine reaches it */
} fcps_address;

/* Reads an address. A host is a number: no name is looked up. */
fcps_status fcps_address_read(fcps_address *address, const char *text, fcps_error *error);

/* Opens a socket that listens there, and finds out the port. A socket in the file system is its owner's alone; one that
 * an ended server left behind is replaced. */
fcps_status fcps_address_listen(fcps_address *address, int *descriptor, fcps_error *error);

#endif
