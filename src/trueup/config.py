"""trueup.toml -> frozen settings.

Unknown keys are errors that name the nearest known key; a secret in the file is refused. Judges may
extend each other; the built-in judge `embedded` is always defined.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from trueup.domain.model import EvidenceRule, Json
from trueup.domain.scores import SCORED_METRICS
from trueup.errors import ConfigError

FILE_NAME = "trueup.toml"
EMBEDDED = "embedded"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class WorkspaceSettings(_Section):
    """[workspace]: choices that hold for every metric."""

    retrieval_headline: Literal["recall", "hit_rate"] = "recall"
    k: tuple[int, ...] = Field(default=(1, 5, 10), strict=False)
    min_decided: float = Field(default=0.8, ge=0, le=1, strict=False)
    no_claims: float | Literal["null"] = "null"

    @field_validator("k")
    @classmethod
    def _positive(cls, k: tuple[int, ...]) -> tuple[int, ...]:
        if not k or any(n < 1 for n in k):
            raise ValueError("k is a list of whole numbers from 1 on")
        return tuple(sorted(set(k)))


class MetricSettings(_Section):
    """[metrics.NAME]: a threshold gives passed / not passed per record."""

    threshold: float | None = Field(default=None, ge=0, le=1, strict=False)


class Price(_Section):
    """Dollars (or any one currency) per million tokens."""

    input: float = Field(ge=0, strict=False)
    output: float = Field(ge=0, strict=False)


class JudgeSettings(_Section):
    """[judges.NAME]: how a judge is asked; `evidence` is its evidence rule."""

    backend: str = "openai"
    model: str = ""
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    prompt: str = "plain"
    evidence: EvidenceRule = "off"
    temperature: float | None = Field(default=0, strict=False)
    seed: int | None = None
    max_output_tokens: int | None = Field(default=2000, ge=1)
    claims_per_call: int | None = Field(default=None, ge=1)
    concurrency: int = Field(default=32, ge=1, le=4096)
    timeout_s: float = Field(default=60, gt=0, strict=False)
    retries: int = Field(default=5, ge=0)
    price_per_million: Price | None = None
    transport: Literal["openai", "direct"] = "openai"
    extra_params: dict[str, str | bool | int | float] = Field(default_factory=dict)

    @field_validator("api_key_env")
    @classmethod
    def _a_name(cls, value: str) -> str:
        if not value.replace("_", "").isalnum() or value.startswith(("sk-", "sk_")):
            raise ValueError("this is the NAME of an environment variable, never the key itself")
        return value

    @field_validator("base_url")
    @classmethod
    def _no_user_info(cls, value: str | None) -> str | None:
        return None if value is None else normalise_base_url(value)

    def params(self) -> dict[str, Json]:
        """The decoding parameters that are part of the call fingerprint."""
        out: dict[str, Json] = dict(self.extra_params)
        if self.backend != EMBEDDED:
            out |= {
                "temperature": self.temperature,
                "max_output_tokens": self.max_output_tokens,
                "seed": self.seed,
            }
        return {k: v for k, v in out.items() if v is not None}


class GateSettings(_Section):
    """[gate]: the bars of `trueup validate`; `probes` names the highest rate a probe may show."""

    min_kappa: float | None = Field(default=0.6, ge=-1, le=1, strict=False)
    min_tnr: float | None = Field(default=0.7, ge=0, le=1, strict=False)
    min_agreement: float | None = Field(default=None, ge=0, le=1, strict=False)
    non_inferiority: float | None = Field(default=0.03, gt=0, le=1, strict=False)
    max_undecided: float = Field(default=0.02, ge=0, le=1, strict=False)
    probes: dict[str, float] = Field(default_factory=dict)


class Owners(_Section):
    """[diagnose.owners]: who looks at each cell."""

    retrieval: str = "search team"
    generation: str = "prompt team"
    both: str = "search team"
    end_to_end: str = "evaluation"


class DiagnoseSettings(_Section):
    """[diagnose]: `high` begins at these values."""

    retrieval: float = Field(default=1.0, ge=0, le=1, strict=False)
    groundedness: float = Field(default=0.8, ge=0, le=1, strict=False)
    owners: Owners = Owners()


class LabelSettings(_Section):
    """[label]: the screen."""

    theme: str = "trueup-dark"
    keys: dict[str, str] = Field(default_factory=dict)


class Settings(_Section):
    """The whole file."""

    workspace: WorkspaceSettings = WorkspaceSettings()
    metrics: dict[str, MetricSettings] = Field(default_factory=dict)
    judges: dict[str, JudgeSettings] = Field(default_factory=dict)
    gate: GateSettings = GateSettings()
    diagnose: DiagnoseSettings = DiagnoseSettings()
    label: LabelSettings = LabelSettings()

    def judge(self, name: str) -> JudgeSettings:
        """The judge of that name. Raises ConfigError that names the nearest one."""
        if name in self.judges:
            return self.judges[name]
        near = _nearest(name, self.judges)
        known = ", ".join(sorted(self.judges))
        raise ConfigError(
            f"no judge named {name!r} in {FILE_NAME}{near}", hint=f"known judges: {known}"
        )


def normalise_base_url(url: str) -> str:
    """Scheme, host, port and path, without user info, query, or a trailing slash."""
    parts = urlsplit(url.strip())
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("base_url must be an http or https address")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit((parts.scheme, host + port, parts.path.rstrip("/"), "", ""))


def embedded_judge() -> JudgeSettings:
    """The built-in judge, with the stricter of its two styles."""
    return JudgeSettings(
        backend=EMBEDDED, model=EMBEDDED, prompt="quoted", evidence="required", temperature=None
    )


def load(path: Path) -> Settings:
    """Read a trueup.toml. Raises ConfigError that names the file and the key."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    return parse(data, str(path))


def parse(data: Mapping[str, Any], where: str = FILE_NAME) -> Settings:
    """Settings from parsed TOML; `where` names the file in errors."""
    raw = dict(data)
    _refuse_secrets(raw, where)
    judges = raw.get("judges", {})
    if isinstance(judges, dict):
        raw["judges"] = {n: _extended(n, judges, where, ()) for n in judges}
        raw["judges"].setdefault(EMBEDDED, embedded_judge().model_dump())
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        raise _config_error(error, where) from error
    for name in settings.metrics:
        if name not in SCORED_METRICS:
            raise ConfigError(f"{where}: unknown metric {name!r}{_nearest(name, SCORED_METRICS)}")
    return settings


def _extended(
    name: str, judges: Mapping[str, Any], where: str, seen: tuple[str, ...]
) -> dict[str, Any]:
    if name in seen:
        raise ConfigError(f"{where}: judges.{name} extends itself: {' -> '.join([*seen, name])}")
    own = judges[name]
    if not isinstance(own, dict):
        raise ConfigError(f"{where}: judges.{name} must be a table")
    parent = own.get("extends")
    rest = {k: v for k, v in own.items() if k != "extends"}
    if parent is None:
        return rest
    if parent == EMBEDDED and EMBEDDED not in judges:
        return embedded_judge().model_dump() | rest
    if parent not in judges:
        near = _nearest(str(parent), judges)
        raise ConfigError(f"{where}: judges.{name}.extends: no judge named {parent!r}{near}")
    return _extended(parent, judges, where, (*seen, name)) | rest


def _refuse_secrets(data: Mapping[str, Any], where: str) -> None:
    judges = data.get("judges", {})
    for name, judge in judges.items() if isinstance(judges, dict) else ():
        for key in ("api_key", "key", "token", "headers"):
            if isinstance(judge, dict) and key in judge:
                raise ConfigError(
                    f"{where}: judges.{name}.{key}: secrets are not kept in this file",
                    hint='put the key into an environment variable and its NAME into "api_key_env"',
                )


def _config_error(error: ValidationError, where: str) -> ConfigError:
    first = error.errors()[0]
    place = ".".join(str(p) for p in first["loc"])
    if first["type"] == "extra_forbidden":
        known = _known_keys(first["loc"][:-1])
        return ConfigError(
            f"{where}: unknown key {place!r}{_nearest(str(first['loc'][-1]), known)}",
            hint=f"known keys here: {', '.join(sorted(known))}",
        )
    return ConfigError(f"{where}: {place}: {first['msg']}")


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = Settings
    for part in location:
        annotation = (
            model.model_fields[str(part)].annotation if part in model.model_fields else None
        )
        inner = getattr(annotation, "__args__", (None,))[-1]
        step = annotation if isinstance(annotation, type) else inner
        if isinstance(step, type) and issubclass(step, BaseModel):
            model = step
    return list(model.model_fields)


def _nearest(word: str, known: Any) -> str:
    match = difflib.get_close_matches(word, [str(k) for k in known], n=1, cutoff=0.5)
    return f"; did you mean {match[0]!r}?" if match else ""


DEFAULT_TOML = """\
# trueup.toml: judges, metric choices and gate bars of this workspace. Keep it in git.

[workspace]
retrieval_headline = "recall"   # gold chunks are jointly required; "hit_rate": any one suffices
k = [1, 5, 10]
min_decided = 0.8               # a record with fewer of its units decided has no score
no_claims = "null"              # or 1.0, the classic convention for an answer that claims nothing

# The judge `embedded` is always defined: it runs on the CPU with no key and no network.
# Its two styles make an honest first comparison:
[judges.plain]
backend = "embedded"
prompt = "plain"
evidence = "off"

[judges.quoted]
extends = "plain"
prompt = "quoted"
evidence = "required"           # off | flag | required

# Any OpenAI-compatible endpoint:
# [judges.current]
# backend = "openai"
# model = "gpt-5-mini"
# base_url = "http://127.0.0.1:8000/v1"
# api_key_env = "OPENAI_API_KEY"  # the NAME of the variable; a key in this file is refused
# prompt = "plain"
# evidence = "off"
# temperature = 0
# max_output_tokens = 2000
# concurrency = 32
# timeout_s = 60
# price_per_million = { input = 0.25, output = 2.0 }

[gate]
min_kappa = 0.6                 # on the lower end of the interval
min_tnr = 0.7                   # likewise
non_inferiority = 0.03
max_undecided = 0.02
"""

DEFAULT_POLICY = """\
# Labelling policy

Mark a claim **entailed** when the context states it outright, or leaves no room for it to be false.

- Use the context alone. What you know from elsewhere does not count, even when it is true.
- Do not judge whether the claim is correct. A claim that repeats a wrong context is entailed.
- Loose implication is **not entailed**. "Removed at the end of the retention window" does not
  entail "deleted automatically": somebody may have to do it.
- Numbers, units, dates, plan names and negations must agree.
- A claim that joins two facts is entailed only when both are.
- Mark **unsure** when two careful readers could differ; mark a claim that is badly cut as
  **bad split**, and a line that states nothing as **not a claim**.
"""
