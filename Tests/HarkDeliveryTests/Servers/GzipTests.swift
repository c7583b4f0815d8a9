import HarkSystem
import HarkTesting
import Testing

@testable import HarkDelivery

/// Compressed bodies: what any gzip takes apart again.
@Suite(.timeLimit(.minutes(45))) struct GzipTests {
    static let bodies: [(name: String, bytes: [UInt8])] = {
        var random = SplitMix64(state: 3)
        return [
            ("nothing", []), ("a byte", [0]), ("a line", Array("hello\n".utf8)),
            ("the same over and over", [UInt8](repeating: 7, count: 300_000)),
            ("noise", (0..<100_003).map { _ in UInt8.random(in: 0...255, using: &random) }),
            ("every byte", (0..<70_000).map { UInt8($0 % 256) }),
        ]
    }()

    @Test("what gzip takes apart is what was put together", arguments: bodies)
    func roundTrip(_ name: String, _ bytes: [UInt8]) async throws {
        let compressed = try #require(Gzip.compress(bytes))
        #expect(compressed.starts(with: [0x1f, 0x8b, 8]))
        let outcome = try await LoopThread.shared.run { loop in
            try await withCheckedThrowingContinuation { continuation in
                var command = ChildProcess.Command(["gzip", "-dc"])
                command.input = compressed
                command.outputLimit = 4 << 20
                do {
                    try ChildProcess(command, on: loop) { continuation.resume(returning: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(outcome.status == .exited(0))
        #expect(outcome.output == bytes)
        if bytes.count > 200_000 { #expect(compressed.count < bytes.count / 100) }
    }
}
