#!/usr/bin/env bash
# Clones every repository of sources.yml at its pinned commit into code/, for browsing and for the checkout transport.
# Safe to run again: what is there is kept, what broke off goes on. Exits 1 when anything failed.
#
#   ./fetch.sh                 all of them, four at a time
#   ./fetch.sh mlx llama.cpp   those whose name contains a word
#   JOBS=8 ./fetch.sh          eight at a time
#
# The work is done by `metalworking clone`, which reads sources.yml as the build does and runs git with nobody's
# configuration in force. It needs git, and Python 3.11 or later.
set -u
cd "$(dirname "$0")" || exit 1
command -v git >/dev/null || { echo "git is needed: https://git-scm.com/downloads" >&2; exit 1; }
if [ -n "$(git -c core.fsmonitor=false ls-files -- .venv 2>/dev/null)" ]; then
  echo "This branch brings a .venv of its own, whose programs nobody made here: git rm -r --cached .venv, and delete it" >&2
  exit 1
fi

ready() { "$1" -I -c 'import mkdocs_metalworking.hosts.cli.main' 2>/dev/null; }
for python in "${PYTHON:-}" .venv/bin/python .venv/Scripts/python.exe python3; do
  if [ -n "$python" ] && ready "$python"; then
    exec "$python" -I -m mkdocs_metalworking clone "$@"
  fi
done
if ! "${PYTHON:-python3}" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  echo "Python 3.11 or later is needed: https://www.python.org/downloads" >&2
  exit 1
fi
if [ -e Makefile ] && command -v make >/dev/null && make -s .venv/.runtime && ready .venv/bin/python; then
  exec .venv/bin/python -I -m mkdocs_metalworking clone "$@"
fi
echo "The package is not installed here. Once: python3 -m venv .venv && .venv/bin/python -m pip install -c constraints.txt -e ." >&2
exit 1
