import HarkWire

/// `"held": {"count": 1, "parts": [{"id": "nps", "member": "quota", "version": "0.2.0", "whole": true}]}`
extension HeldBack {
    /// In bytes; longer values are cut, because a hub keeps them for each machine.
    private static let longest = 100

    init(_ value: JSONValue?) {
        let parts = (value?["parts"]?.arrayValue ?? []).prefix(HeldBack.most).compactMap { given -> Part? in
            guard let member = given["member"]?.stringValue,
                let version = given["version"]?.stringValue.flatMap(DocumentVersion.init)
            else { return nil }
            return Part(
                id: given["id"]?.stringValue?.cut(to: HeldBack.longest), member: member.cut(to: HeldBack.longest),
                version: version, isWhole: given["whole"]?.boolValue ?? false)
        }
        self.init(count: Int(clamping: max(0, value?["count"]?.exactInteger ?? 0)), parts: parts)
    }

    /// Writes nothing if nothing is held back.
    func write(to json: inout JSONWriter) {
        guard !isEmpty else { return }
        json.key("held")
        json.beginObject()
        json.member("count", UInt64(count.magnitude))
        json.key("parts")
        json.beginArray()
        for part in parts {
            json.beginObject()
            if let id = part.id { json.member("id", id) }
            json.member("member", part.member)
            json.member("version", part.version.description)
            json.key("whole")
            json.bool(part.isWhole)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }
}
