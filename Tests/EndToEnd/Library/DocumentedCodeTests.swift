import Foundation
import Testing

/// The code in the library's documentation.
@Suite(.endToEnd) struct DocumentedCodeTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func sources() throws -> [URL] {
        let folder = root.appending(path: "Sources/Hark")
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (found?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    }

    /// The blocks of Swift in a text, without the manifest's lines.
    private static func snippets(in text: String) -> [String] {
        let fence = "```"
        return text.components(separatedBy: fence + "swift\n").dropFirst().map {
            $0.components(separatedBy: fence)[0]
        }.filter { !$0.contains("Package.swift") }
    }

    @Test("D6: every piece of Swift in the library's guide and in its comments compiles")
    func snippets() throws {
        let guide = try String(contentsOf: Self.root.appending(path: "docs/guides/swift.md"), encoding: .utf8)
        var snippets = Self.snippets(in: guide)
        #expect(snippets.count > 2)
        for source in try Self.sources() {
            let lines = try String(contentsOf: source, encoding: .utf8).split(separator: "\n").map { line in
                line.trimmingCharacters(in: .whitespaces)
            }
            let comments = lines.filter { $0.hasPrefix("///") }.map { $0.dropFirst(3).drop { $0 == " " } }
            snippets += Self.snippets(in: comments.joined(separator: "\n"))
        }
        #expect(snippets.count > 5)
        let files = try TemporaryFiles()
        var program = "import Hark\n"
        for (place, snippet) in snippets.enumerated() {
            let body = snippet.replacingOccurrences(of: "import Hark\n", with: "")
            program += "func snippet\(place)() async throws {\n\(body)\n}\n"
        }
        try files.write(program, to: "snippets.swift")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let modules = URL(fileURLWithPath: Programs.hark).deletingLastPathComponent().appending(path: "Modules").path
        let run = try Child.run(
            ["swiftc", "-swift-version", "6", "-typecheck", "-I", modules, files.path("snippets.swift")],
            environment: ["PATH": path, "HOME": files.path("")], within: 600)
        #expect(run.ending == .exited(0), "\(run.errors)\n\(program)")
    }

    @Test("D6: everything public in the library says what it is")
    func docstrings() throws {
        for source in try Self.sources() {
            let lines = try String(contentsOf: source, encoding: .utf8).components(separatedBy: "\n")
            for (place, line) in lines.enumerated() {
                let words = line.trimmingCharacters(in: .whitespaces)

                guard words.hasPrefix("public "), !words.hasPrefix("public import") else { continue }
                let before = lines[..<place].last { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("@") } ?? ""
                #expect(
                    before.trimmingCharacters(in: .whitespaces).hasPrefix("///"),
                    "\(source.lastPathComponent):\(place + 1): \(words)")
            }
        }
    }
}
