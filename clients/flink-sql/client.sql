-- The tables of Client.java, which replaces $NAMES by its environment.
-- Examples, labels and commands; a column without a value is left out of the JSON. Flink leaves the partition to Kafka's
-- own partitioner: murmur2 of the key.
CREATE TABLE examples (
  model STRING, action STRING, settings MAP<STRING, STRING>,
  id STRING, exampleId STRING, label INT, features MAP<STRING, DOUBLE>
) WITH (
  'connector' = 'kafka', 'topic' = '$PREFIX-examples', 'properties.bootstrap.servers' = '$BOOTSTRAP',
  'key.format' = 'raw', 'key.fields' = 'model', 'value.fields-include' = 'EXCEPT_KEY',
  'value.format' = 'json', 'value.json.encode.ignore-null-fields' = 'true'
);
CREATE TABLE predictions (
  model STRING, exampleId STRING, labelText STRING, score DOUBLE
) WITH (
  'connector' = 'kafka', 'topic' = '$PREFIX-predictions', 'properties.bootstrap.servers' = '$BOOTSTRAP',
  'properties.isolation.level' = 'read_committed', 'scan.startup.mode' = 'earliest-offset',
  'key.format' = 'raw', 'key.fields' = 'model', 'value.fields-include' = 'EXCEPT_KEY',
  'value.format' = 'avro-confluent', 'value.avro-confluent.url' = '$REGISTRY'
);
CREATE TABLE mistakes WITH ('topic' = '$PREFIX-mistakes') LIKE predictions;
