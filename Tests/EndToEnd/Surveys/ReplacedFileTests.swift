import Foundation
import HarkWire
import Testing

/// Documents that are replaced while daemons run, in all the ways in which people replace files: none of them takes what
/// waits or is shown away.
@Suite(.endToEnd) struct ReplacedFileTests {
    private let scene: SurveyScene
    private var home: DaemonHome { scene.home }
    private let daemon: DaemonProcess
    private let client: SocketClient
    private let presenter: SocketClient

    /// The surveys that are asked in the tests, and one that tells the documents apart.
    private static func document(_ mark: String) -> String {
        SurveyScene.document(
            SurveyScene.plain("shown"), SurveyScene.plain("ready", event: #"{"name":"ready"}"#),
            SurveyScene.plain("later", event: #"{"name":"later","scheduleAfterSeconds":3600}"#),
            SurveyScene.plain(mark, event: #"{"name":"never"}"#))
    }

    init() throws {
        scene = try SurveyScene(Self.document("first"))
        daemon = try scene.home.start()
        client = try daemon.connect()
        presenter = try daemon.connect()
        try client.startSession("ann")
        try presenter.presentHere()
        for event in ["go", "ready", "later"] { try client.record(event) }
        _ = try presenter.nextToPresent()
        try waitUntil("one is shown, one ready, one scheduled") { try states() == Self.expected }
    }

    private static let expected = ["later scheduled", "ready ready", "shown presented"]

    private func states(_ client: SocketClient? = nil) throws -> [String] {
        try (client ?? self.client).pending().map {
            "\($0["surveyId"]?.stringValue ?? "") \($0["state"]?.stringValue ?? "")"
        }.sorted()
    }

    private func marks(_ client: SocketClient? = nil) throws -> [String] {
        try (client ?? self.client).call("survey.list")["surveys"]?.arrayValue?.compactMap {
            $0["surveyId"]?.stringValue
        }.filter { !["shown", "ready", "later"].contains($0) } ?? []
    }

    private func problem(_ client: SocketClient? = nil) throws -> String? {
        try (client ?? self.client).call("survey.list")["problems"]?[0]?["message"]?.stringValue
    }

    private func shell(_ line: String) throws {
        let run = try Child.run(["sh", "-ec", "cd '\(home.files.path("."))'\n\(line)"])
        guard run.ending == .exited(0) else { throw Failure("\(line): \(run.errors)") }
    }

    /// Each makes `next.json` the file of surveys.
    private static let ways = [
        "cp next.json config/surveys.json", "cat next.json > config/surveys.json",
        "rm config/surveys.json; cp next.json config/surveys.json", "mv next.json config/surveys.json",
        "mv config/surveys.json away.json; mv next.json config/surveys.json",
        "install -m 600 next.json config/surveys.json",
        "mkdir -p t; cp next.json t/surveys.json; tar -cf t.tar -C t surveys.json; tar -xf t.tar -C config",
        "sed -i s/before/next/ config/surveys.json; mv -f next.json config/surveys.json",
        """
        git() { command git -C config -c user.name=x -c user.email=x@x -c init.defaultBranch=one "$@"; }
        git init -q; git add surveys.json; git commit -qm one; git checkout -qb other
        cp next.json config/surveys.json; git add surveys.json; git commit -qm other
        git checkout -q one; git checkout -q other
        """,
        "cp -r config new; cp next.json new/surveys.json; rm -r config; mv new config",
        "cp -r config new; cp next.json new/surveys.json; mv config old; mv new config",
    ]

    @Test("S11: whatever a file is replaced with, what is scheduled, ready and shown stays", arguments: ways)
    func replaced(way: String) throws {
        try home.files.write(Self.document("second"), to: "next.json")
        try shell(way)
        // Git writes the file more than once, and the daemon may look in between.
        try waitUntil("the new file is read") { try marks() == ["second"] && problem() == nil }
        #expect(try states() == Self.expected)
        let next = try presenter.ask("survey.answer", presenterParams())
        #expect(next.result != nil, "\(next)")
        // It is watched still.
        try home.files.write(Self.document("third"), to: "config/surveys.json")
        try waitUntil("it is read again") { try marks() == ["third"] }
    }

    /// How a link comes to stand for the file of surveys, and how somebody replaces what is behind it.
    private static let links: [(make: String, replace: String)] =
        [
            "cp next.json dot/surveys.json", "mv next.json dot/surveys.json",
            "rm dot/surveys.json; mv next.json dot/surveys.json",
        ]
        .map { ("mkdir dot; mv linked.json dot/surveys.json; ln -sf ../dot/surveys.json config/surveys.json", $0) } + [
            // As Kubernetes mounts them.
            (
                """
                mkdir config/one config/two; mv linked.json config/one/surveys.json; ln -s one config/..data
                ln -sf ..data/surveys.json config/surveys.json
                """, "mv next.json config/two/surveys.json; ln -s two config/..new; mv -T config/..new config/..data"
            )
        ]

    @Test("S11: what a link stands for is read again when it is replaced, and stays while it is gone", arguments: links)
    func linked(make: String, replace: String) throws {
        try home.files.write(Self.document("linked"), to: "linked.json")
        try home.files.write(Self.document("next"), to: "next.json")
        try shell(make)
        try waitUntil("the file behind the link is read") { try marks() == ["linked"] }
        try shell(replace)
        try waitUntil("the new file is read") { try marks() == ["next"] }
        #expect(try states() == Self.expected)
        // A file takes the place of the link, and is watched as one.
        for mark in ["third", "fourth"] {
            try home.files.write(Self.document(mark), to: "next.json")
            try shell("mv next.json config/surveys.json")
            try waitUntil("it is read") { try marks() == [mark] }
        }
    }

    private func presenterParams() throws -> String {
        let shown = try client.pending().first { $0["state"] == "presented" } ?? .null
        return try shown.params(#","option":"Good""#)
    }

    @Test("S11: a file that is gone is like a broken one, over a restart too; an empty list removes all surveys")
    func gone() throws {
        try shell("rm config/surveys.json")
        try waitUntil("it is said") { try problem()?.contains("the file is gone") == true }
        #expect(try daemon.errors.contains("surveys.json: $: the file is gone"))
        #expect(try marks() == ["first"] && states() == Self.expected)
        #expect(try home.hark("surveys", "--rules").errors.contains("the file is gone"))
        daemon.kill()

        let next = try home.start()
        let other = try next.connect()
        #expect(try marks(other) == ["first"])
        #expect(try problem(other)?.contains("the file is gone") == true)
        #expect(try next.errors.contains("the surveys that were last in force are"))
        #expect(try states(other) == ["later scheduled", "ready ready", "shown ready"])
        // The whole folder as well.
        try shell("mv config away")
        #expect(try other.ask("daemon.reload").message?.contains("harkd.json is gone") == true)
        #expect(try states(other).count == 3)
        try shell("mv away config")
        try home.files.write(SurveyScene.document(), to: "config/surveys.json")
        try waitUntil("nothing is left") { try states(other) == [] }
        #expect(try other.results("later")["cancelled"] == 1)
        #expect(try problem(other) == nil)
        // That is the last good one now.
        try shell("rm config/surveys.json")
        next.kill()
        let last = try home.start()
        #expect(try last.connect().call("survey.list")["surveys"] == [])
    }

    @Test("a file of forms that is gone leaves them in force, over a restart too")
    func forms() throws {
        let form = #"{"forms":[{"id":"f","title":"F","questions":[{"id":"q","type":"text","question":"?"}]}]}"#
        try home.files.write(form, to: "config/forms.json")
        func ids(_ client: SocketClient) throws -> [String] {
            try client.call("form.list")["forms"]?.arrayValue?.compactMap { $0["formId"]?.stringValue } ?? []
        }
        try waitUntil("it is read") { try ids(client) == ["f"] }
        try shell("rm config/forms.json")
        try waitUntil("it is said") { try daemon.errors.contains("forms.json: $: the file is gone") }
        #expect(try ids(client) == ["f"])
        daemon.kill()
        let next = try home.start()
        #expect(try ids(next.connect()) == ["f"])
        #expect(try next.errors.contains("the forms that were last in force are"))
    }
}
