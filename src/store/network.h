/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a store lies on a network file system, where SQLite's locks and syncs cannot be trusted. */
#ifndef FCPS_STORE_NETWORK_H
#define FCPS_STORE_NETWORK_H

#include <stdint.h>

/* The name of the network file system that a store is kept on; NULL where it is on none, or where that is not known. */
const char *fcps_store_network(const char *url);

/* The name of a network file system by the number with which Linux marks it (statfs(2)); NULL for all others. */
const char *fcps_store_network_name(int64_t magic);

#endif
