import CLinux
import Glibc

/// Tracks the network by rtnetlink messages: dumps first, then news. Pure; the caller sends and receives.
///
/// A dump consists of several requests, one after the other, because the kernel answers one at a time. News that arrive
/// meanwhile go into the table being filled, which then replaces the old one as a whole.
struct NetworkTracker {
    enum RouteScope: Comparable {
        case routes, everything
    }

    private var table: NetworkTable
    private var draft: NetworkTable?
    private var requests: [Request] = []
    private var sequence: UInt32 = 0
    private var scope = RouteScope.everything
    /// The port of the socket, which identifies answers to its requests.
    private let port: UInt32
    /// The parts that must be requested again before the path is reliable.
    private(set) var need: RouteScope? = .everything

    private enum Request {
        case links, addresses
        case routes(IPAddress.Family)
    }

    init(port: UInt32, traits: @escaping (String) -> InterfaceKind.DeviceTraits = InterfaceKind.DeviceTraits.read) {
        self.port = port
        table = NetworkTable(traits: traits)
    }

    /// The path after the last complete dump and later news.
    var path: NetworkPath { table.path }

    var isDumping: Bool { draft != nil }

    /// Starts a dump of the needed parts, abandoning the current one; returns the first request.
    mutating func begin() -> [UInt8] {
        scope = max(need ?? .routes, isDumping ? scope : .routes)
        need = nil
        draft = table.emptied(ofAll: scope == .everything)
        requests = IPAddress.Family.allCases.map(Request.routes)
        if scope == .everything { requests = [.links, .addresses] + requests }
        return request()
    }

    /// Notes that datagrams were lost.
    mutating func lose() { require(.everything) }

    /// Handles a datagram; returns the next request if it is due.
    mutating func take(_ datagram: ArraySlice<UInt8>) -> [UInt8]? {
        var rest = datagram
        var next: [UInt8]?
        while let message = NetlinkMessage.take(from: &rest) {
            if let request = take(message) { next = request }
        }
        return next
    }

    private mutating func take(_ message: NetlinkMessage) -> [UInt8]? {
        let isAnswer = isDumping && message.port == port && message.sequence == sequence
        // The dump is inconsistent, because the state changed during it.
        if isAnswer, message.flags & UInt16(NLM_F_DUMP_INTR) != 0 { require(scope) }
        switch Int32(message.type) {
        case NLMSG_DONE, NLMSG_ERROR: return isAnswer ? endPart(message) : nil
        case NLMSG_OVERRUN: lose()
        default:
            guard let news = NetworkNews(message) else { return nil }
            if isAnswer, case .route(let route) = news {
                draft?.add(route)
            } else {
                apply(news)
            }
        }
        return nil
    }

    private mutating func apply(_ news: NetworkNews) {
        let consequence = draft?.apply(news) ?? table.apply(news)
        // A draft without routes cannot show which of them are affected.
        if consequence == .routesUncertain || isDumping && news.mayTakeRoutes { require(.routes) }
    }

    /// Ends the answer to one request. A kernel without IPv6 answers with an error, which counts as an answer.
    private mutating func endPart(_ message: NetlinkMessage) -> [UInt8]? {
        let code = message.payload.number(at: 0, Int32.self) ?? 0
        if [-EBUSY, -ENOBUFS, -ENOMEM, -EINTR, -EAGAIN].contains(code) { require(scope) }
        requests.removeFirst()
        if !requests.isEmpty { return request() }
        if let draft { table = draft }
        draft = nil
        return nil
    }

    private mutating func require(_ scope: RouteScope) { need = max(need ?? .routes, scope) }

    private mutating func request() -> [UInt8] {
        sequence &+= 1
        func body(_ family: UInt8, _ size: Int) -> [UInt8] { [family] + [UInt8](repeating: 0, count: size - 1) }
        return switch requests[0] {
        case .links:
            NetlinkMessage.dump(
                RTM_GETLINK, sequence: sequence, body: body(UInt8(AF_UNSPEC), MemoryLayout<ifinfomsg>.size))
        case .addresses:
            NetlinkMessage.dump(
                RTM_GETADDR, sequence: sequence, body: body(UInt8(AF_UNSPEC), MemoryLayout<ifaddrmsg>.size))
        case .routes(let family):
            NetlinkMessage.dump(RTM_GETROUTE, sequence: sequence, body: body(family.number, MemoryLayout<rtmsg>.size))
        }
    }
}

extension NetworkNews {
    /// Whether the kernel may remove routes together with this.
    fileprivate var mayTakeRoutes: Bool {
        switch self {
        case .link(let link): !link.isUp
        case .address: false
        case .linkGone, .addressGone, .route, .routeGone: true
        }
    }
}
