import Foundation
import HarkWire
import Testing

/// Forms whose questions come from a real server, and whose answers go there (rows Q1 to Q3).
@Suite(.endToEnd) struct RemoteFormTests {
    private let home: DaemonHome
    private let server: FormServer

    init() throws {
        home = try DaemonHome()
        server = try FormServer()
        try configure(#","timeoutSeconds":2"#)
    }

    private func configure(_ members: String) throws {
        try home.files.write(server.document(members), to: "config/forms.json")
    }

    private func answer(
        _ client: SocketClient, _ question: String, _ text: String, confirm: Bool = true
    ) throws -> JSONValue {
        let params: JSONValue = [
            "formId": "favourites", "questionId": .string(question), "answer": .string(text), "confirm": .bool(confirm),
        ]
        return try client.call("form.answer", params.description)["form"] ?? .null
    }

    private func progress(_ client: SocketClient) throws -> JSONValue {
        try client.call("form.progress", #"{"formId":"favourites"}"#)["form"] ?? .null
    }

    private func state(_ form: JSONValue, _ question: String) -> String? {
        form["submissions"]?[question]?["state"]?.stringValue
    }

    private func retry(_ client: SocketClient, _ question: String) throws -> JSONValue {
        try client.call("form.retry", #"{"formId":"favourites","questionId":"\#(question)","confirm":true}"#)["form"]
            ?? .null
    }

    @Test("Q1: questions come from the server, and each answer goes there on its own, with the id as it came")
    func plain() throws {
        try server.ask([#"{"id":1,"question":"Colour?"}"#, #"{"id":"two","question":"Food?"}"#])
        try home.files.write("geheim\n", to: "config/token")
        try configure(#","headers":{"Authorization":{"file":"token"},"X-Form":"yes"}"#)
        let client = try home.start().connect()
        let form = try client.call("form.start", #"{"formId":"favourites"}"#)["form"]
        #expect(form?["questions"]?.arrayValue?.map { $0["question"] } == ["Colour?", "Food?"])
        #expect(form?["progress"]?["text"] == "0 of 2 Questions Answered")
        let first = try answer(client, "1", "  Blue ")
        #expect(state(first, "1") == "submitted")
        #expect(first["progress"]?["text"] == "1 of 2 Questions Answered")
        let second = try answer(client, "two", "Bread \"and\" butter\n👍")
        #expect(second["completed"] == true)
        let posts = try server.posts
        #expect(
            posts.map(\.body) == [#"{"id":1,"answer":"Blue"}"#, #"{"id":"two","answer":"Bread \"and\" butter\n👍"}"#])
        #expect(Set(posts.map(\.key)).count == 2)
        for headers in posts.map(\.headers) + (try server.gets) {
            #expect(headers["Authorization"] == "geheim")
            #expect(headers["X-Form"] == "yes")
        }
        #expect(posts.allSatisfy { $0.headers["Content-Type"] == "application/json" })
        // The key is in no reply.
        #expect(!second.description.contains("geheim"))
    }

    /// The daemon asks again only once it has dealt with the answer before.
    private func waitForTwoRequests() throws {
        let before = try server.gets.count
        try waitUntil("it has asked twice") { try server.gets.count >= before + 2 }
    }

    @Test("Q2: an empty answer and one that was submitted cannot be submitted")
    func refused() throws {
        let client = try home.start().connect()
        try client.call("form.start", #"{"formId":"favourites"}"#)
        for empty in [#""""#, #""  \n""#, "null"] {
            let reply = try client.ask("form.answer", #"{"formId":"favourites","questionId":"1","answer":\#(empty)}"#)
            #expect(reply.reason == "invalidParams")
            #expect(reply.path == "$.params.answer")
        }
        _ = try answer(client, "1", "Blue")
        let again = try client.ask("form.answer", #"{"formId":"favourites","questionId":"1","answer":"Red"}"#)
        #expect(again.reason == "conflict")
        let retried = try client.ask("form.retry", #"{"formId":"favourites","questionId":"1"}"#)
        #expect(retried.reason == "conflict")
        #expect(try server.posts.count == 1)
    }

    @Test("Q1: 400 is a failure with a retry, by hand and with the same key; another answer is another submission")
    func badRequest() throws {
        try server.plan(.status(400), .status(400), .status(400), .status(200))
        let client = try home.start().connect()
        try client.call("form.start", #"{"formId":"favourites"}"#)
        let form = try answer(client, "1", "Blue")
        #expect(state(form, "1") == "failed")
        #expect(form["submissions"]?["1"]?["status"] == 400)
        #expect(form["progress"]?["failed"] == 1)
        #expect(form["submissions"]?["1"]?["nextAttemptAt"] == nil, "it is not tried again by itself")
        #expect(try server.posts.count == 1)
        #expect(state(try retry(client, "1"), "1") == "failed")
        #expect(state(try answer(client, "1", "Green"), "1") == "failed")
        #expect(state(try retry(client, "1"), "1") == "submitted")
        let posts = try server.posts
        #expect(posts.map(\.body).map { $0.contains("Green") } == [false, false, true, true])
        #expect(posts[0].key == posts[1].key)
        #expect(posts[2].key == posts[3].key)
        #expect(posts[0].key != posts[2].key)
    }

    @Test("Q1: failures in between are tried again by themselves, until the server takes it")
    func failuresInBetween() throws {
        try server.plan(.status(503), .status(429, retryAfter: 1), .status(200))
        let client = try home.start().connect()
        try client.call("form.start", #"{"formId":"favourites"}"#)
        let form = try answer(client, "1", "Blue")
        #expect(state(form, "1") == "queued")
        #expect(form["submissions"]?["1"]?["status"] == 503)
        #expect(form["submissions"]?["1"]?["nextAttemptAt"] != nil)
        try waitUntil("it was taken") { try state(progress(client), "1") == "submitted" }
        #expect(try server.posts.map(\.key).count == 3)
        #expect(Set(try server.posts.map(\.key)).count == 1)
    }

    @Test("Q3: answers given while the server is away are kept over a restart, and sent once when it is back")
    func away() throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        try client.call("form.start", #"{"formId":"favourites"}"#)
        server.stop()
        #expect(state(try answer(client, "1", "Blue"), "1") == "queued")
        let both = try answer(client, "2", "Bread", confirm: false)
        #expect(both["progress"]?["waiting"] == 2)
        #expect(both["progress"]?["text"] == "0 of 2 Questions Answered")
        try daemon.stop()
        let second = try home.start()
        let next = try second.connect()
        // The last good questions are in force without the server.
        let form = try next.call("form.start", #"{"formId":"favourites"}"#)["form"]
        #expect(form?["questions"]?.arrayValue?.count == 2)
        #expect(form?["answers"]?["1"] == "Blue")
        try server.start()
        try waitUntil("both were taken") { try progress(next)["progress"]?["answered"] == 2 }
        // Once it has ended in order, nothing is on its way.
        try second.stop()
        #expect(Set(try server.posts.map(\.body)) == [#"{"id":1,"answer":"Blue"}"#, #"{"id":2,"answer":"Bread"}"#])
        #expect(try server.posts.count == 2)
    }

    @Test(
        "Q3: that it is being sent is on disk before the first byte goes out, and if the store does not take it, it waits",
        arguments: [0.7, 6.5])
    func markedFirst(locked: Double) throws {
        let daemon = try home.start()
        let client = try daemon.connect()
        try client.call("form.start", #"{"formId":"favourites"}"#)
        server.stop()
        let queued = try answer(client, "1", "Blue")["submissions"]?["1"]
        let due = try #require(queued?["nextAttemptAt"]?.stringValue.flatMap { Timestamp($0) })
        let lock = try StoreLock(on: StoreFile(of: home))
        try server.start()
        let wait = Double(due.milliseconds) / 1_000 - Date().timeIntervalSince1970
        // After five seconds the commit has failed.
        pass(seconds: max(wait, 0) + locked)
        #expect(try server.posts.isEmpty)
        lock.release()
        try waitUntil("it is sent") { try server.posts.count == 1 }
        try waitUntil("it was taken") { try state(progress(client), "1") == "submitted" }
    }

    @Test("Q3: killed while the server had it: unconfirmed, never sent again by itself, and by hand with the same key")
    func killed() throws {
        try server.plan(.hang(seconds: 30), .status(200), .status(200))
        let daemon = try home.start()
        let client = try daemon.connect()
        try client.call("form.start", #"{"formId":"favourites"}"#)
        _ = try answer(client, "1", "Blue", confirm: false)
        try waitUntil("the server has it") { try server.posts.count == 1 }
        daemon.kill()
        let next = try home.start().connect()
        let form = try progress(next)
        #expect(state(form, "1") == "unconfirmed")
        #expect(form["progress"]?["unconfirmed"] == 1)
        try next.call("form.retry", #"{"formId":"favourites"}"#)
        // An answer that comes after is sent, and this one is not.
        #expect(state(try answer(next, "2", "Bread"), "2") == "submitted")
        #expect(try server.posts.count == 2)
        #expect(state(try retry(next, "1"), "1") == "submitted")
        let blue = try server.posts.filter { $0.body.contains("Blue") }
        #expect(blue.count == 2 && Set(blue.map(\.key)).count == 1)
    }

    @Test(
        "Q3: a server that takes too long or closes without a word may have it: unconfirmed", arguments: [true, false])
    func unknown(isSlow: Bool) throws {
        try server.plan(isSlow ? .hang(seconds: 5) : .drop, .status(200))
        let client = try home.start().connect()
        try client.call("form.start", #"{"formId":"favourites"}"#)
        // A connection that is kept would be used again, and the request sent twice by it.
        #expect(state(try answer(client, "1", "Blue"), "1") == "unconfirmed")
        // An answer that comes after is sent, and this one is not.
        #expect(state(try answer(client, "2", "Bread"), "2") == "submitted")
        #expect(try server.posts.filter { $0.body.contains("Blue") }.count == 1)
    }

    @Test("Q3: 40 answers to a server in a bad mood, with the daemon killed again and again: none is sent twice")
    func storm() throws {
        let questions = (1...40).map { #"{"id":\#($0),"question":"Number \#($0)?"}"# }
        try server.ask(questions)
        let moods: [FormServer.Behaviour] = [
            .status(200), .status(503), .status(200), .drop, .status(500), .hang(seconds: 0.05), .status(200),
            .status(429), .hang(seconds: 0.4), .status(200),
        ]
        try server.plan((0..<200).map { moods[$0 * 7 % moods.count] } + [.status(200)])
        var daemon = try home.start()
        var client = try daemon.connect()
        try client.call("form.start", #"{"formId":"favourites"}"#)
        for round in 0..<10 {
            for number in (round * 4 + 1)...(round * 4 + 4) {
                _ = try answer(client, "\(number)", "Answer \(number)", confirm: false)
            }
            // At another moment of it each time.
            pass(seconds: 0.02 + Double(round * 37 % 200) / 1_000)
            if round % 3 == 2 { server.stop() }
            daemon.kill()
            daemon = try home.start()
            client = try daemon.connect()
            if round % 3 == 2 { try server.start() }
        }
        try waitUntil("nothing waits any more", within: 60) { try progress(client)["progress"]?["waiting"] == 0 }
        let posts = try server.posts
        for number in 1...40 {
            let story = posts.filter { $0.id == .int(Int64(number)) }
            // It may have been refused before; after that one the server might have taken, there is none.
            #expect(story.dropLast().allSatisfy { $0.isRefused }, "\(number): \(story.map(\.behaviour))")
            #expect(Set(story.map(\.key)).count <= 1)
        }
        let form = try progress(client)
        let states = form["submissions"]?.objectValue?.compactMap { $0.value["state"]?.stringValue } ?? []
        #expect(states.count == 40)
        #expect(Set(states).isSubset(of: ["submitted", "unconfirmed"]))
        #expect(states.filter { $0 == "submitted" }.count >= 10)
    }

    @Test("a server that has nothing good to ask changes nothing; there never were questions: that is said")
    func questions() throws {
        try configure(#","refreshSeconds":1"#)
        try server.ask("{}")
        let client = try home.start().connect()
        let reply = try client.ask("form.start", #"{"formId":"favourites"}"#)
        #expect(reply.reason == "networkError")
        let problems = try client.call("form.list")["problems"]?.arrayValue
        #expect(problems?.first?["path"] == "$.forms[0].questionsURL")
        try server.ask([#"{"id":7,"question":"New?"}"#])
        try waitUntil("they have come") {
            try client.ask("form.start", #"{"formId":"favourites"}"#).result?["form"]?["route"] == ["7"]
        }
        try server.ask("[", status: 200)
        try waitForTwoRequests()
        try server.ask([#"{"id":8,"question":"?"}"#], status: 500)
        try waitForTwoRequests()
        #expect(try progress(client)["route"] == ["7"])
        try server.ask([#"{"id":8,"question":"Newer?"}"#])
        try waitUntil("the newer ones have come") { try progress(client)["route"] == ["8"] }
    }

    @Test("a key that cannot be read is told, and nothing is sent without it")
    func missingKey() throws {
        try home.files.write(
            """
            {"forms":[{"id":"favourites","title":"T","questions":[{"id":1,"question":"?"}],
            "submitURL":"http://127.0.0.1:\(server.port)/a","headers":{"X-Key":{"file":"nowhere"}}}]}
            """, to: "config/forms.json")
        let client = try home.start().connect()
        let form = try answer(client, "1", "Blue")
        #expect(state(form, "1") == "failed")
        #expect(form["submissions"]?["1"]?["problem"]?.stringValue?.contains("nowhere") == true)
        #expect(try server.posts.isEmpty)
        try home.files.write("key", to: "config/nowhere")
        #expect(state(try retry(client, "1"), "1") == "submitted")
    }
}

/// Answers that wait for the network.
@Suite(.endToEnd, .enabled(if: NetworkSpace.isPossible, "only root can make a network namespace"))
struct OfflineFormTests {
    @Test("Q3: when the network is back, what waits for it is sent at once")
    func back() throws {
        let space = try NetworkSpace()
        let server = try FormServer(prefix: space.prefix)
        let home = try DaemonHome()
        home.prefix = space.prefix
        try home.files.write(server.document(), to: "config/forms.json")
        let client = try home.start().connect()
        try client.call("form.start", #"{"formId":"favourites"}"#)
        server.stop()
        try space.ip("link set far0 down")
        try client.call("form.answer", #"{"formId":"favourites","questionId":"1","answer":"Blue"}"#)
        func wait() throws -> Double {
            let form = try client.call("form.progress", #"{"formId":"favourites"}"#)["form"]
            let due = form?["submissions"]?["1"]?["nextAttemptAt"]?.stringValue.flatMap { Timestamp($0) }
            return Double(due?.milliseconds ?? 0) / 1_000 - Date().timeIntervalSince1970
        }
        // Until the next automatic attempt would be some seconds away.
        try waitUntil("it has been tried a few times") { try wait() > 3.5 }
        try server.start()
        #expect(try server.posts.isEmpty)
        try space.ip("link set far0 up")
        try waitUntil("it is sent", within: 2) { try server.posts.count == 1 }
    }
}
