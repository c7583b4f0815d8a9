/// Puts request lines together from parts that are JSON already.
package enum RequestLine {
    package static func append(
        to line: inout [UInt8], id: Int64, method: String, params: some Collection<UInt8>
    ) {
        line.append(contentsOf: "{\"id\":".utf8)
        line.append(contentsOf: String(id).utf8)
        line.append(contentsOf: ",\"method\":\"".utf8)
        line.append(contentsOf: method.utf8)
        line.append(contentsOf: "\",\"params\":".utf8)
        line.append(contentsOf: params)
        line.append(contentsOf: "}\n".utf8)
    }
}
