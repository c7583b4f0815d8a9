import HarkSystem
import HarkWire

/// A method of the protocol: everything there is to know about it in one place.
///
/// The router dispatches by it, the parameters are checked by it, `docs/protocol.md` is printed from it, and the tests
/// send its examples.
struct Method: Sendable {
    let name: String
    /// One sentence.
    let summary: String
    /// More, if there is more to say; Markdown.
    var details = ""
    let parameters: [Parameter]
    /// The members of the result: name and meaning.
    let result: [Member]
    let examples: [Example]
    let handler: Handler

    enum Handler: Sendable {
        /// Decides at once; the reply waits for the commit.
        case write(@DaemonActor (Call, inout JSONWriter) throws(WireError) -> Void)
        /// Tells at once.
        case read(@DaemonActor (Call, inout JSONWriter) throws(WireError) -> Void)
        /// Takes its time; other replies may go out before its own.
        case deferred(@DaemonActor (Call, inout JSONWriter) async throws(WireError) -> Void)
    }

    struct Parameter: Sendable {
        let name: String
        let type: ParameterType
        var isRequired = false
        let meaning: String
    }

    struct Member: Sendable {
        let name: String
        let meaning: String
    }

    /// A request and the reply to it, as JSON text; ids, times and sizes in the reply stand for any such value.
    struct Example: Sendable {
        /// Requests to send before, for which the documentation gives no reply.
        var before: [String] = []
        let params: String
        let result: String
    }
}

/// The type of a parameter, as the documentation names it.
enum ParameterType: String, Sendable {
    case string, integer, bool, object, value
    case id = "id (UUID)"
    case time = "time (ISO-8601)"
    case stringOrNull = "string or null"
    case stringOrObject = "string or object"
    case strings = "array of strings"

    /// As an error says it: "an integer".
    var withArticle: String {
        let isVowel = rawValue.first.map("aeiou".contains) ?? false
        return "\(isVowel ? "an" : "a") \(rawValue)"
    }
}
