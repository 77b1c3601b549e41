"""From a judge's name in trueup.toml to its identity (JudgeSpec) and its backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.config import EMBEDDED, JudgeSettings
from trueup.domain.model import JudgeSpec
from trueup.errors import ConfigError

if TYPE_CHECKING:
    from trueup.judge.base import JudgeBackend
    from trueup.services.workspace import Workspace


def default_judges(workspace: Workspace) -> list[str]:
    """Without --judge: `current` where it is defined, else every judge of trueup.toml."""
    names = workspace.settings.judges
    if "current" in names:
        return ["current"]
    own = [n for n in names if n != EMBEDDED]
    return own or [EMBEDDED]


def spec_of(workspace: Workspace, name: str, metric: str) -> JudgeSpec:
    """The identity of a judge under one metric. Raises ConfigError for what cannot be used."""
    from trueup.domain.text import LOCATOR_VERSION
    from trueup.judge.parse import READER_VERSION
    from trueup.judge.render import LAYOUT_VERSION

    judge = workspace.settings.judge(name)
    model, text = _model_and_template(workspace, name, judge, metric)
    return JudgeSpec(
        name=name,
        backend=judge.backend,
        metric=metric,
        model=model,
        prompt=judge.prompt,
        prompt_text=text,
        evidence=judge.evidence,
        base_url=_endpoint(judge),
        params=judge.params(),
        claims_per_call=judge.claims_per_call,
        reader_version=READER_VERSION,
        layout_version=LAYOUT_VERSION,
        locator_version=LOCATOR_VERSION,
    )


def backend_of(workspace: Workspace, name: str) -> JudgeBackend:
    """The backend that asks this judge, made anew for one run."""
    judge = workspace.settings.judge(name)
    if judge.backend == EMBEDDED:
        from trueup.judge.embedded import EmbeddedBackend

        return EmbeddedBackend()
    if judge.backend == "openai":
        from trueup.judge.openai_backend import OpenAIBackend

        return OpenAIBackend(
            base_url=judge.base_url,
            api_key_env=judge.api_key_env,
            concurrency=judge.concurrency,
            timeout_s=judge.timeout_s,
        )
    from trueup.plugins import judge_backend

    backend: JudgeBackend = judge_backend(judge.backend)(judge)
    return backend


def _model_and_template(
    workspace: Workspace, name: str, judge: JudgeSettings, metric: str
) -> tuple[str, str]:
    if judge.backend == EMBEDDED:
        from trueup.judge.embedded import EMBEDDED_VERSION, STYLES

        if judge.prompt not in STYLES:
            known = ", ".join(STYLES)
            raise ConfigError(f"judges.{name}.prompt: the embedded judge has the styles {known}")
        return EMBEDDED_VERSION, f"{EMBEDDED_VERSION} {judge.prompt}"
    if judge.backend == "openai" and not judge.model:
        raise ConfigError(f"judges.{name}: a model is needed", hint='model = "gpt-5-mini"')
    from trueup.judge.templates import load_template

    template = load_template(metric, judge.prompt, workspace.root / "prompts")
    return judge.model, template.text


def _endpoint(judge: JudgeSettings) -> str | None:
    if judge.backend != "openai":
        return judge.base_url
    from trueup.judge.openai_backend import base_url_of

    return base_url_of(judge.base_url)
