import HarkFleet
import HarkTesting
import HarkWire
import Testing

/// The messages of a fleet: one end reads what the other writes, and additional members do no harm.
@Suite struct FleetMessageTests {
    typealias Mark = FleetAcknowledgement.Mark

    private static let log = Identifier(high: 0x0199_e0f4_8c7a_7000, low: 0x8000_0000_0000_0001)
    private static let run = Identifier(high: 0x0199_e0f4_8c7a_7000, low: 0x8000_0000_0000_0002)
    private static let mark = Mark(sequence: 41, id: Identifier(high: 5, low: 6))
    private static let last = Mark(sequence: 1 << 52, id: Identifier(high: 7, low: 8))

    private static let hello: FleetHello = {
        var hello = FleetHello(log: log, run: run)
        (hello.number, hello.group, hello.cursor, hello.newest, hello.pending) = (3, "tills", 41, 99, 58)
        hello.version = "1.2.3"
        hello.documents = [
            FleetHello.Document(kind: .surveys, version: "00ff", problem: nil),
            FleetHello.Document(kind: .flags, version: "00fe", problem: "line 1: \"größe\"\n"),
        ]
        hello.knowsCredits = true
        hello.credits = FleetHello.Credits(tag: 17, list: [credit])
        return hello
    }()

    private static let credit: FleetCredit = {
        var credit = FleetCredit(survey: "größe", begins: Timestamp(milliseconds: 345_600_000))
        credit.cells = [
            "": FleetCredit.Cell(
                dealt: 4, returned: 1, spent: 2, freed: 1,
                standing: FleetCredit.Standing(limit: 100, used: 57, held: 99)),
            "pro": FleetCredit.Cell(dealt: 0, returned: 0, spent: 0, freed: 0),
        ]
        credit.wants = [FleetCredit.Want(cells: ["", "pro"], count: 3)]
        return credit
    }()

    private static let creditWords: [FleetCreditWord] = {
        var answer = FleetCreditWord(store: log, run: run, log: log)
        (answer.tag, answer.lease, answer.credits) = (17, 60_000, [credit])
        var recall = FleetCreditWord(store: log, run: run, log: log)
        recall.recalled = ["größe"]
        return [answer, recall]
    }()

    private static let gone: FleetHello = {
        var hello = FleetHello(log: log, run: run)
        hello.isGone = true
        return hello
    }()

    private static let batches = [
        FleetBatch(
            machine: "kiosk-1", group: "tills", log: log, after: mark, first: 42, last: last, count: 4_096, pending: 7),
        FleetBatch(
            machine: "a", group: nil, log: log, after: nil, first: 1, last: Mark(sequence: 1, id: run), count: 1),
    ]

    private static let words = FleetAcknowledgement.Kind.allCases.flatMap { kind in
        [
            FleetAcknowledgement(kind, store: log, run: run, log: log, mark: mark, hello: 9),
            FleetAcknowledgement(kind, store: log, run: run, log: log, mark: nil),
        ]
    }

    private static let documents = FleetDocument.Kind.allCases.flatMap { kind in
        [
            FleetDocument(
                kind: kind, version: "00ff", pushedAt: Timestamp(milliseconds: 1_700_000_000_123),
                text: "// ä\n{\"a\": 1.0}\n"),
            FleetDocument(kind: kind, version: "none", pushedAt: Timestamp(milliseconds: 1), text: nil),
        ]
    }

    private static let held = HeldBack(
        count: 21,
        parts: [
            .init(id: "größe", member: "quota", version: DocumentVersion(0, 2, 0), isWhole: true),
            .init(id: nil, member: "atMost", version: DocumentVersion(0, 10, 0), isWhole: true),
            .init(id: "b", member: "thanks", version: DocumentVersion(1, 0, 0), isWhole: false),
        ])

    /// A document with texts for several versions.
    private static var fitted: FleetDocument {
        var document = documents[0]
        document.held = held
        document.texts = [
            .init(reads: DocumentVersion(0, 2, 0), text: "two", held: held),
            .init(reads: DocumentVersion(0, 10, 0), text: "ten", held: .none),
        ]
        return document
    }

    private static let presences = [
        FleetPresence(store: log, run: run, isUp: true), FleetPresence(store: log, run: run, isUp: false),
    ]

    private static func comesBack(_ message: some FleetMessage) -> Bool {
        func read<Message: FleetMessage>(_ message: Message) -> Bool { Message(payload: message.payload) == message }
        return read(message)
    }

    @Test("each message is read as it was written")
    func roundTrip() {
        #expect(Self.comesBack(Self.hello) && Self.comesBack(Self.gone))
        for message in Self.batches { #expect(Self.comesBack(message)) }
        for message in Self.words { #expect(Self.comesBack(message)) }
        for message in Self.documents + [Self.fitted] { #expect(Self.comesBack(message)) }
        for message in Self.presences { #expect(Self.comesBack(message)) }
        for message in Self.creditWords {
            #expect(Self.comesBack(message))
            #expect(FleetAcknowledgement(payload: message.payload) == nil, "machines of version 0.1.0 leave it alone")
        }
        #expect(Self.words[0].cursor == 41 && Self.words[1].cursor == 0)
    }

    @Test("each version takes the latest text that it reads, and version 0.1.0 what is where it looks for it")
    func versions() {
        let document = Self.fitted
        let versions = [DocumentVersion.first, .init(0, 2, 0), .init(0, 9, 9), .init(0, 10, 0), .init(2, 0, 0)]
        #expect(versions.map { document.text(for: $0)?.text } == [document.text, "two", "two", "ten", "ten"])
        #expect(versions.map { document.text(for: $0)?.held.count } == [21, 21, 21, 0, 0])
        #expect(Self.documents[1].text(for: .first) == nil)
        // Any order, and unreadable values.
        let text = String(decoding: document.payload, as: UTF8.self)
            .replacing(
                #""texts":["#,
                with: #""texts":[{"reads":"1.0.0","text":"last"},{"reads":"x","text":""},{"reads":"0.3.0"},3,"#)
        let other = FleetDocument(payload: Array(text.utf8))
        #expect(other?.texts.map(\.text) == ["two", "ten", "last"])
    }

    @Test("what a machine tells of what it reads and does not get comes back, and of much only some")
    func reads() {
        var hello = Self.hello
        #expect(hello.reads == nil)
        hello.reads = DocumentVersion(0, 2, 0)
        hello.documents = [FleetHello.Document(kind: .surveys, version: "1", problem: nil, held: Self.held)]
        #expect(Self.comesBack(hello))
        #expect(FleetHello(payload: Self.later(hello.payload)) == hello)
        let long = String(repeating: "ä", count: 200)
        let parts = (0..<30).map {
            HeldBack.Part(id: long, member: long, version: .first, isWhole: $0 > 20)
        }
        hello.documents = [
            FleetHello.Document(kind: .forms, version: "1", problem: nil, held: HeldBack(count: 30, parts: parts))
        ]
        let read = FleetHello(payload: hello.payload)?.documents.first?.held
        #expect(read?.count == 30 && read?.parts.count == HeldBack.most && read?.parts.first?.isWhole == true)
        #expect(read?.parts.allSatisfy { ($0.id ?? "").utf8.count <= 100 && $0.member.utf8.count <= 100 } == true)
    }

    /// A message of a later version, with additional members everywhere.
    private static func later(_ payload: [UInt8]) -> [UInt8] {
        let text = String(decoding: payload, as: UTF8.self)
        let more = #""later":{"deep":[1,null,"x"]},"#
        return Array(
            text.replacing("{", with: "{" + more).replacing(more + "}", with: more.dropLast() + "}")
                .replacing("\"v\":1", with: "\"v\":7").utf8)
    }

    @Test("members of a later version are passed over")
    func later() {
        #expect(FleetHello(payload: Self.later(Self.hello.payload)) == Self.hello)
        #expect(FleetHello(payload: Self.later(Self.gone.payload)) == Self.gone)
        for batch in Self.batches { #expect(FleetBatch(payload: Self.later(batch.payload)) == batch) }
        for word in Self.words { #expect(FleetAcknowledgement(payload: Self.later(word.payload)) == word) }
        for presence in Self.presences { #expect(FleetPresence(payload: Self.later(presence.payload)) == presence) }
        for word in Self.creditWords { #expect(FleetCreditWord(payload: Self.later(word.payload)) == word) }
        #expect(FleetDocument(payload: Self.later(Self.documents[1].payload)) == Self.documents[1])
    }

    @Test(
        "what a version needs and is not there, or is no version of the protocol, makes it no message",
        arguments: [
            "", "null", "[]", "{}", "\"\"", #"{"v":1}"#, "\u{0}", "{\"v\":1", #"{"v":0,"log":"L","run":"L"}"#,
            #"{"v":"1","log":"L","run":"L"}"#, #"{"log":"L","run":"L"}"#, #"{"v":1,"log":1,"run":"L"}"#,
            #"{"v":1,"log":"L"}"#, #"{"v":1,"log":"L","run":"x"}"#,
        ])
    func missing(text: String) {
        let payload = Array(text.replacing("L", with: Self.log.description).utf8)
        #expect(FleetHello(payload: payload) == nil)
        #expect(FleetBatch(payload: payload) == nil)
        #expect(FleetAcknowledgement(payload: payload) == nil)
        #expect(FleetPresence(payload: payload) == nil)
        #expect(FleetDocument(payload: payload) == nil)
    }

    @Test("each member that is needed is needed")
    func each() throws {
        func check<Message: FleetMessage>(_ message: Message, _ needed: Set<String>) throws {
            let members = try #require(try JSONDocument(message.payload, .json).value.objectValue)
            for name in members.keys {
                let rest = members.members.filter { $0.key != name }
                let text = JSONWriter.object { json in
                    for member in rest {
                        json.key(member.key)
                        json.value(member.value)
                    }
                }
                #expect((Message(payload: text) == nil) == needed.contains(name), "\(Message.self) without \(name)")
            }
        }
        try check(Self.hello, ["v", "log", "run"])
        try check(Self.batches[0], ["v", "machine", "log", "after", "afterId", "first", "last", "lastId", "count"])
        try check(Self.words[0], ["v", "kind", "store", "run", "log", "cursor", "id"])
        try check(Self.documents[0], ["v", "kind", "version", "pushedAt", "text"])
        try check(Self.presences[0], ["v", "store", "run", "up"])
    }

    @Test(
        "a batch whose numbers cannot be is none",
        arguments: [
            ("\"count\":1,", "\"count\":0,"), ("\"count\":1,", "\"count\":2,"), ("\"count\":1,", "\"count\":-1,"),
            ("\"count\":1,", "\"count\":4097,"), ("\"count\":1,", "\"count\":1e300,"), ("\"first\":5", "\"first\":4"),
            ("\"first\":5", "\"first\":6"), ("\"first\":5", "\"first\":0"), ("\"first\":5", "\"first\":-5"),
            ("\"last\":5,", "\"last\":18446744073709551615,"), ("\"last\":5,", "\"last\":9223372036854775808,"),
            ("\"after\":4", "\"after\":5"), ("\"after\":4", "\"after\":9223372036854775807"),
            ("\"machine\":\"a\"", "\"machine\":\"a/b\""), ("\"machine\":\"a\"", "\"machine\":\"\""),
            ("\"machine\":\"a\"", "\"machine\":\"a~2\""),
        ])
    func numbers(was: String, now: String) throws {
        let batch = FleetBatch(
            machine: "a", group: nil, log: Self.log, after: Mark(sequence: 4, id: Self.log), first: 5,
            last: Mark(sequence: 5, id: Self.run), count: 1, pending: 0)
        let text = String(decoding: batch.payload, as: UTF8.self)
        #expect(text.contains(was))
        #expect(FleetBatch(payload: Array(text.utf8)) == batch)
        #expect(FleetBatch(payload: Array(text.replacing(was, with: now).utf8)) == nil)
    }

    @Test("a message of more than 64 KiB is nobody's, but for documents")
    func long() {
        var hello = Self.hello
        hello.version = String(repeating: "v", count: FleetProtocol.mostBytes)
        #expect(FleetHello(payload: hello.payload) == nil)
        let document = FleetDocument(
            kind: .flags, version: "1", pushedAt: Timestamp(milliseconds: 0),
            text: String(repeating: " ", count: 1 << 20))
        #expect(FleetDocument(payload: document.payload) == nil)
        #expect(FleetDocument(payload: document.payload, mostBytes: 2 << 20) == document)
    }

    @Test("of what a machine says of itself a hub keeps a bounded number of bytes, of whole characters")
    func bounded() throws {
        // One character of thirty thousand bytes.
        let long = "e" + String(repeating: "\u{301}", count: 10_000)
        var hello = FleetHello(log: Self.log, run: Self.run)
        hello.version = long
        hello.documents = [FleetHello.Document(kind: .forms, version: long, problem: long)]
        let read = try #require(FleetHello(payload: hello.payload))
        #expect((1...FleetHello.longestVersion).contains(read.version.utf8.count))
        #expect((1...FleetHello.longestVersion).contains(read.documents[0].version.utf8.count))
        let problem = try #require(read.documents[0].problem)
        #expect((FleetHello.longestProblem - 2...FleetHello.longestProblem).contains(problem.utf8.count))
        #expect(long.utf8.starts(with: problem.utf8))
    }

    @Test("no damage makes a trap or a message that cannot be written again", arguments: 1...8)
    func damage(seed: UInt64) {
        var random = SplitMix64(state: seed)
        func play<Message: FleetMessage>(_ message: Message) {
            let whole = message.payload
            for _ in 0..<400 {
                var bytes = whole
                for _ in 0...random.below(3) {
                    guard !bytes.isEmpty else { break }
                    let place = random.below(bytes.count)
                    switch random.below(6) {
                    case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                    case 1: bytes.remove(at: place)
                    case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                    case 3: bytes.removeSubrange(place...)
                    case 4: bytes.replaceSubrange(place..<place, with: bytes[..<place])
                    default: bytes[place] = random.pick(Array(#"0123456789-.eE"{}[],:\ntf"#.utf8))
                    }
                }
                if let read = Message(payload: bytes) { #expect(Message(payload: read.payload) == read) }
            }
            // Every byte once, as each of a few others.
            for place in whole.indices {
                for byte in [0, 0x22, 0x2D, 0x39, 0x5C, 0x7D, 0xFF, whole[place] ^ 1] as [UInt8] {
                    var bytes = whole
                    bytes[place] = byte
                    if let read = Message(payload: bytes) { #expect(Message(payload: read.payload) == read) }
                }
                #expect(Message(payload: Array(whole[..<place])) == nil)
            }
        }
        play(Self.hello)
        play(Self.batches[0])
        play(Self.words[0])
        play(Self.documents[0])
        play(Self.presences[0])
    }
}
