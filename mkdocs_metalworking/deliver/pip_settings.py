"""The user's own index settings, as pip reads them, so that no index needs naming in mkdocs.yml.

Files, their order and the environment's rank are pip's: https://pip.pypa.io/en/stable/topics/configuration/
"""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

PYPI = "https://pypi.org/simple/"
_NAME = "pip.ini" if os.name == "nt" else "pip.conf"


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """Where to look for an archive: indexes in order, local folders of files, and how to connect.

    URLs may carry credentials: they are for connecting only, never for a message.
    """

    urls: tuple[str, ...] = (PYPI,)
    folders: tuple[Path, ...] = ()
    cert: str | None = None
    proxy: str | None = None

    def __repr__(self) -> str:  # a log of settings must not hold a password
        return f"IndexSettings({len(self.urls)} indexes, {len(self.folders)} folders)"


def index_settings(env: Mapping[str, str] | None = None, files: tuple[Path, ...] | None = None) -> IndexSettings:
    """Return what pip would use for downloads: index-url, extra-index-url, find-links folders, cert, proxy, no-index.

    *files* are the configuration files from weakest to strongest; by default those that pip reads. A file that
    cannot be parsed counts as absent, since pip itself will complain of it.
    """
    environment = os.environ if env is None else env
    found = _read_files(_files(environment) if files is None else files)
    for name, value in environment.items():
        if name.upper().startswith("PIP_") and value:
            found[name[4:].lower().replace("_", "-")] = value
    urls: list[str] = []
    if found.get("no-index", "").lower() not in {"1", "true", "yes", "on"}:
        urls = [found.get("index-url") or PYPI, *found.get("extra-index-url", "").split()]
    links = found.get("find-links", "").split()
    return IndexSettings(
        urls=tuple(dict.fromkeys(url for url in urls if urlsplit(url).scheme in {"http", "https"})),
        folders=tuple(folder for link in links if (folder := _folder(link))),
        cert=found.get("cert") or None,
        proxy=found.get("proxy") or None,
    )


def _files(env: Mapping[str, str]) -> tuple[Path, ...]:
    named = env.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:  # pip: "disables the loading of all configuration files"
        return ()
    systems = platformdirs.site_config_dir("pip", appauthor=False, multipath=True).split(os.pathsep)
    if os.name != "nt" and sys.platform != "darwin":
        systems.append("/etc")
    elif sys.platform == "darwin":
        systems = ["/Library/Application Support/pip"]
    folders = [*map(Path, systems), *_user_folders(), Path(sys.prefix)]
    return (*(folder / _NAME for folder in folders), *([Path(named)] if named else []))


def _user_folders() -> list[Path]:
    try:
        home = Path.home()
        modern = platformdirs.user_config_path("pip", appauthor=False, roaming=True)
    except RuntimeError:  # a user without a home
        return []
    return [home / (".pip" if os.name != "nt" else "pip"), home / ".config" / "pip", modern]


def _read_files(files: tuple[Path, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for section in ("global", "install", "download"):
        for file in files:
            parser = configparser.RawConfigParser()
            try:
                parser.read(file, encoding="utf-8")
            except (configparser.Error, UnicodeDecodeError, OSError):
                continue
            if parser.has_section(section):
                found.update({name.replace("_", "-"): value for name, value in parser.items(section) if value})
    return found


def _folder(link: str) -> Path | None:
    parts = urlsplit(link)
    try:
        path = Path(parts.path if parts.scheme == "file" else link).expanduser()
    except RuntimeError:  # ~ of nobody
        return None
    return path if parts.scheme in {"", "file"} and path.is_dir() else None
