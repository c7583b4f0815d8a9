import HarkClient
import HarkWire

/// What the daemon found odd about a request and did all the same.
enum Warnings {
    /// The warnings of a result; looks for the word first, since nearly every result has none.
    static func list(_ result: JSONText) -> [String] {
        result.member("warnings")?.elements.compactMap(\.string) ?? []
    }

    static func say(_ result: JSONText, _ console: Console, prefix: String = "hark: ") {
        for warning in list(result) { console.say("\(prefix)warning: \(VisibleText.make(warning))") }
    }
}
