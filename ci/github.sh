#!/usr/bin/env bash
# The steps of action.yml. Each takes its inputs from variables, so that no text of a pull request becomes a part of a command.
set -euo pipefail

cfg="${CFG:-${RUNNER_TEMP:-/tmp}/cfg/bin/cfg}"
[ -x "$cfg" ] || cfg="${RUNNER_TEMP:-/tmp}/cfg/Scripts/cfg.exe"

install() {
    python3 -m venv "$RUNNER_TEMP/cfg" || python -m venv "$RUNNER_TEMP/cfg"
    local python="$RUNNER_TEMP/cfg/bin/python"
    [ -x "$python" ] || python="$RUNNER_TEMP/cfg/Scripts/python.exe"
    "$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
        "${WHEEL:-cfg-prime-rl${VERSION:+==$VERSION}}"
}

# Checks the paths in the format that is named, with more words behind it.
run_check() {
    local -a paths=() words=()
    while IFS= read -r path; do
        [ -z "$path" ] || paths+=("$path")
    done <<<"${PATHS:-.}"
    [ -z "${DENY:-}" ] || words+=(--deny "$DENY")
    "$cfg" check --format "$@" ${words[@]+"${words[@]}"} "${paths[@]}"
}

# The status is an output, so that the steps behind it run where there are errors.
check() {
    local status=0
    run_check github || status=$?
    echo "status=$status" >>"$GITHUB_OUTPUT"
}

sarif() {
    local report="$RUNNER_TEMP/cfg.sarif"
    run_check sarif --exit-zero >"$report"
    # A file, for an argument of a program may not be that long.
    gzip -c "$report" | base64 | tr -d '\n' >"$report.gz.base64"
    gh api --method POST "repos/$GITHUB_REPOSITORY/code-scanning/sarifs" --silent \
        -f commit_sha="$GITHUB_SHA" -f ref="$GITHUB_REF" -F sarif=@"$report.gz.base64"
}

# Markdown on standard output: what each config that differs from the commit BASE means now, and what its memory is. Nothing for files that are
# no configs. `cfg` makes code of every text of a config, so that nothing in it is read as Markdown.
markdown() {
    local path status text
    git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --quiet --depth=1 origin "$BASE"
    git diff --name-only --no-renames --diff-filter=M -z "$BASE" HEAD -- '*.toml' | while IFS= read -r -d '' path; do
        status=0
        text=$("$cfg" diff --markdown -- "$BASE:$path" "$path" 2>/dev/null) || status=$?
        [ "$status" -ne 1 ] || printf '%s\n\n' "$text"
    done
}

# The comment is found again by its first line, and replaced.
changes() {
    local mark='<!-- cfg: what changes -->' text id
    text=$(markdown)
    if [ -z "$text" ]; then
        text=$'No config means anything else than before.\n'
    fi
    printf '### What changes for configs of prime-rl\n%s\n' "$text" >>"$GITHUB_STEP_SUMMARY"
    [ "${COMMENT:-false}" = true ] || return 0
    # GitHub takes 65,536 characters.
    printf '%s\n### What changes for configs of prime-rl\n%s\n' "$mark" "${text:0:60000}" >"$RUNNER_TEMP/comment.md"
    id=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" \
        --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id" | head -n 1)
    if [ -n "$id" ]; then
        gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F body=@"$RUNNER_TEMP/comment.md"
    else
        gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" -F body=@"$RUNNER_TEMP/comment.md"
    fi
}

case "${1:-}" in
install | check | sarif | changes | markdown) "$1" ;;
*) echo "usage: github.sh install|check|sarif|changes|markdown" >&2 && exit 2 ;;
esac
