import HarkClient
import HarkWire

/// A value on a command line: JSON, or otherwise a plain text.
enum ValueArgument {
    /// Returns the value as JSON on one line.
    static func json(_ text: String) throws(ToolError) -> [UInt8] {
        let value = JSONText(text)
        if ScalarText.isValid(value.bytes) || value.isNull { return Array(value.bytes) }
        guard value.isObject || value.isArray else {
            var writer = JSONWriter()
            writer.string(text)
            return writer.bytes
        }
        let line = value.line
        guard JSONText(ArraySlice(Array(#"{"v":"#.utf8) + line + [0x7d])).isOneObject else {
            throw .usage("'\(VisibleText.make(text))' is not one JSON value", hint: "Mind the quotes of the shell.")
        }
        return line
    }
}
