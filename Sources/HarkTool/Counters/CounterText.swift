import HarkAsking
import HarkClient
import HarkWire

/// Counters and executions as shown to people.
enum CounterText {
    static func table(_ counters: [CounterInfo], _ style: TextStyle) -> String {
        let rows = counters.map { counter in
            [
                VisibleText.value(counter.name), short(counter.value), short(counter.initial),
                VisibleText.make(counter.scope),
            ]
        }
        return TextTable.text([["counter", "value", "initial", "scope"]] + rows, style)
    }

    static func executions(_ executions: [ExecutionInfo], _ style: TextStyle) -> String {
        let rows = executions.map { execution in
            [
                VisibleText.value(execution.definition.id), execution.app.map { VisibleText.value($0) } ?? "-",
                triggers(of: execution.definition), action(execution.definition.run),
                execution.definition.keepAlive ? "always" : "once",
                Plural.grouped(execution.fired), Plural.grouped(execution.pending),
                execution.configured ? "harkd.json" : "",
            ]
        }
        let head = ["execution", "app", "listens to", "does", "how often", "fired", "pending", "from"]
        return TextTable.text([head] + rows, style)
    }

    static func runs(_ runs: [ExecutionRunInfo], _ style: TextStyle) -> String {
        let rows = runs.map { run in
            [
                LocalTime.text(run.firedAt), VisibleText.value(run.executionId), VisibleText.value(run.app),
                state(run.state, style), run.note.map { VisibleText.make($0) } ?? "",
            ]
        }
        return TextTable.text([["fired", "execution", "app", "run", ""]] + rows, style)
    }

    /// Returns a line for an execution that fired.
    static func fired(_ fired: ExecutionFired, _ style: TextStyle) -> String {
        let why =
            fired.counter.map { "\(VisibleText.value($0))=\(short(fired.value))" }
            ?? fired.event.map { event(FiringEvent($0.json).name) } ?? "-"
        return [
            style.dim(LocalTime.text(fired.at)), style.name(VisibleText.value(fired.execution.definition.id)),
            VisibleText.value(fired.app), why,
        ].joined(separator: "  ")
    }

    private static func state(_ state: String, _ style: TextStyle) -> String {
        switch state {
        case "done": VisibleText.make(state)
        case "due", "running": style.good(state)
        default: style.warning(VisibleText.make(state))
        }
    }

    /// The counters that an execution listens to, or its event.
    static func triggers(of execution: ExecutionDefinition) -> String {
        execution.on.map { event($0.event.name) }
            ?? execution.listensTo.map { VisibleText.value($0) }.joined(separator: ", ")
    }

    private static func event(_ name: String) -> String { "event \(VisibleText.value(name))" }

    private static func action(_ run: ActionInfo) -> String {
        if let words = run.exec { return clipped(words.map { VisibleText.value($0) }.joined(separator: " ")) }
        if let survey = run.survey { return "survey \(VisibleText.value(survey))" }
        return "notify"
    }

    private static func short(_ value: AnyJSON) -> String { clipped(ScalarText.shown(value.json)) }

    private static func clipped(_ text: String) -> String {
        TextWidth.of(text) > 40 ? StyledLine(text).clipped(to: 39).text + "…" : text
    }
}
