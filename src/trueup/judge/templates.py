"""Prompt templates: built-in ones and a workspace's own, checked when they are loaded.

A template is text with two parts, divided by a line `=== user ===`: what the judge is told to do,
and where the data goes. Without that line all of it is the second part. Data is put in by
placeholders on lines of their own choice: {question} {context} {answer} {reference} {claims}. A
template without {claims} is a *single-call* one: the judge splits the text itself.

A style names one template for each metric. It is looked for as `prompts/METRIC/STYLE.txt`, then as
a file `prompts/STYLE` for whatever metric, then as a folder `prompts/STYLE/METRIC.txt`, then among
the built-in ones; `.md` does as well as `.txt`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from trueup.domain.ids import content_id
from trueup.domain.metrics import METRICS, MetricSpec, metric
from trueup.errors import ConfigError

BUILT_IN = Path(__file__).parent / "prompts"
STYLES = ("plain", "quoted", "single-call")
USER_LINE = "=== user ==="
PLACEHOLDERS = ("question", "context", "answer", "reference", "claims")

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")
_SUFFIXES = ("", ".txt", ".md")


@dataclass(frozen=True)
class Template:
    """One template: `name` is METRIC/STYLE; `path` is None for a built-in one."""

    name: str
    text: str
    path: Path | None = None

    @cached_property
    def sha256(self) -> str:
        """Hash of the text, as JudgeSpec.prompt_sha256."""
        return content_id("prompt", self.text)

    @property
    def single_call(self) -> bool:
        """Whether the judge splits the text itself."""
        return is_single_call(self.text)


def is_single_call(text: str) -> bool:
    """Whether a template leaves the splitting to the judge: it takes data, but no {claims}."""
    found = {m[1] for m in _PLACEHOLDER.finditer(text)}
    return "claims" not in found and not found.isdisjoint(PLACEHOLDERS)


def asks_evidence(text: str) -> bool:
    """Whether a template asks for quotes."""
    return re.search(r"[\"`']evidence[\"`']", text) is not None


@lru_cache(maxsize=256)
def parts(text: str) -> tuple[str, str]:
    """(instructions, layout of the data) of a template."""
    system, line, user = text.partition(f"\n{USER_LINE}\n")
    return (system.strip(), user.strip()) if line else ("", text.strip())


def load_template(name: str, style: str, prompts: Path | None = None) -> Template:
    """The template of a metric in a style; `prompts` is the workspace's folder of own templates.

    Raises ConfigError when there is none, it cannot be read, or a placeholder is wrong.
    """
    spec = metric(name)
    own = _own_path(spec.name, style, prompts)
    if own is not None:
        template = Template(f"{spec.name}/{_style_name(style)}", _read(own), own)
        check(template, spec)
        return template
    path = BUILT_IN / spec.name / f"{style}.txt"
    if style in STYLES and path.is_file():
        return Template(f"{spec.name}/{style}", _read(path))
    known = sorted({t.name.partition("/")[2] for t in list_templates(prompts)})
    near = difflib.get_close_matches(style, known, n=1)
    raise ConfigError(
        f"no prompt {style!r} for {spec.name}"
        + (f"; did you mean {near[0]!r}?" if near else f" (known: {', '.join(known)})"),
        hint=f"put your own into prompts/{spec.name}/{_style_name(style)}.txt",
    )


def list_templates(prompts: Path | None = None) -> list[Template]:
    """Built-in templates by metric and style, then own ones under prompts/METRIC/ (not checked)."""
    out = [
        Template(f"{name}/{style}", _read(BUILT_IN / name / f"{style}.txt"))
        for name in METRICS
        for style in STYLES
    ]
    return out + [Template(name, _read(path), path) for name, path in _own_templates(prompts)]


def check(template: Template, spec: MetricSpec) -> None:
    """Refuse a template that could not be filled in or whose reply could not be read."""
    where = template.path or template.name
    found = [m[1] for m in _PLACEHOLDER.finditer(template.text)]
    for name in found:
        if name not in PLACEHOLDERS:
            near = difflib.get_close_matches(name.lower(), PLACEHOLDERS, n=1)
            hint = f"; did you mean {{{near[0]}}}?" if near else ""
            raise ConfigError(
                f"{where}: unknown placeholder {{{name}}}{hint}",
                hint="known: " + " ".join(f"{{{p}}}" for p in PLACEHOLDERS),
            )
        if found.count(name) > 1:
            raise ConfigError(f"{where}: placeholder {{{name}}} stands there more than once")
    for name in needed(spec, single_call=template.single_call):
        if name not in found:
            raise ConfigError(
                f"{where}: placeholder {{{name}}} is missing",
                hint=f"{spec.name} is judged against it: put {{{name}}} on a line of its own",
            )
    _check_instructions(template, where)


def _check_instructions(template: Template, where: Path | str) -> None:
    system, user = parts(template.text)
    if _PLACEHOLDER.search(system):
        raise ConfigError(f"{where}: placeholders belong below the line {USER_LINE!r}")
    if "entailed" not in template.text or "claims" not in re.sub(_PLACEHOLDER, "", template.text):
        raise ConfigError(
            f"{where}: the template does not say how to reply",
            hint='ask for JSON: {"claims": [{"number": 1, "claim": "…", "entailed": true}]}',
        )
    if not user:
        raise ConfigError(f"{where}: nothing stands below the line {USER_LINE!r}")


def needed(spec: MetricSpec, *, single_call: bool) -> tuple[str, ...]:
    """The placeholders that a template of a metric cannot do without."""
    if not single_call:
        extra = ("context",) if spec.units == "chunk" else ()
        return (spec.against, *extra, "claims")
    text = {"answer_claim": "answer", "reference_claim": "reference"}.get(spec.units, "context")
    return (spec.against, text)


def _own_path(name: str, style: str, prompts: Path | None) -> Path | None:
    if prompts is None or not prompts.is_dir():
        return None
    root = prompts.resolve()
    for base in (root / name / style, root / style, root / style / name):
        for suffix in _SUFFIXES:
            path = Path(f"{base}{suffix}")
            if path.is_file():
                _inside(path, root)
                return path
    return None


def _inside(path: Path, root: Path) -> None:
    if not path.resolve().is_relative_to(root):
        raise ConfigError(f"{path}: a prompt must stand under {root}")


def _own_templates(prompts: Path | None) -> Iterator[tuple[str, Path]]:
    for name in METRICS if prompts is not None else ():
        folder = Path(prompts or ".") / name
        for path in sorted(folder.glob("*")) if folder.is_dir() else ():
            if path.suffix in _SUFFIXES and path.is_file():
                yield f"{name}/{path.stem}", path


def _style_name(style: str) -> str:
    return Path(style).with_suffix("").as_posix() if style.endswith((".txt", ".md")) else style


@lru_cache(maxsize=64)
def _read_cached(path: Path, _changed: int) -> str:
    return path.read_text("utf-8")


def _read(path: Path) -> str:
    try:
        text = _read_cached(path, path.stat().st_mtime_ns)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: a prompt must be UTF-8: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    return text.replace("\r\n", "\n").removeprefix("\ufeff")
