import HarkClient
import HarkWire

/// Turns a line of `hark log --stdin` into params: the message, with the time at which it was read.
struct LogLine: LineForm {
    /// The members from the command line for every line, without braces.
    private let common: [UInt8]

    /// - Parameter params: An object that is not closed.
    init(_ params: JSONWriter) {
        common = Array(params.bytes.dropFirst())
    }

    func append(_ line: ArraySlice<UInt8>, to params: inout [UInt8]) -> RecordLine.Made {
        var line = line
        while let last = line.last, last.isJSONSpace { line.removeLast() }
        if line.isEmpty { return .empty }
        var writer = JSONWriter()
        writer.beginObject()
        // Invalid UTF-8 becomes replacement characters, which is better than no line.
        writer.member(.message, String(decoding: line, as: UTF8.self))
        writer.member(.timeOfLine, LocalTime.now)
        params += writer.bytes + (common.isEmpty ? [] : [.comma]) + common
        params.append(.closeBrace)
        return .event
    }
}
