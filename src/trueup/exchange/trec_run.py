"""Streams a TREC run file against gold grades: ten million lines in, the ranks of the hits out.

The file is read in blocks of whole questions. Nothing is kept of a line whose id is not gold. Two
filters of bits find the few lines that can matter; every hit is then confirmed byte by byte, so
that a hash never decides a figure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from trueup.errors import InputError
from trueup.exchange.trec_qrels import Qrels, text_of
from trueup.exchange.trec_tokens import Hashes, Offsets, Words, columns, pair_keys
from trueup.stats.retrieval_hits import ABSENT, Hits

Ties: TypeAlias = Literal["id", "file"]

_BLOCK = 1 << 20
_COLUMNS = 6
_NOT_FOUND = np.iinfo(np.int64).max
_GROUPED = "the run is not grouped by question: its lines were grouped in memory first"


class _Interleaved(Exception):  # noqa: N818 (a turn of the reading, never an error to a person)
    """A question comes back after another one: the file cannot be streamed as it is."""


def read_trec_run(path: Path, qrels: Qrels, *, ties: Ties = "id") -> Hits:
    """Ranks of the gold ids in a six-column run file: question, Q0, id, rank, score, name.

    The order is trec_eval's: score descending as 32-bit floats, equal scores by id descending; the
    rank column is not read. `ties="file"`: equal scores keep the order of the file. Memory does not
    grow with the file where its lines are grouped by question; else they are grouped in memory, and
    a note says so. Raises InputError with the line for wrong columns and scores.
    """
    try:
        return _RunReader(path, qrels, ties).read(_blocks(path))
    except _Interleaved:
        return _RunReader(path, qrels, ties, notes=(_GROUPED,)).read(_grouped(path))


def _blocks(path: Path) -> Iterator[bytes]:
    """The file in pieces of whole lines; the last line is ended where it was not."""
    carry = b""
    with path.open("rb") as file:
        while piece := file.read(_BLOCK):
            cut = piece.rfind(b"\n") + 1
            if cut:
                yield carry + piece[:cut]
                carry = piece[cut:]
            else:
                carry += piece
    if carry:
        yield carry + b"\n"


def _grouped(path: Path) -> Iterator[bytes]:
    """All lines of one question after another, questions in order of appearance."""
    lines: defaultdict[bytes, list[bytes]] = defaultdict(list)
    with path.open("rb") as file:
        for line in file:
            words = line.split(None, 1)
            if words:
                lines[words[0]].append(line.rstrip(b"\n") + b"\n")
    held: list[bytes] = []
    size = 0
    while lines:
        own = lines.pop(next(iter(lines)))
        held += own
        size += sum(map(len, own))
        if size >= _BLOCK or not lines:
            yield b"".join(held)
            held, size = [], 0


@dataclass(slots=True, eq=False)
class _GoldFilter:
    """Gold (question, id) pairs by hash: a filter of bits first, the exact id at last."""

    ids: list[bytes]
    salt: int
    keys: Hashes
    order: Offsets
    bits: npt.NDArray[np.bool_]
    id_hash: Hashes
    retrieved: npt.NDArray[np.bool_]
    shift: np.uint64

    @classmethod
    def of(cls, qrels: Qrels) -> _GoldFilter:
        """Raises no error for colliding hashes: another salt is tried until none collide."""
        words = Words.of(qrels.ids)
        question = np.asarray(qrels.question, dtype=np.int64)
        salt = 0
        while True:
            id_hash = words.hashes(salt)
            keys = pair_keys(id_hash, question)
            order = np.argsort(keys)
            if not (np.diff(keys[order]) == 0).any():
                break
            salt += 1
        width = max(16, min(26, int(len(keys) * 16).bit_length()))
        shift = np.uint64(64 - width)
        bits = np.zeros(1 << width, np.bool_)
        bits[keys >> shift] = True
        seen = np.zeros(1 << width, np.bool_)
        return cls(qrels.ids, salt, keys[order], order, bits, id_hash, seen, shift)

    def matches(self, keys: Hashes, words: Words, lines: Offsets) -> list[tuple[int, int]]:
        """(gold index, line) of each line whose pair is gold; `keys` belong to `lines`."""
        maybe = np.flatnonzero(self.bits[keys >> self.shift])
        if not len(maybe) or not len(self.keys):
            return []
        place = np.minimum(np.searchsorted(self.keys, keys[maybe]), len(self.keys) - 1)
        same = self.keys[place] == keys[maybe]
        pairs = zip(self.order[place[same]].tolist(), lines[maybe[same]].tolist(), strict=True)
        return [(gold, line) for gold, line in pairs if words[line] == self.ids[gold]]

    def unseen(self) -> int:
        """Distinct gold ids that are surely in no line of the run."""
        missing = ~self.retrieved[self.id_hash >> self.shift]
        return len(np.unique(self.id_hash[missing]))


@dataclass(slots=True, eq=False)
class _RunReader:
    """One pass over a run file."""

    path: Path
    qrels: Qrels
    ties: Ties
    notes: tuple[str, ...] = ()
    line: int = 1
    repeated: int = 0
    unlabelled: set[str] = field(default_factory=set)
    best: Offsets = field(init=False)
    n_ranked: Offsets = field(init=False)
    gold: _GoldFilter = field(init=False)

    def read(self, pieces: Iterator[bytes]) -> Hits:
        """Takes all pieces; the last question of each may go on in the next."""
        self.n_ranked = np.full(len(self.qrels.questions), ABSENT, np.int64)
        self.best = np.full(len(self.qrels.ids), _NOT_FOUND, np.int64)
        self.gold = _GoldFilter.of(self.qrels)
        carry = b""
        for piece in pieces:
            block = carry + piece
            words = columns(block, _COLUMNS, self.path, self.line)
            firsts = np.flatnonzero(words[0].starts_a_run())
            cut = int(words[0].start[firsts[-1]]) if len(firsts) else 0
            self._take([w.first(int(firsts[-1])) for w in words] if cut else [], firsts[:-1])
            self.line += block.count(b"\n", 0, cut)
            carry = block[cut:]
        words = columns(carry, _COLUMNS, self.path, self.line)
        self._take(words, np.flatnonzero(words[0].starts_a_run()))
        return self._hits()

    def _take(self, words: list[Words], firsts: Offsets) -> None:
        """Adds whole questions; `firsts` are their first lines."""
        if not len(firsts):
            return
        question, _, ids, _, score, _ = words
        n = len(question.start)
        counts = np.diff(firsts, append=n)
        per_line = np.repeat(self._indices(question, firsts, counts), counts)
        scores = self._scores(score)
        id_hash = ids.hashes(self.gold.salt)
        self.gold.retrieved[id_hash >> self.gold.shift] = True
        lines = np.flatnonzero(per_line >= 0)
        keys = pair_keys(id_hash[lines], per_line[lines])
        self.repeated += int(np.count_nonzero(np.diff(np.sort(keys)) == 0))
        found = self.gold.matches(keys, ids, lines)
        if not found:
            return
        at = np.array([line for _, line in found])
        place = _places(ids, scores, firsts, counts, at, self.ties)
        np.minimum.at(self.best, np.array([gold for gold, _ in found]), place)

    def _indices(self, question: Words, firsts: Offsets, counts: Offsets) -> Offsets:
        """Each question's number in the gold, −1 without gold; notes the length of its list."""
        index = np.empty(len(firsts), np.int64)
        for i, (line, count) in enumerate(zip(firsts.tolist(), counts.tolist(), strict=True)):
            name = text_of(question[line], self.path, self.line)
            known = self.qrels.questions.get(name, -1)
            index[i] = known
            if known < 0:
                self.unlabelled.add(name)
            elif self.n_ranked[known] == ABSENT:
                self.n_ranked[known] = count
            else:
                raise _Interleaved
        return index

    def _scores(self, score: Words) -> npt.NDArray[np.float32]:
        scores = score.singles()
        wrong = np.flatnonzero(np.isnan(scores))
        if len(wrong):
            at = int(wrong[0])
            line = self.line + score.text.count(b"\n", 0, int(score.start[at]))
            said = score[at].decode("utf-8", "replace")
            raise InputError(f"{said!r} is not a number", path=self.path, line=line, field="score")
        return scores

    def _hits(self) -> Hits:
        gold = np.flatnonzero(self.best != _NOT_FOUND)
        return Hits(
            questions=tuple(self.qrels.questions),
            n_ranked=self.n_ranked,
            gold_question=self.qrels.question,
            gold_grade=self.qrels.grade,
            hit_question=self.qrels.question[gold],
            hit_rank=self.best[gold],
            hit_grade=self.qrels.grade[gold],
            n_unlabelled=len(self.unlabelled),
            n_repeated_ids=self.repeated,
            n_gold_unseen=self.gold.unseen(),
            unseen_is_bound=True,
            notes=(*self.qrels.notes, *self.notes),
        )


def _places(
    ids: Words,
    scores: npt.NDArray[np.float32],
    firsts: Offsets,
    counts: Offsets,
    lines: Offsets,
    ties: Ties,
) -> Offsets:
    """Rank (1-based, within its question) of each of `lines`; `firsts`, `counts` are questions."""
    n = len(scores)
    first = np.repeat(firsts, counts)
    falling = scores[1:] <= scores[:-1]
    falling[firsts[1:] - 1] = True
    order = np.arange(n) if falling.all() else np.lexsort((-scores, first))
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    rank = place[lines] - first[lines] + 1
    if ties == "file":
        return rank
    ranked = scores[order]
    fresh = np.ones(n, np.bool_)
    fresh[1:] = ranked[1:] != ranked[:-1]
    fresh[firsts] = True
    runs = np.append(np.flatnonzero(fresh), n)
    which = np.searchsorted(runs, place[lines], "right") - 1
    low, high = runs[which], runs[which + 1]
    for i in np.flatnonzero(high - low > 1).tolist():
        tied = sorted(order[low[i] : high[i]].tolist(), key=ids.__getitem__, reverse=True)
        rank[i] = low[i] - first[lines[i]] + tied.index(int(lines[i])) + 1
    return rank
