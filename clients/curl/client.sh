#!/usr/bin/env bash
# Sends a CSV file with some labels late by HTTP, and counts errors: curl and awk. See docs/clients.md.
#
#     client.sh FILE MODEL        MODEL must be configured (perceptron models set) and have seen nothing
#
# URL is a monitor with http.write=true, TOKEN the token of its http.auth.
set -euo pipefail
file=$1 model=$2
url=${URL:-http://127.0.0.1:8080}/api/v1/models/$model
awk=$(dirname "$0")/../kcat
export LC_ALL=C

# curl with the token, which other users would see among its arguments
api() { curl -sS --fail-with-body -H @<(echo "Authorization: Bearer $TOKEN") "$@"; }

# Arrays of up to 100 events with their route; examples and labels stay in their order.
requests() {
  awk 'function send() { if (n) print route "\t[" body "]"; n = 0; body = "" }
    { to = /^{"exampleId"/ ? "labels" : "examples?wait=prediction" }
    to != route || n == 100 { send(); route = to }
    { body = body (n++ ? "," : "") $0 }
    END { send() }'
}

# The first event is the command that configures the model: commands do not go by HTTP.
answers=$(awk -f "$awk/events.awk" "$file" | tail -n +2 | requests |
  while IFS=$'\t' read -r route body; do
    api -H "Content-Type: application/json" --data-binary @- "$url/$route" <<<"$body" | sed 's/},{"model"/}\n{"model"/g'
    echo
  done)
predictions=$(grep '"exampleId"' <<<"$answers" | awk -f "$awk/lines.awk" | grep -v '^end,' | sort)
errors=$(awk -F, 'FNR == 1 { file++ } file == 1 { label[$1] = $NF; next } label[$1] != $2' \
  "$file" - <<<"$predictions" | wc -l)
# The monitor reads the status of the model a moment later. The last example is always a mistake.
for ((n = 0; ; n++)); do
  status=$(api "$url") && grep -q "\"examples\":$(($(wc -l <<<"$predictions") + 1))," <<<"$status" && break
  ((n < ${WAIT:-120})) || { echo "no status of $model after its last example within $n s" >&2; exit 1; }
  sleep 1
done
mistakes=$(grep -o '"mistakes":[0-9]*' <<<"$status" | head -n 1 | cut -d: -f2)
digest=$(sha256sum <<<"$predictions")
echo "$(wc -l <<<"$predictions") predictions, $errors errors, $((mistakes - 1)) mistakes, digest ${digest%% *}"
