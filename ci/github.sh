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

# A block of code: of an indented line nothing is read as Markdown or HTML, whatever it holds.
block() {
    printf '\n'
    sed 's/^/    /'
    printf '\n'
}

# The meaning of a config before and now, and its memory where that is another; nothing for files that are no configs.
changes_of() {
    local before=$1 path=$2 status=0 text then now
    text=$("$cfg" diff "$BASE:$path" "$path" --color never 2>/dev/null) || status=$?
    [ "$status" -eq 1 ] || return 0
    printf '%s\n\n%s\n' "$path" "$text" | block
    then=$(cd "$before" && "$cfg" memory "$path" --color never 2>/dev/null) || [ $? -eq 1 ] || return 0
    now=$("$cfg" memory "$path" --color never 2>/dev/null) || [ $? -eq 1 ] || return 0
    [ "$then" != "$now" ] || return 0
    printf '<details><summary>Memory before</summary>\n'
    block <<<"$then"
    printf '</details>\n<details open><summary>Memory now</summary>\n'
    block <<<"$now"
    printf '</details>\n'
}

# Markdown on standard output: what each config that differs from the commit BASE means now.
markdown() {
    local before
    before=$(mktemp -d)
    git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch --quiet --depth=1 origin "$BASE"
    git worktree add --quiet --detach "$before" "$BASE"
    git diff --name-only --no-renames --diff-filter=M -z "$BASE" HEAD -- '*.toml' | while IFS= read -r -d '' path; do
        changes_of "$before" "$path"
    done
    git worktree remove --force "$before"
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
