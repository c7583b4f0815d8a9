import HarkSystem
import HarkWire

extension NetworkPath {
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("satisfied")
        json.bool(isSatisfied)
        json.key("ipv4")
        json.bool(hasIPv4)
        json.key("ipv6")
        json.bool(hasIPv6)
        json.key("defaultRoute")
        if let defaultRoute {
            json.object([
                "interface": .string(defaultRoute.interface), "family": .string(defaultRoute.family.rawValue),
                "gateway": defaultRoute.gateway.map { .string($0.description) } ?? .null,
            ])
        } else {
            json.null()
        }
        json.key("interfaces")
        json.beginArray()
        for interface in interfaces {
            json.object([
                "name": .string(interface.name), "index": .int(Int64(interface.index)),
                "kind": .string(interface.kind.rawValue), "up": .bool(interface.isUp),
                "running": .bool(interface.isRunning),
                "addresses": .array(interface.addresses.map { .string($0.description) }),
            ])
        }
        json.endArray()
        json.endObject()
    }
}
