package io.perceptronstreams.config;

import java.util.Map;
import java.util.Optional;

/**
 * Limits of examples and labels by HTTP.
 *
 * @param timeoutMs maximum time for an answer, in ms
 * @param maxRequests maximum number of concurrent requests
 * @param maxRate maximum number of examples and labels per second
 */
public record HttpWrites(int timeoutMs, int maxRequests, int maxRate) {
    static Optional<HttpWrites> of(Map<String, Object> settings) {
        boolean isOn = (Boolean) settings.get(EngineConfigDef.HTTP_WRITE);
        return isOn
                ? Optional.of(new HttpWrites(
                        (Integer) settings.get(EngineConfigDef.HTTP_WRITE_TIMEOUT_MS),
                        (Integer) settings.get(EngineConfigDef.HTTP_WRITE_REQUESTS_MAX),
                        (Integer) settings.get(EngineConfigDef.HTTP_WRITE_RATE_MAX)))
                : Optional.empty();
    }
}
