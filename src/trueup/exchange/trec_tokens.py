"""Columns of whitespace-separated text, for blocks of many lines at once.

Run files have tens of millions of lines; a Python object for each word would cost more than
everything else. Here a block of lines is one array of bytes, a word is a pair of offsets, and words
are hashed, compared and read as numbers without leaving numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from trueup.errors import InputError

Offsets: TypeAlias = npt.NDArray[np.int64]
Counts: TypeAlias = npt.NDArray[np.int8]
Hashes: TypeAlias = npt.NDArray[np.uint64]

_WORD = 8
_PAD = bytes(_WORD)
_FIRST_BYTES = np.array([(1 << 8 * n) - 1 for n in range(_WORD + 1)], dtype=np.uint64)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
_SPACE = 32
_NEWLINE = 10
_EXACT_DIGITS = 15
_MOST_DIGITS = 18
_LONGEST_NUMBER = 24
_POWERS_OF_TEN = np.array([float(f"1e{n}") for n in range(_LONGEST_NUMBER + 1)])


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Words of a text: `text` is padded with zero bytes, `start` and `length` are (n,)."""

    text: bytes
    start: Offsets
    length: Offsets

    @classmethod
    def of(cls, words: list[bytes]) -> Words:
        """The given words, one behind the other."""
        length = np.fromiter(map(len, words), np.int64, len(words))
        return cls(b"".join(words) + _PAD, np.cumsum(length) - length, length)

    def first(self, n: int) -> Words:
        """The first n words."""
        return Words(self.text, self.start[:n], self.length[:n])

    def __getitem__(self, index: int) -> bytes:
        start = int(self.start[index])
        return self.text[start : start + int(self.length[index])]

    def pieces(self) -> list[Hashes]:
        """Eight bytes at a time as numbers, (n,) each; bytes past a word's end are zero."""
        if not len(self.start):
            return []
        at = np.ndarray((len(self.text) - _WORD + 1,), "<u8", self.text, strides=(1,))
        last = len(at) - 1
        return [
            at[np.minimum(self.start + done, last)]
            & _FIRST_BYTES[np.clip(self.length - done, 0, _WORD)]
            for done in range(0, int(self.length.max()), _WORD)
        ]

    def hashes(self, salt: int = 0) -> Hashes:
        """A 64-bit hash of each word, (n,). Equal words have equal hashes; not the reverse."""
        h = self.length.astype(np.uint64) + np.uint64(salt)
        for number, piece in enumerate(self.pieces()):
            # a round only for words that reach so far: a hash must not depend on its neighbours
            h = np.where(self.length > number * _WORD, mixed(h ^ piece), h)
        return h

    def starts_a_run(self) -> npt.NDArray[np.bool_]:
        """(n,) whether a word differs from the one before it; exact, True for the first."""
        new = np.ones(len(self.start), np.bool_)
        new[1:] = self.length[1:] != self.length[:-1]
        for piece in self.pieces():
            new[1:] |= piece[1:] != piece[:-1]
        return new

    def singles(self) -> npt.NDArray[np.float32]:
        """Each word as the nearest 32-bit float of its decimal number, (n,); NaN where it is none.

        Up to 15 digits the number is one exact division (Clinger 1990); up to 18 it is accepted
        where its error cannot change the rounding; all else goes through `float`.
        """
        mantissa, point, digits, odd = self._decimal_parts()
        with np.errstate(over="ignore"):
            value = mantissa / _POWERS_OF_TEN[point]
            result = value.astype(np.float32)
            doubt = digits > _EXACT_DIGITS
            if doubt.any():
                slack = np.abs(value) * 2.0**-50
                doubt &= (value - slack).astype(np.float32) != (value + slack).astype(np.float32)
            for i in np.flatnonzero(odd | doubt).tolist():
                result[i] = _float(self[i])
        return np.asarray(result, dtype=np.float32)

    def _decimal_parts(
        self,
    ) -> tuple[npt.NDArray[np.int64], Counts, Counts, npt.NDArray[np.bool_]]:
        """Signed digits as one whole number, digits behind the point, digits, and what is odd."""
        n = len(self.start)
        mantissa = np.zeros(n, np.int64)
        point, digits, dots = (np.zeros(n, np.int8) for _ in range(3))
        negative = np.zeros(n, np.bool_)
        odd = self.length > _LONGEST_NUMBER
        for j, char in enumerate(self._characters(_LONGEST_NUMBER)):
            digit = char - np.uint8(ord("0"))
            is_digit, is_dot = digit < 10, char == ord(".")
            mantissa = np.where(is_digit, mantissa * 10 + digit, mantissa)
            digits += is_digit
            point += is_digit & (dots > 0)
            dots += is_dot
            good = is_digit | is_dot | (char == 0)
            if j == 0:
                negative = char == ord("-")
                good |= negative
            odd |= ~good
        odd |= (dots > 1) | (digits == 0) | (digits > _MOST_DIGITS)
        return np.where(negative, -mantissa, mantissa), point, digits, odd

    def _characters(self, most: int) -> Iterator[npt.NDArray[np.uint8]]:
        """The first characters (n,), the second, …; zero past a word's end."""
        width = min(int(self.length.max(initial=0)), most)
        for done, piece in zip(range(0, width, _WORD), self.pieces(), strict=False):
            table = piece.astype("<u8", copy=False).view(np.uint8).reshape(-1, _WORD)
            yield from np.ascontiguousarray(table[:, : width - done].T)


def mixed(h: Hashes) -> Hashes:
    """The hashes stirred, so that each bit depends on every bit below and above it."""
    h = h * _ODD
    return h ^ (h >> _SHIFT)


def pair_keys(id_hash: Hashes, question: Offsets) -> Hashes:
    """Hashes of (question, id) pairs, (n,)."""
    return mixed(id_hash ^ mixed(question.astype(np.uint64) + np.uint64(1)))


def _float(word: bytes) -> float:
    """The number, NaN where it is none; underscores are no part of a number here."""
    try:
        return float("nan") if b"_" in word else float(word)
    except ValueError:
        return float("nan")


def columns(block: bytes, n: int, path: Path, first_line: int) -> list[Words]:
    """The n columns of a block of whole lines; blank lines are skipped.

    Control characters separate like spaces. `first_line` is the block's first line in the file
    (1-based). Raises InputError, with the line, where a line has another number of columns.
    """
    text = block + _PAD
    raw = np.frombuffer(block, np.uint8)
    blank = np.ones(len(raw) + 2, np.bool_)
    np.less_equal(raw, _SPACE, out=blank[1:-1])
    edge = np.flatnonzero(blank[1:] != blank[:-1])
    start, end = edge[0::2], edge[1::2]
    newline = np.flatnonzero(raw == _NEWLINE)
    if not _regular(start, newline, n):
        _check_lines(start, newline, n, path, first_line)
    return [Words(text, start[c::n].copy(), end[c::n] - start[c::n]) for c in range(n)]


def _regular(start: Offsets, newline: Offsets, n: int) -> bool:
    """Whether every line, ended by a newline, has n words."""
    return (
        len(start) == n * len(newline)
        and bool((start[n - 1 :: n] < newline).all())
        and bool((start[n::n] > newline[:-1]).all())
    )


def _check_lines(start: Offsets, newline: Offsets, n: int, path: Path, first_line: int) -> None:
    words = np.bincount(np.searchsorted(newline, start), minlength=len(newline))
    wrong = np.flatnonzero((words != n) & (words != 0))
    if len(wrong):
        line = int(wrong[0])
        raise InputError(
            f"{int(words[line])} columns where {n} are needed", path=path, line=first_line + line
        )
