internal import HarkWire

extension SurveyQuota {
    /// Reads `quota` of a survey.
    static func read(_ survey: inout ObjectReader) -> SurveyQuota? {
        guard var reader = survey.object("quota") else { return nil }
        defer { reader.finish() }
        var quota = SurveyQuota()
        quota.answers = reader.integer("answers", in: 1...mostAnswers)
        quota.period = reader.integer("withinSeconds", in: 60...Int(longestPeriod)).map { Int64($0) * 1_000 }
        quota.isSpread = reader.flag("spread") ?? false
        if quota.isSpread, quota.answers == nil || quota.period == nil {
            reader.issues.error(
                reader.path("spread"), "spreads 'answers' over 'withinSeconds'; give both, or leave it out")
        }
        for var element in reader.objects("cells", most: mostCells) ?? [] {
            defer { element.finish() }
            let name = element.name("name", isRequired: true)
            let answers = element.read("answers", .integer(in: 1...mostAnswers), isRequired: true)
            guard let condition = EventPattern.readWhere(&element) else {
                if !element.has("where") {
                    element.issues.error(
                        element.path("where"), "is missing: say which events the cell is for, as in \"plan = pro\"")
                }
                continue
            }
            guard let name, let answers else { continue }
            if quota.cells.contains(where: { $0.name.hasSameBytes(as: name) }) {
                element.issues.error(element.path("name"), "there is another cell '\(name)'")
            }
            if let all = quota.answers, answers > all {
                element.issues.error(element.path("answers"), "is more than the \(all) answers of the whole quota")
            }
            quota.cells.append(Cell(name: name, condition: condition, answers: answers))
        }
        if quota.answers == nil, quota.cells.isEmpty, !reader.has("cells"), !reader.has("answers") {
            reader.issues.error(reader.path("answers"), "is missing: say how many answers are enough")
        }
        return quota
    }
}
