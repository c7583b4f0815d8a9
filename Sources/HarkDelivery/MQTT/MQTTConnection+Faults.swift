internal import Glibc
internal import HarkSystem

/// What the library does not find out by itself.
extension MQTTConnection {
    /// Before the broker has answered, the library takes a refused or closed connection for one that is not ready yet.
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
            // TLS has tried already, and the socket tells each error once.
            return handle.verdict.unreachable(ECONNREFUSED)
        case .end:
            isOtherVersionWorthATry = !handle.isShakingHands
            return handle.verdict.closed(0)
        }
    }

    /// Whether it is tried over IPv6 where another way was possible.
    var isOverIPv6: Bool { !manner.isIPv4Only && (socket?.isIPv6 ?? false) }

    /// Whether more came than the longest message takes, and nothing was whole yet: the library takes what a broker announces, of
    /// up to 256 MiB. What is read at once is added to it; that is what the kernel has at hand for a socket.
    var isTooMuch: Bool {
        guard let read = socket?.bytesRead else { return false }
        // Beside the payload a topic, and what TLS adds.
        return read - understoodBytes > options.maxPayloadBytes + options.maxPayloadBytes / 16 + 131_072
    }
}
