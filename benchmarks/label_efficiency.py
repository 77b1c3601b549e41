"""How many labels a design saves, on real labels and recorded verdicts.

    python benchmarks/label_efficiency.py FOLDER [--repeats 400] [--markdown FILE]

FOLDER holds JSONL files of records whose claims carry people's labels and recorded verdicts.
People's strict majority is the truth. Each file's records are the answers of a large corpus: every
record stands for `--copies` of its kind, so that no design is flattered by having drawn much of a
small corpus. The designs draw, estimate and make their intervals as the product does, many times.

A cell of the tables reads: mean width of the 95 % interval · labels needed for the width that the
first design has / labels needed for its error · coverage. Labels are claims: needed for the same
width is (width / width of the first)² · (claims labelled / claims labelled by the first), for the
same error likewise with root mean square errors. 0.50 is half the labels.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trueup.stats.agreement_intervals import estimate
from trueup.stats.allocation import allocate, groups_to_fit
from trueup.stats.correction import ppi_rate
from trueup.stats.counts import Clusters
from trueup.stats.discordant import discordant_delta
from trueup.stats.estimate import Estimate
from trueup.stats.paired import delta
from trueup.stats.sampling import DEFAULT_CUTS

Array = npt.NDArray[Any]
FIGURES = ("percent_agreement", "kappa", "tpr", "tnr")
TITLES = {
    "human_rate": "People's rate of entailed claims in the corpus",
    "percent_agreement": "Agreement",
    "kappa": "Kappa",
    "tpr": "TPR",
    "tnr": "TNR",
}
PAIR_BASE = "random, whole answers"
SIMILAR = 0.02
"""Two judges are similar where their agreement with people differs by at most this."""


@dataclass(frozen=True)
class Data:
    """Units of one file: record number, people's label, each judge's verdict (-1: none)."""

    name: str
    judges: list[str]
    record: Array
    human: Array
    verdicts: Array

    def cells(self, *judges: int) -> Array:
        """Counts per record of the cells (human, judge…), 1 before 0, on commonly decided units."""
        used = (self.human >= 0) & (self.verdicts[:, list(judges)] >= 0).all(axis=1)
        code = 1 - self.human[used]
        for judge in judges:
            code = 2 * code + 1 - self.verdicts[used, judge]
        n = int(self.record.max()) + 1
        width = 2 ** (1 + len(judges))
        table = np.bincount(self.record[used] * width + code, minlength=n * width)
        table = table.reshape(n, width)
        return table[table.sum(axis=1) > 0]


def load(path: Path) -> Data:
    """One file; a tie between annotators or a null verdict is no label or verdict."""
    records = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
    claims = [(i, claim) for i, record in enumerate(records) for claim in record["claims"]]
    judges = sorted({name for _, claim in claims for name in claim["judges"]})
    code = {True: 1, False: 0, None: -1}

    def majority(claim: dict[str, Any]) -> int:
        votes = [vote["entailed"] for vote in claim["human"] if vote["entailed"] is not None]
        lead = 2 * sum(votes) - len(votes)
        return -1 if lead == 0 else int(lead > 0)

    return Data(
        path.stem,
        judges,
        np.array([i for i, _ in claims]),
        np.array([majority(claim) for _, claim in claims]),
        np.array(
            [
                [code[claim["judges"].get(j, {}).get("entailed")] for j in judges]
                for _, claim in claims
            ]
        ),
    )


@dataclass(frozen=True)
class Drawn:
    """One sample: rows of the table, their weights, strata and the strata's sizes."""

    rows: Array
    weight: Array
    stratum: Array
    sizes: Array


class Design:
    """Strata of a corpus in which each row of a table stands for `copies` records."""

    def __init__(self, groups: dict[str, Array], copies: int) -> None:
        self.groups = {name: rows for name, rows in groups.items() if len(rows)}
        self.copies = copies

    def draw(self, n: int, share: Callable[[str, int], float], rng: np.random.Generator) -> Drawn:
        """n records; within a stratum rows come with replacement, as from a large corpus.

        `share` says from its (largest) name and its size how much of the sample a stratum gets.
        """
        names, held = list(self.groups), list(self.groups.values())
        groups = groups_to_fit([len(rows) for rows in held], n)
        strata = [(names[g[-1]], np.concatenate([held[h] for h in g])) for g in groups]
        sizes = [len(rows) * self.copies for _, rows in strata]
        take = allocate(sizes, n, [share(s[0], z) for s, z in zip(strata, sizes, strict=True)])
        rows = [r[rng.integers(0, len(r), k)] for (_, r), k in zip(strata, take, strict=True)]
        codes = np.repeat(np.arange(len(strata)), take)
        by = np.array(sizes) / np.array(take)
        return Drawn(np.concatenate(rows), by[codes], codes, np.array(sizes, float))


def bands(score: Array) -> dict[str, Array]:
    """Rows by score band, lowest first."""
    place = np.searchsorted(np.array(DEFAULT_CUTS), score, side="right")
    return {f"band {b}": np.flatnonzero(place == b) for b in range(len(DEFAULT_CUTS) + 1)}


@dataclass
class Tally:
    """Intervals of one design: widths, errors, coverage, labelled claims."""

    width: list[float]
    error: list[float]
    held: list[bool]
    claims: list[int]

    @classmethod
    def new(cls) -> Tally:
        return cls([], [], [], [])

    def add(self, made: Estimate, truth: float, claims: int) -> None:
        if made.value is None or made.low is None or made.high is None:
            return
        self.width.append(made.high - made.low)
        self.error.append(made.value - truth)
        self.held.append(made.low <= truth <= made.high)
        self.claims.append(claims)

    @property
    def mean_width(self) -> float:
        return float(np.mean(self.width))

    @property
    def rmse(self) -> float:
        return float(np.sqrt(np.mean(np.square(self.error))))

    def labels_against(self, base: Tally) -> tuple[float, float]:
        """Labels needed for the base's width, and for its error, as shares of the base's."""
        cost = float(np.mean(self.claims) / np.mean(base.claims))
        return (
            (self.mean_width / base.mean_width) ** 2 * cost,
            (self.rmse / base.rmse) ** 2 * cost,
        )


def kappa_of(table: Array) -> float:
    n11, n10, n01, n00 = table.sum(axis=0)
    below = (n11 + n10) * (n10 + n00) + (n11 + n01) * (n01 + n00)
    return float(2 * (n11 * n00 - n10 * n01) / below)


def clusters(table: Array, drawn: Drawn, *, plain: bool) -> Clusters:
    if plain:
        return Clusters.from_counts(table[drawn.rows], population=drawn.sizes)
    return Clusters.from_counts(
        table[drawn.rows],
        weight=drawn.weight,
        stratum=drawn.stratum,
        population=drawn.sizes,
    )


def rates(
    data: Data, judge: int, n: int, repeats: int, copies: int, seed: int
) -> dict[tuple[str, str], Tally]:
    """(figure, design) → tally, for the figures of one judge."""
    table = data.cells(judge)
    judged = table[:, 0] + table[:, 2]
    size = table.sum(axis=1)
    corpus = Clusters.from_counts(
        np.stack([judged, size - judged], 1), multiplicity=np.full(len(table), copies)
    )
    truth = {name: _truth(table, name) for name in ("human_rate", *FIGURES)}
    whole = Design({"all": np.arange(len(table))}, copies)
    banded = Design(bands(judged / size), copies)
    rng = np.random.default_rng(seed)
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally.new)
    for _ in range(repeats):
        plain = clusters(table, whole.draw(n, lambda _, z: z, rng), plain=True)
        weighted = clusters(table, banded.draw(n, lambda _, z: z**0.5, rng), plain=False)
        for word, sample in (("random", plain), ("score bands", weighted)):
            claims = sample.n_units
            alone = estimate(sample, "human_rate", fpc=True)
            tallies["human_rate", f"{word}, people only"].add(alone, truth["human_rate"], claims)
            ppi = ppi_rate(sample, corpus)
            tallies["human_rate", f"{word}, PPI++"].add(ppi, truth["human_rate"], claims)
            for name in FIGURES:
                made = estimate(sample, name)
                tallies[name, f"{word}, people only"].add(made, truth[name], claims)
    return tallies


def _truth(table: Array, name: str) -> float:
    value = estimate(Clusters.from_counts(table), name).value
    assert value is not None
    return value


def pairs(
    data: Data, a: int, b: int, n: int, repeats: int, copies: int, seed: int
) -> dict[tuple[str, str], Tally]:
    """The difference of two judges: a random sample against the discordant design."""
    table = data.cells(a, b)
    differ = table[:, [1, 2, 5, 6]].sum(axis=1)
    truth = delta(Clusters.from_counts(table), "percent_agreement").value
    assert truth is not None
    whole = Design({"all": np.arange(len(table))}, copies)
    groups = {str(d): np.flatnonzero(np.minimum(differ, 4) == d) for d in range(5)}
    by_number = Design(groups, copies)
    differing = Design({name: rows for name, rows in groups.items() if name != "0"}, copies)

    def share(name: str, size: int) -> float:
        """Neyman allocation with a standard deviation of the root of the differing claims."""
        return size * float(name) ** 0.5

    corpus = {"corpus_records": len(table) * copies, "corpus_units": int(table.sum()) * copies}
    rng = np.random.default_rng(seed)
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally.new)
    for _ in range(repeats):
        plain = clusters(table, whole.draw(n, lambda _, z: z, rng), plain=True)
        made = delta(plain, "percent_agreement")
        tallies["delta", PAIR_BASE].add(made, truth, plain.n_units)
        sample = clusters(table, by_number.draw(n, share, rng), plain=False)
        made = delta(sample, "percent_agreement")
        tallies["delta", "discordant, whole answers"].add(made, truth, sample.n_units)
        drawn = differing.draw(n, share, rng)
        made = discordant_delta(clusters(table, drawn, plain=False), **corpus)
        labelled = int(differ[drawn.rows].sum())
        tallies["delta", "discordant, differing claims only"].add(made, truth, labelled)
    return tallies


def similar_pairs(data: Data) -> Iterator[tuple[int, int, float]]:
    """Pairs of judges whose agreement with people is about the same."""
    for a in range(len(data.judges)):
        for b in range(a + 1, len(data.judges)):
            gap = delta(Clusters.from_counts(data.cells(a, b)), "percent_agreement").value
            if gap is not None and abs(gap) <= SIMILAR:
                yield a, b, gap


class Table:
    """One figure: a row a judge (or pair), a column a design."""

    def __init__(self, title: str, head: list[str]) -> None:
        self.title, self.head = title, head
        self.rows: list[list[str]] = []
        self.designs: list[str] = []

    def add(self, start: list[str], cells: dict[str, Tally]) -> None:
        self.designs = list(cells)
        base = cells[self.designs[0]]
        self.rows.append([*start, *(self._cell(tally, base) for tally in cells.values())])

    @staticmethod
    def _cell(tally: Tally, base: Tally) -> str:
        by_width, by_error = tally.labels_against(base)
        held = 100 * np.mean(tally.held)
        return f"{tally.mean_width:.3f} · {by_width:.2f} / {by_error:.2f} · {held:.0f} %"

    def __str__(self) -> str:
        head = [*self.head, *self.designs]
        lines = [f"## {self.title}", "", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
        return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in self.rows)])


def main() -> None:
    """Prints the tables, and writes them where `--markdown` says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=400)
    parser.add_argument("--records", type=int, nargs="+", default=[50])
    parser.add_argument("--copies", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    tables = {
        name: Table(title, ["data", "judge", "kappa", "answers"]) for name, title in TITLES.items()
    }
    compared = Table("Difference in agreement of two similar judges",
                     ["data", "judges", "difference", "answers"])  # fmt: skip
    given = (options.repeats, options.copies, options.seed)
    for path in sorted(options.folder.glob("*.jsonl")):
        data = load(path)
        for n in options.records:
            for judge, name in enumerate(data.judges):
                start = [data.name, name, f"{kappa_of(data.cells(judge)):.2f}", str(n)]
                made = rates(data, judge, n, *given)
                for figure, table in tables.items():
                    table.add(start, {d: t for (f, d), t in made.items() if f == figure})
            for a, b, gap in similar_pairs(data):
                start = [data.name, f"{data.judges[a]} / {data.judges[b]}", f"{gap:+.3f}", str(n)]
                made = pairs(data, a, b, n, *given)
                compared.add(start, {design: tally for (_, design), tally in made.items()})
    text = "\n\n".join(str(table) for table in (*tables.values(), compared))
    print(text)
    if options.markdown:
        options.markdown.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
