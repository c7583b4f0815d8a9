/// The links, addresses and default routes reported by the kernel, and the resulting path. Pure.
struct NetworkTable {
    /// The effect of a message on the table.
    enum Consequence {
        case none, changed
        /// The kernel may have removed routes silently: request them all again.
        case routesUncertain
    }

    private var links: [Int32: NetworkLink] = [:]
    private var kinds: [Int32: InterfaceKind] = [:]
    private var addresses: [Int32: Set<InterfaceAddress>] = [:]
    private var routes: [DefaultRoute] = []
    private let traits: (String) -> InterfaceKind.DeviceTraits

    init(traits: @escaping (String) -> InterfaceKind.DeviceTraits) {
        self.traits = traits
    }

    /// A copy without the parts that a dump of everything, or of the routes alone, replaces.
    func emptied(ofAll: Bool) -> NetworkTable {
        var table = self
        if ofAll { table = NetworkTable(traits: traits) }
        table.routes = []
        return table
    }

    /// Applies news. News of routes only show that routes have changed: how the kernel replaces, merges and ranks them
    /// is best left to it.
    mutating func apply(_ news: NetworkNews) -> Consequence {
        switch news {
        case .link(let link): return put(link)
        case .linkGone(let index):
            guard links.removeValue(forKey: index) != nil else { return .none }
            addresses[index] = nil
            kinds[index] = nil
            return carriesRoute(index) ? .routesUncertain : .changed
        case .address(let address, let interface):
            return addresses[interface, default: []].insert(address).inserted ? .changed : .none
        case .addressGone(let address, let interface):
            guard addresses[interface]?.remove(address) != nil else { return .none }
            // With the last address of a family, its routes are removed; with a preferred source address, its routes.
            let isPreferred = routes.contains { $0.source == address.address }
            return carriesRoute(interface) || isPreferred ? .routesUncertain : .changed
        case .route, .routeGone: return .routesUncertain
        }
    }

    /// Adds a route from a dump.
    mutating func add(_ route: DefaultRoute) { routes.append(route) }

    private mutating func put(_ link: NetworkLink) -> Consequence {
        let old = links.updateValue(link, forKey: link.index)
        guard old != link else { return .none }
        if old?.name != link.name || old?.hardware != link.hardware || old?.driver != link.driver {
            kinds[link.index] = InterfaceKind(
                hardware: link.hardware, driver: link.driver, name: link.name, traits: traits)
        }
        let wentDown = old?.isUp == true && !link.isUp
        return wentDown && carriesRoute(link.index) ? .routesUncertain : .changed
    }

    private func carriesRoute(_ interface: Int32) -> Bool {
        routes.contains { $0.hops.contains { $0.interface == interface } }
    }
}

extension NetworkTable {
    var path: NetworkPath {
        var path = NetworkPath()
        let ways = IPAddress.Family.allCases.compactMap(defaultRoute)
        path.hasIPv4 = ways.contains { $0.family == .ipv4 }
        path.hasIPv6 = ways.contains { $0.family == .ipv6 }
        path.defaultRoute = ways.first
        path.interfaces = links.values.sorted { $0.index < $1.index }.map { link in
            let addresses = (addresses[link.index] ?? []).sorted {
                ($0.address, $0.prefixLength) < ($1.address, $1.prefixLength)
            }
            return NetworkInterface(
                name: link.name, index: link.index, kind: kinds[link.index] ?? .other, isUp: link.isUp,
                isRunning: link.isRunning, addresses: addresses)
        }
        return path
    }

    /// The default route of a family: from the main table if that has one, else from another that rules may select.
    ///
    /// Unlike the kernel, it skips a route over a link without a carrier: the network manager is about to remove it.
    private func defaultRoute(_ family: IPAddress.Family) -> NetworkPath.Route? {
        let tables = Dictionary(grouping: routes.filter { $0.family == family }, by: \.table)
        for (_, routes) in tables.sorted(by: { NetworkTable.rank($0.key) < NetworkTable.rank($1.key) }) {
            // Sorting is stable, so equal metrics keep the kernel's order.
            for route in routes.sorted(by: { $0.metric < $1.metric }) {
                if route.isRefusal { break }
                for hop in route.hops where isUsable(hop, of: route) {
                    guard let link = links[hop.interface] else { continue }
                    return NetworkPath.Route(interface: link.name, family: family, gateway: hop.gateway)
                }
            }
        }
        return nil
    }

    private static func rank(_ table: UInt32) -> UInt32 { table == 254 ? 0 : table }

    private func isUsable(_ hop: DefaultRoute.Hop, of route: DefaultRoute) -> Bool {
        guard let link = links[hop.interface], link.isRunning else { return false }
        let kind = kinds[hop.interface]
        if kind == .loopback || kind == .tunnel && !tunnelsAreCarried { return false }
        return hasAddress(for: route, over: hop.interface)
    }

    /// Whether tunnels have a working interface under them: a tunnel stays up when that goes down. Without any other
    /// interface, as in a container or namespace, the one below is invisible, and the tunnel counts by itself.
    private var tunnelsAreCarried: Bool {
        let carriers = links.values.filter { link in
            switch kinds[link.index] {
            case .ethernet, .wifi, .cellular, .other: true
            case .loopback, .tunnel, .bridge, nil: false
            }
        }
        return carriers.isEmpty || carriers.contains(where: \.isRunning)
    }

    /// Whether packets get a source address that can be answered: the interface's own, or one of a loopback interface,
    /// as routers use.
    private func hasAddress(for route: DefaultRoute, over interface: Int32) -> Bool {
        if let source = route.source {
            return addresses.values.contains { $0.contains { $0.address == source && source.isRoutable } }
        }
        let lenders = kinds.filter { $0.value == .loopback }.map(\.key)
        return ([interface] + lenders).contains { index in
            addresses[index]?.contains { $0.address.family == route.family && $0.address.isRoutable } ?? false
        }
    }
}
