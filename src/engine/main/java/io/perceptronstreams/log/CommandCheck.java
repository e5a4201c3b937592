package io.perceptronstreams.log;

import io.perceptronstreams.example.RejectReason;
import io.perceptronstreams.example.RejectedException;
import io.perceptronstreams.model.ImportPurpose;
import io.perceptronstreams.serde.CommandSignature;
import io.perceptronstreams.store.AllowedSettings;
import io.perceptronstreams.store.SignedTimes;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Checks the signatures of commands and of chunks of weights, if {@code commands.key} is set, and whether the engine
 * allows their settings ({@code settings.bounds}).
 *
 * <p>A replay makes no check: refusals were stored in the transaction of their record, as well as the times of the
 * accepted signatures. The replay thus needs no key, and is the same after key or bounds were changed or removed.
 */
public class CommandCheck {
    private final List<String> keys;
    private final AllowedSettings allowed;
    private final SignedTimes times;

    /**
     * @param keys of {@code commands.key}; without any, every command is accepted
     * @param allowed settings of accepted commands
     */
    public CommandCheck(List<String> keys, AllowedSettings allowed, SignedTimes times) {
        this.keys = keys;
        this.allowed = allowed;
        this.times = times;
    }

    /** Returns a check that accepts every command, for a replay. */
    static CommandCheck none() {
        return new CommandCheck(List.of(), AllowedSettings.all(), null);
    }

    /**
     * Accepts a command; its signature and all earlier ones for this name are invalid afterwards, even if the command
     * is rejected for another reason.
     *
     * @param settings that it would set
     * @throws RejectedException with reason NOT_AUTHORISED
     */
    void accept(byte[] name, byte[] value, Headers headers, Map<String, String> settings) {
        checkSignature(name, value, headers);
        allowed.violation(settings).ifPresent(rule -> {
            throw refused("must " + rule);
        });
    }

    private void checkSignature(byte[] name, byte[] value, Headers headers) {
        if (keys.isEmpty()) {
            return;
        }
        byte[] header = lastValue(headers, CommandSignature.HEADER);
        if (header == null) {
            throw refused("must be signed, got no header " + CommandSignature.HEADER
                    + " (set commands.key, or PERCEPTRON_COMMANDS_KEY, for the sender, too)");
        }
        CommandSignature signature = CommandSignature.decode(header);
        byte[] purpose = lastValue(headers, ImportPurpose.HEADER);
        if (signature == null || keys.stream().noneMatch(key -> signature.isOf(key, name, purpose, value))) {
            throw refused("must be signed with the commands.key of the engine, got another signature");
        }
        long last = times.last(name);
        if (signature.timeMicros() <= last) {
            throw refused("must be signed later than the model's last one, at " + last + " us since 1970, got "
                    + signature.timeMicros() + " (a copy of an earlier command, or a sender whose clock is slow; send"
                    + " the command again)");
        }
        times.accept(name, signature.timeMicros());
    }

    private static byte[] lastValue(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null ? null : header.value();
    }

    private static RejectedException refused(String why) {
        return new RejectedException(RejectReason.NOT_AUTHORISED, "a command " + why);
    }
}
