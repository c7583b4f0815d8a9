/// How lines of standard input become the params of requests.
protocol LineForm {
    /// Appends the params of one line, or nothing.
    mutating func append(_ line: ArraySlice<UInt8>, to params: inout [UInt8]) throws(ToolError) -> RecordLine.Made

    /// What is wrong with the last line, which is not at its end.
    var unfinished: String? { get }
}

extension LineForm {
    var unfinished: String? { nil }
}
