package io.perceptronstreams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Links between the pages in Markdown of a directory. */
public final class DocumentLinks {
    private static final Pattern LINK = Pattern.compile("\\]\\((?![a-z]+:)([^)#\\s]*)(?:#([^)\\s]+))?\\)");
    private static final List<String> DIRECTORIES = List.of("docs", "clients", "deploy", "samples", "src/bench");

    private static final Pattern INSTALLED = Pattern.compile("/(?:node_modules|\\.venv)/");

    private DocumentLinks() {}

    /** Returns the pages of a source tree or an unpacked archive. */
    public static List<Path> pages(Path root) throws IOException {
        List<Path> pages = new ArrayList<>(markdown(root, 1));
        for (String each : DIRECTORIES) {
            pages.addAll(markdown(root.resolve(each), 9));
        }
        return pages;
    }

    private static List<Path> markdown(Path directory, int depth) throws IOException {
        if (!Files.isDirectory(directory)) {
            // an archive has no sources
            return List.of();
        }
        try (Stream<Path> files = Files.walk(directory, depth)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    // without those of the libraries of a client
                    .filter(file -> !INSTALLED.matcher(file.toString()).find())
                    .toList();
        }
    }

    /** Returns the files to which a page has links, without those of other hosts. */
    public static List<Path> targets(Path page) throws IOException {
        return LINK.matcher(Files.readString(page))
                .results()
                .filter(link -> !link.group(1).isEmpty())
                .map(link -> page.resolveSibling(link.group(1)).normalize())
                .toList();
    }

    /** Returns the links whose file or heading does not exist, as {@code page: link}. */
    public static List<String> broken(Path root) throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages(root)) {
            Matcher link = LINK.matcher(Files.readString(page));
            while (link.find()) {
                Path target = link.group(1).isEmpty()
                        ? page
                        : page.resolveSibling(link.group(1)).normalize();
                boolean isFound = Files.exists(target)
                        && (link.group(2) == null
                                || !target.toString().endsWith(".md")
                                || anchors(target).contains(link.group(2)));
                if (!isFound) {
                    broken.add(root.relativize(page) + ": "
                            + link.group().substring(2, link.group().length() - 1));
                }
            }
        }
        return broken;
    }

    /** Returns the anchors that GitHub gives the headings of a page. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        boolean isCode = false;
        for (String line : Files.readAllLines(page)) {
            isCode ^= line.startsWith("```");
            if (!isCode && line.startsWith("#")) {
                anchors.add(line.replaceFirst("^#+ ", "")
                        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                        .strip()
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
                        .replace(' ', '-'));
            }
        }
        return anchors;
    }
}
