import HarkClient
import HarkWire

/// How a line of `hark log --stdin` becomes the params of a request: it is the message, and was said when it was read.
struct LogLine: LineForm {
    /// The members that the command line gives to every line, without braces.
    private let common: [UInt8]

    /// - Parameter params: an object that is not closed.
    init(_ params: JSONWriter) {
        common = Array(params.bytes.dropFirst())
    }

    func append(_ line: ArraySlice<UInt8>, to params: inout [UInt8]) -> RecordLine.Made {
        var line = line
        while let last = line.last, last.isJSONSpace { line.removeLast() }
        if line.isEmpty { return .empty }
        var writer = JSONWriter()
        writer.beginObject()
        // Programs say what they say; better a mark in a line than no line.
        writer.member(.message, String(decoding: line, as: UTF8.self))
        writer.member(.timeOfLine, LocalTime.now)
        params += writer.bytes + (common.isEmpty ? [] : [.comma]) + common
        params.append(.closeBrace)
        return .event
    }
}
