"""trueup.toml: what is read, and what is refused with a message that helps."""

from __future__ import annotations

from pathlib import Path

import pytest

from trueup import config
from trueup.errors import ConfigError


def parsed(text: str, tmp_path: Path) -> config.Settings:
    path = tmp_path / "trueup.toml"
    path.write_text(text, "utf-8")
    return config.load(path)


def test_the_default_file_is_valid(tmp_path: Path) -> None:
    """What `trueup init` writes is read back without a complaint."""
    settings = parsed(config.DEFAULT_TOML, tmp_path)

    assert settings.judge("quoted").evidence == "required"
    assert settings.judge("plain").backend == "embedded"
    assert settings.gate.non_inferiority == 0.03


def test_the_embedded_judge_is_always_defined(tmp_path: Path) -> None:
    """An empty file has the built-in judge."""
    assert parsed("", tmp_path).judge("embedded").backend == "embedded"


def test_a_judge_extends_another_and_overrides(tmp_path: Path) -> None:
    """`extends` takes the other's keys and changes some."""
    text = """
    [judges.a]
    model = "m"
    temperature = 0.5
    [judges.b]
    extends = "a"
    prompt = "quoted"
    [judges.c]
    extends = "embedded"
    prompt = "plain"
    """
    settings = parsed(text, tmp_path)

    assert settings.judge("b").temperature == 0.5
    assert settings.judge("b").prompt == "quoted"
    assert settings.judge("c").backend == "embedded"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[gate]\nmin_kapa = 0.5", ["gate.min_kapa", "min_kappa"]),
        ("[judges.a]\nmodle = 'x'", ["judges.a.modle", "model"]),
        ("[gates]\n", ["gates", "gate"]),
        ("[judges.a]\napi_key = 'sk-123'", ["judges.a.api_key", "secrets"]),
        ("[judges.a]\nheaders = {a = 'b'}", ["judges.a.headers", "secrets"]),
        ("[judges.a]\napi_key_env = 'sk-123456'", ["api_key_env", "NAME"]),
        ("[judges.a]\nextends = 'b'", ["judges.a.extends", "'b'"]),
        ("[judges.a]\nextends = 'a'", ["extends itself"]),
        ("[judges.a]\nevidence = 'always'", ["judges.a.evidence"]),
        ("[judges.a]\nbase_url = 'ftp://x'", ["judges.a.base_url"]),
        ("[workspace]\nk = [0]", ["workspace.k"]),
        ("[workspace]\nmin_decided = 'most'", ["workspace.min_decided"]),
        ("[metrics.groundednes]\nthreshold = 1", ["groundednes", "groundedness"]),
        ("judges = 3", ["judges"]),
        ("[judges]\na = 3", ["judges.a"]),
        ("x = ", ["not valid TOML"]),
    ],
)
def test_what_is_wrong_is_named(text: str, words: list[str], tmp_path: Path) -> None:
    """The message holds the file, the key, and the nearest key or the reason."""
    with pytest.raises(ConfigError) as caught:
        parsed(text, tmp_path)

    for word in ["trueup.toml", *words]:
        assert word in caught.value.message


def test_no_secret_of_a_refused_file_is_repeated(tmp_path: Path) -> None:
    """The refusal names the key of the table, never its value."""
    with pytest.raises(ConfigError) as caught:
        parsed("[judges.a]\napi_key = 'sk-CANARY'", tmp_path)

    assert "CANARY" not in caught.value.message + str(caught.value.hint)


def test_an_unknown_judge_names_the_nearest(tmp_path: Path) -> None:
    """A typo on the command line is answered with the judge that was meant."""
    settings = parsed(config.DEFAULT_TOML, tmp_path)

    with pytest.raises(ConfigError, match="did you mean 'quoted'"):
        settings.judge("quotd")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://user:pw@Host:8000/v1/", "http://host:8000/v1"),
        ("https://api.example.com/v1?x=1", "https://api.example.com/v1"),
        ("http://[::1]:80/v1", "http://[::1]:80/v1"),
    ],
)
def test_base_urls_lose_user_info_and_trailing_slash(url: str, expected: str) -> None:
    """Two spellings of one endpoint are one identity; a password never enters it."""
    assert config.normalise_base_url(url) == expected
