internal import CPostgreSQL
internal import Glibc
internal import HarkSystem

/// One connection in libpq's terms.
///
/// One thread at a time may use it: first the thread that connects, then the loop's.
final class PostgresHandle: @unchecked Sendable {
    let library: PostgresLibrary
    private(set) var connection: OpaquePointer?

    /// Connects: looks hosts up, reads files (service, password, certificates) and blocks, for about `seconds` at most. The
    /// time to look up a host is not limited.
    init(_ options: PostgresOptions, seconds: Double) throws(DeliveryFailure) {
        library = try PostgresLibrary.load(options.library)
        let settings = options.settings
        let keys = settings.map { strdup($0.key) } + [nil]
        let values = settings.map { strdup($0.value) } + [nil]
        defer { for text in keys + values { free(text) } }
        let functions = library.functions
        // The first keyword is the URL, which libpq parses; later keywords have precedence.
        let started = keys.withUnsafeBufferPointer { keys in
            values.withUnsafeBufferPointer { values in
                keys.withMemoryRebound(to: UnsafePointer<CChar>?.self) { keys in
                    values.withMemoryRebound(to: UnsafePointer<CChar>?.self) { values in
                        functions.pointee.connectStartParams(keys.baseAddress, values.baseAddress, 1)
                    }
                }
            }
        }
        guard let started else { throw DeliveryFailure(.local, retryAfter: 5, "there is no memory for a connection") }
        connection = started
        hark_pg_be_silent(functions, started)
        do throws(DeliveryFailure) {
            try connect(started, options, until: SystemClock.monotonicMicroseconds + UInt64(seconds * 1_000_000))
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    func close() {
        guard let connection else { return }
        self.connection = nil
        library.functions.pointee.finish(connection)
    }

    private func connect(
        _ connection: OpaquePointer, _ options: PostgresOptions, until end: UInt64
    ) throws(DeliveryFailure) {
        let functions = library.functions.pointee
        // The state in which libpq's protocol begins.
        var step = Int(HARK_PG_POLLING_WRITING)
        if functions.status(connection) == Int32(HARK_PG_CONNECTION_BAD) { step = Int(HARK_PG_POLLING_FAILED) }
        while step != HARK_PG_POLLING_OK {
            guard step != HARK_PG_POLLING_FAILED else { throw failure(connection, options) }
            let now = SystemClock.monotonicMicroseconds
            let socket = functions.socket(connection)
            guard now < end, socket >= 0 else {
                throw DeliveryFailure(.unreachable, "\(options.place) does not answer")
            }
            let events = step == HARK_PG_POLLING_READING ? POLLIN : POLLOUT
            var waiting = pollfd(fd: socket, events: Int16(events), revents: 0)
            let ready = poll(&waiting, 1, Int32(clamping: (end - now) / 1_000 + 1))
            if ready > 0 { step = Int(functions.connectPoll(connection)) }
        }
        guard functions.serverVersion(connection) >= 100_000 else {
            throw DeliveryFailure(
                .server, "\(options.place) is older than PostgreSQL 10, the oldest that Hark can use")
        }
        guard functions.setnonblocking(connection, 1) == 0 else { throw failure(connection, options) }
    }

    /// The reason for the failed connection. libpq gives it only as a sentence.
    private func failure(_ connection: OpaquePointer, _ options: PostgresOptions) -> DeliveryFailure {
        let functions = library.functions.pointee
        let text = functions.errorMessage(connection).map { String(cString: $0) } ?? ""
        let line = PostgresOptions.withoutSecrets(text, options)
        let isOfPassword = functions.connectionNeedsPassword(connection) != 0
        return DeliveryFailure(
            .unreachable,
            isOfPassword
                ? "\(options.place) wants a password; name one with passwordFile or passwordCredential, or put it into "
                    + "~/.pgpass"
                : "\(options.place) is not reached: \(line)")
    }
}
