package io.perceptronstreams.relearn;

import io.perceptronstreams.event.ChallengerStatus;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.log.ModelInput;
import io.perceptronstreams.log.NamedSnapshot;
import io.perceptronstreams.log.Relearner;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventEncoder.Origin;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventReader;
import java.util.List;
import java.util.stream.Stream;
import org.apache.avro.Schema;

/**
 * Compares the status of a run with the status that the model has sent, field by field, at its offset.
 *
 * <p>Of a run from a named snapshot it compares no field of {@link #lacked}, and only the challengers that have begun
 * since.
 */
final class StatusCheck {
    private static final String COUNTS_SINCE = "countsSince";

    /** Property of a field in the schema: false if a named snapshot does not have it. */
    private static final String IN_SNAPSHOT = "inSnapshot";

    private static final List<String> LACKED = ModelStatus.getClassSchema().getFields().stream()
            .filter(field -> Boolean.FALSE.equals(field.getObjectProp(IN_SNAPSHOT)))
            .map(Schema.Field::name)
            .toList();

    private final ModelInput input;
    private final ModelStatus sent;
    private final EventEncoder encoder = OwnEvents.encoder();
    private final EventReader<ModelStatus> reader = OwnEvents.reader(ModelStatus.class);
    private byte[] own;
    private boolean isReached;

    StatusCheck(ModelInput input, ModelStatus sent) {
        this.input = input;
        this.sent = sent;
    }

    /** Notes a status of the run, before {@link #learned}. */
    void status(Model model, StatusCause cause, long offset) {
        if (offset == sent.getOffset() && cause.name().equals(sent.getCause())) {
            // the last one, if a record gives several
            own = encoder.modelStatus(model, cause, new Origin(input.at(offset).partition(), offset));
        }
    }

    /** Compares, once the record of the status is learned; returns null if there is no difference. */
    Difference learned(Relearner run, long offset) {
        if (offset != sent.getOffset()) {
            return null;
        }
        isReached = true;
        StatusCause cause = StatusCause.named(sent.getCause());
        boolean isSilent = cause != null && (cause.isProgress() || isRemoval(cause));
        if (own == null && isSilent && run.model() != null) {
            // IDLE was sent later, when the model was silent; which example gave a TIME differs between versions of the
            // program
            status(run.model(), cause, offset);
        }
        if (own == null) {
            return difference(
                    "the record " + input.place(offset) + " must give a status with cause " + sent.getCause()
                            + ", got none",
                    EventJson.text(sent),
                    null);
        }
        ModelStatus event = reader.read(own);
        // settings that the version of the program did not have that has sent the status
        event.getSettings().keySet().retainAll(sent.getSettings().keySet());
        ModelStatus theirs = comparable(sent);
        ModelStatus mine = comparable(event);
        forgetSides(theirs.getChallengers(), mine.getChallengers());
        if (theirs.getPendingLabels() == null) {
            // an earlier version has not counted them
            mine.setPendingLabels(null);
        }
        String field = EventComparison.firstDifference(theirs, mine, lacked());
        if (field == null) {
            return null;
        }
        int position = sent.getSchema().getField(field).pos();
        return difference(
                field + " of the status as of " + input.place(offset) + " must be " + event.get(position)
                        + ", as the log gives it, got " + sent.get(position),
                EventJson.text(sent),
                EventJson.text(event));
    }

    /**
     * Returns true if the record of the status may have removed a named snapshot from before the start, which the run
     * lacks.
     */
    private boolean isRemoval(StatusCause cause) {
        return input.start() != null && cause == StatusCause.SNAPSHOT;
    }

    private Difference difference(String message, String ofSent, String ofRun) {
        return new Difference(message, ofSent, ofRun).since(input.start());
    }

    /** Fields that a named snapshot does not have, besides the challengers from before it. */
    static List<String> lacked(NamedSnapshot start) {
        return start.hasCountsSince()
                ? LACKED
                : Stream.concat(LACKED.stream(), Stream.of(COUNTS_SINCE)).toList();
    }

    private List<String> lacked() {
        return input.start() == null ? List.of() : lacked(input.start());
    }

    /** Returns a status without challengers that have begun before the start. */
    private ModelStatus comparable(ModelStatus status) {
        if (input.start() == null) {
            return status;
        }
        ModelStatus copy = ModelStatus.newBuilder(status).build();
        copy.setChallengers(copy.getChallengers().stream()
                .filter(each -> each.getSince() > input.start().offset())
                .toList());
        return copy;
    }

    /** Forgets the sides of the rounds of trials that an earlier version began, which has not counted them. */
    private static void forgetSides(List<ChallengerStatus> theirs, List<ChallengerStatus> mine) {
        for (int k = 0; k < Math.min(theirs.size(), mine.size()); k++) {
            if (theirs.get(k).getSideChanges() == null) {
                mine.get(k).setRoundsAhead(null);
                mine.get(k).setRoundsBehind(null);
                mine.get(k).setSideChanges(null);
            }
        }
    }

    /** Returns true if the record of the status was learned. */
    boolean isReached() {
        return isReached;
    }
}
