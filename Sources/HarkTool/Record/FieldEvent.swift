import HarkClient
import HarkWire

/// Builds an event from names and values, such as a row of a table or a flattened object: one may be its name, one its
/// time, and the others are its properties.
struct FieldEvent {
    /// A name as it appears between the quotes of JSON, and a JSON string, number or bool.
    typealias Field = (key: [UInt8], value: [UInt8])

    /// The name of all events.
    var name: String?
    /// The fields that hold each event's name and time.
    var nameFrom: String?
    var timeFrom: String?
    /// The members from the command line for every event, without braces.
    var common: [UInt8] = []

    func append(_ fields: [Field], to params: inout [UInt8]) -> RecordLine.Made {
        let (nameKey, timeKey) = (nameFrom.map(Self.key), timeFrom.map(Self.key))
        var (name, time) = (name, nil as Timestamp?)
        var properties = JSONWriter()
        properties.beginObject()
        for field in fields {
            let value = JSONText(ArraySlice(field.value))
            if field.key == nameKey {
                name = value.string ?? value.text
            } else if field.key == timeKey {
                do throws(TimeReader.Fault) {
                    time = try Self.time(value.string ?? value.text)
                } catch {
                    return .wrong("'\(timeFrom ?? "")' must be a time; \(error.words)")
                }
            } else {
                properties.key(JSONText(ArraySlice([.quote] + field.key + [.quote])).string ?? "")
                properties.raw(field.value)
            }
        }
        properties.endObject()
        guard let name else { return .wrong("it has no '\(nameFrom ?? "name")', which is to name the event") }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("name", name)
        writer.key("properties")
        writer.raw(properties.bytes)
        if let time { writer.member("timestamp", time.description) }
        params += writer.bytes
        if !common.isEmpty { params.append(.comma) }
        params += common
        params.append(.closeBrace)
        return .event
    }

    /// Parses the time of an event. A number is in seconds, milliseconds, microseconds or nanoseconds since 1970,
    /// depending on its size.
    private static func time(_ text: String) throws(TimeReader.Fault) -> Timestamp {
        if text.utf8.count <= 19, let number = Int64(text), number >= 100_000_000 {
            var milliseconds = number
            if number < 100_000_000_000 { milliseconds = number * 1_000 }
            while milliseconds >= 100_000_000_000_000 { milliseconds /= 1_000 }
            return Timestamp(milliseconds: milliseconds)
        }
        if let seconds = Double(text), seconds >= 1e8, seconds < 1e11, text.contains(".") {
            return Timestamp(milliseconds: Int64(seconds * 1_000))
        }
        return try TimeReader.read(text)
    }

    /// Returns a name as it appears between the quotes of JSON.
    static func key(_ name: String) -> [UInt8] { Array(string(name).dropFirst().dropLast()) }

    static func string(_ text: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes
    }
}
