package io.perceptronstreams.topology;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Settings of the engine that {@link EngineExtension} passes to a test; those of a method replace those of its class.
 */
@ExtendWith(EngineExtension.class)
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@interface EngineSettings {
    /** Each as {@code key=value}. */
    String[] value() default {};

    /** Number of partitions, the first of which the engine has. */
    int partitions() default 1;
}
