package import HarkCore
internal import HarkWire

/// The stored form.
extension Breaker {
    package var packed: Properties {
        var packed = Properties()
        packed.append("state", .integer(state.rawValue))
        packed.append("failures", .integer(Int64(failures)))
        packed.append("since", .integer(since.milliseconds))
        packed.append("until", .integer(until.milliseconds))
        if let cause { packed.append("cause", .string(cause.rawValue)) }
        if let lastFailure {
            packed.append("kind", .string(lastFailure.kind.rawValue))
            packed.append("reason", .string(lastFailure.reason))
            if let status = lastFailure.status { packed.append("status", .integer(Int64(status))) }
        }
        return packed
    }

    package init(packed: Properties) {
        self.init()
        state = packed.integer("state").flatMap(State.init) ?? .closed
        failures = Int(min(max(packed.integer("failures") ?? 0, 0), .max / 2))
        since = Timestamp(milliseconds: packed.integer("since") ?? 0)
        until = Timestamp(milliseconds: packed.integer("until") ?? 0)
        cause = packed.text("cause").flatMap(Cause.init)
        if let kind = packed.text("kind").flatMap(DeliveryFailure.Kind.init) {
            lastFailure = DeliveryFailure(
                kind, status: packed.integer("status").map { Int($0) }, packed.text("reason") ?? "")
        }
    }
}

extension Properties {
    func integer(_ key: String) -> Int64? {
        if case .integer(let number)? = self[key] { number } else { nil }
    }

    func text(_ key: String) -> String? {
        if case .string(let text)? = self[key] { text } else { nil }
    }
}
