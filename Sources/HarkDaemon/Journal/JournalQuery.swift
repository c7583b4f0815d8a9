import HarkCore
import HarkSystem
import HarkWire

/// A source as entries are judged by it.
struct JournalQuery {
    private let alternatives: [[JournalCondition]]
    private let properties: [JournalProperty]
    private let content: JournalSourceSettings.Content
    /// The requested fields of an entry.
    let fields: [[UInt8]]

    init(_ settings: JournalSourceSettings, in files: JournalFiles) {
        alternatives = settings.alternatives(in: files)
        properties = settings.taken
        content = settings.content
        let names = properties.flatMap(\.fields) + JournalEntry.fieldsOfOrigin + ["MESSAGE", "PRIORITY"]
        fields = Array(Set(names.map { Array($0.utf8) } + alternatives.flatMap { $0.map(\.field) }))
    }

    /// The alternatives that the journal is asked for; none: all entries.
    var assignments: [[UInt8]] {
        var asked: Set<[UInt8]> = []
        for conditions in alternatives {
            guard let rarest = conditions.min(by: { $0.rank < $1.rank }) else { return [] }
            asked.formUnion(rarest.assignments)
        }
        return Array(asked)
    }

    func takes(_ entry: JournalEntry) -> Bool {
        alternatives.contains { $0.allSatisfy { $0.holds(for: entry) } } && !entry.isOwn
    }

    /// - Parameter userId: The user of log entries.
    func order(_ entry: JournalEntry, userId: String) -> JournalOrder {
        let values = Properties(
            properties.compactMap { property in property.value(in: entry).map { (property.key, $0) } })
        switch content {
        case .event(let name): return JournalOrder(.event(name: name, values), at: entry.time)
        case .log:
            let message = entry.text("MESSAGE", atMost: JournalEntry.longest - 1) ?? ""
            return JournalOrder(
                .log(LogEntry(message, level: entry.level, userId: userId, metadata: values)), at: entry.time)
        }
    }
}
