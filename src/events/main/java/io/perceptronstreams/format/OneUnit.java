package io.perceptronstreams.format;

/** The unit of the numbers of a column or field, which must not change: 5 kg and 7 g are no numbers to compare. */
final class OneUnit {
    private String unit;
    private String first;

    /**
     * Takes the next number; zero needs no unit.
     *
     * @param cell its text
     * @return the first text, if its unit differs from that of {@code cell}; otherwise null
     */
    String unlike(String cell, double number) {
        if (number == 0 || !Double.isFinite(number)) {
            return null;
        }
        String found = Double.isNaN(Decimals.parse(cell)) ? of(Amount.of(cell)) : "";
        if (unit == null) {
            unit = found;
            first = cell;
        }
        return unit.equals(found) ? null : first;
    }

    /** The unit of an amount, with its percent sign. */
    static String of(Amount amount) {
        if (amount == null) {
            return "";
        }
        return WrittenNumber.isPercent(amount.number()) ? "%" + amount.unit() : amount.unit();
    }
}
