/// Parts of a document that a version of Hark does not get because it cannot read them.
package struct HeldBack: Sendable, Equatable {
    package struct Part: Sendable, Equatable {
        /// The survey or form; nil: the document.
        package var id: String?
        /// Where it is in there, such as `questions[1].type: ranking`.
        package var member: String
        /// The version it came with.
        package var version: DocumentVersion
        /// Whether all of the survey, form or document is held back; false: only the member is left out.
        package var isWhole: Bool

        package init(id: String?, member: String, version: DocumentVersion, isWhole: Bool) {
            self.id = id
            self.member = member
            self.version = version
            self.isWhole = isWhole
        }
    }

    /// How many surveys or forms are held back.
    package var count = 0
    /// Some of the parts that are held back or left out; those held back come first.
    package private(set) var parts: [Part] = []

    package static let none = HeldBack()
    /// The most parts to list.
    package static let most = 20

    package init(count: Int = 0, parts: [Part] = []) {
        self.count = count
        self.parts = Array((parts.filter(\.isWhole) + parts.filter { !$0.isWhole }).prefix(HeldBack.most))
    }

    package var isEmpty: Bool { count == 0 && parts.isEmpty }
}
