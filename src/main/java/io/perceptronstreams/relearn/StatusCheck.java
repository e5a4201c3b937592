package io.perceptronstreams.relearn;

import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.StatusCause;
import io.perceptronstreams.serde.EventEncoder;
import io.perceptronstreams.serde.EventEncoder.Origin;
import io.perceptronstreams.serde.EventJson;
import io.perceptronstreams.serde.EventReader;
import io.perceptronstreams.topology.ModelInput;
import io.perceptronstreams.topology.Relearner;

/** Compares the status of a run with the status that the model has sent, field by field, at its offset. */
final class StatusCheck {
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
            own = encoder.modelStatus(model, cause, new Origin(input.partition(), offset));
        }
    }

    /** Compares, once the record of the status is learned; returns null if there is no difference. */
    Difference learned(Relearner run, long offset) {
        if (offset != sent.getOffset()) {
            return null;
        }
        isReached = true;
        StatusCause cause = StatusCause.named(sent.getCause());
        if (own == null && cause != null && cause.isProgress() && run.model() != null) {
            // IDLE was sent later, when the model was silent; which example gave a TIME differs between versions of the
            // program
            status(run.model(), cause, offset);
        }
        if (own == null) {
            return new Difference(
                    "the record " + input.place(offset) + " must give a status with cause " + sent.getCause()
                            + ", got none",
                    EventJson.text(sent),
                    null);
        }
        ModelStatus event = reader.read(own);
        // settings that the version of the program did not have that has sent the status
        event.getSettings().keySet().retainAll(sent.getSettings().keySet());
        String field = SentEvents.firstDifference(sent, event);
        if (field == null) {
            return null;
        }
        int position = sent.getSchema().getField(field).pos();
        return new Difference(
                field + " of the status as of " + input.place(offset) + " must be " + event.get(position)
                        + ", as the log gives it, got " + sent.get(position),
                EventJson.text(sent),
                EventJson.text(event));
    }

    /** Returns true if the record of the status was learned. */
    boolean isReached() {
        return isReached;
    }
}
