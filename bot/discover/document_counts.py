"""In how many documents each of many things is: pairs take eight bytes until they are counted, and numbers of documents no more."""

from array import array
from collections.abc import Hashable
from typing import Generic, TypeVar

import numpy as np

K = TypeVar("K", bound=Hashable)


class DocumentCounts(Generic[K]):
    """Count the documents of each key; a document may be noted for it more than once."""

    def __init__(self) -> None:
        self._keys: dict[K, int] = {}
        self._documents: dict[str, int] = {}
        self._pairs = array("Q")

    def note(self, key: K, document: str) -> None:
        place = self._keys.setdefault(key, len(self._keys))
        self._pairs.append(place << 32 | self._documents.setdefault(document, len(self._documents)))

    def counted(self) -> dict[K, int]:
        """Return in how many documents each key is."""
        pairs = np.unique(np.frombuffer(self._pairs, dtype=np.uint64)) if self._pairs else np.zeros(0, dtype=np.uint64)
        numbers = np.bincount((pairs >> np.uint64(32)).astype(np.int64), minlength=len(self._keys)).tolist()
        return dict(zip(self._keys, numbers, strict=True))


def round_coarsely(number: int) -> int:
    """Return a number rounded down to two binary digits (1, 2, 3, 4, 6, 8, 12 …), so that one document more changes few of them."""
    shift = max(number.bit_length() - 2, 0)
    return number >> shift << shift
