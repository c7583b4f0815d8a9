/// Turns the bytes of a terminal into keys.
///
/// A sequence may arrive in pieces, and a lone Esc looks like the start of one. So the caller waits a moment while
/// `isUndecided`, and then calls `settle`. Unknown sequences are dropped as a whole.
struct KeyDecoder {
    private var pending: ArraySlice<UInt8> = []
    /// The text of an unfinished paste.
    private var pasted: [UInt8]?

    private static let pasteEnd = Array("\u{1B}[201~".utf8)
    /// The maximum length of a sequence; a longer one is noise.
    private static let longestSequence = 64

    /// Whether pending bytes may be a complete key or the start of a longer one.
    var isUndecided: Bool { !pending.isEmpty && pasted == nil }

    mutating func feed(_ bytes: some Collection<UInt8>) -> [TerminalKey] {
        pending += bytes
        return decode(isLast: false)
    }

    /// Decodes the pending bytes as complete keys, because nothing has followed for a moment.
    mutating func settle() -> [TerminalKey] {
        pasted == nil ? decode(isLast: true) : []
    }

    private mutating func decode(isLast: Bool) -> [TerminalKey] {
        var keys: [TerminalKey] = []
        while !pending.isEmpty {
            if pasted != nil {
                guard let text = takePaste() else { break }
                keys.append(.paste(text))
                continue
            }
            switch Self.step(pending, isLast: isLast) {
            case .incomplete: return keys
            case .key(let key, let length):
                pending = pending.dropFirst(length)
                if let key { keys.append(key) }
            case .paste(let length):
                pending = pending.dropFirst(length)
                pasted = []
            }
        }
        return keys
    }

    /// Returns the pasted text, once its end has arrived.
    private mutating func takePaste() -> String? {
        var bytes = pasted ?? []
        // The end mark may arrive in two pieces.
        let from = max(0, bytes.count - Self.pasteEnd.count)
        bytes += pending
        pending = []
        guard let end = bytes[from...].firstRange(of: Self.pasteEnd) else {
            pasted = bytes
            return nil
        }
        pending = bytes[end.upperBound...]
        pasted = nil
        return String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
    }

    private enum Step {
        case incomplete
        /// Nil for an unknown sequence.
        case key(TerminalKey?, length: Int)
        case paste(length: Int)
    }

    private static func step(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Step {
        let bytes = ArraySlice(Array(bytes))
        switch bytes[0] {
        case 0x1B: return escape(bytes, isLast: isLast)
        case 0x0D, 0x0A: return .key(.enter, length: 1)
        case 0x09: return .key(.tab, length: 1)
        case 0x7F, 0x08: return .key(.backspace, length: 1)
        case 0x00: return .key(nil, length: 1)
        case 0x01...0x1A: return .key(.control(Character(Unicode.Scalar(bytes[0] + 0x60))), length: 1)
        case ..<0x20: return .key(nil, length: 1)
        default: return character(bytes, isLast: isLast)
        }
    }

    private static func character(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Step {
        let length =
            switch bytes[0] {
            case ..<0x80: 1
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard length > 0 else { return .key(nil, length: 1) }
        let tail = bytes.dropFirst().prefix(length - 1).prefix { $0 & 0xC0 == 0x80 }
        guard tail.count == length - 1 else {
            let mayGoOn = bytes.count == tail.count + 1
            return mayGoOn && !isLast ? .incomplete : .key(nil, length: tail.count + 1)
        }
        guard let text = String(validating: bytes.prefix(length), as: UTF8.self),
            let scalar = text.unicodeScalars.first, !(0x80..<0xA0).contains(scalar.value)
        else { return .key(nil, length: length) }
        return .key(.character(Character(scalar)), length: length)
    }

    private static func escape(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Step {
        guard bytes.count > 1 else { return isLast ? .key(.escape, length: 1) : .incomplete }
        switch bytes[1] {
        case UInt8(ascii: "["): return controlSequence(bytes, isLast: isLast)
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return isLast ? .key(nil, length: 2) : .incomplete }
            return .key(bytes[2] == UInt8(ascii: "M") ? .enter : final(bytes[2], modified: false), length: 3)
        case 0x1B:
            // Some terminals send this for Alt with a cursor key; otherwise it is Esc twice.
            guard bytes.count > 2 || isLast else { return .incomplete }
            let isSequence = bytes.count > 2 && (bytes[2] == UInt8(ascii: "[") || bytes[2] == UInt8(ascii: "O"))
            return .key(isSequence ? nil : .escape, length: 1)
        case UInt8(ascii: "b"): return .key(.wordLeft, length: 2)
        case UInt8(ascii: "f"): return .key(.wordRight, length: 2)
        case 0x0D: return .key(.enter, length: 2)
        default:
            // Alt with another character.
            guard case .key(_, let length) = step(bytes.dropFirst(), isLast: isLast) else { return .incomplete }
            return .key(nil, length: 1 + length)
        }
    }

    /// ESC [ parameters final
    private static func controlSequence(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> Step {
        let body = bytes.dropFirst(2)
        // The Linux console's F keys: ESC [ [ A.
        if body.first == UInt8(ascii: "[") {
            return bytes.count > 3 || isLast ? .key(nil, length: min(4, bytes.count)) : .incomplete
        }
        let parameters = body.prefix { (0x20...0x3F).contains($0) }
        let length = 2 + parameters.count + 1
        guard let last = body.dropFirst(parameters.count).first else {
            return isLast || bytes.count > longestSequence ? .key(nil, length: bytes.count) : .incomplete
        }
        // No other byte is valid in a sequence. The sequence ends before that byte, which is decoded separately.
        guard (0x40...0x7E).contains(last) else { return .key(nil, length: length - 1) }
        let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            Int(String(decoding: $0, as: UTF8.self)) ?? 0
        }
        if last == UInt8(ascii: "~") {
            return numbers.first == 200 ? .paste(length: length) : .key(numbered(numbers.first ?? 0), length: length)
        }
        return .key(final(last, modified: numbers.count > 1 && numbers[1] > 2), length: length)
    }

    /// - Parameter modified: Whether Alt or Control is held.
    private static func final(_ byte: UInt8, modified: Bool) -> TerminalKey? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): modified ? .wordRight : .right
        case UInt8(ascii: "D"): modified ? .wordLeft : .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "Z"): .backTab
        default: nil
        }
    }

    /// ESC [ number ~
    private static func numbered(_ number: Int) -> TerminalKey? {
        switch number {
        case 1, 7: .home
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        default: nil
        }
    }
}
