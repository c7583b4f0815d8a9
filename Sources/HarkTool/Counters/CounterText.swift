import HarkAsking
import HarkClient
import HarkWire

/// Counters and executions as shown to people.
enum CounterText {
    static func table(_ counters: [JSONText], _ style: TextStyle) -> String {
        let rows = counters.map { counter in
            [
                VisibleText.value(counter.member("name")?.string ?? ""), short(counter.member("value")),
                short(counter.member("initial")), VisibleText.make(counter.member("scope")?.string ?? ""),
            ]
        }
        return TextTable.text([["counter", "value", "initial", "scope"]] + rows, style)
    }

    static func executions(_ executions: [JSONText], _ style: TextStyle) -> String {
        let rows = executions.map { execution in
            [
                VisibleText.value(execution.member("id")?.string ?? ""),
                execution.member("app")?.string.map { VisibleText.value($0) } ?? "-",
                triggers(of: execution), action(execution.member("run")),
                execution.member("keepAlive")?.bool == true ? "always" : "once",
                number(execution.member("fired")), number(execution.member("pending")),
                execution.member("configured")?.bool == true ? "harkd.json" : "",
            ]
        }
        let head = ["execution", "app", "listens to", "does", "how often", "fired", "pending", "from"]
        return TextTable.text([head] + rows, style)
    }

    static func runs(_ runs: [JSONText], _ style: TextStyle) -> String {
        let rows = runs.map { run in
            [
                LocalTime.text(iso: run.member("firedAt")?.string ?? ""),
                VisibleText.value(run.member("executionId")?.string ?? ""),
                VisibleText.value(run.member("app")?.string ?? ""), state(run.member("state")?.string ?? "", style),
                run.member("note")?.string.map { VisibleText.make($0) } ?? "",
            ]
        }
        return TextTable.text([["fired", "execution", "app", "run", ""]] + rows, style)
    }

    /// Returns a line for an execution that fired.
    static func fired(_ params: JSONText, _ style: TextStyle) -> String {
        let why =
            params.member("counter")?.string.map { "\(VisibleText.value($0))=\(short(params.member("value")))" }
            ?? params.member("event").map(event) ?? "-"
        return [
            style.dim(LocalTime.text(iso: params.member("at")?.string ?? "")),
            style.name(VisibleText.value(params.member("execution")?.member("id")?.string ?? "")),
            VisibleText.value(params.member("app")?.string ?? ""), why,
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
    static func triggers(of execution: JSONText?) -> String {
        execution?.member("on")?.member("event").map(event) ?? names(execution?.member("listensTo"))
    }

    private static func event(_ event: JSONText) -> String {
        "event \(VisibleText.value(event.member("name")?.string ?? ""))"
    }

    private static func names(_ list: JSONText?) -> String {
        (list?.elements ?? []).compactMap(\.string).map { VisibleText.value($0) }.joined(separator: ", ")
    }

    private static func action(_ run: JSONText?) -> String {
        if let words = run?.member("exec") {
            return clipped(words.elements.compactMap(\.string).map { VisibleText.value($0) }.joined(separator: " "))
        }
        if let survey = run?.member("survey")?.string { return "survey \(VisibleText.value(survey))" }
        return "notify"
    }

    private static func short(_ value: JSONText?) -> String { clipped(value.map(ScalarText.shown) ?? "null") }

    private static func clipped(_ text: String) -> String {
        TextWidth.of(text) > 40 ? StyledLine(text).clipped(to: 39).text + "…" : text
    }

    private static func number(_ value: JSONText?) -> String { Plural.grouped(value?.int ?? 0) }
}
