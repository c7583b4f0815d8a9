import Foundation
import Testing

/// A page of the documentation, by its headings and by the code on it.
struct DocumentedPage {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// A block of code, with what the comment right before it says to tests.
    struct Block {
        let language: String
        let text: String
        let note: String
    }

    let text: String

    /// A page by its path from the top of the project.
    init(_ path: String) throws {
        text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    /// What stands below a heading of the second level.
    private func section(_ title: String) throws -> String {
        let sections = text.components(separatedBy: "\n## ").dropFirst()
        return try #require(sections.first { $0.hasPrefix(title + "\n") }, "there is no heading \(title)")
    }

    /// The code of a language below a heading.
    func blocks(_ language: String, of title: String) throws -> [String] {
        Self.blocks(in: try section(title)).filter { $0.language == language }.map(\.text)
    }

    /// The only code of a language below a heading.
    func block(_ language: String, of title: String) throws -> String {
        let blocks = try blocks(language, of: title)
        try #require(blocks.count == 1, "\(title): \(blocks.count) blocks of \(language)")
        return blocks[0]
    }

    /// All code of the page, from its first line to its last.
    var blocks: [Block] { Self.blocks(in: text) }

    private static func blocks(in text: String) -> [Block] {
        var blocks: [Block] = []
        var note = ""
        var open: (language: String, lines: [String])?
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("```"), let block = open {
                blocks.append(
                    Block(language: block.language, text: block.lines.joined(separator: "\n"), note: note))
                (open, note) = (nil, "")
            } else if line.hasPrefix("```") {
                open = (String(line.dropFirst(3)), [])
            } else if open != nil {
                open?.lines.append(line)
            } else if line.hasPrefix("<!-- "), line.hasSuffix(" -->") {
                note = String(line.dropFirst(5).dropLast(4))
            } else {
                note = ""
            }
        }
        return blocks
    }
}
