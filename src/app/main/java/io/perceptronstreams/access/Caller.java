package io.perceptronstreams.access;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * The client that makes a request.
 *
 * @param name in messages and in the audit log
 * @param models with which the roles are exercised
 */
public record Caller(String name, Set<Role> roles, ModelPattern models) {
    /** A client of a server without credentials. */
    public static final Caller ANYBODY = new Caller("anybody", Set.of(Role.READ, Role.SEND), ModelPattern.ALL);

    /** Copies the set. */
    public Caller {
        roles = Set.copyOf(roles);
    }

    /**
     * Returns the reason for which a request is refused; null if it is allowed.
     *
     * @param model of the request; null if it names none
     */
    public String refusal(Role role, String model) {
        if (!roles.contains(role)) {
            return "client must have the role " + role.text() + ", got '" + name + "' with "
                    + (roles.isEmpty()
                            ? "none"
                            : roles.stream().map(Role::text).sorted().collect(Collectors.joining(", ")))
                    + " (http.tokens.file and http.oidc.issuer give roles)";
        }
        return model == null || models.matches(model)
                ? null
                : "model must match " + models + ", the models of client '" + name + "', got another one";
    }
}
