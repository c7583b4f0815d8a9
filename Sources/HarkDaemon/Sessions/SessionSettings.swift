import HarkCore
import HarkSettings
import HarkWire

/// `sessions` of the settings.
struct SessionSettings: SettingsSection {
    /// The idle time in milliseconds after which a session ends; nil: never.
    var idle: Int64? = 86_400_000

    mutating func read(_ settings: inout ObjectReader) {
        guard var reader = settings.object("sessions", expected: "an object with idleSeconds") else { return }
        defer { reader.finish() }
        reader.take("idleSeconds", .orNull(.idleSeconds), into: &idle)
    }

    func write(to json: inout JSONWriter) {
        json.key("sessions")
        json.beginObject()
        json.key("idleSeconds")
        if let idle, idle % 1_000 == 0 {
            json.int(idle / 1_000)
        } else if let idle {
            json.double(Double(idle) / 1_000)
        } else {
            json.null()
        }
        json.endObject()
    }
}

extension MemberType<Int64> {
    /// A number of seconds up to ten years, read as milliseconds.
    fileprivate static var idleSeconds: MemberType {
        let type = MemberType<Double>.number(in: 1...315_360_000, "of seconds")
        return MemberType(type.words, type.shape) { value in type.read(value).map { Int64($0 * 1_000) } }
    }
}
