package io.perceptronstreams.monitor;

import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.model.Advice;
import io.perceptronstreams.model.StatusCause;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Advice for a model, by its alerts and its statuses, which may come in any order: what is for the model as it is now,
 * and what became of the rest.
 *
 * <p>Another epoch is another learner, after a promotion, an import or a drift: then only advice about the examples
 * stays. Advice that is followed is over. Keeps the last alert of each kind, and the last changes of the model. Not
 * thread-safe.
 */
public final class PresentAdvice {
    /** Kinds of advice about the examples, which hold for any learner. */
    private static final Set<String> OF_EXAMPLES = Set.of("NUMBER_TEXTS", "RARE_LABEL", "CLASS_WEIGHTS");

    /** Settings that an advice of the command {@code set} named for their own sake; others may be defaults. */
    private static final Set<String> IN_USE = Set.of("scale", "predict", "hash.bits");

    /** More than there are kinds of advice. */
    private static final int MAX_KINDS = 32;

    private static final int MAX_CHANGES = 64;

    /** What became of an advice. */
    public enum State {
        /** It is for the model as it is. */
        OPEN,
        /** The model has the settings. */
        FOLLOWED,
        /** A challenger has them. */
        ON_TRIAL,
        /** A challenger with them has become the model. */
        PROMOTED,
        /** The challenger with them has ended, and was not better. */
        ENDED,
        /** Another learner has taken the place of the one that it was for. */
        OVER
    }

    /**
     * What became of an advice.
     *
     * @param before share of wrong predictions before the model had the settings; null if it never had them, or it is
     *     unknown
     * @param after share since then; null without labels since then
     * @param labelled labelled examples since then
     */
    record Outcome(State state, Double before, Double after, long labelled) {
        private static Outcome of(State state) {
            return new Outcome(state, null, null, 0);
        }
    }

    /**
     * Change of a model by a command or a promotion.
     *
     * @param before status before it
     */
    private record Change(ModelStatus before, ModelStatus after) {
        boolean has(String command) {
            return hasSettings(after, command) && !hasSettings(before, command);
        }

        boolean begins(String challenger) {
            return hasChallenger(after, challenger);
        }
    }

    private final Map<String, Alert> newest = new TreeMap<>();
    private final Deque<Change> changes = new ArrayDeque<>();

    /** Adds an alert of the model; one that is not advice changes nothing. */
    void add(Alert alert) {
        String kind = alert.getAdvice();
        if (kind != null && (newest.containsKey(kind) || newest.size() < MAX_KINDS)) {
            newest.merge(kind, alert, (old, next) -> next.getOffset() < old.getOffset() ? old : next);
        }
    }

    /** Adds a status of the model, which comes after another one; one that only reports progress changes nothing. */
    void changed(ModelStatus before, ModelStatus after) {
        StatusCause cause = StatusCause.named(after.getCause());
        if (cause != null && !cause.isProgress()) {
            changes.addLast(new Change(before, after));
            if (changes.size() > MAX_CHANGES) {
                changes.removeFirst();
            }
        }
    }

    /** Returns all advice, as it is printed now, in the order of the examples that caused it. */
    List<Alert> of(ModelStatus status) {
        return newest.values().stream()
                .sorted(Comparator.comparingLong(Alert::getOffset))
                .map(each -> asOf(status, each))
                .toList();
    }

    /** Returns what became of an advice, by the present status of the model. */
    Outcome outcome(ModelStatus status, Alert advice) {
        Alert given = newest.getOrDefault(advice.getAdvice(), advice);
        String challenger = challenger(advice.getCommand());
        boolean isBegun = false;
        for (Change each : changes) {
            if (each.after.getOffset() < given.getOffset()) {
                continue;
            }
            if (each.has(given.getCommand()) || each.has(advice.getCommand())) {
                boolean isPromoted = StatusCause.PROMOTED.name().equals(each.after.getCause());
                return outcome(isPromoted ? State.PROMOTED : State.FOLLOWED, each, status);
            }
            isBegun |= challenger != null && each.begins(challenger);
        }
        if (challenger != null && hasChallenger(status, challenger)) {
            return Outcome.of(State.ON_TRIAL);
        }
        if (isOf(status, advice)) {
            return Outcome.of(isBegun ? State.ENDED : State.OPEN);
        }
        return Outcome.of(hasSettings(status, advice.getCommand()) ? State.FOLLOWED : State.OVER);
    }

    private static Outcome outcome(State state, Change change, ModelStatus now) {
        ModelStatus before = change.before;
        // counts that go on, through a promotion, or new ones after a reset
        boolean isOneCount =
                before.getCountsSince() != null && before.getCountsSince().equals(now.getCountsSince());
        long labelled = now.getLabelled() - (isOneCount ? before.getLabelled() : 0);
        long errors = now.getErrors() - (isOneCount ? before.getErrors() : 0);
        return new Outcome(
                state, share(before.getErrors(), before.getLabelled()), share(errors, labelled), Math.max(0, labelled));
    }

    private static Double share(long errors, long labelled) {
        return labelled > 0 ? (Double) ((double) errors / labelled) : null;
    }

    /** Returns an advice with the command that suits the model now: one that has learned much since is not reset. */
    public static Alert asOf(ModelStatus status, Alert advice) {
        if (status == null || advice.getCommand() == null) {
            return advice;
        }
        long labelled = status.getOfWeights() == null
                ? status.getLabelled()
                : status.getOfWeights().getLabelled();
        String command = Advice.command(advice.getAdvice(), advice.getCommand(), labelled);
        if (command.equals(advice.getCommand())) {
            return advice;
        }
        return Alert.newBuilder(advice)
                .setCommand(command)
                .setMessage(advice.getMessage().replace(advice.getCommand(), command))
                .build();
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
        String challenger = challenger(command);
        return (challenger != null && hasChallenger(status, challenger)) || hasSettings(status, command);
    }

    private static boolean hasChallenger(ModelStatus status, String name) {
        return status.getChallengers().stream().map(ChallengerStatus::getName).anyMatch(name::equals);
    }

    /** The challenger that a command begins; null if it begins none. */
    private static String challenger(String command) {
        // perceptron GROUP ACTION MODEL …, as Advice.command writes it; once it was models challenge
        String[] words = command == null ? new String[0] : command.split(" ", -1);
        boolean begins = words.length > 4
                && (words[1].equals("challengers") ? words[2].equals("begin") : words[2].equals("challenge"));
        return begins ? words[4] : null;
    }

    private static boolean hasSettings(ModelStatus status, String command) {
        List<String> pairs = Advice.settings(command);
        Set<String> set = pairs.stream()
                .filter(pair -> pair.substring(pair.indexOf('=') + 1)
                        .equals(status.getSettings().get(pair.substring(0, pair.indexOf('=')))))
                .map(pair -> pair.substring(0, pair.indexOf('=')))
                .collect(Collectors.toSet());
        boolean isOfSet = command != null && command.startsWith("perceptron models set ");
        return !pairs.isEmpty()
                && (set.size() == pairs.size() || (isOfSet && set.stream().anyMatch(IN_USE::contains)));
    }
}
