import Glibc

extension Measurements {
    private static let fleet = "bench"
    private static let machines = 1_000

    /// Many machines and a hub, with each broker, plain and with TLS; and the cost of being in a fleet for a machine.
    func fleet() throws -> [Row] {
        try raiseDescriptors()
        let certificates = try BrokerCertificates(folder: folder + "/certificates")
        var rows: [Row] = []
        for kind in Broker.Kind.allCases {
            for isSecure in [false, true] {
                let name = kind.rawValue + (isSecure ? " with TLS" : "")
                say("measuring a fleet on \(name) …")
                let way = FleetWay(kind: kind, certificates: isSecure ? certificates : nil)
                // A failure must not lose the results of the others.
                do {
                    rows += try beginnings(name, way) + throughput(name, way) + alone(name, way)
                } catch {
                    say("hark-bench: a fleet on \(name): \(error)")
                    rows.append(Row("fleet, \(name): not measured", hark: "", goal: .met("", false)))
                }
            }
        }
        return try rows + idleMachine(certificates)
    }

    struct FleetWay {
        let kind: Broker.Kind
        let certificates: BrokerCertificates?
    }

    /// Runs `body` with a broker and a hub that serves, both without data at first.
    func withHub<Result>(_ way: FleetWay, _ body: (Broker, Server, String) throws -> Result) throws -> Result {
        let place = folder + "/fleet"
        mkdir(place, 0o700)
        let broker = try Broker(way.kind, folder: place + "/broker", certificates: way.certificates)
        let result: Result
        do {
            let hub = try Server.fleet(programs, "\"role\":\"hub\"", broker: broker, folder: place + "/hub")
            result = try withServer(hub) { hub in
                try hub.waitForFleet("serving")
                try hub.child.waitUntilIdle()
                return try body(broker, hub, place)
            }
        } catch {
            try broker.child.end()
            throw error
        }
        try broker.child.end()
        try removeFolder(place)
        return result
    }

    private func load(_ broker: Broker, _ machines: Int, _ records: Int, _ options: [String] = [], in place: String)
        throws
        -> FleetLoad
    {
        let authority = broker.authority.map { ["--ca", $0] } ?? []
        return try FleetLoad(
            [broker.url, Measurements.fleet, String(machines), String(records)] + authority + options,
            log: place + "/load")
    }

    /// Runs machines until the hub has acknowledged all their records, and checks that it has them.
    private func taking<Result>(
        _ load: FleetLoad, _ records: Int, at hub: Server, seconds: Double, _ body: (FleetLoad) throws -> Result
    ) throws -> Result {
        let result: Result
        do {
            _ = try hub.peer.counting(records) { try load.wait(for: "taken", seconds: seconds) }
            result = try body(load)
        } catch {
            let log = (try? textOfFile(hub.folder + "/log")) ?? ""
            say("the hub's log ends with: \(log.suffix(2_000))")
            try? load.end()
            throw error
        }
        try load.end()
        return result
    }

    // MARK: A thousand machines

    private struct Figures {
        var ready: [Double] = []
        var taken: [Double] = []
        var push: [Double] = []
        var times: (hub: [Double], broker: [Double]) = ([], [])
        var memory: (hub: [Double], broker: [Double]) = ([], [])
    }

    /// Measures from the first connection of a thousand new machines to the last acknowledgement, and a document for all.
    private func beginnings(_ name: String, _ way: FleetWay) throws -> [Row] {
        let each = 100
        var figures = Figures()
        for _ in 0..<3 {
            try withHub(way) { broker, hub, place in
                let before = (try hub.child.processorTime(), try broker.child.processorTime())
                let load = try load(broker, Measurements.machines, each, in: place)
                try taking(load, Measurements.machines * each, at: hub, seconds: 300) { load in
                    let begun = try load.time(of: "begun", seconds: 1)
                    figures.ready.append(try load.time(of: "ready", seconds: 1) - begun)
                    figures.taken.append(try load.time(of: "taken", seconds: 1) - begun)
                    try hub.child.waitUntilIdle()
                    figures.times.hub.append(try hub.child.processorTime() - before.0)
                    figures.times.broker.append(try broker.child.processorTime() - before.1)
                    figures.memory.hub.append(try hub.child.memory().resident)
                    figures.memory.broker.append(try broker.child.memory().resident)
                    figures.push.append(try push(to: hub, load))
                }
            }
        }
        let (taken, pushed) = (figures.taken.median, figures.push.median)
        let (times, memory) = (figures.times, figures.memory)
        return [
            Row(
                "fleet, \(name): 1,000 machines × 100 records, from connecting to the last acknowledgement",
                hark: seconds(taken), goal: .met("≤ 10 s", taken <= 10e9)),
            Row("… of it until the hub has greeted them all", hark: seconds(figures.ready.median), goal: .none),
            Row("… processor time of the hub; of the broker", times.hub.median, times.broker.median, seconds),
            Row("… memory (RSS) of the hub; of the broker", memory.hub.median, memory.broker.median, megabytes),
            Row(
                "fleet, \(name): surveys.json of 20 kB until 1,000 machines have it", hark: seconds(pushed),
                goal: .met("≤ 2 s", pushed <= 2e9)),
        ]
    }

    /// The nanoseconds from the request to push until all machines have the document.
    private func push(to hub: Server, _ load: FleetLoad) throws -> Double {
        let survey =
            #"{"id":"survey-NUMBER","title":"How was your visit?","message":"It helps us to do better.","#
            + #""options":["Good","Bad"],"trigger":{"event":{"name":"door.NUMBER"}}}"#
        var surveys: [String] = []
        while surveys.joined(separator: ",").utf8.count < 20_000 {
            surveys.append(survey.replacing("NUMBER", with: String(surveys.count)))
        }
        let text = #"{"surveys":["# + surveys.joined(separator: ",") + "]}"
        let escaped = text.replacing("\"", with: "\\\"")
        let start = now()
        let reply = try Connection(to: hub.peer.socket).ask(
            #"{"id":1,"method":"fleet.push","params":{"kind":"surveys","text":"\#(escaped)"}}"# + "\n")
        guard reply.contains(#""changed":true"#) else { throw Failure("the document was not pushed: \(reply)") }
        return try load.time(of: "document", seconds: 120) - Double(start)
    }

    /// Records a second, once a thousand machines are known to the hub.
    private func throughput(_ name: String, _ way: FleetWay) throws -> [Row] {
        let each = max(1, Int(2_000 * scale))
        return try withHub(way) { broker, hub, place in
            let before = (try hub.child.processorTime(), try broker.child.processorTime())
            let load = try load(broker, Measurements.machines, each, ["--together"], in: place)
            let total = Measurements.machines * each
            return try taking(load, total, at: hub, seconds: 600) { load in
                let time = try load.time(of: "taken", seconds: 1) - load.time(of: "ready", seconds: 1)
                try hub.child.waitUntilIdle()
                let times = (
                    try hub.child.processorTime() - before.0, try broker.child.processorTime() - before.1
                )
                return [
                    Row(
                        "fleet, \(name): records a second, \(text(Double(total), decimals: 0)) of 1,000 machines",
                        hark: text(Double(total) / time * 1e9, decimals: 0), goal: .none),
                    Row("… processor time of the hub; of the broker", times.0, times.1, seconds),
                    Row(
                        "… memory (RSS) of the hub; of the broker", try hub.child.memory().resident,
                        try broker.child.memory().resident, megabytes),
                ]
            }
        }
    }

    // MARK: One machine

    /// One real machine: records a second out of its store, and the time of one record to the hub.
    private func alone(_ name: String, _ way: FleetWay) throws -> [Row] {
        let events = max(1_000, Int(200_000 * scale))
        let single = max(100, Int(1_000 * scale))
        var rates: [Double] = []
        var waits: [Double] = []
        for round in 0..<3 {
            try withHub(way) { broker, hub, place in
                let machine = try Server.fleet(
                    programs, #""machine":"kiosk""#, broker: broker, folder: place + "/machine")
                try withServer(machine) { machine in
                    try machine.waitForFleet("ready", pending: 0)
                    let time = try hub.peer.counting(events) {
                        try measure {
                            _ = try pipelinedRecords(machine.peer, clients: 8, depth: 1000 / 8, total: events)
                            try machine.waitForFleet("ready", pending: 0)
                        }
                    }
                    rates.append(Double(events) / time * 1e9)
                }
                guard round == 0 else { return }
                let load = try load(broker, 1, single, ["--batch", "1", "--parcel", "1"], in: place)
                try taking(load, single, at: hub, seconds: 120) { load in
                    let words = try load.wait(for: "taken", seconds: 1)
                    waits.append(words.dropFirst().first.flatMap { Double($0) } ?? 0)
                }
            }
        }
        return [
            Row(
                "fleet, \(name): records a second of one machine, out of its store into the hub's",
                hark: text(rates.median, decimals: 0), goal: .none),
            Row(
                "fleet, \(name): one machine, p50 from sending a record to its acknowledgement",
                hark: milliseconds(waits.median), goal: .none),
        ]
    }

    /// A broker needs a descriptor for each machine, and inherits the limit.
    private func raiseDescriptors() throws {
        var limit = rlimit()
        try check("getrlimit", getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit))
        let wanted = rlim_t(4 * Measurements.machines)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        limit.rlim_max = max(limit.rlim_max, wanted)
        try check("setrlimit", setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit))
    }
}

extension Row {
    /// The rows of the hub and of its broker.
    fileprivate init(_ name: String, _ hub: Double, _ broker: Double, _ words: (Double) -> String) {
        self.init(name, hark: words(hub), peer: words(broker), ratio: hub / max(1, broker))
    }
}

extension Server {
    /// harkd in a fleet, as a hub or as a machine.
    static func fleet(_ programs: String, _ members: String, broker: Broker, folder: String) throws -> Server {
        let authority = broker.authority.map { #","caFile":"\#($0)""# } ?? ""
        let fleet = #"{"broker":"\#(broker.url)","name":"bench",\#(members)\#(authority)}"#
        return try configured(programs, #"{"flags":null,"fleet":\#(fleet)}"#, folder: folder)
    }

    /// Waits for a state of the fleet.
    ///
    /// - Parameter pending: The most records that may be waiting then.
    func waitForFleet(_ state: String, pending: Int? = nil, seconds: Double = 120) throws {
        let end = now() + UInt64(seconds * 1e9)
        var wanted = [#""state":"\#(state)""#]
        if let pending { wanted.append(#""pending":\#(pending),"#) }
        while true {
            let reply = try Connection(to: peer.socket).ask(#"{"id":1,"method":"fleet.status"}"# + "\n")
            if wanted.allSatisfy({ reply.contains($0) }) { return }
            guard child.isRunning, now() < end else { throw Failure("not \(state) within \(seconds) s: \(reply)") }
            usleep(2_000)
        }
    }
}
