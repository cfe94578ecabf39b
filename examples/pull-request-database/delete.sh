#!/usr/bin/env bash
# Deletes a git branch's databases and the branch itself. Requires MGMT_BASE_URL and MGMT_TOKEN.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: delete.sh <project id> <git branch>" >&2; exit 2; }
project=$1 branch=$2

ids() { node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).map(({ id }) => id).join('\n')"; }

mgmt databases list --project-id "$project" --branch-git-name "$branch" --all --output json | ids |
  while read -r database; do
    [ -z "$database" ] || mgmt databases delete "$database" --yes </dev/null
  done
mgmt projects branches list "$project" --git-name "$branch" --output json | ids |
  while read -r id; do
    [ -z "$id" ] || mgmt branches delete "$id" --yes </dev/null
  done
