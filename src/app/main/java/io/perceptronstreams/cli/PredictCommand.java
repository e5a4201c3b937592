package io.perceptronstreams.cli;

import io.perceptronstreams.config.EngineConfig;
import io.perceptronstreams.config.EngineConfigDef;
import io.perceptronstreams.format.InputFile;
import io.perceptronstreams.gateway.LinePredictor;
import io.perceptronstreams.registry.http.Addresses;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code perceptron predict MODEL FILE}: predictions for examples without labels. */
@Command(
        name = "predict",
        mixinStandardHelpOptions = true,
        description = {
            "Print what a model predicts for examples, without learning from them.",
            "A line of the file is an example in JSON without a label, and a line of the output its prediction or error, in the"
                    + " same order. By default the examples go through the engine: they count as seen, and with await.labels.ms they"
                    + " wait for their labels. A replica writes nothing."
        },
        sortOptions = false)
public final class PredictCommand implements Callable<Integer> {
    /** Ways to a prediction. */
    enum Way {
        /** Through the examples topic and the engine. */
        log,
        /** By HTTP from a copy of the model. */
        replica
    }

    @Parameters(index = "0", paramLabel = "MODEL", description = "Model that predicts.")
    String model;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "FILE",
            defaultValue = "-",
            description = "Text with an example per line; - is standard input (default: -).")
    String file;

    @Option(
            names = "--via",
            paramLabel = "WAY",
            defaultValue = "log",
            description = {
                "log: through the examples topic and the engine;",
                "replica: by HTTP from perceptron replica at --url, with http.auth of the settings (default: ${DEFAULT-VALUE})."
            })
    Way via;

    @Option(
            names = "--url",
            paramLabel = "URL",
            defaultValue = "http://127.0.0.1:8080/",
            description = "Address of the replica (default: ${DEFAULT-VALUE}).")
    URI url;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "Maximum time to wait for a prediction (default: ${DEFAULT-VALUE}).")
    double timeoutSeconds;

    @Mixin
    ClientOptions client;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        if (!(timeoutSeconds >= 0.1 && timeoutSeconds <= 50)) {
            throw new ParameterException(spec.commandLine(), "--timeout must be from 0.1 to 50, got " + timeoutSeconds);
        }
        if (!List.of("http", "https").contains(String.valueOf(url.getScheme())) || url.getHost() == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--url must be http://HOST:PORT/ or https://…, got "
                            + Addresses.valueWithoutSecrets(url.toString()));
        }
        LinePredictor predictor = new LinePredictor(model, (int) (1000 * timeoutSeconds));
        // other than Files.newBufferedReader, also reads what is not UTF-8, as from standard input
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(InputFile.text(InputFile.open(file), file), StandardCharsets.UTF_8))) {
            EngineConfig config = client.engineConfig();
            if (via == Way.replica) {
                predictor.viaReplica(
                        url,
                        config.get(EngineConfigDef.HTTP_AUTH),
                        in,
                        spec.commandLine().getOut());
            } else {
                predictor.viaLog(config, in, spec.commandLine().getOut());
            }
        }
        return 0;
    }
}
