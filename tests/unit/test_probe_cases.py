"""Self-test cases: what is changed in a sentence, and what a judge must say of each case."""

from __future__ import annotations

import pytest

from trueup.domain.judging import JudgeTask, TaskUnit
from trueup.domain.model import Chunk
from trueup.judge.probe_changes import changes
from trueup.judge.probes import INSTRUCTION, KINDS, cases, without_sentence
from trueup.judge.templates import load_template


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Logs are kept for 90 days.", [
            "Logs are kept for 180 days.", "Logs are kept for 90 hours.",
            "Logs are not kept for 90 days.",
        ]),
        ("It is not encrypted.", ["It is encrypted."]),
        ("One copy: 1 GB.", ["One copy: 4 GB.", "One copy: 1 TB."]),
        ("Version 2.14 and v3 and 1,500 stay.", []),
        ("Die Daten sind sicher.", ["Die Daten sind nicht sicher."]),
        ("保存30天。", ["保存60天。", "保存30小时。"]),
        ("Nothing of the kind", []),
        ("", []),
    ],
)  # fmt: skip
def test_small_changes_that_turn_a_sentence(text: str, expected: list[str]) -> None:
    """A number, a unit, a denial: each changed by itself, and only where there is one."""
    assert list(changes(text)) == expected


def task(name: str, *claims: str, chunks: tuple[str, ...] = ("A text.", "More.")) -> JudgeTask:
    return JudgeTask(
        record=f"key-{name}",
        record_id=name,
        metric="groundedness",
        units=tuple(TaskUnit(f"{name}#{i}", text) for i, text in enumerate(claims)),
        question="What?",
        context=tuple(Chunk(f"{name}-{i}", text) for i, text in enumerate(chunks)),
        answer=" ".join(claims),
    )


TASKS = [
    task("a", "The quay is 240 metres long.", "It is closed on Sundays."),
    task("b", "Ferries leave at noon.", chunks=("Ferries leave the quay at noon on weekdays.",)),
    task("c", "Parking is free.", chunks=("Tomatoes need sun.",)),
]


def test_every_kind_makes_cases() -> None:
    """Ten kinds, each from the records that can make it."""
    made = cases(TASKS)

    assert {c.kind for c in made} == set(KINDS)
    assert {c.source for c in made if c.kind == "chunk_order"} == {"a"}
    assert len([c for c in made if c.kind == "repeats"]) == 3


@pytest.mark.parametrize(
    ("kind", "must"),
    [
        ("empty_context", False), ("context_is_answer", True), ("swapped_context", False),
        ("outside_knowledge", False), ("correctness_leak", True), ("changed_details", False),
        ("injected_chunk", False), ("injected_answer", False), ("chunk_order", None),
        ("repeats", None),
    ],
)  # fmt: skip
def test_what_each_kind_must_come_out_as(kind: str, must: bool | None) -> None:
    """Known by construction; orders and repeats are held against each other."""
    made = cases(TASKS, [kind])

    assert {c.must for c in made} == {must}
    assert all((c.like is None) == (must is not None) for c in made)


def test_a_swapped_context_has_little_in_common_with_the_claims() -> None:
    """Of the other records the one with the fewest words of the claims; never the same chunks."""
    (made,) = [c for c in cases(TASKS, ["swapped_context"]) if c.source == "a"]

    assert made.task.context == TASKS[2].context
    assert cases([TASKS[0], TASKS[0]], ["swapped_context"]) == []


def test_a_false_statement_stands_in_the_context_word_for_word() -> None:
    """What the claim says is what the context says, true or not."""
    made = cases(TASKS, ["correctness_leak"])

    for case in made:
        (unit,) = case.task.units
        assert unit.text in [c.text for c in case.task.context or ()]


def test_a_fact_of_the_world_stands_in_no_context() -> None:
    """The claim is true, and the context is the record's own."""
    for case in cases(TASKS, ["outside_knowledge"]):
        (unit,) = case.task.units
        assert unit.text not in " ".join(c.text for c in case.task.context or ())


def test_instructions_come_in_a_chunk_and_in_the_answer() -> None:
    """Beside a context that carries nothing of the claims."""
    (chunk,) = [c for c in cases(TASKS, ["injected_chunk"]) if c.source == "a"]
    (answer,) = [c for c in cases(TASKS, ["injected_answer"]) if c.source == "a"]

    assert chunk.task.context is not None
    assert chunk.task.context[-1].text == INSTRUCTION
    assert answer.task.units[-1].text.endswith(INSTRUCTION)
    assert answer.task.answer is not None
    assert INSTRUCTION in answer.task.answer


@pytest.mark.parametrize("style", ["plain", "quoted", "single-call"])
def test_the_load_bearing_sentences_are_in_the_built_in_prompts(style: str) -> None:
    """So that the ablation takes out what is there."""
    from trueup.judge.probes import LOAD_BEARING

    text = load_template("groundedness", style).text
    for sentence in LOAD_BEARING.values():
        less = without_sentence(text, sentence)
        assert less is not None
        assert sentence not in less
        assert len(text.split("\n")) - len(less.split("\n")) == 1
    assert without_sentence("Judge.", "- Use the context") is None
