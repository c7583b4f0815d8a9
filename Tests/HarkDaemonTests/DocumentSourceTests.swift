import Glibc
import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkDelivery
@testable import HarkServer
@testable import HarkSettings

/// Documents of settings that are to come from elsewhere.
@Suite(.timeLimit(.minutes(45))) struct DocumentSourceTests {
    @Test("the kept copy of a URL is not put in force after the document has come from a file")
    func copyAfterFile() async throws {
        try await LoopThread.shared.run { loop in
            let folder = try TemporaryFolder(inMemory: true)
            let (url, copy) = ("http://127.0.0.1:1/flags", folder.path + "/copy")
            try DocumentCopy(version: ServedVersion(), body: Array(#"{"from":"url"}"#.utf8))
                .write(copy + ".url", of: url)
            let file = folder.path + "/flags.json"
            try DaemonFixture.write(#"{"from":"file"}"#, to: file)
            let source = DocumentSource(
                .flags, from: .url(url, refreshSeconds: 300), copyPath: copy, loop: loop,
                clock: { Timestamp(milliseconds: 0) })
            var flags: [FlagSet] = []
            source.onChange = { flags.append($0) }
            source.begin()
            // The copy is being read on another thread.
            await earlierJobs()
            await source.reload(from: .file(file))
            // It has been, as that thread does one thing after the other, and the loop has heard of it.
            await DocumentThread.run {}
            await earlierJobs()
            #expect(flags.last?.members["from"] == "file")
            source.end()
        }
    }

    @Test("errors of a file that was never in force are gone once it is removed, or is no longer the origin")
    func removed() async throws {
        try await LoopThread.shared.run { loop in
            for isOfHub in [false, true] {
                let folder = try TemporaryFolder(inMemory: true)
                let (own, other) = (folder.path + "/flags.json", folder.path + "/other.json")
                try DaemonFixture.write("{", to: isOfHub ? other : own)
                let source = DocumentSource(
                    .flags, from: .file(isOfHub ? other : own), usual: .file(own), copyPath: folder.path + "/copy",
                    loop: loop, clock: { Timestamp(milliseconds: 0) })
                source.begin()
                #expect(source.problems.count == 1 && source.errors.count == 1)
                if !isOfHub { unlink(own) }
                await source.reload(from: .file(own))
                #expect(source.problems.isEmpty && source.errors.isEmpty)
                source.end()
            }
        }
    }

    @Test("a file that the settings name and that was never there is told; one that nobody named is not")
    func neverThere() async throws {
        let named = #"{"surveys":{"file":"named.json"},"forms":{"file":"named.json"}}"#
        for configuration in [named, "{}"] {
            try await DaemonFixture.run(configuration: configuration) { fixture in
                let client = try fixture.connect()
                for method in ["survey.list", "form.list"] {
                    let problems = try await client.call(method)["problems"]?.arrayValue ?? []
                    let isTold = problems.contains { $0["message"]?.stringValue?.contains("no such file") == true }
                    #expect(isTold == (configuration == named), "\(method): \(problems)")
                }
                let told = try await client.call("daemon.status")["problems"]?.arrayValue ?? []
                #expect(told.map { $0["about"] } == (configuration == named ? ["surveys", "forms"] : []))
            }
        }
    }
}
