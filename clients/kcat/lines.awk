# Writes JSON predictions or mistakes as lines of id, label and score.
function field(name) {
  match($0, "\"" name "\":\"?[^\",}]*")
  value = substr($0, RSTART, RLENGTH)
  sub(/^"[^"]*":"?/, "", value)
  return value
}
{ printf "%s,%s,%.16e\n", field("exampleId"), field("label"), field("score") }
