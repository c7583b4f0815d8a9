internal import HarkWire

/// Builds request lines from parts that are JSON already.
package enum RequestLine {
    package static func append(
        to line: inout [UInt8], id: Int64, method: String, params: [UInt8]
    ) {
        append(to: &line, id: id, method: method) { $0.append(contentsOf: params) }
    }

    /// - Parameters:
    ///   - id: 0 or more.
    ///   - params: Appends the params.
    @inline(__always) static func append(
        to line: inout [UInt8], id: Int64, method: String, params: (inout [UInt8]) -> Void
    ) {
        line += idOpening
        line.append(number: id.magnitude)
        line += methodOpening
        line += method.utf8
        line += paramsOpening
        params(&line)
        line += end
    }

    private static let idOpening = Array(#"{"id":"#.utf8)
    private static let methodOpening = Array(#","method":""#.utf8)
    private static let paramsOpening = Array(#"","params":"#.utf8)
    private static let end = Array("}\n".utf8)
}
