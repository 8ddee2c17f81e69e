/* SPDX-License-Identifier: Apache-2.0 */
/* One temporary folder for all tests of a file: cmocka_run_group_tests(tests, create_folder, delete_folder). */
#ifndef FCPS_TESTS_SHARED_FOLDER_H
#define FCPS_TESTS_SHARED_FOLDER_H

#include "program.h"

static test_folder folder;

static int create_folder(void **state)
{
  (void)state;
  folder = folder_create();
  return 0;
}

static int delete_folder(void **state)
{
  (void)state;
  folder_remove(&folder);
  return 0;
}

#endif
