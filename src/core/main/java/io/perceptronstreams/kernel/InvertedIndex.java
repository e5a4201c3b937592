package io.perceptronstreams.kernel;

import io.perceptronstreams.example.FeatureVector;
import io.perceptronstreams.example.TableSeed;
import java.util.Arrays;

/**
 * The support vectors by feature: computes ⟨x,z⟩ for all of them in one pass over the non-zeros of x.
 *
 * <p>Cost: O(pairs of equal features) on sparse data, O(non-zeros of x · vectors) on dense data. Each sum runs in
 * ascending feature index, with every product and sum rounded: the bits are those of the plain inner product, in any
 * order of additions and removals of vectors.
 */
final class InvertedIndex {
    /*
     * A column holds the values of its feature in all vectors. If few vectors have the feature, it is sparse: pairs
     * (slot, value). From about a quarter of the slots on it is dense: values by slot, zeros included, because plain
     * loops over arrays are faster than scattered additions.
     */
    // A column is dense from this number of values and this share of the slots on; below half that share it is sparse
    // again.
    private static final int DENSE_FROM = 8;
    private static final int DENSE_SHARE = 4;

    private static final class Column {
        final int feature;

        /** The slot of each value; null if the column is dense and values are indexed by slot. */
        int[] slots = new int[2];

        double[] values = new double[2];

        /** Number of vectors with this feature; never 0. */
        int count;

        Column(int feature) {
            this.feature = feature;
        }

        long heapBytes() {
            return 72 + (slots == null ? 0 : slots.length * 4L) + values.length * 8L;
        }
    }

    /** Open addressing with linear probing; the length is a power of two, at most half full. */
    private Column[] table = new Column[64];

    // decides the places of columns and no bit of a sum: those run in ascending feature of x
    private final TableSeed seed = new TableSeed();

    private int columns;
    private long columnBytes;

    // Dense columns to be added, four at a time.
    private final double[][] waiting = new double[4][];
    private final double[] factors = new double[4];

    /** Adds a vector; {@code slot} must be free, and {@code top} must be above every slot in use, this one included. */
    void add(int slot, FeatureVector z, int top) {
        for (int k = 0; k < z.size(); k++) {
            if (z.values()[k] != 0) {
                Column column = findOrCreate(z.index(k));
                columnBytes -= column.heapBytes();
                add(column, slot, z.values()[k], top);
                columnBytes += column.heapBytes();
            }
        }
    }

    private static void add(Column column, int slot, double value, int top) {
        int count = ++column.count;
        if (column.slots == null && slot >= column.values.length) {
            if ((long) count * 2 * DENSE_SHARE < top) {
                makeSparse(column);
            } else {
                column.values = Arrays.copyOf(column.values, Math.max(top, column.values.length * 3 / 2));
            }
        }
        if (column.slots == null) {
            column.values[slot] = value;
            return;
        }
        if (count > column.slots.length) {
            column.slots = Arrays.copyOf(column.slots, 2 * count);
            column.values = Arrays.copyOf(column.values, 2 * count);
        }
        column.slots[count - 1] = slot;
        column.values[count - 1] = value;
        if (count >= DENSE_FROM && (long) count * DENSE_SHARE >= top) {
            makeDense(column, top);
        }
    }

    private static void makeDense(Column column, int top) {
        double[] bySlot = new double[top];
        for (int k = 0; k < column.count; k++) {
            bySlot[column.slots[k]] = column.values[k];
        }
        column.slots = null;
        column.values = bySlot;
    }

    /** Converts a dense column; leaves room for the value that was counted already. */
    private static void makeSparse(Column column) {
        double[] bySlot = column.values;
        column.slots = new int[column.count];
        column.values = new double[column.count];
        int k = 0;
        for (int slot = 0; slot < bySlot.length; slot++) {
            if (bySlot[slot] != 0) {
                column.slots[k] = slot;
                column.values[k++] = bySlot[slot];
            }
        }
    }

    /** Removes a vector that was added with these features. */
    void remove(int slot, FeatureVector z) {
        for (int k = 0; k < z.size(); k++) {
            if (z.values()[k] != 0) {
                remove(slot, z.index(k));
            }
        }
    }

    private void remove(int slot, int feature) {
        int at = place(feature);
        Column column = table[at];
        int last = --column.count;
        if (column.slots == null) {
            column.values[slot] = 0;
        } else {
            int k = 0;
            while (column.slots[k] != slot) {
                k++;
            }
            column.slots[k] = column.slots[last];
            column.values[k] = column.values[last];
        }
        if (last == 0) {
            columnBytes -= column.heapBytes();
            columns--;
            close(at);
        }
    }

    /** Empties a place and moves up the columns that linear probing put behind it. */
    private void close(int gap) {
        int mask = table.length - 1;
        int free = gap;
        for (int at = free + 1 & mask; table[at] != null; at = at + 1 & mask) {
            int home = home(table[at].feature);
            if ((at - home & mask) >= (at - free & mask)) {
                table[free] = table[at];
                free = at;
            }
        }
        table[free] = null;
    }

    /** Writes ⟨x,z⟩ for the vector z of each slot below {@code top} into {@code dots}; 0 for free slots. */
    void dots(FeatureVector x, int top, double[] dots) {
        Arrays.fill(dots, 0, top, 0);
        double[] values = x.values();
        int wait = 0;
        for (int k = 0; k < x.size(); k++) {
            double value = values[k];
            Column column = value == 0 ? null : table[place(x.index(k))];
            if (column == null) {
                continue;
            }
            if (column.slots != null) {
                addWaiting(wait, top, dots);
                wait = 0;
                addSparse(column.slots, column.values, column.count, value, dots);
                continue;
            }
            waiting[wait] = column.values;
            factors[wait++] = value;
            if (wait == waiting.length) {
                addFour(top, dots);
                wait = 0;
            }
        }
        addWaiting(wait, top, dots);
    }

    private static void addSparse(int[] slots, double[] values, int count, double factor, double[] dots) {
        for (int k = 0; k < count; k++) {
            dots[slots[k]] += factor * values[k];
        }
    }

    private void addWaiting(int wait, int top, double[] dots) {
        for (int k = 0; k < wait; k++) {
            addDense(waiting[k], factors[k], 0, top, dots);
        }
    }

    private static void addDense(double[] column, double factor, int from, int top, double[] dots) {
        int to = Math.min(column.length, top);
        for (int slot = from; slot < to; slot++) {
            dots[slot] += factor * column[slot];
        }
    }

    // Reads and writes each sum once for four features, and keeps the order of its additions.
    private void addFour(int top, double[] dots) {
        double[] a = waiting[0];
        double[] b = waiting[1];
        double[] c = waiting[2];
        double[] d = waiting[3];
        int common = Math.min(Math.min(Math.min(a.length, b.length), Math.min(c.length, d.length)), top);
        addFour(a, factors[0], b, factors[1], c, factors[2], d, factors[3], common, dots);
        if (common < top) {
            for (int k = 0; k < 4; k++) {
                addDense(waiting[k], factors[k], common, top, dots);
            }
        }
    }

    private static void addFour(
            double[] a,
            double fa,
            double[] b,
            double fb,
            double[] c,
            double fc,
            double[] d,
            double fd,
            int to,
            double[] dots) {
        for (int slot = 0; slot < to; slot++) {
            dots[slot] = dots[slot] + fa * a[slot] + fb * b[slot] + fc * c[slot] + fd * d[slot];
        }
    }

    private Column findOrCreate(int feature) {
        int at = place(feature);
        if (table[at] != null) {
            return table[at];
        }
        Column column = new Column(feature);
        columnBytes += column.heapBytes();
        if (2 * ++columns > table.length) {
            Column[] before = table;
            table = new Column[2 * before.length];
            for (Column each : before) {
                if (each != null) {
                    table[place(each.feature)] = each;
                }
            }
            at = place(feature);
        }
        table[at] = column;
        return column;
    }

    /** The place of a feature's column, or the place to insert it. */
    private int place(int feature) {
        int at = home(feature);
        while (table[at] != null && table[at].feature != feature) {
            at = at + 1 & table.length - 1;
        }
        return at;
    }

    private int home(int feature) {
        return seed.slot(feature, table.length);
    }

    /** Sum of the distances of all entries from the slots to which they belong. Cost: O(slots). */
    long distances() {
        long sum = 0;
        for (int at = 0; at < table.length; at++) {
            sum += table[at] == null ? 0 : at - home(table[at].feature) & table.length - 1;
        }
        return sum;
    }

    long heapBytes() {
        return columnBytes + table.length * 4L;
    }
}
