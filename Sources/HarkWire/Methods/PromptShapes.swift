/// The shapes of `prompt.*`.
extension MethodShape {
    package static let promptAsk = MethodShape(
        "prompt.ask",
        [
            .required(.promptQuestion), .optional(.promptMessage), .optional(.promptOptions),
            .optional(.takesSeveral), .optional(.takesText), .optional(.promptScale), .optional(.promptKind),
            .optional(.promptDefault), .optional(.promptTimeout), .optional(.promptName), .optional(.promptUIDs),
            .optional(.app),
            .optional(.keepsPrompt), .optional(.requiresPresenter), .optional(.promptToAsk),
        ], result: PromptReport.members)

    package static let promptWait = MethodShape("prompt.wait", [.required(.prompt)], result: PromptReport.members)

    package static let promptGet = MethodShape("prompt.get", [.required(.prompt)], result: PromptReport.members)

    package static let promptCancel = MethodShape("prompt.cancel", [.required(.prompt)], result: PromptReport.members)
}

extension Parameter<Identifier> {
    package static var prompt: Parameter { Parameter("promptId", .identifier, "which prompt") }
    package static var promptToAsk: Parameter {
        Parameter(
            "promptId", .identifier,
            "a new id of your own: sent again after a broken connection, the same is not asked twice")
    }
}

extension Parameter<String> {
    package static var promptQuestion: Parameter {
        Parameter("question", .string, "what is asked; at most 1,024 bytes")
    }
    package static var promptMessage: Parameter {
        Parameter("message", .string, "what is said below it; at most 4,096 bytes")
    }
    package static var promptName: Parameter {
        Parameter("name", .string, "under which answers are recorded and counted, as the id of a survey (`prompt`)")
    }
}

extension Parameter<[String]> {
    package static var promptOptions: Parameter {
        Parameter("options", .strings, "one of which is the answer; at most 50 of 256 bytes")
    }
}

extension Parameter<Bool> {
    package static var takesSeveral: Parameter { Parameter("multiple", .bool, "true: several options may be chosen") }
    package static var takesText: Parameter {
        Parameter("text", .bool, "true: a text is the answer; beside `options`, it may be added")
    }
    package static var keepsPrompt: Parameter {
        Parameter("keep", .bool, "true: it stays open when no connection that asked or waits is left")
    }
    package static var requiresPresenter: Parameter {
        Parameter("requirePresenter", .bool, "true: refuse (`notFound`) where nothing would show it now")
    }
}

extension Parameter<Int> {
    package static var promptScale: Parameter {
        Parameter("scale", .integer(in: 2...10), "a rating from 1 to this is the answer")
    }
}

extension Parameter<Int64> {
    package static var promptTimeout: Parameter {
        Parameter(
            "timeoutSeconds", .integer(in: 1...2_678_400), "after which it expires, at most 31 days (7 days)")
    }
}

extension Parameter<JSONValue> {
    package static var promptDefault: Parameter {
        Parameter(
            "default", MemberType("an answer", Shape.answer) { $0 }, "the answer that counts once it has expired")
    }

    package static var promptKind: Parameter {
        Parameter(
            "kind", MemberType("an object with a 'type'", .object) { $0.objectValue == nil ? nil : $0 },
            "a question of another type, with the members that it has in a survey file, such as "
                + "`{\"type\":\"number\",\"min\":0}`")
    }
}

extension Parameter<[UInt32]> {
    package static var promptUIDs: Parameter {
        let words = "an array of 1 to 16 different uids"
        let type = MemberType(words, .array(.uid)) { value -> [UInt32]? in
            guard let elements = value.arrayValue, (1...16).contains(elements.count) else { return nil }
            let uids = elements.compactMap { $0.exactInteger.flatMap { UInt32(exactly: $0) } }
            // The maximum is not a valid user id.
            let isWhole = uids.count == elements.count && Set(uids).count == uids.count && !uids.contains(.max)
            return isWhole ? uids : nil
        }
        return Parameter(
            "uids", type, "who is asked, at most 16; the first answer counts. Others than yourself: administrators only"
        )
    }
}

extension JSONWriter {
    package mutating func member(_ parameter: Parameter<[UInt32]>, _ numbers: [UInt32]) {
        key(parameter.name)
        beginArray()
        for number in numbers { uint(UInt64(number)) }
        endArray()
    }
}

/// The state of a prompt.
package enum PromptState: String, Sendable, CaseIterable {
    /// It waits for an answer.
    case open
    case answered
    /// Everybody who was asked declined.
    case dismissed
    /// Nobody answered in time.
    case expired
    /// It was withdrawn, or the records it belongs to were cleared.
    case cancelled
}
