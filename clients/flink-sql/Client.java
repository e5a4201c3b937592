import static java.util.stream.Collectors.*;

import java.math.BigDecimal;
import java.nio.file.*;
import java.security.MessageDigest;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

/** Sends a CSV file with some labels late, and counts errors: Flink SQL, in this process. See docs/clients.md. */
class Client {
    static final Map<String, String> DEFAULTS = Map.of("PREFIX", "perceptron", "BOOTSTRAP", "localhost:9092",
            "REGISTRY", "http://localhost:8081", "WAIT", "240"); // seconds until the outputs must end
    static final Map<String, String> SETTINGS = Map.of("algorithm", "perceptron", "scale", "standard",
            "predict", "averaged", "bias", "false", "await.labels.ms", "3600000");
    static final int LATE = 20; // every fifth label comes this many examples late
    static final StreamExecutionEnvironment JOB = StreamExecutionEnvironment.createLocalEnvironment(1);
    static final StreamTableEnvironment FLINK = StreamTableEnvironment.create(JOB);

    static String env(String name) {
        return System.getenv().getOrDefault(name, DEFAULTS.get(name));
    }

    /** Rows of the table examples. */
    static List<Row> rows(String model, List<String[]> lines) {
        String[] names = lines.get(0);
        int last = names.length - 1;
        var rows = new ArrayList<>(List.of(Row.of(model, "CONFIGURE", SETTINGS, null, null, null, null)));
        for (int n = 1; n < lines.size() + LATE; n++) {
            if (n < lines.size()) {
                String[] line = lines.get(n);
                var x = IntStream.range(1, last).boxed().collect(toMap(i -> names[i], i -> Double.valueOf(line[i])));
                rows.add(Row.of(model, null, null, line[0], null, n % 5 == 0 ? null : Integer.valueOf(line[last]), x));
            }
            if (n > LATE && n % 5 == 0) {
                String[] late = lines.get(n - LATE);
                rows.add(Row.of(model, null, null, null, late[0], Integer.valueOf(late[last]), null));
            }
        }
        // its score is 0, which is always a mistake: both output topics end with it
        rows.add(Row.of(model, null, null, "end", null, 1, Map.of()));
        return rows;
    }

    static List<Row> read(String table, String model) throws Exception {
        String query = "SELECT exampleId, labelText, score FROM " + table + " WHERE model = '" + model + "'";
        try (var rows = FLINK.executeSql(query).collect()) {
            var found = new ArrayList<Row>();
            for (Row row = rows.next(); !row.getField(0).equals("end"); row = rows.next()) found.add(row);
            return found;
        }
    }

    public static void main(String[] arguments) throws Exception {
        String model = arguments[1];
        CompletableFuture.delayedExecutor(Long.parseLong(env("WAIT")), TimeUnit.SECONDS).execute(() -> {
            System.err.println("no end of " + model + " in time (is the engine running?)");
            System.exit(1);
        });
        String tables = Files.readString(Path.of("clients/flink-sql/client.sql"));
        for (String name : DEFAULTS.keySet()) tables = tables.replace("$" + name, env(name));
        for (String table : tables.split(";\n")) FLINK.executeSql(table);
        var lines = Files.readAllLines(Path.of(arguments[0])).stream().map(line -> line.split(",")).toList();
        var text = Types.STRING;
        var types = Types.ROW(text, text, Types.MAP(text, text), text, text, Types.INT, Types.MAP(text, Types.DOUBLE));
        FLINK.fromDataStream(JOB.fromData(rows(model, lines), types)).executeInsert("examples").await();
        var labels = lines.stream().collect(toMap(line -> line[0], line -> line[line.length - 1]));
        var predictions = read("predictions", model);
        var wrong = predictions.stream().filter(row -> !labels.get(row.getField(0)).equals(row.getField(1)));
        String output = predictions.stream().map(row -> String.format(Locale.ROOT, "%s,%s,%.16e\n", row.getField(0),
                row.getField(1), new BigDecimal((Double) row.getField(2)))).sorted().collect(joining());
        var digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(output.getBytes()));
        System.out.printf("%d predictions, %d errors, %d mistakes, digest %s%n",
                predictions.size(), wrong.count(), read("mistakes", model).size(), digest);
    }
}
