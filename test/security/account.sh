#!/usr/bin/env bash
# Runs tests as an account without privileges: file modes do not apply to root, and Postgres does not run as root.
# Needs root, to create the account. Any other account runs all tests so.
# The arguments are those of `vitest run`. Default: the tests that use file modes or accounts, or start the platform.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ]; then
  echo "Skipped: this account has no privileges, so all tests run without them."
  exit 0
fi

account="mgmt-test-$$"
useradd --create-home "$account"
trap 'pkill -KILL -u "$account" || true; userdel --force --remove "$account" 2>/dev/null' EXIT
home=$(getent passwd "$account" | cut -d: -f6)

# The account may not enter the folder of the clone or write there.
clone="$home/a clone"
cp -a . "$clone"
chown -R "$account:" "$clone"

as_account() {
  runuser -u "$account" -- env -i HOME="$home" PATH="$PATH" LANG="${LANG:-C.UTF-8}" "$@"
}
node=$(realpath "$(command -v node)")
if ! as_account "$node" --version >/dev/null 2>&1; then
  # Node.js is in the home directory of root.
  cp -a "$(dirname "$(dirname "$node")")" "$home/node"
  PATH="$home/node/bin:$PATH"
fi

if [ $# -eq 0 ]; then
  mapfile -t tests < <(git grep --files-with-matches --extended-regexp \
    'chmod|0o[0-7]{3}|gete?uid|isRoot|chown|EACCES|EPERM|startPlatform|new Platforms' -- \
    ':(glob)packages/*/src/**/*.test.ts' ':(glob)packages/*/test/**/*.test.ts')
  set -- "${tests[@]}"
fi
cd "$clone"
as_account node node_modules/vitest/vitest.mjs run "$@"
