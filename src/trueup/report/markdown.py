"""The report as Markdown: for a pull request, a wiki, or a diff between two reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from trueup.domain.display import display
from trueup.report.extras import (
    CORRECTED_HEAD,
    abstentions,
    can_give,
    ceiling,
    corrected_by,
    corrected_rows,
    figure_rows,
)
from trueup.report.model import Disagreement, JudgeSection, ReportData
from trueup.report.words import estimate, p_value, sentences, title

MAX_DISAGREEMENTS = 200
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&])")


def to_markdown(data: ReportData) -> str:
    """The whole report as one Markdown text."""
    return "\n".join(_lines(data)).rstrip() + "\n"


def text(value: str) -> str:
    """Data as text that Markdown neither formats nor breaks a table by."""
    one_line = " ".join(display(value.replace("\r\n", "\n").replace("\n", " ")).split())
    return _SPECIAL.sub(r"\\\1", one_line)


def table(header: Sequence[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """A Markdown table; cells are texts already."""
    yield "| " + " | ".join(header) + " |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _lines(data: ReportData) -> Iterator[str]:
    yield f"# Calibration report: {data.metric}"
    yield ""
    yield f"*{data.question}* Silent about: {data.silent_about}."
    yield ""
    yield from (f"- {text(line)}" for line in sentences(data))
    yield from _provenance(data)
    for entry in data.agreement:
        yield from _agreement(entry)
    yield from _human(data)
    yield from _comparisons(data)
    yield from _disagreements(data)


def _provenance(data: ReportData) -> Iterator[str]:
    labels = data.labels
    yield "\n## What was measured\n"
    rows = [
        ("labels", f"{text(labels.name)} ({labels.origin})"),
        ("sha256", labels.sha256 or "–"),
        ("answers, units", f"{labels.n_records:,}, {labels.n_units:,}"),
        ("annotators", ", ".join(map(text, labels.annotators)) or "–"),
        ("design", labels.design + (" (weighted)" if labels.weighted else "")),
        *((f"left out: {text(k)}", f"{v:,}") for k, v in labels.left_out.items()),
        ("can and cannot", text(can_give(data))),
        *(("note", text(n)) for n in labels.notes),
    ]
    yield from table(["", ""], rows)
    yield ""
    yield from table(
        ["judge", "model", "answered as", "prompt", "evidence", "fingerprint"],
        (
            [text(j.name), text(j.model), text(j.answered_model or "–"), text(j.prompt),
             j.evidence, j.fingerprint[:12]]
            for j in data.judges
        ),
    )  # fmt: skip


def _agreement(section: JudgeSection) -> Iterator[str]:
    a = section.figures
    yield f"\n## {text(a.judge)} against people\n"
    t = a.table
    yield from table(
        ["", "judge: entailed", "judge: not entailed"],
        [
            ["people: entailed", f"{t['both_entailed']:,}", f"{t['human_only_entailed']:,}"],
            ["people: not entailed", f"{t['judge_only_entailed']:,}", f"{t['neither_entailed']:,}"],
        ],
    )
    yield ""
    yield from table(
        ["figure", "per claim [95 % interval]", "per answer", "naive interval", "method"],
        (
            [title(name), text(claim), text(answer), text(naive), text(method or "–")]
            for name, claim, answer, naive, method in figure_rows(a)
        ),
    )
    if a.design_effect is not None:
        yield f"\nDesign effect of the agreement: {a.design_effect:.2f}."
    if a.undecided:
        yield "\nUndecided: " + ", ".join(f"{text(r)} {n:,}" for r, n in a.undecided.items())
    if (open_ones := abstentions(a)) is not None:
        yield f"\n{text(open_ones)}"
    for by, parts in corrected_by(section).items():
        yield f"\nCorrected rate of the judged corpus by {text(by)}:\n"
        yield from table(CORRECTED_HEAD, (map(text, corrected_rows(part)) for part in parts))
    if a.by_slice:
        yield ""
        yield from table(
            ["slice", "value", "answers", "units", "agreement", "kappa"],
            (
                [text(name), text(value), f"{s.n_records:,}", f"{s.n_units:,}",
                 text(estimate(s.figures["percent_agreement"])), text(estimate(s.figures["kappa"]))]
                for name, parts in a.by_slice.items()
                for value, s in parts.items()
            ),
        )  # fmt: skip


def _human(data: ReportData) -> Iterator[str]:
    human = data.human
    yield "\n## People against people\n"
    if human.n_doubly_labelled:
        yield f"- Claims that two or more labelled: {human.n_doubly_labelled:,}"
        yield f"- Cohen's kappa (mean of pairs), the human ceiling: {text(estimate(human.kappa))}"
        yield f"- Krippendorff's alpha: {text(estimate(human.krippendorff_alpha))}"
    else:
        yield "No claim was labelled by two people, so the ceiling is unknown."
    for pair in human.pairs:
        yield (
            f"- {text(pair.a)}, {text(pair.b)} on {pair.n_units:,} claims: agreement "
            f"{text(estimate(pair.percent_agreement))}, kappa {text(estimate(pair.kappa))}"
        )
    for again in human.self_agreement:
        yield (
            f"- {text(again.rater)} with themselves on {again.n_units:,} claims, kappa: "
            f"{text(estimate(again.kappa))}, changed: {text(estimate(again.any_flip))}"
        )
    for section in data.agreement:
        if (told := ceiling(section)) is not None:
            yield f"- {text(told)}"


def _comparisons(data: ReportData) -> Iterator[str]:
    if not data.comparisons:
        return
    yield "\n## Judges against each other, on the same units\n"
    yield from table(
        ["a", "b", "units", "only a right", "only b right", "Δ agreement", "Δ kappa",
         "Δ mean score", "p", "p (McNemar, naive)", "p (Holm)"],
        (
            [text(c.a), text(c.b), f"{c.n_units:,}", f"{c.only_a_right:,}", f"{c.only_b_right:,}",
             text(estimate(c.delta_agreement)), text(estimate(c.delta_kappa)),
             text(estimate(c.delta_mean_score)), text(p_value(c.p)),
             text(p_value(c.p_mcnemar_exact)), text(p_value(c.p_holm))]
            for c in (pairing.figures for pairing in data.comparisons)
        ),
    )  # fmt: skip


def _disagreements(data: ReportData) -> Iterator[str]:
    yield "\n## Where they differ\n"
    shown = data.disagreements[:MAX_DISAGREEMENTS]
    if not shown:
        yield "Nowhere."
        return
    yield from table(
        ["record", "unit", "judge", "people", "verdict", "claim", "quote", "match"],
        (_disagreement_row(d) for d in shown),
    )
    rest = len(data.disagreements) - len(shown)
    if rest:
        yield f"\nand {rest:,} more in report.json"


def _disagreement_row(d: Disagreement) -> list[str]:
    quote = d.evidence[0] if d.evidence else None
    return [
        text(d.record), text(d.unit), text(d.judge), d.human, d.verdict, text(d.text),
        text(quote.quote) if quote else "–", quote.match if quote else "–",
    ]  # fmt: skip
