package io.perceptronstreams.monitor;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.learner.Algorithm;
import io.perceptronstreams.learner.Setting;
import io.perceptronstreams.learner.Settings;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.MistakeCauses;
import io.perceptronstreams.serde.Topic;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;

/** Routes of the API under {@code /api/v1}, of health checks and metrics, as described in docs/http.md. */
final class Api {
    static final String ROOT = "/api/v1";

    private static final String JSON = "application/json";
    private static final int MAX_LIMIT = 200;
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .build();

    /** States of models, as in ModelStatus. */
    private static final List<String> STATES =
            EventSchemas.schema("ModelStatus").getField("state").schema().getEnumSymbols();

    private final DashboardState state;
    private final EngineView engine;
    private final Metrics metrics;
    private final SseBroadcaster streams;
    private final String commandOptions;

    /** Latest events, newest first. */
    record Events(String model, List<? extends Event<?>> events) {}

    /** Largest weights of the newest snapshot of a model; null without a snapshot. */
    record WeightsAnswer(String model, TopWeights.Snapshot snapshot) {}

    /** Fields of a model about labels that come apart from their examples, and ids that come twice. */
    private static final List<String> LABELS = List.of(
            "model",
            "timestamp",
            "pending",
            "late",
            "unlabelled",
            "defaulted",
            "duplicates",
            "labelledShare",
            "streamTime",
            "oldestPending",
            "pendingAgeMs",
            "nextDue",
            "labelDelays",
            "delays");

    /** Definitions of the settings of a model. */
    record SettingsAnswer(List<SettingDefinition> settings) {}

    /** Settings of models to be created, by partition. */
    record DefaultsAnswer(List<ObjectNode> defaults) {}

    /** A setting, its default, the values that it may have, and what it does. */
    record SettingDefinition(String name, String defaultValue, String values, String description, List<String> usedBy) {
        static SettingDefinition of(Setting<?> setting) {
            return new SettingDefinition(
                    setting.name(),
                    setting.defaultText(),
                    setting.rule(),
                    setting.help(),
                    setting.usedBy().stream().sorted().map(Algorithm::toString).toList());
        }
    }

    /** State of the engine and totals of the monitor. */
    record EngineAnswer(
            EngineView.Engine engine,
            int models,
            long droppedModels,
            long rerouted,
            long deadLetters,
            int streams,
            int maxStreams,
            String commandOptions) {}

    /** @param commandOptions options with which a command finds the same brokers and registry */
    Api(DashboardState state, EngineView engine, Metrics metrics, SseBroadcaster streams, String commandOptions) {
        this.commandOptions = commandOptions;
        this.state = state;
        this.engine = engine;
        this.metrics = metrics;
        this.streams = streams;
    }

    void addTo(RoutesConfig routes) {
        get(routes, ROOT, context -> answer(context, Map.of("links", links())));
        get(routes, ROOT + "/models", this::models);
        get(routes, ROOT + "/models/{model}", context -> answer(context, details(context)));
        get(
                routes,
                ROOT + "/models/{model}/history",
                context -> answer(context, state.history(model(context)).orElseThrow(() -> unknown(context))));
        get(routes, ROOT + "/models/{model}/mistakes", context -> events(context, Topic.MISTAKES, known(context)));
        get(routes, ROOT + "/models/{model}/causes", this::causes);
        get(routes, ROOT + "/models/{model}/weights", context -> {
            String model = known(context);
            answer(context, new WeightsAnswer(model, state.weights(model)));
        });
        get(
                routes,
                ROOT + "/models/{model}/pending",
                context -> answer(context, details(context).retain(LABELS)));
        for (Topic topic : SseBroadcaster.TOPICS) {
            get(routes, ROOT + "/" + topic.suffix(), context -> events(context, topic, context.queryParam("model")));
        }
        get(routes, ROOT + "/dead-letters", context -> answer(context, state.deadLetters(limit(context, 50))));
        get(
                routes,
                ROOT + "/engine",
                context -> answer(
                        context,
                        new EngineAnswer(
                                engine.engine(),
                                state.size(),
                                state.droppedModels(),
                                state.rerouted(),
                                state.deadLetterCount(),
                                streams.open(),
                                streams.maxStreams(),
                                commandOptions)));
        SettingsAnswer settings = new SettingsAnswer(
                Settings.all().stream().map(SettingDefinition::of).toList());
        get(routes, ROOT + "/settings", context -> answer(context, settings));
        get(
                routes,
                ROOT + "/defaults",
                context -> answer(
                        context,
                        new DefaultsAnswer(state.defaults().stream()
                                .map(Api::changedDefaults)
                                .toList())));
        get(routes, "/healthz", context -> answer(context, Map.of("status", "up")));
        get(routes, "/readyz", this::ready);
        get(routes, "/startupz", this::started);
        get(
                routes,
                "/metrics",
                context -> context.contentType("text/plain; version=0.0.4; charset=utf-8")
                        .result(metrics.scrape()));
        routes.exception(
                IllegalArgumentException.class, (failure, context) -> error(context, 400, failure.getMessage()));
        routes.exception(NoSuchElementException.class, (failure, context) -> error(context, 404, failure.getMessage()));
    }

    /** Adds a route that answers HEAD with the headers of GET: without it, Javalin answers HEAD with other headers. */
    static void get(RoutesConfig routes, String path, Handler handler) {
        routes.get(path, handler);
        routes.head(path, handler);
    }

    private static List<String> links() {
        return List.of(
                ROOT + "/models",
                ROOT + "/mistakes",
                ROOT + "/counts",
                ROOT + "/alerts",
                ROOT + "/dead-letters",
                ROOT + "/engine",
                ROOT + "/settings",
                ROOT + "/defaults",
                ROOT + "/stream/mistakes",
                ROOT + "/stream/counts",
                ROOT + "/stream/alerts",
                ROOT + "/openapi.yaml");
    }

    private void models(Context context) {
        String sort = value(context, "sort", "name");
        if (!ModelTable.KEYS.containsKey(sort)) {
            throw new IllegalArgumentException("sort must be one of " + String.join(", ", ModelTable.KEYS.keySet()));
        }
        String order = value(context, "order", "asc");
        if (!order.equals("asc") && !order.equals("desc")) {
            throw new IllegalArgumentException("order must be asc or desc");
        }
        answer(
                context,
                state.page(new ModelTable.Query(
                        context.queryParam("name"),
                        value(context, "q", ""),
                        modelState(context),
                        sort,
                        order.equals("desc"),
                        number(context, "offset", 0, 0, DashboardState.MAX_MODELS),
                        limit(context, 50))));
    }

    /** The settings that differ from the defaults, and the command that changed them. */
    private static ObjectNode changedDefaults(Event<ModelStatus> status) {
        ObjectNode json = status.json().retain("timestamp", "sourcePartition", "sourceOffset", "settings");
        Map<String, String> builtIn = Settings.DEFAULTS.toMap();
        json.get("settings")
                .properties()
                .removeIf(each -> each.getValue().asText().equals(builtIn.get(each.getKey())));
        return json;
    }

    private ObjectNode details(Context context) {
        return state.details(model(context)).orElseThrow(() -> unknown(context));
    }

    private static String modelState(Context context) {
        String given = context.queryParam("state");
        if (given == null) {
            return null;
        }
        String symbol = given.toUpperCase(Locale.ROOT);
        if (!STATES.contains(symbol)) {
            throw new IllegalArgumentException("state must be one of " + String.join(", ", STATES));
        }
        return symbol;
    }

    private void causes(Context context) {
        String by = value(context, "by", "feature");
        if (!by.equals("feature") && !by.equals("pair")) {
            throw new IllegalArgumentException("by must be feature or pair");
        }
        MistakeCauses.Key key = MistakeCauses.Key.valueOf(by.toUpperCase(Locale.ROOT));
        answer(context, state.causes(model(context), key, limit(context, 20)).orElseThrow(() -> unknown(context)));
    }

    private void events(Context context, Topic topic, String model) {
        answer(context, new Events(model, state.latest(topic, model, limit(context, 50))));
    }

    private void ready(Context context) {
        boolean isReady = engine.isReady();
        health(context, isReady, isReady ? "ready" : "not ready");
    }

    private void started(Context context) {
        boolean isStarted = engine.isStarted();
        health(context, isStarted, isStarted ? "started" : "starting");
    }

    private void health(Context context, boolean isGood, String status) {
        context.status(isGood ? 200 : 503);
        String engineState = engine.state();
        answer(context, Map.of("status", status, "state", engineState == null ? "ALONE" : engineState));
    }

    private static String model(Context context) {
        return context.pathParam("model");
    }

    private String known(Context context) {
        if (state.status(model(context)).isEmpty()) {
            throw unknown(context);
        }
        return model(context);
    }

    private static NoSuchElementException unknown(Context context) {
        return new NoSuchElementException("model must be known, got '" + Truncation.text(model(context), 128) + "'");
    }

    private static String value(Context context, String name, String otherwise) {
        String value = context.queryParam(name);
        return value == null ? otherwise : value;
    }

    private static int limit(Context context, int otherwise) {
        return number(context, "limit", otherwise, 1, MAX_LIMIT);
    }

    private static int number(Context context, String name, int otherwise, int low, int high) {
        String value = context.queryParam(name);
        if (value == null) {
            return otherwise;
        }
        if (value.matches("\\d{1,9}")) {
            int number = Integer.parseInt(value);
            if (number >= low && number <= high) {
                return number;
            }
        }
        throw new IllegalArgumentException(name + " must be a whole number from " + low + " to " + high);
    }

    static void error(Context context, int status, String message) {
        context.status(status);
        answer(context, Map.of("error", String.valueOf(message)));
    }

    private static void answer(Context context, Object value) {
        try {
            context.header("Cache-Control", "no-store").contentType(JSON).result(MAPPER.writeValueAsBytes(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
