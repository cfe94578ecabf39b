#!/usr/bin/env bash
# Prints the connection string of a git branch's database. Creates the database, as a copy of the default branch's, unless it
# exists. Requires MGMT_BASE_URL and MGMT_TOKEN.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: create.sh <project id> <git branch>" >&2; exit 2; }

mgmt preview up --project-id "$1" --branch "$2"
