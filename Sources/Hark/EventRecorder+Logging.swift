internal import HarkClient
internal import HarkWire

/// Lines for the servers' logs, and what the servers say about features.
extension EventRecorder {
    /// How grave a log entry is, as servers sort them.
    public enum LogLevel: String, Sendable, CaseIterable {
        /// All went well.
        case info
        /// Something is odd, and the program went on.
        case warning
        /// Something failed.
        case error
        /// What users were told, or wrote.
        case messages
    }

    /// Keeps a line for the servers' logs and goes on at once; it is sent when that can be done.
    /// - Parameters:
    ///   - message: longer than 5,000 characters, it is cut and ends in `...`.
    ///   - userID: whom it is about; without it the configured default, else an id of this device.
    ///   - metadata: strings, integers, doubles and bools; other values are left out.
    public func log(
        _ message: String, level: LogLevel = .info, userID: String? = nil, metadata: [String: Value] = [:]
    ) {
        link.post(
            .logWrite, logParams(message, level, userID, metadata).with(.timeOfLine, Self.now), isRepeatable: true)
    }

    /// Sends a line to the servers' logs and returns once a server has accepted it.
    ///
    /// Throws `notConfigured` (nothing is kept then), `networkError`, `serverError` (with `status`), `encodingFailed`,
    /// `rateLimited` or `quotaExceeded`; after the middle ones the line is delivered later, as far as that can help.
    public func logAsync(
        _ message: String, level: LogLevel = .info, userID: String? = nil, metadata: [String: Value] = [:]
    ) async throws(HarkError) {
        _ = try await link.call(.logWrite, logParams(message, level, userID, metadata).with(.confirm, true))
    }

    private func logParams(
        _ message: String, _ level: LogLevel, _ userID: String?, _ metadata: [String: Value]
    ) -> RequestParams {
        params.with(.message, message).with(.level, level.rawValue).with(.userOfLine, userID)
            .with(.logMetadata, metadata)
    }

    /// The flags of now: the daemon asks the server, and this waits for the answer.
    ///
    /// Where the server cannot be reached, or takes its time, these are the last flags it gave. Empty when there are none,
    /// or no daemon answers; never an error.
    public func remoteConfig() async -> RemoteConfig {
        do throws(HarkError) {
            let result = try await link.call(.flagsGet, RequestParams().with(.asksForFlags, true))
            return RemoteConfig(raw: result.member("flags").map { Value($0) }?.object ?? [:])
        } catch {
            return RemoteConfig(raw: [:])
        }
    }
}

/// Flags by name. Every accessor gives nil for a flag that is absent or of another type, so have a default at hand:
/// `config.bool(for: "new_checkout") ?? false`.
public struct RemoteConfig: Sendable, Hashable {
    /// All of them, as they came.
    public let raw: [String: Value]

    /// Flags of a program's own, for previews and tests.
    public init(raw: [String: Value]) {
        self.raw = raw
    }

    /// True or false; nil for another type or an unknown name.
    public func bool(for key: String) -> Bool? { raw[key]?.bool }
    /// The text; nil for another type or an unknown name.
    public func string(for key: String) -> String? { raw[key]?.string }
    /// The number, integers promoted; nil for another type or an unknown name.
    public func double(for key: String) -> Double? { raw[key]?.double }
    /// The number if it is whole: 3 and 3.0 are, 2.5 is not; nil for another type or an unknown name.
    public func int(for key: String) -> Int? { raw[key]?.integer }
    /// The value whatever its type; nil for an unknown name.
    public subscript(key: String) -> Value? { raw[key] }
}
