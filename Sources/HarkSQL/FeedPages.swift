import HarkClient
import HarkWire

/// The records of `event.list` or `log.list` between two numbers, ascending or descending.
///
/// Pages start small, because a statement may want only a few rows, and grow to the daemon's maximum. From then on the
/// next page is requested while one is processed.
final class FeedPages: RowSource {
    private let feed: Feed
    private let query: FeedQuery
    private let newest: Int64
    /// Where the next page starts; nil for the very beginning.
    private var place: Int64?
    private var limit: Int64 = 256
    private var line: Line?
    private var awaited: Int64?
    private var page: (bytes: ArraySlice<UInt8>, elements: ArraySlice<Range<Int>>) = ([], [])
    private var isLast = false
    private var isOver = false
    /// The pages read so far, while they are small enough to be kept.
    private var kept: (key: [UInt8], pages: [[UInt8]], bytes: Int)?
    private var replay: ArraySlice<[UInt8]>?

    private static let mostOfPage: Int64 = 10_000

    init(_ feed: Feed, _ query: FeedQuery) throws {
        self.feed = feed
        self.query = query
        newest = try feed.newestNumber(of: query.kind)
        place = query.descending ? min(query.before, newest &+ 1) : query.after
        // The other bound is part of the key too, because it limits how much was read.
        let bounds = "\(query.kind) \(query.after) \(query.before)"
        let key = query.request(from: place, limit: limit).json + Array(bounds.utf8)
        if let pages = feed.pages[key] {
            replay = pages[...]
        } else {
            kept = (key, [], 0)
        }
    }

    /// A statement may end early. A pending reply is then not read, and the connection is closed.
    deinit {
        if let line, awaited == nil { feed.giveBack(line) }
    }

    func next() throws -> JSONText? {
        while true {
            if let element = page.elements.popFirst() { return JSONText(page.bytes[element]) }
            if isOver { return nil }
            if isLast {
                isOver = true
                if let kept { feed.pages.keep(kept.pages, as: kept.key) }
                return nil
            }
            try turn()
        }
    }

    /// Fetches the next page.
    private func turn() throws {
        if replay != nil {
            guard let bytes = replay?.popFirst() else {
                isOver = true
                return
            }
            take(bytes[...], JSONText(bytes[...]).page(of: query.kind.member, next: "nextAfterSeq").elements)
            return
        }
        let line = try self.line ?? feed.take()
        self.line = line
        let id = try awaited ?? line.connection.submit(query.request(from: place, limit: limit))
        awaited = id
        let result = try line.result(of: id, unless: feed.interruption)
        awaited = nil
        let (elements, next) = result.page(of: query.kind.member, next: "nextAfterSeq")
        place = next?.int
        limit = min(limit * 8, Self.mostOfPage)
        take(result.bytes, elements)
        isLast = isLast || place == nil
        keep(result)
        if isLast {
            self.line = nil
            feed.giveBack(line)
        } else if limit == Self.mostOfPage {
            awaited = try line.connection.submit(query.request(from: place, limit: limit))
        }
    }

    /// Takes the records between the bounds. A record beyond them ends the list.
    private func take(_ bytes: ArraySlice<UInt8>, _ elements: [Range<Int>]) {
        page = (bytes, elements[...])
        func number(_ element: Range<Int>) -> Int64 { JSONText(bytes[element]).member("seq")?.int ?? 0 }
        func isBeyond(_ element: Range<Int>) -> Bool {
            let number = number(element)
            return query.descending ? number <= query.after : number >= query.before || number > newest
        }
        while let last = page.elements.last, isBeyond(last) {
            page.elements.removeLast()
            isLast = true
        }
    }

    private func keep(_ result: JSONText) {
        guard var keeping = kept else { return }
        kept = nil
        keeping.bytes += result.bytes.count
        guard keeping.bytes <= PageMemory.mostOfOne else { return }
        keeping.pages.append(Array(result.bytes))
        kept = keeping
    }
}
