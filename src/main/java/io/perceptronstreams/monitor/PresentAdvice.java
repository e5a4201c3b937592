package io.perceptronstreams.monitor;

import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.ModelStatus;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Advice for a model as it is now, by its alerts and its last status, which may come in any order.
 *
 * <p>Another epoch is another learner, after a promotion, an import or a drift: then only advice about the examples stays. Advice that
 * is followed is over. Keeps the last alert of each kind. Not thread-safe.
 */
public final class PresentAdvice {
    /** Kinds of advice about the examples, whatever learns from them. */
    private static final Set<String> OF_EXAMPLES = Set.of("NUMBER_TEXTS", "RARE_LABEL", "CLASS_WEIGHTS");

    /** Settings that an advice names for their own sake; others of its command may be defaults. */
    private static final Set<String> IN_USE = Set.of("scale", "predict", "hash.bits");

    /** More than there are kinds of advice. */
    private static final int MAX_KINDS = 32;

    private final Map<String, Alert> newest = new TreeMap<>();

    /** Adds an alert of the model; one that is not advice changes nothing. */
    void add(Alert alert) {
        String kind = alert.getAdvice();
        if (kind != null && (newest.containsKey(kind) || newest.size() < MAX_KINDS)) {
            newest.merge(kind, alert, (old, next) -> next.getOffset() < old.getOffset() ? old : next);
        }
    }

    /** Returns the advice for a model, in the order of the examples that caused it. */
    List<Alert> of(ModelStatus status) {
        return newest.values().stream()
                .filter(each -> isOf(status, each))
                .sorted(Comparator.comparingLong(Alert::getOffset))
                .toList();
    }

    /**
     * Returns true if an advice is for a model.
     *
     * @param status of the model; null if none has come since the examples of the advice: then it is as it was
     */
    public static boolean isOf(ModelStatus status, Alert advice) {
        if (status == null) {
            return true;
        }
        boolean isOther = advice.getEpoch() != null && advice.getEpoch() != status.getEpoch();
        return !(isOther && !OF_EXAMPLES.contains(advice.getAdvice())) && !isFollowed(status, advice.getCommand());
    }

    /** Returns true if the model has the settings of a command already, or the challenger that it begins. */
    private static boolean isFollowed(ModelStatus status, String command) {
        if (command == null) {
            return false;
        }
        // perceptron models ACTION MODEL …, as Advice.command writes it
        String[] words = command.split(" ", -1);
        if (words.length > 4
                && words[2].equals("challenge")
                && status.getChallengers().stream()
                        .anyMatch(each -> each.getName().equals(words[4]))) {
            return true;
        }
        List<String[]> pairs = Stream.of(words)
                .map(word -> word.split("=", 2))
                .filter(pair -> pair.length == 2)
                .toList();
        Stream<String[]> set = pairs.stream()
                .filter(pair -> pair[1].equals(status.getSettings().get(pair[0])));
        List<String> names = set.map(pair -> pair[0]).toList();
        return !pairs.isEmpty()
                && (names.size() == pairs.size() || names.stream().anyMatch(IN_USE::contains));
    }
}
