#!/usr/bin/env bash
# Creates a database for a git branch, as a copy of the project's default database, and prints its connection string.
# Requires MGMT_BASE_URL and MGMT_TOKEN.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: create.sh <project id> <git branch>" >&2; exit 2; }
project=$1 branch=$2

read_json() { node -p "(result => $1)(JSON.parse(require('fs').readFileSync(0, 'utf8')))"; }

default=$(mgmt projects databases list "$project" --all --output json |
  read_json 'result.find(({ isDefault }) => isDefault).id')

mgmt databases create "$branch" --project-id "$project" --branch-git-name "$branch" \
  --source-type database --source-database-id "$default" --wait --output json |
  read_json 'result.connection.connectionString'
