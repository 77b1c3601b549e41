"""Templates are found, checked when they are loaded, and told apart by their content."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge_support import spec
from trueup.domain.metrics import METRICS
from trueup.errors import ConfigError
from trueup.judge.templates import STYLES, check, list_templates, load_template

OWN = """Rule on claims. Reply in JSON: {"claims": [{"number": 1, "claim": "…", "entailed": true}]}
=== user ===
{context}
{claims}
"""


def write(folder: Path, name: str, text: str = OWN) -> Path:
    """A file under prompts/; returns that folder."""
    path = folder / "prompts" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return folder / "prompts"


def test_built_in_ones_are_complete_and_sound() -> None:
    """Every metric has every style, and each passes the check that own ones must pass."""
    templates = list_templates()

    assert len(templates) == len(METRICS) * len(STYLES)
    assert len({t.sha256 for t in templates}) == len(templates)
    for template in templates:
        check(template, METRICS[template.name.partition("/")[0]])


@pytest.mark.parametrize(
    ("file", "style"),
    [
        ("groundedness/mine.txt", "mine"),
        ("groundedness/mine.md", "mine"),
        ("mine.txt", "mine"),
        ("mine.md", "mine.md"),
        ("mine/groundedness.txt", "mine"),
        ("groundedness/plain.txt", "plain"),
    ],
)
def test_own_ones_are_found(tmp_path: Path, file: str, style: str) -> None:
    """By metric, as one file, as a folder; before a built-in one of that name."""
    template = load_template("faithfulness", style, write(tmp_path, file))

    assert template.text == OWN
    assert template.path == tmp_path / "prompts" / file
    assert template.name.startswith("groundedness/")


def test_the_hash_is_of_the_content(tmp_path: Path) -> None:
    """The same text is the same prompt wherever it stands, with whatever line ends."""
    one = load_template("groundedness", "a", write(tmp_path, "groundedness/a.txt"))
    folder = write(tmp_path, "groundedness/b.txt")
    (folder / "groundedness/b.txt").write_bytes(
        b"\xef\xbb\xbf" + OWN.replace("\n", "\r\n").encode()
    )
    two = load_template("groundedness", "b", folder)

    assert one.sha256 == two.sha256 == spec(prompt_text=OWN).prompt_sha256


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (OWN.replace("{context}", "{contxt}"), "did you mean {context}"),
        (OWN.replace("{context}\n", ""), "{context} is missing"),
        (OWN.replace("{context}", "{context} {context}"), "more than once"),
        ("{context} {claims}\n=== user ===\nJSON entailed claims", "below the line"),
        (OWN.replace("entailed", "supported"), "how to reply"),
        ("Rule on {context} and {claims}.", "how to reply"),
    ],
)
def test_a_wrong_template_is_refused_when_it_is_loaded(
    tmp_path: Path, text: str, said: str
) -> None:
    """The message names the file and what is wrong with it."""
    folder = write(tmp_path, "groundedness/mine.txt", text)

    with pytest.raises(ConfigError) as error:
        load_template("groundedness", "mine", folder)
    assert said in error.value.message
    assert "mine.txt" in error.value.message


def test_a_template_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Not UTF-8."""
    folder = write(tmp_path, "groundedness/mine.txt")
    (folder / "groundedness/mine.txt").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(ConfigError, match="UTF-8"):
        load_template("groundedness", "mine", folder)


def test_an_unknown_style_names_the_nearest(tmp_path: Path) -> None:
    """A slip of the pen is met with a suggestion."""
    with pytest.raises(ConfigError, match="did you mean 'quoted'"):
        load_template("groundedness", "quotd", tmp_path)


def test_a_style_does_not_leave_the_folder(tmp_path: Path) -> None:
    """`../` is no style."""
    (tmp_path / "secret.txt").write_text(OWN, "utf-8")
    folder = write(tmp_path, "groundedness/mine.txt")

    with pytest.raises(ConfigError, match="must stand under"):
        load_template("groundedness", "../secret", folder)


def test_own_ones_are_listed(tmp_path: Path) -> None:
    """After the built-in ones, with their path."""
    templates = list_templates(write(tmp_path, "groundedness/mine.txt"))

    assert [(t.name, t.path is None) for t in templates[-1:]] == [("groundedness/mine", False)]


def test_a_template_without_claims_leaves_the_splitting_to_the_judge(tmp_path: Path) -> None:
    """Then it needs the text that is to be split."""
    text = OWN.replace("{claims}", "{answer}")
    folder = write(tmp_path, "groundedness/mine.txt", text)
    assert load_template("groundedness", "mine", folder).single_call

    write(tmp_path, "groundedness/mine2.txt", OWN.replace("{claims}\n", ""))
    with pytest.raises(ConfigError, match=r"\{answer\} is missing"):
        load_template("groundedness", "mine2", folder)
