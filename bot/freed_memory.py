"""What Python has freed goes back to the system: glibc would keep it for what may come. Other C libraries are left alone."""

import ctypes
from contextlib import suppress

_LARGE = 1 << 20  # bytes; chosen: larger blocks are few, and each costs a call of the system
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # of glibc's malloc.h


def tune_malloc() -> None:
    """Have glibc give large blocks back to the system once they are free, and share two heaps among all threads.

    It would hold on to up to 32 MB at a time for what may come, and to a heap for each thread.
    """
    with suppress(OSError, AttributeError):
        c = ctypes.CDLL("libc.so.6")
        for option, value in ((_MMAP_THRESHOLD, _LARGE), (_TRIM_THRESHOLD, _LARGE), (_ARENA_MAX, 2)):
            c.mallopt(option, value)


def return_freed_memory() -> None:
    """Give back what is free between used blocks, too: worth some milliseconds where much has been freed."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
