internal import CPCRE2

/// A rule for the form of a text: a regular expression of PCRE2, which the whole text must match.
///
/// It is compiled for each comparison, in some microseconds: a compiled one may take a hundred times the memory of its text.
/// Comparing is bounded in time and memory for every expression and text.
package struct AnswerPattern: Sendable, Equatable {
    /// The expression as its author wrote it.
    package let text: String

    /// The longest expression, in bytes of UTF-8.
    package static let mostBytes = 500
    /// The longest text that is compared, in characters, and in bytes of UTF-8.
    package static let mostCharacters = 250
    private static let mostCompared = 1_000

    /// How much PCRE2 tries before it gives up, and the memory that it may take for it, in KiB.
    private static let mostSteps: UInt32 = 100_000
    private static let mostMemory: UInt32 = 4_096

    /// Why an expression cannot be compiled.
    package struct Fault: Error, Equatable {
        /// The words of PCRE2.
        package let reason: String
        /// Where it was noticed, in characters from the start.
        package let offset: Int
    }

    /// - Parameter text: compiled already, so known to be right.
    package init(checked text: String) { self.text = text }

    /// - Throws: `Fault`, also for an expression that is too long.
    package init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.mostBytes else {
            throw Fault(reason: "it has more than \(Self.mostBytes) bytes of UTF-8", offset: text.unicodeScalars.count)
        }
        self.text = text
        pcre2_code_free_8(try compiled())
    }

    /// Whether the whole text has this form. A text that is too long, or that takes too much to compare, has not.
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
        // A null pointer, as an empty text may have, is refused by earlier versions.
        let status = text.withCString { pcre2_match_8(code, Self.bytes($0), text.utf8.count, 0, 0, data, limits) }
        // 0 says that there was no room for groups, which nobody asks for.
        return status >= 0
    }

    /// - Returns: to be freed by the caller.
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
