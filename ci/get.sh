#!/usr/bin/env bash
# Gets `ken` for the action of this repository (action.yml) and prints `program=PATH`; everything else goes to standard
# error. KEN_PROGRAM names one that is there; else KEN_VERSION names a release, whose archive is held against the
# checksum that was released with it; else KEN_SOURCE, a checkout of Kenning, is built. KEN_INTO is where to put it.
# KEN_RELEASES is where releases are.
set -euo pipefail

if [ -n "${KEN_PROGRAM:-}" ]; then
    [ -x "$KEN_PROGRAM" ] || { echo "$KEN_PROGRAM is no program; check the input \`program\`" >&2; exit 1; }
    echo "program=$KEN_PROGRAM"
    exit
fi

if [ -n "${KEN_VERSION:-}" ]; then
    case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) target=x86_64-unknown-linux-gnu ;;
    Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-gnu ;;
    Darwin-x86_64) target=x86_64-apple-darwin ;;
    Darwin-arm64) target=aarch64-apple-darwin ;;
    *) echo "no release is made for $(uname -s) on $(uname -m); leave the input \`version\` out to build it" >&2; exit 1 ;;
    esac
    archive=ken-$KEN_VERSION-$target.tar.gz
    releases=${KEN_RELEASES:-https://github.com/kenning-memory/kenning/releases/download}
    mkdir -p "$KEN_INTO"
    cd "$KEN_INTO"
    for file in "$archive" "$archive.sha256"; do
        curl --fail --silent --show-error --location --retry 3 --output "$file" "$releases/$KEN_VERSION/$file" >&2 || {
            echo "$releases/$KEN_VERSION/$file cannot be fetched; check the input \`version\`" >&2
            exit 1
        }
    done
    # The first word is the sum, whatever the file calls the archive.
    read -r expected _ <"$archive.sha256"
    actual=$({ sha256sum "$archive" 2>/dev/null || shasum -a 256 "$archive"; } | cut -d ' ' -f 1)
    [ "$expected" = "$actual" ] || {
        echo "$archive has the checksum $actual, and $expected was released; it is not used" >&2
        exit 1
    }
    tar -xzf "$archive" >&2
    program=$(find "$PWD" -type f -name ken | head -n 1)
    [ -n "$program" ] || { echo "$archive holds no program \`ken\`" >&2; exit 1; }
    chmod +x "$program"
    echo "program=$program"
    exit
fi

cargo build --release --locked --manifest-path "$KEN_SOURCE/Cargo.toml" --package ken --target-dir "$KEN_INTO/target" >&2
echo "program=$KEN_INTO/target/release/ken"
