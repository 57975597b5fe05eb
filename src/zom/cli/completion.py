"""`zom completion`: print a completion script for bash, zsh or fish.

eval "$(zom completion bash)"       in ~/.bashrc
eval "$(zom completion zsh)"        in ~/.zshrc, after compinit
zom completion fish | source        in ~/.config/fish/config.fish
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

from zom.cli.outcome import CLEAN
from zom.cli.printing import say_data

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

__all__ = ["Command", "commands", "declare", "run"]

_FILES = frozenset(
    {
        "FILE",
        "FORMAT=FILE",
        "PLACE",
        "STORE",
        "SOURCE",
        "TARGET",
        "SPEC",
        "DIR",
        "PATH",
        "A",
        "B",
        "STORE::a/b",
    }
)
"""Metavars of arguments that take a path in the file system."""


class Value(NamedTuple):
    """The values that an option or a positional argument accepts."""

    words: tuple[str, ...] = ()
    takes_file: bool = False


class Command:
    """The command, one of its verbs, or a verb of a verb, with its possible arguments."""

    def __init__(self, path: str) -> None:
        self.path = path
        """The verbs that lead to it, such as `schema/check`; empty for the command itself."""
        self.options: dict[str, Value | None] = {}
        """Options with their values; None for flags."""
        self.verbs: dict[str, str] = {}
        """Verbs below it, with their help; aliases have none."""
        self.plain = Value()
        """Values of its positional arguments."""

    @property
    def words(self) -> str:
        """All words that can follow, except files."""
        shown = (name for name, about in self.verbs.items() if about)
        return " ".join([*shown, *self.plain.words, *self.options])


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    from zom.cli.main import parser_of  # noqa: PLC0415 - it imports this module by name

    found = list(commands(parser_of(), _conventions()))
    say_data({"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell](found), end="")
    return CLEAN


def _conventions() -> tuple[str, ...]:
    from zom.conventions import conventions  # noqa: PLC0415 - slow to import

    found = {name for each in conventions for name in (each.name, each.id)}
    return ("auto", "none", *sorted(found))


def commands(parser: Any, conventions: tuple[str, ...], path: str = "") -> Iterator[Command]:
    """The command of a parser, and all commands below it.

    >>> from zom.cli.main import parser_of
    >>> [each.path for each in commands(parser_of(["tree"]), ())]
    ['', 'tree']
    """
    from zom.json.python_value import is_dict  # noqa: PLC0415 - --help needs none of it

    made, below = Command(path), cast("dict[str, Any]", {})
    for action in parser._actions:  # noqa: SLF001 - no other way
        for option in action.option_strings:
            made.options[option] = None if action.nargs == 0 else _value(action, conventions)
        if is_dict(action.choices):
            about = {each.dest: each.help for each in action._choices_actions}  # noqa: SLF001 - as above
            below = action.choices
            made.verbs = {name: about.get(name, "") for name in below}
        elif not action.option_strings:
            other = _value(action, conventions)
            made.plain = Value((*made.plain.words, *other.words), made.plain.takes_file or other.takes_file)
    yield made
    for name, inner in below.items():
        yield from commands(inner, conventions, f"{path}/{name}".strip("/"))


def _value(action: Any, conventions: tuple[str, ...]) -> Value:
    words = tuple(sorted(map(str, action.choices or ())))
    if action.dest == "convention" and not words:
        words = conventions
    return Value(words, not words and action.metavar in _FILES)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# --- bash and zsh ------------------------------------------------------------------------------------
# Both scripts walk the words before the completed one: verbs extend the path, option values are skipped.


def _walked(found: list[Command]) -> str:
    """The shell cases for a word after a path: `path word`."""
    lines: list[str] = []
    for command in found:
        takes = [
            f'"{command.path} {option}"' for option, value in command.options.items() if value is not None
        ]
        if takes:
            lines.append(f"            {'|'.join(takes)}) skip=1 ;;")
        lines.extend(
            f'            "{command.path} {name}") at="{f"{command.path}/{name}".strip("/")}" ;;'
            for name in command.verbs
        )
    return "\n".join(lines)


def _offered(found: list[Command]) -> str:
    """The shell cases of the completions: `path option` for the value of an option, `path` for the rest."""
    lines: list[str] = []
    for command in found:
        for option, value in command.options.items():
            if value is not None:
                lines.append(
                    f'        "{command.path} {option}") offered="{" ".join(value.words)}" files={int(value.takes_file)} ;;'
                )
        files = int(command.plain.takes_file)
        lines.append(f'        "{command.path} ") offered="{command.words}" files={files} ;;')
    return "\n".join(lines)


def _bash(found: list[Command]) -> str:
    return f"""# zom: completion for bash
_zom() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" at="" skip=0 option="" offered="" files=0 i word
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${{COMP_WORDS[i]}}"
        # bash takes --option=value for three words.
        if [ "$word" = "=" ]; then skip=1; continue; fi
        if [ "$skip" -eq 1 ]; then skip=0; option=""; continue; fi
        option="$word"
        case "$at $word" in
{_walked(found)}
        esac
    done
    if [ "$current" = "=" ]; then current=""; skip=1; option="${{COMP_WORDS[COMP_CWORD-1]}}"; fi
    if [ "$skip" -eq 0 ]; then option=""; fi
    case "$at $option" in
{_offered(found)}
    esac
    COMPREPLY=($(compgen -W "$offered" -- "$current"))
    case "$current" in -*) ;; *)
        if [ "$files" -eq 1 ]; then compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$current")); fi ;;
    esac
}}
complete -F _zom zom
"""


def _zsh(found: list[Command]) -> str:
    verbs = "\n".join(
        f"            {_quoted(f'{name}:{text}')}" for name, text in found[0].verbs.items() if text
    )
    return f"""#compdef zom
# zom: completion for zsh
_zom() {{
    local at="" skip=0 option="" offered="" files=0 i word
    for ((i = 2; i < CURRENT; i++)); do
        word="${{words[i]}}"
        if (( skip )); then skip=0; option=""; continue; fi
        option="$word"
        case "$at $word" in
{_walked(found)}
        esac
    done
    if (( ! skip )); then option=""; fi
    if [[ "${{words[CURRENT]}}" == --*=* ]]; then
        option="${{words[CURRENT]%%=*}}"
        compset -P '*='
    fi
    if [[ -z "$at" && -z "$option" && "${{words[CURRENT]}}" != -* ]]; then
        local -a verbs=(
{verbs}
        )
        _describe verb verbs
        return
    fi
    case "$at $option" in
{_offered(found)}
    esac
    compadd -- ${{=offered}}
    if (( files )) && [[ "${{words[CURRENT]}}" != -* || -n "$option" ]]; then _files; fi
}}
compdef _zom zom
"""


# --- fish --------------------------------------------------------------------------------------------


def _fish(found: list[Command]) -> str:
    lines = [
        "# zom: completion for fish",
        "function __zom_at",
        "    set -l at ''",
        "    set -l skip 0",
        "    for word in (commandline -opc)[2..]",
        "        if test $skip -eq 1",
        "            set skip 0",
        "            continue",
        "        end",
        '        switch "$at $word"',
    ]
    for command in found:
        takes = [
            _quoted(f"{command.path} {option}")
            for option, value in command.options.items()
            if value is not None
        ]
        if takes:
            lines += [f"            case {' '.join(takes)}", "                set skip 1"]
        for name in command.verbs:
            inner = f"{command.path}/{name}".strip("/")
            lines += [
                f"            case {_quoted(f'{command.path} {name}')}",
                f"                set at {_quoted(inner)}",
            ]
    lines += ["        end", "    end", '    test "$at" = "$argv[1]"', "end"]
    lines += [line for command in found for line in _fish_lines(command)]
    return "\n".join([*lines, ""])


def _fish_lines(command: Command) -> Iterator[str]:
    """The fish completions of a command."""
    here = f"complete -c zom -n {_quoted(f'__zom_at {_quoted(command.path)}')}"
    if not command.plain.takes_file:
        yield f"{here} -f"
    for name, about in command.verbs.items():
        if about:
            yield f"{here} -a {name} -d {_quoted(about)}"
    if command.plain.words:
        yield f"{here} -a {_quoted(' '.join(command.plain.words))}"
    for option, value in command.options.items():
        kind = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
        takes = ""
        if value is not None:
            takes = " -r -F" if value.takes_file else f" -x -a {_quoted(' '.join(value.words))}"
        yield f"{here} {kind}{takes}"
