#!/usr/bin/env bash
# Runs a command, such as your tests, with the database of the git branch in DATABASE_URL. Creates the database, as a copy of the
# default branch's, unless it exists. Prints no secret. Requires MGMT_BASE_URL, MGMT_TOKEN, and MGMT_PROJECT_ID; and BRANCH in a CI
# system that mgmt does not know.
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: with-database.sh <command...>" >&2; exit 2; }

secrets=$(mktemp -d) # other accounts cannot read it
trap 'rm -rf "$secrets"' EXIT

mgmt preview up ${BRANCH:+--branch "$BRANCH"} --expires 7d --file "$secrets/database.env" >&2

set -a # exports what the file sets
. "$secrets/database.env"
set +a
"$@"
