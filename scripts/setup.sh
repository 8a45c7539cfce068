#!/usr/bin/env bash
# Installs what the build and the tests need: Debian's packages, and PyPI's in a virtual environment of the project.
# Idempotent. Usage: scripts/setup.sh
set -euo pipefail
cd "$(dirname "$0")/.."

packages=$(grep -v '^#' scripts/debian-packages.txt)
missing=()
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  sudo=""
  [ "$(id -u)" = 0 ] || sudo=sudo
  echo "setup: installing ${missing[*]}"
  $sudo apt-get update -q
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends "${missing[@]}"
fi

if ! cmp -s scripts/requirements.txt .venv/requirements.installed 2>/dev/null; then
  echo "setup: Python packages into .venv"
  python3 -m venv .venv
  .venv/bin/pip install -q --disable-pip-version-check -r scripts/requirements.txt
  cp scripts/requirements.txt .venv/requirements.installed
fi
echo "setup: done"
