# Writes a CSV file as JSON: the command, the examples, every fifth label 20 examples late. The last example's score
# is 0, which is always a mistake: both output topics end with it.
function label() {
  if (n > late && (n - late) % 5 == 0) printf "{\"exampleId\":\"%s\",\"label\":%s}\n", ids[n - late], labels[n - late]
}
BEGIN { FS = ","; late = 20 }
NR == 1 {
  print "{\"action\":\"CONFIGURE\",\"settings\":{\"algorithm\":\"perceptron\",\"scale\":\"standard\"," \
    "\"predict\":\"averaged\",\"bias\":\"false\",\"await.labels.ms\":\"3600000\"}}"
  for (i = 2; i < NF; i++) names[i] = $i
  next
}
{
  n++; ids[n] = $1; labels[n] = $NF; features = ""
  for (i = 2; i < NF; i++) features = features (i > 2 ? "," : "") "\"" names[i] "\":" $i
  printf "{\"id\":\"%s\",\"label\":%s,\"features\":{%s}}\n", $1, n % 5 == 0 ? "null" : $NF, features
  label()
}
END {
  for (k = 0; k < late; k++) { n++; label() }
  print "{\"id\":\"end\",\"label\":1,\"features\":{}}"
}
