import Foundation
import HarkCore
import HarkSystem
import HarkTesting
import HarkWire
import Testing

@testable import HarkDaemon
@testable import HarkHub
@testable import HarkLedger
@testable import HarkServer
@testable import HarkSettings
@testable import HarkStore

/// Lists, streams and statistics of some machines, or of the hub alone; and who may see them.
@Suite(.timeLimit(.minutes(45))) struct MachineFilterTests {
    private static let configuration = #"{"archive":false,"notify":null,"retention":"none"}"#

    /// What is asked, and whose is told.
    private static let cases: [(filter: String, machines: Set<String>)] = [
        (#""machine":"kiosk-1""#, ["kiosk-1"]), (#""machine":"kiosk-*""#, ["kiosk-1", "kiosk-2"]),
        (#""machine":"*""#, ["kiosk-1", "kiosk-2", "till[1]?"]), (#""machine":null"#, [""]),
        (#""group":"north""#, ["kiosk-1", "till[1]?"]), (#""group":"*""#, ["kiosk-1", "kiosk-2", "till[1]?"]),
        (#""machine":"kiosk*","group":"n*th""#, ["kiosk-1"]), (#""machine":"till[1]*""#, ["till[1]?"]),
        (#""machine":"till[1]?""#, ["till[1]?"]), (#""machine":"till1?""#, []), (#""machine":"Kiosk-1""#, []),
        (#""machine":"nobody""#, []), ("", ["", "kiosk-1", "kiosk-2", "till[1]?"]),
    ]

    @DaemonActor
    private static func fill(_ fixture: DaemonFixture) async throws {
        let client = try fixture.connect()
        try await client.call("session.start", #"{"userId":"ada","app":"shop"}"#)
        try await client.call("event.record", #"{"name":"tap","app":"shop","properties":{"n":1}}"#)
        try await client.call("log.write", #"{"message":"own","app":"shop"}"#)
        for (name, group) in [("kiosk-1", "north"), ("kiosk-2", "south"), ("till[1]?", "north")] {
            var machine = SampleMachine(name, group: group)
            machine.session()
            machine.add("tap", properties: Properties([("n", .integer(1))]))
            machine.log("theirs")
            try await fixture.take(machine)
        }
    }

    private static func machines(_ values: JSONValue?, _ path: String? = "origin") -> Set<String> {
        Set(
            (values?.arrayValue ?? []).map { value in
                (path.map { value[$0] ?? .null } ?? value)["machine"]?.stringValue ?? ""
            })
    }

    @Test("every list and every count tells of the machines that are asked for, and of all without")
    func lists() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            try await Self.fill(fixture)
            let client = try fixture.connect()
            for (filter, machines) in Self.cases {
                let events = try await client.call("event.list", "{\(filter)}")["events"]
                #expect(Self.machines(events) == machines, "\(filter)")
                #expect(events?.arrayValue?.count == machines.count)
                for more in [
                    #""userId":"ada""#, #""name":"tap""#, #""app":"shop""#, #""order":"desc""#,
                    #""userId":"ada","name":"t*""#,
                ] {
                    let params = filter.isEmpty ? more : "\(filter),\(more)"
                    #expect(Self.machines(try await client.call("event.list", "{\(params)}")["events"]) == machines)
                }
                #expect(
                    try await client.call("event.stats", "{\(filter)}")["total"]?["count"]
                        == .int(Int64(machines.count)))
                #expect(Self.machines(try await client.call("log.list", "{\(filter)}")["entries"]) == machines)
                #expect(
                    Self.machines(try await client.call("session.list", "{\(filter)}")["sessions"], nil) == machines)
            }
            let refusal = try await client.ask("event.list", #"{"machine":null,"group":"north"}"#)["error"]
            #expect(refusal?["data"]?["path"] == "$.params.group")
            let long = String(repeating: "*", count: 1_025)
            #expect(
                try await client.ask("session.list", #"{"machine":"\#(long)"}"#)["error"]?["data"]?["reason"]
                    == "tooLarge")
        }
    }

    @Test("conditions and statistics know the machine and the group")
    func fields() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            try await Self.fill(fixture)
            let client = try fixture.connect()
            let found = try await client.call("event.list", #"{"where":"@machine = \"kiosk-1\""}"#)["events"]
            #expect(Self.machines(found) == ["kiosk-1"])
            let groups = try await client.call("event.stats", #"{"by":["@group"],"distinct":"@machine"}"#)
            let counts = groups["groups"]?.arrayValue?.map { [$0["by"]?.arrayValue?.first, $0["distinct"]] }
            #expect(counts?.contains(["north", 2]) == true && counts?.contains(["south", 1]) == true)
            #expect(counts?.contains([.null, 0]) == true)
        }
    }

    @Test("a filter that means very many sessions tells the same as one that means a few")
    func many() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            try await Self.fill(fixture)
            var machine = SampleMachine("big", group: "north")
            for number in 0..<2_100 {
                machine.session("user-\(number % 7)")
                if number % 100 == 0 { machine.add("rare") }
            }
            try await fixture.take(machine)
            let client = try fixture.connect()
            for filter in [#""machine":"big""#, #""machine":"bi*""#] {
                let events = try await client.call("event.list", "{\(filter),\"limit\":10000}")["events"]?.arrayValue
                #expect(events?.count == 21 && Self.machines(events.map { .array($0) }) == ["big"])
                #expect(
                    try await client.call("event.list", #"{\#(filter),"name":"rare","userId":"user-0"}"#)["events"]?
                        .arrayValue?.count == 3)
            }
            #expect(try await client.call("event.stats", #"{"group":"north"}"#)["total"]?["count"] == 23)
            for order in ["asc", "desc"] {
                let page = try await client.call(
                    "session.list", #"{"machine":"big","order":"\#(order)","limit":1000}"#)["sessions"]
                #expect(page?.arrayValue?.count == 1_000 && Self.machines(page, nil) == ["big"])
                let few = try await client.call("session.list", #"{"machine":"kiosk-*","order":"\#(order)"}"#)
                #expect(Self.machines(few["sessions"], nil) == ["kiosk-1", "kiosk-2"])
            }
            #expect(try await client.call("session.list", #"{"machine":null}"#)["sessions"]?.arrayValue?.count == 1)
            #expect(Self.machines(try await client.call("event.list", #"{"machine":null}"#)["events"]) == [""])
        }
    }

    @Test("a subscription tells of machines that come after it, and catches up with those that were there")
    func streams() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            try await Self.fill(fixture)
            let (live, late, logs) = (try fixture.connect(), try fixture.connect(), try fixture.connect())
            let filter = #""machine":"kiosk-*","group":"north""#
            try await live.call("event.subscribe", #"{"include":["events"],\#(filter)}"#)
            try await late.call("event.subscribe", #"{"afterSeq":0,"include":["events"],\#(filter)}"#)
            try await logs.call("log.subscribe", #"{"machine":"kiosk-9"}"#)
            #expect(try await late.notification()["params"]?["event"]?["origin"]?["machine"] == "kiosk-1")
            for (name, group) in [("kiosk-8", "south"), ("kiosk-9", "north")] {
                var machine = SampleMachine(name, group: group)
                machine.session()
                machine.add("tap")
                machine.log("theirs")
                try await fixture.take(machine)
            }
            for client in [live, late] {
                #expect(try await client.notification()["params"]?["event"]?["origin"]?["machine"] == "kiosk-9")
            }
            #expect(try await logs.notification()["params"]?["entry"]?["origin"]?["machine"] == "kiosk-9")
        }
    }

    @Test("showings of surveys are told by machine, whoever was asked there")
    func surveys() async throws {
        let surveys =
            #"{"surveys":[{"id":"a","title":"A","message":"?","options":["Yes","No"],"trigger":{"event":{"name":"go"}}}]}"#
        try await DaemonFixture.run(configuration: Self.configuration, surveys: surveys) { fixture in
            try await Self.fill(fixture)
            let client = try fixture.connect()
            try await client.call("event.record", #"{"name":"go"}"#)
            // One more, as it would be had it been shown on a machine.
            let machine = try #require(
                try fixture.daemon.ledger.lookUp { reader throws(StoreError) in try reader.machines() }.first)
            let session = try #require(try fixture.storedRecords().first { $0.session.machine == machine }).session
            try Database(path: fixture.daemon.ledger.store.path, access: .write).execute(
                """
                CREATE TEMP TABLE copy AS SELECT * FROM presentation;
                UPDATE copy SET row = row + 1, id = randomblob(16), uid = \(machine.uid), state = 3,
                    origin = x'\(session.id.description.replacing("-", with: ""))', session = NULL;
                INSERT INTO presentation SELECT * FROM copy;
                """)
            let told = try await client.call("survey.history", #"{"machine":"kiosk-1"}"#)["presentations"]
            #expect(Self.machines(told, nil) == ["kiosk-1"])
            #expect(told?.arrayValue?.first?["uid"] == 1000 && told?.arrayValue?.first?["group"] == "north")
            #expect(
                Self.machines(try await client.call("survey.history", #"{"machine":null}"#)["presentations"], nil) == [
                    ""
                ])
            #expect(try await client.call("survey.history")["presentations"]?.arrayValue?.count == 2)
            #expect(try await client.call("survey.history", #"{"group":"south"}"#)["presentations"] == [])
            for (filter, count) in [(#""group":"north""#, 1), (#""machine":null"#, 1), (#""machine":"x""#, 0)] {
                let results = try await client.call("survey.results", #"{"surveyId":"a",\#(filter)}"#)
                let all = ["scheduled", "ready", "presented", "answered"].reduce(0) {
                    $0 + (results[$1]?.intValue ?? 0)
                }
                #expect(all == Int64(count), "\(filter) \(results)")
            }
        }
    }

    @Test("a clear of a machine takes what is of it, and nothing else; with a user, only of that one")
    func clear() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            try await Self.fill(fixture)
            let client = try fixture.connect()
            var second = SampleMachine("kiosk-2", group: "south")
            second.log = Identifier(high: 8, low: 8)
            second.session("bob", id: Identifier(high: 0x9000, low: 1))
            second.add("tap")
            try await fixture.take(second)
            for params in [#"{"machine":"nobody"}"#, #"{"group":"west","userId":"ada"}"#] {
                #expect(try await client.ask("event.clear", params)["error"]?["data"]?["reason"] == "notFound")
            }
            #expect(try await client.call("event.clear", #"{"machine":"kiosk-2","userId":"ada"}"#)["sessions"] == 1)
            var left = try await client.call("session.list")["sessions"]?.arrayValue ?? []
            #expect(left.count == 4)
            #expect(try await client.call("event.clear", #"{"machine":"kiosk-*"}"#)["sessions"] == 2)
            #expect(try await client.call("event.clear", #"{"group":"north","all":true}"#)["events"] == 1)
            left = try await client.call("session.list")["sessions"]?.arrayValue ?? []
            #expect(left.count == 1 && left[0]["machine"] == nil)
            #expect(try await client.call("event.list")["events"]?.arrayValue?.count == 1)
            // It goes on with what comes then.
            second.add("tap")
            #expect(try await fixture.take(second, records: Array(second.records.suffix(1))).taken == 1)
        }
    }

    @Test("a clear of very many sessions of several machines marks a part in each commit")
    func largeClear() async throws {
        try await DaemonFixture.run(configuration: Self.configuration) { fixture in
            for name in ["kiosk-1", "kiosk-2", "kiosk-3"] {
                var machine = SampleMachine(name, group: "north")
                for _ in 0..<700 { machine.session() }
                try await fixture.take(machine)
            }
            var most = 0
            fixture.daemon.ledger.alsoOnCommit { _, report in
                most = max(most, report.marked.reduce(0) { $0 + $1.sessions })
            }
            let client = try fixture.connect()
            #expect(try await client.call("event.clear", #"{"group":"north"}"#)["sessions"] == 2_100)
            #expect(most <= 1_002)
            #expect(try await client.call("session.list")["sessions"] == [])
            let unfinished = try fixture.daemon.ledger.lookUp { reader throws(StoreError) in
                try reader.unfinishedClears()
            }
            #expect(unfinished.isEmpty)
        }
    }

    @Test("an ordinary account never sees what is of machines, and cannot clear it")
    func rights() async throws {
        try await DaemonFixture.run(isSystem: true, configuration: Self.configuration) { fixture in
            try await Self.fill(fixture)
            let client = try fixture.connect(as: 1000)
            defer {
                client.connection.endSubscriptions()
                client.connection.close()
            }
            let ordinary = client.client
            try await ordinary.call("event.record", #"{"name":"mine"}"#)
            let session = try #require(try fixture.storedRecords().first { $0.session.machine != nil }).session
            for filter in ["", #""machine":"*""#, #""group":"north""#, #""machine":"kiosk-1""#] {
                let own = filter.isEmpty ? 1 : 0
                #expect(try await ordinary.call("event.list", "{\(filter)}")["events"]?.arrayValue?.count == own)
                #expect(try await ordinary.call("session.list", "{\(filter)}")["sessions"]?.arrayValue?.count == own)
                #expect(try await ordinary.call("log.list", "{\(filter)}")["entries"] == [])
                #expect(try await ordinary.call("survey.history", "{\(filter)}")["presentations"] == [])
                #expect(try await ordinary.call("event.stats", "{\(filter)}")["total"]?["count"] == .int(Int64(own)))
            }
            #expect(
                try await ordinary.ask("session.get", #"{"sessionId":"\#(session.id)"}"#)["error"]?["data"]?["reason"]
                    == "notFound")
            for params in [#"{"machine":"kiosk-1"}"#, #"{"group":"*","all":true}"#] {
                #expect(try await ordinary.ask("event.clear", params)["error"]?["data"]?["reason"] == "notFound")
            }
            try await ordinary.call("event.subscribe", #"{"afterSeq":0,"include":["events"]}"#)
            #expect(try await ordinary.notification()["params"]?["event"]?["name"] == "mine")
            try await ordinary.call("event.clear", #"{"all":true}"#)
            let administrator = try fixture.connect()
            #expect(
                try await administrator.call("session.list", #"{"machine":"*"}"#)["sessions"]?.arrayValue?.count == 3)
        }
    }
}

extension DaemonFixture {
    /// A client that the daemon takes for another account's, and what it has of it.
    fileprivate func connect(as uid: UInt32) throws -> (client: FixtureClient, connection: ClientConnection) {
        var ends: [Int32] = [-1, -1]
        try syscall("socketpair") { socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) }
        let near = FileDescriptor(owning: ends[0])
        try near.setNonblocking()
        let peer = Peer(
            credentials: PeerCredentials(uid: uid, gid: uid, pid: getpid()), isAdministrator: false)
        let server = daemon.server
        guard let connection = ClientConnection(near, peer: peer, limits: server.limits, server: server) else {
            throw FixtureClient.Ended()
        }
        try connection.open(on: loop)
        return (try FixtureClient(owning: ends[1], loop: loop), connection)
    }
}
