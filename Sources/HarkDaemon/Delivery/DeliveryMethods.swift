import HarkCore
import HarkDelivery
import HarkLedger
import HarkServer
import HarkStore
import HarkSystem
import HarkWire

/// `delivery.*`: the state of destinations, and their dead letters.
enum DeliveryMethods {
    static let all: [Method] = [status, flush, resume, deadLetters, replay, drop]

    static let status = Method(
        .deliveryStatus, summary: "Tells how each destination stands.",
        details: """
            A record that a destination wants is delivered, dropped or pending: \
            `delivered` + the sum of `dropped` + `pending` is all that was written for it since it was configured. \
            What was dropped for `attempts`, as `refused` or `tooLarge` lies among the dead letters, as far as there is \
            room. Surveys and forms, events, and logs go in `lanes` of their own, none of which waits for another. Who is no \
            administrator of a system daemon gets `name`, `kind` and `state`: the rest is about everybody's records.
            """,
        refusals: [noSuchDestination],
        examples: [
            .init(
                params: "{}",
                result: """
                    {"destinations":[{"name":"archive","kind":"archive","state":"idle","cursor":0,"pending":0,\
                    "delivered":0,"dropped":{},"deadLetters":0,"lastError":null,"retryAt":null,"lanes":[\
                    {"name":"archive","cursor":0,"pending":0,"delivered":0,"dropped":{}}]}]}
                    """)
        ],
        handler: .deferred { call, json throws(WireError) in
            let outlets = try outlets(call)
            guard call.peer.isAdministrator else {
                return json.member("destinations", outlets.map(\.outline))
            }
            for outlet in outlets { await outlet.count() }
            try write(outlets, of: call, to: &json)
        })

    static let flush = Method(
        .deliveryFlush, summary: "Delivers now what waits for more to gather, or for the next try.",
        details: "A wait that the server itself asked for, and a suspension, hold; `delivery.resume` ends them.",
        isForAdministrators: true,
        refusals: [noSuchDestination],
        examples: [
            .init(
                params: #"{"destination":"archive"}"#,
                result: """
                    {"destinations":[{"name":"archive","kind":"archive","state":"idle","cursor":0,"pending":0,\
                    "delivered":0,"dropped":{},"deadLetters":0,"lastError":null,"retryAt":null,"lanes":[\
                    {"name":"archive","cursor":0,"pending":0,"delivered":0,"dropped":{}}]}]}
                    """)
        ],
        handler: .deferred { call, json throws(WireError) in
            let outlets = try outlets(call)
            await call.ledger.settleToRead()
            for outlet in outlets {
                await outlet.count()
                outlet.gate.hurry()
                outlet.flush()
            }
            try write(outlets, of: call, to: &json)
        })

    static let resume = Method(
        .deliveryResume, summary: "Ends a suspension, and any other wait for a destination.",
        isForAdministrators: true,
        refusals: [noSuchDestination], examples: [.init(params: "{}", result: #"{"resumed":[]}"#)],
        handler: .deferred { call, json throws(WireError) in
            var result = ResumedDestinations()
            for outlet in try outlets(call) where outlet.gate.breaker.state != .closed {
                outlet.gate.resume()
                // A restart must not suspend the destination again.
                if outlet.settings != nil { try await call.desk(DeliveryDesk.self).keepBreaker(of: outlet) }
                result.resumed.append(outlet.name)
            }
            result.writeMembers(to: &json)
        })

    // MARK: Dead letters

    static let deadLetters = Method(
        .deadLetters, summary: "Lists what destinations will not take, in the order of numbers.",
        details:
            "They go with the session they belong to, and the oldest go when there are more than `maxDeadLetters`. A page "
            + "also ends at about 1 MiB.",
        isForAdministrators: true,
        refusals: [noSuchDestination],
        examples: [.init(params: "{}", result: #"{"deadLetters":[],"more":false,"next":null}"#)],
        handler: .deferred { call, json throws(WireError) in
            _ = try outlets(call)
            let name = try call.params.read(.onlyDestination)
            let above = try call.params.read(.lettersAfter).map(UInt64.init) ?? 0
            let after = try place(call.params)
            let limit = try call.params.read(.letterLimit) ?? 100
            let (letters, hasMore) = try await call.readSettled { reader throws(StoreError) in
                var found: [(DeadLetter, Record?)] = []
                var bytes = 0
                // One more than requested shows whether there are more.
                for letter in try reader.deadLetters(of: name, above: above, after: after, limit: limit + 1) {
                    if found.count == limit || bytes > Method.pageBytes { return (found, true) }
                    let record = try reader.record(letter.sequence)
                    bytes += 512 + letter.reason.utf8.count + (record?.properties.byteCount ?? 0)
                    found.append((letter, record))
                }
                return (found, false)
            }
            var page = DeadLetterPage()
            page.deadLetters = letters.map { DeadLetterInfo($0.0, $0.1) }
            page.more = hasMore
            if hasMore, let last = letters.last?.0 { page.next = "\(last.sequence) \(last.destination)" }
            page.writeMembers(to: &json)
        })

    /// The cursor of a page.
    private static func place(_ params: Params) throws(WireError) -> (destination: String, sequence: UInt64)? {
        guard let cursor = try params.read(.after) else { return nil }
        let parts = cursor.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let sequence = UInt64(parts[0]) else { throw Method.noCursor }
        return (String(parts[1]), sequence)
    }

    static let replay = Method(
        .deliveryReplay, summary: "Has dead letters tried again.",
        details: "What is refused once more is a dead letter again; one that is accepted counts as delivered.",
        isForAdministrators: true,
        refusals: [noSuchDestination],
        examples: [.init(params: #"{"destination":"archive"}"#, result: #"{"replayed":0}"#)],
        handler: .deferred { call, json throws(WireError) in
            let (outlet, wanted, count) = try await letters(call)
            try await call.ledger.decide { engine, changes, _ in
                engine.replayDeadLetters(wanted, of: outlet.name, into: &changes)
            }.stored()
            // The destination may have been set up anew and have looked for letters before these were marked.
            if count > 0 { call.desk(DeliveryDesk.self).outlet(named: outlet.name)?.replay() }
            json.key("replayed")
            json.int(count)
        })

    static let drop = Method(
        .deliveryDrop, summary: "Forgets dead letters.",
        isForAdministrators: true,
        refusals: [noSuchDestination],
        examples: [.init(params: #"{"destination":"archive","seqs":[7]}"#, result: #"{"dropped":0}"#)],
        handler: .deferred { call, json throws(WireError) in
            let (outlet, wanted, count) = try await letters(call)
            try await call.ledger.decide { engine, changes, _ in
                engine.dropDeadLetters(wanted, of: outlet.name, into: &changes)
            }.stored()
            json.key("dropped")
            json.int(count)
        })

    /// The destination of the letters, their numbers, and their count.
    @DaemonActor
    private static func letters(_ call: Call) async throws(WireError) -> (Outlet, [UInt64]?, Int) {
        let named = try call.params.required(.destinationOfLetters)
        guard let outlet = try outlets(call).first(where: { $0.name == named }) else { throw notFound(named, call) }
        let wanted = try call.params.read(.letters)
        let name = outlet.name
        try await call.ledger.settle()
        let count = try await call.readToAct { reader throws(StoreError) in
            try reader.countDeadLetters(of: name, among: wanted)
        }
        return (outlet, wanted, count)
    }

    // MARK: Shared

    private static let noSuchDestination = Method.Refusal(
        reason: .notFound, when: "no destination of that name is configured", params: #"{"destination":"nowhere"}"#)

    @DaemonActor
    private static func outlets(_ call: Call) throws(WireError) -> [Outlet] {
        guard let name = try call.params.read(.onlyDestination) else { return call.desk(DeliveryDesk.self).outlets }
        guard let outlet = call.desk(DeliveryDesk.self).outlet(named: name) else {
            throw notFound(name, call)
        }
        return [outlet]
    }

    @DaemonActor
    static func notFound(_ name: String, _ call: Call) -> WireError {
        let names = call.desk(DeliveryDesk.self).outlets.map(\.name).joined(separator: ", ")
        return WireError(
            .notFound, "there is no destination '\(name.prefix(64))'; there are: \(names)",
            path: .onlyDestination)
    }

    @DaemonActor
    private static func write(_ outlets: [Outlet], of call: Call, to json: inout JSONWriter) throws(WireError) {
        let counts = try call.desk(DeliveryDesk.self).deadLetterCounts()
        json.member("destinations", outlets.map { $0.info(deadLetters: counts, lanes: true) })
    }
}

extension DeadLetterInfo {
    fileprivate init(_ letter: DeadLetter, _ record: Record?) {
        self.init()
        destination = letter.destination
        seq = Int64(clamping: letter.sequence)
        lane = letter.lane
        cause = letter.cause
        status = letter.status.map { Int64($0) }
        reason = letter.reason
        at = letter.at
        replays = Int64(letter.replays)
        self.record = record.map { record in AnyJSON(writing: { RecordJSON.write(record, to: &$0) }) }
    }
}
