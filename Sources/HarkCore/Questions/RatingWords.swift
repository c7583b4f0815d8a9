/// Recognises the words of a rating in a label, in any case and among other words.
///
/// A list may have a megabyte of labels to search while clients wait, so the search goes byte by byte: only a run of
/// ASCII letters can be such a word, and the characters around matter only next to one.
enum RatingWords {
    /// Each word with its rank and the index of its face. The lowest rank wins: "Very Good" beats "Good".
    private static let words: [(word: [UInt8], rank: Int, face: Int)] = [
        ("poor", 0, 0), ("bad", 0, 0), ("fair", 1, 1), ("okay", 1, 1), ("great", 2, 3), ("excellent", 3, 4),
        ("amazing", 3, 4), ("outstanding", 3, 4), ("good", 4, 2),
    ].map { (Array($0.0.utf8), $0.1, $0.2) }
    private static let soSo = "so-so"
    private static let very = Array("very".utf8)
    private static let good = Array("good".utf8)
    /// The entry of "very good".
    private static let veryGood = (rank: 2, face: 3)
    private static let lengths = 3...11
    /// "Not great" is no better than "bad", and "not bad" no worse than "good", so a negated label has no face.
    private static let negations = ["not", "no", "never", "hardly"].map { Array($0.utf8) }

    /// The index of the face for a label; nil for one that is no rating, or is negated.
    static func face(of label: String) -> Int? {
        var label = label
        // The one such word that is no run of letters.
        if label.utf8.count == soSo.count, label.lowercased() == soSo { return 1 }
        return label.withUTF8(face)
    }

    private static func face(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        var best: (rank: Int, face: Int)?
        /// The end of a preceding "very", if no other run of letters followed it.
        var veryEnd: Int?
        var place = 0
        while place < text.count {
            guard isLetter(text[place]) else {
                place += 1
                continue
            }
            let start = place
            while place < text.count, isLetter(text[place]) { place += 1 }
            let run = text[start..<place]
            let behindVery = veryEnd
            veryEnd = nil
            if denies(run, in: text) { return nil }
            guard lengths.contains(run.count), isKnown(run), isWhole(start..<place, in: text) else { continue }
            if matches(run, very) {
                veryEnd = place
                continue
            }
            var found = words.first { matches(run, $0.word) }.map { (rank: $0.rank, face: $0.face) }
            if matches(run, good), let end = behindVery, !holdsWord(text[end..<start]) { found = veryGood }
            if let new = found, new.rank < (best?.rank ?? .max) { best = new }
        }
        return best?.face
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Whether a run of letters is a negation, or the end of one such as "isn't".
    private static func denies(_ run: Slice<UnsafeBufferPointer<UInt8>>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        if run.count == 1, matches(run, [UInt8(ascii: "t")]) {
            let before = String(decoding: text[max(0, run.startIndex - 4)..<run.startIndex], as: UTF8.self)
            return ["n'", "n\u{2019}"].contains { before.lowercased().hasSuffix($0) }
        }
        return negations.contains { matches(run, $0) } && isWhole(run.startIndex..<run.endIndex, in: text)
    }

    private static func isKnown(_ run: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        matches(run, very) || words.contains { matches(run, $0.word) }
    }

    private static func matches(_ run: Slice<UnsafeBufferPointer<UInt8>>, _ word: [UInt8]) -> Bool {
        run.count == word.count && zip(run, word).allSatisfy { $0 | 0x20 == $1 }
    }

    /// Whether no other letter adjoins a run of ASCII letters, as the accented one in "goodé" does.
    private static func isWhole(_ run: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        // A character has at most four bytes; a cut one at the far end of the four is not adjacent to the run.
        let before = String(decoding: text[max(0, run.lowerBound - 4)..<run.lowerBound], as: UTF8.self)
        let after = String(decoding: text[run.upperBound..<min(text.count, run.upperBound + 4)], as: UTF8.self)
        return !(before.unicodeScalars.last.map(belongsToWord) ?? false)
            && !(after.unicodeScalars.first.map(belongsToWord) ?? false)
    }

    /// Whether there is a word in the text between two others.
    private static func holdsWord(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        String(decoding: text, as: UTF8.self).unicodeScalars.contains(where: belongsToWord)
    }

    /// Whether a scalar is a letter or a combining mark.
    private static func belongsToWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.generalCategory == .nonspacingMark
    }
}
