"""The `trueup` command: a lazy click group. A command's module is imported when it is called."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from trueup import __version__
from trueup.errors import TrueupError

F = TypeVar("F", bound=Callable[..., Any])

COMMANDS = {
    "demo": "Make a workspace from the bundled label set, judge it, report, and label.",
    "init": "Make an empty workspace.",
    "import": "Read records, recorded verdicts and labels.",
    "judge": "Rule on every unit that a judge has not ruled on yet.",
    "sample": "Draw records to label.",
    "label": "Label claims in the terminal.",
    "labels": "Labels without the screen: export, import, freeze, status.",
    "adjudicate": "Decide the claims on which people differ.",
    "disagreements": "Look at people against the judge, claim by claim.",
    "report": "Calibration report: agreement, kappa, where they differ.",
    "compare": "Prompt variants or judges on the same labels, paired.",
    "validate": "The gate for a new judge: pass, fail or inconclusive.",
    "export": "Records, claims, verdicts and labels out again.",
    "probe": "Self-tests of a judge that need no labels.",
    "scores": "Scores by release, what is comparable, and a gate for releases.",
    "rebaseline": "Restate stored scores on the scale of another judge; watch a judge for drift.",
    "diagnose": "Where failing questions fail: the four cells, with owners.",
    "recall": "Retrieval metrics, of the workspace or of run and qrels files.",
    "plan": "How many labels for which interval width.",
    "prompts": "The prompt templates and their hashes.",
    "serve": "The labelling screen in a browser, on loopback, with a token.",
    "doctor": "Versions, store, judges, what is missing.",
}


class LazyGroup(click.Group):
    """Commands by name; their help is known without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"trueup.cli.{cmd_name.replace('import', 'import_')}")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean {near[0]!r}?", ctx) from None


def common(function: F) -> F:
    """The options that every command takes: -C, --json, -q, -v, --debug."""
    options = [
        click.option("-C", "workspace_dir", type=click.Path(path_type=Path), help="Workspace."),
        click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout."),
        click.option("-q", "--quiet", is_flag=True, help="Results and errors only."),
        click.option("-v", "--verbose", count=True, help="More remarks on stderr."),
        click.option("--debug", is_flag=True, help="Show the traceback of an error."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="True up your LLM judge against people.\n\nStart with: trueup demo",
)
@click.version_option(__version__, prog_name="trueup")
@common
@click.pass_context
def cli(ctx: click.Context, /, **options: Any) -> None:
    """The root: keeps the common options for the command."""
    ctx.obj = options


def main(argv: Sequence[str] | None = None) -> None:
    """Run and exit with the contract's code."""
    sys.exit(run(argv))


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. Errors are one line and a hint on stderr."""
    args = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in args
    try:
        code = cli.main(args=args, prog_name="trueup", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except TrueupError as error:
        if debug:
            raise
        _output().error(error.message, error.hint)
        return error.exit_code
    except click.ClickException as error:
        _usage(error)
        return 2
    except (KeyboardInterrupt, click.Abort):
        _output().error("interrupted; everything done so far is kept", "run it again to go on")
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except Exception as error:
        if debug:
            raise
        _output().error(
            f"unexpected {type(error).__name__}: {error}",
            "this is a fault of trueup; run again with --debug for the traceback",
        )
        return 2


def _usage(error: click.ClickException) -> None:
    message = error.format_message()
    if error.__class__.__name__ == "NoArgsIsHelpError":
        _output().text(message)
        return
    ctx = getattr(error, "ctx", None)
    hint = f"{ctx.command_path} --help" if ctx is not None else "trueup --help"
    _output().error(message, hint)


def _output() -> Any:
    from trueup.cli.output import Output

    return Output()


if __name__ == "__main__":
    main()
