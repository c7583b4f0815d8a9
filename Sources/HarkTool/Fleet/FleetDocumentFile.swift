import HarkClient
import HarkWire

/// A document that is to be pushed to the machines of a fleet.
struct FleetDocumentFile {
    let path: String
    let kind: FleetDocumentKind
    let text: String

    init(path: String, kind: FleetDocumentKind, text: String) {
        self.path = path
        self.kind = kind
        self.text = text
    }

    /// - Parameter given: what it is about, if that was said.
    init(_ path: String, given: FleetDocumentKind?) throws(ToolError) {
        let bytes = try InputFile.read(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ToolError(.data, "\(path) is no UTF-8 text")
        }
        guard let kind = given ?? Self.kind(of: bytes, named: path) else {
            throw .usage(
                "it cannot be told what \(path == "-" ? "standard input" : path) is about",
                hint: "Give --kind surveys, --kind forms or --kind flags.")
        }
        self.init(path: path, kind: kind, text: text)
    }

    /// What a document has a list of says it, else its name: flags may be called anything.
    static func kind(of bytes: [UInt8], named path: String) -> FleetDocumentKind? {
        // What is wrong with the text is told by the daemon.
        if let value = try? JSONDocument(bytes, .json5).value {
            for kind in [FleetDocumentKind.surveys, .forms] where value[kind.rawValue]?.arrayValue != nil {
                return kind
            }
        }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return FleetDocumentKind.allCases.first { name == "\($0.rawValue).json" || name == "\($0.rawValue).json5" }
    }

    /// What the daemon's check of such documents is called; nil: there is none.
    var checked: ConfigurationDocument? {
        switch kind {
        case .surveys: .surveys
        case .forms: .forms
        case .flags: nil
        }
    }

    /// Findings, a line each as `hark config validate` has them.
    func lines(_ issues: [IssueInfo], _ word: String) -> [String] {
        let file = path == "-" ? "standard input" : VisibleText.make(path)
        return issues.map { issue in
            let place = [file] + [issue.line, issue.column].compactMap { $0.map { "\($0)" } }
            // A fault of the whole has no path to be named.
            let path = ["", "$"].contains(issue.path) ? "" : "\(VisibleText.make(issue.path)): "
            return "\(place.joined(separator: ":")): \(word): \(path)\(VisibleText.make(issue.message))"
        }
    }
}

extension IssueInfo {
    /// Those of a member that is a list of them.
    static func list(_ issues: JSONText?) -> [IssueInfo] { (issues?.elements ?? []).map { IssueInfo($0) } }
}
