import HarkWire

@testable import HarkCore

/// A store in memory: carries out rows and answers the engine's questions.
struct Disk {
    private(set) var presentations: [Identifier: Presentation] = [:]
    /// The order in which they came.
    private var rows: [Identifier] = []
    private var rowsOfUser: [UserKey: [Identifier]] = [:]
    var gating: [UserKey: [ExactName: Gating]] = [:]
    var eventTimes: [UserKey: [ExactName: RecentTimes]] = [:]
    var eventRules: [ExactName: RuleGaps] = [:]
    var quotas: [ExactName: QuotaCount] = [:]
    var credits: [ExactName: [CreditAccount]] = [:]
    var enrolments: [UserKey: [ExactName: Enrolment]] = [:]
    var forms: [UserKey: UserForms] = [:]
    var current: [Scope: Session] = [:]
    private(set) var sessions: [Int64: Session] = [:]
    private var sessionsOfUser: [UserKey: [Int64]] = [:]
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
            sessions = sessions.filter { !selection.contains($0.value.identity) }
        }
        self.watermark = watermark
    }

    private mutating func carryOut(_ row: Changes.Row) {
        switch row {
        case .session(.insert(let session)):
            sessions[session.identity.row] = session
            sessionsOfUser[UserKey(session.identity), default: []].append(session.identity.row)
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
        case .survey(.putEventTimes(let times, let rule, let user)):
            eventTimes[user, default: [:]][rule] = RecentTimes(packed: times.packed)
        case .survey(.putEventRule(let gaps, let rule)): eventRules[rule] = RuleGaps(packed: gaps.packed)
        case .survey(.putQuota(let count, let survey)): quotas[ExactName(survey)] = count
        case .survey(.putCredits(let accounts, let survey)): credits[ExactName(survey)] = accounts
        case .survey(.forgetCredits): credits = [:]
        case .survey(.putEnrolment(let enrolment)):
            // Through the properties that the store keeps, so that tests cover these.
            enrolments[enrolment.user, default: [:]][ExactName(enrolment.survey)] = Enrolment(
                id: enrolment.id, survey: enrolment.survey, user: enrolment.user, app: enrolment.app,
                wakesAt: enrolment.wakesAt, enrolment.properties)
        case .survey(.putReminders(let count, let id)): presentations[id]?.reminders = count
        case .survey(.remove(let selection, _)):
            presentations = presentations.filter { !selection.contains($0.value) }
            rows = rows.filter { presentations[$0] != nil }
            gating = gating.filter { !selection.containsEverything(of: $0.key) }
            eventTimes = eventTimes.filter { !selection.containsEverything(of: $0.key) }
            enrolments = enrolments.filter { !selection.containsEverything(of: $0.key) }
        case .other(let row as FormRow): carryOut(row)
        case .other(WishRow.put(let wish, let key)): wishes[key] = wish == Wish() ? nil : wish
        case .other(WishRow.putQuiet(let quiet, let uid)): self.quiet[uid] = quiet
        case .other(WishRow.forgetAsking(let uid)):
            for key in wishes.keys where uid == nil || uid == key.uid {
                wishes[key]?.askedAt = nil
                wishes[key]?.askedFromAfarAt = nil
            }
        // Rows without surveys.
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

    /// Loads the data that a command needs, as the ledger does.
    func bring(_ need: Need, to engine: inout Engine) { engine.bring(need, supply) }

    private func supply(of lack: Lack) -> Supply {
        switch lack {
        case .scope(let scope): return .scope(scope, current: current[scope])
        case .user(let user):
            let open = (rowsOfUser[user] ?? []).compactMap { presentations[$0] }.filter { $0.state.isOpen }
            return .user(
                user,
                UserSurveys(
                    gating: gating[user] ?? [:], enrolments: enrolments[user] ?? [:],
                    eventTimes: eventTimes[user] ?? [:], firstSeen: firstSeen(of: user), presentations: open))
        case .holding(let holding, let uid): return .holding(holding, of: uid, amount(of: holding, uid))
        case .wishes: return .wishes(wishes.map { ($0.key, $0.value) }, quiet: quiet)
        case .quotas: return .quotas(quotas, credits: credits)
        case .eventRules: return .eventRules(eventRules)
        case .watches: return .watches([])
        case .producer(let producer): return .producer(producer, nil)
        case .deviceId: return .deviceId(nil)
        case .forms(let user): return .forms(forms[user] ?? [:], of: user)
        case .counters(let scope): return .counters(counters.state(of: scope), of: scope, current: current[scope])
        case .executedEvents: return .executedEvents(counters.executedEvents)
        case .listeners(let name, let scope):
            return .listeners(counters.listeners(to: name, in: scope), to: name, in: scope)
        case .execution(let key): return .execution(key, counters.executions.first { $0.key == key })
        case .presentation(let id): return .presentation(presentations[id])
        case .prompt(let id): return .prompt(all.filter { $0.prompt?.id == id })
        case .schedule(let key): return .schedule(Array(entries.filter { $0.key > key }.prefix(SurveySchedule.page)))
        case .usersShown: return .usersShown(presentations.values.filter { $0.state == .presented }.map(\.user))
        case .usersWaiting(let scope):
            let waiting = presentations.values.filter { $0.state == .ready && $0.scope == scope }
            return .users(waiting.sorted { $0.dueAt < $1.dueAt }.prefix(16).map(\.user))
        case .usersHeld(let due, let uid):
            return .users(all.filter { $0.user.uid == uid && $0.state == .scheduled && $0.dueAt == due }.map(\.user))
        case .other(let need): preconditionFailure("no family here has \(need)")
        }
    }

    private func firstSeen(of user: UserKey) -> Timestamp? {
        (sessionsOfUser[user] ?? []).compactMap { sessions[$0]?.identity.startedAt }.min()
    }

    private func amount(of holding: Holding, _ uid: UInt32) -> Amount {
        let open = all.filter { $0.state.isOpen && [$0.user.uid, Engine.everybody].contains(uid) }
        switch holding {
        case .presentations: return open.map(\.size).reduce(Amount(), +)
        case .prompts, .allPrompts: return Amount(count: open.count { $0.prompt != nil })
        default: return counters.amount(of: holding, uid)
        }
    }

    /// The users with something open, of any survey.
    var usersWithOpen: Set<UserKey> { Set(presentations.values.filter(\.state.isOpen).map(\.user)) }

    private var entries: [SurveySchedule.Entry] {
        let showings = presentations.values.compactMap { presentation in
            presentation.wakesAt.map {
                SurveySchedule.Entry(
                    key: SurveySchedule.Key(at: $0, id: presentation.id), user: presentation.user)
            }
        }
        let parts = enrolments.values.flatMap(\.values).compactMap { enrolment in
            enrolment.wakesAt.map {
                SurveySchedule.Entry(key: SurveySchedule.Key(at: $0, id: enrolment.id), user: enrolment.user)
            }
        }
        return (showings + parts).sorted { $0.key < $1.key }
    }

    /// The users with an open survey that is not among these.
    func users(withOpenExceptOf kept: Set<String>) -> Set<UserKey> {
        Set(presentations.values.filter { $0.state.isOpen && !kept.contains($0.survey) }.map(\.user))
    }
}
