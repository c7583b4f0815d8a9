/// The same with variables of Swift's own types: `["count": count, "screen": name]`.
///
/// Literals alone make `Value`s, as does `.string("pro")`; these take over where a variable is among them.
extension EventRecorder {
    /// Starts a session for a user; the one before ends.
    /// - Parameters:
    ///   - userID: nil for nobody in particular; at most 1,024 bytes.
    ///   - metadata: primitive values that describe the session, such as the plan or the version of the app.
    @_disfavoredOverload
    @discardableResult
    public func startSession(
        userID: String? = nil, metadata: [String: any ValueConvertible]
    ) async throws(HarkError) -> EventSession {
        try await startSession(userID: userID, metadata: metadata.harkValues)
    }

    /// Records an event and goes on at once. Order is kept.
    /// - Parameters:
    ///   - name: 1 to 256 bytes.
    ///   - properties: strings, integers, doubles and bools.
    @_disfavoredOverload
    public func record(_ name: String, properties: [String: any ValueConvertible]) {
        record(name, properties: properties.harkValues)
    }

    /// Records an event and returns once it is on disk.
    /// - Parameters:
    ///   - name: 1 to 256 bytes.
    ///   - properties: strings, integers, doubles and bools.
    @_disfavoredOverload
    @discardableResult
    public func recordAndWait(
        _ name: String, properties: [String: any ValueConvertible]
    ) async throws(HarkError) -> RecordedEvent {
        try await recordAndWait(name, properties: properties.harkValues)
    }

    /// Keeps a line for the servers' logs and goes on at once; it is sent when that can be done.
    /// - Parameters:
    ///   - message: cut at 5,000 characters.
    ///   - userID: whom it is about; without it the configured default, else an id of this device.
    ///   - metadata: strings, integers, doubles and bools; other values are left out.
    @_disfavoredOverload
    public func log(
        _ message: String, level: LogLevel = .info, userID: String? = nil, metadata: [String: any ValueConvertible]
    ) {
        log(message, level: level, userID: userID, metadata: metadata.harkValues)
    }

    /// Sends a line to the servers' logs and returns once a server has accepted it; throws as the other `logAsync` does.
    /// - Parameters:
    ///   - message: cut at 5,000 characters.
    ///   - userID: whom it is about; without it the configured default, else an id of this device.
    ///   - metadata: strings, integers, doubles and bools; other values are left out.
    @_disfavoredOverload
    public func logAsync(
        _ message: String, level: LogLevel = .info, userID: String? = nil, metadata: [String: any ValueConvertible]
    ) async throws(HarkError) {
        try await logAsync(message, level: level, userID: userID, metadata: metadata.harkValues)
    }
}

extension CounterTracker {
    /// Gives a counter a value and goes on at once; what listens to it is looked at.
    @_disfavoredOverload
    public func set(_ name: String, to value: some ValueConvertible) { set(name, to: value.harkValue) }
}

extension Survey {
    /// Answers question by question.
    /// - Parameter isPartial: More will follow; these are kept.
    @_disfavoredOverload
    public func answer(_ answers: [String: any ValueConvertible], isPartial: Bool = false) async throws(HarkError) {
        try await answer(answers.harkValues, isPartial: isPartial)
    }
}
