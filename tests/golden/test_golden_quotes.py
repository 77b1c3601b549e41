"""The golden cases about evidence, injected instructions and text on a terminal."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest

from shared import golden_cases
from trueup.domain.display import display, safe_filename, sanitise_json, sanitise_stored
from trueup.domain.evidence_checks import evidence_flags, instruction_like
from trueup.domain.model import Chunk, Evidence
from trueup.domain.text import ContextIndex
from trueup.judge.near import locate_evidence

_LEVELS = {
    "normalized": {"normalised"},
    "reject": {"absent", "near", "altered", "trivial"},
    "reject_or_flag": {"absent", "near", "altered", "trivial", "elided"},
    "normalized_or_reject": {"normalised"},
}


def located(case: dict[str, Any]) -> list[Evidence]:
    given = case["input"]
    reply = json.loads(given["reply"])
    context = ContextIndex([Chunk("c", given["context"])])
    return [
        locate_evidence(sanitise_stored(claim["evidence"]), context, given["answer"])
        for claim in reply["claims"]
    ]


@pytest.mark.parametrize(
    "case",
    golden_cases(
        "judge",
        *("evidence-typography", "evidence-rewritten", "evidence-empty", "evidence-ellipsis"),
        *("evidence-markdown", "evidence-exact", "evidence-nul", "evidence-paraphrase"),
    ),
)
def test_quotes_are_located_at_the_level_that_the_case_asks_for(case: dict[str, Any]) -> None:
    """Honest typography is accepted, rewriting and stitching never."""
    assert {e.match for e in located(case)} <= _LEVELS[case["check"]["evidence"]]


@pytest.mark.parametrize("case", golden_cases("judge", "surrogate"))
def test_a_quote_with_an_astral_character_is_exact(case: dict[str, Any]) -> None:
    """An escaped pair of surrogates is one code point on both sides."""
    assert [e.match for e in located(case)] == ["exact"]


@pytest.mark.parametrize("case", golden_cases("judge", "evidence-answer"))
def test_a_quote_from_the_answer_is_absent(case: dict[str, Any]) -> None:
    """Unless it also stands in the context."""
    context, answer = case["input"]["context"], case["input"]["answer"]
    both = ContextIndex([Chunk("c", context), Chunk("d", answer)])

    assert locate_evidence(answer, ContextIndex([Chunk("c", context)]), answer).match == "absent"
    assert locate_evidence(answer, both, answer).match == "exact"


@pytest.mark.parametrize("case", golden_cases("security", "injection"))
def test_an_injected_instruction_as_evidence_is_flagged(case: dict[str, Any]) -> None:
    """It speaks to the judge and shares nothing with the claims."""
    texts = [case["input"]["context"], case["input"]["answer"]]
    sentences = [s for t in texts for s in t.replace("\n", ". ").split(". ") if instruction_like(s)]
    context = ContextIndex([Chunk("c", texts[0])])
    claims = [s for s in texts[1].split(". ") if not instruction_like(s)]

    assert sentences
    for claim in claims:
        evidence = [locate_evidence(s, context, texts[1]) for s in sentences]
        flags = evidence_flags(claim, evidence, {"c": texts[0]}, texts[1])
        assert {"instruction_like", "quote_unrelated"} <= set(flags)


@pytest.mark.parametrize("case", golden_cases("tui", "ansi", "bidi", "tabs", "width", "markup"))
def test_no_control_of_the_data_reaches_a_terminal(case: dict[str, Any]) -> None:
    """One code point for one; what is ordinary is shown literally."""
    for text in case["input"].values():
        shown = display(text)
        assert len(shown) == len(text)
        assert all(
            a == b or unicodedata.category(a) in ("Cc", "Cf", "Zl", "Zp")
            for a, b in zip(text, shown, strict=True)
        )
        assert not [c for c in shown if unicodedata.category(c) == "Cc"]
        assert not set(shown) & set("\u202e\u202c\u2066\u2069\u200b\u2060\ufeff")
    assert case["kind"] != "markup" or display(case["check"]["visible"]) == case["check"]["visible"]


@pytest.mark.parametrize("case", golden_cases("store", "nul"))
def test_nul_is_gone_from_what_is_stored(case: dict[str, Any]) -> None:
    """In texts and inside metadata."""
    assert "\\u0000" not in json.dumps(sanitise_json(case["input"]))
    assert "\\u0000" in json.dumps(case["input"])


@pytest.mark.parametrize("case", golden_cases("security", "path"))
def test_names_in_the_data_name_no_path(case: dict[str, Any]) -> None:
    """Separators and dots lead nowhere."""
    names = [v for k, v in case["input"].items() if k in ("run_name", "record_id")]

    assert not [n for n in map(safe_filename, names) if "/" in n or n.startswith(".")]
