"""The one place that runs git, with nothing in force that a fetched repository or the user's settings could add."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..quote.diagnostics import Unavailable, printable
from . import process as child
from .executable import on_path
from .personal import let_through, personal_settings
from .room import Room

# Settings that could start a program or reach elsewhere; the command line outranks a repository's own config.
_SAFE_CONFIG = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=true",
    f"core.attributesFile={os.devnull}",
    "credential.helper=",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "protocol.ext.allow=never",
    "safe.bareRepository=explicit",  # a bare repository that lies in a tree is not found by searching
    "http.followRedirects=false",  # a server may not send this machine to its neighbors
    "diff.external=",
    "core.untrackedCache=false",
    "fetch.recurseSubmodules=false",
    "fetch.unpackLimit=1",  # what comes stays one file, whose size is bounded
    "core.bigFileThreshold=16m",  # a large blob is never unpacked into memory
    "submodule.recurse=false",
    "transfer.credentialsInUrl=die",
)

# Certificates are the machine's affair, not the repository's.
_KEPT_GIT_VARIABLES = ("GIT_SSL_CAINFO", "GIT_SSL_CAPATH")


DEFAULT_ALLOWANCE = child.Allowance()


class GitError(Unavailable):
    """Git could not be run, or said no; the message holds its last line."""


def safe_environment(env: Mapping[str, str], *, protocol: str | None = None) -> dict[str, str]:
    """Return *env* made safe for git: every inherited ``GIT_*`` variable goes, prompts and lazy fetches are off.

    *protocol* is the one URL scheme that may be used; without it git reads only what is on disk.
    """
    kept = {name: value for name, value in env.items() if not name.upper().startswith("GIT_")}
    kept.pop("SSH_ASKPASS", None)
    if protocol is not None:
        kept.update({name: env[name] for name in _KEPT_GIT_VARIABLES if name in env})
    else:
        kept["GIT_NO_LAZY_FETCH"] = "1"
    kept.update(
        {
            "GIT_ALLOW_PROTOCOL": protocol or "none",  # also stops lazy fetches of a git that lacks the switch (< 2.45)
            "GIT_ASKPASS": "",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_GRAFT_FILE": os.devnull,
            "GIT_NO_REPLACE_OBJECTS": "1",  # a replace ref would show another file under the pinned commit
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            # The settings of the person: before git 2.32 nothing but these keeps them out of force.
            "HOME": os.devnull,
            "XDG_CONFIG_HOME": os.devnull,
            "LC_ALL": "C",
            "NoDefaultCurrentDirectoryInExePath": "1",  # what git starts on Windows is not looked for where it runs
        }
    )
    return kept


class Git:
    """Runs git on one git directory, and where it is our own on its *work_tree*. *timeout* is seconds a command.

    It is the git of PATH, or *executable*. Once *stop* is set, what runs is ended. What ``run`` starts is handed the
    *inherited* file descriptors. What it brings into *room*, where that holds nothing else, or else into its directory
    at once, is bounded.
    """

    def __init__(
        self,
        git_dir: Path,
        *,
        work_tree: Path | None = None,
        timeout: float = 60.0,
        env: Mapping[str, str] | None = None,
        executable: str = "",
        allowance: child.Allowance = DEFAULT_ALLOWANCE,
        stop: threading.Event | None = None,
        inherited: Sequence[int] = (),
        room: Path | None = None,
    ) -> None:
        self.git_dir = git_dir
        self._room = room
        self._work_tree = [] if work_tree is None else [f"--work-tree={work_tree.absolute()}"]
        self._allowance = allowance
        self._stop = stop
        self._inherited = tuple(inherited)
        self._timeout = timeout
        self._env = dict(os.environ if env is None else env)
        self._executable = executable or on_path("git", self._env)

    def command(self, *arguments: str, options: Sequence[str] = ()) -> list[str]:
        """Return the full command line. An explicit git directory also means no search and no ownership check.

        Raises GitError when there is no git.
        """
        if not self._executable:
            raise _missing("it is not on PATH")
        settings = [part for setting in _SAFE_CONFIG for part in ("-c", setting)]
        return [
            self._executable,
            *settings,
            *options,
            f"--git-dir={self.git_dir.absolute()}",
            *self._work_tree,
            *arguments,
        ]

    def popen(self, *arguments: str, stderr: int) -> subprocess.Popen[bytes]:
        """Start git with pipes for input and output, *stderr* going to that file descriptor; it reaches no network.

        It is held to the same memory as a git that runs to its end.

        Raises GitError when git is missing.
        """
        try:
            started = subprocess.Popen(
                child.waiting(self.command(*arguments)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=safe_environment(self._env),
            )
        except OSError as error:
            raise _not_started(error) from None
        child.hold(started, self._allowance)
        return started

    def run(
        self, *arguments: str, stdin: bytes = b"", protocol: str | None = None, timeout: float | None = None
    ) -> bytes:
        """Run git to its end and return its output; *protocol* as in safe_environment, *timeout* in seconds.

        What comes over the network is bounded as a whole: one server sends one pack, another as many files as it likes.

        Raises GitError when git is missing, takes too long, exits other than 0 or goes beyond its allowance.
        """
        done = self._run(arguments, stdin, safe_environment(self._env, protocol=protocol), timeout)
        if done.code:
            raise GitError("git-failed", f"git {arguments[0]}: {last_line(done.stderr) or f'exit {done.code}'}")
        return done.stdout

    def trace(self, *arguments: str, protocol: str) -> str:
        """Run git and return what it logs of its requests over HTTP, whether or not it ends well; raises GitError."""
        environment = safe_environment(self._env, protocol=protocol) | {
            "GIT_TRACE_CURL": "1",
            "GIT_TRACE_CURL_NO_DATA": "1",
        }
        return self._run(arguments, b"", environment, None).stderr.decode("utf-8", "replace")

    def _run(
        self, arguments: tuple[str, ...], stdin: bytes, environment: Mapping[str, str], timeout: float | None
    ) -> child.Done:
        limit = self._timeout if timeout is None else timeout
        options: list[str] = []
        if environment["GIT_ALLOW_PROTOCOL"] == "https":  # a password goes over TLS or not at all
            options, values = let_through(personal_settings(self._executable, self._env), self._env)
            environment = {**environment, **values}
        command = self.command(*arguments, options=options)
        try:
            return child.run(
                command,
                stdin=stdin,
                env=environment,
                timeout=limit,
                allowance=self._allowance,
                stop=self._stop,
                inherited=self._inherited,
                room=None if environment["GIT_ALLOW_PROTOCOL"] == "none" else self._bounded(),
            )
        except OSError as error:
            raise _not_started(error) from None
        except subprocess.TimeoutExpired:
            raise GitError("git-failed", f"git {arguments[0]} took longer than {limit:g} seconds") from None
        except child.Stopped:
            raise GitError("git-failed", f"git {arguments[0]} was ended") from None
        except child.TooMuchSaid:
            raise GitError("git-failed", f"git {arguments[0]} was told more than anybody wants to know") from None
        except child.TooMuchWritten:
            limit = self._allowance.file
            raise GitError("git-failed", f"git {arguments[0]} brought more than {limit} bytes") from None

    def _bounded(self) -> Room:
        """Return where something may come over the network."""
        most = self._allowance.file
        return Room(self._room, most) if self._room is not None else Room.more(self.git_dir, most)


def last_line(stderr: bytes) -> str:
    """Return what git complained of: its last ``fatal:``, ``error:`` or ``remote:`` line, else the last line."""
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("fatal:", "error:", "remote: error:"))]
    return printable((telling or lines or [""])[-1])


def find_git_dir(folder: Path) -> Path | None:
    """Return the git directory of *folder*: a work tree (``.git`` folder or file), a bare repository or a link to one.

    Returns None when it is none of these. Folders above are not searched.
    """
    marker = folder / ".git"
    if _is_git_dir(marker):
        return marker
    if marker.is_file():
        try:
            with open(marker, "rb") as stream:
                text = stream.read(4096).decode("utf-8", "strict").strip()
        except (OSError, UnicodeDecodeError):
            return None
        target = folder / text.removeprefix("gitdir:").strip()
        return target if text.startswith("gitdir:") and _is_git_dir(target) else None
    return folder if _is_git_dir(folder) else None


def _is_git_dir(path: Path) -> bool:
    return (path / "HEAD").is_file() and ((path / "objects").is_dir() or (path / "commondir").is_file())


def _not_started(error: OSError) -> GitError:
    return _missing(error.strerror or "unknown reason")


def _missing(why: str) -> GitError:
    return GitError("git-missing", f"git cannot be started: {why}", "install git 2.38 or later")


def plain_arguments(arguments: Sequence[str]) -> list[str]:
    """Return *arguments* unchanged; raises GitError for one that git would read as an option."""
    for argument in arguments:
        if argument.startswith("-"):
            raise GitError("unsafe-name", f"{printable(argument)!r} begins with a dash and is refused")
    return list(arguments)
