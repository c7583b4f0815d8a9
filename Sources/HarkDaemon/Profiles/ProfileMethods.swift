import HarkCore
import HarkLedger
import HarkServer
import HarkSystem
import HarkWire

/// `profile.*`.
enum ProfileMethods {
    static let all: [Method] = [get, summary, reset, exportProfile, importProfile]

    private static let answered = [
        #"{"id":0,"method":"form.answer","params":{"formId":"start","answers":{"goal":"Sleep","tried":["Tea","Music"]},"userId":"ada"}}"#
    ]

    static let get = Method(
        ProfileGet.self, summary: "Returns a user's profile, which follows from the answers to the profile's form.",
        details: """
            The values follow from the rules in `forms.json` each time they are requested. A value that changes daily is the \
            same all day, in the daemon's time zone.
            """,
        examples: [
            .init(
                before: answered, params: #"{"userId":"ada"}"#,
                result: """
                    {"profile":{"userId":"ada","formId":"start","completed":true,\
                    "completedAt":"2026-11-21T14:08:21.719Z",\
                    "values":{"welcome":"Good night!","minutes":20,"interests":["Music","Tea"]},\
                    "answers":{"goal":"Sleep","tried":["Music","Tea"]}}}
                    """),
            .init(before: answered, params: #"{"key":"minutes","userId":"ada"}"#, result: #"{"value":20}"#),
        ],
        handler: .write { call, request, reply throws(WireError) in
            try profile(of: request.owner, call).tell(in: &reply) { found, json throws(WireError) in
                let (profile, user) = found
                var result = ProfileResult()
                guard let key = request.key else {
                    result.profile = AnyJSON(profile.info(of: user))
                    return result.writeMembers(to: &json)
                }
                guard let value = profile[key] else {
                    throw WireError(
                        .notFound, "a profile has no '\(key)'; it has: \(profile.keys.joined(separator: ", "))",
                        path: Params.path("key"))
                }
                result.value = AnyJSON(value)
                result.writeMembers(to: &json)
            }
        })

    static let summary = Method(
        ProfileSummaryRequest.self, summary: "Returns a summary of a user's profile in a few lines.",
        examples: [
            .init(
                before: answered, params: #"{"userId":"ada"}"#,
                result: #"{"summary":"20 minutes for:\n  - Music\n  - Tea\n"}"#)
        ],
        deciding: { call, request throws(WireError) in
            try profile(of: request.owner, call).map { found in
                var result = ProfileSummaryText()
                result.summary = found.profile.summary
                return result
            }
        })

    static let reset = Method(
        ProfileReset.self, summary: "Forgets the answers that a user's profile is made of.",
        examples: [.init(before: answered, params: #"{"userId":"ada"}"#, result: #"{"removed":2}"#)],
        handler: .write { call, request, reply throws(WireError) in
            try call.decideForms(of: request.owner) { participant, engine, changes, now throws(WireError) in
                try engine.resetProfile(by: participant, now: now, into: &changes)
            }.tell(in: &reply, as: "removed")
        })

    static let exportProfile = Method(
        ProfileExport.self, summary: "Exports a user's profile, to keep it or to import it elsewhere.",
        examples: [
            .init(
                before: answered, params: #"{"userId":"ada"}"#,
                result: """
                    {"profile":{"version":1,"formId":"start","startedAt":"2026-11-21T14:08:21.719Z",\
                    "completedAt":"2026-11-21T14:08:21.719Z","answers":{"goal":"Sleep","tried":["Music","Tea"]}}}
                    """)
        ],
        handler: .write { call, request, reply throws(WireError) in
            try call.decideForms(of: request.owner) { participant, engine, _, _ throws(WireError) in
                try engine.exportProfile(of: participant.user)
            }.tell(in: &reply) { copy, json in
                json.member("profile", copy.info)
            }
        })

    static let importProfile = Method(
        ProfileImport.self, summary: "Imports an exported profile, which replaces the user's own.",
        details: "Its answers are checked as if they were given now. If one is wrong, nothing changes.",
        examples: [
            .init(
                params: """
                    {"profile":{"version":1,"formId":"start","startedAt":"2026-11-21T14:08:21.719Z",\
                    "completedAt":"2026-11-21T14:09:00.000Z","answers":{"goal":"Focus","tried":["Walks"]}},"userId":"ada"}
                    """,
                result: """
                    {"profile":{"userId":"ada","formId":"start","completed":true,\
                    "completedAt":"2026-11-21T14:09:00.000Z",\
                    "values":{"welcome":"Good morning!","minutes":5,"interests":["Walks"]},\
                    "answers":{"goal":"Focus","tried":["Walks"]}}}
                    """)
        ],
        handler: .write { call, request, reply throws(WireError) in
            let document = request.profile.object ?? JSONObject()
            try call.decideForms(of: request.owner) { participant, engine, changes, now throws(WireError) in
                try engine.importProfile(
                    document, path: "profile", by: participant, now: now, into: &changes)
            }
            try profile(of: request.owner, call).tell(in: &reply) { found, json in
                json.member("profile", found.profile.info(of: found.user))
            }
        })

    @DaemonActor
    private static func profile(
        of owner: FormOwner, _ call: Call
    ) throws(WireError) -> Decided<(profile: Profile, user: UserKey)> {
        let day = LocalDay.number(atMilliseconds: call.ledger.now.milliseconds)
        return try call.decideForms(of: owner) { participant, engine, _, _ throws(WireError) in
            (try engine.profile(of: participant.user, day: day), participant.user)
        }
    }
}
