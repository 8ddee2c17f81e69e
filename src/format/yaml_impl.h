/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the files of YAML: the document, and the parts of a node that its users do not see. */
#ifndef FCPS_FORMAT_YAML_IMPL_H
#define FCPS_FORMAT_YAML_IMPL_H

#include "format/yaml.h"

struct fcps_yaml {
  char *file;
  const fcps_yaml_node *root;
};

/* Every fcps_yaml_node is the first member of one of these. */
typedef struct fcps_yaml_tree {
  fcps_yaml_node node;
  int key_line, key_column;        /* of a map's child: the position of its key */
  const fcps_yaml_node **children; /* the same arrays as the node's, but writable */
  const char **keys;
  size_t children_capacity, keys_capacity;
} fcps_yaml_tree;

static inline const fcps_yaml_tree *fcps_yaml_tree_of(const fcps_yaml_node *node)
{
  return (const fcps_yaml_tree *)(const void *)node;
}

#endif
