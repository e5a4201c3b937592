/**
 * The records of a partition applied to its models: {@code RecordDispatcher} decodes each and passes it to the model's
 * session. First in the engine; again by {@code LogReplay} after a restart; without end in a {@code Replica}, for
 * readers of the models; and by a {@code Relearner}, which learns a model again, as it was or with changes.
 */
package io.perceptronstreams.log;
