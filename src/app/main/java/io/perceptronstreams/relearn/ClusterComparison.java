package io.perceptronstreams.relearn;

import io.perceptronstreams.client.CommandFailedException;
import io.perceptronstreams.client.StatusReader;
import io.perceptronstreams.cluster.TopicScan;
import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.event.ModelState;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.log.ModelLog;
import io.perceptronstreams.log.NamedSnapshot;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.registry.http.SchemaRegistries;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.serde.Topic;
import java.util.Iterator;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Comparison of models on two clusters, the examples topic of one of which is a copy of that of the other.
 *
 * <p>Of each model, its records that both engines have processed are compared with one another, in their order. Then
 * each side is verified by its own log, as {@link Verification} does, and the {@linkplain ModelDigest digests} are
 * compared after the last record that both have processed. Cost for a model: each of the two partitions is read twice
 * and learned once. Reads only.
 */
public final class ClusterComparison {
    /** What a comparison of a model has found. */
    public enum Verdict {
        EQUAL,
        DIFFERENT,
        INCOMPARABLE
    }

    /**
     * Result for a model.
     *
     * @param text for people, without the model's name
     */
    public record Result(Verdict verdict, String text) {}

    private static final int SHOWN_DIGITS = 16;

    private final Side here;
    private final Side there;
    private final boolean omitsUnsigned;
    private final String tag;

    /**
     * Creates a comparison.
     *
     * @param omitsUnsigned true if commands and weights without a valid signature are left out
     * @param tag name of the snapshot from which both sides start; null for the first record
     * @param notes receives a line where brokers do not answer
     */
    public ClusterComparison(
            EngineConfig here, EngineConfig there, boolean omitsUnsigned, String tag, Consumer<String> notes) {
        this.here = new Side("here", here, line -> notes.accept("here: " + line));
        this.there = new Side("there", there, line -> notes.accept("there: " + line));
        this.omitsUnsigned = omitsUnsigned;
        this.tag = tag;
    }

    /** One of the two clusters. */
    private record Side(String name, EngineConfig config, Consumer<String> notes) {
        CommandFailedException failure(RuntimeException cause) {
            return new CommandFailedException(name + ": " + cause.getMessage(), cause);
        }

        void addModels(SortedSet<String> names) {
            try (SchemaRegistry registry = SchemaRegistries.of(config.registry());
                    TopicScan tail = TopicScan.open(config, config.topic(Topic.MODELS))) {
                StatusReader.latest(tail, EventReader.of(ModelStatus.class, registry))
                        .forEach((name, latest) -> {
                            if (!ModelDefaults.isStatusKey(name)
                                    && latest.status().getState() != ModelState.DELETED) {
                                names.add(name);
                            }
                        });
            }
        }
    }

    /** Names of the models that one of the engines has, ascending. */
    public SortedSet<String> models() {
        SortedSet<String> names = new TreeSet<>();
        here.addModels(names);
        there.addModels(names);
        return names;
    }

    /** Compares a model. */
    public Result compare(String model) {
        try {
            RecordPairs pairs = pairs(model);
            if (pairs.isDifferent()) {
                return different(String.format(
                        Locale.ROOT,
                        "%,d records are equal, then %s here is another one than %s there: one region has learned what"
                                + " the other has not (topics check --against names the reason)",
                        pairs.common(),
                        RecordPairs.place(pairs.hereNext()),
                        RecordPairs.place(pairs.thereNext())));
            }
            if (pairs.common() == 0) {
                return incomparable("one of the engines has processed no record of the model" + ahead(pairs));
            }
            String ours = digest(here, model, pairs.common());
            String theirs = digest(there, model, pairs.common());
            String places =
                    RecordPairs.place(pairs.hereLast()) + " here, " + RecordPairs.place(pairs.thereLast()) + " there";
            return ours.equals(theirs)
                    ? new Result(
                            Verdict.EQUAL,
                            String.format(
                                    Locale.ROOT,
                                    "equal after %,d records, digest %s: %s%s",
                                    pairs.common(),
                                    shown(ours),
                                    places,
                                    ahead(pairs)))
                    : different(String.format(
                            Locale.ROOT,
                            "%,d records are equal, the models after them are not: digest %s at %s, digest %s at %s (do"
                                    + " both engines have the same settings, registry and version?)",
                            pairs.common(),
                            shown(ours),
                            RecordPairs.place(pairs.hereLast()) + " here",
                            shown(theirs),
                            RecordPairs.place(pairs.thereLast()) + " there"));
        } catch (Difference e) {
            return different(e.getMessage());
        } catch (CommandFailedException e) {
            return incomparable(e.getMessage());
        }
    }

    private static String ahead(RecordPairs pairs) {
        if (pairs.hereMore() == 0 && pairs.thereMore() == 0) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                "; the engine %s has processed %,d more records",
                pairs.hereMore() > 0 ? "here" : "there",
                pairs.hereMore() + pairs.thereMore());
    }

    private static String shown(String digest) {
        return digest.substring(0, SHOWN_DIGITS);
    }

    private static Result different(String text) {
        return new Result(Verdict.DIFFERENT, text);
    }

    private static Result incomparable(String text) {
        return new Result(Verdict.INCOMPARABLE, text);
    }

    private RecordPairs pairs(String model) {
        try (Processed ours = processed(here, model);
                Processed theirs = processed(there, model)) {
            RecordPairs pairs = RecordPairs.of(ours.records(), theirs.records());
            // a record that one log lacks makes each pair behind it differ
            if (pairs.isDifferent() && (ours.start.isCut() || theirs.start.isCut())) {
                Side side = ours.start.isCut() ? here : there;
                throw new CommandFailedException(side.name + ": " + (ours.start.isCut() ? ours : theirs).start.cut());
            }
            return pairs;
        }
    }

    private Processed processed(Side side, String model) {
        ModelLog log = ModelLog.open(side.config, model, side.notes);
        try (SchemaRegistry registry = SchemaRegistries.of(side.config.registry())) {
            if (!side.config.generation().isFirst()) {
                throw new CommandFailedException("only the first generation of topics can be compared, got "
                        + side.config.generation().prefix());
            }
            ModelStatus status = Verification.latestStatus(log, registry);
            long end = log.endAfter(status.getOffset());
            RunStart start = RunStart.of(side.config, log, status, end, tag, line -> {});
            return new Processed(log, log.sent(Topic.EXAMPLES), start, end);
        } catch (CommandFailedException e) {
            log.close();
            throw side.failure(e);
        } catch (RuntimeException e) {
            log.close();
            throw e;
        }
    }

    /** The model's records that an engine has processed. */
    private record Processed(ModelLog log, ModelLog.Sent sent, RunStart start, long end) implements AutoCloseable {
        Iterator<ConsumerRecord<byte[], byte[]>> records() {
            NamedSnapshot snapshot = start.input().start();
            // the command of a named snapshot has another offset on each side
            long from = snapshot == null ? 0 : snapshot.offset() + 1;
            return new Iterator<>() {
                private ConsumerRecord<byte[], byte[]> next;

                @Override
                public boolean hasNext() {
                    while (next == null && sent.hasNext()) {
                        ConsumerRecord<byte[], byte[]> candidate = sent.next();
                        if (candidate.offset() >= end) {
                            return false;
                        }
                        next = candidate.offset() < from ? null : candidate;
                    }
                    return next != null;
                }

                @Override
                public ConsumerRecord<byte[], byte[]> next() {
                    if (!hasNext()) {
                        throw new NoSuchElementException();
                    }
                    ConsumerRecord<byte[], byte[]> taken = next;
                    next = null;
                    return taken;
                }
            };
        }

        @Override
        public void close() {
            sent.close();
            log.close();
        }
    }

    private String digest(Side side, String model, long records) {
        try {
            return Verification.of(side.config, model, omitsUnsigned, tag, records, line -> {})
                    .digest();
        } catch (Difference e) {
            throw new Difference(side.name + ": " + e.getMessage(), e.sent(), e.relearned());
        } catch (CommandFailedException e) {
            throw side.failure(e);
        }
    }
}
