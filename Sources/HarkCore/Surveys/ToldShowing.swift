package import HarkWire

/// A showing as a row of the store, with all columns that replies and streams need. Its buffers are valid during one
/// call.
package struct ToldShowing {
    /// Includes the properties of the triggering event.
    package var row: ShowingRow
    package var id: Identifier
    package var survey: UnsafeBufferPointer<UInt8>
    /// The session in which the showing was last presented, else that of the triggering event.
    package var session: Identifier
    package var expires: Timestamp?
    package var prompt: (id: Identifier, asker: UInt32)?
    package var revises: Identifier?
    package var revisedBy: Identifier?
    package var changeableUntil: Timestamp?
    /// Same as `Presentation.shown`.
    package var shown: UnsafeBufferPointer<UInt8>

    package init(
        _ row: ShowingRow, id: Identifier, survey: UnsafeBufferPointer<UInt8>, session: Identifier,
        shown: UnsafeBufferPointer<UInt8>
    ) {
        (self.row, self.id, self.survey, self.session, self.shown) = (row, id, survey, session, shown)
    }

    /// Whether the row can be written as it is. Other rows are converted to presentations, which reports and repairs damage, and
    /// hides data that is private to the account (`Presentation.told`).
    package var isPlain: Bool {
        guard Properties.isWhole(row.answers), Properties.isWhole(row.times), Properties.isWhole(row.trigger),
            Properties.isText(survey), Properties.isText(row.user), Properties.isText(row.app),
            row.locale.map(Properties.isText) ?? true, row.reason.map(Properties.isText) ?? true,
            !(row.reason?.elementsEqual(SurveyGate.Check.muted.rawValue.utf8) ?? false)
        else { return false }
        return PackedTimes(row.times).items.map { PackedItem.forEach(in: $0) { _ in } } ?? true
    }

    /// Writes the showing as an object.
    ///
    /// - Parameters:
    ///   - version: the function that names the shown version (`ShownContents.version`); if given, the times of the
    ///     showing are written too.
    ///   - machine: the machine of the showing, on a hub.
    ///   - uid: the user's uid on that machine.
    package func write(
        to json: inout JSONWriter, version: ((UnsafeBufferPointer<UInt8>) -> String)? = nil,
        machine: MachineIdentity? = nil, uid: UInt32? = nil
    ) {
        json.beginObject()
        writeMembers(to: &json, version: version, uid: uid)
        machine?.writeMembers(to: &json)
        json.endObject()
    }

    /// Writes the showing as members of an object that the caller has opened.
    func writeMembers(
        to json: inout JSONWriter, version: ((UnsafeBufferPointer<UInt8>) -> String)?, uid: UInt32?
    ) {
        json.unchecked(upTo: bound) { text in
            writeBeginning(to: &text, uid ?? row.uid)
            guard let version else { return }
            if !row.times.isEmpty {
                PackedTimes(row.times).write(to: &text, answered: row.state == .answered ? row.closed : nil)
            }
            if let locale = row.locale {
                text.literal(#","language":"#)
                text.string(utf8: locale)
            }
            if !shown.isEmpty {
                text.literal(#","version":"#)
                text.string(version(shown))
            }
            if !row.trigger.isEmpty {
                text.literal(#","properties":"#)
                Properties.write(row.trigger, to: &text)
            }
        }
        // The order of a change is that of the showing before, which the person saw.
        if version != nil, revises == nil { SurveyContent.writeOrders(in: shown, of: prompt?.id ?? id, to: &json) }
    }

    /// The greatest length of the members, in bytes: names, ids, times and numbers take less than 2,000.
    private var bound: Int {
        func text(_ text: UnsafeBufferPointer<UInt8>?) -> Int { UncheckedJSONWriter.bound(ofString: text?.count ?? 0) }
        return 2_000 + text(survey) + text(row.user) + text(row.app) + text(row.locale) + text(row.reason)
            + Properties.textBound(row.answers) + Properties.textBound(row.times) + Properties.textBound(row.trigger)
    }

    private func writeBeginning(to text: inout UncheckedJSONWriter, _ uid: UInt32) {
        func write(_ name: StaticString, _ time: Timestamp?) {
            guard let time else { return }
            text.literal(name)
            text.timestamp(time)
        }
        func write(_ name: StaticString, _ id: Identifier?) {
            guard let id else { return }
            text.literal(name)
            text.identifier(id)
        }
        write(#""presentationId":"#, id)
        text.literal(#","surveyId":"#)
        text.string(utf8: survey)
        text.literal(#","state":"#)
        text.string(row.state.word)
        text.literal(#","userId":"#)
        if row.user.isEmpty { text.literal("null") } else { text.string(utf8: row.user) }
        text.literal(#","uid":"#)
        text.int(Int64(uid))
        text.literal(#","app":"#)
        text.string(utf8: row.app)
        write(#","sessionId":"#, session)
        write(#","triggerAt":"#, row.due)
        write(#","expiresAt":"#, expires)
        write(#","presentedAt":"#, row.presented)
        write(#","closedAt":"#, row.closed)
        if let prompt {
            write(#","promptId":"#, prompt.id)
            text.literal(#","askedBy":"#)
            text.int(Int64(prompt.asker))
        }
        if let reason = row.reason {
            text.literal(#","reason":"#)
            text.string(utf8: reason)
        }
        if !row.answers.isEmpty {
            text.literal(#","answers":"#)
            Answers.write(packed: row.answers, to: &text)
        }
        write(#","revises":"#, revises)
        write(#","revisedBy":"#, revisedBy)
        if row.state == .answered, revisedBy == nil { write(#","changeableUntil":"#, changeableUntil) }
    }
}

extension Answers {
    /// Writes packed answers as an object, in place.
    fileprivate static func write(packed: UnsafeBufferPointer<UInt8>, to json: inout UncheckedJSONWriter) {
        json.byte(UInt8(ascii: "{"))
        var isFirst = true
        /// The question whose choices are being written.
        var several: UnsafeBufferPointer<UInt8>?
        Properties.forEachMember(in: packed) { member in
            let isOneOfSeveral = member.key.first == UInt8(ascii: "m")
            if isOneOfSeveral, let several, several.hasSameBytes(as: member.key) {
                json.byte(UInt8(ascii: ","))
            } else {
                if several != nil { json.byte(UInt8(ascii: "]")) }
                if !isFirst { json.byte(UInt8(ascii: ",")) }
                isFirst = false
                json.string(utf8: UnsafeBufferPointer(rebasing: member.key.dropFirst()))
                json.literal(isOneOfSeveral ? ":[" : ":")
                several = isOneOfSeveral ? member.key : nil
            }
            switch member.value {
            // A number with a point is kept as the text that JSON has for it.
            case .string(let text) where member.key.first == UInt8(ascii: "d") && ExactNumber(text.text) != nil:
                for byte in text { json.byte(byte) }
            case .string(let text): json.string(utf8: text)
            case .integer(let number): json.int(number)
            case .double(let number): json.double(number)
            case .bool(let flag): json.bool(flag)
            }
        }
        if several != nil { json.byte(UInt8(ascii: "]")) }
        json.byte(UInt8(ascii: "}"))
    }
}

extension Presentation {
    /// Calls `body` with the presentation in the form of a store row, valid during the call.
    package func withTold<Failure>(_ body: (ToldShowing) throws(Failure) -> Void) throws(Failure) {
        var bytes: [UInt8] = []
        func lay(_ piece: some Sequence<UInt8>) -> Range<Int> {
            let start = bytes.count
            bytes.append(contentsOf: piece)
            return start..<bytes.count
        }
        let (survey, user, app) = (lay(self.survey.utf8), lay((self.user.userId ?? "").utf8), lay(self.app.utf8))
        let (locale, reason) = (self.locale.map { lay($0.utf8) }, self.reason.map { lay($0.utf8) })
        let (answers, times, trigger) = (
            lay(self.answers.packed.bytes), lay(self.times.properties.bytes), lay(self.trigger.bytes)
        )
        let shown = lay(self.shown)
        try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
            func piece(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
                UnsafeBufferPointer(rebasing: bytes[range])
            }
            let row = ShowingRow(
                state: state, uid: self.user.uid, user: piece(user), app: piece(app), locale: locale.map(piece),
                reason: reason.map(piece), due: dueAt, presented: presentedAt, closed: closedAt,
                answers: piece(answers),
                times: piece(times), trigger: piece(trigger))
            var told = ToldShowing(row, id: id, survey: piece(survey), session: session ?? origin, shown: piece(shown))
            told.expires = expiresAt
            told.prompt = prompt.map { ($0.id, $0.asker) }
            (told.revises, told.revisedBy, told.changeableUntil) = (revises, revisedBy, changeableUntil)
            try body(told)
        }
    }
}
