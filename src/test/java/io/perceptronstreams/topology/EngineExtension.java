package io.perceptronstreams.topology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Passes a new {@link EngineDriver} to the constructor of a test class, for each test, and closes it afterwards. */
final class EngineExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(EngineExtension.class);

    /** An engine and its directory; the store of the test closes it. */
    private record OpenEngine(EngineDriver engine, Path directory) implements AutoCloseable {
        static OpenEngine open() {
            try {
                Path directory = Files.createTempDirectory("engine");
                return new OpenEngine(new EngineDriver(directory), directory);
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
        return test.getStore(NAMESPACE)
                .computeIfAbsent(OpenEngine.class, any -> OpenEngine.open(), OpenEngine.class)
                .engine();
    }
}
