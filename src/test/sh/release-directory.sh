#!/bin/sh
# Makes a data directory as a release writes it, for UpgradeIT: the models of releases/models.txt have learned
# samples/wdbc.csv, their weights are printed to MODEL.txt, then the engine was stopped by SIGTERM.
#   src/test/sh/release-directory.sh DIR/perceptron-streams-VERSION        writes src/test/resources/releases/VERSION.tar.gz
set -eu

release=$(CDPATH='' cd -- "$1" && pwd -P)
version=${release##*-}
releases=$(CDPATH='' cd -- "$(dirname -- "$0")/../resources" && pwd -P)/releases
work=$(mktemp -d)
engine=
trap '[ -z "$engine" ] || kill "$engine" 2>/dev/null || :; rm -rf "$work"' EXIT

"$release/perceptron" run --embedded --data-dir "$work/data" --broker-port 0 --registry-port 0 --http-port 0 \
  -D topics.partitions=1 >"$work/log" 2>&1 &
engine=$!
until grep -q 'running: ' "$work/log"; do
  kill -0 "$engine"
  sleep 1
done
addresses=$(sed -n 's/^broker \([^,]*\), registry \([^,]*\),.*/--bootstrap \1 --registry \2/p' "$work/log")
# shellcheck disable=SC2086 # words
perceptron() { "$release/perceptron" "$@" $addresses; }
while read -r model settings; do
  # shellcheck disable=SC2086 # words
  perceptron models set "$model" $settings </dev/null
  perceptron produce "$release/samples/wdbc.csv" --model "$model" --label-column diagnosis --id-column id </dev/null
  perceptron models snapshot "$model" </dev/null
  perceptron weights show "$model" --top 30 </dev/null >"$work/data/$model.txt"
done <"$(dirname -- "$0")/../resources/releases/models.txt"
kill "$engine"
wait "$engine" || :
engine=
tar -C "$work/data" --sparse --sort=name --owner=0 --group=0 --numeric-owner -cf - . | gzip -9n >"$releases/$version.tar.gz"
ls -l "$releases/$version.tar.gz"
