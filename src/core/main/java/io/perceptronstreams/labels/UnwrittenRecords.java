package io.perceptronstreams.labels;

import io.perceptronstreams.example.TableSeed;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.state.StoredFields;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/**
 * The examples and labels of a model that were added since the last write: by id, and in the order of the due list.
 *
 * <p>Heap: at most about four times the bytes of the records, 24 to 48 bytes more for each, and an object for each that
 * is due before one that was added earlier. Cost per call: O(bytes of the record), amortized. Not thread-safe.
 */
final class UnwrittenRecords {
    /*
     * A record is an entry of a few large arrays: a head, the id, and the stored form; each entry follows the one that
     * was added before. With objects per record, which wait for a second or an hour, each young collection copies those
     * that were added since the last one, and searches the table of the others for references to new ones.
     *
     * The entries are the queue of those that were added in the order of the due list; a set has the others. A removed
     * entry stays until all before it are removed, or until the removed ones are more than the rest, which is then
     * copied to other arrays.
     *
     * An address is the number of an array and the position in it.
     */

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    // fields of the head of an entry, by their positions; the length is that of the whole entry
    private static final int LENGTH = 0;
    private static final int ID_LENGTH = 4;
    private static final int FLAGS = 8;
    private static final int PART = 12;
    private static final int TIME = 16;
    private static final int OFFSET = 24;
    private static final int HEAD = 32;

    private static final int IS_LABEL = 1;
    private static final int IS_QUEUED = 2;
    private static final int IS_REMOVED = 4;

    /** Length of an array, unless its only entry is longer. */
    private static final int MAX_LENGTH = 1 << 20;

    private static final int MIN_LENGTH = 512;
    private static final int MIN_SLOTS = 8;

    // removed entries are not worth a copy of the others
    private static final int MIN_REMOVED_BYTES = 16 * 1024;

    // heap of an entry in the set
    private static final int OUT_OF_ORDER_BYTES = 180;

    // as large as the largest record: one of the thread, not of each model
    private static final ThreadLocal<StoredFields> FORM = ThreadLocal.withInitial(StoredFields::new);

    private static final class Slab {
        final byte[] bytes;
        int end;

        Slab(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    // the first one has the number firstSlab
    private final List<Slab> slabs = new ArrayList<>(1);
    private long firstSlab;

    // arrays that became free are used again: a new one would be copied by young collections
    private final ArrayDeque<byte[]> spare = new ArrayDeque<>(1);
    private long heldBytes;

    // addresses of the first entry and of the first one that may be the head of the queue
    private long first;
    private long queueHead;

    // addresses plus 1 by hash, with linear probing, and 32 bits of the hash; 0 is free
    private long[] slots = new long[MIN_SLOTS];
    private int[] hashes = new int[MIN_SLOTS];
    private final TableSeed seed = new TableSeed();

    private int size;
    private int queued;
    private long bytes;
    private long removedBytes;

    private static final Utf8Slice NO_ID = new Utf8Slice();
    private Due lastQueued;
    private final TreeSet<Due> outOfOrder = new TreeSet<>();

    int size() {
        return size;
    }

    /**
     * The hash of an id for the other methods: another one in each object, so that nobody can make ids of equal hash.
     */
    long hash(Utf8Slice id) {
        return seed.hash(id.bytes(), id.offset(), id.length());
    }

    /** The example or label of an id, or null. */
    Waiting find(Utf8Slice id, long hash) {
        long found = slots[slot(id, (int) (hash >>> 1))];
        return found == 0 ? null : waiting(found - 1);
    }

    private Waiting waiting(long at) {
        byte[] slab = slab(at);
        int form = position(at) + HEAD + (int) INT.get(slab, position(at) + ID_LENGTH);
        return WaitingForm.read(new StoredFields(slab, form, position(at) + length(at)), id(at).copy());
    }

    /** Adds an example or label, whose id must not be there. */
    void add(Waiting waiting, long hash) {
        StoredFields form = FORM.get();
        form.clear();
        WaitingForm.write(form, waiting);
        Utf8Slice id = waiting.id();
        int length = HEAD + id.length() + form.size();
        size++;
        bytes += length;
        long at = append(length);
        byte[] slab = slab(at);
        int position = position(at);
        Due due = new Due(waiting.due(), waiting.offset(), waiting.part(), waiting.isLabel(), NO_ID);
        int flags = waiting.isLabel() ? IS_LABEL : 0;
        if (queued == 0 || due.compareTo(lastQueued) > 0) {
            lastQueued = due;
            queued++;
            flags |= IS_QUEUED;
        } else {
            outOfOrder.add(new Due(due.time(), due.offset(), due.part(), due.isLabel(), id.copy()));
        }
        INT.set(slab, position + LENGTH, length);
        INT.set(slab, position + ID_LENGTH, id.length());
        INT.set(slab, position + FLAGS, flags);
        INT.set(slab, position + PART, waiting.part());
        LONG.set(slab, position + TIME, waiting.due());
        LONG.set(slab, position + OFFSET, waiting.offset());
        System.arraycopy(id.bytes(), id.offset(), slab, position + HEAD, id.length());
        form.copyTo(slab, position + HEAD + id.length());
        if (2 * size > slots.length) {
            index(2 * slots.length);
        } else {
            insert(at, (int) (hash >>> 1));
        }
    }

    /** Removes the example or label of an id; returns false if there is none. */
    boolean remove(Utf8Slice id, long hash) {
        int slot = slot(id, (int) (hash >>> 1));
        if (slots[slot] == 0) {
            return false;
        }
        long at = slots[slot] - 1;
        free(slot);
        int flags = flags(at);
        if ((flags & IS_QUEUED) == 0) {
            outOfOrder.remove(due(at));
        } else {
            queued--;
        }
        INT.set(slab(at), position(at) + FLAGS, flags | IS_REMOVED);
        size--;
        bytes -= length(at);
        removedBytes += length(at);
        passRemoved();
        if (removedBytes > bytes + MIN_REMOVED_BYTES) {
            copyRest();
        }
        return true;
    }

    /** The first entries of the due list, in order. */
    List<Due> due(int limit) {
        List<Due> found = new ArrayList<>();
        while (queueHead != end() && !isInQueue(queueHead)) {
            queueHead = next(queueHead);
        }
        for (long at = queueHead; at != end() && found.size() < limit; at = next(at)) {
            if (isInQueue(at)) {
                found.add(due(at));
            }
        }
        if (outOfOrder.isEmpty()) {
            return found;
        }
        outOfOrder.stream().limit(limit).forEach(found::add);
        return found.stream().sorted().limit(limit).toList();
    }

    private boolean isInQueue(long at) {
        return (flags(at) & (IS_QUEUED | IS_REMOVED)) == IS_QUEUED;
    }

    /**
     * Calls {@code action} with the entry in the due list and the stored form of each, in the order in which they were
     * added.
     */
    void forEach(BiConsumer<Due, byte[]> action) {
        for (long at = first; at != end(); at = next(at)) {
            if (!isRemoved(at)) {
                int from = position(at) + HEAD + id(at).length();
                action.accept(due(at), Arrays.copyOfRange(slab(at), from, position(at) + length(at)));
            }
        }
    }

    void clear() {
        slabs.clear();
        spare.clear();
        outOfOrder.clear();
        firstSlab = 0;
        first = 0;
        queueHead = 0;
        heldBytes = 0;
        slots = new long[MIN_SLOTS];
        hashes = new int[MIN_SLOTS];
        size = 0;
        queued = 0;
        bytes = 0;
        removedBytes = 0;
        lastQueued = null;
    }

    /** Estimated heap, in bytes. */
    long heapBytes() {
        return heldBytes
                + (long) (Long.BYTES + Integer.BYTES) * slots.length
                + (long) OUT_OF_ORDER_BYTES * outOfOrder.size();
    }

    // entries

    private static int position(long at) {
        return (int) at;
    }

    private byte[] slab(long at) {
        return slabs.get((int) ((at >>> Integer.SIZE) - firstSlab)).bytes;
    }

    private int length(long at) {
        return (int) INT.get(slab(at), position(at) + LENGTH);
    }

    private int flags(long at) {
        return (int) INT.get(slab(at), position(at) + FLAGS);
    }

    private boolean isRemoved(long at) {
        return (flags(at) & IS_REMOVED) != 0;
    }

    /** The id in the array of the entry. */
    private Utf8Slice id(long at) {
        Utf8Slice id = new Utf8Slice();
        id.set(slab(at), position(at) + HEAD, (int) INT.get(slab(at), position(at) + ID_LENGTH));
        return id;
    }

    private boolean hasId(long at, Utf8Slice id) {
        byte[] slab = slab(at);
        int from = position(at) + HEAD;
        int length = (int) INT.get(slab, position(at) + ID_LENGTH);
        return Arrays.equals(slab, from, from + length, id.bytes(), id.offset(), id.offset() + id.length());
    }

    private Due due(long at) {
        byte[] slab = slab(at);
        int position = position(at);
        return new Due(
                (long) LONG.get(slab, position + TIME),
                (long) LONG.get(slab, position + OFFSET),
                (int) INT.get(slab, position + PART),
                (flags(at) & IS_LABEL) != 0,
                id(at).copy());
    }

    // the order of entries

    /** The address behind the last entry. */
    private long end() {
        return slabs.isEmpty()
                ? firstSlab << Integer.SIZE
                : ((firstSlab + slabs.size() - 1) << Integer.SIZE) | slabs.get(slabs.size() - 1).end;
    }

    private long next(long at) {
        int number = (int) ((at >>> Integer.SIZE) - firstSlab);
        long next = at + length(at);
        return position(next) == slabs.get(number).end && number + 1 < slabs.size()
                ? ((at >>> Integer.SIZE) + 1) << Integer.SIZE
                : next;
    }

    /** Returns the address of a new entry. */
    private long append(int length) {
        if (slabs.isEmpty() || slabs.get(slabs.size() - 1).end + length > slabs.get(slabs.size() - 1).bytes.length) {
            addSlab(length);
        }
        long at = end();
        slabs.get(slabs.size() - 1).end += length;
        return at;
    }

    private void addSlab(int minLength) {
        long end = end();
        int length = (int) Math.max(minLength, Math.min(MAX_LENGTH, Math.max(MIN_LENGTH, Math.max(heldBytes, bytes))));
        byte[] again = length == MAX_LENGTH ? spare.poll() : null;
        heldBytes += again == null ? length : 0;
        slabs.add(new Slab(again == null ? new byte[length] : again));
        long start = (firstSlab + slabs.size() - 1) << Integer.SIZE;
        first = first == end ? start : first;
        queueHead = queueHead == end ? start : queueHead;
    }

    /** Frees what removed entries take before the first of the others. */
    private void passRemoved() {
        while (first != end() && isRemoved(first)) {
            removedBytes -= length(first);
            first = next(first);
        }
        while (firstSlab < (first >>> Integer.SIZE)) {
            release(slabs.remove(0).bytes);
            firstSlab++;
        }
        if (first == end()) {
            // nothing is left
            slabs.get(0).end = 0;
            first = firstSlab << Integer.SIZE;
            queueHead = first;
        }
        queueHead = Math.max(queueHead, first);
    }

    private void release(byte[] slab) {
        if (slab.length == MAX_LENGTH && spare.size() < slabs.size()) {
            spare.add(slab);
        } else {
            heldBytes -= slab.length;
        }
    }

    private void copyRest() {
        List<Slab> old = List.copyOf(slabs);
        int from = position(first);
        spare.clear();
        slabs.clear();
        heldBytes = 0;
        removedBytes = 0;
        firstSlab = 0;
        first = 0;
        queueHead = 0;
        for (Slab slab : old) {
            int length;
            for (int position = from; position < slab.end; position += length) {
                length = (int) INT.get(slab.bytes, position + LENGTH);
                if (((int) INT.get(slab.bytes, position + FLAGS) & IS_REMOVED) == 0) {
                    long at = append(length);
                    System.arraycopy(slab.bytes, position, slab(at), position(at), length);
                }
            }
            from = 0;
        }
        int enough = slots.length;
        while (enough > MIN_SLOTS && enough > 8 * size) {
            enough /= 2;
        }
        index(enough);
    }

    // the table of ids

    /** Replaces the table of ids by one of this number of slots. */
    private void index(int length) {
        slots = new long[length];
        hashes = new int[length];
        for (long at = first; at != end(); at = next(at)) {
            if (!isRemoved(at)) {
                insert(at, (int) (hash(id(at)) >>> 1));
            }
        }
    }

    private void insert(long at, int hash) {
        int slot = hash & (slots.length - 1);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (slots.length - 1);
        }
        slots[slot] = at + 1;
        hashes[slot] = hash;
    }

    /** The slot of an id, or a free one. */
    private int slot(Utf8Slice id, int hash) {
        int slot = hash & (slots.length - 1);
        while (slots[slot] != 0 && !(hashes[slot] == hash && hasId(slots[slot] - 1, id))) {
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }

    /** Sum of the distances of all entries from the slots to which they belong. Cost: O(slots). */
    long distances() {
        long sum = 0;
        for (int slot = 0; slot < slots.length; slot++) {
            sum += slots[slot] == 0 ? 0 : (slot - hashes[slot]) & (slots.length - 1);
        }
        return sum;
    }

    private void free(int freed) {
        int free = freed;
        int mask = slots.length - 1;
        slots[free] = 0;
        for (int slot = free + 1 & mask; slots[slot] != 0; slot = slot + 1 & mask) {
            // may it move to the free slot? Not if its home lies behind it
            if ((slot - hashes[slot] & mask) >= (slot - free & mask)) {
                slots[free] = slots[slot];
                hashes[free] = hashes[slot];
                slots[slot] = 0;
                free = slot;
            }
        }
    }
}
