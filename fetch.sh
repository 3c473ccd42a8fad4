#!/usr/bin/env bash
# Clones every repository of sources.yml at its pinned commit into code/, for browsing and for the checkout transport.
# Safe to run again: what is there is kept, what broke off goes on. Exits 1 when anything failed.
#
#   ./fetch.sh                 all of them, four at a time
#   ./fetch.sh mlx llama.cpp   those whose name contains a word
#   JOBS=8 ./fetch.sh          eight at a time
set -uo pipefail
cd "$(dirname "$0")" || exit 1
export GIT_TERMINAL_PROMPT=0 GIT_LFS_SKIP_SMUDGE=1
base=${METALWORKING_GIT_BASE:-https://}
jobs=${JOBS:-4}

# One line a pin: repo commit path path ...  (sources.yml is flat enough for awk: one key a line. No blank may end a
# line, since xargs -L would join it to the next.)
pins() {
  awk '
    function flush() { if (repo != "" && commit != "") print repo " " commit (paths == "" ? "" : " " paths); repo = commit = paths = "" }
    /^references:/ { exit }
    /^  - repo:/ { flush(); repo = $3 }
    /^    commit:/ { gsub(/["\047]/, "", $2); commit = $2 }
    /^    paths:/ { sub(/^    paths: *\[/, ""); sub(/\].*/, ""); gsub(/,/, ""); paths = $0 }
    END { flush() }' sources.yml
}

one() {
  local repo=$1 commit=$2 url dir
  shift 2
  # sources.yml may come from anybody: no name leads out of code/ or is an option of git.
  if ! [[ $repo =~ ^([A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]+)?/)?[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9_.][A-Za-z0-9_.-]*)+$ ]] ||
    [[ $repo == *..* ]] || ! [[ $commit =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]]; then
    printf 'FAILED   %q@%q: not a repository and a full commit id\n' "$repo" "$commit" >&2
    return 1
  fi
  case $repo in *.*/*/*) url=$base$repo ;; *) url=${base}github.com/$repo ;; esac
  dir=code/$repo
  if [ "$(git -C "$dir" rev-parse -q --verify HEAD 2>/dev/null)" = "$commit" ] && [ -z "$(git -C "$dir" ls-files --deleted 2>/dev/null | head -n 1)" ]; then
    echo "present  $repo@${commit:0:7}"
    return 0
  fi
  if [ -e "$dir" ] && [ "$(git -C "$dir" rev-parse --is-bare-repository 2>/dev/null)" = true ]; then
    git -C "$dir" cat-file -e "$commit" 2>/dev/null && { echo "present  $repo@${commit:0:7} (bare)"; return 0; }
  fi
  mkdir -p "$dir" && git -C "$dir" init -q || { echo "FAILED   $repo: cannot create $dir" >&2; return 1; }
  git -C "$dir" config remote.origin.url "$url"
  local filter=()
  if [ $# -gt 0 ]; then
    # Paths are named: leave every other file's bytes at home.
    filter=(--filter=blob:none)
    git -C "$dir" config remote.origin.promisor true
    git -C "$dir" config remote.origin.partialclonefilter blob:none
    git -C "$dir" sparse-checkout set --cone "$@" 2>/dev/null || git -C "$dir" sparse-checkout set "$@"
  fi
  local log
  log=$(git -C "$dir" fetch -q --depth 1 ${filter[@]+"${filter[@]}"} origin "$commit" 2>&1 &&
    git -C "$dir" -c advice.detachedHead=false checkout -q --force "$commit" 2>&1) || {
    echo "FAILED   $repo@${commit:0:7}: $(printf '%s' "$log" | tail -n 1)" >&2
    return 1
  }
  echo "fetched  $repo@${commit:0:7}, $(du -sh "$dir" | cut -f1)"
}

if [ "${1:-}" = --one ]; then
  shift
  one "$@"
  exit
fi

list=$(pins)
for word in "$@"; do wanted="${wanted:-}${wanted:+|}$word"; done
[ -z "${wanted:-}" ] || list=$(printf '%s\n' "$list" | grep -E "^[^ ]*($wanted)" || true)
[ -n "$list" ] || { echo "nothing in sources.yml matches: $*" >&2; exit 1; }
count=$(printf '%s\n' "$list" | wc -l | tr -d ' ')
echo "$count repositories, $jobs at a time, into code/"
printf '%s\n' "$list" | xargs -P "$jobs" -L 1 bash ./fetch.sh --one
failed=$?
echo "code/ holds $(du -sh code 2>/dev/null | cut -f1)"
if [ "$failed" -ne 0 ]; then
  echo "Some could not be fetched (see FAILED above). Run it again to go on with the rest." >&2
  exit 1
fi
