import HarkClient
import HarkWire

/// Watches as people read them.
enum WatchText {
    static func isMissed(_ watch: JSONText) -> Bool { watch.member("missedAt")?.string != nil }

    static func table(_ watches: [JSONText], _ style: TextStyle) -> String {
        // Only administrators are told of those of others.
        let hasOthers = Set(watches.compactMap { $0.member("uid")?.int }).count > 1
        let rows = watches.map { watch in
            var row = [
                VisibleText.value(watch.member("id")?.string ?? ""), event(watch),
                every(watch),
                watch.member("lastAt")?.string.map { second($0) } ?? "never", state(watch, style),
            ]
            if hasOthers { row.insert(watch.member("uid")?.int.map { String($0) } ?? "", at: 0) }
            return row
        }
        let head = (hasOthers ? ["uid"] : []) + ["watch", "event", "every", "came last", ""]
        return TextTable.text([head] + rows, style)
    }

    /// What is to be expected of one that was just added.
    static func outlook(_ watch: JSONText) -> String {
        if let missedAt = watch.member("missedAt")?.string { return "missed since \(second(missedAt))" }
        guard let dueAt = watch.member("dueAt")?.string else { return "waits" }
        return "missed unless it comes by \(second(dueAt))"
    }

    private static func every(_ watch: JSONText) -> String {
        let hours = ["days", "between"].compactMap { watch.member(named: $0)?.string.map { VisibleText.value($0) } }
        let span = watch.member("everySeconds")?.double.map { DurationText.make($0) } ?? ""
        return ([span] + (hours.isEmpty ? [] : ["of"]) + hours).joined(separator: " ")
    }

    private static func event(_ watch: JSONText) -> String {
        var words = [VisibleText.value(watch.member("event")?.string ?? "")]
        if let app = watch.member("app")?.string { words.append("of \(VisibleText.value(app))") }
        if let user = watch.member("userId")?.string { words.append("about \(VisibleText.value(user))") }
        if watch.member("where") != nil { words.append("(some)") }
        return words.joined(separator: " ")
    }

    private static func state(_ watch: JSONText, _ style: TextStyle) -> String {
        if let missedAt = watch.member("missedAt")?.string { return style.bad("missed since \(second(missedAt))") }
        guard let dueAt = watch.member("dueAt")?.string else { return "" }
        return "by \(second(dueAt))"
    }

    private static func second(_ iso: String) -> String {
        Timestamp(iso).map { LocalTime.secondText($0) } ?? VisibleText.make(iso)
    }
}
