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
    before, after  the neighbours of a chunk in its region, -1 at an end
    """

    def __init__(self, limit: int, *, grows: bool) -> None:
        self.limit = limit // GRAIN * GRAIN
        self.taken = self.top = 0
        self.region = FIRST if grows else self.limit
        self.free: list[tuple[int, int]] = []
        self.size: dict[int, int] = {}
        self.before: dict[int, int] = {}
        self.after: dict[int, int] = {}
        self.used: set[int] = set()

    def take(self, size: int) -> int:
        """The address of a chunk of at least so many bytes; Refused where there is none."""
        size = max(GRAIN, -(-size // GRAIN) * GRAIN)
        while (place := bisect_left(self.free, (size, -1))) == len(self.free):
            self._extend(size)
        whole, address = self.free.pop(place)
        if whole >= 2 * size or whole - size >= SPLITS:
            rest = address + size
            self.size[address], self.size[rest] = size, whole - size
            self._link(rest, self.after[address])
            self._link(address, rest)
            insort(self.free, (whole - size, rest))
        self.used.add(address)
        return address

    def give(self, address: int) -> None:
        """Free a chunk, which becomes one with its free neighbours."""
        self.used.discard(address)
        for left, right in ((address, self.after[address]), (self.before[address], address)):
            if left >= 0 and right >= 0 and (other := right if left == address else left) not in self.used:
                self.free.pop(bisect_left(self.free, (self.size[other], other)))
                self.size[left] += self.size.pop(right)
                self._link(left, self.after.pop(right))
                self.before.pop(right)
                address = left
        insort(self.free, (self.size[address], address))

    def _link(self, left: int, right: int) -> None:
        self.after[left] = right
        if right >= 0:
            self.before[right] = left

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
        self.size[address], self.before[address], self.after[address] = given, -1, -1
        insort(self.free, (given, address))
