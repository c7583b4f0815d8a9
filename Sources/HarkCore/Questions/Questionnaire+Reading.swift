package import HarkWire

extension Questionnaire {
    static let maxQuestions = 200

    /// Reads a document that is an array of questions.
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

    /// - Parameter hasValues: whether conditions may refer to values other than answers.
    static func read(_ key: String, in reader: inout ObjectReader, hasValues: Bool = false) -> Questionnaire? {
        guard let elements = reader.elements(key) else { return nil }
        return read(elements, path: reader.path(key), hasValues: hasValues, issues: reader.issues)
    }

    /// Reads questions and checks that every path through them ends.
    private static func read(
        _ elements: [(value: JSONValue, path: String)], path: String, hasValues: Bool = false, issues: IssueCollector
    ) -> Questionnaire? {
        guard (1...maxQuestions).contains(elements.count) else {
            issues.error(path, "must hold from 1 to \(maxQuestions) questions")
            return nil
        }
        let all = elements.map { (path: $0.path, questions: Question.readAll($0.value, path: $0.path, issues: issues)) }
        let read = all.flatMap { element in element.questions.map { (path: element.path, question: $0) } }
        var (ids, others): (Set<ExactName>, Set<ExactName>) = ([], [])
        /// The targets of branches: the document's questions, each with the first question that was read from it.
        var targets: [ExactName: String] = [:]
        for (path, questions) in all {
            let own = questions.first.map { $0.matrix?.id ?? $0.id }
            for id in Set(questions.map(\.id) + [own].compactMap(\.self)).sorted() {
                if !ids.insert(ExactName(id)).inserted {
                    issues.error("\(path).id", "there is another question '\(id)'")
                }
            }
            if let own { targets[ExactName(own)] = questions[0].id }
            for question in questions where question.otherText != nil {
                others.insert(ExactName(Question.otherId(of: question.id)))
            }
        }
        for (path, question) in read where others.contains(ExactName(question.id)) {
            issues.error("\(path).id", "is that of the text of an 'other' before; take another id")
        }
        for (path, question) in read {
            for case .question(let id) in question.branches.map(\.target) where targets[ExactName(id)] == nil {
                issues.error("\(path).next", "leads to '\(id)', but there is no such question")
            }
        }
        let count = all.count { $0.questions.first?.matrix != nil }
        guard !all.contains(where: \.questions.isEmpty), ids.count == read.count + count else { return nil }
        guard read.count <= maxQuestions else {
            issues.error(path, "must hold up to \(maxQuestions) questions; each row of a matrix is one")
            return nil
        }
        let questionnaire = Questionnaire(read.map { $0.question.leading(to: targets) })
        questionnaire.checkConditions(read.map(\.path), hasValues: hasValues, issues)
        questionnaire.checkWays(read.map(\.path), issues)
        return Questionnaire(questionnaire.questions.withOthers)
    }

    /// The indices of the questions that may follow; one past the last is the end.
    private func ways(from place: Int, _ branches: [Question.Branch], andOn: Bool) -> [Int] {
        let targets = branches.compactMap { branch in
            switch branch.target {
            case .end: questions.count
            case .question(let id): questions.firstIndex { $0.id.hasSameBytes(as: id) }
            }
        }
        return andOn ? targets + [place + 1] : targets
    }

    private func checkWays(_ paths: [String], _ issues: IssueCollector) {
        let ways = questions.indices.map { place in
            let branches = questions[place].branches
            let isPassedOver = questions[place].when != nil
            return self.ways(
                from: place, branches, andOn: isPassedOver || !branches.contains { $0.condition == nil })
        }
        var state = [Bool?](repeating: nil, count: questions.count + 1)

        /// Depth-first search. The state is true while a question's successors are being walked, false after.
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

        // A loop is an error even if no answer takes it.
        walk(0)
        let reached = places(
            taken: questions.indices.map { place in
                let (branches, isLeftOver) = questions[place].checkBranches(paths[place], issues)
                return self.ways(from: place, branches, andOn: isLeftOver || questions[place].when != nil)
            })
        for place in questions.indices where isWritten(place) && !reached.contains(place) {
            let id = questions[place].matrix?.id ?? questions[place].id
            issues.warning(paths[place], "no way leads to the question '\(id)'")
        }
    }

    /// The indices that answers can lead to.
    private func places(taken ways: [[Int]]) -> Set<Int> {
        var reached: Set<Int> = [0]
        var open = [0]
        while let place = open.popLast() {
            for next in place < ways.count ? ways[place] : [] where reached.insert(next).inserted { open.append(next) }
        }
        return reached
    }
}

extension Question {
    /// The question with branches that lead to the first question that was read from each target.
    fileprivate func leading(to targets: [ExactName: String]) -> Question {
        var question = self
        question.branches = branches.map { branch in
            guard case .question(let id) = branch.target, let first = targets[ExactName(id)] else { return branch }
            return Branch(branch.condition, to: .question(first))
        }
        return question
    }
}
