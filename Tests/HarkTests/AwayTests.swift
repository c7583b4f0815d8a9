import Foundation
import Glibc
import Synchronization
import Testing

@testable import Hark

/// A daemon that is away, or goes, while somebody waits for it.
@Suite struct AwayTests {
    private static func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .seconds(600)
        // Other tests may leave this one no thread for minutes, so only the state after that counts.
        while try await !condition() {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    @Test("who waits until all is sent is told when the last request is given up, as there is no daemon")
    func flush() async throws {
        let daemon = try BusySocket()
        let recorder = daemon.recorder()
        let call = Task { await Result { () async throws(HarkError) in try await recorder.currentSession() } }
        guard try await Self.eventually({ recorder.link.pending == 1 }) else {
            let pending = recorder.link.pending
            daemon.close()
            Issue.record("the call does not wait: \(pending), \(await call.value)")
            return
        }
        let hasBegun = Mutex(false)
        let isOver = Mutex(false)
        let flush = Task {
            hasBegun.withLock { $0 = true }
            await recorder.flush()
            isOver.withLock { $0 = true }
        }
        #expect(try await Self.eventually { hasBegun.withLock { $0 } })
        daemon.close()
        guard case .failure(let error) = await call.value else {
            Issue.record("there was a daemon")
            return
        }
        #expect(error.code == .notRunning)
        #expect(try await Self.eventually { isOver.withLock { $0 } })
        if isOver.withLock({ $0 }) { await flush.value }
    }

    @Test(
        "a daemon that has as many connections as it takes loses nothing: what is recorded is sent once there is room")
    func full() async throws {
        let daemon = try FullSocket(refusals: 3)
        let recorder = daemon.socket.recorder()
        let notices = recorder.notices
        recorder.record("bell_rung")
        await recorder.flush()
        var told: [HarkNotice] = []
        for await notice in notices {
            told.append(notice)
            if notice == .connected { break }
        }
        #expect(told == [.disconnected, .connected])
        #expect(daemon.recorded.withLock { $0 } == 1)
    }

    @Test("a stream that nobody wants any more before it is connected does not keep its connection")
    func endedWhileConnecting() async throws {
        let daemon = try BusySocket()
        var updates: CounterUpdates? = CounterUpdates(daemon.recorder())
        // Its thread waits in connect by then; there is no way to ask for that.
        try await Task.sleep(for: .milliseconds(100))
        #expect(updates != nil)
        updates = nil
        let stream = try daemon.acceptSecond()
        defer { Glibc.close(stream) }
        _ = fcntl(stream, F_SETFL, O_NONBLOCK)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        #expect(try await Self.eventually { read(stream, &bytes, bytes.count) > 0 })
        let reply = Array(#"{"jsonrpc":"2.0","id":1,"result":{"counters":[],"revision":0}}"#.utf8) + [10]
        // On a busy machine it may have gone before the reply.
        let written = send(stream, reply, reply.count, numericCast(MSG_NOSIGNAL))
        #expect(written == reply.count || errno == EPIPE)
        #expect(
            try await Self.eventually {
                let count = read(stream, &bytes, bytes.count)
                return count == 0 || count < 0 && errno == ECONNRESET
            })
    }
}

/// A daemon that refuses some connections before it takes one.
private final class FullSocket: Sendable {
    let socket: BusySocket
    let recorded = Mutex(0)

    init(refusals: Int) throws {
        socket = try BusySocket()
        Thread.detachNewThread { [self] in
            // The first is the filler's.
            if let filler = try? socket.accept() { Glibc.close(filler) }
            for _ in 0..<refusals {
                guard let client = try? socket.accept() else { return }
                write(
                    #"{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"full","data":{"reason":"tooManyConnections"}}}"#,
                    to: client)
                Glibc.close(client)
            }
            guard let client = try? socket.accept() else { return }
            serve(client)
            Glibc.close(client)
        }
    }

    private func serve(_ client: CInt) {
        var (text, bytes) = ("", [UInt8](repeating: 0, count: 4_096))
        while case let count = read(client, &bytes, bytes.count), count > 0 {
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
            while let end = text.firstIndex(of: "\n") {
                let line = text[..<end]
                text = String(text[text.index(after: end)...])
                guard let id = line.firstMatch(of: /"id":(\d+)/)?.1 else { continue }
                if line.contains(#""event.record""#) { recorded.withLock { $0 += 1 } }
                write(#"{"jsonrpc":"2.0","id":\#(id),"result":{"features":["producer"]}}"#, to: client)
            }
        }
    }

    private func write(_ line: String, to client: CInt) {
        let bytes = Array(line.utf8) + [10]
        _ = send(client, bytes, bytes.count, numericCast(MSG_NOSIGNAL))
    }
}

/// A socket whose queue is full: who connects waits.
private final class BusySocket: Sendable {
    private let path: String
    private let listener: Mutex<CInt?>
    private let filler: CInt

    init() throws {
        var template = Array("/tmp/hark-test-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/socket"
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        listener = Mutex(descriptor)
        filler = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(Self.use(path, descriptor, bind) == 0)
        try #require(listen(descriptor, 0) == 0)
        try #require(Self.use(path, filler, connect) == 0)
    }

    private static func use(
        _ path: String, _ descriptor: CInt, _ body: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    func recorder() -> EventRecorder {
        var options = EventRecorder.Options()
        options.socket = path
        return EventRecorder(options)
    }

    /// The connection of a client that waits behind the filler.
    func acceptSecond() throws -> CInt {
        Glibc.close(try accept())
        return try accept()
    }

    func accept() throws -> CInt {
        let descriptor = try #require(listener.withLock { $0 })
        let connection = Glibc.accept(descriptor, nil, nil)
        try #require(connection >= 0)
        return connection
    }

    /// Nobody listens any more.
    func close() {
        listener.withLock { listener in
            if let listener { Glibc.close(listener) }
            listener = nil
        }
    }

    deinit {
        close()
        Glibc.close(filler)
        unlink(path)
        rmdir(String(path.dropLast("/socket".count)))
    }
}

extension Result {
    fileprivate init(_ body: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
