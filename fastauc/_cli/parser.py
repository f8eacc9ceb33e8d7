"""The command-line parser: an error is one line, with a "did you mean" and where to find help."""

import argparse
import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import takewhile
from typing import Any, NoReturn

from fastauc._cli.output import say, without_given

_CHOICE = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)")


class Parser(argparse.ArgumentParser):
    """A parser, of commands as well, whose errors suggest the closest spelling."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options | {"allow_abbrev": False})
        # What begins with a dash and is no option is a value, and not only a number.
        self._negative_number_matcher = re.compile("-(?!-?[a-z])")
        self._given: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and refuse leftover arguments here, where the help named is the command's."""
        self._given = [] if args is None else list(args)
        self._check_repeated()
        parsed, extra = super().parse_known_args(args, namespace)
        if extra:
            self.error(f"unrecognized arguments: {' '.join(extra)}{self._repeated(extra[0])}")
        return parsed, extra

    def error(self, message: str) -> NoReturn:
        """Print the message with a suggestion, in one line; exit with code 2."""
        if choice := _CHOICE.search(message):
            message += _advice(choice[1], re.findall(r"[^\s,']+", choice[2]))
        known = list(self._option_string_actions)
        for text in takewhile("--".__ne__, self._given):
            option = text.partition("=")[0]
            if option.startswith("--") and option not in known:
                message += _advice(option, known)
        message = without_given(message.removesuffix("."), self._given)
        say("error", f"{message}; see {self.prog} --help")
        self.exit(2)

    def _check_repeated(self) -> None:
        """Refuse an option with a value that is given twice: the last one would win in silence."""
        seen = set()
        for text in takewhile("--".__ne__, self._given):
            option = text.partition("=")[0]
            option = option if option in self._option_string_actions else text[:2]
            action = self._option_string_actions.get(option)
            if action is None or action.nargs == 0 or isinstance(action, argparse._AppendAction):
                continue
            if action.dest in seen:
                name = "/".join(action.option_strings)
                self.error(f"argument {name}: it is given twice; expected it once")
            seen.add(action.dest)

    def _repeated(self, extra: str) -> str:
        """Explain how to give an option several values, if a second value was left over."""
        before = self._given[: self._given.index(extra)] if extra in self._given else ()
        option = next((text for text in reversed(before) if text.startswith("--")), "")
        option = option.partition("=")[0]
        action = self._option_string_actions.get(option)
        if extra.startswith("-") or not isinstance(action, argparse._AppendAction):
            return ""
        return f"; {option} accepts one value and may be repeated: {option} {extra}"


def _advice(given: str, known: Sequence[str]) -> str:
    names = {name.lstrip("-"): name for name in known}
    close = get_close_matches(given.lstrip("-").lower(), names, 1)
    return f"; {given}: did you mean {names[close[0]]}?" if close else ""
