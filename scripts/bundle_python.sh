#!/bin/sh
# The Python for `make bundle` where none can be had ready: CPython and the libraries that it links, from their source archives,
# compiled by Zig against glibc 2.28, whatever this machine has. It finds its library by its own path, and so runs wherever it is put.
# Usage: scripts/bundle_python.sh SOURCES FOLDER
#   SOURCES  a folder with one archive each of CPython, libffi, SQLite and zlib, as their projects or Debian's source packages bring them
#   FOLDER   where the Python is put; what is there is replaced
# It has no `ssl`, for it links no OpenSSL: the core needs none, and PostgreSQL's driver brings its own. The extra `oracle` needs one.
set -eu
cd "$(dirname "$0")/.."
[ $# = 2 ] || { sed -n 's/^# \(Usage.*\)/\1/p' "$0" >&2; exit 2; }
root=$PWD sources=$1 out=$2 work=$PWD/target/bundle-python
deps=$work/deps

archive() { # the one archive of a library; Debian's patches, signatures and manuals are none
    found=$(find "$sources" -maxdepth 1 -iname "$1*.tar.*" ! -name '*.debian.*' ! -name '*.asc' ! -name '*orig-*' | sort)
    [ "$(printf '%s\n' "$found" | grep -c .)" = 1 ] && { printf '%s\n' "$found"; return; }
    echo "error: '$sources' holds not just one archive $1*.tar.*: $(printf '%s' "$found" | tr '\n' ' ')" >&2
    echo "hint: On Debian with deb-src in its sources, 'apt-get source --download-only zlib libffi sqlite3 python3.13' brings all four." >&2
    exit 2
}
needs() { # PROGRAM PACKAGE
    command -v "$1" >/dev/null && return
    echo "error: $1 not found: the bundle's Python is compiled from sources" >&2
    echo "hint: On Debian or Ubuntu, 'sudo apt-get install $2'." >&2
    exit 1
}
zig=$(ls "$root"/.tools/wheel/lib/python3*/site-packages/ziglang/zig) || {
    echo "hint: 'make wheel' brings Zig, which compiles it." >&2
    exit 1
}
needs make make
needs tclsh tcl # SQLite makes its one source file with it
libraries="zlib libffi sqlite"
for name in $libraries python; do archive "$name" >/dev/null; done

rm -rf "$work"
mkdir -p "$work/bin" "$deps" "$work/licences"
# What the libraries' own scripts find as their compiler. They are not to find a library of this machine.
tool() { # NAME WORDS
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$zig" "$2" >"$work/bin/$1"
    chmod 755 "$work/bin/$1"
}
tool cc "cc -target x86_64-linux-gnu.2.28 -Wno-date-time" # CPython names its day, which Zig refuses
tool ar ar
tool ranlib ranlib
printf '#!/bin/sh\nexit 1\n' >"$work/bin/pkg-config"
chmod 755 "$work/bin/pkg-config"
PATH=$work/bin:$PATH CC=cc AR=ar RANLIB=ranlib CFLAGS="-O2 -fPIC"
export PATH CC AR RANLIB CFLAGS
jobs=$(nproc)

unpack() { # NAME: goes into its folder; its licence and the hash of its archive go along with what is made
    mkdir "$work/$1"
    tar --extract --file "$(archive "$1")" --directory "$work/$1" --strip-components 1
    (cd "$sources" && sha256sum "$(basename "$(archive "$1")")") >>"$work/licences/sources.sha256"
    cd "$work/$1"
    if [ -f LICENSE ]; then cp LICENSE "$work/licences/$1"; else cp LICENSE.md "$work/licences/$1"; fi
}
quietly() { # NAME COMMAND...: what it prints goes to a file, whose end is shown where it failed
    log=$work/$1.log; shift
    "$@" >>"$log" 2>&1 || { echo "error: '$*' failed; the end of $log:" >&2; tail -n 20 "$log" >&2; exit 1; }
}
made() { # NAME WORDS of its configure
    name=$1; shift
    [ -x configure ] || { needs autoreconf "autoconf automake libtool libltdl-dev" && quietly "$name" autoreconf --install; }
    quietly "$name" ./configure --prefix="$deps" "$@"
    quietly "$name" make -j "$jobs" install
}

(unpack zlib && made zlib --static)
(unpack libffi && made libffi --disable-shared --disable-docs --disable-multi-os-directory --libdir="$deps/lib")
(unpack sqlite && made sqlite --disable-shared --disable-tcl --disable-readline)
unpack python
# n/a: what this machine may have, and other hosts not, is left out whether it is here or not.
quietly python env CFLAGS= OPT="-O3 -DNDEBUG" LDFLAGS="-s -L$deps/lib" ./configure --prefix=/python --disable-test-modules --without-ensurepip \
    ZLIB_CFLAGS="-I$deps/include" ZLIB_LIBS="$deps/lib/libz.a" \
    LIBFFI_CFLAGS="-I$deps/include" LIBFFI_LIBS="$deps/lib/libffi.a" \
    LIBSQLITE3_CFLAGS="-I$deps/include" LIBSQLITE3_LIBS="$deps/lib/libsqlite3.a -lm" \
    py_cv_module__bz2=n/a py_cv_module__lzma=n/a py_cv_module__ssl=n/a py_cv_module__hashlib=n/a py_cv_module__uuid=n/a \
    py_cv_module__curses=n/a py_cv_module__curses_panel=n/a py_cv_module_readline=n/a py_cv_module__tkinter=n/a \
    py_cv_module__dbm=n/a py_cv_module__gdbm=n/a
quietly python make -j "$jobs"
quietly python make DESTDIR="$work/made" install
cd "$root"
find "$work/made" -name 'libpython*.a' -delete
cp -a "$work/licences" "$work/made/python/licences"
"$work/made/python/bin/python3" -I -c 'import ctypes, hashlib, sqlite3, zlib; hashlib.sha256()'
.venv/bin/python scripts/check_glibc.py 2.28 "$work/made/python"
rm -rf "$out"
mkdir -p "$(dirname "$out")"
mv "$work/made/python" "$out"
echo "$out: $("$out/bin/python3" --version), $(du -sm "$out" | cut -f 1) MB"
