package io.perceptronstreams.monitor;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.perceptronstreams.model.ModelCommand;
import io.perceptronstreams.monitor.EventRequests.Route;
import io.perceptronstreams.serde.EventJson;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts examples, labels and commands, before the servlets: neither a body that comes slowly nor an answer that takes
 * long occupies a thread.
 */
final class WriteRoutes extends Handler.Wrapper {
    /** Maximum length of a body, in bytes. */
    static final int MAX_BODY_BYTES = 1 << 20;

    private static final Pattern PATH =
            Pattern.compile(Pattern.quote(GetHandler.ROOT) + "/models/([^/]+)/(predict|examples|labels|commands)");
    private static final Pattern JSON = Pattern.compile("(?i)application/json\\s*(;\\s*charset=\"?utf-8\"?\\s*)?");

    private static final Pattern VIA_LOG = Pattern.compile("(?i)\\s*via\\s*=\\s*\"?log\"?\\s*");

    private static final String COMMAND = ModelCommand.class.getName();

    private static final Logger AUDIT = LoggerFactory.getLogger("io.perceptronstreams.audit");

    private final EventRequests requests;
    private final ConnectionReaper reaper;

    WriteRoutes(EventRequests requests, ConnectionReaper reaper) {
        this.requests = requests;
        this.reaper = reaper;
    }

    /** Returns true if a path is one of these routes. */
    static boolean isPath(String path) {
        return PATH.matcher(path).matches();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        Matcher path = PATH.matcher(Request.getPathInContext(request));
        if (!path.matches()) {
            return super.handle(request, response, callback);
        }
        Route route = Route.valueOf(path.group(2).toUpperCase(Locale.ROOT));
        String model = path.group(1);
        boolean isForReplica = requests.isForReplica(route, prefersLog(request));
        long start = System.nanoTime();
        Request.addCompletionListener(request, failure -> {
            // a refused request fails, too, because its body is not read
            String status = response.isCommitted() ? Integer.toString(response.getStatus()) : "aborted";
            requests.metrics()
                    .answered(path.group(2), isForReplica ? "replica" : "log", status, System.nanoTime() - start);
            if (!isForReplica && AUDIT.isInfoEnabled()) {
                AUDIT.info(audit(request, path.group(2), model, status));
            }
        });
        if (RequestFilter.isForbidden(route.role(), model, request, response, callback)) {
            return true;
        }
        if (!request.getMethod().equals("POST")) {
            response.getHeaders().put(HttpHeader.ALLOW, "POST");
            return RequestFilter.refuse(response, callback, 405, "method must be POST");
        }
        String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        if (type == null
                || !(type.equals(Answer.JSON_TYPE) || JSON.matcher(type.strip()).matches())) {
            return RequestFilter.refuse(response, callback, 415, "Content-Type must be application/json in UTF-8");
        }
        if (request.getHeaders().contains(HttpHeader.CONTENT_ENCODING)) {
            return RequestFilter.refuse(response, callback, 415, "a body must not have a Content-Encoding");
        }
        if (request.getLength() > MAX_BODY_BYTES) {
            return tooLarge(response, callback);
        }
        // a body of unknown length may have any
        long bytes = request.getLength() < 0 ? MAX_BODY_BYTES : request.getLength();
        String limit = requests.limits().begin(bytes);
        if (limit != null) {
            return RequestFilter.refuse(response, callback, 429, limit);
        }
        Request.addCompletionListener(request, failure -> requests.limits().end(bytes));
        String by = Request.extractQueryParameters(request).getValue("by");
        if (by != null && !isForReplica) {
            return RequestFilter.refuse(
                    response,
                    callback,
                    400,
                    "by must be asked of a replica, which predicts (http.replica=true, without Prefer: via=log)");
        }
        if (isForReplica) {
            read(request, response, callback, body -> {
                AnswerBudget budget = budget(request);
                requests.predict(model, by, body, budget, answer -> {
                    answer.send(response, callback);
                    budget.release();
                });
            });
        } else {
            String wait = Request.extractQueryParameters(request).getValue("wait");
            read(request, response, callback, body -> {
                AnswerBudget budget = budget(request);
                var unused = requests.answer(
                                model, route, wait, body, budget, command -> request.setAttribute(COMMAND, command))
                        .whenCompleteAsync(
                                (answer, failure) -> {
                                    answer.send(response, callback);
                                    budget.release();
                                },
                                request.getComponents().getExecutor());
            });
        }
        return true;
    }

    /** Line of the audit log: an object in JSON, so that no text of a client can look like a line of its own. */
    private static String audit(Request request, String action, String model, String status) {
        ObjectNode line = EventJson.MAPPER
                .createObjectNode()
                .put("client", RequestFilter.caller(request).name())
                .put("address", Request.getRemoteAddr(request))
                .put("action", action)
                .put("model", Truncation.text(model, Truncation.MAX_TEXT));
        if (request.getAttribute(COMMAND) instanceof ModelCommand command) {
            line.put("command", command.action().name());
        }
        return line.put("status", status).toString();
    }

    /** Returns a budget that the request holds until its answer is sent, and the caller until it is complete. */
    private AnswerBudget budget(Request request) {
        AnswerBudget budget = requests.limits().answer();
        Request.addCompletionListener(request, failure -> budget.release());
        return budget;
    }

    /** Reads {@code Prefer: via=log} (RFC 7240). */
    private static boolean prefersLog(Request request) {
        return request.getHeaders().getCSV("Prefer", false).stream()
                .anyMatch(each -> VIA_LOG.matcher(each).matches());
    }

    private void read(Request request, Response response, Callback callback, Consumer<byte[]> use) {
        reaper.sending(request);
        var unused = BodyReader.read(request, MAX_BODY_BYTES).whenComplete((body, failure) -> {
            reaper.sent(request);
            if (failure != null) {
                callback.failed(failure);
            } else if (body == null) {
                tooLarge(response, callback);
            } else {
                use.accept(body);
            }
        });
    }

    private static boolean tooLarge(Response response, Callback callback) {
        return RequestFilter.refuse(
                response, callback, 413, "a body must have at most " + MAX_BODY_BYTES + " bytes, got more");
    }
}
