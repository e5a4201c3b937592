/**
 * An online-learning engine on Kafka: examples in, predictions and mistakes out, weights that survive any crash.
 *
 * <p>The packages follow the path of an example. A package imports only from those above it (checked by {@code ArchitectureTest}):
 *
 * <ol>
 *   <li>{@code example}: what is seen: features, labels, hashing, reasons for a refusal
 *   <li>{@code state}: fields of stored state, written and read, and files that only their owner reads
 *   <li>{@code drift}: tests on streams of errors: drift detectors, the trial between two models
 *   <li>{@code weights}: numbers in blocks: block vectors, sparse rows
 *   <li>{@code settings}: settings of a model and the values that they may have
 *   <li>{@code learner}: linear learners of two classes, one class each; the contract of all learners
 *   <li>{@code multiclass}, {@code kernel}, {@code structured}: the other learners
 *   <li>{@code algorithm}: algorithms by name, each with its learner and traits
 *   <li>{@code labels}: labels that come after or before their examples: what waits, and the last ids
 *   <li>{@code evaluation}: counts, windows, confusion matrix and metrics of outcomes, with baselines
 *   <li>{@code model}: one model's life, record by record: pipeline, scaling, advice, drift, import, batch training
 *   <li>{@code theory}: mistake bounds and certificates, a class per theorem
 *   <li>{@code event}: the events, generated from {@code schemas/}
 *   <li>{@code registry}: what is asked of a schema registry, and one in memory
 *   <li>{@code serde}: events: bytes to records and back, topics and their schemas
 *   <li>{@code format}: files: libsvm, csv, jsonl, vw, conllu
 *   <li>{@code store}: models that survive: headers, blocks, positions, checkpoints
 *   <li>{@code registry.http}: the client of a schema registry over HTTP
 *   <li>{@code config}: settings of the engine
 *   <li>{@code cluster}: topics, the engine's group and open transactions, as a client of the brokers reads them
 *   <li>{@code log}: records of a partition applied to its models: at first, after a crash, in a replica, again to compare
 *   <li>{@code topology}: the stream program: batches, transactions, checkpoints, checks at the start
 *   <li>{@code embed}: inside another program: a model without Kafka or in its topology, or the engine
 *   <li>{@code access}: clients of the HTTP API: credentials, roles and models
 *   <li>{@code monitor}: HTTP API, dashboard, metrics; reads topics only, and passes on what clients send by HTTP
 *   <li>{@code embedded}: a broker and a registry in this process
 *   <li>{@code client}: what commands share: producing, following topics, commands, weights files
 *   <li>{@code deadletters}: dead letters, shown and sent again
 *   <li>{@code gateway}: events by HTTP or from a terminal, and their answers
 *   <li>{@code relearn}: a model's log, learned again, to compare
 *   <li>{@code cli}: one class per command
 * </ol>
 *
 * <pre>
 *   examples ─► ExampleDecoder ─► ModelStore ─► Model ─► predictions | mistakes | counts | models | weights | alerts
 *                    │                             │
 *                    └─► dead letters              └─► changed blocks, every few seconds, to RocksDB and the changelog
 * </pre>
 *
 * <p>{@link io.perceptronstreams.Main} is where the program starts.
 */
package io.perceptronstreams;
