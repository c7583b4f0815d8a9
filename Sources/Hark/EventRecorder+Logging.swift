internal import HarkClient
internal import HarkWire

/// Writing to the servers' logs, and reading feature flags.
extension EventRecorder {
    /// The severity of a log entry, by which servers sort.
    public enum LogLevel: String, Sendable, CaseIterable {
        /// Normal operation.
        case info
        /// Something is unusual, but the program continued.
        case warning
        /// Something failed.
        case error
        /// Messages shown to users, or written by them.
        case messages
    }

    /// Writes a line to the servers' logs without waiting. The daemon keeps it until it can be sent.
    /// - Parameters:
    ///   - message: The text. Beyond 5,000 characters it is truncated and ends in `...`.
    ///   - userID: The user it is about; by default the configured one, else an id of this device.
    ///   - metadata: Strings, integers, doubles and bools; other values are left out.
    public func log(
        _ message: String, level: LogLevel = .info, userID: String? = nil, metadata: [String: Value] = [:]
    ) {
        var request = logRequest(message, level, userID, metadata)
        request.timestamp = Self.now
        link.post(request, isRepeatable: true)
    }

    /// Writes a line to the servers' logs and returns once a server has accepted it.
    ///
    /// Throws `notConfigured` (the line is not kept then), `networkError`, `serverError` (with `status`),
    /// `encodingFailed`, `rateLimited` or `quotaExceeded`. After the middle ones the line is delivered later, if a
    /// retry can help.
    public func logAsync(
        _ message: String, level: LogLevel = .info, userID: String? = nil, metadata: [String: Value] = [:]
    ) async throws(HarkError) {
        var request = logRequest(message, level, userID, metadata)
        request.confirm = true
        _ = try await link.call(request)
    }

    private func logRequest(
        _ message: String, _ level: LogLevel, _ userID: String?, _ metadata: [String: Value]
    ) -> LogWrite {
        var request = LogWrite()
        (request.message, request.level, request.userId) = (message, level.rawValue, userID)
        (request.metadata, request.app) = (AnyJSON(metadata), app)
        return request
    }

    /// Returns the current flags. The daemon asks the server, and this waits for the reply.
    ///
    /// If the server is slow or unreachable, these are the last flags it gave. Empty if there are none, or if no daemon
    /// answers; never an error.
    public func remoteConfig() async -> RemoteConfig {
        do throws(HarkError) {
            var request = FlagsGet()
            request.refresh = true
            return RemoteConfig(raw: try await link.call(request).flags.map { Value($0.json) }?.object ?? [:])
        } catch {
            return RemoteConfig(raw: [:])
        }
    }
}

/// Flags by name. Accessors return nil for a flag that is absent or of another type, so provide a default:
/// `config.bool(for: "new_checkout") ?? false`.
public struct RemoteConfig: Sendable, Hashable {
    /// All flags, unchanged.
    public let raw: [String: Value]

    /// Creates flags for previews and tests.
    public init(raw: [String: Value]) {
        self.raw = raw
    }

    /// The bool; nil for another type or an unknown name.
    public func bool(for key: String) -> Bool? { raw[key]?.bool }
    /// The string; nil for another type or an unknown name.
    public func string(for key: String) -> String? { raw[key]?.string }
    /// The number, with integers promoted; nil for another type or an unknown name.
    public func double(for key: String) -> Double? { raw[key]?.double }
    /// The number if it is whole: 3 and 3.0 are, 2.5 is not; nil for another type or an unknown name.
    public func int(for key: String) -> Int? { raw[key]?.integer }
    /// The value, of any type; nil for an unknown name.
    public subscript(key: String) -> Value? { raw[key] }
}
