#!/usr/bin/env bash
# Runs the keyring tests with gnome-keyring, on a bus and in folders of their own.
set -euo pipefail
cd "$(dirname "$0")/../../../../.."
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
export XDG_DATA_HOME="$data" XDG_RUNTIME_DIR="$data" XDG_CACHE_HOME="$data"
dbus-run-session -- bash -euc '
  printf unlocked | gnome-keyring-daemon --unlock --components=secrets >/dev/null
  npx vitest run --config packages/cli/test/credentials/keyring/vitest.config.ts
'
