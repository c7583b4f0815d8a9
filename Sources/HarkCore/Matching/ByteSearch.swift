/// Searches bytes in time proportional to the length of both texts, for any content (Knuth, Morris, Pratt).
enum ByteSearch {
    /// The first position of `part` in `text`; nil when there is none.
    static func first(_ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard part.count <= text.count else { return nil }
        guard let head = part.first else { return 0 }
        guard part.count > 1 else { return text.firstIndex(of: head) }
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: part.count) { borders in
            fill(borders, part)
            var matched = 0
            var place = 0
            while place < text.count {
                if matched == 0 {
                    // Skips quickly to the next byte that can begin a match.
                    while place < text.count, text[place] != head { place &+= 1 }
                    guard place <= text.count - part.count else { return nil }
                }
                if text[place] == part[matched] {
                    matched &+= 1
                    place &+= 1
                    if matched == part.count { return place - matched }
                } else if matched > 0 {
                    matched = borders[matched - 1]
                } else {
                    place &+= 1
                }
            }
            return nil
        }
    }

    /// Fills in, for each prefix of the part, the length of its longest border: a proper prefix that is also its
    /// suffix.
    private static func fill(_ borders: UnsafeMutableBufferPointer<Int>, _ part: UnsafeBufferPointer<UInt8>) {
        borders.initialize(repeating: 0)
        var matched = 0
        for place in 1..<part.count {
            while matched > 0, part[place] != part[matched] { matched = borders[matched - 1] }
            if part[place] == part[matched] { matched += 1 }
            borders[place] = matched
        }
    }
}
