package io.perceptronstreams.theory;

import io.perceptronstreams.settings.Settings;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.DoubleFunction;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;

/** Bounds of all theorems for one training run: one line each, with the value or the reason why it does not apply. */
public final class BoundsReport {
    /** Probability with which the reported uniform bound holds. */
    static final double CONFIDENCE = 0.95;

    /** Length 1 with its rounding. */
    private static final double UNIT = 1 + 1e-12;

    private static final int MAX_SHOWN = 10;

    private static final String UNEQUAL =
            "the examples or their classes have different weights or hinges, and it is about equal ones";
    private static final String NEVER_CLEAN = "no pass over all examples went without an update";

    private final TrainingRun run;
    private final MarginCertificate certificate;

    /**
     * One line.
     *
     * @param name of the theorem
     * @param value of its bound; NaN if it does not apply
     * @param text the value in words, or the reason why it does not apply
     */
    public record Line(String name, double value, String text) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%-20s %s", name, text);
        }
    }

    private BoundsReport(TrainingRun run) {
        this.run = run;
        certificate = MarginCertificate.of(run.margin(), run.norm(), run.steps());
    }

    /** Returns one line per theorem, in a fixed order. */
    public static List<Line> of(TrainingRun run) {
        return new BoundsReport(run).lines();
    }

    /** The table of the theorems: reasons why one does not apply, of which the first is shown; value; text. */
    private List<Line> lines() {
        Settings.Predict predict = run.predict();
        return List.of(
                line(MarginCertificate.THEOREM, whyNoCertificate(), certificate::upper, this::certificate),
                line(ZeroSum.THEOREM, whyNoCycle(), () -> run.cycle().updates().size(), count -> noSeparator()),
                line(
                        MistakeBound.THEOREM,
                        first(
                                whyNoUpdateBound(),
                                when(run.h() > 0, "h = %s, and it is about h = 0 (see margin perceptron)", run.h())),
                        () -> MistakeBound.of(run.radius(), certificate.lower()),
                        bound -> "M = " + run.updates() + " <= (R/gamma)^2 <= " + format(bound)
                                + ", with gamma = margin(w)"),
                line(
                        MarginPerceptron.THEOREM,
                        first(
                                whyNoUpdateBound(),
                                when(run.h() == 0, "h = 0, and it is about h > 0 (see mistake bound)")),
                        this::maxUpdates,
                        this::marginPerceptron),
                line(
                        DynamicMarginBound.THEOREM,
                        first(when(Double.isNaN(run.alpha()), "it is about algorithm=pdm"), whyNoGamma()),
                        () -> DynamicMarginBound.updates(run.radius(), certificate.lower(), run.alpha()),
                        this::dynamicMargin),
                line(
                        HingeBound.THEOREM,
                        first(
                                whyNoPerceptron(),
                                when(!run.hasEqualWeights(), UNEQUAL),
                                when(run.comparator() == null, "the hinge loss of a u to compare with is not known")),
                        () -> run.comparator().bound(run.growth()),
                        this::hinge),
                line(
                        ExpectedTestError.THEOREM,
                        first(
                                whyNoUpdateBound(),
                                when(!run.isConverged(), NEVER_CLEAN + ", and it is about a run that came to an end"),
                                whyNotOfW(),
                                when(
                                        run.threshold() != 0,
                                        "it is about the sign of w·x, and this model emits +1 from threshold = %s on",
                                        run.threshold()),
                                whyNotByUpdates()),
                        () -> ExpectedTestError.fromUpdates(maxUpdates(), run.examples()),
                        bound -> "P(error) <= " + format(bound) + vacuous(bound)
                                + ", provided that the examples are drawn independently and that |x| <= R and gamma ="
                                + " margin(w) hold for all to come"),
                line(
                        LeaveOneOut.THEOREM,
                        first(whyNotOfW(), whyNotByUpdates()),
                        () -> LeaveOneOut.of(run.support(), run.examples()),
                        bound -> "leave-one-out error <= |S|/N = " + format(bound) + ", where S are the "
                                + run.support()
                                + " examples with an update or a wrong final prediction; P(error) <= E|S|/(N+1),"
                                + " provided that the examples are drawn independently"),
                line(
                        UniformBound.THEOREM,
                        first(
                                whyNoHyperplane(),
                                when(Double.isNaN(run.trainingError()), "the training error is not known")),
                        () -> run.trainingError() + UniformBound.of(run.features(), run.examples(), delta()),
                        bound -> "test error <= training error " + format(run.trainingError())
                                + (predict == Settings.Predict.AVERAGED ? " of the average" : "")
                                + " + sqrt((P+1) ln(N+1) / N) + delta = " + format(bound) + vacuous(bound)
                                + ", with probability " + CONFIDENCE + " (delta = " + format(delta())
                                + "), provided that the examples are drawn independently and that no features can"
                                + " occur but the P = " + run.features() + " seen"),
                line(
                        MinimaxLowerBound.THEOREM,
                        first(
                                when(isStructured(), "it is about two classes and a known number of features"),
                                when(run.features() == 0, "there are no features")),
                        () -> MinimaxLowerBound.of(run.examples(), run.features()),
                        bound -> "no rule can promise an expected test error below " + format(bound)
                                + " for every distribution with N = " + run.examples() + " and d = "
                                + run.features()),
                line(
                        VcDimension.THEOREM,
                        whyNoHyperplane(),
                        () -> run.hasBias() ? VcDimension.of(run.features()) : run.features(),
                        value -> String.format(
                                Locale.ROOT, run.hasBias() ? "P + 1 = %.0f" : "P = %.0f, without bias", value)));
    }

    /** @param why null if the theorem applies */
    private static Line line(Theorem theorem, String why, DoubleSupplier value, DoubleFunction<String> text) {
        if (why != null) {
            return new Line(theorem.name(), Double.NaN, "does not apply: " + why);
        }
        double bound = value.getAsDouble();
        return new Line(theorem.name(), bound, text.apply(bound));
    }

    /** The first reason that is not null; null if all are. */
    private static String first(String... reasons) {
        return Arrays.stream(reasons).filter(Objects::nonNull).findFirst().orElse(null);
    }

    /** @param format with %s for each number */
    private static String when(boolean isReason, String format, Double... numbers) {
        Object[] texts = Arrays.stream(numbers).map(BoundsReport::format).toArray();
        return isReason ? String.format(Locale.ROOT, format, texts) : null;
    }

    private String whyNoCertificate() {
        return !Double.isNaN(certificate.upper())
                ? null
                : run.updates() == 0
                        ? "there was no update, so w = 0 gives no bound on the margin"
                        : whyNoSum() + ", so its length does not bound the margin";
    }

    private String certificate(double upper) {
        if (!Double.isNaN(certificate.lower())) {
            return format(certificate.lower()) + " = margin(w) <= gamma <= |w|/" + sum() + " = " + format(upper);
        }
        String why = !Double.isNaN(run.margin())
                ? "w itself does not separate the examples (its margin is " + format(run.margin()) + ")"
                : "the margin of w is not known"
                        + (run.hasFixedVectors() ? "" : ", and gamma is that of the vectors as they were learned from");
        return "gamma <= " + format(upper) + " = |w|/" + sum() + ", if there is one: " + why;
    }

    private String sum() {
        return run.steps() == run.updates() ? "M" : "(sum of steps)";
    }

    private String marginPerceptron(double bound) {
        boolean isUnit = run.radius() <= UNIT && run.h() == 1 && run.eta() == 1;
        String text = "M = " + run.updates() + " <= " + (isUnit ? "3/gamma^2" : "(R^2 + 2h/eta)/gamma^2") + " <= "
                + format(bound) + ", with gamma = margin(w); ";
        if (!run.isConverged()) {
            return text + NEVER_CLEAN + ", so there is no bound on the final margin";
        }
        double gamma = MarginPerceptron.largestGamma(isUnit ? 1 : run.radius(), run.h(), run.eta(), run.margin());
        return text + "margin(w) >= " + (isUnit ? "gamma/3" : "h·gamma/(eta·R^2 + 2h)") + ", hence gamma <= "
                + format(gamma);
    }

    private String dynamicMargin(double bound) {
        return "M = " + run.updates() + " <= " + format(bound) + ", with gamma = margin(w); "
                + (run.isConverged()
                        ? "margin(w) >= (1 - alpha)|w|/" + sum() + " = "
                                + format((1 - run.alpha()) * certificate.upper())
                                + ", and so at least (1 - alpha) gamma"
                        : NEVER_CLEAN + ", so there is no bound on the final margin");
    }

    /** Reason why no bound on the updates of a separable stream applies, or null. */
    private String whyNoUpdateBound() {
        return first(whyNoPerceptron(), whyNoGamma());
    }

    /** Reason why equal steps or a margin are missing, or null. */
    private String whyNoGamma() {
        if (!run.hasEqualWeights()) {
            return UNEQUAL;
        }
        if (!(run.margin() > 0)) {
            return Double.isNaN(run.margin())
                    ? "the margin of w is not known"
                    : "w does not separate the examples (margin " + format(run.margin()) + "), so no gamma is known";
        }
        return null;
    }

    /** Reason why the proofs do not cover the updates, or null. */
    private String whyNoPerceptron() {
        if (run.kind() == TrainingRun.Kind.OTHER || run.kind() == TrainingRun.Kind.OTHER_STRUCTURED) {
            return "the learner's updates are not the perceptron's";
        }
        return Double.isNaN(run.steps()) ? whyNoSum() : null;
    }

    private String whyNoSum() {
        String why = "w is no sum of steps times examples";
        return switch (run.kind()) {
            case STRUCTURED -> why + " (an output that is seen first has none to differ from; name all in classes)";
            case TWO_CLASS, KERNEL -> why + " (a budget removed some)";
            case OTHER, OTHER_STRUCTURED -> why;
        };
    }

    private double maxUpdates() {
        return MarginPerceptron.updates(
                run.h() == 1 && run.eta() == 1 ? Math.max(1, run.radius()) : run.radius(),
                run.h(),
                run.eta(),
                certificate.lower());
    }

    private String hinge(double bound) {
        ScaledComparator u = run.comparator();
        return "M = " + run.updates() + " <= L + X/2 + sqrt(L X + X^2/4) = " + format(bound) + ", with u = "
                + format(u.scale()) + " times " + u.of() + ", L(u) = " + format(u.hingeLoss()) + " and X = "
                + (run.h() == 0 ? "R^2 |u|^2" : "(R^2 + 2h/eta) |u|^2") + " = "
                + format(run.growth() * u.squaredNorm());
    }

    /** Reason why theorems about the predictions of w do not hold for the emitted labels, or null. */
    private String whyNotOfW() {
        return switch (run.predict()) {
            case LAST -> null;
            case AVERAGED ->
                "it is about the predictions of w, and this model emits those of the average"
                        + " (predict=averaged), which examples without an update change, too";
            case VOTED ->
                "it is about the predictions of w, and this model emits the votes of all w"
                        + " (predict=voted), which examples without an update change, too";
        };
    }

    /** Reason why examples without an update count, or null. */
    private String whyNotByUpdates() {
        return run.support() >= 0
                ? null
                : "examples without an update have changed the model, too (scale=standard, class.weights=balanced or"
                        + " drift.action)";
    }

    private String whyNoCycle() {
        return run.cycle() != null
                ? null
                : run.margin() > 0
                        ? "w separates the examples"
                        : "no pass was found after which the weights were again those of an earlier one (in file"
                                + " order, unscaled)";
    }

    private String noSeparator() {
        TrainingRun.Cycle cycle = run.cycle();
        String first = cycle.updates().entrySet().stream()
                .limit(MAX_SHOWN)
                .map(each -> each.getValue() + " of example " + each.getKey())
                .collect(Collectors.joining(", "));
        return (run.hasBias() ? "no hyperplane" : "no hyperplane through 0 (bias=false)")
                + " separates the examples, and the passes repeat without end: pass " + cycle.end()
                + " ended with the weights of "
                + (cycle.start() == 0 ? "the start" : "pass " + cycle.start())
                + ", so sum n_i y_i x_i = 0, with n_i the updates in between, times the weights of the examples if they"
                + " have any, computed exactly: " + first
                + (cycle.updates().size() > MAX_SHOWN
                        ? ", … (" + cycle.updates().size() + " examples)"
                        : "");
    }

    private double delta() {
        return UniformBound.delta(run.examples(), CONFIDENCE);
    }

    private boolean isStructured() {
        return run.kind() == TrainingRun.Kind.STRUCTURED || run.kind() == TrainingRun.Kind.OTHER_STRUCTURED;
    }

    /** Reason why the emitted label is not decided by a hyperplane in the space of the features, or null. */
    private String whyNoHyperplane() {
        if (run.kind() != TrainingRun.Kind.TWO_CLASS && run.kind() != TrainingRun.Kind.OTHER) {
            return "it is about two classes and a known number of features";
        }
        if (run.predict() == Settings.Predict.VOTED) {
            return "it is about a hyperplane, and the votes of several are none (predict=voted)";
        }
        if (!run.hasFixedVectors()) {
            return "it is about a hyperplane, and the vector of an example depends on the others (scale=standard)";
        }
        return run.hasFixedWeights()
                ? null
                : "it is about a hyperplane, and a value larger than all before counts for less (normalised=true)";
    }

    private static String vacuous(double error) {
        return error >= 1 ? " (more than 1: no bound with so few examples)" : "";
    }

    private static String format(double value) {
        return String.format(Locale.ROOT, "%.6g", value);
    }
}
