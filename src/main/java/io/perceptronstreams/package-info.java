/**
 * An online-learning engine that lives on Kafka: examples in, predictions and mistakes out, weights that survive any crash.
 *
 * <p>The packages follow the way of an example; each imports only from those above it (checked by {@code ArchitectureTest}):
 *
 * <ol>
 *   <li>{@code example}: what is seen
 *   <li>{@code drift}: whether the world has changed
 *   <li>{@code weights}: numbers in blocks
 *   <li>{@code learner}: what learns
 *   <li>{@code model}: one model's life, record by record
 *   <li>{@code theory}: the theorems about it
 *   <li>{@code serde}: bytes to records and back, and the schema registry
 *   <li>{@code store}: models that survive
 *   <li>{@code topology}: the stream program, its start-up checks, and the replay after a crash
 *   <li>{@code monitor}: what a user looks at; reads the topics, and of ours only {@code serde}
 *   <li>{@code embedded}: a broker and a registry in this process
 *   <li>{@code cli}: what the user types
 * </ol>
 *
 * <pre>
 *   examples ─► ExampleDecoder ─► ModelStore ─► Model ─► predictions | mistakes | counts | models | weights | alerts
 *                    │                             │
 *                    └─► dead letters              └─► changed blocks, every few seconds, to RocksDB and the changelog
 * </pre>
 */
package io.perceptronstreams;
