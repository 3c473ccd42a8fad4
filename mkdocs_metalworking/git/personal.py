"""The person's own credential helpers, certificates and proxies for git, when they ask for them.

Off unless METALWORKING_GIT_CREDENTIALS is 1: a variable and not an option of mkdocs.yml, so that nobody can turn it on
for somebody else by a change to the site. Needs git 2.32 or later.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

SWITCH = "METALWORKING_GIT_CREDENTIALS"
_WANTED = r"^(credential\..*|http\.(.*\.)?(sslcainfo|sslcapath|sslcert|sslkey|sslbackend|proxy|proxysslcainfo))$"
_PATHS = ("sslcainfo", "sslcapath", "sslcert", "sslkey", "proxysslcainfo")
_HELPERS_HOME = ("HOME", "XDG_CONFIG_HOME")
_HOMES = ("HOME", "XDG_CONFIG_HOME", "USERPROFILE", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")


def personal_settings(executable: str, env: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the settings of the system and the person that are let through, in git's order; none when not asked for.

    Nothing else of their configuration is: no ``insteadOf``, no hooks, no headers.
    """
    if env.get(SWITCH) != "1":
        return []
    kept = {name: value for name, value in env.items() if not name.upper().startswith("GIT_") or name in _HOMES}
    found: list[tuple[str, str]] = []
    for scope in ("--system", "--global"):
        command = [executable, "config", scope, "--includes", "-z", "--get-regexp", _WANTED]
        try:
            root = os.path.abspath(os.sep)  # in no repository
            done = subprocess.run(command, env=kept, capture_output=True, timeout=30, check=False, cwd=root)
        except (OSError, subprocess.TimeoutExpired):
            continue
        for entry in done.stdout.decode("utf-8", "replace").split("\0"):
            key, _, value = entry.partition("\n")
            if key:
                found.append((key, value))
    return found


def let_through(settings: list[tuple[str, str]], env: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the options of git's command line and the variables that put *settings* in force.

    Values are handed over in variables, since everybody on the machine may read a command line. The person's home is
    their helpers' alone.
    """
    handed = [(key, _handed(key, value, env)) for key, value in settings]
    names = [f"MW_SETTING_{number}" for number in range(len(handed))]
    options = [f"--config-env={key}={name}" for (key, _), name in zip(handed, names, strict=True)]
    values = {name: value for (_, value), name in zip(handed, names, strict=True)}
    if settings:
        values |= {f"MW_{name}": env[name] for name in _HELPERS_HOME if name in env}
    return options, values


def _handed(key: str, value: str, env: Mapping[str, str]) -> str:
    """Return *value* as git may have it whose own home is nowhere: there lies netrc, with an entry for every host.

    Paths are told from the person's home, and a helper, which keeps there what it knows, is started with it. Git hands
    every helper but a name or an absolute path to a shell: https://git-scm.com/docs/gitcredentials#_custom_helpers
    """
    name = key.rpartition(".")[2]
    if name in _PATHS and value.startswith("~/") and "HOME" in env:
        return env["HOME"] + value[1:]
    if name != "helper" or not value:  # an empty one takes those before it out of force
        return value
    home = "".join(f'export {one}="$MW_{one}"; ' if one in env else f"unset {one}; " for one in _HELPERS_HOME)
    command = value[1:] if value.startswith("!") else value if os.path.isabs(value) else f"git credential-{value}"
    return f"!{home}{command}"
