import HarkCore
import HarkDaemon
import HarkServer
import HarkWire

/// Puts one line through the reader and checks the rules that hold for every line.
struct LineCheck: ~Copyable {
    /// The result of a line.
    enum Outcome {
        case accepted
        case refused(ErrorReason)
        /// The reader broke a promise.
        case mismatch(String)
    }

    private var reader = RequestReader()
    private let orders = RecordOrderReader()
    /// The number of lines that the plain reader could read.
    private(set) var plain = 0
    private var second = RequestReader()
    private var writer = JSONWriter(reservingCapacity: 1 << 16)
    private var again = JSONWriter(reservingCapacity: 1 << 16)

    mutating func check(_ line: [UInt8]) -> Outcome {
        // Exactly as long as promised and never used twice, so that an address sanitizer sees each step too far.
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: line.count + JSONTape.padding)
        defer { buffer.deallocate() }
        _ = buffer.initialize(from: line + [UInt8](repeating: UInt8(ascii: "\""), count: JSONTape.padding))
        let text = UnsafeBufferPointer(rebasing: buffer[..<line.count])
        var plain: String?
        if let order = orders.read(plain: text) {
            plain = Self.describe(order)
            self.plain += 1
        }
        let request: Request
        do {
            request = try reader.read(text)
        } catch {
            return plain == nil ? check(error) : .mismatch("a line that is refused was read as a plain one")
        }
        if plain != nil || request.method.elementsEqual("event.record".utf8) {
            let order = try? Self.describe(orders.read(request))
            if let plain, plain != order || !request.method.elementsEqual("event.record".utf8) {
                return .mismatch("read as a plain line it asks for something else: \(plain)")
            }
        }
        if let params = request.params, let problem = Self.walk(params, depth: 2) { return .mismatch(problem) }
        return roundTrip(request)
    }

    private static func describe(_ order: borrowing RecordOrder) -> String {
        let members = order.properties.members.map { "\($0.key.utf8.map(\.self)) \($0.value)" }
        return """
            \(String(describing: order.id)) \(order.name) \(order.app) \(order.userId ?? "-") \
            \(String(describing: order.timestamp)) \(String(describing: order.producer)) \(members) \(order.warnings)
            """
    }

    private func check(_ refusal: Request.Refusal) -> Outcome {
        let error = refusal.error
        // The reader that explains refusals must agree with the parser that made them.
        if error.reason == .parseError, !error.message.contains(" at byte ") {
            return .mismatch("refused without a place: \(error)")
        }
        if error.reason != .parseError, error.path == nil { return .mismatch("refused without a path: \(error)") }
        return .refused(error.reason)
    }

    /// Writes the request anew and reads that: the same request must come out, and the same text from it.
    private mutating func roundTrip(_ request: Request) -> Outcome {
        Self.write(request, to: &writer)
        var text = writer.bytes
        let length = text.count
        text.append(contentsOf: repeatElement(UInt8(ascii: "{"), count: JSONTape.padding))
        return text.withUnsafeBufferPointer { text in
            do throws(Request.Refusal) {
                let copy = try second.read(UnsafeBufferPointer(rebasing: text[..<length]))
                guard copy.id == request.id, copy.params?.toValue() == request.params?.toValue() else {
                    return .mismatch("another request came back")
                }
                Self.write(copy, to: &again)
                return again.bytes == writer.bytes ? .accepted : .mismatch("another text came back")
            } catch {
                return .mismatch("what was written is refused: \(error.error)")
            }
        }
    }

    private static func write(_ request: Request, to writer: inout JSONWriter) {
        writer.bytes.removeAll(keepingCapacity: true)
        writer.beginObject()
        if let id = request.id {
            writer.key("id")
            writer.requestID(id)
        }
        writer.key("method")
        writer.string(utf8: request.method)
        if let params = request.params {
            writer.key("params")
            writer.node(params)
        }
        writer.endObject()
    }

    /// Checks every node; returns the first fault.
    private static func walk(_ node: JSONNode, depth: Int) -> String? {
        guard depth <= 32 || node.kind != .array && node.kind != .object else { return "nested too deep" }
        switch node.kind {
        case .null: return node.isNull ? nil : "a null is none"
        case .bool: return node.bool == nil ? "a bool is none" : nil
        case .int: return node.int == nil ? "an integer is none" : nil
        case .bigInt: return "an integer beyond Int64 was let through"
        case .double: return node.double?.isFinite == true ? nil : "a double is not finite"
        case .string:
            guard let utf8 = node.utf8, String(validating: utf8, as: UTF8.self) != nil else { return "not UTF-8" }
            return nil
        case .array:
            return node.elements?.lazy.compactMap { walk($0, depth: depth + 1) }.first
        case .object:
            guard let members = node.members else { return "an object is none" }
            var keys: Set<[UInt8]> = []
            for member in members {
                guard keys.insert(Array(member.key)).inserted else { return "a key was let through twice" }
                if let problem = walk(member.value, depth: depth + 1) { return problem }
            }
            return nil
        }
    }
}
