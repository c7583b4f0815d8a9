import HarkClient
import HarkWire

/// A condition on a command line: `opens>=3 and plan=pro`, or the JSON of the protocol. The daemon parses it and
/// reports the character of an error.
enum ConditionArgument {
    static func json(_ text: String) throws(ToolError) -> [UInt8] {
        if JSONText(text).isObject { return try ValueArgument.json(text) }
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes
    }
}
