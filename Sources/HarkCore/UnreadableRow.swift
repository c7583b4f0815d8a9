/// A row of the store that cannot be made sense of: it is passed over, and its neighbours are read as ever.
///
/// It holds what was found in it, so that a row that was written anew meanwhile is never taken for it.
package struct UnreadableRow: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        case counter(Scope, name: String)
        /// By its number in the table.
        case execution(Int64)
        case run(Int64)
        case presentation(Int64)
        case formAnswer(UserKey, form: String, question: String)
    }

    package let place: Place
    package let content: [UInt8]

    package init(_ place: Place, content: [UInt8]) {
        self.place = place
        self.content = content
    }

    /// What it was meant to be, without a word of what is in it.
    package var kind: String {
        switch place {
        case .counter: "a counter"
        case .execution: "an execution"
        case .run: "a run of an execution"
        case .presentation: "a presentation of a survey"
        case .formAnswer: "an answer to a form"
        }
    }
}
