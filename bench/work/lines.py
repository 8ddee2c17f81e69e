# SPDX-License-Identifier: Apache-2.0
"""The lines that several processes print, as they come."""
import os
import selectors
import time


def lines_of(processes):
    """Yields (number of the process, time, line) until all of them have closed their standard output."""
    waiting, begun = selectors.DefaultSelector(), [b""] * len(processes)
    for number, process in enumerate(processes):
        os.set_blocking(process.stdout.fileno(), False)
        waiting.register(process.stdout, selectors.EVENT_READ, number)
    while waiting.get_map():
        for key, _ in waiting.select():
            data = os.read(key.fd, 65536)
            if not data:
                waiting.unregister(key.fileobj)
            *whole, begun[key.data] = (begun[key.data] + data).split(b"\n")
            for line in whole:
                yield key.data, time.monotonic(), line.decode()
