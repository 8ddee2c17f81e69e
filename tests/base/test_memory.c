/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation, growth and copies: contents, zeroes, overflow and refusal. */
#include "base/memory.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

static void new_memory_is_zero_and_zero_items_are_a_pointer(void **state)
{
  (void)state;
  double *values = fcps_allocate(100, sizeof *values);
  for (int i = 0; i < 100; i++)
    assert_true(values[i] == 0);
  free(values);
  void *nothing = fcps_allocate(0, 8);
  assert_non_null(nothing);
  free(nothing);
}

static void a_size_that_overflows_gives_no_memory(void **state)
{
  (void)state;
  assert_null(fcps_allocate(SIZE_MAX / 2, 3));
  assert_null(fcps_copy("x", SIZE_MAX / 2, 3));
}

static void reserving_keeps_the_contents_and_zeroes_the_rest(void **state)
{
  (void)state;
  int *items = NULL;
  size_t capacity = 0;
  for (int count = 0; count < 1000; count++) {
    assert_true(fcps_reserve((void **)&items, &capacity, (size_t)count + 1, sizeof *items));
    assert_true(capacity > (size_t)count);
    assert_int_equal(items[count], 0);
    items[count] = count;
  }
  for (int i = 0; i < 1000; i++)
    assert_int_equal(items[i], i);
  free(items);
}

static void reserving_grows_by_half(void **state)
{
  (void)state;
  void *items = NULL;
  size_t capacity = 0;
  assert_true(fcps_reserve(&items, &capacity, 100, 8));
  assert_int_equal(capacity, 100);
  assert_true(fcps_reserve(&items, &capacity, 101, 8));
  assert_int_equal(capacity, 150);
  assert_true(fcps_reserve(&items, &capacity, 20, 8));
  assert_int_equal(capacity, 150);
  free(items);
}

static void a_refused_reservation_changes_nothing(void **state)
{
  (void)state;
  char *items = NULL;
  size_t capacity = 0;
  assert_true(fcps_reserve((void **)&items, &capacity, 4, 1));
  strcpy(items, "abc");
  const char *before = items;
  assert_false(fcps_reserve((void **)&items, &capacity, SIZE_MAX / 2, 3));
  assert_ptr_equal(items, before);
  assert_int_equal(capacity, 4);
  assert_string_equal(items, "abc");
  free(items);
}

static void copies_are_equal_and_apart(void **state)
{
  (void)state;
  const double values[] = {1, 2, 3};
  double *copy = fcps_copy(values, 3, sizeof *values);
  assert_memory_equal(copy, values, sizeof values);
  assert_ptr_not_equal(copy, values);
  free(copy);

  copy = fcps_copy(NULL, 0, sizeof *values);
  assert_non_null(copy);
  free(copy);

  char *text = fcps_copy_text("text");
  assert_string_equal(text, "text");
  fcps_free(text);
  assert_null(fcps_copy_text(NULL));
  fcps_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(new_memory_is_zero_and_zero_items_are_a_pointer),
      cmocka_unit_test(a_size_that_overflows_gives_no_memory),
      cmocka_unit_test(reserving_keeps_the_contents_and_zeroes_the_rest),
      cmocka_unit_test(reserving_grows_by_half),
      cmocka_unit_test(a_refused_reservation_changes_nothing),
      cmocka_unit_test(copies_are_equal_and_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
