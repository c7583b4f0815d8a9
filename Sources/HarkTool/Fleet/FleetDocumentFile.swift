import HarkClient
import HarkWire

/// A document to push to the machines of a fleet.
struct FleetDocumentFile {
    let path: String
    let kind: FleetDocumentKind
    let text: String

    init(path: String, kind: FleetDocumentKind, text: String) {
        self.path = path
        self.kind = kind
        self.text = text
    }

    /// - Parameter given: The kind of the document, if it was given.
    init(_ path: String, given: FleetDocumentKind?) throws(ToolError) {
        let bytes = try InputFile.read(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ToolError(.data, "\(path) is no UTF-8 text")
        }
        guard let kind = given ?? Self.kind(of: bytes, named: path) else {
            throw .usage(
                "the kind of \(path == "-" ? "standard input" : path) is not clear",
                hint: "Give --kind surveys, --kind forms or --kind flags.")
        }
        self.init(path: path, kind: kind, text: text)
    }

    /// Determines the kind by the member that is a list, or else by the file name, because flags can have any name.
    static func kind(of bytes: [UInt8], named path: String) -> FleetDocumentKind? {
        // The daemon reports syntax errors.
        if let value = try? JSONDocument(bytes, .json5).value {
            for kind in [FleetDocumentKind.surveys, .forms] where value[kind.rawValue]?.arrayValue != nil {
                return kind
            }
        }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return FleetDocumentKind.allCases.first { name == "\($0.rawValue).json" || name == "\($0.rawValue).json5" }
    }

    /// The kind of document that the daemon can check; nil if it has no check.
    var checked: ConfigurationDocument? {
        switch kind {
        case .surveys: .surveys
        case .forms: .forms
        case .flags: nil
        }
    }

    /// Formats issues as `hark config validate` does, a line for each.
    func lines(_ issues: [IssueInfo], _ word: String) -> [String] {
        let file = path == "-" ? "standard input" : VisibleText.make(path)
        return issues.map { issue in
            let place = [file] + [issue.line, issue.column].compactMap { $0.map { "\($0)" } }
            // An issue about the whole document has no path.
            let path = ["", "$"].contains(issue.path) ? "" : "\(VisibleText.make(issue.path)): "
            return "\(place.joined(separator: ":")): \(word): \(path)\(VisibleText.make(issue.message))"
        }
    }
}

extension IssueInfo {
    /// Reads the issues of a list member.
    static func list(_ issues: JSONText?) -> [IssueInfo] { (issues?.elements ?? []).map { IssueInfo($0) } }
}
