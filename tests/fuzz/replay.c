/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target on every file of a folder, so that inputs which once failed are tested again. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int replay(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL) return 1;
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  uint8_t *data = malloc((size_t)size + 1);
  const int failed = data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size;
  fclose(file);
  if (!failed) LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
  return failed;
}

int main(int argc, char **argv)
{
  DIR *folder = argc > 1 ? opendir(argv[1]) : NULL;
  int count = 0, failures = 0;
  if (folder == NULL) return 2;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[1024];
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
    failures += replay(path);
    count++;
  }
  closedir(folder);
  printf("%d inputs replayed\n", count);
  return failures || !count;
}
