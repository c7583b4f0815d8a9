import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkDelivery

@Suite("Sinks: what is told of records, and how")
struct SinkRowTests {
    private let first = Identifier(high: 1, low: 1)
    private let second = Identifier(high: 2, low: 2)

    @Test("numbers that are given again are of another log from there on, and the store reads it as it wrote it")
    func logs() throws {
        var log = SinkLog(first)
        #expect(log.description == first.description)
        log.fork(after: 10, as: second)
        #expect(log.id(of: 10) == first)
        #expect(log.id(of: 11) == second)
        #expect(log.all == [second, first])
        #expect(SinkLog(log.description) == log)
        // The store was set back once more, to before that.
        log.fork(after: 4, as: second)
        #expect(log.all == [second, first])
        #expect(log.begin == 4)
        log.fork(after: 0, as: first)
        #expect(log.all == [first])
    }

    @Test(
        "what is no such text is not taken for one",
        arguments: ["", "x", "5:", "5:00000000-0000-0001-0000-000000000001"])
    func noLog(_ text: String) { #expect(SinkLog(text) == nil) }

    @Test("a machine's record has the log and the number of the machine, the store's own those of the store")
    func keys() {
        let machine = MachineIdentity(row: 1, name: "kiosk", group: "hall", log: second)
        let session = SessionIdentity(
            row: 1, id: first, scope: Scope(uid: machine.uid), userId: nil, startedAt: Samples.at, metadata: .none,
            isImplicit: false, machine: machine, machineUID: 1000, machineSession: second)
        let record = Record(
            sequence: 70, id: first, at: Samples.at, kind: .event, session: session, name: "tap",
            source: Source(uid: 1, pid: 2), origin: 7)
        let row = SinkRow(record, SinkLog(first))
        #expect(row.logId == second)
        #expect(row.sequence == 7)
        #expect(row.sessionId == second)
        #expect(row.uid == 1000)
        let own = SinkRow(Samples.record(sequence: 70), SinkLog(first))
        #expect(own.logId == first)
        #expect(own.sequence == 70)
    }

    @Test("a batch is a line of JSON for each record, which readers of tables get with texts alone")
    func lines() throws {
        let records = [
            Samples.record(.event, "tap", Samples.properties),
            Samples.log(
                LogEntry("a line", level: .error, userId: "ada", metadata: Properties([("code", .integer(7))]))),
            Samples.record(.sessionStarted),
        ]
        let batch = SinkBatch(log: SinkLog(first), records: records[...], bounds: 5...5, mark: nil)
        let lines = SinkRow.lines(batch).text.split(separator: "\n").map { Array($0.utf8) }
        let values = try lines.map { try Samples.parse($0) }
        #expect(values.count == 3)
        #expect(values[0]["properties"]?["whole"] == .int(.max))
        #expect(values[1]["userId"] == "ada")
        #expect(values[1]["properties"]?["metadata"]?["code"] == 7)
        #expect(values[2]["properties"]?["place"] == "lab")
        var json = JSONWriter()
        SinkRow(Samples.record(at: .earliest), SinkLog(first)).write(to: &json, as: .columns)
        json.endObject()
        let columns = try Samples.parse(json.bytes)
        #expect(columns["timestamp"] == "1900-01-01T00:00:00.000Z")
        #expect(columns["milliseconds"] == .int(Timestamp.earliest.milliseconds))
        #expect(columns["properties"] == "{}")
    }

    @Test("rows for COPY begin and end as PostgreSQL wants it, and have no U+0000 in a text")
    func copy() {
        let record = Samples.record(.event, "a\u{0}b", Properties([("t", .string("\u{0}"))]))
        let bytes = PostgresRows.encode([record], SinkLog(first))
        #expect(bytes.starts(with: Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]))
        #expect(bytes.suffix(2) == [0xFF, 0xFF])
        #expect(bytes.text.contains("a\u{FFFD}b"))
        #expect(bytes.text.contains(#"{"t":"\u0000"}"#))
    }
}

@Suite("Sinks: addresses and signatures")
struct SinkAddressTests {
    @Test(
        "a password does not belong into the address of a database, in whatever form",
        arguments: [
            "postgresql://ada:secret@db/x", "postgres://ada:secret@db", "postgresql://db/x?password=secret",
            "host=db password=secret", "postgresql://db/x?sslpassword=secret",
        ])
    func passwords(_ url: String) {
        #expect(PostgresOptions.fault(ofURL: url)?.contains("passwordFile") == true)
        #expect(PostgresOptions.fault(ofURL: url)?.contains("secret") == false)
    }

    @Test(
        "what libpq takes is an address",
        arguments: [
            "postgresql://ada@db:5433,other/x?sslmode=verify-full", "service=hark", "postgresql:///hark?host=/run/x",
        ])
    func addresses(_ url: String) { #expect(PostgresOptions.fault(ofURL: url) == nil) }

    @Test("what is neither is refused", arguments: ["", "db", "http://db/x"])
    func none(_ url: String) { #expect(PostgresOptions.fault(ofURL: url) != nil) }

    @Test("a database behind a Unix socket needs no network")
    func sockets() {
        #expect(PostgresOptions.isOnThisMachine("postgresql:///hark?host=/run/postgresql"))
        #expect(PostgresOptions.isOnThisMachine("postgresql://%2Frun%2Fpostgresql/hark"))
        #expect(!PostgresOptions.isOnThisMachine("postgresql://ada@db/hark"))
        #expect(!PostgresOptions.isOnThisMachine("service=hark"))
        #expect(PostgresOptions.shown("postgresql://db/x?sslkey=/a") == "postgresql://db/x")
    }

    @Test("digests are those of the standard, keyed ones too")
    func digests() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(SHA256.hex(SHA256.hash([])) == empty)
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(SHA256.hex(SHA256.hash(Array("abc".utf8))) == abc)
        let two = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        let text = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        #expect(SHA256.hex(SHA256.hash(Array(text.utf8))) == two)
        // RFC 4231, test cases 2 and 6.
        let keyed = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        #expect(
            SHA256.hex(SHA256.keyed(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))) == keyed)
        let long = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        let larger = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(SHA256.hex(SHA256.keyed([UInt8](repeating: 0xaa, count: 131), larger)) == long)
    }

    @Test("a request is signed as the example of Amazon's documentation is")
    func signature() throws {
        let signature = S3Signature(
            accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            region: "us-east-1")
        let headers = signature.sign(
            "GET", host: "examplebucket.s3.amazonaws.com", path: "/test.txt", query: [],
            headers: [("range", "bytes=0-9")], body: [], at: try #require(Timestamp("2013-05-24T00:00:00Z")))
        #expect(
            headers["Authorization"]?.hasSuffix("f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
                == true)
        let list = signature.sign(
            "GET", host: "examplebucket.s3.amazonaws.com", path: "/", query: [("prefix", "J"), ("max-keys", "2")],
            headers: [], body: [], at: try #require(Timestamp("2013-05-24T00:00:00Z")))
        #expect(
            list["Authorization"]?.hasSuffix("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7") == true
        )
    }

    @Test("names of a list are read with what stands for signs in them")
    func list() {
        let xml = "<a><Key>x&amp;y/1</Key><Key>z</Key><NextContinuationToken>t</NextContinuationToken></a>"
        #expect(S3Sink.texts(of: "Key", in: Array(xml.utf8)) == ["x&y/1", "z"])
        #expect(S3Sink.texts(of: "NextContinuationToken", in: Array(xml.utf8)) == ["t"])
        #expect(S3Sink.texts(of: "Key", in: []) == [])
    }
}
