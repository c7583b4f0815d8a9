import HarkServer
import HarkWire

/// `docs/protocol.md`, generated from the registry of methods and the defaults of settings, so that it agrees with the
/// code. The tests send its examples to a daemon.
enum ProtocolDocument {
    static var text: String {
        let chapters = [
            Chapter("Connecting", connecting), Chapter("Requests and replies", envelopes),
            Chapter("Sending again", sendingAgain), Chapter("Values", values), Chapter("Sessions and access", sessions),
            Chapter("Streams", streams),
            Chapter("Errors", errors), Chapter("Limits", limits), Chapter("Methods", methods),
        ]
        return ([introduction, contents(chapters)] + chapters.map { "## \($0.title)\n\n\($0.text)" })
            .joined(separator: "\n")
    }

    private struct Chapter {
        let title: String
        let text: String

        init(_ title: String, _ text: String) {
            self.title = title
            self.text = text.hasSuffix("\n") ? text : text + "\n"
        }
    }

    private static let introduction = """
        # The protocol of harkd

        <!-- Printed by `harkd --describe` from Sources/HarkDaemon; change it there and run `make docs`. -->

        Programs talk to `harkd` over a Unix socket, one JSON object per line. Any program that can open a socket and write
        a line can record an event. When the reply comes, the event is on disk.

        """

    private static func contents(_ chapters: [Chapter]) -> String {
        let lines = chapters.map { "- [\($0.title)](#\(anchor($0.title)))" }
        return (lines + MethodRegistry.all.map { "  - [\($0.name)](#\(anchor($0.name))): \(lowercased($0.summary))" })
            .joined(separator: "\n") + "\n"
    }

    /// The anchor that Markdown viewers give a heading.
    static func anchor(_ title: String) -> String {
        String(title.lowercased().compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber ? $0 : nil })
    }

    private static func lowercased(_ sentence: String) -> String {
        sentence.prefix(1).lowercased() + sentence.dropFirst()
    }

    /// A Markdown table; cells may contain `|`.
    static func table(_ head: [String], _ rows: [[String]]) -> String {
        ([head, head.map { _ in "---" }] + rows.map { $0.map(escaped) })
            .map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    private static func escaped(_ cell: String) -> String {
        cell.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }

    static func code(_ lines: [String], in language: String = "") -> String {
        "```\(language)\n\(lines.joined(separator: "\n"))\n```\n"
    }
}
