internal import HarkCore
package import HarkSystem
package import HarkWire

/// ClickHouse as a sink, over HTTP. Rows have the key (log, seq), so a repeated row replaces the earlier one. A batch has a
/// token and the same rows each time it is sent, so a repeated batch is dropped.
@DaemonActor
package final class ClickHouseSink: Sink {
    package struct Settings: Sendable {
        /// `https://HOST:8443/` or `http://HOST:8123/`, with `?database=NAME` unless it is the user's default.
        package var url: String
        package var user: String?
        package var password: String?
        package var timeoutSeconds = 30.0
        package var problem: String?

        package init(url: String) { self.url = url }
    }

    package nonisolated let kind = "clickhouse"
    package nonisolated let place: String
    package nonisolated var needsBounds: Bool { true }
    package var onLost: () -> Void = {}

    private let client: HTTPClient
    private let clock: @Sendable () -> Timestamp
    private let settings: @DaemonActor () -> Settings
    private var hasTables = false

    package init(
        place: String, client: HTTPClient, clock: @escaping @Sendable () -> Timestamp,
        settings: @escaping @DaemonActor () -> Settings
    ) {
        self.place = place
        self.client = client
        self.clock = clock
        self.settings = settings
    }

    package func close() { client.close() }

    // MARK: Position

    /// Each row has the store that sent it and its number there. An insert is complete or absent, so the highest number is the
    /// position of the store.
    package func position(
        of logs: [Identifier], near bounds: ClosedRange<UInt64>?
    ) async throws(DeliveryFailure) -> SinkPosition? {
        try await makeTables()
        for log in logs {
            let places = """
                (SELECT store, store_seq, id FROM hark_record UNION ALL SELECT log AS store, seq AS store_seq, id FROM hark_position)
                """
            if let mark = try await mark(of: places, where: "store = '\(log)' AND store_seq > 0", order: "DESC") {
                return SinkPosition(log: log, mark: mark)
            }
        }
        return nil
    }

    package func mark(of log: Identifier, from sequence: UInt64) async throws(DeliveryFailure) -> SinkMark? {
        try await mark(of: "hark_record", where: "store = '\(log)' AND store_seq >= \(max(sequence, 1))", order: "ASC")
    }

    private func mark(of table: String, where condition: String, order: String) async throws(DeliveryFailure)
        -> SinkMark?
    {
        let rows = try await send(
            """
            SELECT store_seq, id FROM \(table) WHERE \(condition) ORDER BY store_seq \(order) LIMIT 1 FORMAT TabSeparated
            """)
        let fields = String(decoding: rows, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        if fields.isEmpty { return nil }
        guard fields.count == 2, let sequence = UInt64(fields[0]), let id = Identifier(String(fields[1])) else {
            throw DeliveryFailure(.server, "\(place) does not answer as ClickHouse does")
        }
        return SinkMark(sequence: sequence, id: id)
    }

    private func makeTables() async throws(DeliveryFailure) {
        if hasTables { return }
        for statement in ClickHouseSink.tables { _ = try await send(statement) }
        hasTables = true
    }

    /// The tables and views. The table of records knows the tokens of the last blocks, as replicated tables do anyway.
    private static let tables = [
        """
        CREATE TABLE IF NOT EXISTS hark_record (
            log UUID, seq UInt64, id UUID, kind LowCardinality(String), name LowCardinality(String), timestamp DateTime64(3, 'UTC'),
            sessionId UUID, userId Nullable(String), app LowCardinality(String), uid UInt32, machine LowCardinality(Nullable(String)),
            `group` LowCardinality(Nullable(String)), sourceUid UInt32, sourcePid Int32, properties String,
            milliseconds Int64, store UUID, store_seq UInt64, INDEX hark_store store_seq TYPE minmax)
        ENGINE = ReplacingMergeTree ORDER BY (log, seq) SETTINGS non_replicated_deduplication_window = 1000
        """,
        // The position of a store when rows were removed, which may have been its last rows.
        """
        CREATE TABLE IF NOT EXISTS hark_position (log UUID, seq UInt64, id UUID) ENGINE = ReplacingMergeTree(seq) ORDER BY log
        """,
        """
        CREATE VIEW IF NOT EXISTS hark_events AS
            SELECT log, seq, id, name, timestamp, userId, sessionId, app, machine, `group`, properties
            FROM hark_record FINAL WHERE kind = 'event'
        """,
    ]

    // MARK: Batches

    package nonisolated func encode(_ batch: SinkBatch) -> [UInt8] {
        var json = JSONWriter(reservingCapacity: batch.records.count * 512)
        for record in batch.records {
            let row = SinkRow(record, batch.log)
            row.write(to: &json, as: .columns)
            // By hand, like the other columns.
            json.key("store")
            json.identifier(batch.log.current)
            json.key("store_seq")
            // A batch that is sent once more says nothing about the position.
            json.uint(batch.mark == nil ? 0 : record.sequence)
            json.endObject()
            json.newline()
        }
        return json.bytes
    }

    package func append(_ batch: SinkBatch, _ data: [UInt8]) async -> SinkOutcome {
        let bounds = "\(batch.log.current):\(batch.bounds.lowerBound)-\(batch.bounds.upperBound)"
        do throws(DeliveryFailure) {
            _ = try await send(
                "INSERT INTO hark_record FORMAT JSONEachRow", data,
                [
                    ("insert_deduplication_token", batch.mark == nil ? "\(bounds) again" : bounds),
                    // One block, which is there completely or not at all.
                    ("max_insert_block_size", "1048576"), ("input_format_parallel_parsing", "0"), ("async_insert", "0"),
                    ("date_time_input_format", "best_effort"),
                ])
            return .appended
        } catch {
            return .failed(error)
        }
    }

    package func remove(_ session: Identifier, of logs: [Identifier]) async throws(DeliveryFailure) {
        try await makeTables()
        _ = try await send(
            """
            INSERT INTO hark_position SELECT store, max(store_seq), argMax(id, store_seq) FROM hark_record WHERE store_seq > 0 \
            GROUP BY store
            """)
        let list = logs.map { "'\($0)'" }.joined(separator: ", ")
        _ = try await send("DELETE FROM hark_record WHERE sessionId = '\(session)' AND log IN (\(list))")
    }

    // MARK: Requests

    /// - Parameter data: The data of the statement, which then goes into the query.
    private func send(
        _ statement: String, _ data: [UInt8]? = nil, _ options: [(String, String)] = []
    ) async throws(DeliveryFailure) -> [UInt8] {
        let settings = settings()
        if let problem = settings.problem { throw DeliveryFailure(.local, retryAfter: 60, problem) }
        var query = options + [("wait_end_of_query", "1")]
        if data != nil { query.append(("query", statement)) }
        let text = S3Signature.text(of: query)
        var request = HTTPRequest("POST", settings.url + (settings.url.contains("?") ? "&" : "?") + text)
        if let user = settings.user { request.headers["X-ClickHouse-User"] = user }
        if let password = settings.password { request.headers["X-ClickHouse-Key"] = password }
        request.body = data ?? Array(statement.utf8)
        request.timeoutSeconds = settings.timeoutSeconds
        let place = place
        return try await SinkHTTP.send(request, by: client, to: place, clock) { response in
            ClickHouseSink.failure(response, at: place)
        }.body
    }

    /// The server gives a code of its own, even with the status of a success.
    private static func failure(_ response: HTTPResponse, at place: String) -> DeliveryFailure? {
        let body = String(decoding: response.body.prefix(400), as: UTF8.self)
        guard let code = response.headers["X-ClickHouse-Exception-Code"] ?? code(in: body) else { return nil }
        let words = String(body.prefix(200))
        switch code {
        // A constraint that an administrator has set for the table.
        case "469":
            return DeliveryFailure(.refused, status: response.status, "\(place) refuses it (code 469)", words: words)
        case "192", "193", "194", "497", "516":
            return DeliveryFailure(
                .server, status: response.status,
                "\(place) does not let us (code \(code)); see user, password and rights")
        case "16", "36", "47", "60", "117":
            return DeliveryFailure(
                .server, status: response.status,
                "\(place) has a table hark_record that is not as Hark made it (code \(code)); undo what was changed there"
            )
        default:
            return DeliveryFailure(
                .server, status: response.status, "\(place) has a fault (code \(code))", words: words)
        }
    }

    private static func code(in body: String) -> String? {
        guard body.hasPrefix("Code: ") else { return nil }
        return String(body.dropFirst(6).prefix { $0.isNumber })
    }
}
