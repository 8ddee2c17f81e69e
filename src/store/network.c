/* SPDX-License-Identifier: Apache-2.0 */
/* The network file systems by their numbers. Two machines that write one file there may both believe that they hold its
 * lock, and a sync may return before the server has written; so a study's promises do not hold. FUSE is listed because
 * sshfs and folders that a virtual machine shares are FUSE; a local one is taken for such a folder. */
#include "store/network.h"

#include "store/store.h"

#include <sys/vfs.h>

static const struct {
  uint32_t magic;
  const char *name;
} networks[] = {
    {0x6969, "NFS"},      {0x517B, "SMB"},        {0xFE534D42, "SMB"},    {0xFF534D42, "CIFS"}, {0x65735546, "FUSE"},
    {0x01021997, "9P"},   {0x786F4256, "vboxsf"}, {0x5346414F, "AFS"},    {0x6B414653, "AFS"},  {0x00C36400, "Ceph"},
    {0x73757245, "Coda"}, {0x0BD00BD0, "Lustre"}, {0x19830326, "BeeGFS"}, {0x47504653, "GPFS"}, {0x564C, "NCP"},
};

const char *fcps_store_network_name(int64_t magic)
{
  for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
    if (networks[i].magic == (uint32_t)magic) return networks[i].name;
  return NULL;
}

const char *fcps_store_network(const char *url)
{
  fcps_store_url parts;
  struct statfs place;
  if (fcps_store_read_url(&parts, url, NULL) != FCPS_OK || !parts.ops->has_address) return NULL;
  return statfs(parts.address, &place) == 0 ? fcps_store_network_name((int64_t)place.f_type) : NULL;
}
