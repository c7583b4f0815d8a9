import CLinux
import Glibc

/// Follows the network by what rtnetlink says: dumps first, then news. Pure; somebody else sends and receives.
///
/// A dump is several requests, one after the other, as the kernel answers but one at a time. What comes meanwhile goes
/// into the table that the dump fills, which then takes the place of the old one as a whole.
struct NetworkTracker {
    enum RouteScope: Comparable {
        case routes, everything
    }

    private var table: NetworkTable
    private var draft: NetworkTable?
    private var requests: [Request] = []
    private var sequence: UInt32 = 0
    private var scope = RouteScope.everything
    /// The number of our socket, by which answers to us are known.
    private let port: UInt32
    /// What has to be asked for again before the path can be relied on.
    private(set) var need: RouteScope? = .everything

    private enum Request {
        case links, addresses
        case routes(IPAddress.Family)
    }

    init(port: UInt32, traits: @escaping (String) -> InterfaceKind.DeviceTraits = InterfaceKind.DeviceTraits.read) {
        self.port = port
        table = NetworkTable(traits: traits)
    }

    /// By the last dump that is complete, and the news since.
    var path: NetworkPath { table.path }

    var isDumping: Bool { draft != nil }

    /// Begins to ask for what is needed, giving up a dump under way; returns the first request.
    mutating func begin() -> [UInt8] {
        scope = max(need ?? .routes, isDumping ? scope : .routes)
        need = nil
        draft = table.emptied(ofAll: scope == .everything)
        requests = IPAddress.Family.allCases.map(Request.routes)
        if scope == .everything { requests = [.links, .addresses] + requests }
        return request()
    }

    /// Something was lost.
    mutating func lose() { require(.everything) }

    /// Takes a datagram in; returns the next request if that is due.
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
        // Between its pieces, what was being told has changed.
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
        // In a draft that has no routes yet, nobody can see which of them are in doubt.
        if consequence == .routesUncertain || isDumping && news.mayTakeRoutes { require(.routes) }
    }

    /// One request is answered. A kernel without IPv6 refuses to tell of it, and that is an answer, too.
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
    /// Whether the kernel may take routes away along with this.
    fileprivate var mayTakeRoutes: Bool {
        switch self {
        case .link(let link): !link.isUp
        case .address: false
        case .linkGone, .addressGone, .route, .routeGone: true
        }
    }
}
