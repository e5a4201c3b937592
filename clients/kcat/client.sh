#!/usr/bin/env bash
# Sends a CSV file with some labels late, and counts errors: kcat and awk, JSON. See docs/clients.md.
#
#     client.sh FILE MODEL        MODEL must be new; the engine needs output.format=json
#
# PARTITIONER=consistent_random, kcat's own default, shows what the engine does with records in the wrong partition.
set -euo pipefail
file=$1 model=$2
bootstrap=${BOOTSTRAP:-localhost:9092} prefix=${PREFIX:-perceptron} partitioner=${PARTITIONER:-murmur2_random}
wait=${WAIT:-120} # seconds until an output must end
awk=$(dirname "$0")
export LC_ALL=C

# The events of the model in an output topic before "end", as lines of id, label and score.
output() {
  local lines
  for ((n = 0; n < wait; n++)); do
    lines=$(kcat -q -C -b "$bootstrap" -t "$prefix-$1" -o beginning -e -X isolation.level=read_committed -f '%k %s\n' |
      sed -n "s/^$model //p" | awk -f "$awk/lines.awk")
    if grep -q '^end,' <<<"$lines"; then grep -v '^end,' <<<"$lines"; return; fi
    sleep 1
  done
  echo "no end of $model in $prefix-$1 in time (is the engine running?)" >&2
  return 1
}

awk -f "$awk/events.awk" "$file" | sed "s/^/$model:/" |
  kcat -P -b "$bootstrap" -t "$prefix-examples" -K: -X topic.partitioner="$partitioner" -X enable.idempotence=true
predictions=$(output predictions | sort)
mistakes=$(output mistakes)
errors=$(awk -F, 'FNR == 1 { file++ } file == 1 { label[$1] = $NF; next } label[$1] != $2' \
  "$file" - <<<"$predictions" | wc -l)
digest=$(sha256sum <<<"$predictions")
echo "$(wc -l <<<"$predictions") predictions, $errors errors, $(wc -l <<<"$mistakes") mistakes, digest ${digest%% *}"
