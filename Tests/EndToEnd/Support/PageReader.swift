import Foundation
import Testing

/// Reads a page as somebody does who types what stands there: runs its code from the first line to the last.
///
/// Code of `console` is commands behind `$`, each with what it prints; code of `sh` has to succeed. A comment on the line
/// before a block says what else is to be done:
/// - `<!-- save: NAME -->`: the block is a file in the reader's home folder.
/// - `<!-- meanwhile: COMMAND -->`: while the block runs, somebody does this; it is tried until it succeeds.
/// - `<!-- typed: TEXT -->`: the reader answers with this; what a terminal shows meanwhile is not compared.
/// - `<!-- elsewhere: TEST -->`: the block is run by that test, as it needs a screen or the like.
struct PageReader {
    let home: DaemonHome
    let environment: [String: String]

    /// Where a reader finds `hark`, and a daemon that runs programs of theirs.
    static let path = "\(URL(fileURLWithPath: Programs.hark).deletingLastPathComponent().path):/usr/bin:/bin"

    /// A reader with a home folder of their own, in which the daemon's folders are where the documentation says.
    init(_ home: DaemonHome) throws {
        self.home = home
        environment = [
            "HARK_SOCKET": home.socket, "HOME": home.files.path, "PATH": Self.path, "TZ": "UTC",
        ]
        for (folder, target) in [(".config", home.configuration), (".local/state", home.state)] {
            let place = URL(fileURLWithPath: home.files.path(folder))
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                at: place.appending(path: "hark"), withDestinationURL: URL(fileURLWithPath: target))
        }
    }

    /// Runs all code of a page that is in one of some languages, and tells how many blocks that were.
    func read(_ page: DocumentedPage, languages: Set<String> = ["console", "sh"]) throws -> Int {
        var count = 0
        for block in page.blocks {
            let (word, rest) = Self.parted(block.note)
            switch word {
            case "save":
                try home.files.write(block.text + "\n", to: rest)
                try check("chmod") { chmod(home.files.path(rest), 0o755) }
            case "elsewhere": continue
            case "typed":
                let command = block.text.replacing("$ ", with: "")
                let run = try shell("printf '%s\\n' '\(rest)' | \(command)", beside: nil)
                #expect(run.ending == .exited(0) && run.errors == "", "\(command)\n\(run.output)\(run.errors)")
            default:
                guard languages.contains(block.language) else { continue }
                try run(block, beside: word == "meanwhile" ? rest : nil)
            }
            count += 1
        }
        return count
    }

    private func run(_ block: DocumentedPage.Block, beside act: String?) throws {
        guard block.language == "console" else {
            let run = try shell(block.text, beside: act)
            #expect(run.ending == .exited(0) && run.errors == "", "\(block.text)\n\(run.output)\(run.errors)")
            return
        }
        try compare(block.text, beside: act)
    }

    /// Runs commands of `console`, and compares what each prints.
    func compare(_ text: String, beside act: String? = nil) throws {
        for step in "\n\(text)".components(separatedBy: "\n$ ").dropFirst() {
            var lines = step.components(separatedBy: "\n")[...]
            var command = lines.removeFirst()
            while command.hasSuffix("\\"), lines.first?.hasPrefix("> ") == true {
                command += "\n" + lines.removeFirst().dropFirst(2)
            }
            let run = try shell(command, beside: act)
            #expect(run.errors == "", "\(command)")
            #expect(run.ending == .exited(0), "\(command)")
            let printed = run.output.split(separator: "\n").map { Self.normalised(String($0)) }
            var expected = lines.filter { !$0.isEmpty }.map(Self.normalised)
            // A line of dots stands for all that follows.
            let isWhole = expected.last != "…"
            if !isWhole { expected.removeLast() }
            #expect(isWhole ? printed == expected : printed.starts(with: expected), "\(command)\n\(run.output)")
        }
    }

    private func shell(_ script: String, beside act: String?) throws -> ToolRun {
        let files = try TemporaryFiles()
        let output = try files.create("output")
        defer { close(output) }
        let child = try Child(
            ["bash", "-c", "cd\n\(script)"], environment: environment, output: output, errors: files.path("errors"))
        if let act {
            var said = ""
            do {
                try waitUntil(act) {
                    let run = try Child.run(["bash", "-c", act], environment: environment)
                    said = run.errors
                    return run.ending == .exited(0)
                }
            } catch { throw Failure("\(script)\n\(act): \(said)\(try files.text("output"))") }
        }
        let ending = try child.wait()
        return ToolRun(ending: ending, output: try files.text("output"), errors: try files.text("errors"))
    }

    private static func parted(_ note: String) -> (word: String, rest: String) {
        let parts = note.components(separatedBy: ": ")
        return (parts[0], parts.dropFirst().joined(separator: ": "))
    }

    /// Replaces each value that differs from run to run by one word, and the spaces around it by one.
    private static func normalised(_ line: String) -> String {
        var line = line
        for (pattern, word) in [
            ("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID"),
            ("[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:]{5,8}(\\.[0-9]{3})?Z?)?", "TIME"),
            ("/[^ ]+/surveys\\.json", "surveys.json"), ("\"seq\":[0-9]+", "SEQ"), ("\"(uid|pid)\":[0-9]+", "PROCESS"),
            ("(pid|seconds|cpuSeconds|peakMemoryBytes)=[0-9.]+", "$1"), ("[0-9]+(\\.[0-9]+)? (ms|s|kB|MB)\\b", "$2"),
            (" +", " "), (" $", ""),
        ] {
            line = line.replacingOccurrences(of: pattern, with: word, options: .regularExpression)
        }
        return line
    }
}
