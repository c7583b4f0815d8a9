package import HarkWire

extension Questionnaire {
    static let maxQuestions = 200

    /// Reads a document that is nothing but an array of questions.
    ///
    /// - Returns: no questions when there are errors.
    package static func read(_ document: JSONValue) -> (questionnaire: Questionnaire?, issues: DocumentIssues) {
        let issues = IssueCollector()
        guard let elements = document.arrayValue else {
            issues.error("$", "must be an array of questions")
            return (nil, issues.issues)
        }
        let questionnaire = read(elements.enumerated().map { ($1, "$[\($0)]") }, path: "$", issues: issues)
        return (issues.issues.errors.isEmpty ? questionnaire : nil, issues.issues)
    }

    static func read(_ key: String, in reader: inout ObjectReader) -> Questionnaire? {
        guard let elements = reader.elements(key) else { return nil }
        return read(elements, path: reader.path(key), issues: reader.issues)
    }

    /// Reads questions and makes sure that every way through them ends.
    private static func read(
        _ elements: [(value: JSONValue, path: String)], path: String, issues: IssueCollector
    ) -> Questionnaire? {
        guard (1...maxQuestions).contains(elements.count) else {
            issues.error(path, "must hold from 1 to \(maxQuestions) questions")
            return nil
        }
        let read = elements.map { (path: $0.path, question: Question.read($0.value, path: $0.path, issues: issues)) }
        var ids: Set<ExactName> = []
        for (path, question) in read {
            guard let id = question?.id else { continue }
            if !ids.insert(ExactName(id)).inserted { issues.error("\(path).id", "there is another question '\(id)'") }
        }
        for (path, question) in read {
            for case .question(let id) in question?.branches.map(\.target) ?? [] where !ids.contains(ExactName(id)) {
                issues.error("\(path).next", "leads to '\(id)', but there is no such question")
            }
        }
        let questionnaire = Questionnaire(read.compactMap(\.question))
        guard questionnaire.questions.count == read.count, ids.count == read.count else { return nil }
        questionnaire.checkWays(read.map(\.path), issues)
        return questionnaire
    }

    /// Where the questions lead to, by their places; a place past the last is the end.
    private var ways: [[Int]] {
        questions.indices.map { place in
            let question = questions[place]
            let targets = question.branches.compactMap { branch in
                switch branch.target {
                case .end: questions.count
                case .question(let id): questions.firstIndex { $0.id.hasSameBytes(as: id) }
                }
            }
            let endsInBranch = question.branches.contains { $0.condition == nil }
            return endsInBranch ? targets : targets + [place + 1]
        }
    }

    private func checkWays(_ paths: [String], _ issues: IssueCollector) {
        let ways = ways
        var state = [Bool?](repeating: nil, count: questions.count + 1)

        /// Walks on from a place; true while its ways are being walked, false after.
        func walk(_ place: Int) {
            state[place] = true
            for next in place < ways.count ? ways[place] : [] {
                if state[next] == true {
                    issues.error(
                        "\(paths[place]).next",
                        "leads back to '\(questions[next].id)'; a way through the questions must not loop")
                } else if state[next] == nil {
                    walk(next)
                }
            }
            state[place] = false
        }

        walk(0)
        for place in questions.indices where state[place] == nil {
            issues.warning(paths[place], "no way leads to the question '\(questions[place].id)'")
        }
    }
}
