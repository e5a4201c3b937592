package io.perceptronstreams.format;

import io.perceptronstreams.event.Example;
import io.perceptronstreams.event.NamedFeatures;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.regex.Pattern;

/**
 * Vowpal Wabbit's text format, {@code label importance 'tag |namespace:scale feature:value …}, as named features.
 *
 * <p>A feature is named {@code namespace^feature}, or {@code feature} in the default namespace. The default value is 1.
 * Values are multiplied by the scale of the namespace, and values of the same name are added. The tag is the id. An
 * example without a label, or of importance 0, is only predicted.
 */
final class VwReader extends LineExampleReader {
    private static final String BLANKS = " \t";
    private static final Pattern COSTS = Pattern.compile("(\\d+|\\*):.*|shared|\\d+(,\\d+)+");
    private static final String KINDS = "one class per example is read: contextual bandits, action:cost:probability,"
            + " costs per class, class:cost, several labels, and examples of several lines with shared are not supported";

    private final LabelParser labels;

    VwReader(LineReader lines, ExampleIds ids, LabelParser labels) {
        super(lines, ids);
        this.labels = labels;
    }

    @Override
    public Example next() throws IOException {
        while (lines.advance()) {
            String line = lines.text();
            if (!line.isBlank()) {
                return example(line);
            }
        }
        return null;
    }

    private Example example(String line) throws MalformedExampleException {
        int bar = line.indexOf('|');
        if (bar < 0) {
            throw lines.malformed("line must have a '|' before the features, got none");
        }
        String id = ids.ofLine(lines.number());
        Object label = null;
        double weight = 1.0;
        StringTokenizer head = new StringTokenizer(line.substring(0, bar), BLANKS);
        for (int position = 0; head.hasMoreTokens(); position++) {
            String token = head.nextToken();
            // as in VW: a tag starts with a quotation mark or touches the bar
            boolean touchesBar = !head.hasMoreTokens() && BLANKS.indexOf(line.charAt(bar - 1)) < 0;
            if (token.startsWith("'") || touchesBar) {
                id = tag(token, head.hasMoreTokens(), id);
            } else if (position == 0) {
                label = label(token);
            } else if (position == 1) {
                weight = importance(token);
            } else {
                throw lines.malformed("'|' must follow label, importance and 'tag, got '" + token
                        + "' (initial predictions are not supported)");
            }
        }
        // as in VW: importance 0 is predicted and not learned
        return weight == 0
                ? new Example(id, null, new NamedFeatures(features(line, bar)), 1.0)
                : new Example(id, label, new NamedFeatures(features(line, bar)), weight);
    }

    private String tag(String token, boolean isFollowed, String otherwise) throws MalformedExampleException {
        if (isFollowed) {
            throw lines.malformed("tag must be the last before '|', got '" + token + "' earlier");
        }
        String tag = token.startsWith("'") ? token.substring(1) : token;
        return tag.isEmpty() ? otherwise : ids.given(tag);
    }

    private Object label(String token) throws MalformedExampleException {
        if (COSTS.matcher(token).matches()) {
            throw lines.malformed("label must be a number or a name, got '" + token + "' (" + KINDS + ")");
        }
        try {
            return labels.parse(token);
        } catch (IllegalArgumentException e) {
            throw lines.malformed(e.getMessage());
        }
    }

    private double importance(String token) throws MalformedExampleException {
        double importance = Decimals.parse(token);
        if (!(importance >= 0 && Double.isFinite(importance))) {
            throw lines.malformed("importance must be a finite number >= 0, got '" + token + "'");
        }
        return importance;
    }

    private Map<String, Double> features(String line, int firstBar) throws MalformedExampleException {
        Map<String, Double> features = new LinkedHashMap<>();
        for (int bar = firstBar; bar >= 0; ) {
            int next = line.indexOf('|', bar + 1);
            addNamespace(line.substring(bar + 1, next < 0 ? line.length() : next), features);
            bar = next;
        }
        return features;
    }

    private void addNamespace(String text, Map<String, Double> features) throws MalformedExampleException {
        StringTokenizer tokens = new StringTokenizer(text, BLANKS);
        String prefix = "";
        double scale = 1.0;
        if (!text.isEmpty() && BLANKS.indexOf(text.charAt(0)) < 0) {
            String token = tokens.nextToken();
            String namespace = name(token, "namespace");
            prefix = namespace + "^";
            scale = value(token, namespace, "scale");
        }
        while (tokens.hasMoreTokens()) {
            String token = tokens.nextToken();
            String feature = name(token, "feature");
            features.merge(prefix + feature, scale * value(token, feature, "value"), Double::sum);
        }
    }

    private String name(String token, String what) throws MalformedExampleException {
        int colon = token.indexOf(':');
        String name = colon < 0 ? token : token.substring(0, colon);
        if (name.isEmpty()) {
            throw lines.malformed(what + " must have a name, got '" + token + "'");
        }
        return name;
    }

    private double value(String token, String name, String what) throws MalformedExampleException {
        if (token.length() == name.length()) {
            return 1.0;
        }
        String text = token.substring(name.length() + 1);
        double value = Decimals.parse(text);
        if (!Double.isFinite(value)) {
            throw lines.malformed(what + " must be a finite number, got '" + text + "' (" + name + ")");
        }
        return value;
    }
}
