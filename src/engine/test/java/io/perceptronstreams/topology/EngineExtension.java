package io.perceptronstreams.topology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Passes a new {@link EngineDriver} to the constructor of a test class or to a test, and closes it after the test. */
final class EngineExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(EngineExtension.class);

    /** An engine and its directory; the store of the test closes it. */
    private record OpenEngine(EngineDriver engine, Path directory) implements AutoCloseable {
        static OpenEngine open(Optional<EngineSettings> settings) {
            Map<String, String> all = new HashMap<>();
            for (String each : settings.map(EngineSettings::value).orElse(new String[0])) {
                String[] parts = each.split("=", 2);
                all.put(parts[0], parts[1]);
            }
            try {
                Path directory = Files.createTempDirectory("engine");
                int partitions = settings.map(EngineSettings::partitions).orElse(1);
                return new OpenEngine(new EngineDriver(directory, all, partitions), directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() throws IOException {
            engine.close();
            Utils.delete(directory.toFile());
        }
    }

    /** Without this, all tests of a class would share the store. */
    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == EngineDriver.class;
    }

    @Override
    public EngineDriver resolveParameter(ParameterContext parameter, ExtensionContext test) {
        Optional<EngineSettings> settings = AnnotationSupport.findAnnotation(test.getElement(), EngineSettings.class)
                .or(() -> AnnotationSupport.findAnnotation(test.getTestClass(), EngineSettings.class));
        return test.getStore(NAMESPACE)
                .computeIfAbsent(OpenEngine.class, any -> OpenEngine.open(settings), OpenEngine.class)
                .engine();
    }
}
