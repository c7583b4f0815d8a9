import HarkWire

@testable import HarkCore

/// What a store would hold, in memory: carries out rows and answers what the engine asks for.
struct Disk {
    private(set) var presentations: [Identifier: Presentation] = [:]
    /// The order in which they came.
    private var rows: [Identifier] = []
    private var rowsOfUser: [UserKey: [Identifier]] = [:]
    var gating: [UserKey: [ExactName: Gating]] = [:]
    var forms: [UserKey: UserForms] = [:]
    var current: [Scope: Session] = [:]
    var sessions: [Int64: Session] = [:]
    var records: [Record] = []
    var watermark = Engine.Watermark()
    var counters = CounterDisk()
    var wishes: [WishKey: Wish] = [:]
    var quiet: [UInt32: PersonalQuiet] = [:]

    mutating func commit(_ changes: Changes, _ watermark: Engine.Watermark) {
        for row in changes.rows { carryOut(row) }
        records += changes.records
        for case .remove(let selection) in changes.upkeep {
            current = current.filter { !selection.contains($0.value.identity) }
        }
        self.watermark = watermark
    }

    private mutating func carryOut(_ row: Changes.Row) {
        switch row {
        case .session(.insert(let session)): sessions[session.identity.row] = session
        case .session(.end(let row, let at)): sessions[row]?.endedAt = at
        case .session(.setCurrent(let scope, let row)): current[scope] = row.flatMap { sessions[$0] }
        case .survey(.putPresentation(let presentation)):
            if presentations.updateValue(presentation, forKey: presentation.id) == nil {
                rows.append(presentation.id)
                rowsOfUser[presentation.user, default: []].append(presentation.id)
            }
        case .survey(.takeOver(let presentation)):
            if presentations[presentation.id] == nil { carryOut(.survey(.putPresentation(presentation))) }
        case .survey(.putGating(let gating, let survey, let user)):
            self.gating[user, default: [:]][ExactName(survey)] = gating
        case .survey(.putReminders(let count, let id)): presentations[id]?.reminders = count
        case .survey(.remove(let selection, _)):
            presentations = presentations.filter { !selection.contains($0.value) }
            rows = rows.filter { presentations[$0] != nil }
            gating = gating.filter { !selection.containsEverything(of: $0.key) }
        case .other(let row as FormRow): carryOut(row)
        case .other(WishRow.put(let wish, let key)): wishes[key] = wish == Wish() ? nil : wish
        case .other(WishRow.putQuiet(let quiet, let uid)): self.quiet[uid] = quiet
        case .other(WishRow.forgetAsking(let uid)):
            for key in wishes.keys where uid == nil || uid == key.uid {
                wishes[key]?.askedAt = nil
                wishes[key]?.askedFromAfarAt = nil
            }
        // What has nothing to do with surveys.
        case .other, .setMeta: break
        case .counters(let row): counters.carryOut(row, current: current)
        }
    }

    private mutating func carryOut(_ row: FormRow) {
        switch row {
        case .put(nil, let form, let user): forms[user]?[form] = nil
        case .put(let state?, let form, let user):
            var kept = FormState(startedAt: state.startedAt)
            kept.completedAt = state.completedAt
            kept.draft = state.draft
            kept.answers = forms[user]?[form]?.answers ?? [:]
            forms[user, default: [:]][form] = kept
        case .putAnswer(let answer, let place): forms[place.user]?[place.form]?.answers[place.question] = answer
        case .interruptSubmissions: changeSubmissions { $0.interrupt() }
        case .hurrySubmissions(let at): changeSubmissions { $0.hurry(now: at) }
        case .remove(let selection): forms = forms.filter { !selection.containsEverything(of: $0.key) }
        }
    }

    private mutating func changeSubmissions(_ body: (inout Submission) -> Void) {
        for (user, states) in forms {
            for (form, state) in states {
                for (question, answer) in state.answers {
                    guard var submission = answer.submission else { continue }
                    body(&submission)
                    forms[user]?[form]?.answers[question]?.submission = submission
                }
            }
        }
    }

    /// Oldest first.
    var all: [Presentation] { rows.compactMap { presentations[$0] } }

    func load(_ user: UserKey, into engine: inout Engine) {
        guard !engine.use(user) else { return }
        loadWishes(into: &engine)
        let open = (rowsOfUser[user] ?? []).compactMap { presentations[$0] }.filter { $0.state.isOpen }
        engine.admit(user, UserSurveys(gating: gating[user] ?? [:], presentations: open))
    }

    func loadWishes(into engine: inout Engine) { engine.admit(wishes: wishes.map { ($0.key, $0.value) }, quiet: quiet) }

    /// Who has something open, whatever of.
    var usersWithOpen: Set<UserKey> { Set(presentations.values.filter(\.state.isOpen).map(\.user)) }

    func load(_ scope: Scope, into engine: inout Engine) {
        guard !engine.use(scope) else { return }
        engine.admit(scope, current: current[scope])
    }

    func loadPresentation(_ id: Identifier, into engine: inout Engine) {
        if let known = engine.surveys.presentation(id) {
            load(known.scope, into: &engine)
            loadFollowing(in: known.scope, into: &engine)
            if let prompt = known.prompt {
                loadAsked(known.scope, into: &engine)
                loadPrompt(prompt.id, into: &engine)
            }
        } else if let presentation = presentations[id] {
            load(presentation.scope, into: &engine)
            load(presentation.user, into: &engine)
            loadFollowing(in: presentation.scope, into: &engine)
            engine.admit(closed: presentation)
            if let prompt = presentation.prompt { loadPrompt(prompt.id, into: &engine) }
        }
    }

    func loadPrompt(_ id: Identifier, into engine: inout Engine) {
        for presentation in all where presentation.prompt?.id == id {
            loadAsked(presentation.scope, into: &engine)
            if !presentation.state.isOpen { engine.admit(closed: presentation) }
        }
    }

    func loadAsked(_ scope: Scope, into engine: inout Engine) {
        for (holding, uid) in [(Holding.prompts, scope.uid), (.allPrompts, Engine.everybody)]
        where !engine.unknownHoldings([holding], of: uid).isEmpty {
            let open = all.filter {
                $0.prompt != nil && $0.state.isOpen && [$0.user.uid, Engine.everybody].contains(uid)
            }
            engine.admit(Amount(count: open.count), holding, of: uid)
        }
        load(scope, into: &engine)
        load(UserKey(uid: scope.uid, userId: nil), into: &engine)
        if let session = engine.sessions.current(scope) { load(UserKey(session.identity), into: &engine) }
        loadFollowing(in: scope, into: &engine)
    }

    private func loadFollowing(in scope: Scope, into engine: inout Engine) {
        if engine.needsCountersForSurveys(in: scope) { loadCounters(of: scope, into: &engine) }
    }

    func loadDue(at now: Timestamp, into engine: inout Engine) {
        while let key = engine.dueNeed(at: now).page {
            let page = entries.filter { $0.key > key }.prefix(SurveySchedule.page)
            engine.admit(schedule: Array(page), isLast: page.count < SurveySchedule.page)
        }
        for user in engine.dueNeed(at: now).users { load(user, into: &engine) }
        for entry in engine.surveys.schedule.due(at: now).prefix(Engine.maxFired) {
            if let presentation = engine.surveys.presentation(entry.key.id) { load(presentation.scope, into: &engine) }
        }
    }

    private var entries: [SurveySchedule.Entry] {
        presentations.values.compactMap { presentation in
            presentation.wakesAt.map {
                SurveySchedule.Entry(
                    key: SurveySchedule.Key(at: $0, id: presentation.id), user: presentation.user)
            }
        }.sorted { $0.key < $1.key }
    }

    /// Who has something open of a survey that is not among these.
    func users(withOpenExceptOf kept: Set<String>) -> Set<UserKey> {
        Set(presentations.values.filter { $0.state.isOpen && !kept.contains($0.survey) }.map(\.user))
    }

    func loadShown(into engine: inout Engine) {
        for presentation in presentations.values where presentation.state == .presented {
            load(presentation.user, into: &engine)
            load(presentation.scope, into: &engine)
        }
    }

    func loadOffers(in scope: Scope, into engine: inout Engine) {
        load(scope, into: &engine)
        loadFollowing(in: scope, into: &engine)
        if let session = engine.sessions.current(scope) {
            load(UserKey(session.identity), into: &engine)
        } else {
            let waiting = presentations.values.filter { $0.state == .ready && $0.scope == scope }
            for presentation in waiting.sorted(by: { $0.dueAt < $1.dueAt }).prefix(16) {
                load(presentation.user, into: &engine)
            }
        }
        load(UserKey(uid: scope.uid, userId: nil), into: &engine)
    }
}
