package io.perceptronstreams.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.connect.ListeningConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A debugger that stops Java processes at a method, for tests that kill them there, where a clock would seldom meet
 * them.
 */
public final class MethodDebugger implements AutoCloseable {
    private static final long PATIENCE_MS = TimeUnit.MINUTES.toMillis(2);

    private final ListeningConnector connector;
    private final Map<String, Connector.Argument> arguments;
    private final String address;

    /** Listens to processes that are started with {@link #option}. */
    public MethodDebugger() throws IOException, IllegalConnectorArgumentsException {
        connector = Bootstrap.virtualMachineManager().listeningConnectors().stream()
                .filter(each -> each.transport().name().equals("dt_socket"))
                .findFirst()
                .orElseThrow();
        arguments = connector.defaultArguments();
        arguments.get("localAddress").setValue("127.0.0.1");
        arguments.get("timeout").setValue(Long.toString(PATIENCE_MS));
        address = connector.startListening(arguments);
    }

    /** Option of a JVM that waits at its start for {@link #accept}. */
    public String option() {
        return "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=" + address;
    }

    /** Returns the next process that was started, suspended. */
    public VirtualMachine accept() throws IOException, IllegalConnectorArgumentsException, InterruptedException {
        VirtualMachine machine = connector.accept(arguments);
        // that of the start, whose threads would be resumed with another one's
        assertThat(machine.eventQueue().remove(PATIENCE_MS)).isNotNull();
        return machine;
    }

    /**
     * Lets a suspended machine run until it comes to the beginning of a method for this time; all of its threads are
     * suspended then.
     *
     * @return false if it has not come there
     */
    public static boolean comesTo(VirtualMachine machine, String type, String method, int hit)
            throws InterruptedException {
        ClassPrepareRequest prepare = machine.eventRequestManager().createClassPrepareRequest();
        prepare.addClassFilter(type);
        prepare.enable();
        machine.classesByName(type).forEach(loaded -> stopAt(machine, loaded.methodsByName(method), hit));
        machine.resume();
        while (true) {
            EventSet events = machine.eventQueue().remove(PATIENCE_MS);
            if (events == null) {
                return false;
            }
            for (Event event : events) {
                if (event instanceof BreakpointEvent) {
                    return true;
                }
                if (event instanceof VMDeathEvent || event instanceof VMDisconnectEvent) {
                    return false;
                }
                if (event instanceof ClassPrepareEvent prepared) {
                    stopAt(machine, prepared.referenceType().methodsByName(method), hit);
                }
            }
            events.resume();
        }
    }

    private static void stopAt(VirtualMachine machine, List<Method> methods, int hit) {
        assertThat(methods).as("methods of the point").isNotEmpty();
        for (Method method : methods) {
            BreakpointRequest request = machine.eventRequestManager().createBreakpointRequest(method.location());
            request.addCountFilter(hit);
            request.enable();
        }
    }

    @Override
    public void close() throws IOException, IllegalConnectorArgumentsException {
        connector.stopListening(arguments);
    }
}
