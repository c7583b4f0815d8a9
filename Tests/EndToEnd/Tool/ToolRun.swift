import Foundation

/// What a run of `hark` came to.
struct ToolRun {
    let ending: Child.Ending
    let output: String
    let errors: String

    /// The lines of its standard output.
    var lines: [Substring] { output.split(separator: "\n") }
}

extension DaemonHome {
    /// The environment in which `hark` finds this daemon; times are UTC's.
    var environment: [String: String] { ["HARK_SOCKET": socket, "TZ": "UTC"] }

    /// Runs `hark` to its end.
    @discardableResult
    func hark(_ words: [String], input: String? = nil) throws -> ToolRun {
        var descriptor: CInt?
        if let input {
            let name = "input-\(UUID().uuidString)"
            try files.write(input, to: name)
            descriptor = try check("open") { open(files.path(name), O_RDONLY | O_CLOEXEC) }
        }
        defer { if let descriptor { close(descriptor) } }
        let run = try Child.run([Programs.hark] + words, environment: environment, input: descriptor)
        return ToolRun(ending: run.ending, output: run.output, errors: run.errors)
    }

    @discardableResult
    func hark(_ words: String...) throws -> ToolRun { try hark(words) }

    /// Runs a line of shell in which `hark` is this daemon's.
    func shell(_ line: String) throws -> ToolRun {
        var variables = environment
        variables["hark"] = Programs.hark
        variables["PATH"] = "\(URL(fileURLWithPath: Programs.hark).deletingLastPathComponent().path):/usr/bin:/bin"
        let run = try Child.run(["bash", "-c", line], environment: variables)
        return ToolRun(ending: run.ending, output: run.output, errors: run.errors)
    }
}

/// A `hark` that runs while the test goes on.
final class RunningTool {
    let child: Child
    private let files: TemporaryFiles
    private let outputDescriptor: CInt
    /// Where the test writes what `hark` reads.
    private var input: CInt

    convenience init(_ home: DaemonHome, _ words: String...) throws {
        try self.init(home, command: [Programs.hark] + words)
    }

    init(_ home: DaemonHome, command words: [String], environment: [String: String] = [:]) throws {
        files = try TemporaryFiles()
        outputDescriptor = try files.create("output")
        var ends: [CInt] = [0, 0]
        try check("pipe") { pipe(&ends) }
        for end in ends { try check("fcntl") { fcntl(end, F_SETFD, FD_CLOEXEC) } }
        input = ends[1]
        child = try Child(
            words, environment: home.environment.merging(environment) { $1 }, input: ends[0], output: outputDescriptor,
            errors: files.path("errors"))
        close(ends[0])
    }

    deinit {
        close(outputDescriptor)
        finishInput()
    }

    func write(_ text: String) throws {
        var rest = ArraySlice(text.utf8)
        while !rest.isEmpty {
            let count = try check("write") {
                rest.withUnsafeBytes { Foundation.write(input, $0.baseAddress!, $0.count) }
            }
            rest.removeFirst(count)
        }
    }

    func finishInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    var output: String { get throws { try files.text("output") } }
    var errors: String { get throws { try files.text("errors") } }
    var outputLines: [Substring] { get throws { try output.split(separator: "\n") } }
}
