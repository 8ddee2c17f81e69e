/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql: for an fcps that was built without libpq. Its addresses are read and checked as usual, so that no message
 * repeats a password; then the error says what is missing. CMake uses this file instead of the others. */
#include "base/error.h"
#include "store/postgresql/postgresql_impl.h"

static fcps_status refuse(const fcps_store_url *url, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, "",
                        "%s is in PostgreSQL, and this fcps was built without it. Install libpq-dev and build again.",
                        url->name);
}

static fcps_status create(fcps_store **store, const fcps_store_url *url, fcps_store_options options, fcps_error *error)
{
  (void)store;
  (void)options;
  return refuse(url, error);
}

static fcps_status exists(bool *is_there, const fcps_store_url *url, fcps_error *error)
{
  (void)is_there;
  return refuse(url, error);
}

const fcps_store_ops fcps_store_postgresql = {.scheme = "postgresql",
                                              .other_scheme = "postgres",
                                              .form = "postgresql://HOST/DATABASE#NAME",
                                              .about = "needs libpq, which this fcps was built without",
                                              .is_shared = true,
                                              .has_address = true,
                                              .check = fcps_postgresql_check,
                                              .create = create,
                                              .open = create,
                                              .exists = exists,
                                              .recognize = refuse,
                                              .remove = refuse};
