import HarkClient
import HarkWire

/// A condition as it is given on a command line: `opens>=3 and plan=pro`, or the JSON of the protocol. The daemon reads it, and
/// says at which character it goes wrong.
enum ConditionArgument {
    static func json(_ text: String) throws(ToolError) -> [UInt8] {
        if JSONText(text).isObject { return try ValueArgument.json(text) }
        var writer = JSONWriter()
        writer.string(text)
        return writer.bytes
    }
}
