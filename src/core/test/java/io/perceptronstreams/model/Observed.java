package io.perceptronstreams.model;

import io.perceptronstreams.drift.Alarm;
import io.perceptronstreams.evaluation.CountingWindow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Keeps what the observers of models find. */
public final class Observed implements ModelListener {
    /** Windows that were not taken out yet, and whether they are full. */
    public record Window(CountingWindow.Closed window, boolean isFull) {}

    private final Deque<Window> windows = new ArrayDeque<>();
    private final List<Advice> advice = new ArrayList<>();
    private final List<Long> ended = new ArrayList<>();
    private final List<Judgement> judged = new ArrayList<>();
    private Alarm alarm;

    /** Listens to a model. */
    public static Observed of(Model model) {
        Observed observed = new Observed();
        model.listen(observed);
        return observed;
    }

    @Override
    public void windowClosed(CountingWindow.Closed window, boolean isFull) {
        windows.add(new Window(window, isFull));
    }

    @Override
    public void advised(Advice given) {
        advice.add(given);
    }

    @Override
    public void drifted(Alarm raised) {
        alarm = raised;
    }

    @Override
    public void judged(Judgement judgement) {
        judged.add(judgement);
    }

    /** Takes out the challengers that were judged. */
    public List<Judgement> takeJudged() {
        List<Judgement> taken = List.copyOf(judged);
        judged.clear();
        return taken;
    }

    @Override
    public void epochEnded(long epoch) {
        ended.add(epoch);
    }

    /** Takes out the first window; null if there is none. */
    public Window takeWindow() {
        return windows.poll();
    }

    /** Takes out the first window; null if there is none. */
    CountingWindow.Closed closed() {
        Window first = windows.poll();
        return first == null ? null : first.window;
    }

    /** Takes out all advice. */
    public List<Advice> takeAdvice() {
        List<Advice> taken = List.copyOf(advice);
        advice.clear();
        return taken;
    }

    /** Takes out the last alarm; null if there is none. */
    public Alarm takeAlarm() {
        Alarm taken = alarm;
        alarm = null;
        return taken;
    }

    /** Takes out the ended epochs. */
    List<Long> takeEnded() {
        List<Long> taken = List.copyOf(ended);
        ended.clear();
        return taken;
    }
}
