import HarkClient
import HarkWire

/// Warnings in a reply about a request that succeeded all the same.
enum Warnings {
    /// Returns the warnings of a reply.
    static func list(_ result: JSONText) -> [String] { WarningList(result).warnings ?? [] }

    static func say(_ result: JSONText, _ console: Console, prefix: String = "hark: ") {
        for warning in list(result) { console.say("\(prefix)warning: \(VisibleText.make(warning))") }
    }
}
