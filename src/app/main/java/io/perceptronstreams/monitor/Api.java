package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.event.ModelStatus;
import io.perceptronstreams.monitor.GetHandler.Call;
import io.perceptronstreams.serde.EventSchemas;
import io.perceptronstreams.serde.Topic;
import io.perceptronstreams.settings.Setting;
import io.perceptronstreams.settings.Settings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Routes of the API under {@code /api/v1}, of health checks and metrics, as described in docs/http.md. */
final class Api {
    private static final String ROOT = GetHandler.ROOT;
    private static final int MAX_LIMIT = 200;
    /** States of models, as in ModelStatus. */
    private static final List<String> STATES = EventSchemas.symbols("ModelStatus", "state");

    private final DashboardState state;
    private final EngineView engine;
    private final MetricsEndpoint metrics;
    private final SseBroadcaster streams;
    private final PredictionSearch predictions;
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
            "pendingLabels",
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

    /** A setting, its default, the values that it may have, what it does, and whether most models do without it. */
    record SettingDefinition(
            String name,
            String defaultValue,
            String values,
            String description,
            List<String> usedBy,
            boolean isAdvanced) {
        static SettingDefinition of(Setting<?> setting) {
            return new SettingDefinition(
                    setting.name(),
                    setting.defaultText(),
                    setting.rule(),
                    setting.help(),
                    setting.usedBy().stream().map(Object::toString).toList(),
                    !Settings.MOST_NEEDED.contains(setting));
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
    Api(
            DashboardState state,
            EngineView engine,
            MetricsEndpoint metrics,
            SseBroadcaster streams,
            PredictionSearch predictions,
            String commandOptions) {
        this.predictions = predictions;
        this.commandOptions = commandOptions;
        this.state = state;
        this.engine = engine;
        this.metrics = metrics;
        this.streams = streams;
    }

    void addTo(GetHandler routes) {
        routes.add(ROOT, call -> json(Map.of("links", links())));
        routes.add(ROOT + "/openapi.yaml", call -> Answer.file("application/yaml; charset=utf-8", OpenApi.yaml()));
        routes.add(ROOT + "/models", this::models);
        routes.add(ROOT + "/models/{model}", call -> json(details(call)));
        routes.add(
                ROOT + "/models/{model}/history",
                call -> json(state.history(call.model()).orElseThrow(() -> unknown(call))));
        routes.add(ROOT + "/models/{model}/mistakes", call -> events(call, Topic.MISTAKES, known(call)));
        routes.add(
                ROOT + "/models/{model}/predictions",
                call -> json(predictions.find(known(call), call.parameter("id"), limit(call, 50))));
        routes.add(ROOT + "/models/{model}/causes", this::causes);
        routes.add(ROOT + "/models/{model}/weights", call -> {
            String model = known(call);
            return json(new WeightsAnswer(model, state.weights(model)));
        });
        routes.add(ROOT + "/models/{model}/pending", call -> json(details(call).retain(LABELS)));
        for (Topic topic : SseBroadcaster.TOPICS) {
            routes.add(
                    ROOT + "/" + topic.suffix(), call -> events(call, topic, readable(call, call.parameter("model"))));
        }
        routes.add(ROOT + "/dead-letters", call -> json(state.deadLetters(call.models(), limit(call, 50))));
        routes.add(ROOT + "/engine", this::engine);
        List<SettingDefinition> settings =
                Settings.all().stream().map(SettingDefinition::of).toList();
        routes.add(ROOT + "/settings", call -> json(Map.of("settings", settings)));
        routes.add(
                ROOT + "/defaults",
                call -> json(Map.of(
                        "defaults",
                        state.defaults().stream().map(Api::changedDefaults).toList())));
        routes.add("/healthz", call -> json(Map.of("status", "up")));
        routes.add("/readyz", call -> health(engine.isReady(), "ready", "not ready"));
        routes.add("/startupz", call -> health(engine.isStarted(), "started", "starting"));
        routes.add("/metrics", this::metrics);
    }

    private Answer metrics(Call call) {
        if (!call.models().isAll()) {
            throw new RefusedException(
                    403, "metrics are of all models, and models of the client must be *, got " + call.models());
        }
        return new Answer(
                200,
                "text/plain; version=0.0.4; charset=utf-8",
                "no-store",
                List.of(ByteBuffer.wrap(metrics.scrape().getBytes(StandardCharsets.UTF_8))));
    }

    private Answer engine(Call call) {
        DashboardState.Totals totals = state.totals(call.models());
        return json(new EngineAnswer(
                engine.engine(),
                totals.models(),
                totals.droppedModels(),
                totals.rerouted(),
                totals.deadLetters(),
                streams.open(),
                streams.maxStreams(),
                commandOptions));
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

    private Answer models(Call call) {
        String sort = value(call, "sort", "name");
        if (!ModelTable.KEYS.containsKey(sort)) {
            throw new RefusedException(400, "sort must be one of " + String.join(", ", ModelTable.KEYS.keySet()));
        }
        String order = value(call, "order", "asc");
        if (!order.equals("asc") && !order.equals("desc")) {
            throw new RefusedException(400, "order must be asc or desc");
        }
        return json(state.page(new ModelTable.Query(
                call.models(),
                Set.copyOf(call.query().getValuesOrEmpty("name")),
                value(call, "q", ""),
                modelState(call),
                sort,
                order.equals("desc"),
                number(call, "offset", 0, 0, DashboardState.MAX_MODELS),
                limit(call, 50))));
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

    private ObjectNode details(Call call) {
        return state.details(call.model()).orElseThrow(() -> unknown(call));
    }

    private static String modelState(Call call) {
        String given = call.parameter("state");
        if (given == null) {
            return null;
        }
        String symbol = given.toUpperCase(Locale.ROOT);
        if (!STATES.contains(symbol)) {
            throw new RefusedException(400, "state must be one of " + String.join(", ", STATES));
        }
        return symbol;
    }

    private Answer causes(Call call) {
        String by = value(call, "by", "feature");
        if (!by.equals("feature") && !by.equals("pair")) {
            throw new RefusedException(400, "by must be feature or pair");
        }
        MistakeCauses.Key key = MistakeCauses.Key.valueOf(by.toUpperCase(Locale.ROOT));
        return json(state.causes(call.model(), key, limit(call, 20)).orElseThrow(() -> unknown(call)));
    }

    private Answer events(Call call, Topic topic, String model) {
        return json(new Events(model, state.latest(topic, model, call.models(), limit(call, 50))));
    }

    private Answer health(boolean isGood, String good, String bad) {
        String engineState = engine.state();
        return Answer.json(
                isGood ? 200 : 503,
                Map.of("status", isGood ? good : bad, "state", engineState == null ? "ALONE" : engineState));
    }

    private static String readable(Call call, String model) {
        if (model != null && !call.models().matches(model)) {
            throw new RefusedException(
                    403, "model must match " + call.models() + ", the models of the client, got another one");
        }
        return model;
    }

    private String known(Call call) {
        if (state.status(call.model()).isEmpty()) {
            throw unknown(call);
        }
        return call.model();
    }

    private static RefusedException unknown(Call call) {
        return new RefusedException(404, "model must be known, got '" + Truncation.text(call.model(), 128) + "'");
    }

    private static String value(Call call, String name, String otherwise) {
        String value = call.parameter(name);
        return value == null ? otherwise : value;
    }

    private static int limit(Call call, int otherwise) {
        return number(call, "limit", otherwise, 1, MAX_LIMIT);
    }

    private static int number(Call call, String name, int otherwise, int low, int high) {
        String value = call.parameter(name);
        if (value == null) {
            return otherwise;
        }
        if (value.matches("\\d{1,9}")) {
            int number = Integer.parseInt(value);
            if (number >= low && number <= high) {
                return number;
            }
        }
        throw new RefusedException(400, name + " must be a whole number from " + low + " to " + high);
    }

    private static Answer json(Object value) {
        return Answer.json(200, value);
    }
}
