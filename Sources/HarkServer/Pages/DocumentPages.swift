import HarkCore
import HarkSystem
package import HarkWire

/// Pages of a list in a document: the cursor is the id of the last element returned.
package enum DocumentPages {
    /// The elements after a cursor; all of them without one.
    package static func rest<Element>(
        of elements: [Element], after cursor: String?, id: (Element) -> String
    ) throws(WireError) -> ArraySlice<Element> {
        guard let cursor else { return elements[...] }
        guard let place = elements.firstIndex(where: { id($0).hasSameBytes(as: cursor) }) else {
            throw WireError(
                .invalidParams,
                "'after' must be the 'next' of an earlier page; if the list has changed since, start from the beginning",
                path: Params.path("after"))
        }
        return elements[(place + 1)...]
    }

    /// Writes elements up to the limit or the page size. A page ends by its bytes, so it is written piece by piece.
    ///
    /// - Returns: The number of written elements.
    @DaemonActor
    package static func write<Element>(
        _ elements: ArraySlice<Element>, limit: Int, to json: inout JSONWriter,
        _ write: (Element, inout JSONWriter) -> Void
    ) -> Int {
        let start = json.bytes.count
        var count = 0
        for element in elements.prefix(limit) {
            if count > 0, json.bytes.count - start >= Method.pageBytes { break }
            write(element, &json)
            count += 1
        }
        return count
    }
}

extension Call {
    /// Writes the requested page of a list under its name, and the cursor of the next page.
    package func writePage<Element>(
        _ name: StaticString, of elements: [Element], after: String?, limit: Int64?, id: (Element) -> String,
        to json: inout JSONWriter,
        _ write: (Element, inout JSONWriter) -> Void
    ) throws(WireError) {
        let rest = try DocumentPages.rest(of: elements, after: after, id: id)
        json.key(name)
        json.beginArray()
        let count = DocumentPages.write(rest, limit: Int(limit ?? 1_000), to: &json, write)
        json.endArray()
        json.member("next", orNull: count < rest.count ? rest.prefix(count).last.map(id) : nil)
    }
}
