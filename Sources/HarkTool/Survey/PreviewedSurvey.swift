import HarkAsking
import HarkClient
import HarkWire

/// A survey of a file, with a trigger of the preview's own.
struct PreviewedSurvey {
    static let event = "preview"

    let file: String
    let document: [UInt8]

    /// Members that refer to other parts of the file, or to a trigger that is replaced.
    private static let leftOut: Set<String> = ["trigger", "groups", "whenAway", "finishWithinSeconds", "quietHours"]

    /// - Parameter variant: the wording to show; nil: the daemon draws one.
    init(_ id: String?, in file: String, variant: String? = nil) throws(ToolError) {
        self.file = file
        let text = JSONText(ArraySlice(try InputFile.read(file)))
        let surveys = text.member("surveys")?.elements ?? []
        let ids = surveys.map { $0.member("id")?.string ?? "" }
        guard let place = id == nil && ids.count == 1 ? 0 : ids.firstIndex(where: { $0 == id }) else {
            if ids.isEmpty {
                throw ToolError(
                    .data, "\(file) has no surveys", hint: "'hark config validate \(file)' tells what is wrong with it."
                )
            }
            let names = ids.map { VisibleText.value($0) }.joined(separator: ", ")
            throw ToolError(
                .noInput, id.map { "\(file) has no survey \(VisibleText.value($0))" } ?? "\(file) has several surveys",
                hint: "Name one of \(names).")
        }
        var writer = JSONWriter()
        writer.beginObject()
        let folder = try Self.folder(of: file)
        var wording: JSONValue?
        if let variant { wording = try Self.wording(variant, of: surveys[place], called: ids[place]) }
        for (key, value) in surveys[place].membersByName where !Self.leftOut.contains(key) {
            writer.key(key)
            if key == "variants", let wording {
                writer.value(Self.placed(wording, in: folder))
            } else if let read = try? JSONDocument(Array(value.line), .json5).value {
                writer.value(Self.placed(read, in: folder))
            } else {
                writer.raw(value.line)
            }
        }
        writer.key("trigger")
        writer.raw(#"{"event":{"name":"\#(Self.event)"}}"#.utf8.map { $0 })
        writer.endObject()
        document = writer.bytes
    }

    /// The variants, all replaced by the requested one, as a survey has no fewer than two.
    private static func wording(
        _ id: String, of survey: JSONText, called name: String
    ) throws(ToolError) -> JSONValue {
        let variants = (survey.member("variants").flatMap { try? JSONDocument(Array($0.line), .json5).value })?
            .arrayValue
        guard let variants, !variants.isEmpty else {
            throw ToolError(
                .noInput, "the survey \(VisibleText.value(name)) has no variants", hint: "Leave '--variant' out.")
        }
        let ids = variants.map { $0.objectValue?["id"]?.stringValue ?? "" }
        guard let place = ids.firstIndex(where: { $0.utf8.elementsEqual(id.utf8) }),
            let members = variants[place].objectValue
        else {
            throw ToolError(
                .noInput, "the survey \(VisibleText.value(name)) has no variant \(VisibleText.value(id))",
                hint: "Name one of \(ids.map { VisibleText.value($0) }.joined(separator: ", ")).")
        }
        // The daemon reports the faults of a single variant.
        guard variants.count > 1 else { return .array(variants) }
        let twin = JSONObject(
            members.map { ($0.key, $0.key == "id" ? .string(id == "twin" ? "other" : "twin") : $0.value) })
        return .array([variants[place], .object(twin)])
    }

    private static func folder(of file: String) throws(ToolError) -> String {
        let folder = file == "-" ? "." : Examination.folder(of: file)
        return folder.hasPrefix("/") ? folder : "\(try Command.currentFolder())/\(folder)"
    }

    /// Makes the paths of images start at the folder of the file, as the daemon of a preview has another one.
    static func placed(_ value: JSONValue, in folder: String) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { placed($0, in: folder) })
        case .object(let object):
            let members = object.map { member -> (String, JSONValue) in
                guard member.key == "image", let file = member.value.stringValue, !file.hasPrefix("/"),
                    file.contains(where: { !$0.isWhitespace }), !file.contains("://")
                else { return (member.key, placed(member.value, in: folder)) }
                return (member.key, .string("\(folder)/\(file)"))
            }
            return .object(JSONObject(members))
        default: return value
        }
    }
}
