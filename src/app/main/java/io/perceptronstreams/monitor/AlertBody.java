package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.config.EngineConfig.WebhookForm;
import io.perceptronstreams.event.Alert;
import io.perceptronstreams.event.AlertKind;
import java.util.List;

/** Body of the request that sends an alert, in the form that the receiver expects. */
final class AlertBody {
    private AlertBody() {}

    /**
     * Returns the body.
     *
     * @param id the same for each attempt to send the alert
     */
    static JsonNode of(WebhookForm form, String id, Event<Alert> alert) {
        return switch (form) {
            case JSON -> JsonNodeFactory.instance.objectNode().put("id", id).setAll(alert.json());
            case SLACK -> JsonNodeFactory.instance.objectNode().put("text", slackText(alert));
            case ALERTMANAGER -> JsonNodeFactory.instance.arrayNode().add(alertmanager(id, alert));
        };
    }

    private static String slackText(Event<Alert> event) {
        Alert alert = event.value();
        String text =
                "*" + alert.getKind() + "* model `" + escaped(event.model()) + "`: " + escaped(alert.getMessage());
        return alert.getCommand() == null ? text : text + "\n`" + escaped(alert.getCommand()) + "`";
    }

    /** Signs that Slack would read as markup. */
    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace('`', '\'');
    }

    /** Without a start: Alertmanager takes the time of the request, and refuses a start in the future. */
    private static ObjectNode alertmanager(String id, Event<Alert> event) {
        Alert alert = event.value();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.putObject("labels")
                .put("alertname", "PerceptronAlert")
                .put("kind", alert.getKind().toString())
                .put("model", event.model())
                .put(
                        "severity",
                        List.of(AlertKind.QUARANTINED, AlertKind.POSITION).contains(alert.getKind())
                                ? "warning"
                                : "info");
        ObjectNode annotations = json.putObject("annotations")
                .put("id", id)
                .put("summary", alert.getKind() + " of model " + event.model())
                .put("description", alert.getMessage());
        if (alert.getCommand() != null) {
            annotations.put("command", alert.getCommand());
        }
        return json;
    }
}
