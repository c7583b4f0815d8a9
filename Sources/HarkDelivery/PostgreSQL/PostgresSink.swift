internal import HarkCore
package import HarkSystem
package import HarkWire

/// PostgreSQL as a sink. The position is stored in the transaction of the rows, so after any failure both are there, or
/// neither.
@DaemonActor
package final class PostgresSink: Sink {
    package nonisolated let kind = "postgresql"
    package nonisolated let place: String
    package nonisolated var tellsWhatIsTaken: Bool { true }
    package nonisolated var tellsWhenLost: Bool { true }
    package var onLost: () -> Void = {}

    private let loop: EventLoop
    private let options: @DaemonActor () -> PostgresOptions
    private let schema: PostgresSchema
    private var connection: PostgresConnection?
    private var opening: PostgresOpening?
    /// Whether each month has a table.
    private var isByMonth = false
    /// The days whose month has a table, counted from 1970.
    private var days: Set<Int64> = []
    /// Whether rows may be there already, so that they are looked for before others are written.
    private var isDoubtful = true

    /// - Parameter options: Called for each connection, because a password may have changed.
    package init(
        place: String, schema: PostgresSchema, loop: EventLoop, options: @escaping @DaemonActor () -> PostgresOptions
    ) {
        self.place = place
        self.schema = schema
        self.loop = loop
        self.options = options
    }

    package func close() {
        opening?.giveUp()
        connection?.close()
        connection = nil
    }

    // MARK: Beginning

    package func position(
        of logs: [Identifier], near bounds: ClosedRange<UInt64>?
    ) async throws(DeliveryFailure) -> SinkPosition? {
        if connection?.isClosed ?? true { try await connect() }
        isDoubtful = true
        let list = "{\(logs.map(\.description).joined(separator: ","))}"
        let answer = try await run(
            "SELECT log, seq, id FROM hark.position WHERE log = ANY ($1::uuid[]) ORDER BY array_position($1::uuid[], log) LIMIT 1",
            [list])
        guard let row = answer.rows.first else { return nil }
        guard row.count == 3, let log = row[0].flatMap({ Identifier($0) }),
            let sequence = row[1].flatMap({ UInt64($0) }),
            let id = row[2].flatMap({ Identifier($0) })
        else { throw DeliveryFailure(.server, "\(place) has a position that is none; see hark.position there") }
        return SinkPosition(log: log, mark: SinkMark(sequence: sequence, id: id))
    }

    private func connect() async throws(DeliveryFailure) {
        let options = options()
        if let problem = options.problem { throw DeliveryFailure(.local, retryAfter: 60, problem) }
        let opening = PostgresOpening()
        self.opening = opening
        defer { self.opening = nil }
        let connection = try PostgresConnection.begin(try await opening.handle(options), options, loop: loop)
        connection.onLost = { [weak self] in
            guard let self, self.connection === connection else { return }
            self.connection = nil
            onLost()
        }
        self.connection = connection
        days = []
        do throws(DeliveryFailure) {
            // Settings of the role or the database must not change how data is read and written here.
            try await run(
                "SET search_path = pg_catalog; SET DateStyle = 'ISO'; SET default_transaction_read_only = off")
            try await makeTables()
        } catch {
            close()
            throw error
        }
    }

    /// Makes the tables, or brings them up to date, in one transaction.
    private func makeTables() async throws(DeliveryFailure) {
        if try await look() { return }
        do throws(DeliveryFailure) {
            try await run("BEGIN; SELECT pg_advisory_xact_lock(\(PostgresSchema.lock))")
            let version = try await version()
            try await run(schema.statements(from: version) + "\nCOMMIT")
        } catch {
            _ = try? await connection?.run("ROLLBACK")
            throw error
        }
        guard try await look() else {
            throw DeliveryFailure(.server, "\(place) has not kept the tables that were made there")
        }
    }

    /// Returns whether the tables are as they should be.
    private func look() async throws(DeliveryFailure) -> Bool {
        let version = try await version()
        guard version <= PostgresSchema.version else {
            throw DeliveryFailure(
                .server,
                "\(place) has tables of a newer Hark (version \(version), this one knows "
                    + "\(PostgresSchema.version)); install that here")
        }
        guard version == PostgresSchema.version else { return false }
        let found = try await run(
            """
            SELECT c.relkind, to_regclass('hark.record_session') IS NOT NULL,
                has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'SELECT')
                    AND has_table_privilege('hark.position', 'INSERT, UPDATE')
            FROM pg_class c WHERE c.oid = to_regclass('hark.record')
            """)
        guard let row = found.rows.first, row.count == 3 else {
            throw PostgresFailure(state: "42P01", message: "").failure(at: place)
        }
        guard row[2] == "t" else { throw PostgresFailure(state: "42501", message: "").failure(at: place) }
        isByMonth = row[0] == "p"
        return !schema.followsRemovals || row[1] == "t"
    }

    private func version() async throws(DeliveryFailure) -> Int {
        let known = try await run("SELECT to_regclass('hark.meta') IS NOT NULL").rows
        guard known.first?.first == "t" else { return 0 }
        let rows = try await run("SELECT value FROM hark.meta WHERE key = 'version'").rows
        return rows.first?.first?.flatMap { Int($0) } ?? 0
    }

    @discardableResult
    private func run(_ sql: String, _ parameters: [String?] = []) async throws(DeliveryFailure)
        -> PostgresConnection.Answer
    {
        guard let connection else { throw PostgresFailure(state: PostgresFailure.lost, message: "").failure(at: place) }
        do throws(PostgresFailure) {
            return try await connection.run(sql, parameters)
        } catch {
            leave(connection, after: error)
            throw error.failure(at: place)
        }
    }

    /// Releases a connection that has ended. After other failures, missing tables are made again.
    private func leave(_ connection: PostgresConnection, after failure: PostgresFailure) {
        if failure.isWithoutTables { connection.close() }
        if connection.isClosed, self.connection === connection { self.connection = nil }
    }

    // MARK: Records

    package nonisolated func encode(_ batch: SinkBatch) -> [UInt8] { PostgresRows.encode(batch.records, batch.log) }

    package func append(_ batch: SinkBatch, _ data: [UInt8]) async -> SinkOutcome {
        guard let connection else {
            return .failed(PostgresFailure(state: PostgresFailure.lost, message: "").failure(at: place))
        }
        do throws(PostgresFailure) {
            if isByMonth { try await makeMonths(of: batch.records, connection) }
            if !isDoubtful, batch.mark != nil {
                do throws(PostgresFailure) {
                    // Several commands in one message are one transaction.
                    _ = try await connection.copy(
                        "COPY hark.record (\(PostgresRows.columns)) FROM STDIN (FORMAT binary); \(position(of: batch))",
                        data)
                    return .appended
                } catch {
                    guard error.isDuplicate else { throw error }
                }
            }
            return try await merge(batch, data, connection)
        } catch {
            leave(connection, after: error)
            if !connection.isClosed { _ = try? await connection.run("ROLLBACK") }
            return .failed(error.failure(at: place))
        }
    }

    /// Writes the rows that are not there yet.
    private func merge(
        _ batch: SinkBatch, _ data: [UInt8], _ connection: PostgresConnection
    ) async throws(PostgresFailure) -> SinkOutcome {
        _ = try await connection.run(
            "BEGIN; CREATE TEMP TABLE IF NOT EXISTS hark_in (LIKE hark.record) ON COMMIT DELETE ROWS")
        _ = try await connection.copy(
            "COPY pg_temp.hark_in (\(PostgresRows.columns)) FROM STDIN (FORMAT binary)", data)
        let key = isByMonth ? "log, seq, at" : "log, seq"
        let added = try await connection.run(
            """
            INSERT INTO hark.record (\(PostgresRows.columns)) SELECT \(PostgresRows.columns) FROM pg_temp.hark_in
            ORDER BY log, seq ON CONFLICT (\(key)) DO NOTHING
            """
        ).count
        // An existing number proves nothing: another history of the same log gives it to another record. In tables of months the
        // key includes the time, so both would be there.
        if added < batch.records.count || isByMonth {
            let others = try await connection.run(
                """
                SELECT i.log, i.seq FROM pg_temp.hark_in i JOIN hark.record r ON r.log = i.log AND r.seq = i.seq
                WHERE r.id <> i.id ORDER BY i.machine IS NOT NULL, i.seq LIMIT 1
                """)
            if let row = others.rows.first, row.count == 2, let sequence = row[1].flatMap({ UInt64($0) }) {
                _ = try await connection.run("ROLLBACK")
                let isOwn = batch.log.all.contains { $0.description == row[0] }
                return isOwn
                    ? .taken(sequence)
                    : .failed(
                        DeliveryFailure(
                            .refused,
                            "\(place) has another record of the machine's log under that number: its disk was set back to an "
                                + "earlier state, or another machine runs with a copy of it"))
            }
        }
        _ = try await connection.run("\(position(of: batch)); COMMIT")
        // If no row of this batch was there, later rows are not there either.
        if batch.mark != nil { isDoubtful = added < batch.records.count }
        return .appended
    }

    private func position(of batch: SinkBatch) -> String {
        guard let last = batch.mark else { return "SELECT 1" }
        return """
            INSERT INTO hark.position AS p (log, seq, id, at)
            VALUES ('\(batch.log.current)', \(last.sequence), '\(last.id)', now())
            ON CONFLICT (log) DO UPDATE SET seq = EXCLUDED.seq, id = EXCLUDED.id, at = EXCLUDED.at
            """
    }

    // MARK: Months

    /// The years whose months get tables of their own. Records of other years share one table.
    private static let years = "2000"..<"2200"

    private func makeMonths(
        of records: ArraySlice<Record>, _ connection: PostgresConnection
    ) async throws(PostgresFailure) {
        for day in Set(records.map { $0.at.milliseconds / 86_400_000 }).subtracting(days).sorted() {
            let month = Timestamp(milliseconds: day * 86_400_000).description.prefix(7)
            if Self.years.contains(String(month.prefix(4))) {
                _ = try await connection.run("SELECT hark.month('\(month)-01')")
            }
            if days.count > 10_000 { days = [] }
            days.insert(day)
        }
    }

    // MARK: Removals

    package func remove(_ session: Identifier, of logs: [Identifier]) async throws(DeliveryFailure) {
        if connection?.isClosed ?? true { try await connect() }
        try await run(
            "DELETE FROM hark.record WHERE session = $1::uuid AND log = ANY ($2::uuid[])",
            [session.description, "{\(logs.map(\.description).joined(separator: ","))}"])
    }
}
