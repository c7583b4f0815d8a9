import HarkClient
import HarkWire

/// Turns a line of `hark log --stdin` into params: the message, with the time at which it was read.
struct LogLine: LineForm {
    /// The params from the command line for every line.
    let common: LogWrite

    func append(_ line: ArraySlice<UInt8>, to params: inout [UInt8]) -> RecordLine.Made {
        var line = line
        while let last = line.last, last.isJSONSpace { line.removeLast() }
        if line.isEmpty { return .empty }
        var request = common
        // Invalid UTF-8 becomes replacement characters, which is better than no line.
        (request.message, request.timestamp) = (String(decoding: line, as: UTF8.self), LocalTime.now)
        params += request.json
        return .event
    }
}
