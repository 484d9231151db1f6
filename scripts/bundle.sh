#!/bin/sh
# `make bundle`: Plimsoll, all that it needs and a Python of its own in one archive, for hosts whose Python is too old (RHEL and
# Oracle Linux 8 and 9) or that have none and no network: unpack it anywhere and run `plimsoll` in it. Takes the wheel that
# `make wheel` left in dist/.
#   BUNDLE_PYTHON  the folder of a Python from 3.11 on that can be moved, such as `uv python install` leaves
#   BUNDLE_GLIBC   the oldest glibc that it is for; 2.28, that of RHEL 8, where it is not set. A Python that asks for a newer one ends it.
#   EXTRAS         which extras go along; all where it is not set, none where it is empty
set -eu
cd "$(dirname "$0")/.."
python=${BUNDLE_PYTHON:-}
if [ ! -x "$python/bin/python3" ]; then
    echo "error: BUNDLE_PYTHON names no folder with bin/python3: '$python'" >&2
    echo "hint: 'uv python install --install-dir .tools/pythons 3.13' brings one for glibc 2.17 and newer; then make bundle BUNDLE_PYTHON=.tools/pythons/FOLDER." >&2
    exit 2
fi
wheel=$(ls dist/*.whl) || { echo "hint: 'make wheel' makes the wheel." >&2; exit 1; }
extras=${EXTRAS-all} glibc=${BUNDLE_GLIBC:-2.28}

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
name=plimsoll-$version-glibc$glibc-x86_64
folder=target/bundle/$name
rm -rf target/bundle
mkdir -p "$folder/python"
cp -a "$python/." "$folder/python"
sed "s/@GLIBC@/$glibc/" scripts/bundle_launcher.sh >"$folder/plimsoll"
chmod 755 "$folder/plimsoll"
cp LICENSE "$folder/"
echo "$extras" >"$folder/python/plimsoll-bundle"
# Wheels for the oldest host that the wheel is for, not for this one.
scripts/uv.sh pip install --quiet --system --break-system-packages --python "$folder/python/bin/python3" \
    --python-platform x86_64-manylinux_2_28 --only-binary :all: --link-mode copy \
    --constraint requirements/runtime.lock "$wheel${extras:+[$extras]}"
# Scripts that name the folder which they were installed in would break when that is moved; the launcher needs none of them.
grep -rlI "$PWD/$folder" "$folder/python/bin" | xargs -r rm -f
"$folder/python/bin/python3" -I -m compileall -q -j 0 --invalidation-mode unchecked-hash -s "$folder" "$folder/python/lib" >/dev/null ||
    echo "note: not every file of the bundle could be compiled" >&2
.venv/bin/python scripts/check_glibc.py "$glibc" "$folder"
tar --create --gzip --file "dist/$name.tar.gz" --directory target/bundle --sort=name --owner=0 --group=0 --numeric-owner "$name"
scripts/try_bundle.sh "dist/$name.tar.gz"
echo "dist/$name.tar.gz: $(du -m "dist/$name.tar.gz" | cut -f 1) MB, unpacked $(du -sm "$folder" | cut -f 1) MB"
