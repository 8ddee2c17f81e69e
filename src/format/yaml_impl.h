/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the YAML files only: what a document and its nodes hold beside what the reader of a document sees. */
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
  int key_line, key_column;        /* of a map's child: where its key stands */
  const fcps_yaml_node **children; /* the same arrays as the node's, while they grow */
  const char **keys;
  size_t children_capacity, keys_capacity;
} fcps_yaml_tree;

static inline const fcps_yaml_tree *fcps_yaml_tree_of(const fcps_yaml_node *node)
{
  return (const fcps_yaml_tree *)(const void *)node;
}

#endif
