import Glibc

/// The daemon's end of a child's stdin; it closes when all is written, or the reader has closed.
@DaemonActor
final class ChildInput {
    /// Declared before the descriptor, because it must end first.
    private var source: IOSource?
    private var descriptor: FileDescriptor?
    private var rest: ArraySlice<UInt8>

    init(_ descriptor: consuming FileDescriptor, _ bytes: [UInt8]) {
        self.descriptor = consume descriptor
        rest = bytes[...]
    }

    func start(on loop: EventLoop) throws(SystemError) {
        guard !rest.isEmpty, let raw = descriptor?.raw else { return stop() }
        source = try loop.watch(raw, for: .write) { [weak self] _ in self?.feed() }
    }

    private func feed() {
        do {
            let written = try rest.withUnsafeBytes { bytes throws(SystemError) in try descriptor?.write(bytes) ?? 0 }
            rest.removeFirst(written)
            if rest.isEmpty { stop() }
        } catch {
            // EPIPE: the child does not read the rest, which is no error.
            stop()
        }
    }

    func stop() {
        source = nil
        descriptor = nil
    }
}

/// The daemon's end of a child's stdout or stderr; keeps the first bytes and discards the rest.
@DaemonActor
final class ChildOutput {
    private(set) var bytes: [UInt8] = []
    private(set) var isTruncated = false
    /// Called with all kept bytes after each read.
    var onRead: (([UInt8]) -> Void)?
    /// Declared before the descriptor, because it must end first.
    private var source: IOSource?
    private var descriptor: FileDescriptor?
    private let limit: Int

    init(_ descriptor: consuming FileDescriptor, limit: Int) {
        self.descriptor = consume descriptor
        self.limit = limit
    }

    func start(on loop: EventLoop) throws(SystemError) {
        guard let raw = descriptor?.raw else { return }
        source = try loop.watch(raw, for: .read) { [weak self] _ in
            guard let self else { return }
            switch readSome() {
            case .some: onRead?(bytes)
            case .none: break
            case .end: stop()
            }
        }
    }

    /// Reads the rest that the ended child left in the pipe; bounded, because another process may still write to it.
    func finish() {
        var rounds = 64
        while rounds > 0, readSome() == .some { rounds -= 1 }
        stop()
    }

    private enum Progress { case some, none, end }

    private func readSome() -> Progress {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
            do {
                guard let count = try descriptor?.read(into: buffer) else { return .none }
                guard count > 0 else { return .end }
                let room = limit - bytes.count
                bytes.append(contentsOf: buffer.prefix(min(room, count)))
                if count > room { isTruncated = true }
                return .some
            } catch {
                // A pipe that cannot be read counts as ended.
                return .end
            }
        }
    }

    private func stop() {
        source = nil
        descriptor = nil
    }
}
