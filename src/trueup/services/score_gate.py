"""`--gate "groundedness >= 0.9"`: may a release go out?

Three-way, by the interval of the mean: passed when all of it reaches the bar, failed when all of it
is below, else inconclusive. A judge that no labels calibrate decides nothing.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from trueup.domain.metrics import metric as metric_of
from trueup.domain.metrics import metric_names
from trueup.domain.scores import ANSWER_CORRECTNESS, BY_MEANING
from trueup.errors import UsageError
from trueup.report.words import estimate, number
from trueup.services.calibration_marks import CONSTRUCTED
from trueup.services.score_series import SeriesRow
from trueup.stats.estimate import Estimate
from trueup.stats.gate import Decision, lower_bar

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace

RETRIEVAL = ("recall", "hit_rate")
_TERM = re.compile(
    r"\s*(?P<name>[a-z_]+)(?:@(?P<k>\d+))?(?P<corrected>\.corrected)?\s*(?P<op>>=|<=|>|<|==?)\s*"
    r"(?P<value>\d+(?:\.\d+)?|\.\d+)(?P<percent>\s*%)?\s*",
)
_AND = re.compile(r"\s+and\s+|\s*,\s*|\s*&&\s*")


@dataclass(frozen=True, slots=True)
class Term:
    """One bar: a figure and the least that it has to reach. `k` is a cut-off of retrieval."""

    name: str
    bar: float
    k: int | None = None
    corrected: bool = False

    @property
    def shown(self) -> str:
        """As it is written."""
        at = "" if self.k is None else f"@{self.k}"
        return f"{self.name}{at}{'.corrected' if self.corrected else ''}"


@dataclass(frozen=True, slots=True)
class TermResult:
    """One bar held against one release."""

    term: Term
    release: str
    judge: str | None
    measured: Estimate
    decision: Decision
    sentence: str
    more_records: int | None = None

    @property
    def ok(self) -> bool | None:
        """Passed, failed, or (None) not decided."""
        return {"pass": True, "fail": False, "inconclusive": None}[self.decision]


@dataclass(frozen=True, slots=True)
class GateResult:
    """All bars together. `too_many_undecided`: judges failed on more than trueup.toml allows."""

    terms: tuple[TermResult, ...]
    too_many_undecided: bool

    @property
    def decision(self) -> Decision:
        """Failed where a bar failed, passed where all are, else inconclusive."""
        said = {t.decision for t in self.terms}
        if "fail" in said:
            return "fail"
        return "pass" if said == {"pass"} else "inconclusive"

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 4 too many undecided, 3 inconclusive."""
        if self.decision == "fail":
            return 1
        if self.too_many_undecided:
            return 4
        return 0 if self.decision == "pass" else 3

    def to_json(self) -> dict[str, Any]:
        """Decision and bars, as `validate` gives them."""
        return {
            "decision": self.decision,
            "bars": [
                {
                    "name": t.term.shown,
                    "bar": t.term.bar,
                    "release": t.release,
                    "judge": t.judge,
                    "measured": t.measured.to_json(),
                    "ok": t.ok,
                    "sentence": t.sentence,
                    "records_needed": t.more_records,
                }
                for t in self.terms
            ],
        }


def parse(expression: str) -> tuple[Term, ...]:
    """Terms of `groundedness >= 0.9 and recall@5 >= 0.8`. Raises UsageError for what is no bar."""
    return tuple(_term(part) for part in _AND.split(expression.strip()))


def _term(text: str) -> Term:
    found = _TERM.fullmatch(text)
    if found is None:
        raise UsageError(
            f"--gate {text!r} is no bar", hint='a bar looks like "groundedness >= 0.9"'
        )
    if found["op"] not in (">=", ">"):
        raise UsageError(f"--gate {text!r}: a bar is a least value", hint=f"{found['name']} >= …")
    bar = float(found["value"]) / (100 if found["percent"] else 1)
    if not 0 <= bar <= 1:
        raise UsageError(f"--gate {text!r}: scores lie between 0 and 1")
    name = _name(found["name"])
    if (found["k"] and name not in RETRIEVAL) or (found["corrected"] and name in RETRIEVAL):
        raise UsageError(f"--gate {text!r}: @k belongs to recall and hit_rate, .corrected does not")
    return Term(name, bar, int(found["k"]) if found["k"] else None, bool(found["corrected"]))


def _name(given: str) -> str:
    if given in (*RETRIEVAL, ANSWER_CORRECTNESS):
        return given
    try:
        return metric_of(given).name
    except KeyError:
        known = (*metric_names(), ANSWER_CORRECTNESS, *RETRIEVAL)
        near = difflib.get_close_matches(given, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
        raise UsageError(f"--gate: no metric is named {given!r}", hint=hint) from None


def gate(
    workspace: Workspace,
    terms: Sequence[Term],
    rows: Mapping[str, SeriesRow],
    release: str,
    *,
    allow: frozenset[str] = frozenset(),
) -> GateResult:
    """Hold a release against bars. `rows` maps each metric of the terms to the release's row.

    `allow`: "uncalibrated" lets a judge decide that no labels calibrate, "constructed" one that
    only labels calibrate which no person gave.
    """
    results = [
        _retrieval(workspace, term, release)
        if term.name in RETRIEVAL
        else _score(term, rows[term.name], allow)
        for term in terms
    ]
    return GateResult(
        tuple(results),
        any(_failed_share(r) > workspace.settings.gate.max_undecided for r in rows.values()),
    )


def _failed_share(row: SeriesRow) -> float:
    failed = sum(n for reason, n in row.n_null.items() if reason not in BY_MEANING)
    return failed / row.n_records if row.n_records else 0.0


def _score(term: Term, row: SeriesRow, allow: frozenset[str]) -> TermResult:
    measured = row.corrected if term.corrected else row.mean
    made = _held(term, measured, row.release, row.judge, row.n_scored)
    why = _uncalibrated(row, allow)
    if why is None:
        return made
    return replace(
        made, decision="inconclusive", more_records=None, sentence=f"{made.sentence}; {why}"
    )


def _uncalibrated(row: SeriesRow, allow: frozenset[str]) -> str | None:
    if "uncalibrated" in allow:
        return None
    if row.calibration is None:
        return f"{row.judge} is uncalibrated: label some of its units, or --allow uncalibrated"
    if row.calibration.origin == CONSTRUCTED and "constructed" not in allow:
        return f"only constructed labels calibrate {row.judge}: --allow constructed accepts them"
    return None


def _held(
    term: Term, measured: Estimate, release: str, judge: str | None, n_records: int
) -> TermResult:
    bar = lower_bar(term.shown, measured, term.bar, n_records)
    who = f" by {judge}" if judge else ""
    sentence = (
        f"{release or 'all'}: {term.shown}{who} {estimate(measured)}: the lower end is to reach "
        f"{number(term.bar)}"
    )
    if bar.ok is None and bar.more_answers:
        sentence += f"; about {bar.more_answers:,} more records would decide"
    return TermResult(term, release, judge, measured, bar.decision, sentence, bar.more_answers)


def _retrieval(workspace: Workspace, term: Term, release: str) -> TermResult:
    """Recall or hit rate of the release's records: no judge, so nothing to calibrate."""
    from trueup.services.retrieving import of_workspace

    k = term.k or max(workspace.settings.workspace.k)
    made = of_workspace(workspace, ks=(k,), releases=[release])
    measured = made.at[k].recall if term.name == "recall" else made.at[k].hit_rate
    return _held(replace(term, k=k), measured, release, None, made.n_questions)
