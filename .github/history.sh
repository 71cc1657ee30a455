#!/usr/bin/env bash
# What .github/workflows/history.yml does with the outcome of `cargo xtask history update`: `offer` pushes a branch and opens or updates its pull
# request, `complain` opens an issue, or adds to the one that is open.
set -euo pipefail

branch=prime-rl-news
title="New commits of prime-rl"
body="$RUNNER_TEMP/body.md"
# GitHub takes 65,536 characters.
most=60000

offer() {
  git add --all
  if git diff --cached --quiet; then
    echo "Nothing is new."
    return
  fi
  {
    echo "What a person must decide is in the second part; \`CONTRIBUTING.md\` says how. Then \`.ci/run\` has to pass."
    echo
    echo '```text'
    cat target/history/news.md
    echo
    cat target/history/decisions.md
    echo '```'
  } > "$RUNNER_TEMP/whole.md"
  # The list is at the end: of a long text, the middle is left out.
  if [ "$(wc -c < "$RUNNER_TEMP/whole.md")" -gt "$most" ]; then
    { head -c $((most / 2)) "$RUNNER_TEMP/whole.md"; printf '\n...\n'; tail -c $((most / 2)) "$RUNNER_TEMP/whole.md"; } > "$body"
  else
    cp "$RUNNER_TEMP/whole.md" "$body"
  fi
  git config user.name "github-actions[bot]"
  git config user.email "41898282+github-actions[bot]@users.noreply.github.com"
  git checkout --quiet -B "$branch"
  git commit --quiet --message "$title"
  git push --quiet --force origin "$branch"
  if [ "$(gh pr list --head "$branch" --state open --json number --jq length)" = 0 ]; then
    gh pr create --head "$branch" --title "$title" --body-file "$body"
  else
    gh pr edit "$branch" --body-file "$body"
  fi
}

complain() {
  local subject="Reading the new commits of prime-rl failed"
  {
    echo "$RUN ended with:"
    echo
    echo '```text'
    tail -n 100 "$RUNNER_TEMP/said.txt" 2> /dev/null || echo "It had not begun to read."
    echo '```'
  } > "$body"
  local open
  open=$(gh issue list --state open --search "in:title \"$subject\"" --json number --jq '.[0].number // empty')
  if [ -n "$open" ]; then
    gh issue comment "$open" --body-file "$body"
  else
    gh issue create --title "$subject" --body-file "$body"
  fi
}

case "${1:-}" in
  offer | complain) "$1" ;;
  *)
    echo "usage: $0 offer|complain" >&2
    exit 2
    ;;
esac
