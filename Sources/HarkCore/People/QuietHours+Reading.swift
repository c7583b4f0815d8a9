package import HarkWire

extension QuietHours {
    /// The text form in the store: `22:00-07:00 sat,sun`, several separated by `;`.
    package var text: String {
        spans.map { [$0.between, $0.days].compactMap(\.self).joined(separator: " ") }.joined(separator: ";")
    }

    /// - Returns: nil for text that `text` cannot have written.
    package init?(text: String) {
        var spans: [WatchHours] = []
        do throws(WireError) {
            for part in text.split(separator: ";") {
                let words = part.split(separator: " ").map(String.init)
                guard (1...2).contains(words.count),
                    let span = try WatchHours(between: words[0], days: words.count > 1 ? words[1] : nil)
                else { return nil }
                spans.append(span)
            }
            try self.init(spans)
        } catch {
            return nil
        }
    }

    /// Reads the form in documents and requests: an array of `{"from": "22:00", "until": "07:00", "days": ["sat",
    /// "sun"]}`.
    ///
    /// - Returns: nil for an empty array.
    /// - Throws: an error with the path of the fault, relative to the array.
    package static func read(_ spans: [JSONValue]) throws(WireError) -> QuietHours? {
        var read: [WatchHours] = []
        for (place, value) in spans.enumerated() {
            do throws(WireError) {
                read.append(try span(value))
            } catch {
                throw WireError(error.reason, error.message, path: "[\(place)]")
            }
        }
        guard !read.isEmpty else { return nil }
        return try QuietHours(read)
    }

    private static func span(_ value: JSONValue) throws(WireError) -> WatchHours {
        guard case .object(let members) = value else { throw wrong }
        for key in members.keys where !["from", "until", "days"].contains(key) { throw wrong }
        guard let from = value["from"]?.stringValue, let until = value["until"]?.stringValue else { throw wrong }
        var days: String?
        if let list = value["days"] {
            let names = (list.arrayValue ?? []).compactMap(\.stringValue)
            guard names.count == list.arrayValue?.count, !names.isEmpty else { throw wrong }
            days = names.joined(separator: ",")
        }
        do throws(WireError) {
            guard let span = try WatchHours(between: "\(from)-\(until)", days: days) else { throw wrong }
            return span
        } catch {
            throw wrong
        }
    }

    private static var wrong: WireError {
        WireError(
            .invalidParams,
            #"quiet hours are given like {"from": "22:00", "until": "07:00", "days": ["sat", "sun"]}, without 'days' for all; a "#
                + "day ends at 24:00, and hours over midnight belong to the day on which they begin")
    }

    /// The spans in the form that `read` takes.
    package var told: [QuietSpan] {
        spans.map { span in
            let ends = (span.between ?? "").split(separator: "-").map(String.init)
            var told = QuietSpan()
            told.from = ends.first ?? ""
            told.until = ends.last ?? ""
            told.days = span.days.map { $0.split(separator: ",").map(String.init) }
            return told
        }
    }

    package func write(to json: inout JSONWriter) {
        json.beginArray()
        for span in told { span.write(to: &json) }
        json.endArray()
    }
}
