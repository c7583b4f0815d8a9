import HarkWire

/// The result of one check of `hark doctor`.
struct Finding: Sendable, Equatable {
    enum State: String, Sendable {
        case ok, warning, fault
    }

    /// A shell command line that goes with a finding.
    enum Advice: Sendable, Equatable {
        /// A command that fixes the problem when it is run once.
        case mend(String)
        /// A command that shows more, because the problem cannot be fixed from here alone.
        case look(String)

        var line: String {
            switch self {
            case .mend(let line), .look(let line): line
            }
        }
    }

    /// Stable across versions.
    let id: String
    let state: State
    let message: String
    let advice: Advice?

    static func ok(_ id: String, _ message: String) -> Finding {
        Finding(id: id, state: .ok, message: message, advice: nil)
    }

    static func warning(_ id: String, _ message: String, _ advice: Advice? = nil) -> Finding {
        Finding(id: id, state: .warning, message: message, advice: advice)
    }

    static func fault(_ id: String, _ message: String, _ advice: Advice? = nil) -> Finding {
        Finding(id: id, state: .fault, message: message, advice: advice)
    }
}

extension [Finding] {
    var hasFault: Bool { contains { $0.state == .fault } }

    /// `{"ok":false,"checks":[{"id":"socket","state":"fault","message":"…","mend":"…"}]}`
    var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.key("ok")
        json.bool(!hasFault)
        json.key("checks")
        json.beginArray()
        for finding in self {
            json.beginObject()
            json.member("id", finding.id)
            json.member("state", finding.state.rawValue)
            json.member("message", finding.message)
            switch finding.advice {
            case .mend(let line)?: json.member("mend", line)
            case .look(let line)?: json.member("look", line)
            case nil: break
            }
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
