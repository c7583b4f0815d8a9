internal import HarkWire

/// Loading the data that a command needs, step by step.
extension Engine {
    /// Loads all data that a command needs and that is not loaded.
    ///
    /// - Parameter read: returns the store's data for a lack.
    package mutating func bring<Failure: Error>(
        _ need: Need, _ read: (Lack) throws(Failure) -> Supply
    ) throws(Failure) {
        var open = [need]
        while let lack = lack(of: &open) { open += admit(try read(lack)).reversed() }
    }

    /// Whether all of it is loaded, as far as the engine knows without the store. If so, it stays loaded for the command.
    package mutating func has(_ need: Need) -> Bool {
        if case .met = standing(of: need) { true } else { false }
    }

    /// Whether a command with this need depends on how long the machine has run (`setRunning`).
    package func goesByRunningTime(_ need: Need) -> Bool {
        switch need {
        case .watches: true
        case .recording(let event, let scope, _, _, _): watches(need: event, of: scope.uid)
        case .all(let needs): needs.contains { goesByRunningTime($0) }
        default: false
        }
    }

    /// The state of a need.
    private enum Standing {
        case met
        /// These needs replace it.
        case madeOf([Need])
        /// This must be loaded; then the need is checked again.
        case lacks(Lack)
        /// The needs that follow from the answer replace it.
        case asks(Lack)
    }

    /// Returns the next data to read; nil when all is loaded.
    ///
    /// - Parameter open: the needs to check, the next one last.
    private mutating func lack(of open: inout [Need]) -> Lack? {
        while let need = open.last {
            switch standing(of: need) {
            case .met: open.removeLast()
            case .madeOf(let needs):
                open.removeLast()
                open += needs.reversed()
            case .lacks(let lack): return lack
            case .asks(let lack):
                open.removeLast()
                return lack
            }
        }
        return nil
    }

    private mutating func standing(of need: Need) -> Standing {
        switch need {
        case .all(let needs): return .madeOf(needs)
        case .scope(let scope):
            return sessions.use(scope) ? .met : lacks([.apps], of: scope.uid) ?? .lacks(.scope(scope))
        case .countedScope(let scope): return .madeOf([.holdings([.apps], of: scope.uid), .scope(scope)])
        case .holdings(let wanted, let uid): return lacks(wanted, of: uid) ?? .met
        case .user(let user): return lack(of: user).map { .lacks($0) } ?? .met
        case .wishes: return wishes.isLoaded ? .met : .lacks(.wishes)
        case .quotas: return quotas.isLoaded ? .met : .lacks(.quotas)
        case .eventRules: return eventRules.isLoaded ? .met : .lacks(.eventRules)
        case .watches: return watches.isLoaded ? .met : .lacks(.watches)
        case .producer(let producer):
            return use(producer) ? .met : lacks([.producers], of: producer.scope.uid) ?? .lacks(.producer(producer))
        case .deviceId: return needsDeviceId ? .lacks(.deviceId) : .met
        case .forms(let user):
            return lacks([.forms], of: user.uid) ?? (forms.use(user) ? .met : .lacks(.forms(of: user)))
        case .counters(let scope): return lackOfCounters(of: scope).map { .lacks($0) } ?? .met
        case .change(let name, let scope): return lackOfCounter(name, in: scope).map { .lacks($0) } ?? .met
        case .watchedCounters: return .madeOf(counters.watchedScopes.map { .counters(of: $0) })
        case .execution(let id, let triggers, let raisesSurvey, let scope):
            let lack = lackOfExecution(id, listensTo: triggers, raisesSurvey: raisesSurvey, in: scope)
            return lack.map { .lacks($0) } ?? .met
        case .other(let need): return need.isMet(in: &self) ? .met : .lacks(.other(need))

        // Events, and the surveys and prompts that they trigger.
        case .recording(let event, let scope, let userId, let isUnattended, let producer):
            if !isUnattended || use(scope.unattended), hasAll(ofEvent: event, in: scope, userId: userId),
                producer.map({ use($0) }) ?? true
            {
                return .met
            }
            return .madeOf(
                (isUnattended ? [.scope(scope.unattended)] : []) + [.event(event, in: scope, userId: userId)]
                    + (producer.map { [.producer($0)] } ?? []))
        case .event(let event, let scope, let userId):
            if isReady(toRecord: event, in: scope) { return .met }
            return .madeOf([
                .scope(scope), .watchesOf(event, of: scope.uid), .holdings([.presentations], of: scope.uid),
                .surveysOn(event, in: scope, userId: userId), .executionsOn(event, in: scope, userId: userId),
            ])
        case .watchesOf(let event, let uid): return watches(need: event, of: uid) ? .madeOf([.watches]) : .met
        case .surveysOn(let event, let scope, let userId):
            let user = surveyUser(recording: event, in: scope, userId: userId)
            let needsCounters = needsCounters(recording: event, in: scope)
            let forms: [Need] = needsForms(recording: event) ? [.forms(of: surveyUser(in: scope, userId: userId))] : []
            return .madeOf((user.map { [.user($0)] } ?? []) + (needsCounters ? [.counters(of: scope)] : []) + forms)
        case .executionsOn(let event, let scope, let userId):
            return lackOfHearers(of: event, in: scope, userId: userId).map { .lacks($0) } ?? .met
        case .following(let scope):
            if needsCountersForSurveys(in: scope), let lack = lackOfCounters(of: scope) { return .lacks(lack) }
            return lackOfFollowers(in: scope).map { .lacks($0) } ?? .met
        case .presentation(let id):
            guard let known = surveys.presentation(id) else { return .asks(.presentation(id)) }
            let around: [Need] = [
                .holdings([.presentations], of: known.scope.uid), .countedScope(known.scope),
                .user(known.user), .following(in: known.scope),
            ]
            return .madeOf(
                around + (known.prompt.map { [.asking(in: known.scope), .prompt($0.id)] } ?? []))
        case .prompt(let id): return .asks(.prompt(id))
        case .taking(let enrolment):
            let schedule = surveys.configuration.survey(enrolment.survey)?.trigger.schedule
            return .madeOf(
                [
                    .holdings([.presentations], of: enrolment.user.uid), .countedScope(enrolment.scope),
                    .following(in: enrolment.scope),
                ] + (schedule?.needsForms ?? false ? [.forms(of: enrolment.user)] : []))
        case .participant(let user, let survey, let scope):
            let schedule = surveys.configuration.survey(survey)?.trigger.schedule
            return .madeOf(
                [
                    .holdings([.presentations], of: user.uid), .countedScope(scope), .following(in: scope), .user(user),
                    .sessionUser(in: scope),
                ] + (schedule?.needsForms ?? false ? [.forms(of: user)] : []))
        case .closed(let presentation):
            admit(closed: presentation)
            return .met
        case .asking(let scope):
            return .madeOf([
                .holdings([.presentations, .prompts], of: scope.uid),
                .holdings([.allPrompts], of: Engine.everybody), .countedScope(scope),
                .user(UserKey(uid: scope.uid, userId: nil)), .sessionUser(in: scope), .following(in: scope),
            ])
        case .sessionUser(let scope):
            return sessions.current(scope).map { .madeOf([.user(UserKey($0.identity))]) } ?? .met
        case .offers(let scope):
            // Last come the prompts that programs address to the account.
            return .madeOf([
                .countedScope(scope), .following(in: scope), .usersToAsk(in: scope),
                .user(UserKey(uid: scope.uid, userId: nil)),
            ])
        case .usersToAsk(let scope):
            let isThere = sessions.current(scope) != nil
            return isThere ? .madeOf([.sessionUser(in: scope)]) : .asks(.usersWaiting(in: scope))
        case .quiet(let uid, let now): return .madeOf([.wishes, .heldUsers(of: uid, at: now)])
        case .heldUsers(let uid, let now):
            return quietEnd(of: uid, now: now).map { .asks(.usersHeld(until: $0, of: uid)) } ?? .met
        case .shown: return .asks(.usersShown)
        case .scopesOfOpen(let user):
            return .madeOf((surveys.state(of: user)?.open ?? []).map { .countedScope($0.scope) })
        case .due(let now):
            let due = dueNeed(at: now)
            if let key = due.page { return .lacks(.schedule(after: key)) }
            return .madeOf(due.users.map { .user($0) } + [.scopesOfDue(at: now)])
        case .scopesOfDue(let now):
            let due = surveys.schedule.due(at: now).prefix(Engine.maxFired)
            return .madeOf(due.flatMap { needs(ofDue: $0) })
        }
    }

    private func needs(ofDue entry: SurveySchedule.Entry) -> [Need] {
        if let presentation = surveys.presentation(entry.key.id) { return [.countedScope(presentation.scope)] }
        return surveys.enrolment(entry.key.id, of: entry.user).map { [.taking(part: $0)] } ?? []
    }

    /// Whether an event of this name has no effects, or all data for its effects is loaded.
    private mutating func hasAll(ofEvent event: String, in scope: Scope, userId: String?) -> Bool {
        isReady(toRecord: event, in: scope)
            || use(scope) && watches.isLoaded
                && surveyUser(recording: event, in: scope, userId: userId) == nil
                && !needsCounters(recording: event, in: scope) && !needsForms(recording: event)
                && executions.knowsEvents && !mayHear(event)
                && unknownHoldings([.presentations], of: scope.uid).isEmpty
    }

    private func lacks(_ wanted: [Holding], of uid: UInt32) -> Standing? {
        unknownHoldings(wanted, of: uid).first.map { .lacks(.holding($0, of: uid)) }
    }

    mutating func lack(of user: UserKey) -> Lack? {
        if !surveys.use(user) { return !wishes.isLoaded ? .wishes : !quotas.isLoaded ? .quotas : .user(user) }
        return surveys.asksForProfiles && !forms.use(user) ? .forms(of: user) : nil
    }

    /// Adds data from the store.
    ///
    /// - Returns: the needs that follow from it.
    private mutating func admit(_ supply: Supply) -> [Need] {
        switch supply {
        case .scope(let scope, let current): admit(scope, current: current)
        case .user(let user, let state): admit(user, state)
        case .holding(let holding, let uid, let amount): admit(amount, holding, of: uid)
        case .wishes(let wishes, let quiet): admit(wishes: wishes, quiet: quiet)
        case .quotas(let counts, let credits): quotas.admit(counts, credits)
        case .eventRules(let rules): eventRules.admit(rules)
        case .watches(let watches): admit(watches: watches)
        case .producer(let producer, let mark): admit(producer, mark)
        case .deviceId(let id): admit(deviceId: id)
        case .forms(let forms, let user): admit(forms: forms, of: user)
        case .counters(let state, let scope, let current): admit(scope, counters: state, current: current)
        case .listeners(let executions, let name, let scope): admit(executions, listeningTo: name, in: scope)
        case .executedEvents(let names): executions.admit(events: names)
        case .execution(let key, let execution): admit(key, execution)
        case .schedule(let page): admit(schedule: page, isLast: page.count < SurveySchedule.page)
        case .other(let supply): supply.admit(to: &self)
        case .presentation(let presentation?):
            return [
                .holdings([.presentations], of: presentation.scope.uid), .countedScope(presentation.scope),
                .user(presentation.user), .following(in: presentation.scope), .closed(presentation),
            ] + (presentation.prompt.map { [.prompt($0.id)] } ?? [])
        case .presentation(nil): break
        case .prompt(let presentations):
            return presentations.flatMap { presentation -> [Need] in
                [.asking(in: presentation.scope)] + (presentation.state.isOpen ? [] : [.closed(presentation)])
            }
        case .usersShown(let users): return users.flatMap { [.user($0), .scopesOfOpen($0)] }
        case .users(let users): return users.map { .user($0) }
        }
        return []
    }
}
