"""Coverage-guided fuzzing of the parsers: ``make fuzz``, or ``python -m tests.trust.fuzz [SECONDS]``.

Needs atheris, which has wheels for Linux; elsewhere the same properties are tried by hypothesis in test_parsers.py.
The half of the input before the first NUL chooses tokens of the grammars, the rest is text as it is.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

try:
    import atheris
except ImportError:
    print("atheris is not here (pip install atheris); the parsers were not fuzzed by it")
    sys.exit(0)

with atheris.instrument_imports(include=["mkdocs_metalworking"]):
    from tests.trust.inputs import PARSERS, TOKENS, Pages


def main() -> None:
    """Fuzz all parsers for the seconds given, two minutes by default; a crash ends it with the input that made it."""
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    folder = tempfile.TemporaryDirectory(prefix="trust-fuzz-")
    targets = [*PARSERS.values(), Pages(Path(folder.name))]

    def one(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        target = targets[provider.ConsumeIntInRange(0, len(targets) - 1)]
        words = [
            TOKENS[provider.ConsumeIntInRange(0, len(TOKENS) - 1)] for _ in range(provider.ConsumeIntInRange(0, 12))
        ]
        # Lone surrogates cannot come out of a file that is read as UTF-8.
        rest = provider.ConsumeUnicodeNoSurrogates(200)
        at = provider.ConsumeIntInRange(0, len(words))
        target("".join([*words[:at], rest, *words[at:]]))

    options = [sys.argv[0], f"-max_total_time={seconds}", "-max_len=600", "-timeout=20", "-rss_limit_mb=2048"]
    atheris.Setup([*options, "-verbosity=0", "-print_final_stats=1"], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
