internal import Glibc
internal import HarkSystem

/// Detects failures that the library does not notice.
extension MQTTConnection {
    /// Before the broker's answer, the library takes a refused or closed connection for one that is not ready yet.
    func faultBeforeAnswer(_ handle: MosquittoHandle) -> MQTTFailure? {
        guard !handle.hasPending, let socket else { return nil }
        switch socket.outlook {
        case .something, .nothingYet: return nil
        case .broken(let error) where isReached || [ECONNRESET, EPIPE].contains(error):
            isOtherVersionWorthATry = !handle.isShakingHands
            return handle.verdict.closed(error)
        case .broken(let error):
            isIPv4WorthATry = isOverIPv6
            return handle.verdict.unreachable(error)
        case .end where !isReached && handle.beginningError == ECONNREFUSED:
            // TLS has read the error already, and the socket reports each error once.
            return handle.verdict.unreachable(ECONNREFUSED)
        case .end:
            isOtherVersionWorthATry = !handle.isShakingHands
            return handle.verdict.closed(0)
        }
    }

    /// Whether it connects over IPv6 although IPv4 might work.
    var isOverIPv6: Bool { !manner.isIPv4Only && (socket?.isIPv6 ?? false) }

    /// Whether more was received than the longest message needs, without a complete packet: the library accepts up to 256 MiB. A
    /// single read may add data that the kernel has buffered for the socket.
    var isTooMuch: Bool {
        guard let read = socket?.bytesRead else { return false }
        // The topic in addition to the payload, and the overhead of TLS.
        return read - understoodBytes > options.maxPayloadBytes + options.maxPayloadBytes / 16 + 131_072
    }
}
