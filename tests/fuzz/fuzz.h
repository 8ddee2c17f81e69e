/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target: one function, called with any bytes. It must return; it aborts if a promise is broken. */
#ifndef FCPS_TESTS_FUZZ_H
#define FCPS_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes that are left. */
typedef struct input {
  const uint8_t *data;
  size_t size;
} input;

/* The next byte; 0 if none is left. */
static inline uint8_t take_byte(input *in)
{
  if (in->size == 0) return 0;
  in->size--;
  return *in->data++;
}

#endif
