import HarkSystem
import HarkWire

extension NetworkInfo {
    init(_ path: NetworkPath) {
        self.init()
        satisfied = path.isSatisfied
        ipv4 = path.hasIPv4
        ipv6 = path.hasIPv6
        defaultRoute = path.defaultRoute.map { route in
            var told = Route()
            told.interface = route.interface
            told.family = route.family.rawValue
            told.gateway = route.gateway?.description
            return told
        }
        interfaces = path.interfaces.map { interface in
            var told = Interface()
            told.name = interface.name
            told.index = Int64(interface.index)
            told.kind = interface.kind.rawValue
            told.up = interface.isUp
            told.running = interface.isRunning
            told.addresses = interface.addresses.map(\.description)
            return told
        }
    }
}
