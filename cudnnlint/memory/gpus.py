"""GPUs by name, with the memory that TensorFlow has for tensors on them."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from functools import cache

from cudnnlint.records import record

MIB = 1 << 20
GIB = 1 << 30
OBSERVED, COMPUTED = "observed", "computed"


CONTEXT = 300
"""MiB of the CUDA context when TensorFlow starts: by its logs 302 on a slice of an A100, 117 to 430 on a T4."""
CAPABILITIES = (("k80", 3), ("m60", 5), ("p100", 6), ("gtx10", 6), ("v100", 7), ("t4", 7), ("gtx16", 7), ("rtx20", 7),
                ("titanxp", 6), ("titan", 7), ("quadrortx", 7), ("p4", 6), ("h100", 9), ("h200", 9), ("h20", 9),
                ("gh200", 9), ("b200", 10), ("rtx50", 12))
"""Compute capabilities by the beginnings of names; the others here are 8 (developer.nvidia.com/cuda-gpus)."""
RESERVES = ((6, 500), (7, 1050), (8, 1536), (99, 1800))


@record(frozen=True, slots=True)
class GPU:
    """`usable` bytes as TensorFlow logs them ("Created device ... with N MB memory") on an idle machine.

    nominal  GiB on the box
    source   "observed": seen in public logs, a value near the middle where they differ; "computed": free memory less
             what TensorFlow leaves alone (`reserve`); "given" by the user; "driver": asked here
    count    GPUs of this kind; note: how it came to be this one, where that was not said
    """

    name: str
    nominal: float
    usable: int
    source: str = OBSERVED
    count: int = 1
    note: str = ""

    @property
    def total(self) -> int:
        """About what the driver calls the memory of the GPU: what TensorFlow leaves alone is added again."""
        return self.usable + reserve(capability(self.name), self.usable) + CONTEXT * MIB

    @property
    def title(self) -> str:
        return f"{self.count}x {self.name}" if self.count > 1 else self.name


def reserve(major: int, free: int) -> int:
    """Bytes that TensorFlow leaves alone, by compute capability (tensorflow/core/common_runtime/gpu/gpu_device.cc:
    MinSystemMemory).

    >>> reserve(7, 15 << 30) // MIB, reserve(9, 80 << 30) // MIB, reserve(8, 1 << 30) // MIB
    (1050, 1800, 225)
    """
    return (225 if free < 2 * GIB else next(mib for most, mib in RESERVES if major <= most)) * MIB


@cache
def capability(name: str) -> int:
    """The major number of the compute capability."""
    known = plain(name)
    return next((major for start, major in CAPABILITIES if known.startswith(start)), 8)


def plain(name: str) -> str:
    """For comparison: lower case, without separators, makers and units.

    >>> plain("NVIDIA A100 80GB"), plain("Tesla T4")
    ('a10080', 't4')
    """
    text = re.sub(r"nvidia|geforce|tesla|gpu|pcie|sxm\d?|hbm\d", "", name.lower())
    return re.sub(r"(\d)gi?b\b", r"\1", re.sub(r"[\s_-]+", "", text))


def _left(name: str, mib: int) -> int:
    """Of the memory of an idle GPU what TensorFlow has for tensors."""
    return (mib - CONTEXT) * MIB - reserve(capability(name), (mib - CONTEXT) * MIB)


CATALOGUE: tuple[GPU, ...] = tuple(GPU(name, nominal, mib * MIB, source) for name, nominal, mib, source in (
    ("K80", 12, 10785, OBSERVED), ("M60", 8, 7098, OBSERVED), ("P100", 16, 15400, OBSERVED),
    ("V100-16", 16, 14500, OBSERVED), ("V100-32", 32, 30950, OBSERVED), ("T4", 16, 13750, OBSERVED),
    ("A10G", 24, 20700, COMPUTED), ("L4", 24, 20700, OBSERVED), ("L40S", 48, 43900, COMPUTED),
    ("A100-40", 40, 38340, OBSERVED), ("A100-80", 80, 79000, OBSERVED), ("H100", 80, 78700, OBSERVED),
    ("H200", 141, 138500, OBSERVED), ("RTX-A6000", 48, 46670, OBSERVED),
    ("GTX-1060", 6, 4700, OBSERVED), ("GTX-1070", 8, 6650, OBSERVED), ("GTX-1080", 8, 6950, OBSERVED),
    ("GTX-1080-Ti", 11, 10400, OBSERVED), ("GTX-1650", 4, 2100, OBSERVED), ("GTX-1660-Ti", 6, 3950, OBSERVED),
    ("RTX-2060", 6, 3960, OBSERVED), ("RTX-2070", 8, 6300, OBSERVED), ("RTX-2070-Super", 8, 5950, OBSERVED),
    ("RTX-2080", 8, 6000, OBSERVED), ("RTX-2080-Ti", 11, 9450, OBSERVED), ("RTX-3050-Laptop", 4, 1767, OBSERVED),
    ("RTX-3060-Laptop", 6, 3495, OBSERVED), ("RTX-3060", 12, 9700, OBSERVED), ("RTX-3070", 8, 5500, OBSERVED),
    ("RTX-3080", 10, 7450, OBSERVED), ("RTX-3080-Ti", 12, 9300, OBSERVED), ("RTX-3090", 24, 22300, OBSERVED),
    ("RTX-4060", 8, 5560, OBSERVED), ("RTX-4070", 12, 8700, OBSERVED), ("RTX-4080", 16, 13500, OBSERVED),
    ("RTX-4090", 24, 22100, OBSERVED), ("RTX-5070-Ti", 16, 13100, OBSERVED), ("RTX-5080", 16, 13000, COMPUTED),
    ("RTX-5090", 32, 29100, OBSERVED),
)) + tuple(GPU(name, nominal, _left(name, mib), COMPUTED) for name, nominal, mib in (
    ("P4", 8, 7611), ("P40", 24, 22919), ("TITAN-Xp", 12, 12196), ("TITAN-V", 12, 12066), ("TITAN-RTX", 24, 24220),
    ("Quadro-RTX-6000", 24, 24220), ("Quadro-RTX-8000", 48, 48600), ("A2", 16, 15356), ("A10", 24, 23028),
    ("A16", 16, 15356), ("A30", 24, 24258), ("A40", 48, 45634), ("L40", 48, 46068), ("H100-NVL", 94, 95830),
    ("H20", 96, 97871), ("GH200", 96, 97871), ("B200", 180, 183359), ("RTX-A4000", 16, 16376),
    ("RTX-A5000", 24, 24564), ("RTX-6000-Ada", 48, 49140), ("GTX-1050-Ti", 4, 4040), ("RTX-3050", 8, 8192),
    ("RTX-3090-Ti", 24, 24564), ("RTX-4060-Ti", 8, 8188), ("RTX-4060-Ti-16", 16, 16380), ("RTX-4070-Ti", 12, 12282),
    ("RTX-4070-Ti-Super", 16, 16376), ("RTX-4080-Super", 16, 16376), ("RTX-5060", 8, 8151),
    ("RTX-5060-Ti", 16, 16311), ("RTX-5070", 12, 12227),
))
"""With MiB as nvidia-smi tells them for those that are computed."""
ALIASES = {"v100": "V100-16", "a100": "A100-40", "rtx3060ti": "RTX-3070", "rtx4070super": "RTX-4070",
           "rtx2080super": "RTX-2080", "gtx1070ti": "GTX-1070", "a6000": "RTX-A6000", "h100-80": "H100",
           "a5000": "RTX-A5000", "a4000": "RTX-A4000", "rtx6000adageneration": "RTX-6000-Ada", "l40-48": "L40",
           "rtx4060ti8": "RTX-4060-Ti", "rtx5060ti16": "RTX-5060-Ti", "titanx": "TITAN-Xp"}
ASSUMED = next(gpu for gpu in CATALOGUE if gpu.name == "T4")
"""The GPU where nothing says another: that of free notebooks."""
SLICES = {5: 4.75, 10: 9.5, 20: 19.5, 40: 39.25, 80: 79.0}
"""GiB of a MIG slice by the number in its name (`nvidia-smi mig -lgip`; the least where they differ)."""
SLICED = {"a30": "A30", "a100": "A100", "a10040": "A100", "a10080": "A100", "h100": "H100", "h10080": "H100",
          "h200": "H200", "": ""}
MANY = re.compile(r"(\d{1,4})\s*[x*]\s*(.+)", re.IGNORECASE)
_SLICE = re.compile(r"(.*?)[\s_-]*(?:mig)?[\s_-]*(\d)g\.(\d{1,3})gb(?:\+\w+)?", re.IGNORECASE)
_SIZED = re.compile(r"(.+?)[\s_-]+\(?(\d{1,3})\s*gi?b\)?", re.IGNORECASE)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(gib|gb|g|mib|mb|m)b?", re.IGNORECASE)
UNITS = {"gib": GIB, "g": GIB, "gb": 10**9, "mib": MIB, "m": MIB, "mb": 10**6}


def find(text: str) -> GPU | None:
    """The GPU of that name ("T4", "a100-40", "rtx 3090"), or one with that much memory for tensors ("16GiB").

    >>> find("rtx 3090").usable // MIB, find("2GiB").usable, find("a100").name, find("GTX 9090")
    (22300, 2147483648, 'A100-40', None)
    >>> find("4090").name, find("2x T4").count, find("a100-1g.5gb").usable // MIB, find("MIG 3g.20gb").name
    ('RTX-4090', 2, 3028, 'MIG 3g.20gb')
    """
    many = MANY.fullmatch(text.strip())
    if many is not None:
        one = find(many[2]) if int(many[1]) and not MANY.fullmatch(many[2]) else None
        return one and replace(one, count=int(many[1]))
    size = _SIZE.fullmatch(text.strip())
    if size is not None:
        usable = int(float(size[1]) * UNITS[size[2].lower()])
        return GPU(text.strip(), usable / GIB, usable, "given") if usable > 0 else None
    if (sliced := _SLICE.fullmatch(text.strip())) is not None:
        return _slice(plain(sliced[1]), int(sliced[2]), int(sliced[3]))
    wanted = plain(text)
    if not wanted:  # "NVIDIA GPU" names none
        return None
    alias = next((name for key, name in ALIASES.items() if plain(key) == wanted), "")
    exact = next((gpu for gpu in CATALOGUE if gpu.name == alias or plain(gpu.name) == wanted), None)
    if exact is None and (sized := _SIZED.fullmatch(text.strip())) is not None:  # "Tesla T4 16GB"
        one = find(sized[1])
        return one if one is not None and one.nominal - 1 <= float(sized[2]) <= one.nominal else None
    if exact is not None or not wanted[0].isdigit():
        return exact
    return next((gpu for gpu in CATALOGUE if plain(gpu.name) in (f"rtx{wanted}", f"gtx{wanted}")), None)


def _slice(card: str, part: int, gigabytes: int) -> GPU | None:
    """A MIG slice: `1g.5gb` of an A100 has 3,026 MiB in TensorFlow's log, 4.75 GiB less what is left alone."""
    if card not in SLICED or not 1 <= part <= 7 or not gigabytes:
        return None
    memory = int(SLICES.get(gigabytes, gigabytes * 0.95) * GIB)
    usable = memory - CONTEXT * MIB - reserve(9 if card.startswith("h") else 8, memory)
    name = f"{SLICED[card]} MIG {part}g.{gigabytes}gb".strip()
    return GPU(name, gigabytes, usable, COMPUTED) if usable > 0 else None


def unknown(text: str) -> str:
    """What to say of a name that is not known, or of memory that is none."""
    count = MANY.fullmatch(text.strip())
    if _SIZE.fullmatch(text.strip().lstrip("+-")) is not None:
        return f"{text} is no memory that a GPU has; give it as 16GiB, or a name"
    if count is not None and not int(count[1]):
        return f"{text}: there must be one GPU at least"
    return f'no GPU "{text}" is known; the nearest are {", ".join(nearest(text))}, or give its memory: 16GiB'


def nearest(text: str, count: int = 4) -> list[str]:
    """Names that are most like a wrong one."""
    names = {plain(gpu.name): gpu.name for gpu in CATALOGUE}
    many = MANY.fullmatch(text.strip())
    text = many[2] if many is not None else text
    close = difflib.get_close_matches(plain(text), names, n=count, cutoff=0.3)
    return [names[key] for key in close] or ["T4", "RTX-3090", "RTX-4090", "A100-40"]
