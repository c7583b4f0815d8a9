internal import CPostgreSQL
internal import Glibc
internal import HarkSystem

/// A connection to a database on the event loop: one command after the other, none of which waits for the other side.
@DaemonActor
final class PostgresConnection {
    /// What came of a command.
    struct Answer {
        /// Values as text, a row each; nil for NULL.
        var rows: [[String?]] = []
        /// How many rows were written.
        var count = 0
    }

    /// The server, or the way to it, has ended the connection while nothing was asked.
    var onLost: () -> Void = {}

    private let handle: PostgresHandle
    private let functions: hark_pq
    private let descriptor: FileDescriptor
    private var source: IOSource?
    private var timer: TimerSource?
    private let seconds: Double
    private var command: Command?
    private(set) var isClosed = false

    private struct Command {
        let continuation: CheckedContinuation<Result<Answer, PostgresFailure>, Never>
        var answer = Answer()
        var failure: PostgresFailure?
        /// Of a COPY: what is to be sent, and how much of it was.
        var data: [UInt8]
        var sent = 0
        var isCopying = false
    }

    /// So much of a COPY is given to libpq at a time, which keeps what the socket does not take.
    private static let piece = 128 << 10

    /// - Parameter handle: that is connected.
    static func begin(
        _ handle: PostgresHandle, _ options: PostgresOptions, loop: EventLoop
    ) throws(DeliveryFailure) -> PostgresConnection {
        do throws(SystemError) {
            return try PostgresConnection(handle, options, loop)
        } catch {
            handle.close()
            throw DeliveryFailure(.local, retryAfter: 5, "no connection to \(options.place): \(error)")
        }
    }

    private init(_ handle: PostgresHandle, _ options: PostgresOptions, _ loop: EventLoop) throws(SystemError) {
        self.handle = handle
        functions = handle.library.functions.pointee
        seconds = options.timeoutSeconds
        // By a number of our own: libpq closes its when it likes.
        let library = handle.library
        descriptor = try TCPSocket.another(handle.connection.map { library.functions.pointee.socket($0) } ?? -1)
        source = try loop.watch(descriptor.raw, for: .read) { [weak self] _ in self?.act() }
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 100_000) { [weak self] in self?.end() }
    }

    // MARK: Commands

    /// Runs one command with parameters, or several without; a result of several is the last one's.
    func run(_ sql: String, _ parameters: [String?] = []) async throws(PostgresFailure) -> Answer {
        try await perform([]) { connection in
            if parameters.isEmpty { return self.functions.sendQuery(connection, sql) }
            let texts = parameters.map { $0.map { strdup($0) } ?? nil }
            defer { for text in texts { free(text) } }
            return texts.withUnsafeBufferPointer { texts in
                texts.withMemoryRebound(to: UnsafePointer<CChar>?.self) {
                    self.functions.sendQueryParams(
                        connection, sql, Int32($0.count), nil, $0.baseAddress, nil, nil, 0)
                }
            }
        }
    }

    /// Runs a COPY … FROM STDIN with this data.
    func copy(_ sql: String, _ data: [UInt8]) async throws(PostgresFailure) -> Answer {
        try await perform(data) { self.functions.sendQuery($0, sql) }
    }

    private func perform(
        _ data: [UInt8], _ send: (OpaquePointer) -> Int32
    ) async throws(PostgresFailure) -> Answer {
        guard let connection = handle.connection, !isClosed, command == nil else { throw lost }
        guard send(connection) == 1 else {
            close()
            throw lost
        }
        timer?.arm(afterMicroseconds: UInt64(seconds * 1_000_000))
        return try await withCheckedContinuation { continuation in
            command = Command(continuation: continuation, data: data)
            act()
        }.get()
    }

    private var lost: PostgresFailure { PostgresFailure(state: PostgresFailure.lost, message: "") }

    // MARK: What happens

    private func act() {
        guard let connection = handle.connection, !isClosed else { return }
        guard functions.consumeInput(connection) == 1, feed(connection), takeResults(connection) else { return end() }
        guard command != nil else {
            // Nothing is asked, and something has come: the end, as a rule.
            if functions.isBusy(connection) == 0, functions.status(connection) == Int32(HARK_PG_CONNECTION_BAD) {
                end()
            }
            return
        }
        // What comes of the results may have to be sent.
        guard feed(connection) else { return end() }
        source?.setInterest(isFlushed ? .read : [.read, .write])
    }

    private var isFlushed = true

    /// Gives libpq what is to be sent, as far as the socket takes it. False when that was the end.
    private func feed(_ connection: OpaquePointer) -> Bool {
        for _ in 0..<32 {
            let left = functions.flush(connection)
            guard left >= 0 else { return false }
            isFlushed = left == 0
            guard isFlushed, let command, command.isCopying else { return true }
            if command.sent == command.data.count {
                guard functions.putCopyEnd(connection, nil) == 1 else { return false }
                self.command?.isCopying = false
                self.command?.data = []
                continue
            }
            let count = min(Self.piece, command.data.count - command.sent)
            let put = command.data.withUnsafeBytes { bytes -> Int32 in
                guard let start = bytes.baseAddress?.advanced(by: command.sent) else { return -1 }
                return functions.putCopyData(connection, start.assumingMemoryBound(to: CChar.self), Int32(count))
            }
            guard put == 1 else { return false }
            self.command?.sent += count
        }
        // The loop has others to serve.
        isFlushed = false
        return true
    }

    /// False when that was the end.
    private func takeResults(_ connection: OpaquePointer) -> Bool {
        while command != nil, command?.isCopying == false, functions.isBusy(connection) == 0 {
            guard let result = functions.getResult(connection) else {
                finish()
                break
            }
            defer { functions.clear(result) }
            switch functions.resultStatus(result) {
            case Int32(HARK_PG_COPY_IN):
                command?.isCopying = true
                return true
            case Int32(HARK_PG_TUPLES_OK):
                command?.answer.rows = rows(of: result)
                note(countOf: result)
            case Int32(HARK_PG_COMMAND_OK), Int32(HARK_PG_EMPTY_QUERY): note(countOf: result)
            default:
                let state = functions.resultErrorField(result, Int32(HARK_PG_SQLSTATE))
                let message = functions.resultErrorField(result, Int32(HARK_PG_MESSAGE))
                // Without a state, libpq itself speaks.
                guard let state else { return false }
                let failure = PostgresFailure(
                    state: String(cString: state), message: message.map { String(cString: $0) } ?? "")
                if command?.failure == nil { command?.failure = failure }
            }
        }
        return true
    }

    private func note(countOf result: OpaquePointer) {
        let count = functions.cmdTuples(result).map { String(cString: $0) } ?? ""
        command?.answer.count = Int(count) ?? 0
    }

    private func rows(of result: OpaquePointer) -> [[String?]] {
        (0..<functions.ntuples(result)).map { row in
            (0..<functions.nfields(result)).map { column in
                guard functions.getisnull(result, row, column) == 0 else { return nil }
                return functions.getvalue(result, row, column).map { String(cString: $0) }
            }
        }
    }

    private func finish() {
        guard let command else { return }
        self.command = nil
        timer?.disarm()
        source?.setInterest(.read)
        command.continuation.resume(returning: command.failure.map { .failure($0) } ?? .success(command.answer))
    }

    // MARK: The end

    /// The connection is over, or took too long.
    private func end() {
        guard !isClosed else { return }
        let isIdle = command == nil
        close()
        if isIdle { onLost() }
    }

    /// Ends the connection as it is; what is under way fails, and nobody knows whether it was done.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        timer?.cancel()
        timer = nil
        source?.cancel()
        source = nil
        handle.close()
        guard let command else { return }
        self.command = nil
        // What the server said before the end tells more.
        command.continuation.resume(returning: .failure(command.failure ?? lost))
    }
}
