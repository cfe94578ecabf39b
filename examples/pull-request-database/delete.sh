#!/usr/bin/env bash
# Deletes a git branch's database, and the branch in the project. Succeeds if they do not exist. Requires MGMT_BASE_URL and
# MGMT_TOKEN.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: delete.sh <project id> <git branch>" >&2; exit 2; }

mgmt preview down --project-id "$1" --branch "$2"
