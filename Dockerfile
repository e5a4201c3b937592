# The engine. State (local copies of the models, the name as a group member) lies under /var/lib/perceptron; settings come from
# PERCEPTRON_… variables or a file given with --config; PERCEPTRON_OPTS holds options for the JVM.

FROM eclipse-temurin:17.0.19_10-jdk-jammy AS build
WORKDIR /build
COPY .mvn .mvn
COPY mvnw pom.xml ./
COPY schemas schemas
COPY docs docs
COPY src src
RUN --mount=type=cache,target=/root/.m2 ./mvnw -B -q -Dmaven.test.skip=true package

FROM eclipse-temurin:17.0.19_10-jre-jammy
RUN groupadd --system --gid 10001 perceptron \
 && useradd --system --uid 10001 --gid perceptron --no-create-home --home-dir /var/lib/perceptron perceptron \
 && install -d -o perceptron -g perceptron /var/lib/perceptron
WORKDIR /opt/perceptron-streams
COPY --from=build /build/target/lib lib
COPY --from=build /build/target/perceptron-streams.jar ./
COPY perceptron LICENSE NOTICE ./
LABEL org.opencontainers.image.title="perceptron-streams" \
      org.opencontainers.image.description="Online learning inside Kafka Streams, exactly once" \
      org.opencontainers.image.version="0.2.0" \
      org.opencontainers.image.licenses="Apache-2.0"
# The archive of classes, which the engine's user cannot write: made by the first short command in the background.
RUN ./perceptron --version && while [ -n "$(find . -name '*.making')" ]; do sleep 1; done
ENV PERCEPTRON_DATA_DIR=/var/lib/perceptron
VOLUME /var/lib/perceptron
WORKDIR /var/lib/perceptron
USER 10001:10001
# The launcher becomes the JVM, so that the signal reaches the engine itself.
STOPSIGNAL SIGTERM
# Only a process that serves HTTP without TLS can be asked; for others: docker run --no-healthcheck, or a check of their own.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD test -z "$PERCEPTRON_HTTP_PORT" || curl -fsS -o /dev/null "http://localhost:$PERCEPTRON_HTTP_PORT/readyz"
ENTRYPOINT ["/opt/perceptron-streams/perceptron"]
CMD ["run"]
