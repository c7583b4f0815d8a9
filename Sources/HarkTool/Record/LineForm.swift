/// Turns lines of standard input into params of requests.
protocol LineForm {
    /// Appends the params of a line, if it has any.
    mutating func append(_ line: ArraySlice<UInt8>, to params: inout [UInt8]) throws(ToolError) -> RecordLine.Made

    /// The problem with a last line that does not end a record.
    var unfinished: String? { get }
}

extension LineForm {
    var unfinished: String? { nil }
}
