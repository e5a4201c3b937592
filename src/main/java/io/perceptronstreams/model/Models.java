package io.perceptronstreams.model;

/** The models of one partition, by name. Not thread-safe. */
public interface Models {
    /** The model of this name, or null if there never was one; it may be {@link io.perceptronstreams.model.Model.State#DELETED}. */
    LiveModel find(byte[] name);

    /**
     * A new model of a name that {@link #find} does not know.
     *
     * <p>It is kept from its first {@link #changed} on: a model whose first record is refused leaves no trace. Otherwise the next
     * record would find it or not, depending on a restart between the two.
     */
    LiveModel create(byte[] name);

    /**
     * Makes sure that one more model may exist.
     *
     * @param name of that model
     * @throws io.perceptronstreams.example.RejectedException if there are as many as may be
     */
    void requireRoom(byte[] name);

    /**
     * The model that was seen least recently, if it is idle for so long that it is to be deleted; otherwise null.
     *
     * @param streamTime to which it is idle, in ms
     * @return one that may lack its blocks: good for being deleted and passed to {@link #end}, and for nothing else
     */
    LiveModel idle(long streamTime);

    /**
     * Writes a model that has just been deleted at once, removes what is stored of it, and drops it from memory.
     *
     * @param record in whose course it was deleted
     */
    void end(LiveModel deleted, InputRecord record);

    /** Notes that a record was applied to a model. */
    void changed(LiveModel model, InputRecord record);

    /**
     * Removes what is stored of an epoch that has ended: by a reset, delete or takeover, or that of a challenger that was dropped.
     *
     * @param record that ended it; the model is written at once with its position
     */
    void removeEpoch(LiveModel model, long endedEpoch, InputRecord record);

    /**
     * Begins the epoch of a model that has just become another one: writes all of it at once, and removes its last epoch.
     *
     * @param record that replaced the model
     */
    void replaceEpoch(LiveModel model, long endedEpoch, InputRecord record);

    /** Writes a model at once after a record, because what it was made from will not be there for a replay. */
    void writeNow(LiveModel model, InputRecord record);

    /**
     * Puts a chunk of an import aside, as durable as a model and apart from it, until {@link #unstage}.
     *
     * @param chunk from 0
     * @param offset of the record that brought it
     */
    void stage(byte[] name, int chunk, byte[] value, long offset);

    /** A chunk that was put aside, or null. */
    byte[] staged(byte[] name, int chunk);

    /**
     * Removes all chunks that were put aside under a name.
     *
     * @param offset of the record that ended the import
     */
    void unstage(byte[] name, long offset);

    /** Whether everything that the record at this offset did to chunks of imports is durable already, because this is a replay. */
    boolean hasStaged(long offset);
}
