/* SPDX-License-Identifier: Apache-2.0 */
/* The back-ends by name, for the table in store.c alone: everybody else names a store by its URL. */
#ifndef FCPS_STORE_BACKENDS_H
#define FCPS_STORE_BACKENDS_H

#include "store/store.h"

extern const fcps_store_ops fcps_store_sqlite; /* sqlite.c */
extern const fcps_store_ops fcps_store_memory; /* memory.c */

#endif
