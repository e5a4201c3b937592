/**
 * An online-learning engine on Kafka: examples in, predictions and mistakes out, weights that survive any crash.
 *
 * <p>The packages follow the path of an example, in four modules: {@code core}, {@code events}, {@code engine},
 * {@code app}; docs/architecture.md has the map.
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
