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
        DeliveryStatus.self, summary: "Returns the state of each destination.",
        details: """
            A record for a destination is delivered, dropped or pending: `delivered` + the sum of `dropped` + `pending` is the \
            number of all its records since it was configured. Records that were dropped for `attempts`, as `refused` or \
            `tooLarge` are among the dead letters, if there is room. Surveys and forms, events, and logs go in `lanes` of their \
            own, which do not wait for each other. On a system daemon, users who are no administrators get only `name`, `kind` \
            and `state`, as the rest is about everybody's records.
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
        answering: { call, request throws(WireError) in
            let outlets = try outlets(request.destination, call)
            var result = DeliveryState()
            if call.peer.isAdministrator {
                for outlet in outlets { await outlet.count() }
                result.destinations = try info(outlets, call)
            } else {
                result.destinations = outlets.map(\.outline)
            }
            return result
        })

    static let flush = Method(
        DeliveryFlush.self,
        summary: "Delivers waiting records now, without waiting for more of them or for the next try.",
        details: "A suspension, or a wait that the server asked for, stays in force; `delivery.resume` ends it.",
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
        answering: { call, request throws(WireError) in
            let outlets = try outlets(request.destination, call)
            await call.ledger.settleToRead()
            for outlet in outlets {
                await outlet.count()
                outlet.gate.hurry()
                outlet.flush()
            }
            var result = DeliveryFlush.Result()
            result.destinations = try info(outlets, call)
            return result
        })

    static let resume = Method(
        DeliveryResume.self, summary: "Ends a suspension, and any other wait for a destination.",
        isForAdministrators: true,
        refusals: [noSuchDestination], examples: [.init(params: "{}", result: #"{"resumed":[]}"#)],
        answering: { call, request throws(WireError) in
            var result = DeliveryResume.Result()
            for outlet in try outlets(request.destination, call) where outlet.gate.breaker.state != .closed {
                outlet.gate.resume()
                // A restart must not suspend the destination again.
                if outlet.settings != nil { try await call.desk(DeliveryDesk.self).keepBreaker(of: outlet) }
                result.resumed.append(outlet.name)
            }
            return result
        })

    // MARK: Dead letters

    static let deadLetters = Method(
        DeliveryDeadLetters.self, summary: "Lists the records that destinations refuse, in the order of their numbers.",
        details:
            "Dead letters are removed with the session they belong to. The oldest are removed when there are more than "
            + "`maxDeadLetters`. A page also ends at about 1 MiB.",
        isForAdministrators: true,
        refusals: [noSuchDestination],
        examples: [.init(params: "{}", result: #"{"deadLetters":[],"more":false,"next":null}"#)],
        answering: { call, request throws(WireError) in
            let name = request.destination
            _ = try outlets(name, call)
            let above = request.above.map(UInt64.init) ?? 0
            let after = try request.after.map { cursor throws(WireError) in try place(cursor) }
            let limit = Int(request.limit ?? 100)
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
            return page
        })

    /// The place that a cursor means.
    private static func place(_ cursor: String) throws(WireError) -> (destination: String, sequence: UInt64) {
        let parts = cursor.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let sequence = UInt64(parts[0]) else { throw Method.noCursor }
        return (String(parts[1]), sequence)
    }

    static let replay = Method(
        DeliveryReplay.self, summary: "Tries dead letters again.",
        details: "A record that is refused once more is a dead letter again; an accepted one counts as delivered.",
        isForAdministrators: true,
        refusals: [noSuchDestination],
        examples: [.init(params: #"{"destination":"archive"}"#, result: #"{"replayed":0}"#)],
        answering: { call, request throws(WireError) in
            let (outlet, count) = try await letters(request.letters, call)
            let wanted = request.letters.numbers
            try await call.ledger.decide { engine, changes, _ in
                engine.replayDeadLetters(wanted, of: outlet.name, into: &changes)
            }.stored()
            // The destination may have been set up again, and have looked for letters before these were marked.
            if count > 0 { call.desk(DeliveryDesk.self).outlet(named: outlet.name)?.replay() }
            var result = DeliveryReplay.Result()
            result.replayed = Int64(count)
            return result
        })

    static let drop = Method(
        DeliveryDrop.self, summary: "Forgets dead letters.",
        isForAdministrators: true,
        refusals: [noSuchDestination],
        examples: [.init(params: #"{"destination":"archive","seqs":[7]}"#, result: #"{"dropped":0}"#)],
        answering: { call, request throws(WireError) in
            let (outlet, count) = try await letters(request.letters, call)
            let wanted = request.letters.numbers
            try await call.ledger.decide { engine, changes, _ in
                engine.dropDeadLetters(wanted, of: outlet.name, into: &changes)
            }.stored()
            var result = DeliveryDrop.Result()
            result.dropped = Int64(count)
            return result
        })

    /// The destination of the letters, and their count.
    @DaemonActor
    private static func letters(_ wanted: LetterChoice, _ call: Call) async throws(WireError) -> (Outlet, Int) {
        let outlet = try outlet(wanted.destination, call)
        let name = outlet.name
        try await call.ledger.settle()
        let count = try await call.readToAct { reader throws(StoreError) in
            try reader.countDeadLetters(of: name, among: wanted.numbers)
        }
        return (outlet, count)
    }

    // MARK: Shared

    private static let noSuchDestination = Method.Refusal(
        reason: .notFound, when: "no destination of that name is configured", params: #"{"destination":"nowhere"}"#)

    @DaemonActor
    private static func outlets(_ name: String?, _ call: Call) throws(WireError) -> [Outlet] {
        guard let name else { return call.desk(DeliveryDesk.self).outlets }
        return [try outlet(name, call)]
    }

    @DaemonActor
    private static func outlet(_ name: String, _ call: Call) throws(WireError) -> Outlet {
        guard let outlet = call.desk(DeliveryDesk.self).outlet(named: name) else { throw notFound(name, call) }
        return outlet
    }

    @DaemonActor
    static func notFound(_ name: String, _ call: Call) -> WireError {
        let names = call.desk(DeliveryDesk.self).outlets.map(\.name).joined(separator: ", ")
        return WireError(
            .notFound, "there is no destination '\(name.prefix(64))'; there are: \(names)",
            path: Params.path("destination"))
    }

    @DaemonActor
    private static func info(_ outlets: [Outlet], _ call: Call) throws(WireError) -> [DestinationInfo] {
        let counts = try call.desk(DeliveryDesk.self).deadLetterCounts()
        return outlets.map { $0.info(deadLetters: counts, lanes: true) }
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
