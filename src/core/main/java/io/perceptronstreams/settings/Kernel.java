package io.perceptronstreams.settings;

import java.math.BigDecimal;
import java.util.Arrays;

/**
 * A kernel K(x, z): the inner product of x and z after a feature map that is never computed (Lin 2021).
 *
 * <p>All kernels here depend on x and z only through ⟨x,z⟩, |x|² and |z|², which a learner computes once. Linear,
 * polynomial and Gaussian functions are kernels, and so are non-negative constants, sums, products, exponentials and
 * normalised forms of kernels, and f(x)·f(z) for any f (Lin 2021). Values are the same bits on every machine: no sum is
 * reordered, and exponential and power are {@link StrictMath}'s.
 */
public sealed interface Kernel {
    /**
     * Parses an expression such as {@code 0.5*poly(c=1,k=2) + rbf(g=0.1)}.
     *
     * @throws IllegalArgumentException with the column, from 1, and the expected input
     */
    static Kernel parse(String expression) {
        return new KernelParser(expression).parse();
    }

    /**
     * The kernel of one pair.
     *
     * @param dot ⟨x,z⟩
     * @param xx |x|²
     * @param zz |z|²
     */
    double at(double dot, double xx, double zz);

    /**
     * The kernel of x with each of n vectors; the same bits as {@link #at}.
     *
     * @param dots ⟨x,z⟩ for each z
     * @param xx |x|²
     * @param zz |z|² for each z
     * @param values receives the results; must not be one of the other arrays
     */
    default void at(double[] dots, double xx, double[] zz, int n, double[] values, Scratch scratch) {
        for (int i = 0; i < n; i++) {
            values[i] = at(dots[i], xx, zz[i]);
        }
    }

    /** The canonical expression: {@link #parse} returns this kernel for it. */
    String text();

    /** ⟨x,z⟩: the perceptron itself. */
    record Linear() implements Kernel {
        @Override
        public double at(double dot, double xx, double zz) {
            return dot;
        }

        @Override
        public void at(double[] dots, double xx, double[] zz, int n, double[] values, Scratch scratch) {
            System.arraycopy(dots, 0, values, 0, n);
        }

        @Override
        public String text() {
            return "linear";
        }
    }

    /** (c + ⟨x,z⟩)^k by repeated multiplication; all products of at most k features, or of exactly k if c = 0. */
    record Polynomial(double c, int k) implements Kernel {
        @Override
        public double at(double dot, double xx, double zz) {
            double base = c + dot;
            double power = base;
            for (int factor = 1; factor < k; factor++) {
                power *= base;
            }
            return power;
        }

        // One multiplication for all vectors at a time: the compiler can vectorize simple loops over arrays.
        @Override
        public void at(double[] dots, double xx, double[] zz, int n, double[] values, Scratch scratch) {
            for (int i = 0; i < n; i++) {
                values[i] = c + dots[i];
            }
            for (int factor = 1; factor < k; factor++) {
                for (int i = 0; i < n; i++) {
                    values[i] *= c + dots[i];
                }
            }
        }

        @Override
        public String text() {
            return "poly(c=" + number(c) + ",k=" + k + ")";
        }
    }

    /** exp(-g·|x-z|²), with |x-z|² computed as max(0, |x|² + |z|² - 2⟨x,z⟩). */
    record Gaussian(double g) implements Kernel {
        @Override
        public double at(double dot, double xx, double zz) {
            return StrictMath.exp(-g * Math.max(0, xx + zz - 2 * dot));
        }

        @Override
        public String text() {
            return "rbf(g=" + number(g) + ")";
        }
    }

    /** A number >= 0; a factor in a product. */
    record Constant(double value) implements Kernel {
        @Override
        public double at(double dot, double xx, double zz) {
            return value;
        }

        @Override
        public String text() {
            return number(value);
        }
    }

    /** The sum of two kernels: all features of both. */
    record Sum(Kernel left, Kernel right) implements Kernel {
        @Override
        public double at(double dot, double xx, double zz) {
            return left.at(dot, xx, zz) + right.at(dot, xx, zz);
        }

        @Override
        public void at(double[] dots, double xx, double[] zz, int n, double[] values, Scratch scratch) {
            left.at(dots, xx, zz, n, values, scratch);
            double[] more = scratch.take(n);
            right.at(dots, xx, zz, n, more, scratch);
            for (int i = 0; i < n; i++) {
                values[i] += more[i];
            }
            scratch.release();
        }

        @Override
        public String text() {
            return left.text() + " + " + (right instanceof Sum ? "(" + right.text() + ")" : right.text());
        }
    }

    /** The product of two kernels: all products of a feature of one and a feature of the other. */
    record Product(Kernel left, Kernel right) implements Kernel {
        @Override
        public double at(double dot, double xx, double zz) {
            return left.at(dot, xx, zz) * right.at(dot, xx, zz);
        }

        @Override
        public void at(double[] dots, double xx, double[] zz, int n, double[] values, Scratch scratch) {
            left.at(dots, xx, zz, n, values, scratch);
            double[] more = scratch.take(n);
            right.at(dots, xx, zz, n, more, scratch);
            for (int i = 0; i < n; i++) {
                values[i] *= more[i];
            }
            scratch.release();
        }

        @Override
        public String text() {
            return (left instanceof Sum ? "(" + left.text() + ")" : left.text())
                    + "*"
                    + (right instanceof Sum || right instanceof Product ? "(" + right.text() + ")" : right.text());
        }
    }

    /** K(x,z) / sqrt(K(x,x)·K(z,z)), as f(x)·f(z)·K(x,z) with f(x) = 1/sqrt(K(x,x)); 0 if K(x,x) or K(z,z) is. */
    record Normalised(Kernel of) implements Kernel {
        @Override
        public double at(double dot, double xx, double zz) {
            return factor(xx) * factor(zz) * of.at(dot, xx, zz);
        }

        private double factor(double xx) {
            double self = of.at(xx, xx, xx);
            return self == 0 ? 0 : 1 / Math.sqrt(self);
        }

        @Override
        public String text() {
            return "normalise(" + of.text() + ")";
        }
    }

    /**
     * f(x)·f(z) with f(x) = K(x,x)^p, 0 where K(x,x) is; a factor that gives vectors other lengths in the kernel's
     * space.
     *
     * <p>{@code self(K,p=-0.5)*K} is {@code normalise(K)}, and {@code self(exp(linear),p=-G)*exp(2G*linear)} is {@code
     * rbf(g=G)}, because exp(⟨x,x⟩)^-G = exp(-G·|x|²).
     */
    record Self(Kernel of, double p) implements Kernel {
        @Override
        public double at(double dot, double xx, double zz) {
            return factor(xx) * factor(zz);
        }

        private double factor(double xx) {
            double self = of.at(xx, xx, xx);
            return self == 0 ? 0 : StrictMath.pow(self, p);
        }

        @Override
        public String text() {
            return "self(" + of.text() + ",p=" + (p < 0 ? "-" + number(-p) : number(p)) + ")";
        }
    }

    /**
     * exp(K(x,z)), the limit of sums of products: 1 + K + K²/2 + …; {@code rbf(g)} is its normalised form of 2g⟨x,z⟩.
     */
    record Exponential(Kernel of) implements Kernel {
        @Override
        public double at(double dot, double xx, double zz) {
            return StrictMath.exp(of.at(dot, xx, zz));
        }

        @Override
        public String text() {
            return "exp(" + of.text() + ")";
        }
    }

    /** The shortest decimal that reads back to the same double, without ".0". */
    private static String number(double value) {
        return value == Math.rint(value) && value < 1e15
                ? new BigDecimal(value).toPlainString()
                : Double.toString(value);
    }

    /** Intermediate arrays of sums and products, reused from example to example. */
    final class Scratch {
        private double[][] arrays = new double[0][];
        private int taken;

        /** Returns an array of at least n numbers with undefined content, until {@link #release}. */
        public double[] take(int n) {
            if (taken == arrays.length) {
                arrays = Arrays.copyOf(arrays, taken + 1);
                arrays[taken] = new double[0];
            }
            if (arrays[taken].length < n) {
                arrays[taken] = new double[Math.max(n, 2 * arrays[taken].length)];
            }
            return arrays[taken++];
        }

        /** Releases the array that was taken last. */
        public void release() {
            taken--;
        }
    }
}
