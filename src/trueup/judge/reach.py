"""Whether an endpoint answers at all: one small request, for `trueup doctor`."""

from __future__ import annotations

import os

from trueup.judge.openai_backend import base_url_of
from trueup.judge.secrets import redactor


def reach(base_url: str | None, api_key_env: str, *, timeout_s: float) -> str | None:
    """None where the endpoint answers, else what is wrong; the key is in no message.

    A server that has no list of models but answers is reached.
    """
    import openai

    key = os.environ.get(api_key_env)
    url = base_url_of(base_url)
    client = openai.OpenAI(api_key=key or "none", base_url=url, timeout=timeout_s, max_retries=0)
    try:
        client.models.list()
    except (openai.AuthenticationError, openai.PermissionDeniedError):
        return f"{url} refuses the key in {api_key_env}" if key else f"{url} wants {api_key_env}"
    except openai.APIStatusError as error:
        if error.status_code < 500:
            return None
        return f"{url} answers {error.status_code}"
    except openai.APIConnectionError as error:
        cause = redactor(key)(str(error.__cause__ or error))
        return f"{url} cannot be reached: {cause}"
    finally:
        client.close()
    return None
