internal import HarkClient
internal import HarkWire

/// The id of this device for entries without a user, and refreshing flags.
extension EventRecorder {
    /// Returns the id of log entries without a user: a UUID of this machine's daemon, which stays the same until it is
    /// reset.
    public func deviceID() async throws(HarkError) -> String {
        try await device(LogDevice())
    }

    /// Gives this device another id for log entries from now on; earlier entries keep the old one. If the daemon serves
    /// the whole machine, only administrators may do this.
    /// - Returns: The new id.
    @discardableResult
    public func resetDeviceID() async throws(HarkError) -> String {
        try await device(LogDevice(reset: true))
    }

    private func device(_ request: LogDevice) async throws(HarkError) -> String {
        try await link.call(request).deviceId.description
    }

    /// The result of refreshing flags.
    public enum FlagRefresh: Sendable, Hashable {
        /// The flags have changed.
        case updated
        /// The flags have not changed.
        case unchanged
        /// The flags could not be fetched, for this reason; the last good ones stay in force.
        case failed(String)
        /// No flags are configured.
        case notConfigured
    }

    /// Fetches flags from their server or file now; `remoteConfig()` then returns them. If the daemon serves the whole
    /// machine, only administrators may do this.
    @discardableResult
    public func refreshFlags() async throws(HarkError) -> FlagRefresh {
        let told = try await link.call(FlagsRefresh())
        switch FlagOutcome(rawValue: told.outcome) {
        case .updated: return .updated
        case .unchanged: return .unchanged
        case .failed: return .failed(told.error ?? "the flags could not be got")
        case .nowhere: return .notConfigured
        case nil: throw HarkError(.malformedReply, "harkd's answer does not say what came of it")
        }
    }
}
