package io.perceptronstreams.topology;

import io.perceptronstreams.serde.EventSchemas;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * A model of {@link MixedStream}.
 *
 * @param settings as the JSON of a command
 */
record MixedModel(String name, Shape shape, List<Object> labels, String settings) {
    private static final Schema EXAMPLE = EventSchemas.schema("Example");

    static final List<Object> INTS = List.of(-1, 1);
    private static final List<Object> CLASSES =
            IntStream.range(0, 200).<Object>mapToObj(k -> "class-" + k).toList();
    static final List<MixedModel> ALL = List.of(
            new MixedModel(
                    "plain",
                    Shape.DENSE,
                    INTS,
                    "{\"await.labels.ms\":6000,\"await.examples.ms\":2000,\"auc.window\":50,\"explain\":3,\"calibrate\":\"platt\",\"coverage\":0.9,\"estimate.alert\":0.01,\"labels.sources\":\"review>bank>user\",\"corrections.ms\":8000}"),
            new MixedModel(
                    "averaged",
                    Shape.DENSE,
                    INTS,
                    "{\"predict\":\"averaged\",\"survival.start\":0,\"window.ms\":3000}"),
            new MixedModel(
                    "margin", Shape.SPARSE, INTS, "{\"h\":1,\"eta\":0.1,\"snapshot.every\":40,\"comparator\":60}"),
            new MixedModel("inclusive", Shape.SPARSE, INTS, "{\"h\":0.5,\"h.inclusive\":true,\"bias\":false}"),
            new MixedModel(
                    "mail",
                    Shape.NAMED,
                    List.of("ham", "spam"),
                    "{\"labels\":\"ham,spam\",\"hash.bits\":12,\"await.labels.ms\":5000,\"label.default\":\"ham\",\"crosses\":\"_*_\",\"explain\":2,\"calibrate\":\"platt\",\"threshold\":\"cost:1:5\",\"alerts.max\":\"40/hour\",\"corrections.ms\":20000,\"corrections\":\"repair\"}"),
            new MixedModel(
                    "portfolio",
                    Shape.DENSE,
                    INTS,
                    "{\"portfolio\":true,\"await.labels.ms\":5000,\"label.default\":\"-1\",\"auc.window\":30,\"calibrate\":\"platt\",\"coverage\":0.8,\"threshold\":\"cost:2:1\",\"predict.scores\":true,\"labels.sources\":\"review>user>bank\"}"),
            new MixedModel("unit", Shape.NAMED, INTS, "{\"scale\":\"unit-norm\",\"predict\":\"averaged\",\"h\":1}"),
            new MixedModel(
                    "standard",
                    Shape.DENSE,
                    INTS,
                    "{\"scale\":\"standard\",\"await.labels.ms\":9000,\"snapshot.every\":100,\"window.ms\":5000}"),
            new MixedModel("standard-sparse", Shape.SPARSE, INTS, "{\"scale\":\"standard\",\"blocks.max\":300}"),
            new MixedModel("ddm", Shape.DENSE, INTS, drift("ddm", "reset", "\"drift.threshold\":2,\"window.ms\":2000")),
            new MixedModel(
                    "late-ddm",
                    Shape.DENSE,
                    INTS,
                    drift(
                            "ddm",
                            "reset",
                            "\"await.labels.ms\":5000,\"label.default\":\"1\",\"drift.threshold\":2,\"window.ms\":2000")),
            new MixedModel("page-hinkley", Shape.SPARSE, INTS, drift("page-hinkley", "none", "\"drift.threshold\":8")),
            new MixedModel(
                    "adwin",
                    Shape.DENSE,
                    INTS,
                    drift(
                            "adwin",
                            "shadow",
                            "\"calibrate\":\"platt\",\"coverage\":0.9,\"await.labels.ms\":9000,\"drift.delta\":0.5,\"drift.window\":20")),
            new MixedModel(
                    "shadow",
                    Shape.SPARSE,
                    INTS,
                    drift(
                            "ddm",
                            "shadow",
                            "\"drift.threshold\":2,\"calibrate\":\"platt\",\"threshold\":\"cost:1:3\",\"drift.window\":20,\"scale\":\"standard\",\"await.labels.ms\":7000,\"auc.window\":20,\"labels.sources\":\"bank>review>user\"")),
            new MixedModel(
                    "classes",
                    Shape.NAMED,
                    CLASSES,
                    "{\"predict\":\"averaged\",\"await.labels.ms\":8000,\"dedupe.last\":500,\"explain\":5,\"calibrate\":\"platt\",\"coverage\":0.95,\"predict.scores\":3}"),
            new MixedModel("few-classes", Shape.DENSE, CLASSES.subList(0, 5), "{\"h\":1,\"predict.scores\":true}"),
            new MixedModel(
                    "few-classes-pa",
                    Shape.NAMED,
                    CLASSES.subList(0, 7),
                    "{\"algorithm\":\"multiclass-pa\",\"c\":0.1,\"predict\":\"averaged\",\"average.halflife\":50,\"await.labels.ms\":3000,\"explain\":2,\"calibrate\":\"platt\",\"coverage\":0.7}"),
            new MixedModel(
                    "adaptive",
                    Shape.SPARSE,
                    CLASSES.subList(0, 6),
                    "{\"algorithm\":\"adaptive\",\"labels.sources\":\"user>review>bank\",\"corrections\":\"count\",\"await.labels.ms\":3000,\"calibrate\":\"platt\",\"coverage\":0.9,\"predict.scores\":true}"),
            new MixedModel(
                    "pa", Shape.SPARSE, INTS, "{\"algorithm\":\"pa-i\",\"c\":0.5,\"explain\":2,\"auc.window\":9}"),
            new MixedModel(
                    "arow",
                    Shape.SPARSE,
                    INTS,
                    "{\"algorithm\":\"arow\",\"await.labels.ms\":4000,\"label.default\":\"-1\"}"),
            new MixedModel(
                    "sgd",
                    Shape.SPARSE,
                    INTS,
                    "{\"algorithm\":\"sgd\",\"rate\":\"adagrad\",\"normalised\":true,\"await.labels.ms\":4000,\"predict\":\"averaged\",\"average.halflife\":2}"),
            new MixedModel(
                    "stacked",
                    Shape.DENSE,
                    INTS,
                    "{\"algorithm\":\"sgd\",\"rate\":\"adagrad\",\"scale\":\"standard\",\"implicit\":true,\"stacked\":true,\"await.labels.ms\":4000,\"calibrate\":\"platt\",\"coverage\":0.9,\"labels.sources\":\"review>user>bank\",\"predict.scores\":true,\"snapshot.every\":100}"),
            new MixedModel(
                    "kernel",
                    Shape.DENSE,
                    INTS,
                    "{\"kernel\":\"poly(c=1,k=2) + rbf(g=0.1)\",\"explain\":3,\"budget\":40,\"budget.policy\":\"random\",\"await.labels.ms\":5000,\"dedupe.last\":100,\"calibrate\":\"platt\",\"coverage\":0.6,\"alerts.max\":\"100/day\"}"),
            new MixedModel("voted", Shape.NAMED, INTS, "{\"predict\":\"voted\"}"),
            new MixedModel(
                    "tags",
                    Shape.SEQUENCE,
                    CLASSES.subList(0, 3),
                    "{\"predict\":\"averaged\",\"await.labels.ms\":6000,\"explain\":4,\"labels.sources\":\"review>bank>user\"}"),
            new MixedModel(
                    "choice",
                    Shape.CANDIDATES,
                    CLASSES.subList(0, 4),
                    "{\"h\":0.5,\"await.labels.ms\":6000,\"explain\":1}"));

    /** How the features of a model's examples look. */
    enum Shape {
        DENSE("DenseVector"),
        SPARSE("SparseVector"),
        NAMED("NamedFeatures"),
        SEQUENCE("Sequence"),
        CANDIDATES("Candidates");

        private final String record;

        Shape(String record) {
            this.record = record;
        }

        Schema schema() {
            Schema union = EXAMPLE.getField("features").schema();
            return union.getTypes().get(union.getIndexNamed(EXAMPLE.getNamespace() + "." + record));
        }

        /** Features of this shape, by the fields of its schema. */
        GenericRecord features(Object... fields) {
            GenericRecord features = new GenericData.Record(schema());
            for (int k = 0; k < fields.length; k++) {
                features.put(k, fields[k]);
            }
            return features;
        }
    }

    /** True if it waits for labels at first. */
    boolean awaits() {
        return settings.contains("await.labels");
    }

    /** True if it has a drift detector. */
    boolean isWatched() {
        return settings.contains("\"drift\"");
    }

    private static String drift(String detector, String action, String further) {
        return "{\"drift\":\"" + detector + "\",\"drift.action\":\"" + action + "\"," + further + "}";
    }
}
