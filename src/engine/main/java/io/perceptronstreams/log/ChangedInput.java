package io.perceptronstreams.log;

import io.perceptronstreams.example.Example;
import io.perceptronstreams.example.FeatureHasher;
import io.perceptronstreams.example.Label;
import io.perceptronstreams.example.Utf8Slice;
import io.perceptronstreams.labels.LabelEvent;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.registry.SchemaRegistry;
import io.perceptronstreams.serde.InputDecoder;
import java.util.HashMap;
import java.util.Map;

/** Decodes the records of a model as {@link Changes} would have had them. */
final class ChangedInput extends InputDecoder {
    private final SchemaRegistry registry;
    private final Changes changes;
    private final ChangeMatches matches;
    private int partition;
    // null in the decoder of what is stored
    private final SharedExamples shared;
    private final Utf8Slice ownId = new Utf8Slice();
    private ModelCommand command;
    private LabelEvent label;
    private long offset;
    private long time;
    private boolean isLastChunk;

    ChangedInput(SchemaRegistry registry, Changes changes, ChangeMatches matches, SharedExamples shared) {
        super(registry);
        this.registry = registry;
        this.changes = changes;
        this.matches = matches;
        this.shared = shared;
    }

    /** Sets the partition of the next records. */
    void setPartition(int number) {
        partition = number;
    }

    @Override
    public void at(long recordOffset, long eventTime) {
        offset = recordOffset;
        time = eventTime;
        isLastChunk = false;
    }

    /** Returns true if the record is the last chunk of an import, whether it was used or refused. */
    boolean isLastChunk() {
        return isLastChunk;
    }

    @Override
    public Kind decode(byte[] value, FeatureHasher hasher, Example example) {
        if (shared != null && shared.copyTo(example, hasher)) {
            changeLabel(example);
            return Kind.EXAMPLE;
        }
        Kind kind = super.decode(value, hasher, example);
        switch (kind) {
            case EXAMPLE -> {
                if (shared != null) {
                    shared.keep(example, hasher);
                }
                changeLabel(example);
            }
            case LABEL -> {
                LabelEvent given = super.label();
                Label other = matches.label(given.id(), time);
                label = other == null
                        ? given
                        : new LabelEvent(given.id(), other, given.weight(), given.source(), given.knowableAt());
            }
            case COMMAND -> command = changed(super.command());
            // taken as they came
            case WEIGHTS -> isLastChunk = super.weights().isLast();
            case EXAMPLES -> {
                // changed one by one
            }
        }
        return kind;
    }

    private void changeLabel(Example example) {
        changeLabel(example, time);
    }

    /** Gives an example the label that it would have had. */
    void changeLabel(Example example, long eventTime) {
        // the id of a stored example is not known here; it has waited without a label
        if (!changes.labels().isEmpty() && shared != null && example.label() != null) {
            Label other = matches.label(id(example), eventTime);
            if (other != null) {
                example.setLabel(other);
            }
        }
    }

    private Utf8Slice id(Example example) {
        return example.id().length() > 0 ? example.id() : ownId.set(partition + "@" + offset);
    }

    /** Returns true if the record is one of an example, or the label of one, that is left out by its id. */
    boolean isOmitted(Kind kind, Example example) {
        return switch (kind) {
            case EXAMPLE -> matches.omitsId(id(example));
            case LABEL -> matches.omitsId(label.id());
            default -> false;
        };
    }

    private ModelCommand changed(ModelCommand given) {
        boolean isSetting = switch (given.action()) {
            // a challenger may become the model
            case CONFIGURE, RESET, DEFAULTS, CHALLENGE -> true;
            default -> false;
        };
        if (!isSetting || changes.settings().isEmpty() || given.settings().isEmpty()) {
            return given;
        }
        Map<String, String> left = new HashMap<>(given.settings());
        left.keySet().removeAll(changes.settings().keySet());
        return new ModelCommand(given.action(), left);
    }

    @Override
    public ModelCommand command() {
        return command;
    }

    @Override
    public LabelEvent label() {
        return label;
    }

    @Override
    public InputDecoder another() {
        ChangedInput another = new ChangedInput(registry, changes, matches, null);
        another.setPartition(partition);
        return another;
    }
}
