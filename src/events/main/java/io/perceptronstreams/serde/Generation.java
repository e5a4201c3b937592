package io.perceptronstreams.serde;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Generation of the topics of an engine. Another number of partitions needs another generation, to which the models
 * are moved; its prefix is that of the first one and {@code -gen2}, {@code -gen3}, and so on.
 *
 * <p>Models remember offsets of their records, and order by them what waits. So that the offsets of a model go on from
 * one generation to the next, those of a later one are counted from a {@link #base}: an offset, together with the
 * partition of its record, names one record of one generation. Only here, where a record is read from the brokers or
 * was sent to them, it becomes another number than theirs.
 *
 * @param first prefix of the first generation
 * @param number from 1
 */
public record Generation(String first, int number) {
    /**
     * Offsets of a partition in one generation: thirty years of 100,000 records a second. All offsets stay below 2^53,
     * which JavaScript's numbers hold.
     */
    public static final long OFFSETS = 100_000_000_000_000L;

    /** Number of the last generation. */
    public static final int LAST = 90;

    private static final String MARK = "-gen";
    private static final Pattern LATER = Pattern.compile("(.+)" + MARK + "([1-9][0-9]?)");

    /** Returns the generation of topics with a prefix. */
    public static Generation of(String prefix) {
        Matcher later = LATER.matcher(prefix);
        int number = later.matches() ? Integer.parseInt(later.group(2)) : 1;
        return number > 1 && number <= LAST ? new Generation(later.group(1), number) : new Generation(prefix, 1);
    }

    /** Returns the generation of an examples topic, by its full name. */
    public static Generation ofExamples(String topic) {
        String suffix = Topic.EXAMPLES.name("");
        return of(topic.endsWith(suffix) ? topic.substring(0, topic.length() - suffix.length()) : topic);
    }

    /** Prefix of its topics. */
    public String prefix() {
        return named(first);
    }

    /** Name in this generation of something with that name in the first one, such as a group. */
    public String named(String inFirst) {
        return number == 1 ? inFirst : inFirst + MARK + number;
    }

    /** Offset of the first record of each of its partitions. */
    public long base() {
        return (number - 1) * OFFSETS;
    }

    /** Returns the offset of a record of this generation that has another one in its topic. */
    public long offset(long inTopic) {
        return base() + inTopic;
    }

    /** Returns the offset in the topic of a record of this generation. */
    public long inTopic(long offset) {
        return offset - base();
    }

    /** Number of the generation of an offset. */
    public static int numberOf(long offset) {
        return offset < 0 ? 1 : (int) (offset / OFFSETS) + 1;
    }

    /** The generation after this one. */
    public Generation next() {
        return new Generation(first, number + 1);
    }

    /** The generation before this one, which must not be the first. */
    public Generation previous() {
        return new Generation(first, number - 1);
    }

    /** Returns true for the first one. */
    public boolean isFirst() {
        return number == 1;
    }
}
