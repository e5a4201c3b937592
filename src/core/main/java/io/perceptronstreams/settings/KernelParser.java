package io.perceptronstreams.settings;

import io.perceptronstreams.example.ExpressionText;

/**
 * Parser of kernel expressions.
 *
 * <pre>
 * expression = term { "+" term }
 * term       = factor { "*" factor }
 * factor     = number | "linear" | "poly" "(" "c" "=" number "," "k" "=" whole ")" | "rbf" "(" "g" "=" number ")"
 *            | "exp" "(" expression ")" | "normalise" "(" expression ")" | "(" expression ")"
 *            | "self" "(" expression "," "p" "=" [ "-" ] number ")"
 * </pre>
 *
 * <p>Numbers are decimal and not negative but for p; words may be separated by blanks. Sums and products of equal rank
 * associate to the left. Length, depth and number of kernels are limited, so that no expression exhausts the stack or
 * the time for an example.
 */
final class KernelParser extends ExpressionText {
    private static final int MAX_LENGTH = 4096;
    private static final int MAX_KERNELS = 64;
    private static final int MAX_DEPTH = 64;
    private static final int MAX_POWER = 64;
    // normalise computes its kernel three times and self twice, n within each other 3^n times
    private static final int MAX_NORMALISED = 4;

    private int kernels;
    private int depth;
    private int normalised;

    KernelParser(String text) {
        super(text);
    }

    Kernel parse() {
        if (text.length() > MAX_LENGTH) {
            throw fault(MAX_LENGTH, "the end, after at most " + MAX_LENGTH + " characters");
        }
        Kernel kernel = expression();
        if (!isAtEnd()) {
            throw fault("+, * or the end");
        }
        return kernel;
    }

    private Kernel expression() {
        Kernel kernel = term();
        while (isNext('+')) {
            kernel = new Kernel.Sum(kernel, term());
        }
        return kernel;
    }

    private Kernel term() {
        Kernel kernel = factor();
        while (isNext('*')) {
            kernel = new Kernel.Product(kernel, factor());
        }
        return kernel;
    }

    private Kernel factor() {
        skipBlanks();
        if (kernels == MAX_KERNELS) {
            throw fault("at most " + MAX_KERNELS + " kernels");
        }
        if (isNext('(')) {
            return inParentheses();
        }
        int start = at;
        String word = word();
        if (word.isEmpty() && !isNumber()) {
            throw fault("linear, poly(c=…,k=…), rbf(g=…), exp(…), normalise(…), self(…,p=…), a number >= 0 or (");
        }
        return switch (word) {
            case "" -> counted(new Kernel.Constant(number()));
            case "linear" -> counted(new Kernel.Linear());
            case "poly" -> counted(polynomial());
            case "rbf" -> counted(gaussian());
            case "exp" -> {
                expect('(');
                yield counted(new Kernel.Exponential(inParentheses()));
            }
            case "normalise" -> {
                open(start);
                Kernel.Normalised kernel = new Kernel.Normalised(inParentheses());
                normalised--;
                yield kernel;
            }
            case "self" -> {
                open(start);
                Kernel.Self kernel = self();
                normalised--;
                yield counted(kernel);
            }
            default -> throw fault(start, "linear, poly, rbf, exp, normalise or self");
        };
    }

    private void open(int start) {
        if (++normalised > MAX_NORMALISED) {
            throw fault(start, "at most " + MAX_NORMALISED + " normalise or self within each other");
        }
        expect('(');
    }

    private Kernel.Self self() {
        if (++depth > MAX_DEPTH) {
            throw fault(at - 1, "at most " + MAX_DEPTH + " parentheses within each other");
        }
        Kernel of = expression();
        expect(',');
        name("p");
        boolean isNegative = isNext('-');
        double p = number();
        expect(')');
        depth--;
        // no negative zero, which has another text
        return new Kernel.Self(of, isNegative && p > 0 ? -p : p);
    }

    private Kernel counted(Kernel kernel) {
        kernels++;
        return kernel;
    }

    private Kernel inParentheses() {
        if (++depth > MAX_DEPTH) {
            throw fault(at - 1, "at most " + MAX_DEPTH + " parentheses within each other");
        }
        Kernel kernel = expression();
        if (!isNext(')')) {
            throw fault("+, * or )");
        }
        depth--;
        return kernel;
    }

    private Kernel polynomial() {
        expect('(');
        name("c");
        double c = number();
        expect(',');
        name("k");
        skipBlanks();
        int start = at;
        double k = number();
        if (k < 1 || k > MAX_POWER || k != Math.rint(k)) {
            throw fault(start, "a whole number from 1 to " + MAX_POWER);
        }
        expect(')');
        return new Kernel.Polynomial(c, (int) k);
    }

    private Kernel gaussian() {
        expect('(');
        name("g");
        double g = number();
        expect(')');
        return new Kernel.Gaussian(g);
    }

    private void name(String name) {
        skipBlanks();
        int start = at;
        if (!word().equals(name)) {
            throw fault(start, name + "=");
        }
        expect('=');
    }

    private String word() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= 'a' && text.charAt(at) <= 'z') {
            at++;
        }
        return text.substring(start, at);
    }

    private boolean isNumber() {
        return isDigit(at) || (at < text.length() && text.charAt(at) == '.' && isDigit(at + 1));
    }

    private double number() {
        skipBlanks();
        if (!isNumber()) {
            throw fault("a number >= 0");
        }
        int start = at;
        skipDigits();
        if (at < text.length() && text.charAt(at) == '.') {
            at++;
            skipDigits();
        }
        if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
            at++;
            if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
                at++;
            }
            if (!isDigit(at)) {
                throw fault("the digits of an exponent");
            }
            skipDigits();
        }
        double value = Double.parseDouble(text.substring(start, at));
        if (Double.isInfinite(value)) {
            throw fault(start, "a finite number");
        }
        return value;
    }

    private boolean isDigit(int position) {
        return position < text.length() && text.charAt(position) >= '0' && text.charAt(position) <= '9';
    }

    private void skipDigits() {
        while (isDigit(at)) {
            at++;
        }
    }

    private void expect(char character) {
        if (!isNext(character)) {
            throw fault(String.valueOf(character));
        }
    }
}
