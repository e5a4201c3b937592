package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.model.Baselines;
import io.perceptronstreams.model.ConfusionMatrix;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.weights.BlockVector;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Headers byte by byte, worked out by hand. */
class HeaderLayoutTest {
    private final HeaderCodec codec = new HeaderCodec();

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replaceAll("#.*|\\s", ""));
    }

    @Test
    void shouldWriteAModelThatHasSeenNothing() {
        byte[] expected = bytes("""
                05              # form
                01              # position -1
                00              # last seen at 0
                00 00           # live; algorithm auto
                00 00 00        # epoch, last epoch, rerouted
                00 00           # chunks, time of the status
                00              # no settings
                00 00           # window
                00 00 00 00 00 00
                00 00 00 00 00 00
                00              # both hinge losses are 0.0
                00 00 00 00     # no numbers, names, detector, trial
                01 00           # one vector, the statistics, without blocks
                """);
        assertThat(codec.encode(new Model(), -1, 0)).isEqualTo(expected);
    }

    @Test
    void shouldWriteAConfusionMatrixOfClasses() {
        ConfusionMatrix matrix = new ConfusionMatrix();
        matrix.restore(List.of("a", "b"), new long[] {5, 0, 0, 0, 300, 1, 0, 0, 7}, 2);
        byte[] expected = bytes("""
                02 01 61 01 62  # a, b
                02              # 2 errors between others
                05 00 02        # a as a; three zeros
                ac02 01         # 300 = 2*128 + 44: b as b; b as another
                00 01 07        # two zeros; 7 others as themselves
                """);
        ByteWriter out = new ByteWriter();
        ConfusionCodec.write(matrix, out);
        assertThat(out.copyFrom(0)).isEqualTo(expected);

        ConfusionMatrix read = new ConfusionMatrix();
        ConfusionCodec.read(new ByteReader(expected), read);
        assertThat(read.names()).containsExactly("a", "b");
        assertThat(read.count(1, 2)).isEqualTo(1);
        ByteWriter again = new ByteWriter();
        ConfusionCodec.write(read, again);
        assertThat(again.copyFrom(0)).isEqualTo(expected);
    }

    @Test
    void shouldWriteMetrics() {
        Model model = new Model();
        model.configure(Map.of("auc.window", "16"));
        SampleModels.set(
                model.totals(),
                "examples=9 labelled=9 errors=4 compared=8 compared_errors=3 majority_errors=2 same_errors=300",
                0);
        SampleModels.set(
                model.window().counts(), "labelled=1 errors=1 compared=1 compared_errors=1 majority_errors=1", 0);
        model.confusion().restore(List.of("a", "b"), new long[] {1, 2, 0, 0, 0, 0, 0, 0, 4}, 0);
        model.counts().restoreBaselines(new Baselines.State(0, 0x0102030405060708L, List.of(0L, 3L)));
        model.counts().windowClasses().set(1, 7, 6, 5);
        for (int k = 0; k < 9; k++) {
            model.counts().scores().add(k == 1 ? -0.5 : 0, k == 0 || k == 8, 16);
        }
        byte[] expected = bytes("""
                02 02 01 d204             # 9 - 8 labelled, 4 - 3 errors, 2 - 3 and 300 - 3 errors of the baselines
                00 00 00 01               # the same of the window
                01 0807060504030201       # the last label has no row: hash of its name
                02 00 03                  # two places without emitted labels: none of other labels, three of a
                02 00 00 00 07 06 05      # two places of the window: nothing of other labels, three numbers of a
                09 02 bfe0 00 00 00 00    # nine scores: 0, -0.5, and zeros
                01 01                     # the first and the ninth are positive
                """);
        ByteWriter out = new ByteWriter();
        MetricsCodec.write(model, out);
        assertThat(out.copyFrom(0)).isEqualTo(expected);

        StoredHeader read = codec.decode(codec.encode(model, 1, 1), (epoch, part) -> null);
        ByteWriter again = new ByteWriter();
        MetricsCodec.write(read.model(), again);
        assertThat(again.copyFrom(0)).isEqualTo(expected);
    }

    @Test
    void shouldWriteASmallModel() {
        Model model = new Model();
        model.restore(
                ModelState.FROZEN,
                5,
                1,
                Settings.DEFAULTS.with(Map.of("h", "0.5")),
                Algorithm.PERCEPTRON,
                new LearnerState(List.of(1.0, -2.0, 0.1, 0.0, 4.0, Double.POSITIVE_INFINITY, Double.NaN), List.of()));
        model.publications().markSnapshot(2);
        model.publications().markStatus(999);
        SampleModels.set(
                model.totals(), "examples=300 labelled=299 errors=64 mistakes=65 margin_mistakes=3 updates=68", 0.1);
        model.confusion().restore(List.of(), new long[] {110, 40, 25, 130}, 0);
        model.window().restore(true, 0, 10_000);
        SampleModels.set(model.window().counts(), "examples=1 labelled=1 errors=1 mistakes=1 updates=1", 1.5);
        BlockVector weights = (BlockVector) model.vector(0);
        weights.restoreEntry(7, new double[] {1, -2}, 0);
        weights.restoreEntry(300, new double[] {0.1, 0}, 0);
        byte[] expected = bytes("""
                05                                    # form
                f20f                                  # position 1,017: 2,034 = 15*128 + 114
                d00f                                  # last seen at 1,000: 2,000 = 15*128 + 80
                51 01                                 # frozen, window open, has a confusion matrix; perceptron
                05 00 01                              # epoch 5, the last one; 1 rerouted
                04 01                                 # 2 chunks; status at 1,000 - 1
                06 01 68 03 30 2e 35                  # 6 bytes of settings: h=0.5
                cf0f a09c01                           # window from 1,000 - 1,000, 10,000 long
                d804 02 8201 01 06 00                 # 300 examples, 1 without label, 65 mistakes, 64 errors, 3 margin mistakes
                02 00 02 00 00 00                     # in the window 1 example, 1 mistake
                82 3fb999999999999a 3ff8              # hinge loss 0.1 and 1.5
                07                                    # seven numbers, two of them of a ledger that knows nothing
                21 3ff0 c0                            # 1.0, -2.0
                80 3fb999999999999a                   # 0.1, 0.0
                22 4010 7ff0                          # 4.0, infinity
                20 7ff8                               # NaN
                00 00 00                              # no names, detector, trial
                03 00                                 # three vectors; the statistics without blocks
                05 02                                 # two entries in two lanes
                07 21 3ff0 c0                         # index 7: 1.0, -2.0
                a402 80 3fb999999999999a              # index 300 = 7 + 1 + 292: 0.1, 0.0
                00                                    # no comparator
                00                                    # the matrix: no names, as there are two classes
                6e 28                                 # -1: 110 as -1, 40 as 1
                19 8201                               # 1: 25 as -1, 130 as 1
                """);

        assertThat(codec.encode(model, 1017, 1000)).isEqualTo(expected);

        StoredHeader header = codec.decode(expected, (epoch, part) -> null);
        assertThat(header.position()).isEqualTo(1017);
        assertThat(header.lastSeen()).isEqualTo(1000);
        assertThat(header.missing()).isNull();
        assertThat(ModelText.of(header.model())).isEqualTo(ModelText.of(model));
        assertThat(codec.encode(header.model(), 1017, 1000)).isEqualTo(expected);
    }
}
