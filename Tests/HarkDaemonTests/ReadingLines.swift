import HarkDaemon
import HarkServer
import HarkWire

/// Reads a line like a connection, and copies the reader's results.
struct ReadLine: Equatable {
    var id: RequestID?
    var method: String
    var params: JSONValue?
    var unknownMembers: [String]
}

/// A line with the padding the parser wants; the padding is text, so that reading into it would show.
func withPadded<R>(_ line: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
    let padded = line + [UInt8](repeating: UInt8(ascii: "1"), count: JSONTape.padding)
    return try padded.withUnsafeBufferPointer { try body(UnsafeBufferPointer(rebasing: $0[..<line.count])) }
}

func read(_ line: [UInt8], with reader: inout RequestReader) throws -> ReadLine {
    let padded = line + [UInt8](repeating: UInt8(ascii: "1"), count: JSONTape.padding)
    return try padded.withUnsafeBufferPointer { buffer in
        let request = try reader.read(UnsafeBufferPointer(rebasing: buffer[..<line.count]))
        return ReadLine(
            id: request.id, method: String(decoding: request.method, as: UTF8.self), params: request.params?.toValue(),
            unknownMembers: request.unknownMembers)
    }
}

func read(_ line: String) throws -> ReadLine {
    var reader = RequestReader()
    return try read(Array(line.utf8), with: &reader)
}

/// The refusal of a line; nil if it is a request.
func refuse(_ line: [UInt8], maxNesting: Int = 32) -> Request.Refusal? {
    var reader = RequestReader(maxNesting: maxNesting)
    do {
        _ = try read(line, with: &reader)
        return nil
    } catch {
        return error as? Request.Refusal
    }
}

func refuse(_ line: String) -> Request.Refusal? { refuse(Array(line.utf8)) }
