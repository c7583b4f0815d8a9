/// Variants that take variables of Swift's own types: `["count": count, "screen": name]`.
///
/// Literals alone make `Value`s, as does `.string("pro")`; these variants apply if there is a variable among them.
extension EventRecorder {
    /// Starts a session for a user and ends the previous one.
    /// - Parameters:
    ///   - userID: The user, at most 1,024 bytes; nil for an anonymous session.
    ///   - metadata: Primitive values that describe the session, such as the plan or the version of the app.
    @_disfavoredOverload
    @discardableResult
    public func startSession(
        userID: String? = nil, metadata: [String: any ValueConvertible]
    ) async throws(HarkError) -> EventSession {
        try await startSession(userID: userID, metadata: metadata.harkValues)
    }

    /// Records an event without waiting. The order of events is kept.
    /// - Parameters:
    ///   - name: 1 to 256 bytes.
    ///   - properties: Strings, integers, doubles and bools.
    @_disfavoredOverload
    public func record(_ name: String, properties: [String: any ValueConvertible]) {
        record(name, properties: properties.harkValues)
    }

    /// Records an event and returns once it is on disk.
    /// - Parameters:
    ///   - name: 1 to 256 bytes.
    ///   - properties: Strings, integers, doubles and bools.
    @_disfavoredOverload
    @discardableResult
    public func recordAndWait(
        _ name: String, properties: [String: any ValueConvertible]
    ) async throws(HarkError) -> RecordedEvent {
        try await recordAndWait(name, properties: properties.harkValues)
    }

    /// Writes a line to the servers' logs without waiting. The daemon keeps it until it can be sent.
    /// - Parameters:
    ///   - message: The text, truncated to 5,000 characters.
    ///   - userID: The user it is about; by default the configured one, else an id of this device.
    ///   - metadata: Strings, integers, doubles and bools; other values are left out.
    @_disfavoredOverload
    public func log(
        _ message: String, level: LogLevel = .info, userID: String? = nil, metadata: [String: any ValueConvertible]
    ) {
        log(message, level: level, userID: userID, metadata: metadata.harkValues)
    }

    /// Writes a line to the servers' logs and returns once a server has accepted it; throws like the other `logAsync`.
    /// - Parameters:
    ///   - message: The text, truncated to 5,000 characters.
    ///   - userID: The user it is about; by default the configured one, else an id of this device.
    ///   - metadata: Strings, integers, doubles and bools; other values are left out.
    @_disfavoredOverload
    public func logAsync(
        _ message: String, level: LogLevel = .info, userID: String? = nil, metadata: [String: any ValueConvertible]
    ) async throws(HarkError) {
        try await logAsync(message, level: level, userID: userID, metadata: metadata.harkValues)
    }
}

extension CounterTracker {
    /// Sets a counter without waiting, and evaluates the conditions that listen to it.
    @_disfavoredOverload
    public func set(_ name: String, to value: some ValueConvertible) { set(name, to: value.harkValue) }
}

extension Survey {
    /// Answers question by question.
    /// - Parameter isPartial: Whether these answers are kept and more will follow.
    @_disfavoredOverload
    public func answer(_ answers: [String: any ValueConvertible], isPartial: Bool = false) async throws(HarkError) {
        try await answer(answers.harkValues, isPartial: isPartial)
    }
}
