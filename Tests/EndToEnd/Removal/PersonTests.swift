import Foundation
import HarkTesting
import HarkWire
import Testing

/// One person's data: all of it out, and all of it away (`docs/guides/person.md`).
@Suite(.endToEnd) struct PersonTests {
    private let scene: DeliveryScene
    private var home: DaemonHome { scene.home }
    private let hook: Receiver.Door
    private let server: FormServer
    private static let people = ["adaperson", "bobperson"]

    /// A kind of data in which a person's secret word lies; `ada` writes `showingAda` in a showing, say.
    private static let kinds = [
        "session", "event", "eventName", "log", "showing", "behind", "partial", "prompt", "form", "draft", "sent",
        "watch", "dead", "aside", "study",
    ]

    private static func word(_ kind: String, _ person: String) -> String { "\(kind)\(person.capitalized)Secret" }
    private static func words(_ person: String) -> [String] { kinds.map { word($0, person) } }

    init() throws {
        scene = try DeliveryScene()
        hook = try scene.receiver.door("hook")
        server = try FormServer()
        try scene.home.configure(
            #"{"notify":null,"retention":"none","destinations":[\#(DeliveryScene.hook(hook, DeliveryScene.quick + #","kinds":["log","event"]"#))]}"#
        )
        try scene.home.files.write(
            """
            {"surveys":[{"id":"opinion","title":"T","message":"M","response":{"type":"text"},"trigger":{"event":{"name":"ask"}}},
            {"id":"two","title":"T","message":"M","questions":[{"id":"first","type":"text","question":"?"},
            {"id":"second","type":"text","question":"?"}],"trigger":{"event":{"name":"ask.two"}}},
            {"id":"mood","title":"T","message":"M","response":{"type":"text"},
            "trigger":{"schedule":{"times":["12:00"],"firstDay":"next"}}}]}
            """, to: "config/surveys.json")
        try scene.home.files.write(
            """
            {"forms":[{"id":"plain","title":"T","questions":[{"id":"q","question":"?"},{"id":"r","question":"?"}]},
            {"id":"away","title":"T","questions":[{"id":"q","question":"?"}],
            "submitURL":"http://127.0.0.1:\(server.port)/answer"}],"profile":{"form":"plain","values":{"said":{"question":"q"}}}}
            """, to: "config/forms.json")
    }

    /// Has everything recorded that there is, of one person.
    private func live(_ person: String) throws {
        let client = try scene.daemon.connect()
        func word(_ kind: String) -> String { Self.word(kind, person) }
        let app = #""app":"app-\#(person)""#
        // Refused by the server, and so a dead letter, in a session of its own.
        try hook.set(.status(400, times: 1))
        try client.call(
            "log.write", #"{"message":"\#(word("dead"))","userId":"\#(person)",\#(app)}"#)
        try scene.client.wait(for: "hook", "it is refused") { $0.pending == 0 }
        try client.call(
            "session.start", #"{"userId":"\#(person)",\#(app),"metadata":{"m":"\#(word("session"))"}}"#)
        try client.call(
            "event.record", #"{"name":"\#(word("eventName"))",\#(app),"properties":{"p":"\#(word("event"))"}}"#)
        try client.call("log.write", #"{"message":"\#(word("log"))",\#(app)}"#)
        try client.call(
            "event.record", #"{"name":"ask",\#(app),"properties":{"why":"\#(word("behind"))"}}"#)
        let shown = try client.call("survey.present", "{\(app)}")["survey"]?["presentationId"]?.stringValue ?? ""
        try client.call("survey.answer", #"{"presentationId":"\#(shown)","text":"\#(word("showing"))"}"#)
        try client.call("event.record", #"{"name":"ask.two",\#(app)}"#)
        let open = try client.call("survey.present", "{\(app)}")["survey"]?["presentationId"]?.stringValue ?? ""
        try client.call(
            "survey.answer", #"{"presentationId":"\#(open)","answers":{"first":"\#(word("partial"))"},"partial":true}"#)
        try answerPrompt(word("prompt"), app, client)
        let form = #""userId":"\#(person)",\#(app)"#
        try client.call("form.answer", #"{"formId":"plain",\#(form),"questionId":"q","answer":"\#(word("form"))"}"#)
        try client.call(
            "form.draft", #"{"formId":"plain",\#(form),"page":"r","answers":{"r":"\#(word("draft"))"}}"#)
        try client.call(
            "form.answer",
            #"{"formId":"away",\#(form),"questionId":"q","answer":"\#(word("sent"))","confirm":true}"#)
        try client.call(
            "watch.add", #"{"id":"\#(word("watch"))","event":"x","everySeconds":86400,"userId":"\#(person)"}"#)
        try client.call(
            "study.join", #"{"surveyId":"mood","userId":"\#(person)",\#(app),"group":"\#(word("study"))"}"#)
        // It is about the person in another's app.
        try client.call("log.write", #"{"message":"\#(word("aside"))","userId":"\#(person)","app":"third"}"#)
    }

    private func answerPrompt(_ text: String, _ app: String, _ client: SocketClient) throws {
        let asker = try scene.daemon.connect()
        try asker.send(
            #"{"id":9,"method":"prompt.ask","params":{"question":"Well?","text":true,\#(app),"keep":true}}"# + "\n")
        var id = ""
        try waitUntil("it is asked") {
            let found = try client.pending().first { $0["promptId"] != nil && $0["state"] == "ready" }
            id = found?["presentationId"]?.stringValue ?? ""
            return !id.isEmpty
        }
        try client.call("survey.answer", #"{"presentationId":"\#(id)","text":"\#(text)"}"#)
    }

    private func start() throws {
        try scene.start()
        for person in Self.people { try live(person) }
        try scene.client.waitForArchive()
    }

    private func onDisk(_ person: String) throws -> Set<String> {
        try RawFiles(home.state).occurring(of: Self.words(person) + [person])
    }

    /// The log may be copied into the file while one after the other is read, so that what is there is found in neither.
    private func waitUntilOnDisk(_ words: [String], of person: String) throws {
        try waitUntil("\(words) are on disk; \((try? onDisk(person)) ?? [])") {
            try onDisk(person) == Set(words + [person])
        }
    }

    @Test("an export of a user holds every secret of that one, and none of another's")
    func export() throws {
        try start()
        let folder = home.files.path("adaperson")
        let run = try home.hark("export", "--user", "adaperson", folder)
        #expect(run.ending == .exited(0) && run.output.contains("other items"), "\(run)")
        let files = try RawFiles(folder)
        #expect(files.occurring(of: Self.words("adaperson")) == Set(Self.words("adaperson")))
        #expect(files.occurring(of: Self.words("bobperson") + ["bobperson"]).isEmpty)
        let lines = try home.files.text("adaperson/users/adaperson/person.jsonl").split(separator: "\n")
        let items = try lines.map { try JSONReader.read($0) }
        let kinds = Set(items.compactMap { $0["kind"]?.stringValue })
        let all = ["showing", "asking", "participation", "form", "profile", "watch", "deadLetter", "record", "log"]
        #expect(kinds == Set(all))
        for item in items { #expect(item[item["kind"]?.stringValue ?? ""] != nil, "\(item)") }
        let answered = items.first { $0["showing"]?["surveyId"] == "opinion" }?["showing"]
        #expect(answered?["times"]?["answeredAt"] != nil && answered?["shown"]?["title"] == "T")
        #expect(answered?["properties"] == ["why": .string(Self.word("behind", "adaperson"))])
        // Pages are read to the end, and what is exported of nobody is nobody's.
        #expect(try home.hark("export", "--anonymous", home.files.path("nobody")).ending == .exited(0))
        for person in Self.people {
            #expect(
                try RawFiles(home.files.path("nobody")).occurring(of: Self.words(person)).subtracting([
                    Self.word("prompt", person)
                ]).isEmpty)
        }
        // What there is of sessions and events can be read in again; the rest is to be read.
        #expect(try home.hark("import", folder).output.hasPrefix("imported 0 sessions and 0 events"))
    }

    @Test(
        "after a clear of a user nothing of that one is in any byte of the state folder, and all of another's is; who has something is told"
    )
    func clear() throws {
        try start()
        try waitUntilOnDisk(Self.words("adaperson"), of: "adaperson")
        try home.files.write(Self.words("adaperson").joined(separator: " "), to: "state/hark.db.damaged")
        let run = try home.hark("clear", "--user", "adaperson", "--yes")
        #expect(run.ending == .exited(0))
        #expect(run.errors.contains("is still there: hook\n"), "\(run)")
        #expect(run.errors.contains("keep them: away\n"), "\(run)")
        #expect(try onDisk("adaperson").isEmpty)
        #expect(try onDisk("bobperson") == Set(Self.words("bobperson") + ["bobperson"]))
        try home.hark("export", "--user", "adaperson", home.files.path("after"))
        #expect(try home.files.text("after/users/adaperson/person.jsonl").isEmpty)
        let reply = try scene.client.call("event.clear", #"{"userId":"bobperson"}"#)
        #expect(reply["unreached"] == [["kind": "http", "name": "hook"], ["kind": "form", "name": "away"]])
        #expect(reply["delivered"] == ["hook"])
        #expect(try onDisk("bobperson").isEmpty)
        try scene.restart(killed: true)
        for person in Self.people { #expect(try onDisk(person).isEmpty) }
    }

    @Test("who has but filled in a form is forgotten down to the log of the store")
    func onlyForm() throws {
        try scene.start()
        try scene.client.call(
            "form.draft", #"{"formId":"plain","userId":"adaperson","page":"q","answers":{"q":"draftAdapersonSecret"}}"#)
        try waitUntilOnDisk(["draftAdapersonSecret"], of: "adaperson")
        #expect(try scene.client.call("event.clear", #"{"userId":"adaperson"}"#) == ["sessions": 0, "events": 0])
        #expect(try onDisk("adaperson").isEmpty)
    }

    /// The names in backquotes in the column of the page's table that says where something lies.
    private static func documented() throws -> [String: String] {
        let top = URL(fileURLWithPath: #filePath).pathComponents.prefix { $0 != "Tests" }.joined(separator: "/")
        let page = try String(contentsOfFile: "\(top)/docs/reference/data.md", encoding: .utf8)
        var places: [String: String] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            guard cells.count == 6 else { continue }
            for name in cells[2].matches(of: /`([^`]+)`/) {
                #expect(
                    places.updateValue("\(cells[3])|\(cells[4])", forKey: String(name.1)) == nil,
                    "\(name.1) is there twice")
            }
        }
        return places
    }

    /// Each column of each table, so that nobody adds one without a thought of whose it is.
    private static let columns = [
        "block": "batch checksum data earliest events first last latest session",
        "configured": "app dropped fired id lastFired pending uid",
        "counter": "app changed changedIn holders initial lifetime name registeredIn uid",
        "credit": "begins cell dealt freed returned spent survey",
        "current": "app session uid", "deadLetter": "at cause destination lane reason replays sequence session status",
        "destination": "cursor name state",
        "enrolment": "app data id row survey uid user wakes",
        "execution": "added app definition dropped fired id lastFired pending row uid",
        "fleet_credit": "begins cell dealt freed log machine returned spent survey until",
        "fleet_place": "at away id log machine row sequence taken",
        "form": "completed draft form started uid user",
        "form_answer":
            "answer at attempts due form key number offline problem question state status submitted uid user",
        "eventRule": "gaps rule", "eventTimes": "rule times uid user",
        "gating": "attempts completed presented recent sessions survey uid user variant",
        "listening": "app counter execution isEvent uid",
        "machine": "grp log name row", "meta": "key value",
        "presentation":
            "answers app changeable closed created definition depth due expires given id locale origin ownsSession presented prompt reason redacted reminders revisedBy revises row session shown state survey times trigger uid uncounted user wakes",
        "producer": "app id number sequence uid", "quiet": "alarms hours uid", "quota": "answers begins cell survey",
        "run":
            "action app configured counter counters ended execution fired id note row session started state uid value",
        "session": "app ended id implicit machineSession machineUid metadata removed row started uid user",
        "session_block": "events first session", "stretch": "blocks earliest first last latest names",
        "tally": "data first last row survey",
        "watch":
            "added app came condition days event every hours id lastAt lastSequence missed misses row since uid user",
        "wish": "afar asked every muted prompts row survey uid",
    ]

    @Test(
        "every table of the store and everything in the state folder stands in docs/reference/data.md, with what becomes of it"
    )
    func listed() throws {
        try start()
        let places = try Self.documented()
        let store = StoreFile(of: home)
        let tables = try store.texts(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
        for table in tables {
            let columns = try store.texts("SELECT name FROM pragma_table_info('\(table)') ORDER BY name").sorted()
            #expect(
                Self.columns[table]?.split(separator: " ").map(String.init).sorted() == columns,
                "say in docs/reference/data.md what export --user and clear --user do with \(table), then list its columns here"
            )
        }
        let words = ["taken", "removed", "not", "with"]
        for name in tables + (try FileManager.default.contentsOfDirectory(atPath: home.state)) {
            let place = try #require(places[name], "\(name) is missing in the table of docs/reference/data.md")
            for cell in place.split(separator: "|") {
                #expect(words.contains { cell.trimmingCharacters(in: .whitespaces).hasPrefix($0) }, "\(name): \(cell)")
            }
        }
        #expect(Set(Self.columns.keys) == Set(tables))
    }
}
