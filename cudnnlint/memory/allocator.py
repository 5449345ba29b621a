"""TensorFlow's allocator on sizes alone: what fragments, and when a request is refused.

xla/tsl/framework/bfc_allocator.cc: best fit with coalescing. Regions of memory never merge, and a chunk is split only
where it is twice what is asked for, or 128 MiB more.
"""

from __future__ import annotations

from bisect import bisect_left, insort

GRAIN = 256
SPLITS = 128 << 20
FIRST = 2 << 20
"""The first region where memory is taken as it is needed; each further one is twice as large."""


class Refused(Exception):
    """What TensorFlow tells as ResourceExhaustedError."""


class Arena:
    """Memory of `limit` bytes: one region, or with `grows` regions that double. Chunks are known by their addresses.

    free    (size, address) of free chunks, in order
    size    bytes of each chunk
    ending  the chunk that ends at an address; a gap between regions keeps apart what lies in two of them
    """

    def __init__(self, limit: int, *, grows: bool) -> None:
        self.limit = limit // GRAIN * GRAIN
        self.taken = self.top = 0
        self.region = FIRST if grows else self.limit
        self.free: list[tuple[int, int]] = []
        self.size: dict[int, int] = {}
        self.ending: dict[int, int] = {}
        self.used: set[int] = set()

    def take(self, size: int) -> int:
        """The address of a chunk of at least so many bytes; Refused where there is none."""
        size = (size + GRAIN - 1) // GRAIN * GRAIN or GRAIN
        free = self.free
        while (place := bisect_left(free, (size, -1))) == len(free):
            self._extend(size)
        whole, address = free.pop(place)
        if whole >= 2 * size or whole - size >= SPLITS:
            rest, left = address + size, whole - size
            self.size[address], self.size[rest] = size, left
            self.ending[rest], self.ending[rest + left] = address, rest
            insort(free, (left, rest))
        self.used.add(address)
        return address

    def give(self, address: int) -> None:
        """Free a chunk, which becomes one with its free neighbours."""
        sizes, ending, free, used = self.size, self.ending, self.free, self.used
        used.discard(address)
        size = sizes[address]
        after = address + size
        if after in sizes and after not in used:
            del free[bisect_left(free, (sizes[after], after))], ending[after]
            size += sizes.pop(after)
        before = ending.get(address)
        if before is not None and before not in used:
            del free[bisect_left(free, (sizes[before], before))], ending[address], sizes[address]
            size, address = size + sizes[before], before
        sizes[address], ending[address + size] = size, address
        insort(free, (size, address))

    def _extend(self, size: int) -> None:
        room = self.limit - self.taken
        if size > room:
            raise Refused
        doubled = False
        while size > self.region:
            self.region *= 2
            doubled = True
        given = min(self.region, room)
        if not doubled:
            self.region *= 2
        self.top += GRAIN
        address, self.top = self.top, self.top + given
        self.taken += given
        self.size[address], self.ending[address + given] = given, address
        insort(self.free, (given, address))
