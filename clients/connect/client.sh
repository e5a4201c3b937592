#!/usr/bin/env bash
# Sends a CSV file with some labels late, and counts errors: Kafka Connect, from a file of JSON and to files of JSON.
# See docs/clients.md.
#
#     client.sh FILE MODEL        MODEL must be the only one of PREFIX; the engine needs output.format=json
set -euo pipefail
file=$1 model=$2
prefix=${PREFIX:-perceptron} wait=${WAIT:-120} here=$(cd "$(dirname "$0")" && pwd)
export LC_ALL=C
work=$(mktemp -d)
trap 'kill "$worker" 2>/dev/null || true; wait "$worker" 2>/dev/null || true; rm -rf "$work"' EXIT

awk -f "$here/../kcat/events.awk" "$file" >"$work/events.jsonl"
cat >"$work/worker.properties" <<PROPERTIES
bootstrap.servers=${BOOTSTRAP:-localhost:9092}
key.converter=org.apache.kafka.connect.storage.StringConverter
value.converter=org.apache.kafka.connect.storage.StringConverter
offset.storage.file.filename=$work/offsets
offset.flush.interval.ms=1000
listeners=http://127.0.0.1:0
consumer.isolation.level=read_committed
PROPERTIES
# A line has no key: the transforms add the model's name. Connect's producer partitions by murmur2 of the key.
cat >"$work/source.properties" <<PROPERTIES
name=$prefix-examples-source
connector.class=org.apache.kafka.connect.file.FileStreamSourceConnector
file=$work/events.jsonl
topic=$prefix-examples
transforms=line,model,key,name,value
transforms.line.type=org.apache.kafka.connect.transforms.HoistField\$Value
transforms.line.field=line
transforms.model.type=org.apache.kafka.connect.transforms.InsertField\$Value
transforms.model.static.field=model
transforms.model.static.value=$model
transforms.key.type=org.apache.kafka.connect.transforms.ValueToKey
transforms.key.fields=model
transforms.name.type=org.apache.kafka.connect.transforms.ExtractField\$Key
transforms.name.field=model
transforms.value.type=org.apache.kafka.connect.transforms.ExtractField\$Value
transforms.value.field=line
PROPERTIES
for topic in predictions mistakes; do
  cat >"$work/$topic.properties" <<PROPERTIES
name=$prefix-$topic-sink
connector.class=org.apache.kafka.connect.file.FileStreamSinkConnector
file=$work/$topic.jsonl
topics=$prefix-$topic
PROPERTIES
done
java -cp "$here/target/lib/*" org.apache.kafka.connect.cli.ConnectStandalone "$work/worker.properties" \
  "$work"/{source,predictions,mistakes}.properties >"$work/log" 2>&1 &
worker=$!
for topic in predictions mistakes; do
  for ((n = 0; ; n++)); do
    grep -qs '"exampleId":"end"' "$work/$topic.jsonl" && break
    kill -0 "$worker" || { tail -n 20 "$work/log" >&2; exit 1; }
    ((n < 2 * wait)) || { echo "no end of $model in $prefix-$topic in time (is the engine running?)" >&2; exit 1; }
    sleep 0.5
  done
  awk -f "$here/../kcat/lines.awk" "$work/$topic.jsonl" | grep -v '^end,' | sort >"$work/$topic.csv"
done
errors=$(awk -F, 'FNR == 1 { file++ } file == 1 { label[$1] = $NF; next } label[$1] != $2' \
  "$file" "$work/predictions.csv" | wc -l)
digest=$(sha256sum "$work/predictions.csv")
mistakes=$(wc -l <"$work/mistakes.csv")
echo "$(wc -l <"$work/predictions.csv") predictions, $errors errors, $mistakes mistakes, digest ${digest%% *}"
