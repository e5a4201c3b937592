package io.perceptronstreams.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Metrics and labels of a PromQL expression; supports the syntax used in deploy/. */
final class PromQl {
    private static final Pattern TOKEN =
            Pattern.compile("\\s+|\"[^\"]*\"|\\[[^]]*]|[A-Za-z_:][A-Za-z0-9_:]*|[0-9][0-9A-Za-z_.]*|[=!]~|[=!<>]=|.");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_:][A-Za-z0-9_:]*");
    private static final Set<String> LISTS = Set.of("by", "without", "on", "ignoring", "group_left", "group_right");
    private static final Set<String> OPERATORS = Set.of("and", "or", "unless", "offset", "bool");

    private final List<String> tokens = new ArrayList<>();
    private final List<Selector> selectors = new ArrayList<>();
    private final Set<String> listed = new HashSet<>();
    private int next;

    /**
     * A metric with its label matchers.
     *
     * @param matchers label to operator and value, as in {@code ="heap"}
     */
    record Selector(String metric, Map<String, String> matchers) {}

    private PromQl(String expression) {
        Matcher matcher = TOKEN.matcher(expression);
        while (matcher.find()) {
            // ranges, such as [5m], contain no labels
            if (!matcher.group().isBlank() && !matcher.group().startsWith("[")) {
                tokens.add(matcher.group());
            }
        }
    }

    static PromQl parse(String expression) {
        PromQl parsed = new PromQl(expression);
        while (parsed.next < parsed.tokens.size()) {
            parsed.readOne();
        }
        return parsed;
    }

    List<Selector> selectors() {
        return selectors;
    }

    /** Labels in {@code by (…)} and similar clauses. */
    Set<String> listedLabels() {
        return listed;
    }

    private void readOne() {
        String token = tokens.get(next++);
        if (!NAME.matcher(token).matches() || OPERATORS.contains(token)) {
            return;
        }
        if (LISTS.contains(token)) {
            while (!tokens.get(++next).equals(")")) {
                if (!tokens.get(next).equals(",")) {
                    listed.add(tokens.get(next));
                }
            }
        } else if (!isAt("(") && LISTS.stream().noneMatch(this::isAt)) {
            selectors.add(new Selector(token, matchers()));
        }
    }

    private Map<String, String> matchers() {
        Map<String, String> matchers = new TreeMap<>();
        if (isAt("{")) {
            for (next++; !isAt("}"); next++) {
                if (!isAt(",")) {
                    matchers.put(tokens.get(next), tokens.get(next + 1) + tokens.get(next + 2));
                    next += 2;
                }
            }
        }
        return matchers;
    }

    private boolean isAt(String token) {
        return next < tokens.size() && tokens.get(next).equals(token);
    }
}
