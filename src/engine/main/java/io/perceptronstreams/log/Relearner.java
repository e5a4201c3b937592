package io.perceptronstreams.log;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.ImportPurpose;
import io.perceptronstreams.model.InputRecord;
import io.perceptronstreams.model.LiveModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelDefaults;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.PendingStatuses;
import io.perceptronstreams.registry.RegistryException;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.CommandSignature;
import io.perceptronstreams.serde.ExampleList;
import io.perceptronstreams.serde.InputDecoder;
import io.perceptronstreams.serde.JsonTimestamp;
import io.perceptronstreams.settings.Settings;
import io.perceptronstreams.store.AllowedSettings;
import io.perceptronstreams.store.DiskStore;
import io.perceptronstreams.store.ModelStore;
import io.perceptronstreams.store.Refusals;
import io.perceptronstreams.store.StoreCounters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.utils.Utils;

/**
 * Learns one model again from its log, into a store of its own in a temporary directory, and passes its events to a
 * listener.
 *
 * <p>Of the records of other models only the event time counts, and only if idle models are deleted. Not thread-safe.
 */
public final class Relearner implements AutoCloseable {
    private static final long CACHE_BYTES = 8 << 20;

    private final ModelInput input;
    private final byte[] key;
    private long aheadMs;
    private final Path directory;
    private final DiskStore inner;
    private final ModelStore store;
    private final ReplayedEvents events;
    private final RegistryRetry registryRetry = new RegistryRetry(0);
    // of the generation of the present record
    private ModelInput current;
    private PartitionModels models;
    private RecordReplayer replayer;
    private final Changes changes;
    private final ChangeMatches matches;
    private final SharedExamples shared;
    private final ChangedInput decoder;
    private final Map<Integer, RejectedException> refusedParts = new TreeMap<>();
    private int part;
    // null if idle models are kept
    private final IdleModels idle;
    private long records;
    private long omitted;
    private final List<Long> imports = new ArrayList<>();
    private final SignatureNotes signatures;
    private final List<Long> unsigned = new ArrayList<>();
    private final List<Long> omittedUnsigned = new ArrayList<>();
    private long unauthorised;
    private long offset;
    // of the present record
    private boolean isCommand;
    private boolean isOmittedUnsigned;
    private boolean hasBegun;
    private long beginning = -1;
    private long beginningTime;
    // of a record that is only read
    private final Example example = new Example();
    private final Parts parts = new Parts();

    /** Creates a run over the log as it is. */
    public Relearner(ModelInput input, SchemaRegistry registry, ReplayedEvents events) {
        this(input, registry, Changes.NONE, events);
    }

    /** Creates a run that shares its examples with no other one. */
    public Relearner(ModelInput input, SchemaRegistry registry, Changes changes, ReplayedEvents events) {
        this(input, registry, changes, new SharedExamples(1), events);
    }

    /**
     * Creates a run without records.
     *
     * @param registry stays open
     * @param changes what would have been another way
     * @param shared with other runs in the same thread
     * @param events listener
     * @throws IllegalArgumentException if no model can have the settings, or the named snapshot cannot that is the
     *     start
     * @throws UncheckedIOException if the temporary directory cannot be created
     */
    public Relearner(
            ModelInput input, SchemaRegistry registry, Changes changes, SharedExamples shared, ReplayedEvents events) {
        Settings defaults = ModelDefaults.changed(Settings.DEFAULTS, changes.settings());
        this.changes = changes;
        this.matches = new ChangeMatches(changes);
        this.shared = shared;
        this.input = input;
        this.key = input.model().getBytes(StandardCharsets.UTF_8);
        this.events = events;
        try {
            directory = Files.createTempDirectory("perceptron-relearn");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        inner = new DiskStore(directory, CACHE_BYTES);
        store = new ModelStore(inner, new StoreCounters(), Long.MAX_VALUE);
        // imports are staged at a position
        store.setDefaults(defaults);
        store.checkpoint(input.topicId(), 0, input.decisions(), false);
        decoder = new ChangedInput(registry, changes, matches, shared);
        idle = input.idleMs() > 0 ? new IdleModels(input, new InputDecoder(registry)) : null;
        signatures = new SignatureNotes(input.commandKeys());
        use(input.at(input.start() == null ? -1 : input.start().offset()));
        if (input.start() != null) {
            start();
        }
    }

    /** Goes on with the records of a generation: nothing but the partition changes, and there is no fence yet. */
    private void use(ModelInput generation) {
        current = generation;
        aheadMs = generation.decisions().aheadMs();
        store.setFence(null);
        matches.setPartition(generation.partition());
        decoder.setPartition(generation.partition());
        models = new PartitionModels(
                generation.partition(),
                store,
                decoder,
                registryRetry,
                PendingStatuses.unpublished(),
                generation.records());
        replayer = new RecordReplayer(models, events, parts, signatures, generation.decisions(), generation.topic());
    }

    private void start() {
        try {
            LiveModel live = store.create(key);
            input.start().restore(live.model(), changes.settings());
            long time = store.streamTime();
            store.beginEpoch(
                    live,
                    live.model().current(),
                    new InputRecord(key, input.start().offset(), time, time, false));
            hasBegun = true;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Listens to the examples of a record that has several. */
    public interface PartListener {
        /**
         * An example is used next.
         *
         * @param part its number, from 0
         * @param example as the model decodes it now, with the id of its prediction; valid until {@link #after}
         */
        void before(int part, Example example);

        /** The example of the last {@link #before} was used or refused. */
        void after();
    }

    /**
     * Changes or leaves out the examples of records that have several, notes those that are refused, and passes them to
     * a listener.
     */
    private final class Parts implements RecordEvents {
        // Decodes examples once more for the listener: the model changes those that it uses.
        private InputDecoder again;
        private PartListener listener;
        private ConsumerRecord<byte[], byte[]> record;
        // number of the last example that was begun
        private int last;
        private boolean isOpen;

        @Override
        public void beginExamples(int count) {
            last = -1;
            isOpen = false;
            if (listener != null) {
                if (again == null) {
                    again = decoder.another();
                }
                // takes the record apart; it could be read just now
                again.decode(record.value(), hasher(), example);
            }
        }

        @Override
        public void beginExample(int itsPart, long eventTime) {
            part = itsPart;
            if (listener != null && itsPart != last) {
                close();
                last = itsPart;
                open(itsPart);
            }
        }

        private void open(int itsPart) {
            try {
                again.examples().decode(itsPart, hasher(), example);
            } catch (RejectedException | RegistryException e) {
                // it is refused
                return;
            }
            models.identify(example, record.offset(), itsPart);
            isOpen = true;
            listener.before(itsPart, example);
        }

        private void close() {
            if (isOpen) {
                isOpen = false;
                listener.after();
            }
        }

        @Override
        public void endExamples() {
            if (listener != null) {
                close();
            }
        }

        @Override
        public boolean uses(Example several, long eventTime) {
            if (isOmitted(several, eventTime)) {
                omitted++;
                return false;
            }
            decoder.changeLabel(several, eventTime);
            return true;
        }

        private boolean isOmitted(Example another, long eventTime) {
            return matches.omitsTime(eventTime) || matches.omitsId(another.id());
        }

        /** Not counted: the record was left out when it came, before the import. */
        @Override
        public boolean usesAgain(Example lacked, long offset, long eventTime) {
            if (matches.omitsOffset(offset) || isOmitted(lacked, eventTime)) {
                return false;
            }
            decoder.changeLabel(lacked, eventTime);
            return true;
        }

        @Override
        public void refused(List<Integer> parts, byte[] value, RejectedException why, long streamTime) {
            parts.forEach(each -> refusedParts.put(each, why));
        }
    }

    /**
     * Notes commands that the engine would refuse now for their signature. They are executed, as they have no dead
     * letter, or left out with {@link Changes#omitsUnsigned}.
     */
    private final class SignatureNotes extends CommandCheck {
        SignatureNotes(List<String> keys) {
            super(keys, AllowedSettings.all(), store.signedTimes());
        }

        @Override
        void accept(byte[] name, byte[] value, Headers headers, Map<String, String> settings) {
            isCommand = true;
            try {
                super.accept(name, value, headers, settings);
            } catch (RejectedException e) {
                if (changes.omitsUnsigned()) {
                    isOmittedUnsigned = true;
                    throw e;
                }
                unsigned.add(offset);
            }
        }

        /** Makes copies of a record invalid that is not executed here, if the engine has accepted its signature. */
        void acceptOnly(ConsumerRecord<byte[], byte[]> record, int place) {
            Headers headers = record.headers();
            if (input.commandKeys().isEmpty()
                    || record.value() == null
                    || headers.lastHeader(CommandSignature.HEADER) == null) {
                return;
            }
            EventTime.of(record, aheadMs);
            if (headers.lastHeader(EventTime.REFUSED) != null) {
                return;
            }
            shared.at(place);
            at(record);
            try {
                InputHeaders.check(headers, record.value());
                InputDecoder.Kind kind = decoder.decode(record.value(), hasher(), example);
                if (kind == InputDecoder.Kind.COMMAND || kind == InputDecoder.Kind.WEIGHTS) {
                    super.accept(record.key(), record.value(), headers, Map.of());
                }
            } catch (RejectedException | RegistryException e) {
                // the engine has not accepted it
            }
        }
    }

    /** Number of the current example, from 0, of a record of several; 0 of any other record. */
    public int part() {
        return part;
    }

    /** The examples of the last record that were refused without the others, by their number. */
    public Map<Integer, RejectedException> refusedParts() {
        return refusedParts;
    }

    /**
     * Learns the next record of the partition.
     *
     * @return the reason for which a record of the model was refused, or null
     */
    public RejectedException relearn(ConsumerRecord<byte[], byte[]> record) {
        shared.clear();
        return relearn(record, 0);
    }

    /**
     * Learns the next record of the partition.
     *
     * @param listener receives its examples if it has several
     * @return the reason for which a record of the model was refused, or null
     */
    public RejectedException relearn(ConsumerRecord<byte[], byte[]> record, PartListener listener) {
        parts.listener = listener;
        parts.record = record;
        try {
            return relearn(record);
        } finally {
            parts.listener = null;
        }
    }

    /**
     * Learns the next record of the partition, decoding it only if no other run has.
     *
     * @param place of the record in its block
     * @return the reason for which a record of the model was refused, or null
     */
    public RejectedException relearn(ConsumerRecord<byte[], byte[]> record, int place) {
        part = 0;
        offset = record.offset();
        ModelInput generation = input.at(offset);
        if (!generation.topic().equals(current.topic())) {
            use(generation);
        }
        refusedParts.clear();
        boolean isOwn = isOwn(record);
        // behind a fence it is no record of the model, but where it was sent on to
        boolean isUsed = isOwn && store.fence() == null;
        records += isUsed ? 1 : 0;
        if (isUsed && !input.isBeforeStart(offset) && omits(record, place)) {
            omitted++;
            RejectReason reason = current.refused().get(record.offset());
            if (reason == null || LogReplay.endsImport(reason)) {
                signatures.acceptOnly(record, place);
            }
            return null;
        }
        RejectedException refused = null;
        if (isOwn || ModelDefaults.isKey(record.key())) {
            refused = use(record, place);
            if (isOwn && !hasBegun && store.find(key) != null) {
                hasBegun = true;
                beginning = isCommand ? offset : -1;
                beginningTime = EventTime.of(record, aheadMs);
            }
        } else if (expires()) {
            store.passTime(EventTime.of(record, aheadMs));
            idle.note(record, store.streamTime());
        }
        if (expires() && store.fence() == null) {
            expire(record.offset());
        }
        return isOwn ? refused : null;
    }

    private RejectedException use(ConsumerRecord<byte[], byte[]> record, int place) {
        RejectReason reason = current.refused().get(record.offset());
        if (reason != null) {
            store.refusals().add(record.offset(), LogReplay.effect(reason, Refusals.Effect.MAY_END_IMPORT));
            unauthorised += reason == RejectReason.NOT_AUTHORISED ? 1 : 0;
            if (LogReplay.endsImport(reason)) {
                // its signature was accepted before
                signatures.acceptOnly(record, place);
            }
        }
        shared.at(place);
        at(record);
        isCommand = false;
        isOmittedUnsigned = false;
        RejectedException refused = replayer.relearn(record);
        if (isOmittedUnsigned) {
            omittedUnsigned.add(offset);
            // weights that replace the model may lack it
            store.refusals().add(offset, Refusals.Effect.NOT_AUTHORISED);
            omitted += isOwn(record) ? 1 : 0;
            return null;
        }
        if (refused == null && reason == null && decoder.isLastChunk() && !isComparator(record)) {
            imports.add(record.offset());
        }
        return refused;
    }

    private static boolean isComparator(ConsumerRecord<byte[], byte[]> record) {
        Header purpose = record.headers().lastHeader(ImportPurpose.HEADER);
        return purpose != null
                && Arrays.equals(
                        purpose.value(), ImportPurpose.COMPARATOR.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Offsets of the records with which imported weights became the model or a challenger. */
    public List<Long> imports() {
        return imports;
    }

    /**
     * Offsets of the commands and chunks of weights that were executed though their signature is missing, is of none of
     * the keys, or is that of an earlier one. The engine refuses such records with a dead letter, unless it had another
     * key then.
     */
    public List<Long> unsigned() {
        return unsigned;
    }

    /** Offsets of the commands and chunks of weights that were left out because of their signature. */
    public List<Long> omittedUnsigned() {
        return omittedUnsigned;
    }

    /**
     * Number of the commands and chunks of weights that the engine has refused as {@link RejectReason#NOT_AUTHORISED}.
     */
    public long unauthorised() {
        return unauthorised;
    }

    /**
     * Offset of the command, or of the last chunk of weights, with which the model began; -1 if it began with an
     * example, or not at all.
     */
    public long beginning() {
        return beginning;
    }

    /** Returns true if this run has left out the command, or the weights, with which the model of another one began. */
    public boolean omitsBeginningOf(Relearner other) {
        return other.beginning >= 0
                && (changes.omits(input.at(other.beginning).partition(), other.beginning)
                        || changes.omits(other.beginningTime)
                        || omittedUnsigned.contains(other.beginning));
    }

    private void expire(long offset) {
        LiveModel live = store.find(key);
        if (live != null && live.position() == offset) {
            idle.note(key, live.model().state() != ModelState.DELETED, store.streamTime());
        }
        if (idle.expire(key, store.streamTime())) {
            replayer.expire(key, offset);
        }
    }

    /** Returns true for the records of the model. */
    public boolean isOwn(ConsumerRecord<byte[], byte[]> record) {
        return Arrays.equals(record.key(), key);
    }

    /** Returns true for records that have an effect; others may be left out. */
    public boolean needs(ConsumerRecord<byte[], byte[]> record) {
        return expires() || isOwn(record) || ModelDefaults.isKey(record.key());
    }

    private boolean omits(ConsumerRecord<byte[], byte[]> record, int place) {
        // the examples of an array have times of their own
        boolean hasTime = !changes.times().isEmpty() && !ExampleList.isArray(record.value());
        if (matches.omitsOffset(record.offset()) || (hasTime && matches.omitsTime(EventTime.of(record, aheadMs)))) {
            return true;
        }
        if (changes.ids().isEmpty() || record.value() == null) {
            return false;
        }
        shared.at(place);
        at(record);
        try {
            return decoder.isOmitted(decoder.decode(record.value(), hasher(), example), example);
        } catch (RejectedException | RegistryException e) {
            // the dispatcher decides what that means
            return false;
        }
    }

    /**
     * Decodes the example of a record as the model would now, without a change.
     *
     * @return valid until the next call, with the id of its prediction; null if the record is none of an example of the
     *     model
     */
    public Example example(ConsumerRecord<byte[], byte[]> record) {
        if (!isOwn(record) || record.value() == null) {
            return null;
        }
        shared.clear();
        shared.at(0);
        at(record);
        try {
            if (decoder.decode(record.value(), hasher(), example) != InputDecoder.Kind.EXAMPLE) {
                return null;
            }
            models.identify(example, record.offset());
            return example;
        } catch (RejectedException | RegistryException e) {
            return null;
        }
    }

    private FeatureHasher hasher() {
        return models.hasher(store.find(key));
    }

    private boolean expires() {
        return idle != null;
    }

    /** The model, deleted or not; null if there never was one. */
    public Model model() {
        LiveModel live = store.find(key);
        return live == null ? null : live.model();
    }

    /** The changes that have matched a record, and those that have not. */
    public ChangeMatches matches() {
        return matches;
    }

    /** Number of records of the model so far, without those behind a fence. */
    public long records() {
        return records;
    }

    /** Number of records of the model, and of examples of records of several, that were left out. */
    public long omitted() {
        return omitted;
    }

    /** Deletes the store. */
    @Override
    public void close() {
        store.close();
        inner.close();
        try {
            Utils.delete(directory.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void at(ConsumerRecord<byte[], byte[]> record) {
        decoder.at(record.offset(), changes.knownFrom().isEmpty() ? 0 : time(record));
    }

    private static long time(ConsumerRecord<byte[], byte[]> record) {
        try {
            return JsonTimestamp.of(record.value(), record.timestamp());
        } catch (IllegalArgumentException e) {
            // the record is refused for it
            return record.timestamp();
        }
    }
}
