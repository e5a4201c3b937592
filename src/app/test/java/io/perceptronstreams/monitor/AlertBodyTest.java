package io.perceptronstreams.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.perceptronstreams.config.EngineConfig.WebhookForm;
import io.perceptronstreams.event.Alert;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What receivers of alerts get. */
final class AlertBodyTest {
    private static final Map<String, Object> FIELDS = new TreeMap<>(Map.of(
            "kind", "TRIAL", "message", "a <b> is & was `better`", "command", "perceptron challengers promote m b"));

    private static Event<Alert> alert() {
        return Fabricated.alert("m", 7, FIELDS);
    }

    @Test
    void shouldHaveAllFieldsOfTheEventAndItsId() {
        JsonNode body = AlertBody.of(WebhookForm.JSON, "topic-0@7", alert());

        assertThat(body.path("id").asText()).isEqualTo("topic-0@7");
        assertThat(body.path("model").asText()).isEqualTo("m");
        assertThat(body.path("kind").asText()).isEqualTo("TRIAL");
        assertThat(body.path("timestamp").asLong()).isEqualTo(7);
        assertThat(body.path("message").asText()).isEqualTo("a <b> is & was `better`");
    }

    @Test
    void shouldBeNoMarkupInSlack() {
        assertThat(AlertBody.of(WebhookForm.SLACK, "id", alert()).toString())
                .isEqualTo("{\"text\":\"*TRIAL* model `m`: a &lt;b&gt; is &amp; was 'better'"
                        + "\\n`perceptron challengers promote m b`\"}");
    }

    @Test
    void shouldBeAListWithLabelsForAlertmanager() {
        assertThat(AlertBody.of(WebhookForm.ALERTMANAGER, "id", alert()).toString())
                .isEqualTo(
                        "[{\"labels\":{\"alertname\":\"PerceptronAlert\",\"kind\":\"TRIAL\",\"model\":\"m\","
                                + "\"severity\":\"info\"},\"annotations\":{\"id\":\"id\",\"summary\":\"TRIAL of model m\","
                                + "\"description\":\"a <b> is & was `better`\",\"command\":\"perceptron challengers promote m b\"}}]");
    }

    /** The example of Standard Webhooks. */
    @Test
    void shouldSignAsStandardWebhooksDo() {
        byte[] key = Base64.getDecoder().decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");

        assertThat(AlertWebhook.signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", "{\"test\": 2432232314}"))
                .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
