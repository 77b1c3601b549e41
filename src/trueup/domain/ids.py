"""Canonical JSON and content ids: the same content has the same id on every machine."""

from __future__ import annotations

import hashlib
import json
import json.encoder
from collections.abc import Callable

_ID_HEX = 32
_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def _encoder() -> Callable[[object], str]:
    """`_ENCODER.encode`, which makes its C encoder anew for each value; here it is made once."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _ENCODER.encode
    quote = json.encoder.encode_basestring
    encode = make(None, _ENCODER.default, quote, None, ":", ",", True, False, False)
    return lambda value: "".join(encode(value, 0))


_encode = _encoder()


def canonical_json(value: object) -> str:
    """One text for one value: sorted keys, no spaces, UTF-8 kept, NaN refused.

    Raises ValueError for NaN and infinities and TypeError for what is not JSON.
    """
    return _encode(value)


def content_id(kind: str, value: object) -> str:
    """128 bits of SHA-256, in hex, over the kind and the canonical JSON of a value."""
    payload = f"trueup/{kind}/1\n{canonical_json(value)}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(payload).hexdigest()[:_ID_HEX]


def text_id(text: str) -> str:
    """128 bits of SHA-256, in hex, over a text alone: what stands for it in a content id."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_HEX]


def sha256_text(text: str) -> str:
    """Full SHA-256 of a text, in hex: for policy texts, files and label sets."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
