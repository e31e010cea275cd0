#!/bin/sh
# Installs or upgrades the Errata shipper from its wheel, as the user who runs this:
#
#   sh install-shipper.sh WHEEL DIRECTORY [OPTION]...
#
# 1. DIRECTORY/venv becomes a virtual environment of python3, or of $PYTHON.
# 2. pip installs WHEEL there, and the wheel of errata-wire of the same version, which is beside it. Their
#    other dependencies come from the package index that pip uses on this host.
# 3. errata-shipper --init OPTION... writes DIRECTORY/errata.yaml, readable by this user only, and tests the
#    connection. Keys come from ERRATA_SHIPPER_API_KEY and ERRATA_SHIPPER_APP_KEY; on a terminal it asks for
#    them. To upgrade, pass no options: an existing errata.yaml is validated and stays as it is.
#
# Changes nothing else and starts nothing; the last line is the command that does.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: sh install-shipper.sh WHEEL DIRECTORY [OPTION OF errata-shipper --init]..." >&2
    exit 2
fi
# A path, which pip can't take for the name of a package.
case $1 in
    /*) wheel=$1 ;;
    *) wheel=./$1 ;;
esac
if [ ! -f "$wheel" ]; then
    echo "$wheel doesn't exist; download it first" >&2
    exit 2
fi
wire=${wheel%/*}/errata_wire-${wheel##*/errata_shipper-}
if [ ! -f "$wire" ]; then
    echo "$wire doesn't exist; download it first" >&2
    exit 2
fi
mkdir -p -- "$2"
directory=$(CDPATH='' cd -- "$2" && pwd)
shift 2
shipper=$directory/venv/bin/errata-shipper
config=$directory/errata.yaml

"${PYTHON:-python3}" -m venv "$directory/venv"
"$directory/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$wire" "$wheel"
"$shipper" --version
if [ $# -eq 0 ] && [ -e "$config" ]; then
    "$shipper" --config "$config" --validate
    echo "Restart the shipper, or run: $shipper --config $config --record"
else
    "$shipper" --config "$config" --init "$@"
fi
