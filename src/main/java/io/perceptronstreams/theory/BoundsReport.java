package io.perceptronstreams.theory;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the theorems say about one training run: a line each, with the value or with the reason why there is none. */
public final class BoundsReport {
    /** With this probability the uniform bound that is reported holds. */
    static final double CONFIDENCE = 0.95;

    private final TrainingRun facts;
    private final MarginCertificate certificate;
    private final List<Line> lines = new ArrayList<>();

    /**
     * One line.
     *
     * @param name of the theorem
     * @param value of its bound; NaN where it does not apply
     * @param text the value in words, or one sentence on why it does not apply
     */
    public record Line(String name, double value, String text) {
        /** Whether the assumptions hold. */
        public boolean applies() {
            return !Double.isNaN(value);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%-20s %s", name, text);
        }
    }

    private BoundsReport(TrainingRun facts) {
        this.facts = facts;
        certificate = MarginCertificate.of(facts.margin(), facts.norm(), facts.steps());
    }

    /** The lines for a run, in a fixed order, one for every theorem. */
    public static List<Line> of(TrainingRun facts) {
        BoundsReport report = new BoundsReport(facts);
        report.certificate();
        report.mistakes();
        report.marginPerceptron();
        report.hinge();
        report.expectedError();
        report.uniform();
        report.lowerBound();
        report.dimension();
        return List.copyOf(report.lines);
    }

    private void certificate() {
        if (Double.isNaN(certificate.upper())) {
            none(
                    MarginCertificate.THEOREM,
                    facts.updates() == 0
                            ? "there was no update, so w = 0 says nothing about the margin"
                            : whyNoSum() + ", so its length does not bound the margin");
        } else if (Double.isNaN(certificate.lower())) {
            add(
                    MarginCertificate.THEOREM,
                    certificate.upper(),
                    "gamma <= " + shown(certificate.upper()) + " = |w|/" + sum()
                            + ", if there is one: "
                            + (Double.isNaN(facts.margin())
                                    ? "the margin of w is not known"
                                    : "w itself does not separate the examples (its margin is " + shown(facts.margin())
                                            + ")"));
        } else {
            add(
                    MarginCertificate.THEOREM,
                    certificate.upper(),
                    shown(certificate.lower()) + " = margin(w) <= gamma <= |w|/" + sum() + " = "
                            + shown(certificate.upper()));
        }
    }

    private String sum() {
        return facts.steps() == facts.updates() ? "M" : "(sum of steps)";
    }

    private void mistakes() {
        String why = whyNoUpdateBound();
        if (why == null && facts.h() > 0) {
            why = "h = " + shown(facts.h()) + ", and it is about h = 0 (see margin perceptron)";
        }
        if (why != null) {
            none(MistakeBound.THEOREM, why);
            return;
        }
        double bound = MistakeBound.of(facts.radius(), certificate.lower());
        add(
                MistakeBound.THEOREM,
                bound,
                "M = " + facts.updates() + " <= (R/gamma)^2 <= " + shown(bound) + ", with gamma = margin(w)");
    }

    private void marginPerceptron() {
        String why = whyNoUpdateBound();
        if (why == null && facts.h() == 0) {
            why = "h = 0, and it is about h > 0 (see mistake bound)";
        }
        if (why != null) {
            none(MarginPerceptron.THEOREM, why);
            return;
        }
        double bound = mostUpdates();
        boolean isUnit = facts.radius() <= 1 && facts.h() == 1 && facts.eta() == 1;
        String text = "M = " + facts.updates() + " <= " + (isUnit ? "3/gamma^2" : "(R^2 + 2h/eta)/gamma^2") + " <= "
                + shown(bound) + ", with gamma = margin(w)";
        if (facts.isConverged()) {
            double gamma =
                    MarginPerceptron.largestGamma(isUnit ? 1 : facts.radius(), facts.h(), facts.eta(), facts.margin());
            text += "; margin(w) >= " + (isUnit ? "gamma/3" : "h·gamma/(eta·R^2 + 2h)") + ", hence gamma <= "
                    + shown(gamma);
        } else {
            text += "; no pass over all examples went without an update, so nothing is said of the margin in the end";
        }
        add(MarginPerceptron.THEOREM, bound, text);
    }

    /** Why no bound on the updates of a separable stream applies, or null. */
    private String whyNoUpdateBound() {
        String why = whyNoPerceptron();
        if (why != null) {
            return why;
        }
        if (!facts.hasEqualWeights()) {
            return "the examples have different weights, and it is about equal steps";
        }
        if (!(facts.margin() > 0)) {
            return Double.isNaN(facts.margin())
                    ? "the margin of w is not known"
                    : "w does not separate the examples (margin " + shown(facts.margin()) + "), so no gamma is known";
        }
        return null;
    }

    /** Why the updates are not those that the proofs are about, or null. */
    private String whyNoPerceptron() {
        if (facts.kind() == TrainingRun.Kind.OTHER) {
            return "the learner's updates are not the perceptron's";
        }
        return Double.isNaN(facts.steps()) ? whyNoSum() : null;
    }

    private String whyNoSum() {
        String why = "w is no sum of steps times examples";
        return switch (facts.kind()) {
            case STRUCTURED -> why + " (an output that is seen first has none to differ from; name all in classes)";
            case TWO_CLASS, KERNEL -> why + " (a budget removed some)";
            case OTHER -> why;
        };
    }

    private double mostUpdates() {
        return MarginPerceptron.updates(
                facts.h() == 1 && facts.eta() == 1 ? Math.max(1, facts.radius()) : facts.radius(),
                facts.h(),
                facts.eta(),
                certificate.lower());
    }

    private void hinge() {
        String why = whyNoPerceptron();
        if (why != null) {
            none(HingeBound.THEOREM, why);
        } else if (!facts.hasEqualWeights()) {
            none(HingeBound.THEOREM, "the examples have different weights, and it is about equal steps");
        } else if (Double.isNaN(facts.hingeLoss())) {
            none(HingeBound.THEOREM, "the hinge loss of a u to compare with is not known");
        } else {
            // the stream is the training set, as often as there were passes
            double loss = facts.passes() * facts.hingeLoss();
            double radius = Math.sqrt(facts.radius() * facts.radius() + 2 * facts.h() / facts.eta());
            double bound = HingeBound.of(radius, facts.norm(), loss);
            add(
                    HingeBound.THEOREM,
                    bound,
                    "M = " + facts.updates() + " <= "
                            + (facts.h() == 0 ? "R^2 |u|^2 + 2 L(u)" : "(R^2 + 2h/eta) |u|^2 + 2 L(u)") + " = "
                            + shown(bound) + ", with u = w and L(u) = " + shown(loss));
        }
    }

    private void expectedError() {
        String why = whyNoUpdateBound();
        if (why == null && !facts.isConverged()) {
            why = "no pass over all examples went without an update, and it is about a run that came to an end";
        }
        if (why != null) {
            none(ExpectedTestError.THEOREM, why);
            return;
        }
        double bound = ExpectedTestError.fromUpdates(mostUpdates(), facts.examples());
        add(
                ExpectedTestError.THEOREM,
                bound,
                "P(error) <= " + shown(bound) + says(bound)
                        + ", provided that the examples are drawn independently and that gamma = margin(w) holds for all"
                        + " to come");
    }

    private void uniform() {
        if (!isLinear()) {
            none(UniformBound.THEOREM, "it is about two classes and a known number of features");
            return;
        }
        if (Double.isNaN(facts.trainingError())) {
            none(UniformBound.THEOREM, "the training error of w is not known");
            return;
        }
        double delta = UniformBound.delta(facts.examples(), CONFIDENCE);
        double bound = facts.trainingError() + UniformBound.of(facts.features(), facts.examples(), delta);
        add(
                UniformBound.THEOREM,
                bound,
                "test error <= training error " + shown(facts.trainingError()) + " + sqrt((P+1) ln(N+1) / N) + delta = "
                        + shown(bound) + says(bound) + ", with probability " + CONFIDENCE + " (delta = " + shown(delta)
                        + "), provided that the examples are drawn independently");
    }

    private static String says(double error) {
        return error >= 1 ? " (more than 1: says nothing with so few examples)" : "";
    }

    private void lowerBound() {
        if (facts.kind() == TrainingRun.Kind.STRUCTURED) {
            none(MinimaxLowerBound.THEOREM, "it is about two classes and a known number of features");
        } else if (facts.features() == 0) {
            none(MinimaxLowerBound.THEOREM, "there are no features");
        } else {
            double bound = MinimaxLowerBound.of(facts.examples(), facts.features());
            add(
                    MinimaxLowerBound.THEOREM,
                    bound,
                    "no rule can promise an expected test error below " + shown(bound)
                            + " for every distribution with N = " + facts.examples() + " and d = " + facts.features());
        }
    }

    private void dimension() {
        if (isLinear()) {
            double dimension = facts.hasBias() ? VcDimension.of(facts.features()) : facts.features();
            add(
                    VcDimension.THEOREM,
                    dimension,
                    String.format(Locale.ROOT, facts.hasBias() ? "P + 1 = %.0f" : "P = %.0f, without bias", dimension));
        } else {
            none(VcDimension.THEOREM, "it is about two classes and a known number of features");
        }
    }

    private boolean isLinear() {
        return facts.kind() == TrainingRun.Kind.TWO_CLASS || facts.kind() == TrainingRun.Kind.OTHER;
    }

    private void add(Theorem theorem, double value, String text) {
        lines.add(new Line(theorem.name(), value, text));
    }

    private void none(Theorem theorem, String why) {
        lines.add(new Line(theorem.name(), Double.NaN, "does not apply: " + why));
    }

    private static String shown(double value) {
        return String.format(Locale.ROOT, "%.6g", value);
    }
}
