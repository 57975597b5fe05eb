"""`zom completion`: what bash, zsh and fish need to complete the command.

eval "$(zom completion bash)"       in ~/.bashrc
eval "$(zom completion zsh)"        in ~/.zshrc, after compinit
zom completion fish | source        in ~/.config/fish/config.fish
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zom.cli.outcome import CLEAN
from zom.cli.printing import say_data

if TYPE_CHECKING:
    import argparse

__all__ = ["declare", "run"]


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments of the verb."""
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell")


def run(arguments: argparse.Namespace) -> int:
    """Prints the script."""
    from zom.cli.main import parser_of  # noqa: PLC0415 - it imports this module by name

    words: dict[str, dict[str, list[str]]] = {}
    about: dict[str, str] = {}
    parser: Any = parser_of()
    verbs: Any = next(action for action in parser._actions if action.dest == "verb")  # noqa: SLF001 - no other way
    for choice in verbs._choices_actions:  # noqa: SLF001 - as above
        about[choice.dest] = choice.help
    for name in about:
        words[name] = _options(verbs.choices[name])
    say_data({"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell](words, about), end="")
    return CLEAN


def _options(parser: Any) -> dict[str, list[str]]:
    """The options of a verb, each with the words that it takes; and under "" those that stand alone."""
    found: dict[str, list[str]] = {"": []}
    for action in parser._actions:  # noqa: SLF001 - as above
        choices = sorted(map(str, action.choices or ()))
        for option in action.option_strings:
            found[option] = choices
        if not action.option_strings:
            found[""] += choices
    return found


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _cases(words: dict[str, dict[str, list[str]]]) -> str:
    """For each verb and the word before, what may follow."""
    lines: list[str] = []
    for verb, options in words.items():
        lines.extend(
            f'        "{verb} {option}") words="{" ".join(choices)}" ;;'
            for option, choices in options.items()
            if option and choices
        )
        plain = " ".join([*options[""], *(option for option in options if option)])
        lines.append(f'        "{verb} "*) words="{plain}" ;;')
    return "\n".join(lines)


def _bash(words: dict[str, dict[str, list[str]]], about: dict[str, str]) -> str:
    return f"""# zom: completion for bash
_zom() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=""
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{" ".join(about)} --help --version" -- "$current"))
        return
    fi
    case "${{COMP_WORDS[1]}} $before" in
{_cases(words)}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    case "$current" in -*) ;; *) COMPREPLY+=($(compgen -f -- "$current")) ;; esac
}}
complete -o filenames -F _zom zom
"""


def _zsh(words: dict[str, dict[str, list[str]]], about: dict[str, str]) -> str:
    verbs = "\n".join(f"        {_quoted(f'{name}:{text}')}" for name, text in about.items())
    return f"""#compdef zom
# zom: completion for zsh
_zom() {{
    local words_=""
    if (( CURRENT == 2 )); then
        local -a verbs=(
{verbs}
        )
        _describe verb verbs
        return
    fi
    case "${{words[2]}} ${{words[CURRENT-1]}}" in
{_cases(words).replace("words=", "words_=")}
    esac
    compadd -- ${{=words_}}
    [[ "${{words[CURRENT]}}" == -* ]] || _files
}}
compdef _zom zom
"""


def _fish(words: dict[str, dict[str, list[str]]], about: dict[str, str]) -> str:
    lines = ["# zom: completion for fish"]
    lines += [
        f"complete -c zom -n __fish_use_subcommand -f -a {name} -d {_quoted(text)}"
        for name, text in about.items()
    ]
    for verb, options in words.items():
        seen = f"-n '__fish_seen_subcommand_from {verb}'"
        if options[""]:
            lines.append(f"complete -c zom {seen} -a {_quoted(' '.join(options['']))}")
        for option, choices in options.items():
            if option:
                kind = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
                takes = f" -x -a {_quoted(' '.join(choices))}" if choices else ""
                lines.append(f"complete -c zom {seen} {kind}{takes}")
    return "\n".join([*lines, ""])
