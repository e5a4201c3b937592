package io.perceptronstreams;

import io.perceptronstreams.cli.ChallengersCommand;
import io.perceptronstreams.cli.ClientCheckCommand;
import io.perceptronstreams.cli.CompletionCommand;
import io.perceptronstreams.cli.ConfigCommand;
import io.perceptronstreams.cli.DeadLettersCommand;
import io.perceptronstreams.cli.DemoCommand;
import io.perceptronstreams.cli.ExplainCommand;
import io.perceptronstreams.cli.FitCommand;
import io.perceptronstreams.cli.LabelsCommand;
import io.perceptronstreams.cli.ManPageCommand;
import io.perceptronstreams.cli.MistakesCommand;
import io.perceptronstreams.cli.ModelsCommand;
import io.perceptronstreams.cli.MonitorCommand;
import io.perceptronstreams.cli.PredictCommand;
import io.perceptronstreams.cli.ProduceCommand;
import io.perceptronstreams.cli.ReplicaCommand;
import io.perceptronstreams.cli.RunCommand;
import io.perceptronstreams.cli.SizeCommand;
import io.perceptronstreams.cli.Suggestion;
import io.perceptronstreams.cli.TopicsCommand;
import io.perceptronstreams.cli.VerifyCommand;
import io.perceptronstreams.cli.VersionsCommand;
import io.perceptronstreams.cli.WatchCommand;
import io.perceptronstreams.cli.WeightsCommand;
import io.perceptronstreams.cli.WhatIfCommand;
import io.perceptronstreams.client.ErrorMessage;
import io.perceptronstreams.config.ProgramVersion;
import io.perceptronstreams.registry.http.Addresses;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** The program {@code perceptron}. Exit codes: see its help; errors are one line on stderr. */
@Command(
        name = "perceptron",
        description = "Online learning on Kafka: the perceptron family, exactly once, bit for bit.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    /** System property of log4j: the place of its configuration, which {@link #run} sets. */
    public static final String LOG_CONFIGURATION = "log4j2.configurationFile";

    private static final String KAFKA_LOG_LEVEL = "kafka.log.level";

    /** Commands that learn and therefore log warnings. The launcher names them, too: MainTest compares. */
    static final List<String> ENGINE_COMMANDS = List.of("run", "demo", "replica");

    /** Commands that are about all others. */
    private static final List<String> OF_ALL = List.of("completion", "gen-manpage");

    /** Commands that show the warnings of Kafka's clients; a replica has a line of its own for missing brokers. */
    private static final List<String> WARNING_COMMANDS = List.of("run", "demo");

    /** All commands, in the order of the help. */
    private static final List<Class<?>> COMMANDS = List.of(
            DemoCommand.class,
            RunCommand.class,
            ProduceCommand.class,
            PredictCommand.class,
            WatchCommand.class,
            MistakesCommand.class,
            DeadLettersCommand.class,
            ModelsCommand.class,
            ChallengersCommand.class,
            VersionsCommand.class,
            LabelsCommand.class,
            WeightsCommand.class,
            VerifyCommand.class,
            WhatIfCommand.class,
            ExplainCommand.class,
            FitCommand.class,
            TopicsCommand.class,
            ClientCheckCommand.class,
            MonitorCommand.class,
            ReplicaCommand.class,
            SizeCommand.class,
            ConfigCommand.class,
            CompletionCommand.class,
            ManPageCommand.class);

    /** Subcommands that only read, which stand for their group. */
    private static final Map<String, String> DEFAULT_SUBCOMMANDS =
            Map.of("mistakes", "top", "dead-letters", "list", "config", "show");

    /** Commands of models that have become others: {@code models challenge} is {@code challengers begin}. */
    private static final Map<String, List<String>> RENAMED = Map.of(
            "challenge", List.of("challengers", "begin"),
            "trial", List.of("challengers", "show"),
            "promote", List.of("challengers", "promote"),
            "withdraw", List.of("challengers", "withdraw"),
            "tag", List.of("versions", "tag"),
            "tags", List.of("versions", "list"),
            "untag", List.of("versions", "untag"),
            "rollback", List.of("versions", "rollback"));

    /** Options that are called {@code --limit} now, by their command. */
    private static final Map<String, String> OLD_LIMITS =
            Map.of("client-check", "--max", "dead-letters", "--max", "explain", "--terms", "weights", "--top");

    private static final Set<String> GROUP_OPTIONS = Set.of("-h", "--help", "-V", "--version");

    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;

    private static final Map<String, String> EXIT_CODES = exitCodes();

    Main() {}

    private static Map<String, String> exitCodes() {
        Map<String, String> codes = new LinkedHashMap<>();
        codes.put("0", "success");
        codes.put(Integer.toString(FAILED), "failure; standard error has a line for each fault");
        codes.put(Integer.toString(WRONG_USAGE), "wrong usage: arguments or settings");
        codes.put("3", "the JVM ran out of memory");
        codes.put(
                Integer.toString(VerifyCommand.INCOMPARABLE),
                "verify --against: no model differs, but one could not be compared");
        codes.put("130, 143", "stopped by Ctrl-C (SIGINT), by SIGTERM");
        return codes;
    }

    /** Runs the command that the arguments name and ends the process. */
    public static void main(String[] arguments) {
        start(new Main(), arguments);
    }

    /** Runs a command, which reports errors as this program does, and ends the process. */
    public static void start(Object command, String[] arguments) {
        StandardOutput out = new StandardOutput(new FileOutputStream(FileDescriptor.out));
        PrintWriter err = utf8(new FileOutputStream(FileDescriptor.err));
        System.exit(run(command, arguments, out, err));
    }

    /** Runs a command, which fails if its output cannot be written. */
    static int run(Object command, String[] arguments, StandardOutput out, PrintWriter err) {
        int exitCode = run(command, arguments, utf8(out), err);
        if (exitCode != 0 || out.fault() == null) {
            return exitCode;
        }
        err.println("perceptron: standard output must be written completely, got: " + out.fault());
        err.flush();
        return FAILED;
    }

    /** Like {@link #main}, but returns the exit code; flushes both writers. */
    public static int run(String[] arguments, PrintWriter out, PrintWriter err) {
        return run(new Main(), arguments, out, err);
    }

    /** Like {@link #start}, but returns the exit code; flushes both writers. */
    public static int run(Object command, String[] given, PrintWriter out, PrintWriter err) {
        String[] arguments = command instanceof Main ? renamed(given) : given;
        configureLog();
        boolean isVerbose = List.of(arguments).contains("--verbose");
        if (!isVerbose && arguments.length > 0 && !WARNING_COMMANDS.contains(arguments[0])) {
            quietKafka();
        }
        CommandLine commandLine = new CommandLine(command);
        if (command instanceof Main) {
            addCommands(commandLine, arguments);
        }
        // the commands inherit what is set when they are there
        commandLine
                .setOut(out)
                .setErr(err)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((failure, all) -> wrongUsage(failure, err))
                .setExecutionExceptionHandler((failure, failing, parsed) -> failed(failure, isVerbose, err));
        commandLine.setExecutionStrategy(Main::execute);
        complete(commandLine);
        int exitCode = commandLine.execute(completed(commandLine, arguments));
        out.flush();
        err.flush();
        return exitCode;
    }

    /** The arguments with the present names of their command and options. */
    private static String[] renamed(String[] arguments) {
        List<String> renamed = new ArrayList<>(Arrays.asList(arguments));
        List<String> present =
                arguments.length < 2 || !arguments[0].equals("models") ? null : RENAMED.get(arguments[1]);
        if (present != null) {
            renamed.subList(0, 2).clear();
            renamed.addAll(0, present);
        }
        String oldLimit = arguments.length == 0 ? null : OLD_LIMITS.get(arguments[0]);
        if (oldLimit != null) {
            renamed.replaceAll(each -> each.equals(oldLimit) || each.startsWith(oldLimit + "=")
                    ? "--limit" + each.substring(oldLimit.length())
                    : each);
        }
        return renamed.toArray(String[]::new);
    }

    /**
     * Adds the command that is given, or all of them: picocli reads each by reflection, which takes longer than most
     * commands.
     */
    private static void addCommands(CommandLine program, String[] arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        List<Class<?>> given = COMMANDS.stream()
                .filter(each -> each.getAnnotation(Command.class).name().equals(first) && !OF_ALL.contains(first))
                .toList();
        // as a CommandLine: otherwise picocli ignores a modelTransformer
        (given.isEmpty() ? COMMANDS : given).forEach(each -> program.addSubcommand(new CommandLine(each)));
    }

    /**
     * Adds the subcommand that is meant where a group is given without one, such as {@code top} after {@code mistakes}.
     */
    private static String[] completed(CommandLine program, String[] arguments) {
        String meant = arguments.length == 0 ? null : DEFAULT_SUBCOMMANDS.get(arguments[0]);
        CommandLine group = meant == null ? null : program.getSubcommands().get(arguments[0]);
        String next = arguments.length < 2 ? "" : arguments[1];
        if (group == null || group.getSubcommands().containsKey(next) || GROUP_OPTIONS.contains(next)) {
            return arguments;
        }
        List<String> completed = new ArrayList<>(List.of(arguments));
        completed.add(1, meant);
        return completed.toArray(String[]::new);
    }

    /** Adds what all commands share. */
    private static void complete(CommandLine command) {
        command.getCommandSpec().versionProvider(new Version());
        command.getCommandSpec()
                .usageMessage()
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(EXIT_CODES);
        command.getSubcommands().values().forEach(Main::complete);
    }

    /** Selects the configuration of the log, unless the user has selected another. Must precede the first logger. */
    private static void configureLog() {
        if (System.getProperty(LOG_CONFIGURATION) == null
                && System.getProperty("log4j.configurationFile") == null
                && System.getenv("LOG4J_CONFIGURATION_FILE") == null) {
            System.setProperty(LOG_CONFIGURATION, "classpath:perceptron-log4j2.properties");
        }
    }

    /** Hides repeated warnings of Kafka's clients; the command prints an error. Must precede the first logger. */
    private static void quietKafka() {
        if (System.getProperty(KAFKA_LOG_LEVEL) == null) {
            System.setProperty(KAFKA_LOG_LEVEL, "ERROR");
        }
    }

    private static int execute(ParseResult parsed) {
        List<CommandLine> commands = parsed.asCommandLineList();
        CommandLine last = commands.get(commands.size() - 1);
        boolean isHelp =
                commands.stream().anyMatch(each -> each.isUsageHelpRequested() || each.isVersionHelpRequested());
        if (!isHelp && !last.getSubcommands().isEmpty()) {
            last.usage(last.getErr());
            return WRONG_USAGE;
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private static int wrongUsage(ParameterException failure, PrintWriter err) {
        CommandLine command = innermost(failure.getCommandLine());
        // a misspelt option may also be reported as missing: prefer the unknown argument
        List<String> unmatched = command.getUnmatchedArguments();
        String argument = unmatched.isEmpty() ? failure.getValue() : unmatched.get(0);
        String line;
        if (argument != null
                && argument.matches("[^-=][^=]*")
                && takesSettings(command, failure, unmatched.isEmpty())) {
            line = setting(command, argument);
        } else if (unmatched.isEmpty()) {
            line = firstLine(failure.getMessage());
        } else {
            line = "argument must be a known one, got '" + argument + "'" + Suggestion.of(command, argument);
        }
        err.println("perceptron: " + Addresses.withoutSecrets(line) + " ("
                + command.getCommandSpec().qualifiedName() + " --help shows the usage)");
        return WRONG_USAGE;
    }

    /** Returns true if the argument of a failure stands where settings are expected. */
    private static boolean takesSettings(CommandLine command, ParameterException failure, boolean isOfParameter) {
        return isOfParameter
                ? failure.getArgSpec() instanceof PositionalParamSpec parameter && isSettings(parameter)
                : command.getCommandSpec().positionalParameters().stream().anyMatch(Main::isSettings);
    }

    private static boolean isSettings(PositionalParamSpec parameter) {
        return Map.class.isAssignableFrom(parameter.type());
    }

    /** The message for an argument without an equals sign, behind which the value may stand: {@code h 1}. */
    private static String setting(CommandLine command, String key) {
        List<String> arguments = command.getParseResult() == null
                ? List.of()
                : command.getParseResult().originalArgs();
        int next = 1 + arguments.indexOf(key);
        boolean isValue =
                next > 0 && next < arguments.size() && arguments.get(next).matches("[^-=][^=]*");
        return "settings must be KEY=VALUE, got '" + key + "' (write " + key + "="
                + (isValue ? arguments.get(next) : "VALUE") + ")";
    }

    /** The command that was given, not the group whose method it is: only its help has the options and settings. */
    private static CommandLine innermost(CommandLine command) {
        CommandLine last = command;
        while (last.getParseResult() != null && last.getParseResult().hasSubcommand()) {
            List<CommandLine> all = last.getParseResult().subcommand().asCommandLineList();
            last = all.get(0);
        }
        return last;
    }

    private static int failed(Exception failure, boolean isVerbose, PrintWriter err) {
        if (failure instanceof ParameterException usage) {
            return wrongUsage(usage, err);
        }
        ErrorMessage message = ErrorMessage.of(failure);
        message.lines().forEach(line -> err.println("perceptron: " + Addresses.withoutSecrets(line)));
        if (isVerbose) {
            failure.printStackTrace(err);
        }
        return message.isUsage() ? WRONG_USAGE : FAILED;
    }

    private static String firstLine(String text) {
        return Arrays.stream(text.split("\n", 2)).findFirst().orElse("");
    }

    private static PrintWriter utf8(OutputStream stream) {
        return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), false);
    }

    /** Version and commit of the program. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            ProgramVersion program = ProgramVersion.read();
            if (program == null) {
                return new String[] {"perceptron (not from a jar)"};
            }
            String commit = program.commit() == null ? "" : " (commit " + program.commit() + ")";
            return new String[] {"perceptron " + program.version() + commit};
        }
    }
}
