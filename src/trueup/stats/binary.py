"""What counts as yes, no, and neither, when labels and verdicts come as plain values."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from trueup.errors import UsageError

CodeArray: TypeAlias = npt.NDArray[np.int8]

_WORDS = {
    "entailed": 1,
    "true": 1,
    "yes": 1,
    "1": 1,
    "not_entailed": 0,
    "not entailed": 0,
    "false": 0,
    "no": 0,
    "0": 0,
    "unsure": -1,
    "undecided": -1,
    "bad_split": -1,
    "not_a_claim": -1,
    "none": -1,
    "null": -1,
    "nan": -1,
    "": -1,
}


def binary_codes(values: npt.ArrayLike, name: str = "value") -> CodeArray:
    """Values (n,) as 1 (entailed), 0 (not entailed), −1 (neither), int8.

    Accepted: booleans; 1, 0 and negative numbers; None and NaN (neither); the words entailed, not
    entailed, true, false, yes, no, unsure, undecided, in any case. Anything else is a UsageError
    that names the value and its place: "Yes" is never silently unequal to True.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        if array.size:
            raise UsageError(f"{name}s must be a flat list, not one of {array.ndim} dimensions")
        return np.zeros(0, np.int8)
    if array.dtype == np.bool_:
        return array.astype(np.int8)
    if np.issubdtype(array.dtype, np.number) and not np.iscomplexobj(array):
        return _numbers(array, name)
    return np.array([_one(v, i, name) for i, v in enumerate(array.tolist())], dtype=np.int8)


def _numbers(array: npt.NDArray[Any], name: str) -> CodeArray:
    codes = np.where(np.isnan(array), -1, array) if array.dtype.kind == "f" else array
    strange = (codes > 0) & (codes != 1) | (codes < 0) & (codes != np.round(codes))
    strange |= (codes > 0) & (codes < 1)
    if strange.any():
        place = int(np.flatnonzero(strange)[0])
        raise UsageError(f"{name} {place}: {array[place]} is neither yes (1) nor no (0)")
    return np.maximum(codes, -1).astype(np.int8)


def _one(value: Any, place: int, name: str) -> int:
    # NaN is what differs from itself; the missing value of pandas refuses to be compared
    if value is None or type(value).__name__ == "NAType" or value != value:
        return -1
    if isinstance(value, (bool, int, float)) and value in (0, 1):
        return int(value)
    if isinstance(value, (int, float)) and value < 0:
        return -1
    code = _WORDS.get(value.strip().casefold()) if isinstance(value, str) else None
    if code is None:
        raise UsageError(f"{name} {place}: {value!r} is neither yes nor no")
    return code
