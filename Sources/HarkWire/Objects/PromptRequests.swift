package struct PromptAsk: WireMethod {
    package typealias Result = PromptReport
    package static let name = "prompt.ask"

    package var question = ""
    package var message: String?
    package var options: [String]?
    package var multiple: Bool?
    package var text: Bool?
    package var scale: Int64?
    package var kind: AnyJSON?
    package var fallback: AnyJSON?
    package var timeoutSeconds: Int64?
    /// Under which answers are counted.
    package var name: String?
    package var uids: [UInt32]?
    package var app: String?
    package var keep: Bool?
    package var requirePresenter: Bool?
    package var promptId: Identifier?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("question", &question, "the question; at most 1,024 bytes")
        m("message", &message, "the text below it; at most 4,096 bytes")
        m("options", &options, "the options, at most 50 of 256 bytes each; one of them is the answer")
        m("multiple", &multiple, "true: several options may be chosen")
        m("text", &text, "true: the answer is a text; with `options`, a text may be added")
        m("scale", &scale, .integer(in: 2...10), "a rating from 1 to this is the answer")
        m(
            "kind", &kind, .anObject(.object, "an object with a 'type'"),
            "a question of another type, with the members that it has in a survey file, such as `{\"type\":\"number\",\"min\":0}`"
        )
        m(
            "default", &fallback, MemberType("an answer", .answer) { $0 },
            "the answer that counts when the prompt expires")
        m(
            "timeoutSeconds", &timeoutSeconds, .integer(in: 1...2_678_400),
            "when it expires, at most 31 days (7 days)")
        m("name", &name, "the name under which answers are recorded and counted, like the id of a survey (`prompt`)")
        m(
            "uids", &uids, .accounts,
            "the accounts that are asked, at most 16; the first answer counts. Only administrators may ask others"
        ) { .array($0.map { .int(Int64($0)) }) }
        m.whichApp(&app)
        m("keep", &keep, "true: it stays open when no connection is left that asked it or waits for it")
        m("requirePresenter", &requirePresenter, "true: refuse (`notFound`) if nothing would show it now")
        m(
            "promptId", &promptId,
            "a new id of your own: with it, a request that is sent again after a broken connection does not ask twice")
    }
}

extension MemberType<[UInt32]> {
    fileprivate static var accounts: MemberType {
        MemberType("an array of 1 to 16 different uids", .array(.uid)) { value in
            guard let elements = value.arrayValue, (1...16).contains(elements.count) else { return nil }
            let uids = elements.compactMap { $0.exactInteger.flatMap { UInt32(exactly: $0) } }
            // The maximum is not a valid user id.
            let isWhole = uids.count == elements.count && Set(uids).count == uids.count && !uids.contains(.max)
            return isWhole ? uids : nil
        }
    }
}

/// A method about a prompt that was asked.
package protocol PromptMethod: WireMethod where Result == PromptReport {
    var promptId: String { get set }
}

extension PromptMethod {
    package init(_ promptId: String) {
        self.init()
        self.promptId = promptId
    }

    /// The id; zeros if it is none, which no request that was read has.
    package var prompt: Identifier { Identifier(promptId) ?? Identifier(high: 0, low: 0) }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("promptId", &promptId, .id, "which prompt")
    }
}

package struct PromptWait: PromptMethod {
    package static let name = "prompt.wait"

    package var promptId = ""

    package init() {}
}

package struct PromptGet: PromptMethod {
    package static let name = "prompt.get"

    package var promptId = ""

    package init() {}
}

package struct PromptCancel: PromptMethod {
    package static let name = "prompt.cancel"

    package var promptId = ""

    package init() {}
}
