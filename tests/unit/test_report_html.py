"""The page of a report: what may stand in it, how large it is, and that a reader can use it."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest

from report_help import CHUNKS, NO, YES, Answer, Claim, claims, report
from shared import golden_cases
from trueup.domain.model import Chunk
from trueup.report.html import to_html

VOID = {"meta", "br", "line", "circle", "rect"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


class Page(HTMLParser):
    """A page as a reader's program sees it: elements with attributes, and texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.headings: list[int] = []
        self.style = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in HEADINGS:
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
        else:
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def kinds(self) -> set[tuple[str, str]]:
        """Every element with every attribute that it is given."""
        return {(name, key) for name, told in self.elements for key in ("", *told)}

    @property
    def text(self) -> str:
        return "".join(self.texts)


def mixed() -> list[Answer]:
    """Answers with every kind of disagreement, quotes that stand and quotes that do not."""
    return [
        Answer(
            [
                Claim("Audit logs are kept for 90 days.", YES, {
                    "plain": (YES, "Audit logs are kept for 90 days on Enterprise."),
                    "quoted": (YES, "Audit logs are kept for 90 days on Enterprise.")}),
                Claim("The Team plan keeps audit logs for 60 days.", NO, {
                    "plain": (YES, "The Team plan keeps audit logs for 60 days."),
                    "quoted": (NO, "The Team plan keeps audit logs for 30 days.")},
                    note="30, not 60"),
                Claim("Logs can be restored.", NO, {
                    "plain": (YES, "They cannot be restored."), "quoted": NO}),
            ],
            slices={"plan": "team"}, failing=True,
        ),
        Answer(claims("111 101 011 000 1u1"), slices={"plan": "enterprise"}, failing=False),
        Answer(claims("111 110 001"), failing=True),
    ]  # fmt: skip


def test_the_page_has_no_script_and_loads_nothing() -> None:
    """No script, no event handler, no outside resource, and a policy that forbids them all."""
    page = Page(to_html(report(mixed())))

    assert {"script", "img", "iframe", "object", "embed", "link", "form", "base"}.isdisjoint(
        name for name, _ in page.elements
    )
    for _, attributes in page.elements:
        assert not [a for a in attributes if a.startswith("on") or a in ("style", "src", "srcset")]
    assert all(str(a["href"]).startswith("#") for a in page.all("a"))
    assert "@import" not in page.style
    assert "url(" not in page.style


def test_the_policy_allows_exactly_the_style_sheet_of_the_page() -> None:
    """The hash in the policy is that of the only style element."""
    page = Page(to_html(report(mixed())))
    policies = [m["content"] for m in page.all("meta") if m.get("http-equiv")]
    digest = b64encode(sha256(page.style.encode()).digest()).decode()

    assert len(page.all("style")) == 1
    assert policies == [
        (
            f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
            "form-action 'none'"
        )
    ]


def test_the_same_data_give_the_same_bytes() -> None:
    """No clock, no random id, no order of a set."""
    assert to_html(report(mixed())) == to_html(report(mixed()))


HOSTILE = [
    "x</script><script>alert(1)</script>",
    "<!--<script>",
    '"><img src=x onerror=alert(2)>',
    "</textarea></title></style><svg onload=alert(1)>",
    "ok'\"<b>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "\u202egnp.exe\u202c\x1b[31m",
    "]]>&lt;i&gt;",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_never_obeyed(text: str) -> None:
    """Whatever field a text comes in, the page has no element and attribute but its own."""
    from trueup.domain.display import display

    def page_of(t: str) -> Page:
        said = {t: (YES, t)}
        one = Answer(
            [Claim(t, NO, said, note=t), Claim("y", YES, {t: YES})],
            name=t, question=t, context=(Chunk(t, f"before {t} after", t),), slices={t: t},
            failing=True, release=t,
        )  # fmt: skip
        other = Answer([Claim("z", YES, {t: YES})], failing=False)
        return Page(to_html(report([one, other], judges=(t,), name=t)))

    page, plain = page_of(text), Page(to_html(report(mixed())))

    assert page.kinds <= plain.kinds
    assert display(text) in page.text
    assert not [a for a in page.all("a") if not str(a["href"]).startswith("#")]
    assert "\u202e" not in page.text
    assert "\x1b" not in page.text


@pytest.mark.parametrize("case", golden_cases("report", "script"))
def test_golden_scripts(case: dict[str, Any]) -> None:
    """The texts of the golden cases stand in the page as texts."""
    values = [str(v) for v in case["input"].values()]
    one = Answer(
        [Claim(v, NO, {v: (YES, v)}) for v in values],
        context=tuple(Chunk(v, v, v) for v in values),
    )
    page = Page(to_html(report([one], judges=values, name=values[0])))

    assert page.all("script") == page.all("img") == []
    assert all(v in page.text for v in values)
    assert all(str(a["href"]).startswith("#") for a in page.all("a"))


def test_headings_step_down_one_at_a_time() -> None:
    """One h1 first, and no level is skipped on the way down."""
    levels = Page(to_html(report(mixed()))).headings

    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_every_figure_is_told_and_has_its_numbers() -> None:
    """Each drawing has a title, a description and a table after it in the same figure."""
    html = to_html(report(mixed()))
    figures = re.findall(r"<figure\b.*?</figure>", html, re.DOTALL)

    assert len(figures) == html.count("<svg")
    assert len(figures) >= 8
    for figure in figures:
        assert re.search(r'<svg[^>]*role="img"[^>]*aria-labelledby="(\S+) (\S+)"', figure)
        assert re.search(r"<title id=[^>]+>[^<]+</title><desc id=[^>]+>[^<]+</desc>", figure)
        assert figure.index("<table>") > figure.index("</svg>")


def test_every_table_has_a_caption_and_headed_rows_and_columns() -> None:
    """A screen reader can name each cell."""
    html = to_html(report(mixed()))
    tables = re.findall(r"<table.*?</table>", html, re.DOTALL)

    for table in tables:
        assert "<caption>" in table
        assert '<th scope="col"' in table
        body = table[table.index("<tbody>") :]
        assert body.count("<tr>") == body.count('<th scope="row">')


def test_ids_are_unique_and_every_link_leads_somewhere() -> None:
    """Links lead to places in the page that exist once."""
    page = Page(to_html(report(mixed())))
    ids = [a["id"] for _, a in page.elements if a.get("id")]

    assert len(ids) == len(set(ids))
    assert {str(a["href"])[1:] for a in page.all("a")} <= set(ids)
    named = [str(a["aria-labelledby"]).split() for _, a in page.elements if "aria-labelledby" in a]
    assert {n for names in named for n in names} <= set(ids)


def test_a_found_quote_is_marked_where_it_stands_and_an_absent_one_is_said_to_be_absent() -> None:
    """The context is shown with the quote highlighted, or the quote is said to stand nowhere."""
    html = to_html(report(mixed()))

    assert "<mark>They cannot be restored.</mark>" in html
    assert "stands nowhere in the text" in html
    assert "The Team plan keeps audit logs for 60 days." in html


def test_fifty_answers_stay_under_a_megabyte() -> None:
    """Fifty answers of four claims, long contexts, half of the claims in dispute."""
    long = tuple(Chunk(f"c-{i}", f"Chunk {i}. " + "Words & <more> words. " * 100) for i in range(8))
    many = [Answer(claims("101 010 001 111"), context=(*CHUNKS, *long)) for _ in range(50)]

    assert len(to_html(report(many)).encode()) < 1_000_000


def test_long_quotes_and_claims_do_not_grow_the_page_without_end() -> None:
    """Two judges quote whole chunks of thousands of characters, for claims as long."""
    long = tuple(Chunk(f"c-{i}", f"{i} " + "wörter & <mehr> " * 160) for i in range(4))
    whole = {j: (YES, *(c.text for c in long)) for j in ("plain", "quoted")}
    many = [
        Answer([Claim(f"{n} {i} " + "claim " * 400, NO, whole) for n in range(4)], context=long)
        for i in range(50)
    ]
    html = to_html(report(many))

    assert len(html.encode()) < 1_000_000
    assert "all 200 are in report.json" in html


def test_ten_thousand_disagreements_are_capped_and_counted() -> None:
    """What is not shown is said, with the number and where it is."""
    many = [Answer(claims("10 " * 10, ("plain",))) for _ in range(1_000)]
    html = to_html(report(many, judges=("plain",)))

    assert html.count('<article class="card"') == 200
    assert "Judges differ from people on 10,000 units" in html
    assert "all 10,000 are in report.json" in html
    assert len(html.encode()) < 1_000_000


def colours(css: str) -> dict[str, str]:
    """The named colours of one block of the style sheet."""
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", css))


def contrast(a: str, b: str) -> float:
    """The contrast of two colours (WCAG 2.2, relative luminance)."""

    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(p * w for p, w in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))

    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_and_marks_stand_out_in_both_schemes(scheme: str) -> None:
    """Text has a contrast of 4.5 to 1 or more, the marks of figures of 3 to 1."""
    css = Page(to_html(report(mixed()))).style
    light, dark = css.split("@media screen and (prefers-color-scheme: dark)", 1)
    named = colours(light) | (colours(dark) if scheme == "dark" else {})

    for text, ground in (("ink", "paper"), ("ink", "wash"), ("ink", "mark"), ("soft", "paper"),
                         ("soft", "wash"), ("link", "paper"), ("ink", "band")):  # fmt: skip
        assert contrast(named[text], named[ground]) >= 4.5, (text, ground)
    for mark in ("people", "judge", "lenient", "soft"):
        assert contrast(named[mark], named["paper"]) >= 3, mark
    assert contrast(named["lenient"], named["strict"]) >= 3
    assert contrast(named["people"], named["judge-fill"]) >= 3
