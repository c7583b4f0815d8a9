import HarkCore
import HarkDaemon
import HarkFleet
import HarkHub
import HarkSystem
import HarkWire

/// The records of a machine that has no store: batches as they go out, made before anything is measured.
struct MadeUpLog {
    let log: Identifier
    let batches: [FleetEncoder.Batch]

    /// As `fleet.batchBytes` is where nothing else is said.
    private static let mostBytes = 100_000

    /// - Parameter recordsOfBatch: nil for as many as a machine puts into one.
    init(machine: String, records: Int, recordsOfBatch: Int?, _ random: inout BlockRandom) throws {
        log = Identifier(high: random.next(), low: random.next())
        let now = Timestamp(milliseconds: Int64(SystemClock.realtimeMicroseconds / 1_000))
        var ids = Identifier.Generator()
        let session = SessionIdentity(
            row: 1, id: ids.next(at: now), scope: Scope(uid: 1000), userId: nil, startedAt: now, metadata: .none,
            isImplicit: true)
        var made: [Record] = []
        made.reserveCapacity(records)
        for number in 1...records {
            made.append(
                Record(
                    sequence: UInt64(number), id: ids.next(at: now), at: now, kind: .event, session: session,
                    name: MadeUpLog.names[Int.random(in: 0..<MadeUpLog.names.count, using: &random)],
                    source: Source(uid: 1000, pid: 4_711), properties: MadeUpLog.properties(number, &random)))
        }
        let encoder = FleetEncoder(machine: machine, group: "north", log: log, mostBytes: MadeUpLog.mostBytes)
        guard let size = recordsOfBatch else {
            batches = try encoder.batches(of: made, after: nil, pending: 0)
            return
        }
        var parted: [FleetEncoder.Batch] = []
        for start in stride(from: 0, to: records, by: size) {
            let part = Array(made[start..<min(records, start + size)])
            parted += try encoder.batches(
                of: part, after: parted.last?.mark, pending: max(0, records - start - size))
        }
        batches = parted
    }

    private static let names = ["page_viewed", "door.opened", "coin.taken", "receipt.printed"]

    /// About 200 bytes as JSON. Half of them differ in each record.
    private static func properties(_ number: Int, _ random: inout BlockRandom) -> Properties {
        let step = Int64.random(in: 0..<1_000_000, using: &random)
        return Properties([
            ("path", .string("/shop/checkout/\(String(step, radix: 36))")), ("referrer", .string("/shop/cart")),
            ("cart", .integer(step % 7)), ("total", .double(Double(step) / 100)), ("member", .bool(step % 3 == 0)),
            ("campaign", .string("autumn-2026-\(step % 10)")), ("visitor", .string(String(random.next(), radix: 16))),
            ("step", .integer(Int64(number))),
        ])
    }
}
