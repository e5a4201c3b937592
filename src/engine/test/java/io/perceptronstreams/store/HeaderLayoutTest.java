package io.perceptronstreams.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.perceptronstreams.algorithm.Algorithm;
import io.perceptronstreams.learner.LearnerState;
import io.perceptronstreams.model.EpochModel;
import io.perceptronstreams.model.Model;
import io.perceptronstreams.model.ModelState;
import io.perceptronstreams.model.Versions;
import io.perceptronstreams.settings.NegativeLabel;
import io.perceptronstreams.settings.Settings;
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
                0d              # form
                01              # position -1
                00              # last seen at 0
                00 00           # live, no status pending; no challengers
                00 00           # algorithm auto; epoch
                00              # rerouted
                00 00           # chunks, time of the status
                0f              # 15 bytes of settings
                09 77696e646f772e6d73   # window.ms
                04 6175746f     # auto, which is no default of stored settings
                00 00           # no numbers and names of the learner
                00              # last epoch; no detector
                00 00           # no counts, hinge loss 0.0
                00 00 00        # window
                00 00           # no counts in the window
                00              # no confusion matrix
                00 00 00        # no last label, no errors of the baselines
                00 00           # no sums of the window, no scores
                00 00           # no probabilities, and none that were compared with labels
                00              # no names of features
                01 00           # one vector, the statistics, without blocks
                00 00 00 00     # no advice, no comparison, no sizes
                00              # no late labels
                00              # no named snapshots
                01              # no last example: -1
                01 00           # counts since -1, of the weights
                00 00 00        # no alerts, no decisions, no estimates
                """);
        assertThat(codec.encode(new Model(), -1, 0)).isEqualTo(expected);
    }

    @Test
    void shouldWriteASmallModel() {
        Model model = new Model();
        model.restore(
                EpochModel.restored(
                        5,
                        Settings.DEFAULTS.with(Map.of("h", "0.5")),
                        NegativeLabel.AUTO,
                        Algorithm.PERCEPTRON,
                        new LearnerState(
                                List.of(1.0, -2.0, 0.1, 0.0, 4.0, Double.POSITIVE_INFINITY, Double.NaN), List.of())),
                ModelState.FROZEN);
        model.publications().countRerouted();
        model.publications().markSnapshot(2);
        model.publications().markExample(999);
        model.publications().markStatus();
        model.publications().setVersions(Versions.NONE.with(new Versions.Version("v1", 5, 68, 300, 3)));
        SampleModels.set(
                model.counts().totals(),
                "examples=300 labelled=299 errors=64 mistakes=65 margin_mistakes=3 updates=68",
                0.1);
        model.counts().confusion().restore(List.of(), new long[] {110, 40, 25, 130}, 0);
        model.counts().window().restore(true, 0, 10_000);
        SampleModels.set(model.counts().window().counts(), "examples=1 labelled=1 errors=1 mistakes=1 updates=1", 1.5);
        BlockVector weights = (BlockVector) model.pipeline().vector(0);
        weights.restoreEntry(7, new double[] {1, -2}, 0);
        weights.restoreEntry(300, new double[] {0.1, 0}, 0);
        byte[] expected = bytes("""
                0d                                    # form
                f20f                                  # position 1,017: 2,034 = 15*128 + 114
                d00f                                  # last seen at 1,000: 2,000 = 15*128 + 80
                01 00                                 # frozen, no status pending; no challengers
                01 05                                 # perceptron; epoch 5
                01                                    # 1 rerouted
                04 01                                 # 2 chunks; status at 1,000 - 1
                15 01 68 03 30 2e 35                  # 21 bytes of settings: h=0.5,
                09 77696e646f772e6d73 04 6175746f     # window.ms=auto
                07                                    # seven numbers
                21 3ff0 c0                            # 1.0, -2.0
                80 3fb999999999999a                   # 0.1, 0.0
                22 4010 7ff0                          # 4.0, infinity
                20 7ff8                               # NaN
                00                                    # no names
                00                                    # the last epoch; no detector
                06                                    # 6 counts: 300 examples, 1 less labelled, 64 errors
                d804 01 8001                          # 600 = 4*128 + 88, 128 = 1*128
                02 06 06                              # 65 mistakes, 3 margin mistakes, 68 updates
                80 3fb999999999999a                   # hinge loss 0.1
                01 cf0f a09c01                        # window from 1,000 - 1,000, 10,000 long
                03 02 00 00 02                        # 3 counts: 1 example, all labelled, 1 error
                20 3ff8                               # hinge loss 1.5
                01 00 00                              # the matrix: no names, as there are two classes; no others
                04 dc01 50                            # -1: 110 as -1, 40 as 1
                32 8402                               # 1: 25 as -1, 130 as 1
                00                                    # no example without an emitted label
                00 00 00                              # no last label, no errors of the baselines
                0b 00 04                              # 11 sums of the window; none of the baselines and of another label
                ac02 8e02 dc01                        # -1: 150 true, 135 emitted, 110 both
                b602 d402 8402                        # 1: 155, 170 and 130
                00                                    # no scores
                00 00                                 # no probabilities, and none that were compared with labels
                00                                    # no names of features
                03 00                                 # three vectors; the statistics without blocks
                05 00 02                              # two entries, none in a copy, in two lanes
                07 21 3ff0 c0                         # index 7: 1.0, -2.0
                a402 80 3fb999999999999a              # index 300 = 7 + 1 + 292: 0.1, 0.0
                00                                    # no comparator
                00 00 00 00                           # no advice, no comparison, no sizes
                00                                    # no late labels
                01                                    # one named snapshot
                02 7631                               # v1
                05 44 d804 03                         # epoch 5, 68 updates, offset 300, 3 chunks
                01                                    # last example at 1,000 - 1
                01 00                                 # counts since -1, of the weights
                00 00 00                              # no alerts, no decisions, no estimates
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
