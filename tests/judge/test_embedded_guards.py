"""Each guard of the embedded judge: what it vetoes, and what it lets pass."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trueup.judge.embedded import guards
from trueup.judge.embedded.guards import Side
from trueup.judge.embedded.names import names
from trueup.judge.embedded.words import terms
from trueup.judge.splitting.language import guess_language


def objects(guard: Callable[[Side, Side], str | None], claim: str, evidence: str) -> bool:
    """Whether a guard has a reason against a claim that rests on this evidence."""
    language = guess_language(evidence)
    return guard(Side(claim, language), Side(evidence, language)) is not None


DENIED = [
    ("The plan includes SSO.", "The plan does not include SSO."),
    ("The plan doesn't include SSO.", "The plan includes SSO."),
    ("Maintenance is paid by the state.", "Maintenance is paid by the county, not by the state."),
    ("Guests can delete files.", "Guests cannot delete files."),
    ("The API has a limit.", "The API has no limit."),
    ("Exports are encrypted.", "Exports are sent without being encrypted."),
    ("The report is available.", "The report is unavailable."),
    ("The date is not valid.", "The date is valid."),
    ("Die Daten werden gelöscht.", "Die Daten werden nicht gelöscht."),
    ("Les données sont supprimées.", "Les données ne sont pas supprimées."),
    ("Los datos se borran.", "Los datos no se borran."),
    ("Данные удаляются сразу.", "Данные не удаляются сразу."),
    ("数据会被删除。", "数据不会被删除。"),
    ("アプリは無料です。", "アプリは無料ではありません。"),
    ("데이터는 삭제됩니다.", "데이터는 삭제되지 않습니다."),
    ("लॉग मिटाए जाते हैं।", "लॉग नहीं मिटाए जाते हैं।"),
]


@pytest.mark.parametrize(("claim", "evidence"), DENIED)
def test_what_one_side_denies_and_the_other_says_is_vetoed(claim: str, evidence: str) -> None:
    """By a word, a contraction, a prefix, in either direction, in many languages."""
    assert objects(guards.denial, claim, evidence)


AFFIRMED = [
    ("The plan includes SSO.", "The plan includes SSO."),
    ("The plan does not include SSO.", "SSO is not included in the plan."),
    ("Maintenance is paid by the county.", "Maintenance is paid by the county, not by the state."),
    ("The plan includes logs.", "The plan does not include SSO, but it includes logs."),
    ("Uploads take at most 5 minutes.", "Uploads take no more than 5 minutes."),
    ("Logs are kept for a year.", "Not only logs are kept for a year."),
    ("The battery is removable.", "The removable battery lasts, and the screen does not break."),
    ("Die Daten werden nicht gelöscht.", "Die Daten werden nicht gelöscht."),
    ("数据不会被删除。", "数据不会被删除。"),
]


@pytest.mark.parametrize(("claim", "evidence"), AFFIRMED)
def test_a_denial_elsewhere_in_the_sentence_is_none_of_the_claim(claim: str, evidence: str) -> None:
    """It reaches a few words of its own clause; bounds such as "no more than" deny nothing."""
    assert not objects(guards.denial, claim, evidence)


def test_only_and_all_need_their_like_in_the_evidence() -> None:
    """What the claim may not add; "all" is vetoed where the evidence says "some"."""
    assert objects(guards.quantifier, "Only admins export logs.", "Admins export logs.")
    assert objects(guards.quantifier, "Nur Admins exportieren.", "Die Admins exportieren.")
    assert objects(guards.quantifier, "仅管理员可以导出。", "管理员可以导出。")
    assert objects(guards.quantifier, "All plans include SSO.", "Some plans include SSO.")
    assert objects(guards.quantifier, "Logs are always kept.", "Logs are usually kept.")
    assert not objects(guards.quantifier, "Only admins export logs.", "Only admins export logs.")
    assert not objects(guards.quantifier, "Only admins export.", "Nobody but admins: solely they.")
    assert not objects(guards.quantifier, "Admins export logs.", "Only admins export logs.")
    assert not objects(guards.quantifier, "All plans have it.", "Every plan, most of them new.")


def test_a_possibility_is_not_a_fact() -> None:
    """The claim may hedge as the evidence does; a hedge elsewhere is none of it."""
    assert objects(guards.hedge, "Refunds take 10 days.", "Refunds may take 10 days.")
    assert objects(guards.hedge, "El motor falla.", "El motor quizás falla.")
    assert not objects(guards.hedge, "Refunds may take 10 days.", "Refunds might take 10 days.")
    assert not objects(guards.hedge, "Refunds take 10 days.", "Refunds take 10 days; it may rain.")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The limit was increased.", "The limit was decreased."),
        ("SSO is enabled by default.", "SSO is disabled by default."),
        ("Backups run daily.", "Backups run weekly."),
        ("The log is deleted after the export.", "The log is deleted before the export."),
        ("Backups laufen täglich.", "Backups laufen wöchentlich."),
    ],
)
def test_a_contrary_in_the_place_of_a_word_is_vetoed(claim: str, evidence: str) -> None:
    """Where the evidence has the opposite and not the word itself."""
    assert objects(guards.opposite, claim, evidence)
    assert not objects(guards.opposite, claim, f"{evidence} {claim}")


def test_a_number_of_the_claim_must_be_in_the_evidence() -> None:
    """With its unit; a claim without numbers asks for nothing."""
    assert objects(guards.number, "It is 512 metres long.", "It is 412 metres long.")
    assert objects(guards.number, "It takes 5 GB.", "It takes 5 MB.")
    assert not objects(guards.number, "It is long.", "It is 412 metres long.")


TEAM = "On the Team plan, logs are kept for 30 days."
ENTERPRISE = "On the Enterprise plan, logs are kept for 90 days."


def name_veto(claim: str, *evidence: str, elsewhere: str = "") -> str | None:
    """The reason of all guards together, names last."""
    language = guess_language(claim)
    everywhere = set(terms(" ".join([*evidence, elsewhere]), language))
    return guards.veto(Side(claim, language), [Side(e, language) for e in evidence], everywhere)


def test_a_name_that_stands_nowhere_is_vetoed() -> None:
    """One that stands elsewhere is not: a heading or the sentence before may name it."""
    assert name_veto("The pump of Acme is loud.", "The pump is loud.") == "acme is not named"
    assert name_veto("The pump of Acme is loud.", "The pump is loud.", elsewhere="Acme") is None


def test_another_name_beside_the_same_word_is_vetoed() -> None:
    """Team plan against Enterprise plan, though the text has both."""
    claim = "Logs on the Team plan are kept."

    assert name_veto(claim, ENTERPRISE, elsewhere=TEAM) == "the evidence says enterprise, not team"
    assert name_veto(claim, TEAM, elsewhere=ENTERPRISE) is None


def test_two_passages_may_not_lend_a_name_and_another_names_number() -> None:
    """The number has to come from a passage that has the claim's name, or no other in its place."""
    claim = "On the Team plan, logs are kept for 90 days."

    assert name_veto(claim, ENTERPRISE, TEAM) == "the evidence says enterprise, not team"
    assert name_veto("On the Team plan, logs are kept for 30 days.", ENTERPRISE, TEAM) is None


def test_a_heading_with_another_name_beside_the_same_word_is_vetoed() -> None:
    """Under "Team plan" nothing is said of the Enterprise plan; likewise in a row of a table."""
    claim = Side("Logs on the Enterprise plan are kept for 30 days.", "en")
    everywhere = frozenset({"team", "enterpris"})
    below = Side("Logs are kept for 30 days.", "en", frozenset({"team", "plan"}))
    general = Side("Logs are kept for 30 days.", "en", frozenset({"retent"}))

    assert guards.veto(claim, [below], everywhere) == "the evidence does not stand under enterprise"
    assert guards.veto(claim, [general], everywhere) is None


def test_a_heading_names_what_stands_below_it() -> None:
    """Terms from around count for a passage."""
    below = Side("Logs are kept for 30 days.", "en", frozenset({"team"}))
    claim = Side("Logs on the Team plan are kept for 30 days.", "en")

    assert guards.veto(claim, [below], frozenset({"team"})) is None


def test_names_are_capitals_inside_a_sentence_and_acronyms() -> None:
    """Not the first word, not months, units or frequent words, not every German noun."""
    assert names("The Team plan of Acme uses GraphQL and SSO since March.", "en") == {
        "team", "acme", "graphql", "sso",
    }  # fmt: skip
    assert names("Logs are kept. Guests read them.", "en") == frozenset()
    assert names("Der Tarif nutzt die API für Daten.", "de") == {"api"}
    assert names("THE PLAN KEEPS LOGS", "en") == frozenset()
    assert names("The Retention Of Audit Logs Explained", "en") == frozenset()
