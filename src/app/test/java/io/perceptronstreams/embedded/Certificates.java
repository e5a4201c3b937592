package io.perceptronstreams.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Self-signed certificates made by the JDK's keytool, in PKCS12 stores with the password
 * {@link SecuredCluster#PASSWORD}.
 */
public record Certificates(Path directory) {

    /**
     * Makes a key and its certificate for a name.
     *
     * @param options further options of keytool
     * @return the key store
     */
    public Path key(String name, String... options) throws IOException, InterruptedException {
        Path store = directory.resolve(name + ".p12");
        List<String> all =
                new ArrayList<>(List.of("-genkeypair", "-alias", name, "-keyalg", "EC", "-dname", "CN=" + name));
        all.addAll(List.of(options));
        keytool(store, all);
        return store;
    }

    /**
     * Makes a key and a certificate that is out of date, signed by {@code name-ca}.
     *
     * @param options further options of keytool
     * @return the key store
     */
    public Path expired(String name, String... options) throws IOException, InterruptedException {
        String signer = name + "-ca";
        Path signerStore = key(signer, "-ext", "bc:c", "-validity", "30");
        List<String> all =
                new ArrayList<>(List.of("-genkeypair", "-alias", name, "-keyalg", "EC", "-dname", "CN=" + name));
        all.addAll(List.of("-signer", signer, "-startdate", "-10d", "-validity", "5"));
        all.addAll(List.of(options));
        keytool(signerStore, all);
        Path store = directory.resolve(name + ".p12");
        List<String> from = List.of("-srckeystore", signerStore.toString(), "-srcstorepass", SecuredCluster.PASSWORD);
        List<String> copy = new ArrayList<>(List.of("-importkeystore", "-noprompt", "-srcalias", name));
        copy.addAll(from);
        keytool(store, copy);
        return store;
    }

    /** Makes a trust store with the certificates of keys. */
    public Path trusting(String... names) throws IOException, InterruptedException {
        Path store = directory.resolve("trust-" + String.join("-", names) + ".p12");
        for (String name : names) {
            Path certificate = directory.resolve(name + ".pem");
            keytool(
                    directory.resolve(name + ".p12"),
                    List.of("-exportcert", "-rfc", "-alias", name, "-file", certificate.toString()));
            keytool(store, List.of("-importcert", "-noprompt", "-alias", name, "-file", certificate.toString()));
        }
        return store;
    }

    private void keytool(Path store, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(JavaProcess.tool("keytool"));
        // it lives for a second
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
        command.addAll(arguments);
        command.addAll(List.of("-storetype", "PKCS12", "-keystore", store.toString()));
        command.addAll(List.of("-storepass", SecuredCluster.PASSWORD));
        Path log = directory.resolve("keytool.log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(process.waitFor()).as(Files.readString(log)).isZero();
    }
}
