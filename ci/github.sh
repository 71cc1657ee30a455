#!/usr/bin/env bash
# The steps of action.yml. Each takes its inputs from variables, so that no text of a pull request becomes a part of a command.
#
# The current folder is the checked repository, whose every byte may be a stranger's. So nothing is started that it could have put in the way: programs
# are looked up outside of it, Python runs isolated and in another folder, and `cfg` is installed where the repository has never been. Later steps
# get the path of the program and its SHA-256 as outputs of the first one, which GitHub keeps outside of the machine's files.
set -euo pipefail
unset CDPATH

fail() {
    echo "github.sh: $1" >&2
    exit 2
}

# The real path of a folder.
real() {
    cd -P -- "$1" 2>/dev/null && pwd -P
}

workspace=$(real "${GITHUB_WORKSPACE:-.}")
here=$(pwd -P)

# Whether a real path is in the checked repository.
is_checked() {
    [[ "$1/" == "$workspace"/* || "$1/" == "$here"/* ]]
}

# The folders of PATH that are absolute, and not in the checked repository.
safe_path() {
    local folder kept="" resolved
    local -a folders
    IFS=: read -r -a folders <<<"$PATH"
    for folder in "${folders[@]}"; do
        [[ "$folder" == /* ]] && resolved=$(real "$folder") && ! is_checked "$resolved" || continue
        kept+="${kept:+:}$folder"
    done
    printf '%s' "$kept"
}
PATH=$(safe_path)
export PATH

# A new folder with an unpredictable name outside of the checked repository.
new_folder() {
    local temporary
    temporary=$(real "${RUNNER_TEMP:-/tmp}") || fail "the folder of RUNNER_TEMP does not exist"
    ! is_checked "$temporary" || fail "RUNNER_TEMP is in the checked repository"
    mktemp -d "$temporary/cfg.XXXXXXXXXX"
}

sha256() {
    local line
    line=$(if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi)
    printf '%s' "${line%% *}"
}

# Removes what else could change which code Python, pip and uv run. The variables that stay say from where, and how, a package is downloaded.
without_settings() {
    local name
    for name in "${!PIP_@}" "${!PYTHON@}" "${!UV_@}"; do
        case "$name" in
        PIP_INDEX_URL | PIP_EXTRA_INDEX_URL | PIP_NO_INDEX | PIP_FIND_LINKS | PIP_CERT | PIP_PROXY | PIP_TRUSTED_HOST) ;;
        *) unset "$name" ;;
        esac
    done
}

# What pip installs: the wheel that the workflow names, or a version.
package() {
    if [ -n "${WHEEL:-}" ]; then
        [[ "$WHEEL" == *.whl && -f "$WHEEL" ]] || fail "the input \`wheel\` is not the path of a wheel"
        printf '%s/%s' "$(real "$(dirname -- "$WHEEL")")" "$(basename -- "$WHEEL")"
    else
        [[ "${VERSION:-}" =~ ^[0-9A-Za-z.!+-]*$ ]] || fail "the input \`version\` is not a version"
        printf '%s' "cfg-prime-rl${VERSION:+==$VERSION}"
    fi
}

install() {
    local folder wanted program
    wanted=$(package)
    folder=$(new_folder)
    without_settings
    cd -- "$folder"
    python3 -I -m venv venv || python -I -m venv venv
    local python="$folder/venv/bin/python"
    [ -x "$python" ] || python="$folder/venv/Scripts/python.exe"
    "$python" -I -m pip install --quiet --disable-pip-version-check --only-binary :all: "$wanted"
    program="$folder/venv/bin/cfg"
    [ -x "$program" ] || program="$folder/venv/Scripts/cfg.exe"
    [ -z "${GITHUB_OUTPUT:-}" ] || printf 'program=%s\nsha256=%s\n' "$program" "$(sha256 "$program")" >>"$GITHUB_OUTPUT"
}

# Runs the installed program, if it is the one that was installed. Without GitHub, such as in a test, CFG alone names it.
run_cfg() {
    [ -n "${CFG:-}" ] || fail "CFG is not set: the step \`install\` comes first"
    if [ -n "${CFG_SHA256:-}${GITHUB_ACTIONS:-}" ]; then
        [ "$(sha256 "$CFG")" = "${CFG_SHA256:-}" ] || fail "the program is not the one that was installed"
    fi
    "$CFG" "$@"
}

# Checks the paths in the format that is named, with more words behind it.
run_check() {
    local -a paths=() words=()
    while IFS= read -r path; do
        [ -z "$path" ] || paths+=("$path")
    done <<<"${PATHS:-.}"
    [ -z "${DENY:-}" ] || words+=(--deny "$DENY")
    run_cfg check --format "$@" ${words[@]+"${words[@]}"} "${paths[@]}"
}

# The status is an output, so that the steps behind it run where there are errors.
check() {
    local status=0
    run_check github || status=$?
    echo "status=$status" >>"$GITHUB_OUTPUT"
}

sarif() {
    local folder
    folder=$(new_folder)
    run_check sarif --exit-zero >"$folder/cfg.sarif"
    cd -- "$folder"
    # A file, for an argument of a program may not be that long.
    gzip -c cfg.sarif | base64 | tr -d '\n' >cfg.sarif.gz.base64
    gh api --method POST "repos/$GITHUB_REPOSITORY/code-scanning/sarifs" --silent \
        -f commit_sha="$GITHUB_SHA" -f ref="$GITHUB_REF" -F sarif=@"$folder/cfg.sarif.gz.base64"
}

# git in the checked repository, without what its settings could start.
safe_git() {
    git -c core.fsmonitor=false -c core.hooksPath=/dev/null -c protocol.ext.allow=never -c diff.external= --no-pager "$@"
}

# Markdown on standard output: what the configs mean now, compared with the commit BASE, which has its own settings and pins; which of them are new,
# renamed or deleted; for which prime-rl they are; and their memory. `cfg` makes code of every text of a config, so that nothing in it is read as Markdown.
markdown() {
    local status=0
    local -a paths=()
    [[ "$BASE" =~ ^[0-9a-f]{40,64}$ ]] || fail "BASE is not a commit"
    safe_git cat-file -e "$BASE^{commit}" 2>/dev/null ||
        safe_git fetch --quiet --depth=1 --no-tags --no-recurse-submodules origin "$BASE"
    while IFS= read -r path; do
        [ -z "$path" ] || paths+=("$path")
    done <<<"${PATHS:-.}"
    run_cfg diff --since "$BASE" --markdown -- "${paths[@]}" 2>/dev/null || status=$?
    [ "$status" -le 1 ] || echo "The configs could not be compared with \`$BASE\`: \`cfg diff --since $BASE\` says why."
}

# A text of at most so many characters, without a part of a line; a section that is cut is closed.
cut_to() {
    local text="$1" opened closed
    if [ "${#text}" -gt "$2" ]; then
        text="${text:0:$2}"
        text="${text%$'\n'*}"
        opened="${text//<details>/}" closed="${text//<\/details>/}"
        [ $(((${#text} - ${#opened}) / 9)) -le $(((${#text} - ${#closed}) / 10)) ] || text+=$'\n\n</details>'
        text+=$'\n\nThe rest is left out: `cfg diff --since '"$BASE"'` shows all of it.'
    fi
    printf '%s' "$text"
}

# The comment is found again by its first line, and replaced.
changes() {
    local mark='<!-- cfg: what changes -->' text id folder
    text=$(markdown)
    # GitHub takes a mebibyte.
    printf '### What changes for configs of prime-rl\n%s\n' "$(cut_to "$text" 250000)" >>"$GITHUB_STEP_SUMMARY"
    [ "${COMMENT:-false}" = true ] || return 0
    [[ "$NUMBER" =~ ^[0-9]+$ ]] || fail "NUMBER is not that of a pull request"
    folder=$(new_folder)
    cd -- "$folder"
    # GitHub takes 65,536 characters.
    printf '%s\n### What changes for configs of prime-rl\n%s\n' "$mark" "$(cut_to "$text" 60000)" >comment.md
    id=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" \
        --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$mark\"))) | .id" | head -n 1)
    if [ -n "$id" ]; then
        gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F body=@"$folder/comment.md"
    else
        gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments" -F body=@"$folder/comment.md"
    fi
}

case "${1:-}" in
install | check | sarif | changes | markdown) "$1" ;;
*) echo "usage: github.sh install|check|sarif|changes|markdown" >&2 && exit 2 ;;
esac
