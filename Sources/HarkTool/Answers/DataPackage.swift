import HarkClient
import HarkWire

/// A codebook as a Frictionless Data Package (version 2): one table, with the type and meaning of each column.
struct DataPackage {
    private let book: Codebook

    init(_ book: Codebook) { self.book = book }

    var text: String {
        var name = String(
            book.survey.id.lowercased().map {
                $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "-"
            })
        if name.isEmpty { name = "survey" }
        let schema: JSONValue = [
            "fields": .array(book.variables.map(field)), "missingValues": [""], "primaryKey": ["showing"],
        ]
        let resource: JSONValue = [
            "name": "answers", "type": "table", "path": "answers.csv", "format": "csv", "mediatype": "text/csv",
            "encoding": "utf-8", "dialect": ["delimiter": ",", "doubleQuote": true, "lineTerminator": "\n"],
            "schema": schema,
        ]
        let package: JSONValue = [
            "$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": .string(name),
            "title": .string(book.survey.title), "resources": .array([resource]),
        ]
        return PrettyJSON.text(JSONText(package.description)) + "\n"
    }

    private func field(_ variable: Codebook.Variable) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("name", .string(variable.name)), ("type", .string(type(variable))),
            ("title", .string(variable.column.name)),
            ("description", .string(variable.column.meaning)),
        ]
        if variable.column.kind == .clock { members.append(("format", "%H:%M")) }
        let labels = variable.labels
        if !labels.isEmpty {
            members.append(
                (
                    "categories",
                    .array(labels.map { ["value": .int(Int64($0.code)), "label": .string($0.label)] as JSONValue })
                ))
            if case .choice = variable.column.kind { members.append(("categoriesOrdered", false)) }
        }
        if variable.hasMissingCodes {
            let codes = Codebook.missing.map {
                ["value": .string(String($0.code)), "label": .string($0.label)] as JSONValue
            }
            members.append(
                ("missingValues", .array([["value": "", "label": "nothing is known"] as JSONValue] + codes)))
        }
        return .object(JSONObject(members))
    }

    private func type(_ variable: Codebook.Variable) -> String {
        switch variable.column.kind {
        case .text, .word: "string"
        case .time: "datetime"
        case .date: "date"
        case .clock: "time"
        case .number, .measure(isWhole: false, _): "number"
        case .measure: "integer"
        case .integer, .flag, .choice, .score: "integer"
        }
    }
}
