internal import CPCRE2

/// A regular expression of PCRE2 that a whole text must match.
///
/// It is compiled for each comparison, in some microseconds: a compiled expression may take a hundred times the memory of its
/// text. The time and memory of a comparison are bounded for every expression and text.
package struct AnswerPattern: Sendable, Equatable {
    /// The expression as its author wrote it.
    package let text: String

    /// The longest expression, in bytes of UTF-8.
    package static let mostBytes = 500
    /// The longest text that is compared, in characters, and in bytes of UTF-8.
    package static let mostCharacters = 250
    private static let mostCompared = 1_000

    /// The steps of PCRE2 before it gives up, and its memory in KiB.
    private static let mostSteps: UInt32 = 100_000
    private static let mostMemory: UInt32 = 4_096

    /// The reason why an expression cannot be compiled.
    package struct Fault: Error, Equatable {
        /// The message of PCRE2.
        package let reason: String
        /// The position of the fault, in characters from the start.
        package let offset: Int
    }

    /// - Parameter text: An expression that was compiled before, so it is known to be valid.
    package init(checked text: String) { self.text = text }

    /// - Throws: `Fault`, also for an expression that is too long.
    package init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.mostBytes else {
            throw Fault(reason: "it has more than \(Self.mostBytes) bytes of UTF-8", offset: text.unicodeScalars.count)
        }
        self.text = text
        pcre2_code_free_8(try compiled())
    }

    /// Whether the whole text matches. A text that is too long, or too costly to compare, does not.
    package func matches(_ text: String) -> Bool {
        guard text.utf8.count <= Self.mostCompared, let code = try? compiled() else { return false }
        defer { pcre2_code_free_8(code) }
        guard let data = pcre2_match_data_create_8(1, nil) else { return false }
        defer { pcre2_match_data_free_8(data) }
        guard let limits = pcre2_match_context_create_8(nil) else { return false }
        defer { pcre2_match_context_free_8(limits) }
        pcre2_set_match_limit_8(limits, Self.mostSteps)
        pcre2_set_depth_limit_8(limits, Self.mostSteps)
        pcre2_set_heap_limit_8(limits, Self.mostMemory)
        // Earlier versions refuse a null pointer, which an empty text may have.
        let status = text.withCString { pcre2_match_8(code, Self.bytes($0), text.utf8.count, 0, 0, data, limits) }
        // 0 means that there was no room for groups, which are not used here.
        return status >= 0
    }

    /// - Returns: The compiled expression, which the caller must free.
    private func compiled() throws(Fault) -> OpaquePointer {
        let options =
            UInt32(PCRE2_UTF) | UInt32(PCRE2_ANCHORED) | UInt32(PCRE2_ENDANCHORED)
            | UInt32(PCRE2_NEVER_BACKSLASH_C)
        var (status, offset): (Int32, Int) = (0, 0)
        let code = text.withCString {
            pcre2_compile_8(Self.bytes($0), text.utf8.count, options, &status, &offset, nil)
        }
        guard let code else {
            let before = text.utf8.prefix(offset)
            throw Fault(
                reason: Self.words(of: status), offset: String(decoding: before, as: UTF8.self).unicodeScalars.count)
        }
        return code
    }

    private static func bytes(_ text: UnsafePointer<CChar>) -> UnsafePointer<UInt8> {
        UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
    }

    private static func words(of status: Int32) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { buffer in
            let count = pcre2_get_error_message_8(status, buffer.baseAddress, buffer.count)
            return count > 0 ? String(decoding: buffer.prefix(Int(count)), as: UTF8.self) : "error \(status) of PCRE2"
        }
    }
}
