package io.perceptronstreams.labels;

import io.perceptronstreams.example.Utf8Slice;
import java.util.List;

/**
 * Stored records of one model beside its weights: what waits, and the ids of its last examples.
 *
 * <p>A put with null removes the record. Reads see the puts of finished writes of the model.
 */
public interface WaitingStore {
    /** The example or label of an id in its {@linkplain WaitingForm stored form}, or null. */
    byte[] waiting(Utf8Slice id);

    /**
     * The first entries behind one, in order.
     *
     * @param after null for the first of all
     */
    List<Due> due(Due after, int limit);

    /** A block of {@link RecentIds}; null if it is missing. */
    long[] ids(long block);

    /** Writes or removes an example or label in its {@linkplain WaitingForm stored form}. */
    void put(Utf8Slice id, byte[] waiting);

    /** Writes or removes an entry. */
    void putDue(Due due, boolean isThere);

    /** Writes or removes a block of ids. */
    void putIds(long block, long[] ids);

    /**
     * The examples with labels that can be corrected, of the selected generation: records and a due list of their own,
     * without ids.
     */
    WaitingStore settled();

    /** Selects the records of a generation for all other methods; at first generation 0. */
    void open(long generation);

    /**
     * Selects a generation like {@link #open}; removes the records of earlier generations, long ranges later in
     * portions.
     */
    void begin(long generation);
}
