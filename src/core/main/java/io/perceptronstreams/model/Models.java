package io.perceptronstreams.model;

import io.perceptronstreams.settings.Settings;
import java.util.List;

/** The models of one partition, by name. Not thread-safe. */
public interface Models {
    /** The model of this name, or null if there never was one; it may be {@link ModelState#DELETED}. */
    LiveModel find(byte[] name);

    /**
     * Creates a model for a name for which {@link #find} returned null.
     *
     * <p>It is kept from its first {@link #changed} on: a model whose first record is rejected is dropped. Otherwise
     * the next record would find it or not, depending on a restart between the two.
     */
    LiveModel create(byte[] name);

    /** The settings of models to be created; see {@link ModelDefaults}. */
    Settings defaults();

    /** Sets the settings of models to be created. */
    void setDefaults(Settings defaults);

    /** The fence behind which the next record lies, or null. */
    Fence fence();

    /** Sets the fence behind which the next record lies, or null. */
    void setFence(Fence fence);

    /**
     * Checks that one more model may exist.
     *
     * @param name of that model
     * @throws io.perceptronstreams.example.RejectedException if the maximum is reached
     */
    void requireRoom(byte[] name);

    /**
     * Returns the model that was seen least recently if it must be deleted as idle, otherwise null.
     *
     * @param streamTime current stream time, in ms
     * @return may lack its blocks: use it only to delete it and to call {@link #end}
     */
    LiveModel idle(long streamTime);

    /**
     * Writes a deleted model at once, removes its stored blocks, and drops it from memory.
     *
     * @param endedEpochs of the model and its shadow
     * @param record after which it was deleted
     */
    void end(LiveModel deleted, List<Long> endedEpochs, InputRecord record);

    /** Marks a model changed by a record. */
    void changed(LiveModel model, InputRecord record);

    /** Marks a model changed by the publication of its status, without a record. */
    void statusPublished(LiveModel model);

    /**
     * Removes the stored blocks of an ended epoch: of a model after a reset, delete or takeover, or of a dropped
     * shadow.
     *
     * @param record that ended it; the model is written at once with its position
     */
    void removeEpoch(LiveModel model, long endedEpoch, InputRecord record);

    /**
     * Begins the epoch of a model that was replaced: writes all of it at once, and removes the ended epoch.
     *
     * @param record that replaced the model
     */
    void replaceEpoch(LiveModel model, long endedEpoch, InputRecord record);

    /** Writes a model at once after a record, with all blocks of a challenger, which begins with a copy of them. */
    void beginEpoch(LiveModel model, EpochModel challenger, InputRecord record);

    /** Writes a model at once after a record, because a replay will not find the input of the change. */
    void writeNow(LiveModel model, InputRecord record);

    /**
     * Stores a chunk of an import, as durably as a model and separately from it, until {@link #unstage}.
     *
     * @param chunk from 0
     * @param offset of its record
     */
    void stage(byte[] name, int chunk, byte[] value, long offset);

    /** A stored chunk, or null. */
    byte[] staged(byte[] name, int chunk);

    /**
     * Removes all stored chunks of a name.
     *
     * @param offset of the record that ended the import
     */
    void unstage(byte[] name, long offset);

    /**
     * Returns true if all changes of chunks by the record at this offset are durable already, because this is a replay.
     */
    boolean hasStaged(long offset);
}
