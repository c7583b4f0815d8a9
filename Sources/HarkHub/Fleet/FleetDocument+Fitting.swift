import HarkCore
package import HarkFleet
package import HarkWire

extension FleetDocument {
    /// The message with what each version of Hark can read of the document, made from the original.
    ///
    /// It is made once, however many machines there are: they take what is for them, also one that is off meanwhile, updated, or
    /// set back.
    func fitted(by rows: DocumentFit.Rows = .all) -> FleetDocument {
        guard kind != .flags, let text, let original = try? JSONDocument(Array(text.utf8), .json5).value else {
            return self
        }
        var fitted: [Text] = []
        for reads in [DocumentVersion.first] + rows.versions {
            var fit = DocumentFit(original, kind, to: reads, by: rows)
            // The rest may refer to held-back parts, and would be refused.
            if !fit.isWhole, !FleetDocuments.issues(of: fit.text, kind).errors.isEmpty { fit.holdAllBack() }
            let readable = fit.isWhole ? text : String(decoding: fit.text, as: UTF8.self)
            if let last = fitted.last, last.text.hasSameBytes(as: readable), last.held == fit.held { continue }
            fitted.append(Text(reads: reads, text: readable, held: fit.held))
            if fit.isWhole { break }
        }
        guard let first = fitted.first else { return self }
        var message = FleetDocument(kind: kind, version: version, pushedAt: pushedAt, text: first.text)
        message.held = first.held
        message.texts = Array(fitted.dropFirst())
        return message
    }

    /// Each text with the file that it is kept in; the texts for version 0.1.0 are where that version looks for them.
    package func files(group: String?) -> [(name: String, bytes: [UInt8])] {
        guard let text else { return [] }
        let later = texts.map { (FleetDocuments.file(kind, group: group, reads: $0.reads), Array($0.text.utf8)) }
        return [(FleetDocuments.file(kind, group: group), Array(text.utf8))] + later
    }
}

extension DocumentFit {
    fileprivate var text: [UInt8] {
        var json = JSONWriter()
        json.value(document)
        return json.bytes
    }
}

extension FleetDocumentInfo {
    package mutating func tell(_ held: HeldBack) {
        heldCount = Int64(clamping: held.count)
        self.held = held.parts.map(FleetHeldInfo.init)
    }
}
