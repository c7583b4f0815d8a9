internal import HarkClient
internal import HarkWire

/// The id that stands for this device where no user is named, and looking for new flags.
extension EventRecorder {
    /// The id that log entries bear that name no user: a UUID of this machine's daemon, which stays the same until it is
    /// reset.
    public func deviceID() async throws(HarkError) -> String {
        try await device(RequestParams())
    }

    /// Gives this device another id, which log entries bear from now on; those before keep the old one. On a daemon that
    /// serves the whole machine, only administrators may.
    /// - Returns: the new id.
    @discardableResult
    public func resetDeviceID() async throws(HarkError) -> String {
        try await device(RequestParams().with(.resetDevice, true))
    }

    private func device(_ params: RequestParams) async throws(HarkError) -> String {
        guard let id = try await link.call(.logDevice, params).member("deviceId")?.string else {
            throw HarkError(.malformedReply, "harkd's answer holds no id of the device")
        }
        return id
    }

    /// What came of looking for new flags.
    public enum FlagRefresh: Sendable, Hashable {
        /// There are others than before.
        case updated
        /// They are what they were.
        case unchanged
        /// Why they could not be got; the last good ones stay in force.
        case failed(String)
        /// No flags are configured.
        case notConfigured
    }

    /// Looks for new flags at their server, or in their file, now; `remoteConfig()` gives them then. On a daemon that
    /// serves the whole machine, only administrators may.
    @discardableResult
    public func refreshFlags() async throws(HarkError) -> FlagRefresh {
        let result = try await link.call(.flagsRefresh)
        switch result.member("outcome")?.string.flatMap(FlagOutcome.init) {
        case .updated: return .updated
        case .unchanged: return .unchanged
        case .failed: return .failed(result.member("error")?.string ?? "the flags could not be got")
        case .nowhere: return .notConfigured
        case nil: throw HarkError(.malformedReply, "harkd's answer does not say what came of it")
        }
    }
}
