"""Options that several commands share."""

from __future__ import annotations

from typing import Any

import click

from trueup.domain.metrics import metric, metric_names


class MetricType(click.ParamType[str]):
    """A metric by name or alias; gives the name."""

    name = "metric"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        try:
            return metric(str(value)).name
        except KeyError:
            import difflib

            near = difflib.get_close_matches(str(value), metric_names(), n=1)
            more = f"; did you mean {near[0]!r}?" if near else ""
            self.fail(f"no metric {value!r}{more} (known: {', '.join(metric_names())})", param, ctx)


class CutoffsType(click.ParamType[tuple[int, ...]]):
    """Whole numbers from 1 on, as in `-k 1,5,10`."""

    name = "k,k,…"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, ...]:
        try:
            found = tuple(int(part) for part in str(value).split(","))
        except ValueError:
            found = ()
        if not found or min(found) < 1:
            self.fail("whole numbers from 1 on, with commas between them", param, ctx)
        return found


metric_option = click.option(
    "--metric", type=MetricType(), default="groundedness", show_default=True
)
labels_option = click.option(
    "--labels", help="A label set or a sample; without it, every labelled unit of the workspace."
)
judges_option = click.option(
    "--judge", "judges", multiple=True, help="A judge by name; may be given several times."
)
