internal import CPostgreSQL
internal import Glibc
internal import HarkSystem

/// A connection to a database on the event loop. It runs one command after the other and never blocks.
@DaemonActor
final class PostgresConnection {
    /// The result of a command.
    struct Answer {
        /// Values as text, a row each; nil for NULL.
        var rows: [[String?]] = []
        /// The number of rows written.
        var count = 0
    }

    /// Called when the connection has ended between two commands.
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
        /// The data of a COPY, and the number of bytes sent.
        var data: [UInt8]
        var sent = 0
        var isCopying = false
    }

    /// The bytes of a COPY that libpq gets at a time. It buffers the bytes that the socket does not take.
    private static let piece = 128 << 10

    /// - Parameter handle: A connected handle.
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
        // A descriptor of our own, because libpq closes its descriptor at any time.
        let library = handle.library
        descriptor = try TCPSocket.another(handle.connection.map { library.functions.pointee.socket($0) } ?? -1)
        source = try loop.watch(descriptor.raw, for: .read) { [weak self] _ in self?.act() }
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 100_000) { [weak self] in self?.end() }
    }

    // MARK: Commands

    /// Runs one command with parameters, or several without; then the last one gives the result.
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

    // MARK: Input and output

    private func act() {
        guard let connection = handle.connection, !isClosed else { return }
        guard functions.consumeInput(connection) == 1, feed(connection), takeResults(connection) else { return end() }
        guard command != nil else {
            // Input between two commands is usually the end of the connection.
            if functions.isBusy(connection) == 0, functions.status(connection) == Int32(HARK_PG_CONNECTION_BAD) {
                end()
            }
            return
        }
        // Results may lead to more output.
        guard feed(connection) else { return end() }
        source?.setInterest(isFlushed ? .read : [.read, .write])
    }

    private var isFlushed = true

    /// Passes data to libpq until the socket is full. Returns false if the connection has ended.
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
        // Other sources of the loop have their turn.
        isFlushed = false
        return true
    }

    /// Returns false if the connection has ended.
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
                // An error without a state is libpq's own.
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

    /// Ends the connection, because it broke or a command took too long.
    private func end() {
        guard !isClosed else { return }
        let isIdle = command == nil
        close()
        if isIdle { onLost() }
    }

    /// Closes the connection. The current command fails, and its effect is unknown.
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
        // An error that the server sent before the end says more.
        command.continuation.resume(returning: .failure(command.failure ?? lost))
    }
}
