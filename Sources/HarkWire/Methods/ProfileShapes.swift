/// The shapes of `profile.*`.
extension MethodShape {
    package static let profileGet = MethodShape(
        "profile.get", [.optional(.profileKey), .optional(.formUser), .optional(.formApp)],
        result: ProfileResult.members)

    package static let profileSummary = MethodShape(
        "profile.summary", whose, result: ProfileSummaryText.members)

    package static let profileReset = MethodShape(
        "profile.reset", whose, result: RemovedAnswers.members)

    package static let profileExport = MethodShape(
        "profile.export", whose, result: ProfileExport.members)

    package static let profileImport = MethodShape(
        "profile.import", [.required(.exportedProfile)] + whose,
        result: ProfileImport.members)

    private static let whose: [Parameter] = [.optional(.formUser), .optional(.formApp)]
}

extension Parameter<String> {
    package static var profileKey: Parameter {
        Parameter("key", .string, "only this value; `completed`, `completedAt` and `answers` are keys, too")
    }
}

extension Parameter<JSONObject> {
    package static var exportedProfile: Parameter {
        Parameter("profile", .object(ProfileCopyInfo.shape), "what `profile.export` gave")
    }
}
