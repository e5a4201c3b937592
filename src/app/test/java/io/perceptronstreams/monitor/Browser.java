package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Headless Chromium of the system, with its log of requests and errors. */
public final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * Held, or it would be forgotten: that no DevTools of this version are known matters only to those who use them.
     */
    private static final Logger DEVTOOLS = Logger.getLogger("org.openqa.selenium.devtools");

    private final ChromeDriver driver;
    private final Path profile;

    // the driver tells each only once
    private final List<String> complaints = new ArrayList<>();
    private final List<String> requests = new ArrayList<>();

    private Browser(ChromeDriver driver, Path profile) {
        this.driver = driver;
        this.profile = profile;
    }

    /** Whether this machine has one; for {@code @EnabledIf}. */
    public static boolean isThere() {
        return chromium().isPresent() && onPath("chromedriver").isPresent();
    }

    private static Optional<File> chromium() {
        return Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> onPath(name).stream())
                .findFirst();
    }

    private static Optional<File> onPath(String name) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .map(directory -> new File(directory, name))
                .filter(File::canExecute)
                .findFirst();
    }

    /** Starts it with a new profile and a window of this size in pixels. */
    public static Browser open(int width, int height) {
        DEVTOOLS.setLevel(Level.SEVERE);
        try {
            Path profile = Files.createTempDirectory("perceptron-browser");
            LoggingPreferences logs = new LoggingPreferences();
            logs.enable(LogType.BROWSER, Level.ALL);
            logs.enable(LogType.PERFORMANCE, Level.ALL);
            ChromeOptions options = new ChromeOptions();
            options.setBinary(chromium().orElseThrow());
            options.addArguments(
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-quic",
                    "--no-first-run",
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-sync",
                    "--disable-dev-shm-usage",
                    "--user-data-dir=" + profile,
                    "--window-size=" + width + "," + height);
            options.setCapability("goog:loggingPrefs", logs);
            // given explicitly, or Selenium would look for one to download
            ChromeDriverService service = new ChromeDriverService.Builder()
                    .usingDriverExecutable(onPath("chromedriver").orElseThrow())
                    .withTimeout(PATIENCE)
                    .build();
            return new Browser(new ChromeDriver(service, options), profile);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public ChromeDriver driver() {
        return driver;
    }

    /** Loads a page, and clears the errors and requests recorded before. */
    public void load(String url) {
        driver.get("about:blank");
        complaints().clear();
        requests().clear();
        driver.get(url);
    }

    /** Waits for a text in one of the elements, and returns all text of the first that has it. */
    public String await(String selector, String text) {
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> texts(selector).stream().anyMatch(each -> each.contains(text)));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("'" + text + "' must be in " + selector + ", got " + texts(selector), e);
        }
        return texts(selector).stream()
                .filter(each -> each.contains(text))
                .findFirst()
                .orElse(text);
    }

    /** What elements show, hidden ones excepted. */
    @SuppressWarnings("unchecked")
    public List<String> texts(String selector) {
        return (List<String>) driver.executeScript(
                "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).map(e => e.textContent)",
                selector);
    }

    public WebElement find(String selector) {
        return driver.findElement(By.cssSelector(selector));
    }

    /** Presses keys where the focus is. */
    public void press(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /** Runs a script in the page, as the body of a function. */
    public Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Warnings and errors of scripts, styles and policies since the page was loaded. */
    public List<String> complaints() {
        driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
                .forEach(entry -> complaints.add(entry.getMessage()));
        return complaints;
    }

    /** Addresses requested since the page was loaded. */
    public List<String> requests() {
        driver.manage().logs().get(LogType.PERFORMANCE).getAll().stream()
                .map(entry -> parse(entry.getMessage()).path("message"))
                .filter(message -> message.path("method").asText().equals("Network.requestWillBeSent"))
                .forEach(message ->
                        requests.add(message.at("/params/request/url").asText()));
        return requests;
    }

    private static JsonNode parse(String json) {
        try {
            return JSON.readTree(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        driver.quit();
        try (Stream<Path> files = Files.walk(profile)) {
            // deepest first; what the browser still writes into is left to the system
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(file -> file.delete());
        } catch (IOException | UncheckedIOException e) {
            // the same
        }
    }
}
